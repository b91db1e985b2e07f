//! What the browser stores: the preferences under one versioned key, and the page's secret. Never a namespace, an
//! object or a query, because those are part of the link.

use leptos::prelude::window;
use page::preferences::{Change, Preferences};
use shared::frame::client::Credential;

const PREFERENCES: &str = "dogwatch.1";
const SECRET: &str = "dogwatch.secret";

pub(crate) fn preferences() -> Preferences {
    Preferences::parse(&get(PREFERENCES).unwrap_or_default())
}

/// Changes the stored preferences, which another tab may have written since this one read them.
pub(crate) fn keep(change: &Change) {
    let mut preferences = preferences();
    change.apply(&mut preferences);
    set(PREFERENCES, &preferences.text());
}

pub(crate) fn secret() -> Option<String> {
    get(SECRET).filter(|secret| !secret.is_empty())
}

/// What the page says to the gateway, where somebody signed in.
pub(crate) fn credential() -> Option<Credential> {
    secret().map(|secret| Credential::Local(secret.into()))
}

pub(crate) fn keep_secret(secret: &str) {
    set(SECRET, secret);
}

pub(crate) fn forget_secret() {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(SECRET);
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
