//! The preferences that a browser keeps, as one text: the theme, the pinned kinds, the columns, the panel's width,
//! the height of rows, and what its reader asks to be told of.
//! A text that can't be read counts as none. Never a namespace, an object or a query, but for what a question names.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::json;

use crate::theme::{Density, WideColumns};

/// What a reader prefers in this browser. The page reads it for each new view, and changes it by a [`Change`] alone, so that two
/// tabs don't overwrite one another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Preferences {
    /// `light` or `dark`; else the system's.
    pub theme: Box<str>,
    /// As typed after `kubectl get`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<Box<str>>,
    /// The team's pins that the reader took off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unpinned: Vec<Box<str>>,
    /// The column settings by resource ([`crate::columns::ColumnSettings::to_keep`]).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<Box<str>, Box<str>>,
    /// The width to which the reader dragged the panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub panel_px: Option<u16>,
    /// Which wide columns are shown, where a link doesn't say so.
    #[serde(skip_serializing_if = "is_default")]
    pub wide: WideColumns,
    #[serde(skip_serializing_if = "is_default")]
    pub density: Density,
    /// What is asked to be told of, each as the link of a view that carries it; before them a hash of the reader who asks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Box<str>>,
}

json::fields! { Preferences: ; theme, pinned, unpinned, columns, panel_px, wide, density, questions }

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Pinned kinds: more than a screen of them is no help.
pub const PINNED_MAX: usize = 50;
/// Kinds whose columns are kept: a reader arranges fewer.
pub const COLUMNS_KEPT_MAX: usize = 200;
/// Questions at once: each has a view of its own.
pub const QUESTIONS_MAX: usize = 20;
/// A question with its view. A longer one ends with its tab. All of them are 40 KB at most, of the 64 KiB that a gateway keeps of
/// its user's preferences.
pub const QUESTION_BYTES_MAX: usize = 2_000;
/// A longer text wasn't written by the page.
const BYTES_MAX: usize = 256 * 1024;

impl Preferences {
    pub fn parse(text: &str) -> Self {
        if text.len() > BYTES_MAX {
            return Self::default();
        }
        let mut read: Self = json::read(text).unwrap_or_default();
        read.pinned.truncate(PINNED_MAX);
        read.unpinned.truncate(PINNED_MAX);
        read.questions.truncate(1 + QUESTIONS_MAX);
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

    /// The team's pins that the reader didn't take off, then the reader's own; the newest stands last.
    pub fn pins<'a>(&'a self, teams: &'a [Box<str>]) -> impl Iterator<Item = &'a str> {
        let kept = teams.iter().filter(|name| !self.unpinned.contains(name));
        let own = self.pinned.iter().filter(|name| !teams.contains(name));
        kept.chain(own).map(|name| &**name)
    }

    /// Pins a kind, or takes its pin off.
    pub fn toggle_pin(&self, resource: Box<str>, teams: &[Box<str>]) -> Change {
        if self.pins(teams).any(|pinned| *pinned == *resource) {
            let is_teams = teams.contains(&resource);
            Change::Unpin { resource, is_teams }
        } else {
            Change::Pin(resource)
        }
    }
}

/// Keeps a name once; too many are not kept.
fn keep(names: &mut Vec<Box<str>>, name: &str) {
    if names.len() < PINNED_MAX && names.iter().all(|held| **held != *name) {
        names.push(name.into());
    }
}

/// The change of one preference. A tab applies it to its own copy and to the text that the browser keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Theme(Box<str>),
    Pin(Box<str>),
    Unpin {
        resource: Box<str>,
        /// The team pinned it.
        is_teams: bool,
    },
    /// The column settings of a resource; empty without any.
    Columns {
        resource: Box<str>,
        chosen: String,
    },
    PanelWidth(u16),
    Wide(WideColumns),
    Density(Density),
    /// This reader asks a question, or no longer does. Those of another reader go.
    Question {
        asker: Box<str>,
        question: Box<str>,
        is_asked: bool,
    },
}

