//! The menu from which a reader takes a view along: its link, the kubectl command that shows the same, and the HTML that
//! shows it in another page.

use shared::frame::server::LoginMode;
use shared::name::ClusterName;

use super::command::{Command, Subject};
use super::model::{ExportModel, GATEWAY, ThroughModel};
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
    let subject = Subject {
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
    };
    let through = through(&subject, clusters.first(), client);
    let command = Command::of(subject);
    ExportModel {
        link: address.href(),
        element: snippet::element(address),
        line: command.line(),
        words: command.words,
        notes: command.notes,
        through,
        rows: match count {
            Count::Rows { rows, are_selected } => words::rows_to_export(rows, are_selected),
            Count::Events(events) => words::events_to_export(events),
        },
    }
}

/// The context of a cluster in a kubeconfig that `dogwatch kubeconfig` wrote. `None`: a client of the Kubernetes API
/// doesn't come through the proxy before the gateway.
fn through(subject: &Subject<'_>, cluster: Option<&ClusterName>, client: &Client) -> Option<ThroughModel> {
    let welcome = client.welcome()?;
    let cluster = cluster.or(welcome.clusters.first().map(|home| &home.name))?;
    let setup = match welcome.viewer.mode {
        LoginMode::Local => format!("dogwatch kubeconfig --output {KUBECONFIG}"),
        LoginMode::Bearer | LoginMode::Oidc => {
            format!("dogwatch kubeconfig --server {GATEWAY} --cluster {cluster} --output {KUBECONFIG}")
        }
        LoginMode::Proxy => return None,
    };
    let context = format!("dogwatch-{cluster}");
    let command = Command::of(Subject { context: Some(&context), ..subject.clone() });
    Some(ThroughModel { line: command.line_with(KUBECONFIG), setup })
}

/// The file that the kubeconfig is written to.
const KUBECONFIG: &str = "dogwatch.kubeconfig";
