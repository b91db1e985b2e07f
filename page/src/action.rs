//! The actions of a reader. The views send them and know nothing of their effects.

use crate::clipboard::{Clip, LinkButton};
use crate::export::Format;
use crate::log::Predicate;
use crate::login::Login;
use crate::notice;
use crate::page::layout::Side;
use crate::past::Span;
use crate::status::RowHealth;
use crate::tell::{About, Draft};
use crate::theme::{Density, Theme, WideColumns};
use shared::frame::timeline::EntryType;
use shared::resource::Resource;
use shared::scope::Namespaces;
use shared::state::UnixMillis;

mod key;
mod tabs;

pub use crate::font::FontSize;
pub use crate::panel::action::{PanelAction, PanelKey};
pub use crate::tab::timeline::TimelineAction;
pub use crate::tab::timeline::comparison::ComparisonAction;
pub use crate::tab::yaml::YamlAction;
pub use key::Key;

/// Names a pane within its page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PaneId(pub(crate) u32);

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// In the active pane.
    OpenKind(Resource),
    /// Opens path and query of this page, such as a board of the configuration.
    OpenLink(String),
    /// Opens the object of a link in the panel, by path and query.
    FollowLink(String),
    SetNamespaces(Namespaces),
    LookEverywhere,
    /// The same view of the cluster that the gateway serves.
    OpenServed,
    Namespaces(PickerAction),
    Clusters(PickerAction),
    NextTheme,
    SetDensity(Density),
    /// The host's page sets the theme of an element.
    SetTheme(Theme),
    /// The reader isn't signed in: shows this in place of the views.
    ShowLogin(Login),
    /// With this token.
    SignIn(String),
    SignInAgain,
    SignOut,
    /// Leaves the login page for the views behind it.
    ReturnToViews,
    /// The popover "Who am I?" opens or closes.
    Who(bool),
    /// "What may I see?" opens or closes.
    Rights(bool),
    /// Tries to reach the gateway or the cluster at once.
    TryNow,
    /// Removes the bar that names what of the link can't be read, or that the board is full.
    DismissBar,
    /// Asks for the pieces of the program that couldn't be fetched, now.
    FetchAgain,
    Reload,
    /// Puts it on the clipboard.
    Copy(Clip),
    /// Shows the log of the table, or the table again.
    ToggleLog,
    Palette(PaletteAction),
    /// The sheet of keys opens or closes.
    Help(bool),
    /// A key closed what was open over the page: the panel or the rows have the focus as before.
    ReturnFocus,
    /// A letter that is no key here.
    NoKey(String),
    /// Gives the list of kinds the focus.
    Kinds,
    /// Opens the deployments that change.
    Rollouts,
    /// Opens the list of what is wrong, in the cluster of the active pane.
    WhatIsWrong,
    /// In the list of what is wrong.
    Wrong(WrongAction),
    /// In "tell me when".
    Tell(TellAction),
    /// Pins this kind at the top of the navigation, or unpins it.
    Pin(Resource),
    /// Activates the pane at this place of the board.
    ActivateAt(usize),
    /// Asks what to show in a new pane.
    Split,
    ClosePane,
    /// Moves the pane among the others.
    MovePane(isize),
    /// Moves the pane to the place of another one.
    PlacePane(PaneId),
    /// Moves an edge of the pane, in 24ths.
    ResizePane(Side, i8),
    /// Gives the pane this part of the board's width or height.
    SizePane(Side, f64),
    /// Earlier times, and the way back.
    Past(PastAction),
    /// Pauses all panes, or resumes those that are paused.
    PauseAll,
    /// The title of the board.
    SetTitle(String),
    Activate(PaneId),
    In(PaneAction),
    /// In the panel of an object, or an action that opens it.
    Panel(PanelAction),
}

/// Actions in the picker of namespaces or of clusters.
#[derive(Clone, Debug, PartialEq)]
pub enum PickerAction {
    Open,
    Close,
    Type(String),
    Move(isize),
    /// Chooses the option of this number, or takes it back. `None`: the active one; without one the picker closes.
    Choose(Option<usize>),
}

/// Actions in "Go to".
#[derive(Clone, Debug, PartialEq)]
pub enum PaletteAction {
    Open,
    Type(String),
    Move(isize),
    /// Chooses the hit of this number; `None`: the marked one.
    Choose(Option<usize>),
    /// The same, in a new pane where the hit is a view: the active one stays.
    ChooseBeside(Option<usize>),
    Close,
}

impl From<PaletteAction> for Action {
    fn from(action: PaletteAction) -> Self {
        Self::Palette(action)
    }
}

/// Actions in the bar of the past, which holds for all panes.
#[derive(Clone, Debug, PartialEq)]
pub enum PastAction {
    /// Opens the bar; in the past, leads back to the present.
    Toggle,
    Live,
    /// To the next change or to the one before.
    Step(i8),
    /// So many tenths of the slider's span.
    Page(i8),
    /// To the beginning of the span.
    Start,
    /// This time by the gateway's clock.
    GoTo(UnixMillis),
    /// As the reader typed it: `14:02`, `2h ago`.
    Type(String),
    /// The slider is dragged to this part of its width.
    Drag(f64),
    /// The slider is let go.
    Drop,
    Span(Span),
    /// Compares with now, or ends a comparison.
    Compare,
    /// With what is now since: what is compared stands still.
    CompareAgain,
    /// With a time as the reader typed it.
    CompareWith(String),
    /// Opens or closes the search for a word in the record.
    Find,
    /// Searches for this word.
    FindWord(String),
}