impl Change {
    pub fn apply(&self, preferences: &mut Preferences) {
        match self {
            Self::Theme(word) => preferences.theme.clone_from(word),
            Self::Pin(resource) => {
                preferences.unpinned.retain(|name| name != resource);
                keep(&mut preferences.pinned, resource);
            }
            Self::Unpin { resource, is_teams } => {
                preferences.pinned.retain(|name| name != resource);
                if *is_teams {
                    keep(&mut preferences.unpinned, resource);
                }
            }
            Self::Columns { resource, chosen } => preferences.keep_columns(resource, chosen),
            Self::PanelWidth(px) => preferences.panel_px = Some(*px),
            Self::Wide(wide) => preferences.wide = *wide,
            Self::Density(density) => preferences.density = *density,
            Self::Question { asker, question, is_asked } => {
                let held = &mut preferences.questions;
                if held.first() != Some(asker) {
                    *held = vec![asker.clone()];
                }
                held.retain(|held| held != question);
                if *is_asked && held.len() <= QUESTIONS_MAX {
                    held.push(question.clone());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences_survive_their_text() {
        let mut kept = Preferences { theme: "dark".into(), ..Preferences::default() };
        for name in ["pods", "deployments.apps", "pods"] {
            kept.toggle_pin(name.into(), &[]).apply(&mut kept);
        }
        assert_eq!(kept.pinned, ["deployments.apps".into()]);
        kept.keep_columns("pods", "name,age");
        kept.keep_columns("nodes", "name");
        kept.keep_columns("nodes", "");
        assert_eq!(kept.columns.len(), 1);
        kept.panel_px = Some(700);
        (kept.wide, kept.density) = (WideColumns::Wide, Density::Compact);
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
    fn a_pin_of_the_reader_stands_beside_the_teams_and_a_pin_of_the_team_can_be_taken_off() {
        let teams = ["nodes".into(), "events".into()];
        let mut kept = Preferences::default();
        let mut pins_after = |name: &str| {
            kept.toggle_pin(name.into(), &teams).apply(&mut kept);
            kept.pins(&teams).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(pins_after("pods"), "nodes events pods");
        assert_eq!(pins_after("nodes"), "events pods");
        assert_eq!(pins_after("nodes"), "nodes events pods", "pinned again, it is the team's");
        assert_eq!(pins_after("pods"), "nodes events");
    }

    #[test]
    fn questions_are_of_one_reader_and_bounded() {
        let change = |asker: &str, question: &str, is_asked| Change::Question {
            asker: asker.into(),
            question: question.into(),
            is_asked,
        };
        let ask = |asker: &str, question: &str| change(asker, question, true);
        let mut kept = Preferences::default();
        for question in ["a", "b", "a"] {
            ask("one", question).apply(&mut kept);
        }
        change("one", "b", false).apply(&mut kept);
        assert_eq!(*kept.questions, ["one".into(), "a".into()]);
        assert_eq!(Preferences::parse(&kept.text()), kept);
        for number in 0..QUESTIONS_MAX + 5 {
            ask("other", &number.to_string()).apply(&mut kept);
        }
        assert_eq!((&*kept.questions[0], kept.questions.len()), ("other", 1 + QUESTIONS_MAX));
        assert!(!kept.questions.contains(&"a".into()), "another reader's went");
        change("one", "", false).apply(&mut kept);
        assert_eq!(*kept.questions, ["one".into()]);
    }

    #[test]
    fn pins_are_bounded() {
        let mut kept = Preferences::default();
        for number in 0..PINNED_MAX + 5 {
            kept.toggle_pin(format!("kind{number}").into(), &[]).apply(&mut kept);
        }
        assert_eq!(kept.pinned.len(), PINNED_MAX);
        for number in 0..COLUMNS_KEPT_MAX + 5 {
            kept.keep_columns(&format!("kind{number}"), "name");
        }
        assert_eq!(kept.columns.len(), COLUMNS_KEPT_MAX);
    }
}
