//! Links from one object to another: the table of its kind, with its panel open.

use shared::name::Namespace;
use shared::resource::Kind;

use crate::detail::reference::Reference;
use crate::location::{Location, PanelPlace, Place};
use crate::table_view::Client;

/// `None`: the cluster doesn't serve the kind.
pub(super) fn to_reference(to: &Reference, client: &Client) -> Option<String> {
    let kind = to.kind_among(&client.kinds()?.kinds)?;
    let namespace = to.namespace.as_deref().filter(|_| kind.namespaced);
    to_object(kind, namespace, &to.name, client)
}

/// `None`: a name isn't one that Kubernetes allows.
pub(super) fn to_object(kind: &Kind, namespace: Option<&str>, name: &str, client: &Client) -> Option<String> {
    let place = match namespace {
        Some(namespace) => Place::These(vec![Namespace::parse(namespace).ok()?]),
        None => Place::Cluster,
    };
    Some(
        Location {
            resource: kind.resource.to_string().into(),
            cluster: Some(client.cluster()?.name.as_str().into()),
            place,
            panel: Some(PanelPlace::named(namespace, name)?),
            ..Location::default()
        }
        .href(),
    )
}
