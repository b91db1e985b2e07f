//! What the screen shows, as plain values: a [`PageModel`] for the page around the panes, a [`PaneModel`] for each
//! pane, and a [`PanelModel`]. Never a class name or a colour.

mod table;

use crate::action::SelectorKind;
use crate::clipboard::Copied;
use crate::clusters::ClusterList;
use crate::columns::ColumnList;
use crate::fields::model;
use crate::log::{self, LogFields};
use crate::namespaces::NamespaceList;
use crate::notice::Review;
use crate::page::bar::Bar;
use crate::page::health::Health;
use crate::page::layout::Slot;
use crate::page::navigation::Navigation;
use crate::palette::PaletteShown;
use crate::past::{PastBar, ReplacedRows};
use crate::pill::Pill;
use crate::query::TextMark;
use crate::status::RowHealth;
use crate::tell::TellShown;
use crate::theme::Density;
use crate::who::Who;
use crate::wrong::WrongTally;

pub use crate::changes::Sign;
pub use crate::clipboard::{Clip, LinkButton};
pub use crate::clusters::ClusterOption;
pub use crate::export::ExportModel;
pub use crate::log::LogBody;
pub use crate::login::{Login, WayIn};
pub use crate::namespaces::{Beside, NamespaceOption, PickerModel};
pub use crate::notice::{Action as NoticeAction, Edge, Kind as NoticeKind};
pub use crate::page::bar::BarKind;
pub use crate::page::layout::Side;
pub use crate::piece::PieceShown;
pub use crate::pill::{Hop, PillState, ProofHops};
pub use crate::query::Suggestions;
pub use crate::rights::{KindRights, RightsSheet};
pub use crate::tab::overview::OverviewPart;
pub use crate::tab::overview::tree::TreeRow;
pub use crate::tab::yaml::Found;
pub use crate::theme::{Theme, WideColumns};
pub use table::{
    Body, Extent, Fold, HeadCell, Layout, Minimap, MinimapTip, News, SeenCell, SeenColumn, SeenRow, SeenRows,
    TableHead, TextLook,
};

model! {
    /// The page around the panes.
    pub struct PageModel = PageFields {
        pane_count: usize,
        /// `None`: there is one pane.
        board: Option<BoardFrame>,
        /// The login page, which is shown in place of every view.
        login: Option<Login>,
        /// The cluster of the active pane; several clusters by their number.
        cluster: String,
        user: String,
        /// The open "Who am I?".
        who: Option<Who>,
        /// The open "What may I see?".
        rights: Option<RightsSheet>,
        /// The open "tell me when".
        tell: Option<TellShown>,
        /// How many answers its reader hasn't seen; `None`: nothing was asked.
        bell: Option<usize>,
        bar: Option<Bar>,
        health: Health,
        /// What is wrong, once its reader has looked.
        wrong: Option<WrongTally>,
        /// The bar of the past over a board.
        past: Option<PastBar>,
        theme: Theme,
        palette: Option<PaletteShown>,
        /// A message for screen readers.
        announced: String,
        /// What was copied a moment ago.
        copied: Option<Copied>,
        /// What a link changed, or why an action did nothing; empty a few seconds later.
        hint: String,
        /// The sheet of keys is open.
        help: bool,
        /// How often the list of kinds was asked for: each time it takes the focus.
        kinds_asked: u32,
        /// An object is open, and the piece of the program that shows it isn't there.
        lacks_panel: bool,
        shell_piece: PieceShown,
        panel_piece: PieceShown,
        more_piece: PieceShown,
    } shared {
        clusters: ClusterList,
        navigation: Navigation,
        namespaces: NamespaceList,
    } nested {
    }
}