impl From<PastAction> for Action {
    fn from(action: PastAction) -> Self {
        Self::Past(action)
    }
}

/// Actions in "tell me when".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TellAction {
    /// About the open object, the focused row, or the active view.
    Open,
    /// About the object of a line.
    About(About),
    Close,
    Write(Draft),
    Ask,
    /// The question of this number.
    Remove(u32),
    /// The reader wants notifications.
    Allow,
}

impl TellAction {
    pub(crate) fn opens(&self) -> bool {
        matches!(self, Self::Open | Self::About(_))
    }
}

impl From<TellAction> for Action {
    fn from(action: TellAction) -> Self {
        Self::Tell(action)
    }
}

/// Actions in the list of what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrongAction {
    /// Opens or folds the story of this key.
    Fold(String),
    /// Shows the objects of this health alone, or all again.
    Only(RowHealth),
    /// The largest first, the newest or the oldest.
    Turn,
}

impl From<WrongAction> for Action {
    fn from(action: WrongAction) -> Self {
        Self::Wrong(action)
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
    /// Which of the server's wide columns are shown.
    Wide(WideColumns),
    DismissGap,
    DismissWithdrawn,
    Scrolled {
        top_px: f64,
    },
    /// The size of the table's box, and the height of one row in the style sheet.
    Resized {
        width_px: f64,
        height_px: f64,
        row_px: f64,
        /// `None`: as before.
        font: Option<FontSize>,
    },
    /// The page is being printed, or was: all rows are in the document, up to a bound.
    Printing(bool),
    Focused(String),
    /// The focus left the rows.
    Blurred,
    /// The pointer moved within the rows, over this one if there is one. Sent at most twice a second for a row.
    PointerMoved {
        row: Option<String>,
    },
    /// The pointer left the rows.
    PointerLeft,
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
    /// Copies what an export would write, with tabs between the cells.
    CopyRows,
    TogglePause,
    /// Gives the rows the focus.
    ToRows,
    /// The export menu opens or closes.
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
    /// Moves it by so many times the entries that are seen at once.
    Page(isize),
    /// Moves it to the oldest entry.
    First,
    /// Shows more fields of the entry that has the focus.
    Unfold,
    Fold,
    Predicate(Option<Predicate>),
    Clear,
    Scrolled {
        top_px: f64,
        height_px: f64,
    },
    Resized {
        width_px: f64,
        height_px: f64,
    },
    /// Moves the focus to the newest entry, and scrolls to new ones from now on.
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
    /// The text with what was chosen from the list, and the caret before this byte. A value is the end of a selector, so
    /// it is applied.
    Taken(String, usize),
    /// An empty text removes the selector.
    Apply(String),
    /// The reader went elsewhere: the text is applied, but for one that was there before.
    Left(String),
    Remove(SelectorKind),
}

/// The gateway evaluates label selectors, the API server evaluates field selectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorKind {
    Labels,
    Fields,
}

impl Action {
    /// Whether the action opens a box that takes the focus.
    pub(crate) fn opens_box(&self) -> bool {
        matches!(
            self,
            Self::Clusters(PickerAction::Open)
                | Self::Namespaces(PickerAction::Open)
                | Self::Help(true)
                | Self::Split
                | Self::In(
                    PaneAction::ShowExport(true)
                        | PaneAction::Columns(ColumnsAction::Open(true))
                        | PaneAction::Selector(SelectorAction::Edit(_))
                )
        )
    }

    /// Whether the action changes nothing on the screen before the next animation frame: a scroll position, a size,
    /// or the place of the pointer or the focus. These arrive many times a second.
    pub fn waits_for_frame(&self) -> bool {
        use PaneAction::{Blurred, Focused, Log, Minimap, PointerLeft, PointerMoved, Resized, Scrolled};
        match self {
            Self::In(Scrolled { .. } | Resized { .. } | Focused(_) | Blurred | Minimap(_)) => true,
            Self::In(PointerMoved { .. } | PointerLeft) => true,
            Self::In(Log(LogAction::Scrolled { .. } | LogAction::Resized { .. })) => true,
            Self::Past(PastAction::Drag(_)) => true,
            Self::Panel(PanelAction::In(action)) => action.waits_for_frame(),
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

impl From<ComparisonAction> for Action {
    fn from(action: ComparisonAction) -> Self {
        TimelineAction::Compare(action).into()
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
            notice::Action::DismissWithdrawn => Self::In(PaneAction::DismissWithdrawn),
            notice::Action::Resume => Self::In(PaneAction::TogglePause),
            notice::Action::ShowChanges => Self::ToggleLog,
            notice::Action::OnlyMeanwhile | notice::Action::AllRows => {
                Self::In(PaneAction::Key(Key::Meanwhile))
            }
            notice::Action::BackToLive => Self::Past(PastAction::Live),
            notice::Action::GoTo(gateway_ms) => Self::Past(PastAction::GoTo(gateway_ms)),
            notice::Action::ClearFilter => Self::In(PaneAction::LeaveFilter),
        }
    }
}

/// Two letters of which the first is `g`, as in `g k`: whether the last key was the first of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TwoLetters {
    is_begun: bool,
}

impl TwoLetters {
    /// The next key is the second letter.
    pub fn is_begun(self) -> bool {
        self.is_begun
    }

