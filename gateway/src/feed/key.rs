//! What makes two upstream watches the same one. Namespaces, label selectors, and names in field selectors are not
//! part of the key: the gateway evaluates them, so that all of them share one feed. The identity that the API server
//! is asked as is part of the key: the gateway's for all viewers together, or each viewer's. Credentials never are.

use shared::name::{ClusterName, Namespace, ObjectName};
use shared::resource::Resource;
use shared::selector::FieldSelector;
use shared::state::UnixMillis;

use crate::cluster::UpstreamIdentity;

/// What makes two upstream watches the same one: two subscriptions with equal keys share one feed and one hub.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FeedKey {
    pub cluster: ClusterName,
    pub upstream: UpstreamIdentity,
    pub resource: Resource,
    /// `None`: the whole cluster. `Some` where the upstream credentials may not list that.
    pub namespace: Option<Namespace>,
    /// One object alone: upstream a field selector on `metadata.name`, and its own rights.
    pub name: Option<ObjectName>,
    /// What the gateway can't evaluate.
    pub fields: Option<FieldSelector>,
    pub representation: Representation,
    /// For viewers who may list and not watch: it is listed again and again.
    pub is_only_listed: bool,
    /// A record is read, and no cluster is asked.
    pub past: Option<AsOf>,
}

/// A feed of the past: the objects as they were, as far as its viewers may see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AsOf {
    pub at_ms: UnixMillis,
    /// Its viewers may list the kind in the whole cluster. Others see no object of a namespace that was made anew since.
    pub is_of_whole_cluster: bool,
}

/// What comes with a row of the server's table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Representation {
    #[default]
    Object,
    /// For Secrets: kubectl's cells without the data.
    Metadata,
}

impl Representation {
    /// Secrets are read as metadata only, for every viewer and projection.
    #[must_use]
    pub fn of(resource: &Resource) -> Self {
        if resource.is_secrets() { Self::Metadata } else { Self::Object }
    }
}

impl FeedKey {
    /// All objects of a resource.
    #[must_use]
    pub fn of(cluster: ClusterName, resource: Resource) -> Self {
        Self {
            cluster,
            upstream: UpstreamIdentity::default(),
            representation: Representation::of(&resource),
            resource,
            namespace: None,
            name: None,
            fields: None,
            is_only_listed: false,
            past: None,
        }
    }
}
