//! A pane's location: completed, so that its link means the same for all readers at all times; and as the scope of
//! a subscription.

use std::borrow::Cow;
use std::rc::Rc;

use shared::name::ClusterName;
use shared::resource::{Kind, resolve};
use shared::scope::{Namespaces, Scope};
use shared::state::UnixMillis;

use super::displayed::Displayed;
use crate::location::{Location, Place};
use crate::past::At;
use crate::query::sort::TROUBLE_KEY;
use crate::query::{Direction, Sort};
use crate::table_view::Client;

/// The kinds of which readers want to see first what is wrong.
const TROUBLE_FIRST: [&str; 8] = [
    "pods",
    "deployments.apps",
    "statefulsets.apps",
    "daemonsets.apps",
    "replicasets.apps",
    "jobs.batch",
    "nodes",
    "persistentvolumeclaims",
];

/// The order of a kind that a reader opens for the first time. A link says its own.
pub(crate) fn first_order(resource: &str) -> Option<Sort> {
    TROUBLE_FIRST.contains(&resource).then(trouble_first)
}

fn trouble_first() -> Sort {
    Sort { column: TROUBLE_KEY.into(), direction: Direction::Ascending }
}

/// The kind, and the clusters whose objects are shown.
pub(crate) type Completed = (Rc<Kind>, Vec<ClusterName>);

/// The kind and the clusters that the location names; the location is completed with them. `Err`: what stands there
/// without a view.
pub(super) fn complete(location: &mut Location, client: &Client) -> Result<Completed, Displayed> {
    if location.resource.is_empty() {
        location.resource = "pods".into();
        if location.sort.is_none() {
            location.sort = first_order(&location.resource);
        }
    }
    let clusters = clusters(location, client)?;
    let kind = kind(&location.resource, &clusters, client)?;
    location.resource = match &kind {
        Cow::Borrowed(kind) => kind.resource.to_string(),
        // The link keeps a version that isn't the preferred one.
        Cow::Owned(kind) => kind.resource.with_version(),
    }
    .into();
    if !location.is_of_all_clusters() {
        location.cluster = Some(joined(&clusters).into());
    }
    if let Some(panel) = &mut location.panel {
        match clusters.as_slice() {
            [only] if panel.cluster.as_ref() == Some(only) => panel.cluster = None,
            [first, _, ..] => drop(panel.cluster.get_or_insert_with(|| first.clone())),
            _ => {}
        }
    }
    // Each of several clusters has a context of its own.
    let context = match clusters.as_slice() {
        [only] => client.cluster_named(Some(only)).map(|cluster| cluster.namespaces.as_slice()),
        _ => None,
    };
    location.place = match (kind.namespaced, location.namespaces(context.unwrap_or_default())) {
        (false, _) => Place::Cluster,
        (true, Namespaces::All) => Place::All,
        (true, Namespaces::These(names)) => Place::These(names),
    };
    Ok((Rc::new(kind.into_owned()), clusters))
}

/// The time that can be looked at: what isn't yet can't, and a record that is replayed has no present.
pub(super) fn settle_time(location: &mut Location, client: &Client, now_ms: UnixMillis) {
    if let Some(replays) = client.welcome().and_then(|welcome| welcome.replays) {
        let end = At::new(replays.to_ms);
        location.at = Some(location.at.map_or(end, |at| at.min(end)));
    }
    let now_ms = client.gateway_ms(now_ms);
    location.at = location.at.filter(|at| at.ms() <= now_ms);
    location.against.take_if(|_| location.at.is_none());
}

/// The clusters of the list of what is wrong; the location is completed with them. Without namespaces it is of all.
pub(super) fn complete_wrong(
    location: &mut Location,
    client: &Client,
) -> Result<Vec<ClusterName>, Displayed> {
    let clusters = clusters(location, client)?;
    if !location.is_of_all_clusters() {
        location.cluster = Some(joined(&clusters).into());
    }
    if location.place == Place::Context {
        location.place = Place::All;
    }
    Ok(clusters)
}

