//! What is on the screen, as plain values: [`PageModel`] around the panes, a [`PaneModel`] for each of them,
//! and the [`PanelModel`]. Never how it looks.

mod log;
mod table;

use std::sync::Arc;

use crate::action::SelectorKind;
use crate::log::Predicate;
use crate::status::Class;

pub use crate::column_settings::Source;
pub use crate::notice::{Action as NoticeAction, Kind as NoticeKind};
pub use crate::page::bar::Bar;
pub use crate::page::health::Health;
pub use crate::page::login::Login;
pub use crate::page::namespaces::NamespaceList;
pub use crate::page::navigation::{NavGroup, NavItem, NavNote, Navigation};
pub use crate::page::palette::PaletteShown;
pub use crate::panel::PanelModel;
pub use crate::panel::comparison::{ComparisonModel, Picks};
pub use crate::panel::head::{PanelHead, PanelNote, PanelNoteKind, TopFact};
pub use crate::panel::overview::{LinkedFact, OverviewModel, OverviewPart};
pub use crate::panel::related::{EventsModel, TreeNote, TreeRow};
pub use crate::panel::status_history::{Segment, SegmentKind, StatusHistoryModel};
pub use crate::panel::timeline::TimelineModel;
pub use crate::panel::yaml::{Found, YamlModel, YamlRow, YamlTools};
pub use crate::pill::{Pill, PillState};
pub use crate::theme::Theme;
pub use log::{LogBody, LogExtent, LogLine, LogToggle};
pub use shared::frame::timeline::EntryType;
pub use table::{
    Body, Extent, HeadCell, Mark, Minimap, News, SeenCell, SeenColumn, SeenRow, SeenRows, SortMark,
    TableHead, TextLook,
};

/// The page around the panes.
#[derive(Clone, Debug, Default)]
pub struct PageModel {
    pub pane_count: usize,
    /// Something stands in the way of every view: the login page is shown instead.
    pub login: Option<Login>,
    pub cluster: String,
    pub user: String,
    pub bar: Option<Bar>,
    pub health: Health,
    pub navigation: Arc<Navigation>,
    pub namespaces: Arc<NamespaceList>,
    pub theme: Theme,
    pub palette: Option<PaletteShown>,
    /// What a screen reader says, once.
    pub announced: String,
    /// The sheet of keys is open.
    pub help: bool,
    /// How often the list of kinds was asked for.
    pub kinds_asked: u32,
}

/// One live table and its bands.
#[derive(Clone, Debug, Default)]
pub struct PaneModel {
    pub standing: Standing,
    pub head: Head,
    pub pill: Pill,
    pub proof: ProofHops,
    pub notice: Notice,
    pub filter: String,
    /// What of it can't be read; mostly empty.
    pub unread: String,
    pub empty_state: Option<EmptyState>,
    pub table: Arc<TableHead>,
    pub columns_css: String,
    pub rows: Arc<SeenRows>,
    pub extent: Extent,
    /// How many places are reserved for rows that haven't arrived.
    pub skeleton_rows: usize,
    pub is_stale: bool,
    pub is_paused: bool,
    pub export: Option<ExportModel>,
    /// How the filter's text is read, piece by piece.
    pub marks: Vec<TextMark>,
    /// What may be typed next.
    pub suggestions: Option<Suggestions>,
    pub selectors: Selectors,
    pub selector_suggestions: Option<Suggestions>,
    /// The list of columns; `None` while it is closed.
    pub columns: Option<ColumnList>,
    pub minimap: Arc<Minimap>,
    pub status_bar: StatusBar,
    /// How many rows came in above the window.
    pub new_rows_above: usize,
    /// The row that takes the keyboard's focus, when it moved by a key.
    pub focus: Option<FocusRequest>,
    /// The page's, or what the element's host asks for.
    pub theme: Theme,
    pub log: LogModel,
}

/// The event log of a view.
#[derive(Clone, Debug)]
pub struct LogModel {
    /// In the table's place.
    pub is_shown: bool,
    /// Its reader asked for it here; a link alone takes no focus.
    pub takes_focus: bool,
    /// Those of the window.
    pub lines: Vec<Arc<LogLine>>,
    pub row_count: usize,
    pub extent: LogExtent,
    pub text: String,
    pub toggles: Vec<LogToggle>,
    pub predicate: Option<Predicate>,
    /// In the status bar, strong and plain.
    pub count: (String, String),
    pub follows: bool,
}