    /// The action of a key, which may be the second letter. `of` knows the keys of one letter.
    pub fn action(&mut self, name: &str, of: impl FnOnce(&str) -> Option<Action>) -> Option<Action> {
        match (std::mem::take(&mut self.is_begun), name) {
            (true, "g") => of("Home"),
            (true, "k") => Some(Action::Kinds),
            (true, "n") => Some(Action::Namespaces(PickerAction::Open)),
            (true, "c") => Some(Action::Clusters(PickerAction::Open)),
            (true, "r") => Some(Action::Rollouts),
            (true, "l") => Some(PaneAction::Selector(SelectorAction::Edit(SelectorKind::Labels)).into()),
            (_, "g") => {
                self.is_begun = true;
                None
            }
            _ => of(name),
        }
    }
}

/// The action of a key while the rows, or the lines of the log, have the focus. Where nothing has it, because what had it
/// is gone, the keys are the active view's as well.
pub fn of_rows(name: &str, is_log: bool) -> Option<Action> {
    let own = if is_log { of_log(name) } else { Key::of(name).map(|key| PaneAction::Key(key).into()) };
    own.or_else(|| of_page(name))
}

fn of_log(name: &str) -> Option<Action> {
    Some(match name {
        "End" | "G" => LogAction::Follow.into(),
        "Home" => LogAction::First.into(),
        "PageDown" => LogAction::Page(1).into(),
        "PageUp" => LogAction::Page(-1).into(),
        "ArrowDown" | "j" => LogAction::Step(1).into(),
        "ArrowUp" | "k" => LogAction::Step(-1).into(),
        "ArrowRight" => LogAction::Unfold.into(),
        "ArrowLeft" => LogAction::Fold.into(),
        "Enter" => PanelAction::Open { row: None, key: None }.into(),
        "Escape" => PaneAction::Key(Key::Back).into(),
        " " => PaneAction::TogglePause.into(),
        "K" => PaneAction::Key(Key::Export).into(),
        _ => return None,
    })
}

/// The action of a key that the table itself doesn't use, while the table has the focus.
fn of_page(name: &str) -> Option<Action> {
    of_view(name).or_else(|| PanelAction::of_row(name).map(Action::Panel))
}

/// The action of a key while the comparison of two times has the focus.
pub fn of_comparison(name: &str) -> Option<Action> {
    match name {
        "Escape" => Some(PastAction::Compare.into()),
        "r" => Some(PastAction::CompareAgain.into()),
        _ => of_view(name),
    }
}

/// The action of a key while the list of what is wrong has the focus.
pub fn of_wrong(name: &str) -> Option<Action> {
    match name {
        "Escape" => Some(PanelAction::Back.into()),
        _ => of_view(name),
    }
}

/// The action of a key while the changes until a time of the past have the focus.
pub fn of_changes(name: &str) -> Option<Action> {
    if name == "Escape" { Some(Action::ToggleLog) } else { of_view(name) }
}

/// The action of a key while the panel has the focus: what the panel itself doesn't use is for the view beside it.
pub fn of_panel(name: &str) -> Option<Action> {
    match name {
        "L" => Some(Action::Copy(Clip::Link(LinkButton::Panel))),
        _ => PanelAction::of_panel(name).map(Action::Panel).or_else(|| of_view(name)),
    }
}

fn of_view(name: &str) -> Option<Action> {
    Some(match name {
        "L" => Action::Copy(Clip::Link(LinkButton::Page)),
        "b" => Action::Split,
        "B" => Action::ClosePane,
        "m" => Action::MovePane(1),
        "M" => Action::MovePane(-1),
        ">" => Action::ResizePane(Side::Width, 1),
        "<" => Action::ResizePane(Side::Width, -1),
        "+" => Action::ResizePane(Side::Height, 1),
        "-" => Action::ResizePane(Side::Height, -1),
        "l" => Action::ToggleLog,
        "0" => Action::WhatIsWrong,
        "!" => TellAction::Open.into(),
        "K" => PaneAction::Key(Key::Export).into(),
        "h" => PastAction::Toggle.into(),
        "f" => PastAction::Find.into(),
        "v" => PastAction::Compare.into(),
        "," => PastAction::Step(-1).into(),
        "." => PastAction::Step(1).into(),
        "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" => {
            Action::ActivateAt(name.parse::<usize>().ok()?.checked_sub(1)?)
        }
        _ => return None,
    })
}
