//! All that a reader can do. The views send these and know nothing of what follows.

use page::export::Format;
use page::log::Predicate;
use page::notice;
use shared::frame::timeline::EntryType;
use shared::resource::Resource;
use shared::scope::Namespaces;

use super::detail::action::DetailAction;
use super::pane::PaneId;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// In the active pane.
    OpenKind(Resource),
    /// A link of this page: a team's board.
    OpenLink(String),
    SetNamespaces(Namespaces),
    LookEverywhere,
    /// The picker opens: the list of namespaces is watched while it is.
    PickNamespaces(bool),
    NextTheme,
    /// Ask the gateway or the cluster now, without waiting for the next try.
    TryNow,
    /// Part of the link couldn't be read, and that was seen.
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
    Beside,
    ClosePane,
    Activate(PaneId),
    In(PaneAction),
    /// In the panel of an object, or one that opens it.
    Detail(DetailAction),
}

/// What somebody does who looks for something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PaletteAction {
    Open,
    Type(String),
    Move(isize),
    /// The one of this number, else the one that is marked.
    Choose(Option<usize>),
    Close,
}

impl From<PaletteAction> for Action {
    fn from(action: PaletteAction) -> Self {
        Self::Palette(action)
    }
}

/// What concerns one table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PaneAction {
    Filter(String),
    /// What may be typed next is wanted, of this text with the caret before this byte; or not any more.
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
    Take(bool),
    Export(Format),
    Columns(ColumnsAction),
    Selector(SelectorAction),
    Key(Key),
    Log(LogAction),
}

/// What concerns an event log.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LogAction {
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

/// What is done to the columns; each by its key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ColumnsAction {
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

/// What is done to the selectors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SelectorAction {
    Edit(SelectorKind),
    Cancel,
    /// So far, with the caret before this byte.
    Typed(String, usize),
    /// Empty: it is removed.
    Apply(String),
    Remove(SelectorKind),
}

/// Who evaluates it differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SelectorKind {
    Labels,
    Fields,
}

impl From<PaneAction> for Action {
    fn from(action: PaneAction) -> Self {
        Self::In(action)
    }
}

impl From<DetailAction> for Action {
    fn from(action: DetailAction) -> Self {
        Self::Detail(action)
    }
}

impl From<notice::Action> for Action {
    fn from(offer: notice::Action) -> Self {
        match offer {
            notice::Action::TryNow => Self::TryNow,
            notice::Action::Reload => Self::Reload,
            notice::Action::DismissGap => Self::In(PaneAction::DismissGap),
            notice::Action::Resume => Self::In(PaneAction::TogglePause),
            notice::Action::ClearFilter => Self::In(PaneAction::Filter(String::new())),
        }
    }
}

/// How wide a character is, of identifiers and of words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FontSize {
    pub(crate) mono_px: f64,
    pub(crate) text_px: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
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
    Take,
    Columns,
    Wide,
    Settle,
    /// One step back: the selection, then the filter.
    Back,
}

/// A key of a table that has the focus, for the page around it.
pub(crate) fn of_page(name: &str) -> Option<Action> {
    Some(match name {
        "L" => Action::CopyLink,
        "b" => Action::Beside,
        "l" => Action::ToggleLog,
        "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" => {
            Action::ActivateAt(name.parse::<usize>().ok()?.checked_sub(1)?)
        }
        _ => return DetailAction::of_row(name).map(Action::Detail),
    })
}

impl Key {
    /// The keys of a table that has the focus; `None` for those that aren't ours.
    pub(crate) fn of(name: &str) -> Option<Self> {
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
            "K" => Self::Take,
            "c" => Self::Columns,
            "Escape" => Self::Back,
            "w" => Self::Wide,
            "r" => Self::Settle,
            _ => return None,
        })
    }
}
