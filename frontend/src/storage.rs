//! What the browser stores: the preferences under one versioned key, and whether a session exists. Never a namespace,
//! an object or a query, because those are part of the link, but for those of a question.

use crate::prelude::window;
use page::LastLogin;
use page::preferences::{Change, Preferences};

use crate::dom::address;

const PREFERENCES: &str = "dogwatch.1";
/// The time of the last login, which `open.js` writes: other tabs hear of it. The key itself is kept by `key.js`.
const SESSION: &str = "dogwatch.session";
/// What tabs tell each other of a login by cookie: that it began or ended, and when.
const TOLD: &str = "dogwatch.login";
/// In the storage of this tab: what its earlier documents did about a login, so that none leads to a provider for ever.
const LAST: &str = "dogwatch.login";
const LED: &str = "led";
const LEFT: &str = "left";

pub(crate) fn preferences() -> Preferences {
    Preferences::parse(&get(PREFERENCES).unwrap_or_default())
}

/// Changes the stored preferences, which another tab may have written since this one read them.
pub(crate) fn keep(change: &Change) {
    let mut preferences = preferences();
    change.apply(&mut preferences);
    let text = preferences.text();
    set(PREFERENCES, &text);
    // The origin of a page with a name of its own ends with its session; the gateway keeps them for the next one.
    if is_named() {
        let url = address::href("/api/preferences");
        // A gateway that isn't there hears of the next change.
        let _ = window().navigator().send_beacon_with_opt_str(&url, Some(&text));
    }
}

/// Whether this page has a name of its own below `localhost`, which the gateway gave it.
fn is_named() -> bool {
    const NAME_CHARACTERS: usize = 32;
    let host = window().location().hostname().unwrap_or_default();
    host.strip_suffix(".localhost").is_some_and(|name| name.len() == NAME_CHARACTERS)
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

/// What tabs told each other last.
pub(crate) fn told() -> String {
    get(TOLD).unwrap_or_default()
}

pub(crate) fn tell(what: &str, now_ms: i64) {
    set(TOLD, &format!("{what} {now_ms}"));
}

/// A browser that refuses to remember may lead to a provider without end, so it never leads by itself.
pub(crate) fn last_login() -> LastLogin {
    let Some(tab) = of_tab() else { return LastLogin::Led };
    match tab.get_item(LAST).ok().flatten().as_deref() {
        Some(LED) => LastLogin::Led,
        Some(LEFT) => LastLogin::Left,
        _ => LastLogin::None,
    }
}

pub(crate) fn remember_login(last: LastLogin) {
    let Some(tab) = of_tab() else { return };
    let _ = match last {
        LastLogin::None => tab.remove_item(LAST),
        LastLogin::Led => tab.set_item(LAST, LED),
        LastLogin::Left => tab.set_item(LAST, LEFT),
    };
}

fn of_tab() -> Option<web_sys::Storage> {
    window().session_storage().ok().flatten()
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
