//! The actions of a reader. The views send them and know nothing of their effects.

use crate::export::Format;
use crate::log::Predicate;
use crate::notice;
use crate::page::login::Login;
use crate::status::RowHealth;
use shared::frame::timeline::EntryType;
use shared::resource::Resource;
use shared::scope::Namespaces;

pub use crate::panel::action::{PanelAction, PanelKey};
pub use crate::panel::comparison::ComparisonAction;
pub use crate::panel::timeline::TimelineAction;
pub use crate::panel::yaml::YamlAction;
use crate::theme::Theme;

/// Names a pane within its page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PaneId(pub(crate) u32);

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// In the active pane.
    OpenKind(Resource),
    /// Opens path and query of this page, such as a board of the configuration.
    OpenLink(String),
    SetNamespaces(Namespaces),
    LookEverywhere,
    /// The same view of the cluster that the gateway serves.
    OpenServed,
    /// The namespace picker opens or closes. While it is open, the list of namespaces is watched.
    PickNamespaces(bool),
    NextTheme,
    /// The host's page sets the theme of its elements.
    SetTheme(Theme),
    /// The reader isn't signed in: shows this in place of the views.
    ShowLogin(Login),
    /// Tries to reach the gateway or the cluster at once.
    TryNow,
    /// Removes the bar that names what of the link can't be read.
    DismissUnread,
    Reload,
    /// Puts a text on the clipboard.
    Copy(String),
    /// Copies the link of this page.
    CopyLink,
    /// Shows the log of the table, or the table again.
    ToggleLog,
    Palette(PaletteAction),
    /// The sheet of keys opens or closes.
    Help(bool),
    /// Gives the list of kinds the focus.
    Kinds,
    /// Pins this kind at the top of the navigation, or unpins it.
    Pin(Resource),
    /// Activates the pane at this place of the board.
    ActivateAt(usize),
    /// Adds a pane with the same view.
    Split,
    ClosePane,
    Activate(PaneId),
    In(PaneAction),
    /// In the panel of an object, or an action that opens it.
    Panel(PanelAction),
}

/// Actions in "Go to".
#[derive(Clone, Debug, PartialEq)]
pub enum PaletteAction {
    Open,
    Type(String),
    Move(isize),
    /// Chooses the hit of this number; `None`: the marked one.
    Choose(Option<usize>),
    Close,
}

impl From<PaletteAction> for Action {
    fn from(action: PaletteAction) -> Self {
        Self::Palette(action)
    }
}

/// Actions in one pane.
#[derive(Clone, Debug, PartialEq)]
pub enum PaneAction {
    Filter(String),
    /// Shows suggestions for this text with the caret before this byte. `None`: closes their list.
    Complete(Option<(String, usize)>),
    /// Clears the filter, and gives the rows the focus.
    LeaveFilter,
    Sort(usize),
    /// Shows the rows of this health alone, or all again.
    ToggleHealth(RowHealth),
    /// Rows in trouble first, or back to the server's order.
    ToggleTroubleFirst,
    ToggleWide,
    DismissGap,
    Scrolled {
        top_px: f64,
    },
    /// The size of the table's box, and the height of one row in the style sheet.
    Resized {
        width_px: f64,
        height_px: f64,
        row_px: f64,
        font: FontSize,
    },
    Focused(String),
    /// The focus left the rows.
    Blurred,
    /// The pointer is over the rows, or left them.
    Reading(bool),
    /// Moves the rows that wait to their places now.
    Settle,
    Minimap(MinimapAction),
    /// Selects a row, or removes it from the selection; with `range` selects all rows from the last one to it.
    Select {
        row: String,
        range: bool,
    },
    /// Copies the name of this row. `None`: the selected rows with tabs between their cells, or the focused row's name.
    Copy(Option<String>),
    TogglePause,
    /// Gives the rows the focus.
    ToRows,
    /// The popover with the kubectl command opens or closes.
    ShowExport(bool),
    Export(Format),
    Columns(ColumnsAction),
    Selector(SelectorAction),
    Key(Key),
    Log(LogAction),
}

/// Actions in the minimap. A place in it is a part of its height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MinimapAction {
    /// `is_on_bars`: in the lane of the rows in trouble.
    Press {
        at: f64,
        is_on_bars: bool,
    },
    Drag(f64),
    Release,
    /// The pointer is there, and nothing is pressed.
    Point(f64),
    Leave,
}

/// Actions in an event log.
#[derive(Clone, Debug, PartialEq)]
pub enum LogAction {
    Filter(String),
    Toggle(EntryType),
    /// Gives the entry of this number the focus.
    Focus(u64),
    /// Moves the focus by so many entries.
    Step(isize),
    /// Shows all fields of the entry that has the focus, or the first one again.
    Unfold,
    Predicate(Option<Predicate>),
    Clear,
    Scrolled {
        top_px: f64,
        height_px: f64,
    },
    Resized {
        height_px: f64,
    },
    /// Scrolls to new entries from now on.
    Follow,
    /// Downloads a file of JSON lines.
    Save,
}

impl From<LogAction> for Action {
    fn from(action: LogAction) -> Self {
        Self::In(PaneAction::Log(action))
    }
}

