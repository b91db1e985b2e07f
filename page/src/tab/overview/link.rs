//! Links from one object to another of its cluster: the table of its kind, with its panel open.

use shared::name::{ClusterName, Namespace};
use shared::resource::Kind;

use crate::detail::reference::Reference;
use crate::location::{Location, PanelPlace, Place};
use crate::table_view::Client;

/// The client, and the cluster of the object that the panel shows.
#[derive(Clone, Copy)]
pub(crate) struct Links<'a> {
    pub(crate) client: &'a Client,
    pub(crate) cluster: Option<&'a ClusterName>,
}

impl<'a> Links<'a> {
    pub(crate) fn kinds(self) -> Option<&'a [Kind]> {
        Some(&self.client.kinds_of(self.cluster)?.kinds)
    }

    /// `None`: the cluster doesn't serve the kind.
    pub(crate) fn to_reference(self, to: &Reference) -> Option<String> {
        let kind = to.kind_among(self.kinds()?)?;
        let namespace = to.namespace.as_deref().filter(|_| kind.namespaced);
        self.to_object(kind, namespace, &to.name)
    }

    /// `None`: a name isn't one that Kubernetes allows.
    pub(crate) fn to_object(self, kind: &Kind, namespace: Option<&str>, name: &str) -> Option<String> {
        let place = match namespace {
            Some(namespace) => Place::These(vec![Namespace::parse(namespace).ok()?]),
            None => Place::Cluster,
        };
        let cluster = self.cluster.or(self.client.cluster().map(|own| &own.name))?;
        Some(
            Location {
                resource: kind.resource.to_string().into(),
                cluster: Some(cluster.as_str().into()),
                place,
                panel: Some(PanelPlace::named(namespace, name)?),
                ..Location::default()
            }
            .href(),
        )
    }
}