impl Default for LogModel {
    fn default() -> Self {
        Self {
            is_shown: false,
            takes_focus: false,
            lines: Vec::new(),
            row_count: 0,
            extent: LogExtent::default(),
            text: String::new(),
            toggles: Vec::new(),
            predicate: None,
            count: Default::default(),
            follows: true,
        }
    }
}

/// Numbered, so that asking for the same row twice is heard twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FocusRequest {
    pub row: String,
    /// One of its cells, by its place.
    pub cell: Option<usize>,
    pub number: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    pub resource: String,
    pub group_version: String,
    pub wide: bool,
    pub has_wide: bool,
    /// `5/9` while some are hidden.
    pub columns_shown: String,
    pub is_paused: bool,
    /// In which namespaces, and what else it asks for: on a board the only place that says so.
    pub place: String,
    pub query: String,
    /// For tests and styles, with the resourceVersion.
    pub state: PillState,
    pub resource_version: String,
}

/// What can be taken along.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportModel {
    pub line: String,
    /// Of the command, and whether each is a flag.
    pub words: Vec<(String, bool)>,
    pub notes: Vec<String>,
    pub rows: String,
}

/// A piece of the filter's text, and how it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct TextMark {
    pub text: String,
    pub reading: Reading,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    Plain,
    /// As a comparison with a column's values.
    Compared,
    /// It can't be read, so it isn't applied.
    Unread,
}

/// What may be typed next.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestions {
    pub title: String,
    pub items: Vec<SuggestionItem>,
    pub foot: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SuggestionItem {
    pub text: String,
    pub note: String,
    /// The whole text with it, and the byte before which the caret then stands.
    pub whole: String,
    pub caret: usize,
}

/// The selectors of a view, and the one that is being written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selectors {
    pub chips: Vec<Selector>,
    pub editing: Option<SelectorKind>,
    /// What stood in it when the writing began, and what was taken up since.
    pub text: String,
    pub error: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    pub kind: SelectorKind,
    pub text: String,
    pub word: &'static str,
    /// Where it is evaluated.
    pub place: &'static str,
}

/// What there is to choose from, as long as the list is open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnList {
    pub entries: Vec<ColumnEntry>,
    /// Why what was written is no column.
    pub error: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ColumnEntry {
    pub key: String,
    pub title: String,
    pub note: String,
    pub is_own: bool,
    pub is_shown: bool,
    pub is_always: bool,
}

/// How a view stands among others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
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
    pub fn is_on_board(self) -> bool {
        matches!(self, Self::Active | Self::Aside)
    }

    /// Keys of the page concern it.
    pub fn has_keys(self) -> bool {
        matches!(self, Self::Alone | Self::Active)
    }
}

/// "How do we know this is current?"
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProofHops {
    pub title: String,
    /// What happened, since when, what next; empty while all is well.
    pub said: String,
    pub cluster: Hop,
    pub gateway: Hop,
    pub foot: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hop {
    pub is_broken: bool,
    pub facts: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Notice {
    #[default]
    None,
    Tally(Vec<Tally>),
    Text(NoticeText),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    pub class: Class,
    pub count: String,
    pub word: String,
}

/// The picture beside a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    Alert,
    Clock,
    Filter,
    Gap,
    Gone,
    Lock,
    Log,
    Pause,
    Retry,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NoticeText {
    pub kind: NoticeKind,
    pub icon: Icon,
    /// How far the first load is, in hundredths, where that is known.
    pub meter: Option<u32>,
    pub strong: String,
    pub text: String,
    pub action: Option<NoticeAction>,
}

/// What stands where the rows would be.
#[derive(Clone, Debug, PartialEq)]
pub struct EmptyState {
    pub title: String,
    pub text: String,
    pub action: Option<EmptyStateAction>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyStateAction {
    Offer(NoticeAction),
    LookEverywhere,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatusBar {
    pub strong: String,
    pub rows: String,
    pub window: String,
    pub selected: String,
    /// Changes a second, the last of `spark`; `None` while the view isn't current.
    pub rate: Option<String>,
    pub quiet_since: String,
    /// A path on a grid of 92 by 14.
    pub spark: String,
    pub resource_version: String,
    pub received: String,
    pub per_second: String,
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, and NaN is 0")]
pub(crate) fn to_whole_px(px: f64) -> u16 {
    px.round() as u16
}
