//! The plain values that the signals hold: what `replica` said, cut to what a view shows.

use std::sync::Arc;

use leptos::prelude::ArcRwSignal;
use shared::resource::Resource;
use shared::scope::Namespaces;

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

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Login {
    pub(crate) title: &'static str,
    pub(crate) text: String,
    pub(crate) command: Option<&'static str>,
}

/// The message for the whole page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bar {
    pub(crate) strong: String,
    pub(crate) text: String,
    pub(crate) action: Option<Offer>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Health {
    pub(crate) text: String,
    pub(crate) glyph: &'static str,
    pub(crate) is_bad: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Navigation {
    pub(crate) groups: Vec<NavGroup>,
    pub(crate) kind_count: usize,
    pub(crate) foot: String,
    pub(crate) current: Option<Resource>,
    /// Rows of the open view, once they are whole.
    pub(crate) count: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NavGroup {
    pub(crate) title: String,
    pub(crate) is_api_group: bool,
    pub(crate) starts_open: bool,
    pub(crate) items: Vec<NavItem>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NavItem {
    pub(crate) resource: Resource,
    pub(crate) label: String,
    pub(crate) href: String,
    pub(crate) note: NavNote,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NavNote {
    None,
    Polled,
    /// With why.
    Shut(String),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NamespaceList {
    /// What the link says.
    pub(crate) chosen: Namespaces,
    pub(crate) names: Vec<String>,
    /// Why there are no names, or what these are.
    pub(crate) note: String,
    /// The open kind has no namespaces.
    pub(crate) is_cluster_scoped: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Head {
    pub(crate) resource: String,
    pub(crate) group_version: String,
    pub(crate) wide: bool,
    pub(crate) has_wide: bool,
    /// For tests and styles: the word of the view's state, and its resourceVersion.
    pub(crate) state: String,
    pub(crate) resource_version: String,
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
pub(crate) type Offer = replica::notice::Action;

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
pub(crate) struct TableHead {
    /// Grows when the mounted rows can't be kept: other columns, another view.
    pub(crate) generation: u32,
    pub(crate) label: String,
    pub(crate) columns: Vec<HeadCell>,
    /// Rows and the header; `None` while unknown.
    pub(crate) row_count: Option<usize>,
    /// Rows that stand where they no longer belong, because somebody reads.
    pub(crate) moved: usize,
    pub(crate) is_busy: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HeadCell {
    /// Its place among the sort's columns.
    pub(crate) index: usize,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) at_end: bool,
    pub(crate) sort: Option<SortMark>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SortMark {
    Ascending,
    Descending,
}

/// A row of the window: its signals live as long as it is mounted.
#[derive(Clone)]
pub(crate) struct MountedRow {
    pub(crate) key: (u32, String),
    pub(crate) place: ArcRwSignal<usize>,
    pub(crate) mark: ArcRwSignal<Mark>,
    pub(crate) has_focus: ArcRwSignal<bool>,
    pub(crate) is_reachable: ArcRwSignal<bool>,
    pub(crate) cells: Arc<[MountedCell]>,
}

#[derive(Clone)]
pub(crate) struct MountedCell {
    pub(crate) class: Arc<str>,
    pub(crate) body: ArcRwSignal<Body>,
    pub(crate) news: ArcRwSignal<News>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mark {
    #[default]
    None,
    Added,
    Modified,
    Deleted,
}

/// Whether a cell changed: it flashes once, then keeps a corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum News {
    #[default]
    Old,
    Flash,
    Seen,
}

/// A cell's text in the spans that its column wants; together they are what kubectl prints.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    Plain {
        text: String,
        class: &'static str,
    },
    Name {
        owner: String,
        middle: String,
        tail: String,
    },
    Status {
        class: &'static str,
        glyph: &'static str,
        text: String,
    },
    /// A count and how long ago it last rose.
    Count {
        text: String,
        ago: Option<String>,
    },
}

/// The rows' box, and where it is to be scrolled, once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Extent {
    pub(crate) height_px: f64,
    pub(crate) row_px: f64,
    pub(crate) scroll_to_px: Option<f64>,
}

/// Paths on a grid of 18 by 600.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rail {
    pub(crate) bad: String,
    pub(crate) new: String,
    pub(crate) here: (f64, f64),
    pub(crate) is_needed: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Strip {
    pub(crate) strong: String,
    pub(crate) rows: String,
    pub(crate) window: String,
    /// Changes a second, the last of `spark`; `None` while the view isn't current.
    pub(crate) rate: Option<String>,
    pub(crate) quiet_since: String,
    /// A path on a grid of 92 by 14.
    pub(crate) spark: String,
    pub(crate) resource_version: String,
    pub(crate) received: String,
    pub(crate) per_second: String,
}
