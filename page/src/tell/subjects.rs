//! What may be asked about where the reader stands: an object, and the view.

use std::rc::Rc;

use shared::scope::{Namespaces, Scope};

use super::part::{AskedAt, Subject};
use crate::location::PanelPlace;
use crate::messages;
use crate::panel::Wanted;

pub(super) fn subjects(at: &AskedAt<'_>) -> Vec<Subject> {
    let object = at.object.as_ref().and_then(|panel| of_object(at, panel));
    object.into_iter().chain(of_view(at)).collect()
}

fn of_view(at: &AskedAt<'_>) -> Option<Subject> {
    let view = at.view?;
    let place = messages::place_of(&view.scope.namespaces, at.kind?.namespaced);
    let said = messages::view_of(view.scope.resource.resource.as_str(), &place, "");
    let (scope, clusters) = (view.scope.clone(), at.clusters.to_vec());
    Some(Subject { said, scope, clusters, is_single: false, href: at.href.to_owned() })
}

fn of_object(at: &AskedAt<'_>, panel: &PanelPlace) -> Option<Subject> {
    let cluster = panel.cluster.as_ref().or(at.clusters.first());
    let kind = match &panel.resource {
        Some(resource) => Wanted::kind_of(at.client, resource, cluster)?,
        None => Rc::clone(at.kind?),
    };
    let namespaces = match &panel.namespace {
        Some(name) => Namespaces::these(vec![name.clone()]).ok()?,
        None => Namespaces::All,
    };
    let place = panel.namespace.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
    let said = format!("{} {}{place}", kind.kind, panel.name);
    let (cluster, name) = (cluster.and_then(|name| at.client.in_scope(name)), Some(panel.name.clone()));
    let scope = Scope { cluster, namespaces, name, ..Scope::all(kind.resource.clone()) };
    Some(Subject { said, scope, clusters: Vec::new(), is_single: true, href: at.href.to_owned() })
}
