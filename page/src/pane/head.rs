//! The head of a view: its resource, its namespaces, its selectors and filter.

use shared::name::ClusterName;

use super::displayed::{Rows, resource_version};
use super::place;
use crate::cx::Cx;
use crate::location::Location;
use crate::messages;
use crate::model::{Content, Head, PillState};
use crate::table_view::Client;

pub(super) fn head(
    (location, clusters): (&Location, &[ClusterName]),
    rows: &Rows<'_>,
    state: PillState,
    is_log: bool,
    columns_shown: String,
    cx: &Cx,
) -> Head {
    let resource = &rows.kind.resource;
    let group_version = match resource.is_core() {
        true => resource.version.to_string(),
        false => format!("{}/{}", resource.group, resource.version),
    };
    Head {
        content: Content::default(),
        resource: resource.resource.to_string(),
        group_version: if is_log { messages::changes_of(&group_version) } else { group_version },
        wide: location.wide,
        has_wide: rows.live.table().columns().iter().any(|column| column.is_wide()),
        columns_shown,
        is_paused: rows.paused.is_some(),
        place: whereabouts(&cx.client, clusters, rows),
        query: place::query(location),
        state,
        resource_version: resource_version(rows.live),
    }
}

/// `prod, shop`; without the cluster, where the gateway has one.
fn whereabouts(client: &Client, clusters: &[ClusterName], rows: &Rows<'_>) -> String {
    let cluster = match client.clusters() {
        [] | [_] => String::new(),
        _ => messages::clusters_named(clusters),
    };
    let namespaces = &rows.live.subscription().scope.namespaces;
    messages::place_in(&cluster, &messages::place_of(namespaces, rows.kind.namespaced))
}
