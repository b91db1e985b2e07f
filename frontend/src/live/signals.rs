//! What is on the screen, as signals: `live` is their only writer, the views read them. One signal
//! a thing that changes by itself; none for a row that isn't mounted.

use std::sync::Arc;

use leptos::prelude::*;
use page::log::Predicate;

use super::detail::signals::DetailSignals;
use super::dispatch::Dispatch;
use super::model::{
    Bar, Blank, ColumnList, Extent, Head, Health, LogExtent, LogLine, LogToggle, Login, NamespaceList,
    Navigation, Notice, PaletteShown, Pill, ProofHops, Rail, SeenRows, Selectors, Standing, Strip,
    Suggestions, TableHead, Take, TextMark, Theme,
};
use super::pane::PaneId;

/// One pane: what is seen in it, and where its reader's actions go.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct PaneSignals {
    pub(crate) id: PaneId,
    pub(crate) view: ViewSignals,
    pub(crate) act: Dispatch,
}

/// The page around the views.
#[derive(Clone, Copy)]
pub(crate) struct ShellSignals {
    pub(crate) panes: RwSignal<Vec<PaneSignals>>,
    /// Something stands in the way of every view: the login page is shown instead.
    pub(crate) login: RwSignal<Option<Login>>,
    pub(crate) cluster: RwSignal<String>,
    pub(crate) user: RwSignal<String>,
    pub(crate) bar: RwSignal<Option<Bar>>,
    pub(crate) health: RwSignal<Health>,
    pub(crate) navigation: RwSignal<Arc<Navigation>>,
    pub(crate) namespaces: RwSignal<Arc<NamespaceList>>,
    pub(crate) theme: RwSignal<Theme>,
    pub(crate) detail: DetailSignals,
    pub(crate) palette: RwSignal<Option<PaletteShown>>,
    /// What a screen reader says, once.
    pub(crate) spoken: RwSignal<String>,
    /// The sheet of keys is open.
    pub(crate) help: RwSignal<bool>,
    /// How often the list of kinds was asked for.
    pub(crate) to_kinds: RwSignal<u32>,
}

/// One live table and its bands.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct ViewSignals {
    pub(crate) standing: RwSignal<Standing>,
    pub(crate) head: RwSignal<Head>,
    pub(crate) pill: RwSignal<Pill>,
    pub(crate) proof: RwSignal<ProofHops>,
    pub(crate) notice: RwSignal<Notice>,
    pub(crate) filter: RwSignal<String>,
    /// What of it can't be read; mostly empty.
    pub(crate) unread: RwSignal<String>,
    pub(crate) blank: RwSignal<Option<Blank>>,
    pub(crate) table: RwSignal<Arc<TableHead>>,
    pub(crate) columns_css: RwSignal<String>,
    pub(crate) rows: RwSignal<SeenRows>,
    pub(crate) extent: RwSignal<Extent>,
    /// How many places are reserved for rows that haven't arrived.
    pub(crate) bones: RwSignal<usize>,
    pub(crate) is_stale: RwSignal<bool>,
    pub(crate) is_paused: RwSignal<bool>,
    pub(crate) take: RwSignal<Option<Take>>,
    /// How the filter's text is read, piece by piece.
    pub(crate) marks: RwSignal<Vec<TextMark>>,
    /// What may be typed next.
    pub(crate) suggestions: RwSignal<Option<Suggestions>>,
    pub(crate) selectors: RwSignal<Selectors>,
    pub(crate) selector_suggestions: RwSignal<Option<Suggestions>>,
    /// The list of columns; `None` while it is closed.
    pub(crate) columns: RwSignal<Option<ColumnList>>,
    pub(crate) rail: RwSignal<Arc<Rail>>,
    pub(crate) strip: RwSignal<Strip>,
    /// How many rows came in above the window.
    pub(crate) above: RwSignal<usize>,
    /// The row that takes the keyboard's focus, when it moved by a key.
    pub(crate) focus: RwSignal<Option<FocusRequest>>,
    pub(crate) theme: RwSignal<Theme>,
    pub(crate) log: LogSignals,
}

