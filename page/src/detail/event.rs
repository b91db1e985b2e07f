//! The Events of one object: the scope to subscribe to, and the rows of that table as Events, newest first.
//! Never more of them than a person reads.

use serde_json::Value;
use shared::cell::Cell;
use shared::column::Column;
use shared::duration::UnixSeconds;
use shared::frame::server::RecordedEvent;
use shared::resource::Kind;
use shared::row::{Row, RowId};
use shared::scope::Scope;
use shared::selector::FieldSelector;
use shared::sorted;

use super::reference::Reference;
use super::tree::served;
use crate::cells;
use crate::limits::PANEL_EVENTS_MAX;
use crate::location::PanelPlace;
use crate::status::Class;

/// One Event of an object, with the texts that the panel shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    pub id: RowId,
    pub namespace: Option<String>,
    pub name: String,
    /// The Event's own panel, if the cluster serves its kind.
    pub href: Option<String>,
    pub at: Option<UnixSeconds>,
    /// `pod/web-1`
    pub object: String,
    /// `4m36s`, as kubectl prints it.
    pub last_seen: String,
    pub kind: String,
    pub class: Class,
    pub reason: String,
    pub message: String,
    pub count: String,
}

/// Events are in their object's namespace; those of a cluster-scoped object are in `default`.
pub fn scope(object: &Value, kinds: &[Kind]) -> Option<Scope> {
    let itself = Reference::to(object)
        .filter(|itself| itself.kind != "Event" || !matches!(&*itself.group, "" | "events.k8s.io"))?;
    let mut fields =
        vec![format!("involvedObject.kind={}", itself.kind), format!("involvedObject.name={}", itself.name)];
    if let Some(namespace) = &itself.namespace {
        fields.push(format!("involvedObject.namespace={namespace}"));
    }
    // A kubelet writes the node's name as the uid of its Events.
    if let Some(uid) = itself.uid.as_deref().filter(|_| !itself.is_of("", "Node")) {
        fields.push(format!("involvedObject.uid={uid}"));
    }
    Some(Scope {
        cluster: None,
        resource: served(kinds, "", "events")?,
        namespaces: itself.namespaces()?,
        name: None,
        labels: None,
        fields: Some(FieldSelector::parse(&fields.join(",")).ok()?),
    })
}

/// The Events of all objects of this kind in the namespace of an object.
pub fn scope_of_kind(object: &Value, kind: &str, kinds: &[Kind]) -> Option<Scope> {
    let namespaces = Reference::to(object)?.namespaces()?;
    let fields = FieldSelector::parse(&format!("involvedObject.kind={kind}")).ok()?;
    let resource = served(kinds, "", "events")?;
    Some(Scope { cluster: None, resource, namespaces, name: None, labels: None, fields: Some(fields) })
}

/// The object that an Event's row is about, by OBJECT: `pod/web-1`. `None` if no kind, or more than one, has that name:
/// the Event itself names the group.
pub fn subject(columns: &[Column], row: &Row, kinds: &[Kind]) -> Option<PanelPlace> {
    let place = columns.iter().position(|column| column.name.eq_ignore_ascii_case("object"))?;
    let Cell::Text(object) = row.cells.get(place)? else { return None };
    let (word, name) = object.split_once('/')?;
    let mut named = kinds.iter().filter(|kind| kind.kind.eq_ignore_ascii_case(word));
    let (Some(kind), None) = (named.next(), named.next()) else { return None };
    let namespace = row.namespace.as_deref().filter(|_| kind.namespaced);
    let resource = Some(kind.resource.to_string().into());
    Some(PanelPlace { resource, ..PanelPlace::named(namespace, name)? })
}

/// The newest Events, and how many more there are.
pub fn events<'a>(
    columns: &[Column],
    rows: impl Iterator<Item = &'a Row>,
    now: UnixSeconds,
) -> (Vec<Event>, usize) {
    let place = |name: &str| columns.iter().position(|column| column.name.eq_ignore_ascii_case(name));
    let seen = place("last seen");
    let mut rows: Vec<&Row> = rows.collect();
    let last_seen_at = |row: &Row| match row.cells.get(seen?)? {
        Cell::Age(at) => *at,
        Cell::Ago(ago) => Some(ago.at),
        _ => None,
    };
    // Events say whole seconds. Within one, a later version was written later, so no effect stands below its cause.
    sorted::sort_by(&mut rows, |a, b| {
        let [a, b] = [a, b].map(|row| {
            let version = row.resource_version.as_str();
            (last_seen_at(row).or(row.created), version.len(), version)
        });
        b.cmp(&a)
    });
    let more = rows.len().saturating_sub(PANEL_EVENTS_MAX);
    let places = [seen, place("type"), place("reason"), place("object"), place("message"), place("count")];
    let event = |row: &&Row| {
        let text = |place: Option<usize>| {
            let cell = place.and_then(|place| row.cells.get(place));
            cell.map(|cell| cells::text(cell, now)).unwrap_or_default()
        };
        let [last_seen, kind, reason, object, message, count] = places.map(text);
        let namespace = row.namespace.as_deref().map(str::to_owned);
        let (name, href) = (row.name.to_string(), None);
        Event {
            id: row.id,
            namespace,
            name,
            href,
            at: last_seen_at(row).or(row.created),
            object,
            last_seen,
            class: class(&kind),
            kind,
            reason,
            message,
            count,
        }
    };
    (rows.iter().take(PANEL_EVENTS_MAX).map(event).collect(), more)
}

