//! What the browser stores: the preferences under one versioned key, and that somebody signed in. Never a namespace, an
//! object or a query, because those are part of the link.

use leptos::prelude::window;
use page::preferences::{Change, Preferences};

const PREFERENCES: &str = "dogwatch.1";
/// The time of the last login, which `open.js` writes: other tabs hear of it. The key itself is kept by `key.js`.
const SESSION: &str = "dogwatch.session";

pub(crate) fn preferences() -> Preferences {
    Preferences::parse(&get(PREFERENCES).unwrap_or_default())
}

/// Changes the stored preferences, which another tab may have written since this one read them.
pub(crate) fn keep(change: &Change) {
    let mut preferences = preferences();
    change.apply(&mut preferences);
    set(PREFERENCES, &preferences.text());
}

/// Whether a tab of this browser signed in, and none was refused since.
pub(crate) fn is_signed_in() -> bool {
    get(SESSION).is_some()
}

pub(crate) fn forget_session() {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(SESSION);
    }
}

/// A browser may refuse to store, or have no room. The page works all the same.
fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

fn get(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

fn set(key: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(key, value);
    }
}
