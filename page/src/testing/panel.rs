//! The panel as tests read it: the fields of all its tabs beside those around the tabs.

use std::sync::Arc;

use crate::detail::summary::Overview;
use crate::location::Tab;
use crate::panel::head::{PanelHead, PanelNote, TopFact};
use crate::panel::strip::Strip;
use crate::panel::{PanelModel, TabsModel};
use crate::pill::Pill;
use crate::tab::overview::OverviewPart;
use crate::tab::overview::related::EventsModel;
use crate::tab::overview::rollout::RolloutModel;
use crate::tab::overview::tree::TreeGroup;
use crate::tab::timeline::comparison::{ComparisonModel, Picks};
use crate::tab::timeline::entries::TimelineModel;
use crate::tab::timeline::status_history::StatusHistoryModel;
use crate::tab::yaml::{YamlModel, YamlTools};

#[derive(Clone, Debug)]
pub struct SeenPanel<'a> {
    pub head: &'a Option<PanelHead>,
    pub pill: &'a Pill,
    pub top: &'a Vec<TopFact>,
    pub note: &'a Option<PanelNote>,
    pub strip: Option<Strip>,
    pub tab: Tab,
    pub is_stale: bool,
    pub changes: &'a String,
    pub jump: (u32, OverviewPart),
    pub focus: (u32, u32),
    pub width_px: f64,
    pub overview: &'a Arc<Overview>,
    pub rollout: &'a Arc<Option<RolloutModel>>,
    pub tree: &'a Arc<Vec<TreeGroup>>,
    pub events: &'a Arc<EventsModel>,
    pub timeline: &'a Arc<TimelineModel>,
    pub status_history: &'a Option<Arc<StatusHistoryModel>>,
    pub picks: &'a Picks,
    pub comparison: &'a Option<Arc<ComparisonModel>>,
    pub yaml: &'a Arc<YamlModel>,
    pub yaml_tools: &'a YamlTools,
    /// Each tab with all that it shows.
    pub tabs: &'a TabsModel,
}

impl<'a> SeenPanel<'a> {
    pub(crate) fn of(panel: &'a PanelModel) -> Self {
        let tabs = &panel.tabs;
        Self {
            head: &panel.head,
            pill: &panel.pill,
            top: &panel.top,
            note: &panel.note,
            strip: panel.strip.clone(),
            tab: panel.tab,
            is_stale: panel.is_stale,
            changes: &panel.changes,
            jump: panel.jump,
            focus: panel.focus,
            width_px: panel.width_px,
            overview: &tabs.overview.facts,
            rollout: &tabs.overview.rollout,
            tree: &tabs.overview.tree,
            events: &tabs.overview.events,
            timeline: &tabs.timeline.entries,
            status_history: &tabs.timeline.status_history,
            picks: &tabs.timeline.picks,
            comparison: &tabs.timeline.comparison,
            yaml: &tabs.yaml.lines,
            yaml_tools: &tabs.yaml.tools,
            tabs,
        }
    }
}
