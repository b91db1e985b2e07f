//! All that a reader can do. The views send these and know nothing of what follows.

use crate::export::Format;
use crate::log::Predicate;
use crate::notice;
use crate::page::login::Login;
use shared::frame::timeline::EntryType;
use shared::resource::Resource;
use shared::scope::Namespaces;

pub use crate::panel::action::{PanelAction, PanelKey};
pub use crate::panel::comparison::ComparisonAction;
pub use crate::panel::timeline::TimelineAction;
pub use crate::panel::yaml::YamlAction;
use crate::theme::Theme;

/// A pane's name within its page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PaneId(pub(crate) u32);

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// In the active pane.
    OpenKind(Resource),
    /// A link of this page: a team's board.
    OpenLink(String),
    SetNamespaces(Namespaces),
    LookEverywhere,
    /// The picker opens: the list of namespaces is watched while it is.
    PickNamespaces(bool),
    NextTheme,
    /// The page around an element says how it looks.
    SetTheme(Theme),
    /// The reader isn't signed in: this stands in place of the views.
    ShowLogin(Login),
    /// Ask the gateway or the cluster now, without waiting for the next try.
    TryNow,
    /// The reader saw that a part of the link couldn't be read.
    DismissUnread,
    Reload,
    Copy(String),
    /// The link of what the page shows.
    CopyLink,
    /// The table's log, or back.
    ToggleLog,
    Palette(PaletteAction),
    /// The sheet of keys.
    Help(bool),
    /// To the list of kinds.
    Kinds,
    /// The navigation shows this kind at its top, or no longer.
    Pin(Resource),
    /// The pane of this place on a board.
    ActivateAt(usize),
    /// One more pane beside this one, with the same view.
    Split,
    ClosePane,
    Activate(PaneId),
    In(PaneAction),
    /// In the panel of an object, or one that opens it.
    Panel(PanelAction),
}

/// What a reader does in "Go to".
#[derive(Clone, Debug, PartialEq)]
pub enum PaletteAction {
    Open,
    Type(String),
    Move(isize),
    /// The hit of this number, else the one that is marked.
    Choose(Option<usize>),
    Close,
}

impl From<PaletteAction> for Action {
    fn from(action: PaletteAction) -> Self {
        Self::Palette(action)
    }
}

/// All that a reader can do in one table.
#[derive(Clone, Debug, PartialEq)]
pub enum PaneAction {
    Filter(String),
    /// The reader wants to see what may be typed next, in this text with the caret before this byte. `None`:
    /// no longer.
    Complete(Option<(String, usize)>),
    /// From the filter box back to the rows.
    LeaveFilter,
    Sort(usize),
    ToggleWide,
    DismissGap,
    Scrolled {
        top_px: f64,
    },
    /// The table's box, and the height of one row as the style sheet has it.
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
    /// Put the rows that moved in order now.
    Settle,
    /// Chooses a row, or gives it up; with `range` all from the last one to it.
    Select {
        row: String,
        range: bool,
    },
    TogglePause,
    /// The focus goes back to the rows.
    ToRows,
    /// The popover with the kubectl command opens or closes.
    ShowExport(bool),
    Export(Format),
    Columns(ColumnsAction),
    Selector(SelectorAction),
    Key(Key),
    Log(LogAction),
}

/// All that a reader can do in an event log.
#[derive(Clone, Debug, PartialEq)]
pub enum LogAction {
    Filter(String),
    Toggle(EntryType),
    Predicate(Option<Predicate>),
    Clear,
    Scrolled {
        top_px: f64,
        height_px: f64,
    },
    Resized {
        height_px: f64,
    },
    /// The newest is to be seen, and what comes after it.
    Follow,
    /// As a file of JSON lines.
    Save,
}

impl From<LogAction> for Action {
    fn from(action: LogAction) -> Self {
        Self::In(PaneAction::Log(action))
    }
}

/// All that a reader can do to the columns; each is named by its key.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnsAction {
    /// The list opens or closes.
    Open(bool),
    Toggle(String),
    Move {
        key: String,
        by: isize,
    },
    /// To where another one stands.
    Place {
        key: String,
        at: String,
    },
    /// `NAME:PATH`
    Add(String),
    Forget(String),
    Reset,
    /// By its number among those that are shown; `None`: as wide as its cells.
    Width {
        column: usize,
        px: Option<f64>,
    },
}

/// All that a reader can do to the selectors.
#[derive(Clone, Debug, PartialEq)]
pub enum SelectorAction {
    Edit(SelectorKind),
    Cancel,
    /// So far, with the caret before this byte.
    Typed(String, usize),
    /// Empty: it is removed.
    Apply(String),
    Remove(SelectorKind),
}

/// The gateway evaluates labels, the API server evaluates fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorKind {
    Labels,
    Fields,
}

impl Action {
    /// Whether the action changes nothing on the screen before the next animation frame: a scroll position, a size,
    /// or the place of the pointer or the focus. These arrive many times a second.
    pub fn waits_for_frame(&self) -> bool {
        use PaneAction::{Blurred, Focused, Log, Reading, Resized, Scrolled};
        match self {
            Self::In(Scrolled { .. } | Resized { .. } | Focused(_) | Blurred | Reading(_)) => true,
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
            notice::Action::DismissGap => Self::In(PaneAction::DismissGap),
            notice::Action::Resume => Self::In(PaneAction::TogglePause),
            notice::Action::ClearFilter => Self::In(PaneAction::Filter(String::new())),
        }
    }
}

/// How wide a character is, of identifiers and of words.
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
    Pause,
    Export,
    Columns,
    Wide,
    Settle,
    /// One step back: the selection, then the filter.
    Back,
}

/// A key of a table that has the focus, for the page around it.
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
