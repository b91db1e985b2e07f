//! Small tables for the tests of this crate.

use shared::cell::Cell;
use shared::column::Column;
use shared::frame::server::{Rows, Subscribed};
use shared::resource::Resource;
use shared::row::{Row, RowId};
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, ViewState};

use super::Table;

pub(crate) fn column(name: &str) -> Column {
    Column {
        name: name.into(),
        kind: "string".into(),
        format: "".into(),
        description: "".into(),
        priority: 0,
        path: "".into(),
    }
}

pub(crate) fn scope(resource: &str) -> Scope {
    Scope {
        cluster: None,
        resource: Resource::parse("", "v1", resource).expect("a resource"),
        namespaces: Namespaces::All,
        name: None,
        labels: None,
        fields: None,
    }
}

pub(crate) fn subscribed(id: u32, epoch: &str, columns: &[&str]) -> Subscribed {
    Subscribed {
        id,
        view: 7,
        scope: scope("pods"),
        projection: Default::default(),
        at: None,
        cluster: "c".into(),
        columns_hash: columns.join(",").into(),
        epoch: epoch.into(),
        columns: columns.iter().map(|name| column(name)).collect(),
        state: StateReport::of(ViewState::Live),
    }
}

/// An id that is its number.
pub(crate) fn id(number: u64) -> RowId {
    RowId::from_hash(number << 4)
}

pub(crate) fn row(number: u64, key: &str, cells: &[&str]) -> Row {
    let (namespace, name) = key.split_once('/').expect("namespace/name");
    Row {
        id: id(number),
        resource_version: "1".into(),
        namespace: Some(namespace.into()),
        name: name.into(),
        created: None,
        cells: cells.iter().map(|text| Cell::text(text)).collect(),
        extra: None,
    }
}

pub(crate) fn table_of(columns: &[&str], rows: Vec<Row>) -> Table {
    table_with(columns.iter().map(|name| column(name)).collect(), rows)
}

pub(crate) fn table_with(columns: Vec<Column>, rows: Vec<Row>) -> Table {
    let mut table = Table::default();
    table.subscribed(&Subscribed { columns, ..subscribed(1, "e", &["any"]) });
    let frame = Rows { view: 7, from: 0, to: 1, put: rows, ..Rows::default() };
    table.apply(frame).expect("a first frame");
    table
}

pub(crate) fn named_table(keys: &[&str]) -> Table {
    let rows = keys.iter().zip(1..).map(|(key, number)| row(number, key, &[key])).collect();
    table_of(&["Name"], rows)
}
