//! The menu from which a reader takes a view along: its link, the kubectl command that shows the same, and the HTML that
//! shows it in another page.

use shared::name::ClusterName;
use shared::resource::Kind;

use super::command::{Command, Subject, ViewColumns};
use super::model::ExportModel;
use super::{snippet, words};
use crate::address;
use crate::kubectl;
use crate::query::Sort;
use crate::query::sort::column_key;
use crate::table_view::Client;

/// The menu, open or closed.
#[derive(Default)]
pub(crate) struct ExportMenu {
    is_open: bool,
}

impl ExportMenu {
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    pub(crate) fn show(&mut self, is_open: bool) {
        self.is_open = is_open;
    }
}

/// What the menu is about: the view of a pane, which makes it for each rendering of the open menu.
pub(crate) struct Exported<'a> {
    pub(crate) address: address::Pane,
    pub(crate) kind: &'a Kind,
    pub(crate) clusters: &'a [ClusterName],
    pub(crate) sort: Option<&'a Sort>,
    pub(crate) columns: ViewColumns<'a>,
    pub(crate) count: Count,
}

/// How much a file would have.
#[derive(Clone, Copy)]
pub(crate) enum Count {
    Rows { rows: usize, are_selected: bool },
    Events(usize),
}

pub(crate) fn menu(exported: Exported<'_>, client: &Client) -> ExportModel {
    let Exported { address, kind, clusters, sort, columns, count } = exported;
    let order = sort.map(|sort| {
        let mut columns = columns.table.iter();
        let sorted = columns.rfind(|column| column_key(&column.name) == *sort.column);
        sorted.map_or_else(|| sort.column.to_string(), |column| column.title())
    });
    let command = Command::of(Subject {
        location: &address.location,
        look: address.look,
        kind,
        context: kubectl::context(client, clusters.first()),
        other_contexts: clusters
            .iter()
            .skip(1)
            .map(|name| kubectl::context(client, Some(name)).unwrap_or(name.as_str()))
            .collect(),
        order: order.as_deref(),
        columns,
    });
    ExportModel {
        link: address.href(),
        element: snippet::element(address),
        line: command.line(),
        words: command.words,
        notes: command.notes,
        rows: match count {
            Count::Rows { rows, are_selected } => words::rows_to_export(rows, are_selected),
            Count::Events(events) => words::events_to_export(events),
        },
    }
}
