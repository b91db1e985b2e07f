//! What the browser remembers of the reader: the theme, in one versioned key, and the page's secret
//! beside it. Never a namespace, an object or a query: the link is the state.

use super::model::Theme;
use crate::dom::storage;

const PREFERENCES: &str = "dogwatch.1";
const SECRET: &str = "dogwatch.secret";

pub(crate) fn theme() -> Theme {
    let kept =
        storage::get(PREFERENCES).and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let word = kept.as_ref().and_then(|kept| kept.get("theme")?.as_str()).unwrap_or_default();
    Theme::parse(word)
}

pub(crate) fn keep_theme(theme: Theme) {
    storage::set(PREFERENCES, &serde_json::json!({ "theme": theme.word() }).to_string());
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
