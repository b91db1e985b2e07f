//! A pane's location: completed, so that its link means the same for all readers at all times; and as the scope of
//! a subscription.

use std::rc::Rc;

use shared::resource::{Kind, resolve};
use shared::scope::{Namespaces, Scope};

use super::displayed::Displayed;
use crate::location::{Location, Place};
use crate::query::sort::TROUBLE_KEY;
use crate::query::{Direction, Sort};
use crate::table_view::Client;

/// The kind that the location names; the location is completed with it. `Err`: what stands there without a view.
pub(super) fn complete(location: &mut Location, client: &Client) -> Result<Rc<Kind>, Displayed> {
    if location.resource.is_empty() {
        location.resource = "pods".into();
    }
    let cluster = client.cluster();
    let served = cluster.map(|cluster| cluster.name.as_str());
    if let Some(served) = served.filter(|served| location.is_of_other_cluster(served)) {
        return Err(Displayed::OtherCluster { served: served.into() });
    }
    let kinds = client.kinds().ok_or(Displayed::Unresolved)?;
    let kind = resolve(&kinds.kinds, &location.resource).map_err(Displayed::Unknown)?;
    if let Some(cluster) = cluster {
        location.resource = kind.resource.to_string().into();
        location.cluster = served.map(Into::into);
        location.place = match (kind.namespaced, location.namespaces(&cluster.namespaces)) {
            (false, _) => Place::Cluster,
            (true, Namespaces::All) => Place::All,
            (true, Namespaces::These(names)) => Place::These(names),
        };
    }
    Ok(Rc::new(kind.clone()))
}

pub(super) fn scope(location: &Location, kind: &Kind) -> Scope {
    Scope {
        cluster: None,
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

/// Sorts ascending, then descending, then back to the server's order. `is_count`: of trouble, so the highest come
/// first.
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
    location.sort = (!is_on).then(|| Sort { column: TROUBLE_KEY.into(), direction: Direction::Ascending });
}
