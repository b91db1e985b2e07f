//! What the browser remembers of the reader: preferences, in one versioned key, and the page's secret
//! beside it. Never a namespace, an object or a query: the link is the state.

use page::preferences::Preferences;

use super::model::Theme;
use crate::dom::storage;

const PREFERENCES: &str = "dogwatch.1";
const SECRET: &str = "dogwatch.secret";

pub(crate) fn read() -> Preferences {
    Preferences::parse(&storage::get(PREFERENCES).unwrap_or_default())
}

/// Brings up to date what this tab read when it began: another one may have written since.
pub(super) fn refresh(preferences: &mut Preferences) {
    if let Some(kept) = storage::get(PREFERENCES) {
        *preferences = Preferences::parse(&kept);
    }
}

/// A browser that keeps nothing starts anew each time, which is all that is lost.
pub(super) fn keep(preferences: &Preferences) {
    storage::set(PREFERENCES, &preferences.text());
}

pub(crate) fn theme() -> Theme {
    Theme::parse(&read().theme)
}

/// What was chosen of the columns of a kind; empty: nothing.
pub(super) fn columns(resource: &str) -> String {
    read().columns.get(resource).map(ToString::to_string).unwrap_or_default()
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
