//! What the browser remembers of the reader: preferences, in one versioned key, and the page's secret
//! beside it. Never a namespace, an object or a query: the link is the state.

use page::preferences::{Change, Preferences};

use crate::dom::storage;

const PREFERENCES: &str = "dogwatch.1";
const SECRET: &str = "dogwatch.secret";

pub(crate) fn preferences() -> Preferences {
    Preferences::parse(&storage::get(PREFERENCES).unwrap_or_default())
}

/// Changes what is kept now: another tab may have written since this one read. A browser that keeps nothing
/// starts anew each time, which is all that is lost.
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
