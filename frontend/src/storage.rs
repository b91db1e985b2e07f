//! What the browser stores: the preferences under one versioned key, and the page's secret. Never a namespace, an
//! object or a query, because those are part of the link.

use page::preferences::{Change, Preferences};

use crate::dom::storage;

const PREFERENCES: &str = "dogwatch.1";
const SECRET: &str = "dogwatch.secret";

pub(crate) fn preferences() -> Preferences {
    Preferences::parse(&storage::get(PREFERENCES).unwrap_or_default())
}

/// Changes the stored preferences, which another tab may have written since this one read them.
pub(crate) fn keep(change: &Change) {
    let mut preferences = preferences();
    change.apply(&mut preferences);
    storage::set(PREFERENCES, &preferences.text());
}

pub(crate) fn secret() -> Option<String> {
    storage::get(SECRET).filter(|secret| !secret.is_empty())
}

pub(crate) fn keep_secret(secret: &str) {
    storage::set(SECRET, secret);
}

pub(crate) fn forget_secret() {
    storage::remove(SECRET);
}