fn joined(clusters: &[ClusterName]) -> String {
    clusters.iter().map(ClusterName::as_str).collect::<Vec<_>>().join(",")
}

/// The clusters that the location names, of which the gateway has at least one.
fn clusters(location: &Location, client: &Client) -> Result<Vec<ClusterName>, Displayed> {
    let served = client.clusters();
    if served.is_empty() {
        return Err(Displayed::Unresolved);
    }
    let clusters = location.clusters(served);
    if !clusters.iter().any(|name| client.cluster_named(Some(name)).is_some()) {
        let served: Vec<ClusterName> = served.iter().map(|cluster| cluster.name.clone()).collect();
        return Err(Displayed::OtherCluster { served: joined(&served).replace(',', ", ").into() });
    }
    Ok(clusters)
}

/// The kind as the first of these clusters serves it, or as another one does where one of these was never reached.
fn kind<'a>(
    resource: &str,
    clusters: &[ClusterName],
    client: &'a Client,
) -> Result<Cow<'a, Kind>, Displayed> {
    let is_unknown =
        |name: &ClusterName| client.cluster_named(Some(name)).is_none_or(|it| it.version.is_empty());
    let others = client.clusters().iter().map(|cluster| &cluster.name);
    let others = others.filter(|_| clusters.iter().any(is_unknown));
    let mut refused = Displayed::Unresolved;
    for kinds in clusters.iter().chain(others).filter_map(|name| client.kinds_of(Some(name))) {
        match resolve(&kinds.kinds, resource) {
            Ok(kind) => return Ok(kind),
            Err(problem) if matches!(refused, Displayed::Unresolved) => refused = Displayed::Unknown(problem),
            Err(_) => {}
        }
    }
    Err(refused)
}

/// The scope of a view. It names a single cluster; in a view of several clusters each is asked by itself, so the
/// scope names none.
pub(super) fn scope(location: &Location, kind: &Kind, clusters: &[ClusterName], client: &Client) -> Scope {
    Scope {
        cluster: match clusters {
            [only] => client.in_scope(only),
            _ => None,
        },
        resource: kind.resource.clone(),
        namespaces: location.namespaces(&[]),
        name: None,
        labels: location.labels.clone(),
        fields: location.fields.clone(),
    }
}

/// Selectors and filter, as the head of a board's pane shows them.
pub(super) fn query(location: &Location) -> String {
    let labels = location.labels.as_ref().map(ToString::to_string);
    let fields = location.fields.as_ref().map(|fields| fields.as_str().to_owned());
    let query = Some(location.query.to_string()).filter(|query| !query.is_empty());
    [labels, fields, query].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The reader's order, or that of the kind: Events stand with the last seen first, where the server has them by
/// namespace and name.
pub(super) fn order(location: &Location) -> Option<Sort> {
    let is_events = matches!(&*location.resource, "events" | "events.events.k8s.io");
    let last_seen = || Sort { column: "last-seen".into(), direction: Direction::Ascending };
    location.sort.clone().or_else(|| is_events.then(last_seen))
}

/// The key of the column with the names of objects.
pub(super) const NAME_KEY: &str = "name";

/// Sorts ascending, then descending, then back to the server's order. `is_count`: of trouble or of what is used, so
/// the highest come first.
pub(super) fn sort_by(location: &mut Location, column: &str, is_count: bool) {
    let (first, second) = match is_count {
        true => (Direction::Descending, Direction::Ascending),
        false => (Direction::Ascending, Direction::Descending),
    };
    let sorted = order(location).filter(|sort| *sort.column == *column).map(|sort| sort.direction);
    location.sort = None;
    let direction = match sorted {
        None => first,
        Some(direction) if direction == first => second,
        Some(_) => return,
    };
    location.sort = Some(Sort { column: column.into(), direction });
}

/// The worst rows first, or back to the server's order.
pub(super) fn toggle_trouble_first(location: &mut Location) {
    let is_on = location.sort.take().is_some_and(|sort| *sort.column == *TROUBLE_KEY);
    location.sort = (!is_on).then(trouble_first);
}
