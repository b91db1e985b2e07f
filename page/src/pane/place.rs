//! A pane's location: completed, so that its link means the same for all readers at all times; and as the scope of
//! a subscription.

use shared::frame::server::Welcome;
use shared::resource::Kind;
use shared::scope::{Namespaces, Scope};

use crate::location::{Location, Place};
use crate::query::{Direction, Sort};

pub(super) fn complete(location: &mut Location, welcome: &Welcome, kind: &Kind) {
    location.resource = kind.resource.to_string().into();
    location.cluster = Some(welcome.cluster.name.clone());
    location.place = match (kind.namespaced, location.namespaces(&welcome.namespaces)) {
        (false, _) => Place::Cluster,
        (true, Namespaces::All) => Place::All,
        (true, Namespaces::These(names)) => Place::These(names),
    };
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

/// Sorts ascending, then descending, then back to the server's order.
pub(super) fn sort_by(location: &mut Location, column: &str) {
    let sorted = location.sort.take().filter(|sort| *sort.column == *column).map(|sort| sort.direction);
    let direction = match sorted {
        None => Direction::Ascending,
        Some(Direction::Ascending) => Direction::Descending,
        Some(Direction::Descending) => return,
    };
    location.sort = Some(Sort { column: column.into(), direction });
}
