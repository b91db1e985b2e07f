//! The panel as plain values, put together from the models of the tabs.

use std::sync::Arc;

use super::comparison::{ComparisonModel, Picks};
use super::head::{PanelHead, PanelNote, TopFact};
use super::overview::OverviewPart;
use super::related::EventsModel;
use super::status_history::StatusHistoryModel;
use super::strip::Strip;
use super::timeline::TimelineModel;
use super::tree::TreeGroup;
use super::yaml::{YamlModel, YamlTools};
use crate::detail::summary::Overview;
use crate::location::Tab;
use crate::model::ProofHops;
use crate::pill::Pill;
use crate::theme::Theme;

/// The panel as it is on the screen. Each field has its own signal.
#[derive(Clone, Debug, Default)]
pub struct PanelModel {
    /// `None`: no panel is open.
    pub head: Option<PanelHead>,
    pub pill: Pill,
    pub proof: ProofHops,
    pub top: Vec<TopFact>,
    pub note: Option<PanelNote>,
    pub strip: Option<Strip>,
    pub tab: Tab,
    pub is_stale: bool,
    /// How many changes the timeline has.
    pub changes: String,
    pub overview: Arc<Overview>,
    pub tree: Arc<Vec<TreeGroup>>,
    pub events: Arc<EventsModel>,
    /// The part of the overview that a key scrolls to, with the number of that request.
    pub jump: (u32, OverviewPart),
    pub timeline: Arc<TimelineModel>,
    pub status_history: Option<Arc<StatusHistoryModel>>,
    pub picks: Picks,
    pub comparison: Option<Arc<ComparisonModel>>,
    pub yaml: Arc<YamlModel>,
    pub yaml_tools: YamlTools,
    /// Where a search scrolls to, with the number of that request.
    pub yaml_scroll: (u32, f64),
    /// The panel takes the keyboard's focus when the first number grows, if its generation is the second.
    pub focus: (u32, u32),
    pub width_px: f64,
    pub theme: Theme,
}

impl PanelModel {
    /// Nothing that was made from an object is left.
    pub(super) fn purge(&mut self) {
        let Self { head, pill, tab, jump, picks, focus, width_px, theme, .. } = std::mem::take(self);
        *self = Self { head, pill, tab, jump, picks, focus, width_px, theme, ..Self::default() };
    }
}
