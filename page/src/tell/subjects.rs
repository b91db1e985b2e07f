//! What may be asked about where the reader stands: an object, and the view.

use std::rc::Rc;

use shared::name::ClusterName;
use shared::resource::Kind;
use shared::scope::{Namespaces, Scope};

use super::part::{Asked, AskedAt, Subject};
use super::words;
use crate::action::TellAction;
use crate::address::{self, Look, Pane};
use crate::location::{Location, PanelPlace};
use crate::messages;
use crate::panel::Wanted;
use crate::table_view::Client;
use crate::wrong::CLUSTERS_MAX;

/// About what an action asks: the object of a line, or what the reader sees.
pub(super) fn asked(at: AskedAt<'_>, action: &TellAction) -> Vec<Subject> {
    let of_line = match action {
        TellAction::About(about) => PanelPlace::parse(&about.object).ok(),
        _ => None,
    };
    let object = of_line.or(at.object);
    subjects(&AskedAt { object, ..at })
}

pub(super) fn subjects(at: &AskedAt<'_>) -> Vec<Subject> {
    let clusters = (at.clusters, at.client);
    let object = at.object.as_ref().and_then(|panel| of_object(panel, at.kind, at.pane, clusters));
    // A board shows more than this view.
    let is_alone = at.pane.href() == at.href;
    let object = object.map(|object| match is_alone || at.pane.location.panel.is_some() {
        true => Subject { href: object.link.clone(), ..object },
        false => Subject { href: at.href.to_owned(), ..object },
    });
    object.into_iter().chain(of_shown_view(at)).collect()
}

fn of_shown_view(at: &AskedAt<'_>) -> Option<Subject> {
    if at.pane.look == Look::Wrong && !at.clusters.is_empty() {
        let subject = of_wrong(at.pane, (at.clusters, at.client));
        return Some(Subject { href: at.href.to_owned(), ..subject });
    }
    let view = at.view?;
    let subject = of_view(at.pane, at.kind?, view.scope.clone(), (at.clusters, at.client));
    Some(Subject { href: at.href.to_owned(), ..subject })
}

/// The view of a pane, whatever object is open beside it.
pub(super) fn of_view(
    pane: &Pane,
    kind: &Kind,
    scope: Scope,
    (clusters, client): (&[ClusterName], &Client),
) -> Subject {
    let place = messages::place_of(&scope.namespaces, kind.namespaced);
    let said = messages::view_of(scope.resource.resource.as_str(), &place, "");
    let said = in_clusters(said, clusters, client);
    let link = link(pane, None);
    let (asked, clusters) = (Asked::Rows(scope), clusters.to_vec());
    Subject { said, asked, clusters, is_single: false, href: link.clone(), link }
}

/// All that is wrong where a pane looks.
pub(super) fn of_wrong(pane: &Pane, (clusters, client): (&[ClusterName], &Client)) -> Subject {
    let clusters: Vec<ClusterName> = clusters.iter().take(CLUSTERS_MAX).cloned().collect();
    let namespaces = pane.location.namespaces(&[]);
    let said = messages::view_of(words::ALL_KINDS, &messages::place_of(&namespaces, true), "");
    let (said, asked) = (in_clusters(said, &clusters, client), Asked::Wrong(namespaces));
    let link = link(pane, None);
    Subject { said, asked, clusters, is_single: false, href: link.clone(), link }
}

/// The object of a panel beside a view of this kind.
pub(super) fn of_object(
    panel: &PanelPlace,
    kind: Option<&Rc<Kind>>,
    pane: &Pane,
    (clusters, client): (&[ClusterName], &Client),
) -> Option<Subject> {
    let cluster = panel.cluster.as_ref().or(clusters.first());
    let kind = match &panel.resource {
        Some(resource) => Wanted::kind_of(client, resource, cluster)?,
        None => Rc::clone(kind?),
    };
    let namespaces = match &panel.namespace {
        Some(name) => Namespaces::these(vec![name.clone()]).ok()?,
        None => Namespaces::All,
    };
    let place = panel.namespace.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
    let said = format!("{} {}{place}", kind.kind, panel.name);
    let said = in_clusters(said, cluster.map_or(&[], std::slice::from_ref), client);
    let (cluster, name) = (cluster.and_then(|name| client.in_scope(name)), Some(panel.name.clone()));
    let scope = Scope { cluster, namespaces, name, ..Scope::all(kind.resource.clone()) };
    let link = link(pane, Some(panel));
    let (asked, clusters) = (Asked::Rows(scope), Vec::new());
    Some(Subject { said, asked, clusters, is_single: true, href: link.clone(), link })
}

/// Names the clusters where the gateway shows several.
fn in_clusters(said: String, clusters: &[ClusterName], client: &Client) -> String {
    let named = messages::clusters_named(clusters);
    if client.clusters().len() < 2 || named.is_empty() { said } else { messages::of_cluster(&said, &named) }
}

/// The link of a view with one of its objects open.
pub(super) fn link_of_object(view: &str, panel: &PanelPlace) -> Option<String> {
    let pane = address::parse(view).0.panes.into_iter().next()?;
    Some(link(&pane, Some(panel)))
}

fn link(pane: &Pane, panel: Option<&PanelPlace>) -> String {
    let panel = panel.map(|panel| PanelPlace {
        cluster: panel.cluster.clone(),
        resource: panel.resource.clone(),
        ..PanelPlace::of(panel.namespace.clone(), panel.name.clone())
    });
    // What is asked is of now.
    let location = Location { panel, at: None, against: None, ..pane.location.clone() };
    Pane { look: pane.look, location, ..Pane::default() }.href()
}