model! {
    /// One view: its table or log, and the bands around it.
    pub struct PaneModel = PaneFields {
        standing: Standing,
        /// Its place on a board.
        slot: Slot,
        head: Head,
        pill: Pill,
        proof: ProofHops,
        notice: Notice,
        filter: String,
        /// Which term of the filter can't be read, and why.
        unread: String,
        empty_state: Option<EmptyState>,
        columns_css: String,
        extent: Extent,
        /// How many placeholders stand for rows that haven't arrived.
        skeleton_rows: usize,
        is_stale: bool,
        is_paused: bool,
        /// It is as of a time of the past.
        is_past: bool,
        /// Whether the bar of the past is open; `None`: the gateway doesn't record.
        clock: Option<bool>,
        /// The bar itself, in the only pane of a page.
        past: Option<PastBar>,
        export: Option<ExportModel>,
        /// In the empty filter box.
        filter_hint: String,
        /// The pieces of the filter's text.
        marks: Vec<TextMark>,
        /// Completions of the filter.
        suggestions: Option<Suggestions>,
        selectors: Selectors,
        selector_suggestions: Option<Suggestions>,
        /// The column chooser; `None` while it is closed.
        columns: Option<ColumnList>,
        status_bar: StatusBar,
        /// How many rows were added above the window.
        new_rows_above: usize,
        /// How many rows aren't at their place, because rows don't move while a reader looks at them.
        out_of_order: usize,
        /// The row that takes the keyboard's focus.
        focus: Option<FocusRequest>,
        /// The page's theme, or the one that an element's host sets.
        theme: Theme,
        density: Density,
    } shared {
        table: TableHead,
        rows: SeenRows,
        minimap: Minimap,
    } nested {
        log: LogFields,
    }
}

impl PaneModel {
    /// Something is open that [`crate::piece::Piece::More`] shows.
    pub(crate) fn needs_more(&self) -> bool {
        self.log.is_shown || self.export.is_some() || self.columns.is_some() || self.clock == Some(true)
    }
}

/// What stands over the panes of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardFrame {
    pub title: String,
    /// A pane is paused.
    pub is_paused: bool,
    /// All are as of a time, and there is nothing to pause.
    pub is_past: bool,
    /// The weights of the rows of panes.
    pub weights: Vec<u8>,
}

/// Has a number, so that two requests for the same row differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FocusRequest {
    pub row: String,
    /// The place of a cell; `None`: the row itself.
    pub cell: Option<usize>,
    pub number: u32,
    /// The page has just begun, so the row takes the focus only if nothing else has it.
    pub is_start: bool,
}

/// What a view has to show. By that its actions are offered: those that could do nothing are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// There are rows, or they are on their way.
    #[default]
    Rows,
    /// No row is there yet. A filter and the changes are about those that come.
    NoRows,
    Refused,
    /// There is no view: the cluster serves no such resource, or another gateway does.
    NoView,
    /// Objects of every kind, which aren't fine.
    Wrong,
}

impl Content {
    /// What arranges rows.
    pub fn has_rows(self) -> bool {
        self == Self::Rows
    }

    /// A filter and the changes.
    pub fn takes_rows(self) -> bool {
        matches!(self, Self::Rows | Self::NoRows)
    }

    pub fn takes_filter(self) -> bool {
        self.takes_rows() || self == Self::Wrong
    }

    /// A pause can always be ended, and changes may come where no row is.
    pub fn can_pause(self, is_paused: bool, is_log: bool) -> bool {
        is_paused || self.has_rows() || (is_log && self.takes_rows())
    }

    /// Selectors, which may be why it is refused, and exports.
    pub fn is_view(self) -> bool {
        !matches!(self, Self::NoView | Self::Wrong)
    }
}

/// The head of one view, as it is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    pub content: Content,
    pub resource: String,
    pub group_version: String,
    pub wide: WideColumns,
    pub has_wide: bool,
    /// `5/9` while some are hidden.
    pub columns_shown: String,
    pub is_paused: bool,
    /// The cluster, the namespaces and the query, which are shown on a board.
    pub place: String,
    pub query: String,
    /// For tests and style sheets, as is the resourceVersion.
    pub state: PillState,
    pub resource_version: String,
}

/// The selectors of a view, and the one that is edited.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selectors {
    pub chips: Vec<Selector>,
    pub editing: Option<SelectorKind>,
    /// The edited text: the selector as it was, and accepted completions.
    pub text: String,
    pub error: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    pub kind: SelectorKind,
    pub text: String,
    pub word: &'static str,
    /// Where it is evaluated: by the gateway or by the API server.
    pub place: &'static str,
}