/// Actions for the columns. Each column is named by its key.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnsAction {
    /// The list of columns opens or closes.
    Open(bool),
    Toggle(String),
    Move {
        key: String,
        by: isize,
    },
    /// Moves a column to the place of another one.
    Place {
        key: String,
        at: String,
    },
    /// `NAME:PATH`
    Add(String),
    Forget(String),
    Reset,
    /// `column`: its place among the shown ones. `None`: as wide as its cells.
    Width {
        column: usize,
        px: Option<f64>,
    },
}

/// Actions for the selectors.
#[derive(Clone, Debug, PartialEq)]
pub enum SelectorAction {
    Edit(SelectorKind),
    Cancel,
    /// The text so far, with the caret before this byte.
    Typed(String, usize),
    /// An empty text removes the selector.
    Apply(String),
    Remove(SelectorKind),
}

/// The gateway evaluates label selectors, the API server evaluates field selectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorKind {
    Labels,
    Fields,
}

impl Action {
    /// Whether the action changes nothing on the screen before the next animation frame: a scroll position, a size,
    /// or the place of the pointer or the focus. These arrive many times a second.
    pub fn waits_for_frame(&self) -> bool {
        use PaneAction::{Blurred, Focused, Log, Minimap, Reading, Resized, Scrolled};
        match self {
            Self::In(Scrolled { .. } | Resized { .. } | Focused(_) | Blurred | Reading(_) | Minimap(_)) => {
                true
            }
            Self::In(Log(LogAction::Scrolled { .. } | LogAction::Resized { .. })) => true,
            Self::Panel(PanelAction::Yaml(action)) => {
                matches!(action, YamlAction::Scrolled { .. } | YamlAction::Resized { .. })
            }
            _ => false,
        }
    }
}

impl From<PaneAction> for Action {
    fn from(action: PaneAction) -> Self {
        Self::In(action)
    }
}

impl From<PanelAction> for Action {
    fn from(action: PanelAction) -> Self {
        Self::Panel(action)
    }
}

impl From<TimelineAction> for Action {
    fn from(action: TimelineAction) -> Self {
        Self::Panel(PanelAction::Timeline(action))
    }
}

impl From<ComparisonAction> for Action {
    fn from(action: ComparisonAction) -> Self {
        Self::Panel(PanelAction::Comparison(action))
    }
}

impl From<YamlAction> for Action {
    fn from(action: YamlAction) -> Self {
        Self::Panel(PanelAction::Yaml(action))
    }
}

impl From<notice::Action> for Action {
    fn from(offer: notice::Action) -> Self {
        match offer {
            notice::Action::TryNow => Self::TryNow,
            notice::Action::Reload => Self::Reload,
            notice::Action::LookEverywhere => Self::LookEverywhere,
            notice::Action::OpenServed => Self::OpenServed,
            notice::Action::DismissGap => Self::In(PaneAction::DismissGap),
            notice::Action::Resume => Self::In(PaneAction::TogglePause),
            notice::Action::ClearFilter => Self::In(PaneAction::Filter(String::new())),
        }
    }
}

/// The width of a character, in identifiers and in words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FontSize {
    pub mono_px: f64,
    pub text_px: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Down,
    Up,
    PageDown,
    PageUp,
    Home,
    End,
    NextInTrouble,
    PreviousInTrouble,
    NextCell,
    PreviousCell,
    SortByCell,
    Select,
    SelectRange,
    Copy,
    Pause,
    Export,
    Columns,
    Wide,
    Settle,
    /// One step back: the selection, then the filter.
    Back,
}

/// The action of a key that the table itself doesn't use, while the table has the focus.
pub fn of_page(name: &str) -> Option<Action> {
    Some(match name {
        "L" => Action::CopyLink,
        "b" => Action::Split,
        "l" => Action::ToggleLog,
        "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" => {
            Action::ActivateAt(name.parse::<usize>().ok()?.checked_sub(1)?)
        }
        _ => return PanelAction::of_row(name).map(Action::Panel),
    })
}

impl Key {
    /// Whether it moves the focus to another row.
    pub fn moves_rows(self) -> bool {
        use Key::{Down, End, Home, NextInTrouble, PageDown, PageUp, PreviousInTrouble, Up};
        matches!(self, Down | Up | PageDown | PageUp | Home | End | NextInTrouble | PreviousInTrouble)
    }

    /// The keys of a table that has the focus; `None` for the others.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "j" | "ArrowDown" => Self::Down,
            "k" | "ArrowUp" => Self::Up,
            "PageDown" => Self::PageDown,
            "PageUp" => Self::PageUp,
            "Home" => Self::Home,
            "End" | "G" => Self::End,
            "n" => Self::NextInTrouble,
            "N" => Self::PreviousInTrouble,
            "ArrowRight" => Self::NextCell,
            "ArrowLeft" => Self::PreviousCell,
            "s" => Self::SortByCell,
            "x" => Self::Select,
            "X" => Self::SelectRange,
            "C" => Self::Copy,
            " " => Self::Pause,
            "K" => Self::Export,
            "c" => Self::Columns,
            "Escape" => Self::Back,
            "w" => Self::Wide,
            "r" => Self::Settle,
            _ => return None,
        })
    }
}
