//! All that a reader can do in the panel of an object, and the keys for it.

use crate::detail::history::Filter;
use crate::location::Tab;
use shared::resource_version::ResourceVersion;

#[derive(Clone, Debug, PartialEq)]
pub enum PanelAction {
    /// Of the focused row, or of this one; the focus goes along where a key asked.
    Open {
        row: Option<String>,
        key: Option<PanelKey>,
    },
    Close,
    Key(PanelKey),
    Tab(Tab),
    Widen(f64),
    /// By the pointer: as wide as this.
    Width(f64),
    /// It was let go.
    KeepWidth,
    // Timeline
    Filter(Filter),
    Older,
    Pick(ResourceVersion),
    CompareLast,
    CloseComparison,
    // YAML
    Follow,
    Fold(String),
    FoldAll,
    Search(String),
    Found {
        forward: bool,
    },
    CopyYaml,
    YamlScrolled {
        top_px: f64,
    },
    YamlResized {
        height_px: f64,
        row_px: f64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelKey {
    Panel,
    Yaml,
    Timeline,
    Compare,
    Events,
    Owners,
}

/// How far a key moves the panel's edge.
const STEP_PX: f64 = 40.0;

impl PanelAction {
    /// A key of the rows: for the object of the focused one.
    pub fn of_row(name: &str) -> Option<Self> {
        Some(match name {
            "Enter" => Self::Open { row: None, key: Some(PanelKey::Panel) },
            _ => match PanelKey::of(name) {
                Some(key) => Self::Open { row: None, key: Some(key) },
                None => return Self::of_width(name),
            },
        })
    }

    /// A key of the panel itself.
    pub fn of_panel(name: &str) -> Option<Self> {
        match name {
            "Escape" => Some(Self::Close),
            _ => PanelKey::of(name).map(Self::Key).or_else(|| Self::of_width(name)),
        }
    }

    fn of_width(name: &str) -> Option<Self> {
        Some(match name {
            "[" => Self::Widen(STEP_PX),
            "]" => Self::Widen(-STEP_PX),
            _ => return None,
        })
    }
}

impl PanelKey {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "y" => Self::Yaml,
            "t" => Self::Timeline,
            "d" => Self::Compare,
            "e" => Self::Events,
            "o" => Self::Owners,
            _ => return None,
        })
    }
}