/// A pane's role on the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// The only pane.
    #[default]
    Alone,
    /// On a board: it has the keys.
    Active,
    /// On a board: another pane has the keys.
    Aside,
    /// In another page: it has keys only while it has the focus.
    Guest,
}

impl Standing {
    pub fn is_on_board(self) -> bool {
        matches!(self, Self::Active | Self::Aside)
    }

    /// Whether keys of the page go to this pane.
    pub fn has_keys(self) -> bool {
        matches!(self, Self::Alone | Self::Active)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Notice {
    #[default]
    None,
    /// The rows by health, and whether those in trouble stand first.
    Tally {
        entries: Vec<Tally>,
        is_trouble_first: bool,
        /// What happened, while the rows are current all the same.
        beside: Option<NoticeText>,
    },
    Text(NoticeText),
}

/// An entry of the tally: a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    pub health: RowHealth,
    pub count: String,
    pub word: String,
    pub is_none: bool,
    pub is_on: bool,
}

/// The icon before a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    Alert,
    Clock,
    Filter,
    Gap,
    Gone,
    Lock,
    Log,
    Past,
    Pause,
    Retry,
}

/// The notice line of one view.
#[derive(Clone, Debug, PartialEq)]
pub struct NoticeText {
    pub kind: NoticeKind,
    pub icon: Icon,
    /// The progress of the first load in percent, if it is known.
    pub meter: Option<u32>,
    pub strong: String,
    pub text: String,
    pub actions: Vec<NoticeAction>,
}

/// Shown in place of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmptyState {
    pub title: String,
    pub text: String,
    /// Which review said no.
    pub review: Option<Review>,
    pub action: Option<NoticeAction>,
    /// Where nothing was recorded: the times around it, each with the way there.
    pub edges: Vec<Edge>,
    /// What differs between two times, or what had a word.
    pub replaced: ReplacedRows,
}

impl EmptyState {
    /// In place of the lines of a log that has none. `view`: what stands in place of the view's rows, of such content. A
    /// view that is refused records nothing, and says why. Changes are promised only while the view is the present.
    pub fn of_log(has_filter: bool, view: Option<Self>, content: Content, state: PillState) -> Self {
        match view {
            Some(refused) if !content.takes_rows() => return refused,
            _ => {}
        }
        let is_present = matches!(state, PillState::Live | PillState::Polled | PillState::Paused);
        let (title, text) = match (has_filter, is_present) {
            (true, _) => (log::words::NO_ENTRY_MATCHES, ""),
            (false, true) => (log::words::EMPTY, log::words::EMPTY_WHY),
            (false, false) => (log::words::EMPTY, ""),
        };
        Self { title: title.to_owned(), text: text.to_owned(), ..Self::default() }
    }
}

/// The status bar of one view: how many rows there are, and how they change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatusBar {
    pub strong: String,
    pub rows: String,
    pub window: String,
    pub selected: String,
    /// How many rows belong to the object at which the reader stands in another pane.
    pub linked: String,
    /// The answer to a key that found nothing, or began anew.
    pub said: String,
    /// Changes per second, the last of `spark`; `None` while the view isn't current.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_records_nothing_promises_no_changes() {
        let of = |has_filter, content, state| {
            let refused =
                EmptyState { title: "Forbidden".into(), text: "why".into(), ..EmptyState::default() };
            let shown = EmptyState::of_log(has_filter, Some(refused), content, state);
            (shown.title, shown.text)
        };
        let said = |title: &str, text: &str| (title.to_owned(), text.to_owned());
        for has_filter in [false, true] {
            assert_eq!(of(has_filter, Content::Refused, PillState::Forbidden), said("Forbidden", "why"));
            assert_eq!(of(has_filter, Content::NoView, PillState::Gone), said("Forbidden", "why"));
        }
        let (empty, why) = (log::words::EMPTY, log::words::EMPTY_WHY);
        assert_eq!(of(false, Content::NoRows, PillState::Live), said(empty, why));
        for state in [PillState::Stale, PillState::Syncing, PillState::Resuming] {
            assert_eq!(of(false, Content::NoRows, state), said(empty, ""));
        }
        assert_eq!(of(true, Content::NoRows, PillState::Live), said(log::words::NO_ENTRY_MATCHES, ""));
    }
}