/// The event log of a view.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct LogSignals {
    /// In the table's place.
    pub(crate) is_shown: RwSignal<bool>,
    /// Its reader asked for it here; a link alone takes no focus.
    pub(crate) takes_focus: RwSignal<bool>,
    /// Those of the window.
    pub(crate) lines: RwSignal<Vec<Arc<LogLine>>>,
    pub(crate) row_count: RwSignal<usize>,
    pub(crate) extent: RwSignal<LogExtent>,
    pub(crate) text: RwSignal<String>,
    pub(crate) toggles: RwSignal<Vec<LogToggle>>,
    pub(crate) predicate: RwSignal<Option<Predicate>>,
    /// The strip's, strong and plain.
    pub(crate) count: RwSignal<(String, String)>,
    pub(crate) follows: RwSignal<bool>,
}

impl LogSignals {
    fn new() -> Self {
        Self {
            is_shown: RwSignal::new(false),
            takes_focus: RwSignal::new(false),
            lines: RwSignal::new(Vec::new()),
            row_count: RwSignal::new(0),
            extent: RwSignal::new(LogExtent::default()),
            text: RwSignal::new(String::new()),
            toggles: RwSignal::new(Vec::new()),
            predicate: RwSignal::new(None),
            count: RwSignal::new(Default::default()),
            follows: RwSignal::new(true),
        }
    }
}

/// Numbered, so that asking for the same row twice is heard twice.
#[derive(Clone, PartialEq)]
pub(crate) struct FocusRequest {
    pub(crate) row: String,
    /// One of its cells, by its place.
    pub(crate) cell: Option<usize>,
    pub(crate) number: u32,
}

impl ShellSignals {
    pub(crate) fn new(theme: Theme) -> Self {
        let theme = RwSignal::new(theme);
        Self {
            panes: RwSignal::new(Vec::new()),
            login: RwSignal::new(None),
            cluster: RwSignal::new(String::new()),
            user: RwSignal::new(String::new()),
            bar: RwSignal::new(None),
            health: RwSignal::new(Health::default()),
            navigation: RwSignal::new(Arc::default()),
            namespaces: RwSignal::new(Arc::default()),
            theme,
            detail: DetailSignals::new(theme),
            palette: RwSignal::new(None),
            spoken: RwSignal::new(String::new()),
            help: RwSignal::new(false),
            to_kinds: RwSignal::new(0),
        }
    }
}

impl ViewSignals {
    pub(crate) fn new(theme: RwSignal<Theme>) -> Self {
        Self {
            standing: RwSignal::new(Standing::default()),
            head: RwSignal::new(Head::default()),
            pill: RwSignal::new(Pill::default()),
            proof: RwSignal::new(ProofHops::default()),
            notice: RwSignal::new(Notice::default()),
            filter: RwSignal::new(String::new()),
            unread: RwSignal::new(String::new()),
            blank: RwSignal::new(None),
            table: RwSignal::new(Arc::default()),
            columns_css: RwSignal::new(String::new()),
            rows: RwSignal::new(SeenRows::default()),
            extent: RwSignal::new(Extent::default()),
            bones: RwSignal::new(0),
            is_stale: RwSignal::new(false),
            is_paused: RwSignal::new(false),
            take: RwSignal::new(None),
            marks: RwSignal::new(Vec::new()),
            suggestions: RwSignal::new(None),
            selectors: RwSignal::new(Selectors::default()),
            selector_suggestions: RwSignal::new(None),
            columns: RwSignal::new(None),
            rail: RwSignal::new(Arc::default()),
            strip: RwSignal::new(Strip::default()),
            above: RwSignal::new(0),
            focus: RwSignal::new(None),
            theme,
            log: LogSignals::new(),
        }
    }
}

/// Writes only what differs: a signal that is set wakes whoever reads it.
pub(crate) fn put<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|held| *held != value) {
        signal.set(value);
    }
}
