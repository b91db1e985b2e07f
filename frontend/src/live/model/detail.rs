//! The panel of one object, as the signals hold it: the replica's own types where nothing has to be
//! added to them.

use std::sync::Arc;

use page::detail::compare::DiffLine;
use page::detail::condition::Condition;
use page::detail::event::Event;
use page::detail::history::{Filter, Item};
use page::detail::summary::{Container, Fact};
use page::detail::yaml::Line;
use page::status::Class;
use shared::resource_version::ResourceVersion;

/// Which object it is; another one is mounted anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PanelHead {
    pub(crate) generation: u32,
    /// `Pod in payments`
    pub(crate) kind: String,
    pub(crate) name: String,
    /// The command that shows the same.
    pub(crate) kubectl: String,
}

/// One of the few facts that stay on top: a column of the object's row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TopFact {
    /// Empty for the status, which speaks for itself.
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) note: String,
    pub(crate) class: Option<Class>,
}

/// What has to be said before anything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PanelNote {
    pub(crate) class: &'static str,
    pub(crate) icon: &'static str,
    pub(crate) strong: String,
    pub(crate) text: String,
    /// Below it stands the last that was seen.
    pub(crate) has_body: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LinkedFact {
    pub(crate) fact: Fact,
    pub(crate) href: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OverviewModel {
    pub(crate) facts: Vec<LinkedFact>,
    pub(crate) containers: Vec<Container>,
    pub(crate) conditions: Vec<(Condition, String)>,
    pub(crate) annotations: Vec<(String, String)>,
    pub(crate) finalizers: Vec<String>,
    pub(crate) data: Vec<(String, String)>,
}

/// A row of the owner tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TreeRow {
    pub(crate) depth: usize,
    pub(crate) kind: String,
    /// The owner's part in full ink, the rest lighter.
    pub(crate) name: (String, String),
    pub(crate) href: Option<String>,
    pub(crate) ready: String,
    pub(crate) status: Option<(Class, String)>,
    pub(crate) age: String,
    pub(crate) is_here: bool,
    /// In place of an object: why there is none.
    pub(crate) note: Option<TreeNote>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TreeNote {
    pub(crate) is_locked: bool,
    pub(crate) text: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EventsModel {
    pub(crate) events: Vec<Event>,
    /// Why there are none, or how many more.
    pub(crate) note: String,
    pub(crate) is_locked: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TimelineModel {
    /// The newest first.
    pub(crate) items: Vec<Arc<Item>>,
    /// How many older ones aren't mounted.
    pub(crate) older: usize,
    pub(crate) filters: Vec<(Filter, String)>,
    pub(crate) filter: Filter,
    /// What stands where the log begins, and the version that it began with.
    pub(crate) opened: String,
    pub(crate) first: Option<ResourceVersion>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Picks {
    pub(crate) a: Option<ResourceVersion>,
    pub(crate) b: Option<ResourceVersion>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ComparisonModel {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) summary: String,
    pub(crate) lines: Vec<DiffLine>,
}

/// The lines of the window.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct YamlModel {
    pub(crate) rows: Vec<YamlRow>,
    pub(crate) height_px: f64,
    pub(crate) row_px: f64,
    pub(crate) foot: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct YamlRow {
    /// Among those that aren't hidden.
    pub(crate) place: usize,
    pub(crate) number: usize,
    pub(crate) line: Line,
    /// Of one that can be folded: whether it is, and what that hides.
    pub(crate) fold: Option<(bool, String)>,
    pub(crate) is_new: bool,
    pub(crate) found: Found,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Found {
    No,
    Yes,
    /// The match that is looked at.
    Here,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct YamlTools {
    pub(crate) follows: bool,
    /// resourceVersion, and since when it is held.
    pub(crate) version: String,
    pub(crate) held: String,
    pub(crate) has_folds: bool,
    pub(crate) matches: String,
}