/// An Event from the gateway's record, as a row of the table is shown.
pub fn of_record(event: &RecordedEvent, now: UnixSeconds) -> Event {
    let shown = |text: &str| cells::shown(text).into_owned();
    Event {
        id: event.row,
        namespace: None,
        name: event.name.to_string(),
        // The API server may have forgotten it.
        href: None,
        at: event.seen,
        object: String::new(),
        last_seen: cells::text(&Cell::Age(event.seen), now),
        class: class(&event.kind),
        kind: shown(&event.kind),
        reason: shown(&event.reason),
        message: shown(&event.message),
        count: event.count.map(|count| count.to_string()).unwrap_or_default(),
    }
}

fn class(kind: &str) -> Class {
    if kind == "Warning" { Class::Warn } else { Class::Idle }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shared::name::Namespace;

    use super::super::testing::kind;
    use super::*;
    use replica::testing::{self, column};

    fn row(number: u64, cells: &[Cell]) -> Row {
        Row { cells: cells.to_vec(), ..testing::row(number, "shop/e", &[]) }
    }

    #[test]
    fn events_stand_newest_first_with_their_wide_columns() {
        let columns = ["Last Seen", "Type", "Reason", "Object", "Message", "Count"].map(column);
        let event = |number: u64, at: i64, kind: &str, reason: &str, count: i64| {
            let [kind, reason, object, message] = [kind, reason, "pod/a", "it is so"].map(Cell::text);
            row(number, &[Cell::Age(Some(at)), kind, reason, object, message, Cell::Int(count)])
        };
        let rows = [event(1, 100, "Normal", "Scheduled", 1), event(2, 160, "Warning", "BackOff", 61)];
        let (events, more) = events(&columns, rows.iter(), 171);
        assert_eq!(more, 0);
        let said: Vec<String> = events
            .iter()
            .map(|event| format!("{} {} {} {}", event.last_seen, event.kind, event.reason, event.count))
            .collect();
        assert_eq!(said, ["11s Warning BackOff 61", "71s Normal Scheduled 1"]);
        assert_eq!(events[0].class, Class::Warn);
    }

    #[test]
    fn of_one_second_the_event_that_was_written_later_stands_first() {
        let columns = ["Last Seen"].map(column);
        let event = |version: &str| {
            let row = row(version.len() as u64, &[Cell::Age(Some(100))]);
            Row { name: version.into(), resource_version: version.into(), ..row }
        };
        let rows = ["1001", "999", "1000"].map(event);
        let (events, _) = events(&columns, rows.iter(), 171);
        let names: Vec<&str> = events.iter().map(|event| &*event.name).collect();
        assert_eq!(names, ["1001", "1000", "999"]);
    }

    #[test]
    fn only_the_newest_are_shown_and_the_rest_is_counted() {
        let columns = ["Last Seen"].map(column);
        let count = i64::try_from(PANEL_EVENTS_MAX).expect("small") + 7;
        let rows: Vec<Row> =
            (0..count).map(|at| row(u64::try_from(at).expect("positive"), &[Cell::Age(Some(at))])).collect();
        let (events, more) = events(&columns, rows.iter(), count);
        assert_eq!((events.len(), more), (PANEL_EVENTS_MAX, 7));
        assert_eq!(events[0].last_seen, "1s");
    }

    #[test]
    fn an_object_is_asked_about_by_its_uid_and_a_node_by_its_name() {
        let kinds = [kind("", "events", "Event", true)];
        let asked = |object: &Value| {
            let scope = scope(object, &kinds).expect("a scope");
            (
                scope.namespaces.only().map(Namespace::to_string),
                scope.fields.expect("fields").as_str().to_owned(),
            )
        };
        let pod = json!({"kind": "Pod", "apiVersion": "v1",
            "metadata": {"name": "a", "namespace": "shop", "uid": "5-6"}});
        let fields = "involvedObject.kind=Pod,involvedObject.name=a,involvedObject.namespace=shop,involvedObject.uid=5-6";
        assert_eq!(asked(&pod), (Some("shop".to_owned()), fields.to_owned()));
        let node = json!({"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n", "uid": "7"}});
        assert_eq!(asked(&node), (None, "involvedObject.kind=Node,involvedObject.name=n".to_owned()));
        let odd = json!({"kind": "Pod", "metadata": {"name": "a", "namespace": "no such/one"}});
        assert_eq!(scope(&odd, &kinds), None);
    }
}
