//! A shown column: where its cells come from, and how they look. Never a cell.

use std::sync::Arc;

use crate::columns::Placed;
use crate::model::Fold;
use crate::query::Source;
use crate::query::sort::{NAMESPACE_KEY, column_key};
use crate::query::value::is_quantity;
use crate::status::StatusColumns;
use crate::usage::is_usage;
use replica::table::clusters::names_clusters;
use shared::column::Column as Served;

/// A shown column: where its cells come from, and how they are drawn. It is made from the server's columns and the reader's
/// settings each time that one of them changes; measuring, drawing and the export read it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    pub(super) source: Source,
    pub(super) title: String,
    pub(super) description: String,
    /// Its name in sorts and links.
    pub(super) key: Arc<str>,
    pub(super) look: Look,
    /// Durations and plain numbers stand at the end of their column.
    pub(super) at_end: bool,
    /// The server shows it on request.
    pub(super) is_wide: bool,
    /// The width to which a reader dragged it.
    pub(super) width_px: Option<u16>,
    /// Its cells aren't the server's, but joined from what is polled.
    pub(super) is_usage: bool,
    /// Its place in a row of two lines.
    pub(super) fold: Option<Fold>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Name,
    Cluster,
    Namespace,
    Status,
    Ready,
    /// A number that may be followed by how long ago.
    Count,
    /// Made by Kubernetes: monospaced.
    Identifier,
    /// An identifier that is never cut.
    Address,
    Words,
}

impl Column {
    pub(super) fn of(placed: &Placed, served: &[Served], status: &StatusColumns) -> Option<Self> {
        let Source::Cell(index) = placed.source else { return Some(Self::namespace(placed.width_px)) };
        let column = served.get(index)?;
        let name = column_key(&column.name);
        let look = look(index, column, &name, status);
        Some(Self {
            source: placed.source,
            title: column.title(),
            description: if column.is_custom() { &column.path } else { &column.description }.to_string(),
            look,
            at_end: look == Look::Words && is_figure(column, &name),
            key: placed.key.as_str().into(),
            is_wide: column.is_wide(),
            width_px: placed.width_px,
            is_usage: is_usage(column),
            fold: None,
        })
    }

    fn namespace(width_px: Option<u16>) -> Self {
        Self {
            source: Source::Namespace,
            title: "NAMESPACE".to_owned(),
            description: String::new(),
            key: NAMESPACE_KEY.into(),
            look: Look::Namespace,
            at_end: false,
            is_wide: false,
            width_px,
            is_usage: false,
            fold: None,
        }
    }

    /// A column of words, for tests.
    #[cfg(test)]
    pub(super) fn of_test(title: &str) -> Self {
        Self {
            source: Source::Cell(0),
            title: title.to_owned(),
            key: title.to_lowercase().replace(' ', "-").into(),
            look: Look::Words,
            ..Self::namespace(None)
        }
    }

    /// Before its cells in a row of two lines.
    pub(super) fn label(&self) -> Option<String> {
        let speaks = matches!(&*self.key, "status" | "phase" | "type");
        match self.fold? {
            Fold::BeforeLead | Fold::Lead | Fold::End | Fold::Cluster | Fold::Rest => None,
            Fold::Status if speaks => None,
            Fold::Pair if *self.key == *"reason" => None,
            Fold::Status | Fold::Pair => Some(self.title.clone()),
        }
    }

    /// The index of its cells, by which changes name them.
    pub(super) fn cell(&self) -> Option<u16> {
        match self.source {
            Source::Namespace => None,
            Source::Cell(index) => u16::try_from(index).ok(),
        }
    }
}

fn look(index: usize, column: &Served, key: &str, status: &StatusColumns) -> Look {
    if &*column.format == "name" {
        return Look::Name;
    }
    if names_clusters(column) {
        return Look::Cluster;
    }
    if status.status() == Some(index) {
        return Look::Status;
    }
    if status.ready() == Some(index) {
        return Look::Ready;
    }
    match key {
        "restarts" => Look::Count,
        "ip" | "cluster-ip" | "external-ip" | "internal-ip" | "address" => Look::Address,
        "node" | "nominated-node" | "port(s)" | "selector" | "images" | "containers" | "object"
        | "labels" | "volume" | "claim" | "provisioner" | "hosts" | "addresses" | "endpoints" | "ports" => {
            Look::Identifier
        }
        _ => Look::Words,
    }
}

fn is_figure(column: &Served, key: &str) -> bool {
    matches!(&*column.kind, "integer" | "number" | "date")
        || &*column.format == "date-time"
        || is_quantity(column)
        || matches!(key, "age" | "duration" | "last-seen" | "last-schedule" | "first-seen")
}
