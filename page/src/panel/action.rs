//! The actions in the panel, and their keys.

use super::tabs::TabAction;
use crate::location::Tab;
use crate::tab::overview::OverviewPart;

#[derive(Clone, Debug, PartialEq)]
pub enum PanelAction {
    /// Opens the panel of this row or of the focused one. The focus moves to the panel if a key opened it.
    Open {
        row: Option<String>,
        key: Option<PanelKey>,
    },
    Close,
    /// Closes the open part of a tab, such as the comparison, or else the panel.
    Back,
    /// Shows the object of another row of the table.
    Walk(isize),
    Key(PanelKey),
    Tab(Tab),
    /// The browser's focus came into the panel, or left it.
    HasFocus(bool),
    /// What was wrong before was read.
    DismissBefore,
    Widen(f64),
    /// Sets the width, by the pointer.
    Width(f64),
    /// The pointer released the edge: stores the width.
    KeepWidth,
    /// In one of the tabs.
    In(TabAction),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelKey {
    Open,
    Tab(Tab),
    Compare,
    Events,
    Owners,
}

/// How far a key moves the panel's edge.
const STEP_PX: f64 = 40.0;

impl PanelAction {
    /// A key in the rows, for the focused row's object.
    pub fn of_row(name: &str) -> Option<Self> {
        let key = if name == "Enter" { Some(PanelKey::Open) } else { PanelKey::of(name) };
        key.map(|key| Self::Open { row: None, key: Some(key) }).or_else(|| Self::of_width(name))
    }

    /// A key in the panel.
    pub fn of_panel(name: &str) -> Option<Self> {
        match name {
            "Escape" => Some(Self::Back),
            "j" | "ArrowDown" => Some(Self::Walk(1)),
            "k" | "ArrowUp" => Some(Self::Walk(-1)),
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
            "d" => Self::Compare,
            "e" => Self::Events,
            "o" => Self::Owners,
            _ => return Tab::of_key(name).map(Self::Tab),
        })
    }

    /// The part of the overview that it scrolls to.
    pub(super) fn part(self) -> Option<OverviewPart> {
        match self {
            Self::Events => Some(OverviewPart::Events),
            Self::Owners => Some(OverviewPart::OwnerTree),
            Self::Open | Self::Tab(_) | Self::Compare => None,
        }
    }

    /// The tab that it shows.
    pub(crate) fn tab(self) -> Tab {
        match self {
            Self::Open | Self::Events | Self::Owners => Tab::Overview,
            Self::Tab(tab) => tab,
            Self::Compare => Tab::Timeline,
        }
    }
}
