//! The model as signals, one for each field. `write` is their only writer; the views read them.

use std::sync::Arc;

use leptos::prelude::*;
use page::action::PaneId;
use page::detail::summary::Overview;
use page::location::Tab;
use page::log::Predicate;
use page::model::{
    Bar, BoardFrame, ClusterList, ColumnList, ComparisonModel, Copied, Density, EmptyState, EventsModel,
    ExportModel, Extent, FocusRequest, GuestObjectModel, Head, Health, LogExtent, LogLine, LogModel,
    LogToggle, Login, Minimap, NamespaceList, Navigation, Notice, OverviewPart, PageModel, PaletteShown,
    PaneModel, PanelHead, PanelModel, PanelNote, Picks, PieceShown, Pill, ProofHops, RightsSheet, SeenRows,
    Selectors, Slot, Standing, StatusBar, StatusHistoryModel, Strip, Suggestions, TableHead, TextMark, Theme,
    TimelineModel, TopFact, TreeGroup, Who, YamlModel, YamlTools,
};

use crate::dispatch::Dispatch;
use crate::field::Field;

/// A signal for each field of a model. The fields of `shared` hold an `Arc`, and one allocation is equal to itself
/// without a comparison.
macro_rules! signals {
    (#[doc = $doc:literal] $name:ident of $model:ident { $($plain:ident: $type:ty,)* } shared { $($shared:ident: $inner:ty,)* } nested { $($nested:ident: $signals:ident,)* }) => {
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq)]
        pub(crate) struct $name {
            $(pub(crate) $plain: Field<$type>,)*
            $(pub(crate) $shared: Field<Arc<$inner>>,)*
            $(pub(crate) $nested: $signals,)*
        }

        impl $name {
            pub(crate) fn new(model: $model) -> Self {
                Self {
                    $($plain: Field::new(model.$plain),)*
                    $($shared: Field::new(model.$shared),)*
                    $($nested: $signals::new(model.$nested),)*
                }
            }

            /// Writes the fields that differ, because setting a signal wakes its readers. The order matters: a table
            /// must have its rows before one of them is asked to take the focus.
            pub(crate) fn write(&self, model: &$model) {
                $(self.$nested.write(&model.$nested);)*
                $(if self.$shared.with_untracked(|held| !Arc::ptr_eq(held, &model.$shared) && **held != *model.$shared) {
                    self.$shared.set(Arc::clone(&model.$shared));
                })*
                $(if self.$plain.with_untracked(|held| *held != model.$plain) {
                    self.$plain.set(model.$plain.clone());
                })*
            }
        }
    };
}

signals! {
    /// The page around the panes.
    PageSignals of PageModel {
        pane_count: usize,
        board: Option<BoardFrame>,
        login: Option<Login>,
        user: String,
        who: Option<Who>,
        rights: Option<RightsSheet>,
        bar: Option<Bar>,
        health: Health,
        theme: Theme,
        palette: Option<PaletteShown>,
        announced: String,
        copied: Option<Copied>,
        hint: String,
        help: bool,
        kinds_asked: u32,
        lacks_panel: bool,
        shell_piece: PieceShown,
        panel_piece: PieceShown,
        more_piece: PieceShown,
    } shared {
        navigation: Navigation,
        clusters: ClusterList,
        namespaces: NamespaceList,
    } nested {}
}

signals! {
    /// One live table and its bands.
    PaneSignals of PaneModel {
        standing: Standing,
        slot: Slot,
        head: Head,
        pill: Pill,
        proof: ProofHops,
        notice: Notice,
        filter: String,
        unread: String,
        empty_state: Option<EmptyState>,
        columns_css: String,
        extent: Extent,
        skeleton_rows: usize,
        is_stale: bool,
        is_paused: bool,
        export: Option<ExportModel>,
        filter_hint: String,
        marks: Vec<TextMark>,
        suggestions: Option<Suggestions>,
        selectors: Selectors,
        selector_suggestions: Option<Suggestions>,
        columns: Option<ColumnList>,
        status_bar: StatusBar,
        new_rows_above: usize,
        out_of_order: usize,
        focus: Option<FocusRequest>,
        theme: Theme,
        density: Density,
    } shared {
        table: TableHead,
        rows: SeenRows,
        minimap: Minimap,
    } nested {
        log: LogSignals,
    }
}

signals! {
    /// The event log of a pane.
    LogSignals of LogModel {
        is_shown: bool,
        takes_focus: bool,
        focus: u32,
        lines: Vec<Arc<LogLine>>,
        row_count: usize,
        is_narrow: bool,
        extent: LogExtent,
        text: String,
        toggles: Vec<LogToggle>,
        predicate: Option<Predicate>,
        count: (String, String),
        follows: bool,
    } shared {
    } nested {}
}

signals! {
    /// The panel of one object.
    PanelSignals of PanelModel {
        head: Option<PanelHead>,
        pill: Pill,
        proof: ProofHops,
        top: Vec<TopFact>,
        note: Option<PanelNote>,
        strip: Option<Strip>,
        tab: Tab,
        is_stale: bool,
        changes: String,
        status_history: Option<Arc<StatusHistoryModel>>,
        picks: Picks,
        comparison: Option<Arc<ComparisonModel>>,
        yaml_tools: YamlTools,
        yaml_scroll: (u32, f64),
        jump: (u32, OverviewPart),
        focus: (u32, u32),
        width_px: f64,
        theme: Theme,
    } shared {
        overview: Overview,
        tree: Vec<TreeGroup>,
        events: EventsModel,
        timeline: TimelineModel,
        yaml: YamlModel,
    } nested {}
}

signals! {
    /// What stands around the panel in an element of another page.
    GuestObjectSignals of GuestObjectModel {
        empty_state: Option<EmptyState>,
        is_closable: bool,
        link: String,
        lacks_panel: bool,
        panel_piece: PieceShown,
    } shared {
    } nested {}
}

/// One pane: its signals, and where its actions go.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct PaneHandle {
    pub(crate) id: PaneId,
    pub(crate) view: PaneSignals,
    pub(crate) act: Dispatch,
}

/// One object in an element of another page.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct ObjectHandle {
    pub(crate) id: PaneId,
    pub(crate) around: GuestObjectSignals,
    pub(crate) panel: PanelSignals,
    pub(crate) act: Dispatch,
}

/// All signals.
#[derive(Clone, Copy)]
pub(crate) struct Signals {
    pub(crate) page: PageSignals,
    pub(crate) panes: RwSignal<Vec<PaneHandle>>,
    pub(crate) panel: PanelSignals,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self {
            page: PageSignals::new(PageModel::default()),
            panes: RwSignal::new(Vec::new()),
            panel: PanelSignals::new(PanelModel::default()),
        }
    }
}
