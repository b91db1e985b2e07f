//! What is seen of the panel, as signals: one for each part that changes by itself.

use std::sync::Arc;

use leptos::prelude::*;
use page::detail::status_history::Strip;
use page::location::Tab;

use crate::live::model::{
    ComparisonModel, EventsModel, OverviewModel, PanelHead, PanelNote, Picks, Pill, ProofHops, Theme,
    TimelineModel, TopFact, TreeRow, YamlModel, YamlTools,
};

#[derive(Clone, Copy)]
pub(crate) struct DetailSignals {
    /// `None`: no panel is open.
    pub(crate) head: RwSignal<Option<PanelHead>>,
    pub(crate) pill: RwSignal<Pill>,
    pub(crate) proof: RwSignal<ProofHops>,
    pub(crate) top: RwSignal<Vec<TopFact>>,
    pub(crate) note: RwSignal<Option<PanelNote>>,
    pub(crate) tab: RwSignal<Tab>,
    pub(crate) is_stale: RwSignal<bool>,
    /// Changes that the timeline has.
    pub(crate) changes: RwSignal<String>,
    pub(crate) overview: RwSignal<Arc<OverviewModel>>,
    pub(crate) tree: RwSignal<Arc<Vec<TreeRow>>>,
    pub(crate) events: RwSignal<Arc<EventsModel>>,
    pub(crate) timeline: RwSignal<Arc<TimelineModel>>,
    pub(crate) strip: RwSignal<Option<Arc<Strip>>>,
    pub(crate) picks: RwSignal<Picks>,
    pub(crate) comparison: RwSignal<Option<Arc<ComparisonModel>>>,
    pub(crate) yaml: RwSignal<Arc<YamlModel>>,
    pub(crate) tools: RwSignal<YamlTools>,
    /// A place that a search asked for; numbered, so that the same one is heard twice.
    pub(crate) yaml_scroll: RwSignal<(u32, f64)>,
    /// The part of the overview that a key asked for, numbered.
    pub(crate) jump: RwSignal<(u32, &'static str)>,
    /// The panel takes the keyboard's focus when this grows.
    pub(crate) focus: RwSignal<u32>,
    pub(crate) width_px: RwSignal<f64>,
    pub(crate) theme: RwSignal<Theme>,
}

/// PAGE's 620 px.
pub(super) const WIDTH_PX: f64 = 620.0;

impl DetailSignals {
    pub(crate) fn new(theme: RwSignal<Theme>) -> Self {
        Self {
            head: RwSignal::new(None),
            pill: RwSignal::new(Pill::default()),
            proof: RwSignal::new(ProofHops::default()),
            top: RwSignal::new(Vec::new()),
            note: RwSignal::new(None),
            tab: RwSignal::new(Tab::Overview),
            is_stale: RwSignal::new(false),
            changes: RwSignal::new(String::new()),
            overview: RwSignal::new(Arc::default()),
            tree: RwSignal::new(Arc::default()),
            events: RwSignal::new(Arc::default()),
            timeline: RwSignal::new(Arc::default()),
            strip: RwSignal::new(None),
            picks: RwSignal::new(Picks::default()),
            comparison: RwSignal::new(None),
            yaml: RwSignal::new(Arc::default()),
            tools: RwSignal::new(YamlTools::default()),
            yaml_scroll: RwSignal::new((0, 0.0)),
            jump: RwSignal::new((0, "")),
            focus: RwSignal::new(0),
            width_px: RwSignal::new(WIDTH_PX),
            theme,
        }
    }
}
