//! The menu from which a reader takes a view along: its link, the kubectl command that shows the same, and the HTML that
//! shows it in another page.

use super::command::{Command, Subject};
use super::model::ExportModel;
use super::part::{Count, Exported, Part};
use super::{snippet, words};
use crate::kubectl;
use crate::query::Source;
use crate::table_view::Client;

/// Named in the piece alone.
pub(crate) const PART: Part = Part { menu };

fn menu(exported: Exported<'_>, client: &Client) -> ExportModel {
    let Exported { address, kind, clusters, sort, columns, count } = exported;
    let order = sort.map(|sort| {
        let sorted = match Source::of(&sort.column, columns.table) {
            Some(Source::Cell(at)) => columns.table.get(at),
            Some(Source::Namespace) | None => None,
        };
        sorted.map_or_else(|| sort.column.to_string(), |column| column.title())
    });
    let others = clusters.iter().skip(1);
    let others: Vec<_> = others.map(|name| (name.as_str(), kubectl::context(client, Some(name)))).collect();
    let command = Command::of(Subject {
        location: &address.location,
        look: address.look,
        kind,
        is_replay: client.welcome().is_some_and(|welcome| welcome.replays.is_some()),
        context: kubectl::context(client, clusters.first()),
        other_contexts: others.iter().filter_map(|(_, context)| *context).collect(),
        other_clusters: others
            .iter()
            .filter(|(_, context)| context.is_none())
            .map(|(name, _)| *name)
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
