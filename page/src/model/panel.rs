//! The panel of one object, as it is on the screen: the replica's own types where nothing has to be
//! added to them.

use std::sync::Arc;

use crate::detail::compare::DiffLine;
use crate::detail::condition::Condition;
use crate::detail::event::Event;
use crate::detail::history::{Filter, Item};
use crate::detail::summary::{Container, Fact};
use crate::detail::yaml::Line;
use crate::status::Class;
use shared::resource_version::ResourceVersion;

use super::{Pill, ProofHops, Theme};
use crate::detail::status_history::Strip;
use crate::location::Tab;

/// Which object it is; another one is mounted anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PanelHead {
    pub generation: u32,
    /// `Pod in payments`
    pub kind: String,
    pub name: String,
    /// The command that shows the same.
    pub kubectl: String,
}

/// One of the few facts that stay on top: a column of the object's row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TopFact {
    /// Empty for the status, which speaks for itself.
    pub title: String,
    pub text: String,
    pub note: String,
    pub class: Option<Class>,
}

/// What has to be said before anything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanelNote {
    pub class: &'static str,
    pub icon: &'static str,
    pub strong: String,
    pub text: String,
    /// Below it stands the last that was seen.
    pub has_body: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinkedFact {
    pub fact: Fact,
    pub href: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverviewModel {
    pub facts: Vec<LinkedFact>,
    pub containers: Vec<Container>,
    pub conditions: Vec<(Condition, String)>,
    pub annotations: Vec<(String, String)>,
    pub finalizers: Vec<String>,
    pub data: Vec<(String, String)>,
}

/// A row of the owner tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TreeRow {
    pub depth: usize,
    pub kind: String,
    /// The owner's part in full ink, the rest lighter.
    pub name: (String, String),
    pub href: Option<String>,
    pub ready: String,
    pub status: Option<(Class, String)>,
    pub age: String,
    pub is_here: bool,
    /// In place of an object: why there is none.
    pub note: Option<TreeNote>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TreeNote {
    pub is_locked: bool,
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventsModel {
    pub events: Vec<Event>,
    /// Why there are none, or how many more.
    pub note: String,
    pub is_locked: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimelineModel {
    /// The newest first.
    pub items: Vec<Arc<Item>>,
    /// How many older ones aren't mounted.
    pub older: usize,
    pub filters: Vec<(Filter, String)>,
    pub filter: Filter,
    /// What stands where the log begins, and the version that it began with.
    pub opened: String,
    pub first: Option<ResourceVersion>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picks {
    pub a: Option<ResourceVersion>,
    pub b: Option<ResourceVersion>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonModel {
    pub a: String,
    pub b: String,
    pub summary: String,
    pub lines: Vec<DiffLine>,
}

/// The lines of the window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct YamlModel {
    pub rows: Vec<YamlRow>,
    pub height_px: f64,
    pub row_px: f64,
    pub foot: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct YamlRow {
    /// Among those that aren't hidden.
    pub place: usize,
    pub number: usize,
    pub line: Line,
    /// Of one that can be folded: whether it is, and what that hides.
    pub fold: Option<(bool, String)>,
    pub is_new: bool,
    pub found: Found,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Found {
    No,
    Yes,
    /// The match that is looked at.
    Here,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct YamlTools {
    pub follows: bool,
    /// resourceVersion, and since when it is held.
    pub version: String,
    pub held: String,
    pub has_folds: bool,
    pub matches: String,
}

/// The panel of one object; every part changes by itself.
#[derive(Clone, Debug)]
pub struct PanelModel {
    /// `None`: no panel is open.
    pub head: Option<PanelHead>,
    pub pill: Pill,
    pub proof: ProofHops,
    pub top: Vec<TopFact>,
    pub note: Option<PanelNote>,
    pub tab: Tab,
    pub is_stale: bool,
    /// Changes that the timeline has.
    pub changes: String,
    pub overview: Arc<OverviewModel>,
    pub tree: Arc<Vec<TreeRow>>,
    pub events: Arc<EventsModel>,
    pub timeline: Arc<TimelineModel>,
    pub strip: Option<Arc<Strip>>,
    pub picks: Picks,
    pub comparison: Option<Arc<ComparisonModel>>,
    pub yaml: Arc<YamlModel>,
    pub tools: YamlTools,
    /// A place that a search asked for; numbered, so that the same one is heard twice.
    pub yaml_scroll: (u32, f64),
    /// The part of the overview that a key asked for, numbered.
    pub jump: (u32, &'static str),
    /// The panel takes the keyboard's focus when this grows.
    pub focus: u32,
    pub width_px: f64,
    pub theme: Theme,
}

/// What the panel is wide before anybody moved its edge.
const WIDTH_PX: f64 = 620.0;

impl Default for PanelModel {
    fn default() -> Self {
        Self {
            head: None,
            pill: Pill::default(),
            proof: ProofHops::default(),
            top: Vec::new(),
            note: None,
            tab: Tab::Overview,
            is_stale: false,
            changes: String::new(),
            overview: Arc::default(),
            tree: Arc::default(),
            events: Arc::default(),
            timeline: Arc::default(),
            strip: None,
            picks: Picks::default(),
            comparison: None,
            yaml: Arc::default(),
            tools: YamlTools::default(),
            yaml_scroll: (0, 0.0),
            jump: (0, ""),
            focus: 0,
            width_px: WIDTH_PX,
            theme: Theme::Auto,
        }
    }
}
