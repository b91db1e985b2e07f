//! What the page asks of the open picker. Its options come with a piece of the program, and are called through these
//! functions alone.

use replica::freshness::{ClusterState, Freshness};
use shared::name::ClusterName;
use shared::state::UnixMillis;

use super::model::ClusterPickerModel;
use crate::messages::Zone;
use crate::picker::{Answer, Asked, Typed};
use crate::table_view::Client;

/// As an address names clusters; `None`: the gateway's own one.
pub(crate) type ClusterChoice = Option<Box<str>>;

#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// Moves the mark, or chooses.
    pub(crate) update: fn(&mut Typed, Asked, &Shown<'_>) -> Answer<ClusterChoice>,
    pub(crate) model: fn(&Typed, &Shown<'_>) -> ClusterPickerModel,
}

/// What the active pane shows of the clusters, and the clusters of the gateway: all that the options are made of. The
/// picker makes it of the pane.
pub(crate) struct Shown<'a> {
    pub(crate) client: &'a Client,
    /// The kind of the pane, and its name for one object.
    pub(crate) resource: &'a str,
    pub(crate) singular: &'a str,
    pub(crate) is_of_all: bool,
    pub(crate) clusters: &'a [ClusterName],
    /// How each cluster stands in a view of several.
    pub(crate) states: &'a [ClusterState],
    /// How the view stands, and how many rows it has once all are here.
    pub(crate) whole: Option<(&'a Freshness, Option<usize>)>,
    pub(crate) now_ms: UnixMillis,
    pub(crate) zone: Zone,
}
