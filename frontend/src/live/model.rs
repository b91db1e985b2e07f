//! The plain values that the signals hold: what `replica` said, cut to what a view shows.

mod detail;
mod log;
mod shell;
mod table;

use super::action::SelectorKind;

pub(crate) use detail::*;
pub(crate) use log::{LogBody, LogExtent, LogLine, LogToggle};
pub(crate) use shell::{
    Bar, Health, Login, NamespaceList, NavGroup, NavItem, NavNote, Navigation, PaletteShown,
};
pub(crate) use table::{
    Body, Extent, HeadCell, Mark, News, Rail, SeenCell, SeenRow, SeenRows, SortMark, TableHead,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    #[default]
    Auto,
    Light,
    Dark,
}

impl Theme {
    /// The value of `data-theme`; `None` follows the system.
    pub(crate) fn attribute(self) -> Option<&'static str> {
        match self {
            Self::Auto => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    pub(crate) fn word(self) -> &'static str {
        self.attribute().unwrap_or("auto")
    }

    pub(crate) fn parse(word: &str) -> Self {
        match word {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::Auto,
        }
    }

    pub(crate) fn next(self) -> Self {
        match self {
            Self::Auto => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Auto,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Head {
    pub(crate) resource: String,
    pub(crate) group_version: String,
    pub(crate) wide: bool,
    pub(crate) has_wide: bool,
    /// `5/9` while some are hidden.
    pub(crate) columns_shown: String,
    pub(crate) is_paused: bool,
    /// In which namespaces, and what else it asks for: on a board the only place that says so.
    pub(crate) place: String,
    pub(crate) query: String,
    /// For tests and styles: the word of the view's state, and its resourceVersion.
    pub(crate) state: String,
    pub(crate) resource_version: String,
}

/// What can be taken along.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Take {
    pub(crate) line: String,
    /// Of the command, and whether each is a flag.
    pub(crate) words: Vec<(String, bool)>,
    pub(crate) notes: Vec<String>,
    pub(crate) rows: String,
}

/// A piece of the filter's text, and how it is read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TextMark {
    pub(crate) text: String,
    pub(crate) class: &'static str,
}

/// What may be typed next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Suggestions {
    pub(crate) title: String,
    pub(crate) items: Vec<SuggestionItem>,
    pub(crate) foot: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SuggestionItem {
    pub(crate) text: String,
    pub(crate) note: String,
    /// The whole text with it, and the byte before which the caret then stands.
    pub(crate) whole: String,
    pub(crate) caret: usize,
}

/// The selectors of a view, and the one that is being written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Selectors {
    pub(crate) chips: Vec<Selector>,
    pub(crate) editing: Option<SelectorKind>,
    /// What stood in it when the writing began, and what was taken up since.
    pub(crate) text: String,
    pub(crate) error: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Selector {
    pub(crate) kind: SelectorKind,
    pub(crate) text: String,
    pub(crate) word: &'static str,
    /// Where it is evaluated.
    pub(crate) place: &'static str,
}

/// What there is to choose from, as long as the list is open.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ColumnList {
    pub(crate) entries: Vec<ColumnEntry>,
    /// Why what was written is no column.
    pub(crate) error: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ColumnEntry {
    pub(crate) key: String,
    pub(crate) title: String,
    pub(crate) note: String,
    pub(crate) is_own: bool,
    pub(crate) is_shown: bool,
    pub(crate) is_always: bool,
}

/// How a view stands among others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It has the page to itself.
    #[default]
    Alone,
    /// On a board: the one that keys concern.
    Active,
    /// On a board: another one has the reader.
    Aside,
    /// In other people's page: no key before it has the focus, nothing of our page around it.
    Guest,
}

impl Standing {
    pub(crate) fn is_on_board(self) -> bool {
        matches!(self, Self::Active | Self::Aside)
    }

    /// Keys of the page concern it.
    pub(crate) fn has_keys(self) -> bool {
        matches!(self, Self::Alone | Self::Active)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pill {
    pub(crate) class: &'static str,
    pub(crate) sign: Sign,
    pub(crate) word: String,
    /// With what separates it from the word.
    pub(crate) detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sign {
    /// How much of the ring is left, in hundredths; the dot stands for a proof.
    Ring {
        left: u32,
        has_dot: bool,
    },
    Icon(&'static str),
}

impl Default for Sign {
    fn default() -> Self {
        Self::Ring { left: 0, has_dot: false }
    }
}

/// "How do we know this is current?"
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ProofHops {
    pub(crate) title: String,
    /// What happened, since when, what next; empty while all is well.
    pub(crate) said: String,
    pub(crate) cluster: Hop,
    pub(crate) gateway: Hop,
    pub(crate) foot: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Hop {
    pub(crate) is_broken: bool,
    pub(crate) facts: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Notice {
    #[default]
    None,
    Tally(Vec<Tally>),
    Text(NoticeText),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tally {
    pub(crate) class: &'static str,
    pub(crate) glyph: &'static str,
    pub(crate) count: String,
    pub(crate) word: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NoticeText {
    pub(crate) class: &'static str,
    pub(crate) icon: &'static str,
    /// How far the first load is, in hundredths, where that is known.
    pub(crate) meter: Option<u32>,
    pub(crate) strong: String,
    pub(crate) text: String,
    pub(crate) action: Option<Offer>,
}

/// What a reader can do about it.
pub(crate) type Offer = page::notice::Action;

/// What stands where the rows would be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Blank {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) action: Option<BlankAction>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlankAction {
    Offer(Offer),
    LookEverywhere,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Strip {
    pub(crate) strong: String,
    pub(crate) rows: String,
    pub(crate) window: String,
    pub(crate) selected: String,
    /// Changes a second, the last of `spark`; `None` while the view isn't current.
    pub(crate) rate: Option<String>,
    pub(crate) quiet_since: String,
    /// A path on a grid of 92 by 14.
    pub(crate) spark: String,
    pub(crate) resource_version: String,
    pub(crate) received: String,
    pub(crate) per_second: String,
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, and NaN is 0")]
pub(super) fn to_whole_px(px: f64) -> u16 {
    px.round() as u16
}
