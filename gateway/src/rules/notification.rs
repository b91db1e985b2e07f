//! What is told of a rule: that it fires, that it is over, or that something happened.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sha2::{Digest, Sha256};
use shared::duration::UnixSeconds;
use shared::name::{ClusterName, Namespace};
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::group::GroupKey;
use super::outbox::{Firing, FiringChange, FiringKey};
use super::rule::Rule;
use crate::feed::FeedKey;
use crate::metrics::Told;

/// Which turn a rule took for a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    Firing,
    Resolved,
    /// It happened once: nothing of it is ever resolved.
    Happened,
}

/// Where a rule looks: at a kind in a cluster, or in one namespace of it if the gateway may not list the whole cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FeedPlace {
    pub cluster: ClusterName,
    pub resource: Resource,
    pub namespace: Option<Namespace>,
}

/// One message to a rule's receivers. Its times are the cluster's clock.
#[derive(Clone, Debug)]
pub struct Notification {
    /// The same for the same turn, also of another replica and after a restart.
    pub id: Box<str>,
    pub turn: Turn,
    pub rule: Arc<Rule>,
    pub place: FeedPlace,
    pub group: GroupKey,
    /// Some of the objects that made it, the first first.
    pub objects: Vec<ToldObject>,
    /// All of them.
    pub object_count: usize,
    /// When it began.
    pub since_s: UnixSeconds,
    /// When the API server confirmed it.
    pub proven_ms: UnixMillis,
}

/// One object that a rule found, as receivers hear of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToldObject {
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    pub uid: Box<str>,
    /// The version with which it began, or was over.
    pub resource_version: ResourceVersion,
    pub reason: Option<Box<str>>,
    /// What the rule looks at, before and after.
    pub changed: Vec<FieldChange>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FieldChange {
    pub path: Box<str>,
    /// `None`: it wasn't there, or the gateway didn't see it.
    pub before: Option<Value>,
    pub after: Option<Value>,
}

impl From<&FeedKey> for FeedPlace {
    fn from(key: &FeedKey) -> Self {
        let (cluster, resource, namespace) =
            (key.cluster.clone(), key.resource.clone(), key.namespace.clone());
        Self { cluster, resource, namespace }
    }
}

impl Notification {
    /// The group that it is of, as it is kept.
    #[must_use]
    pub fn firing_key(&self) -> FiringKey {
        FiringKey {
            rule: self.rule.name.clone(),
            cluster: self.place.cluster.as_str().into(),
            kind: self.place.resource.to_string().into(),
            namespace: self.place.namespace.as_ref().map(|namespace| namespace.as_str().into()),
            group: self.group.0.clone(),
        }
    }

    /// What outlives the gateway of it.
    #[must_use]
    pub fn firing_change(&self) -> Option<FiringChange> {
        match self.turn {
            Turn::Happened => None,
            Turn::Resolved => Some(FiringChange::Over(self.firing_key())),
            Turn::Firing => {
                let lead = self.objects.first()?;
                Some(FiringChange::Fires(Firing {
                    key: self.firing_key(),
                    uid: lead.uid.clone(),
                    resource_version: lead.resource_version.clone(),
                    since_s: self.since_s,
                }))
            }
        }
    }
}

impl Turn {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Firing => "firing",
            Self::Resolved => "resolved",
            Self::Happened => "happened",
        }
    }
}

impl From<Turn> for Told {
    fn from(turn: Turn) -> Self {
        match turn {
            Turn::Firing => Self::firing,
            Turn::Resolved => Self::resolved,
            Turn::Happened => Self::happened,
        }
    }
}

/// Names one turn of a rule: a receiver that gets it twice can drop the second.
pub(super) fn id_of(rule: &str, cluster: &str, lead: &ToldObject, turn: Turn) -> Box<str> {
    let mut hash = Sha256::new();
    for part in [rule, cluster, &lead.uid, lead.resource_version.as_str(), turn.word()] {
        // With its length no two lists of parts are one text.
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    format!("msg_{}", URL_SAFE_NO_PAD.encode(digest.get(..ID_BYTES).unwrap_or_default())).into()
}

/// As many as a UUID and a quarter: two turns never share one.
const ID_BYTES: usize = 20;
