//! The text of a cell, as kubectl prints it, in the spans that its column needs. Never another text.

use crate::cells;
use crate::names;
use crate::status::{Class, RowHealth, StatusColumns, is_short};
use shared::duration::UnixSeconds;
use shared::row::Row;

use super::column::{Column, Look};
use crate::model::{Body, TextLook};
use crate::query::Source;

pub(super) fn body(row: &Row, column: &Column, status: &StatusColumns, cluster_now: UnixSeconds) -> Body {
    let index = match column.source {
        Source::Namespace => {
            return Body::Plain {
                text: row.namespace.as_deref().unwrap_or_default().to_owned(),
                look: TextLook::Identifier,
            };
        }
        Source::Cell(index) => index,
    };
    let Some(cell) = row.cells.get(index) else {
        return Body::Plain { text: String::new(), look: TextLook::Words };
    };
    let text = cells::in_column(cell, cluster_now);
    match column.look {
        Look::Name => name(row, text),
        Look::Status => {
            let class = status.read(row, cluster_now).map_or(Class::Idle, |(_, class)| class);
            let why = why(row, cluster_now).filter(|why| **why != *text).unwrap_or_default();
            Body::Status { class, text, why }
        }
        Look::Ready => {
            // A completed pod has no ready container, and that is no trouble.
            let is_done = status.read(row, cluster_now).is_some_and(|(_, class)| class == Class::Done);
            let look = if is_short(cell) && !is_done { TextLook::Short } else { TextLook::Words };
            Body::Plain { look, text }
        }
        Look::Count => match text.find(" (") {
            Some(at) => {
                let (count, ago) = text.split_at(at);
                Body::Count { text: count.to_owned(), ago: Some(ago.to_owned()) }
            }
            None => Body::Count { text, ago: None },
        },
        Look::Identifier | Look::Cluster | Look::Namespace | Look::Address if is_nothing(&text) => {
            Body::Plain { look: TextLook::NoIdentifier, text }
        }
        Look::Identifier | Look::Cluster | Look::Namespace | Look::Address => {
            Body::Plain { look: TextLook::Identifier, text }
        }
        Look::Words if is_nothing(&text) => Body::Plain { look: TextLook::Nothing, text },
        Look::Words => Body::Plain { look: TextLook::Words, text },
    }
}

/// Why a row isn't fine, in the words of Kubernetes.
fn why(row: &Row, cluster_now: UnixSeconds) -> Option<String> {
    let is_fine = matches!(RowHealth::of(row, cluster_now), RowHealth::Fine | RowHealth::Unknown);
    let health = row.health().filter(|_| !is_fine)?;
    Some(cells::shown(&health.reason).into_owned())
}

/// In three spans if the cell is the object's name; the name column of some tables has another text.
fn name(row: &Row, text: String) -> Body {
    let parts = names::parts(row);
    if text != *row.name {
        return Body::Name { owner: text, middle: String::new(), tail: String::new() };
    }
    // The hash and the suffix begin with a dash; on the page the dash belongs to the span before.
    let (dash, tail) = match parts.suffix.strip_prefix('-') {
        Some(tail) => ("-", tail),
        None => ("", parts.suffix),
    };
    let (owner_dash, middle) = match parts.hash.strip_prefix('-') {
        Some(hash) => ("-", format!("{hash}{dash}")),
        None => (dash, parts.hash.to_owned()),
    };
    Body::Name { owner: format!("{}{owner_dash}", parts.owner), middle, tail: tail.to_owned() }
}

fn is_nothing(text: &str) -> bool {
    matches!(text, "<none>" | "<unknown>" | "<unset>")
}

#[cfg(test)]
mod tests {
    use replica::testing::{column as served, row};
    use shared::cell::Cell;
    use shared::health::{Health, HealthClass};
    use shared::row::Extra;

    use super::*;
    use crate::columns::Placed;

    /// A cell of this column.
    fn shown(name: &str, text: &str) -> Body {
        shown_of(&row(1, "shop/web-1", &["web-1", text]), name)
    }

    fn shown_of(row: &Row, name: &str) -> Body {
        let mut columns = vec![served("Name"), served(name)];
        columns[0].format = "name".into();
        let status = StatusColumns::of(&columns);
        let placed = Placed { key: String::new(), source: Source::Cell(1), width_px: None };
        let column = Column::of(&placed, &columns, &status).expect("a column");
        body(row, &column, &status, 0)
    }

    fn plain(look: TextLook, text: &str) -> Body {
        Body::Plain { text: text.to_owned(), look }
    }

    fn status(text: &str, why: &str) -> Body {
        Body::Status { class: Class::Ok, text: text.to_owned(), why: why.to_owned() }
    }

    #[test]
    fn a_status_tells_why_it_is_one_unless_its_text_does() {
        let mut web = row(1, "shop/web-1", &["web-1", "Running"]);
        let (reason, since) = ("Restarted twice".into(), Some(0));
        let health = Health { class: HealthClass::NotReady, reason, since, then: Vec::new(), failed: None };
        web.extra = Some(Box::new(Extra { health: Some(health), ..Extra::default() }));
        let why = |row: &Row| match shown_of(row, "Status") {
            Body::Status { why, .. } => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(why(&web), "Restarted twice");
        web.cells[1] = Cell::Text("Restarted twice".into());
        assert_eq!(why(&web), "");
    }

    #[test]
    fn a_cell_looks_as_its_column_and_its_text_ask() {
        for (name, text, expected) in [
            ("Status", "Running", status("Running", "")),
            ("Ready", "1/2", status("1/2", "")),
            ("IP", "10.0.0.1", plain(TextLook::Identifier, "10.0.0.1")),
            ("IP", "<none>", plain(TextLook::NoIdentifier, "<none>")),
            ("Class", "<none>", plain(TextLook::Nothing, "<none>")),
            ("Restarts", "5", Body::Count { text: "5".to_owned(), ago: None }),
            (
                "Restarts",
                "5 (2m ago)",
                Body::Count { text: "5".to_owned(), ago: Some(" (2m ago)".to_owned()) },
            ),
        ] {
            assert_eq!(shown(name, text), expected, "{name} {text}");
        }
    }

    #[test]
    fn a_name_stands_in_its_owners_part_and_what_kubernetes_added() {
        let mut pod = row(1, "shop/web-7d4b9c6f5d-x2x9z", &["web-7d4b9c6f5d-x2x9z"]);
        let column = Column { look: Look::Name, ..Column::of_test("NAME") };
        let parts = |row: &Row| match body(row, &column, &StatusColumns::default(), 0) {
            Body::Name { owner, middle, tail } => [owner, middle, tail],
            other => panic!("{other:?}"),
        };
        assert_eq!(parts(&pod).concat(), "web-7d4b9c6f5d-x2x9z");
        pod.cells = vec![Cell::text("another text")];
        assert_eq!(parts(&pod), ["another text", "", ""]);
    }
}
