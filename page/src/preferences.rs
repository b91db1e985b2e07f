//! The preferences that a browser keeps, as one text: the theme, the pinned kinds, the columns, the panel's width.
//! A text that can't be read counts as none. Never a namespace, an object or a query.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// `light` or `dark`; else the system's.
    pub theme: Box<str>,
    /// As typed after `kubectl get`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<Box<str>>,
    /// The column settings by resource ([`crate::column_settings::ColumnSettings::to_keep`]).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<Box<str>, Box<str>>,
    /// The width to which the reader dragged the panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub panel_px: Option<u16>,
}

/// Pinned kinds: more than a screen of them is no help.
pub const PINNED_MAX: usize = 50;
/// Kinds whose columns are kept: a reader arranges fewer.
pub const COLUMNS_KEPT_MAX: usize = 200;
/// A longer text wasn't written by the page.
const BYTES_MAX: usize = 256 * 1024;

impl Preferences {
    pub fn parse(text: &str) -> Self {
        if text.len() > BYTES_MAX {
            return Self::default();
        }
        let mut read: Self = serde_json::from_str(text).unwrap_or_default();
        read.pinned.truncate(PINNED_MAX);
        while read.columns.len() > COLUMNS_KEPT_MAX {
            read.columns.pop_last();
        }
        read
    }

    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// An empty text removes the settings. If too many kinds have settings, those of another kind aren't kept.
    pub fn keep_columns(&mut self, resource: &str, choice: &str) {
        if choice.is_empty() {
            self.columns.remove(resource);
        } else if self.columns.contains_key(resource) || self.columns.len() < COLUMNS_KEPT_MAX {
            self.columns.insert(resource.into(), choice.into());
        }
    }

    /// The column settings of a resource; empty without any.
    pub fn columns_of(&self, resource: &str) -> &str {
        self.columns.get(resource).map_or("", |chosen| chosen)
    }

    pub fn is_pinned(&self, resource: &str) -> bool {
        self.pinned.iter().any(|pinned| **pinned == *resource)
    }

    /// The newest pin stands last.
    pub fn toggle_pin(&mut self, resource: &str) {
        match self.pinned.iter().position(|pinned| **pinned == *resource) {
            Some(at) => drop(self.pinned.remove(at)),
            None if self.pinned.len() < PINNED_MAX => self.pinned.push(resource.into()),
            None => {}
        }
    }
}

/// The change of one preference. A tab applies it to its own copy and to the text that the browser keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Theme(Box<str>),
    TogglePin(Box<str>),
    /// The column settings of a resource; empty without any.
    Columns {
        resource: Box<str>,
        chosen: String,
    },
    PanelWidth(u16),
}

impl Change {
    pub fn apply(&self, preferences: &mut Preferences) {
        match self {
            Self::Theme(word) => preferences.theme.clone_from(word),
            Self::TogglePin(resource) => preferences.toggle_pin(resource),
            Self::Columns { resource, chosen } => preferences.keep_columns(resource, chosen),
            Self::PanelWidth(px) => preferences.panel_px = Some(*px),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences_survive_their_text() {
        let mut kept = Preferences { theme: "dark".into(), ..Preferences::default() };
        kept.toggle_pin("pods");
        kept.toggle_pin("deployments.apps");
        kept.toggle_pin("pods");
        assert_eq!(kept.pinned, ["deployments.apps".into()]);
        kept.keep_columns("pods", "name,age");
        kept.keep_columns("nodes", "name");
        kept.keep_columns("nodes", "");
        assert_eq!(kept.columns.len(), 1);
        kept.panel_px = Some(700);
        assert_eq!(Preferences::parse(&kept.text()), kept);
    }

    #[test]
    fn a_text_that_cannot_be_read_is_as_good_as_none() {
        for text in ["", "{", "[]", "{\"theme\":7}", "null", "{\"pinned\":{}}"] {
            assert_eq!(Preferences::parse(text), Preferences::default(), "{text}");
        }
        assert_eq!(Preferences::parse(&" ".repeat(BYTES_MAX + 1)), Preferences::default());
        assert_eq!(&*Preferences::parse("{\"theme\":\"dark\",\"of another version\":1}").theme, "dark");
    }

    #[test]
    fn pins_are_bounded() {
        let mut kept = Preferences::default();
        for number in 0..PINNED_MAX + 5 {
            kept.toggle_pin(&format!("kind{number}"));
        }
        assert_eq!(kept.pinned.len(), PINNED_MAX);
        for number in 0..COLUMNS_KEPT_MAX + 5 {
            kept.keep_columns(&format!("kind{number}"), "name");
        }
        assert_eq!(kept.columns.len(), COLUMNS_KEPT_MAX);
    }
}
