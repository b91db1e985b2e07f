//! What the gateway says of the kinds that the children of an object have. It is asked for a custom kind alone; what
//! Kubernetes' own kinds own is known. It opens no view.

use replica::now::Now;
use serde_json::Value;
use shared::frame::client::SubscriptionId;
use shared::frame::server;
use shared::name::{ClusterName, Namespace};
use shared::resource::{Kind, Resource};
use shared::state::UnixMillis;

use super::words;
use crate::detail::reference::Reference;
use crate::limits::{CHILDREN_AGAIN_MS, CHILDREN_ANSWER_MS};
use crate::table_view::Client;

#[derive(Default)]
pub(super) struct FoundKinds {
    /// `None`: it isn't an object of a custom kind.
    owner: Option<Owner>,
    /// The question without an answer, and when it was asked.
    asked: Option<(SubscriptionId, UnixMillis)>,
    /// The last answer, and when it came.
    found: Option<(server::Children, UnixMillis)>,
}

/// The object whose children are asked for.
#[derive(PartialEq)]
struct Owner {
    cluster: Option<ClusterName>,
    resource: Resource,
    namespace: Option<Namespace>,
}

impl FoundKinds {
    /// `cluster`: as scopes name it.
    pub(super) fn of(&mut self, object: &Value, cluster: Option<ClusterName>, kinds: &[Kind]) {
        let owner = Reference::to(object).and_then(|itself| {
            let kind = itself.kind_among(kinds).filter(|kind| kind.custom)?;
            let namespace = itself.namespace.as_deref().and_then(|name| Namespace::parse(name).ok());
            Some(Owner { cluster, resource: kind.resource.clone(), namespace })
        });
        if self.owner != owner {
            *self = Self { owner, ..Self::default() };
        }
    }

    /// Asks, and takes the answer. Returns whether other kinds are known now.
    pub(super) fn follow(&mut self, client: &mut Client, now: Now) -> bool {
        let Some(owner) = &self.owner else { return false };
        let is_younger = |at_ms: UnixMillis, than_ms: i64| now.now_ms.saturating_sub(at_ms) < than_ms;
        if let Some((id, asked_ms)) = self.asked {
            if let Some(found) = client.take_children(id) {
                self.asked = None;
                let is_other = self.kinds() != found.kinds;
                self.found = Some((found, now.now_ms));
                return is_other;
            }
            if is_younger(asked_ms, CHILDREN_ANSWER_MS) {
                return false;
            }
        }
        if self.found.as_ref().is_none_or(|(_, at_ms)| !is_younger(*at_ms, CHILDREN_AGAIN_MS)) {
            let Owner { cluster, resource, namespace } = owner;
            let asked = client.ask_children(cluster.clone(), resource.clone(), namespace.clone());
            self.asked = asked.map(|id| (id, now.now_ms));
        }
        false
    }

    pub(super) fn kinds(&self) -> &[Resource] {
        self.found.as_ref().map(|(found, _)| found.kinds.as_slice()).unwrap_or_default()
    }

    /// `64 of 212 kinds looked at`, unless all were.
    pub(super) fn note(&self) -> Option<String> {
        let (found, _) = self.found.as_ref()?;
        (found.looked_at < found.of).then(|| words::kinds_looked_at(found.looked_at, found.of))
    }
}
