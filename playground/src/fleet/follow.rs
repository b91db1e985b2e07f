//! The watches of the components: which objects have to be reconciled again after the writes since the
//! last call. It never reconciles.

use serde_json::Value;

use super::context::{Memory, Reader, controller, is_terminating, is_true};
use super::filling;
use super::inventory;
use super::kinds::{KINDS, resource_of};
use super::queue::{Queue, Work};
use crate::json::{text, texts};
use crate::resource::GroupResource;
use crate::store::{Change, Object, Store};

#[derive(Clone, Debug)]
pub(super) struct Follower {
    followed: Vec<(&'static str, GroupResource)>,
    /// Everything up to this revision was seen.
    cursor: u64,
}

impl Default for Follower {
    fn default() -> Self {
        let followed =
            KINDS.iter().map(|(resource, _, _)| (*resource, GroupResource::of(resource))).collect();
        Self { followed, cursor: 0 }
    }
}

impl Follower {
    /// Everything that is there now counts as seen.
    pub(super) fn skip_to(&mut self, revision: u64) {
        self.cursor = revision;
    }

    pub(super) fn follow(&mut self, store: &Store, memory: &mut Memory) {
        let Memory { queue, read, restarted_revision, .. } = memory;
        let revision = store.revision();
        if revision == self.cursor {
            return;
        }
        if revision < self.cursor {
            read.forget();
        }
        for (resource, at) in &self.followed {
            let changes = match store.changes_after(at, self.cursor, usize::MAX) {
                Ok(changes) if revision > self.cursor => changes,
                // If the history is gone or went back, every object is queued, as after a relist.
                _ => {
                    queue.push_all(resource, store, "");
                    continue;
                }
            };
            for change in changes.into_iter().filter(|change| change.revision != *restarted_revision) {
                queue_affected(store, read, resource, &change, queue);
            }
        }
        self.cursor = revision;
    }
}

/// Queues the object itself, its controller, and the objects that count it.
fn queue_affected(store: &Store, read: &Reader, resource: &'static str, change: &Change, queue: &mut Queue) {
    let Some(object) = change.after.as_ref().or(change.before.as_ref()) else {
        return;
    };
    let namespace = object.namespace.as_str();
    let value = read.value(object);
    let concerns_others = resource != "pods" || has_moved(read, change, &value);
    if concerns_others
        && let Some(owner) = controller(&value)
        && let Some(kind) = resource_of(text(owner, "/kind"))
    {
        queue.push(Work::new(kind, namespace, text(owner, "/name")));
    }
    queue.push(Work::new(resource, namespace, &object.name));
    if change.after.is_none() {
        // What it controlled is garbage now; its names begin with the owner's.
        let prefix = format!("{}-", object.name);
        for child in ["replicasets.apps", "pods", "jobs.batch", "endpointslices.discovery.k8s.io"] {
            for found in store.named(&GroupResource::of(child), namespace, &prefix) {
                queue.push(Work::new(child, &found.namespace, &found.name));
            }
        }
    }
    match resource {
        "pods" if concerns_others => {
            for (counter, selector) in [
                ("services", "/spec/selector"),
                ("poddisruptionbudgets.policy", "/spec/selector/matchLabels"),
            ] {
                for found in store.objects(&GroupResource::of(counter), namespace) {
                    if selects(&texts(&read.value(&found), selector), object) {
                        queue.push(Work::new(counter, &found.namespace, &found.name));
                    }
                }
            }
        }
        "nodes" if !inventory::is_filling_node(&object.name) => after_node(store, read, object, queue),
        "persistentvolumeclaims" => {
            queue.push(Work::new("persistentvolumes", "", text(&value, "/spec/volumeName")));
        }
        "secrets" => queue.push_all("certificates.cert-manager.io", store, namespace),
        "services" => {
            queue.push_all("endpointslices.discovery.k8s.io", store, namespace);
            queue.push(Work::new("endpoints", namespace, &object.name));
        }
        // They have no owner that would be queued.
        "endpoints" => queue.push(Work::new("services", namespace, &object.name)),
        "deployments.apps" => queue.push_all("horizontalpodautoscalers.autoscaling", store, namespace),
        _ => {}
    }
}

/// Agents run on each node, its pods live and die with it, and pods without one may find room.
fn after_node(store: &Store, read: &Reader, node: &Object, queue: &mut Queue) {
    queue.push_all("daemonsets.apps", store, "");
    for space in store.objects(&GroupResource::of("namespaces"), "") {
        if filling::is_filling(&space.name) {
            continue;
        }
        for pod in store.objects(&GroupResource::of("pods"), &space.name) {
            let value = read.value(&pod);
            let on = text(&value, "/spec/nodeName");
            if on.is_empty() || on == node.name {
                queue.push(Work::new("pods", &pod.namespace, &pod.name));
            }
        }
    }
}

pub(super) fn selects(selector: &std::collections::BTreeMap<String, String>, object: &Object) -> bool {
    !selector.is_empty() && selector.iter().all(|(key, value)| object.labels.get(key) == Some(value))
}

/// Whether a pod changed in a field that other components read. A restart of a container concerns its
/// kubelet alone.
fn has_moved(read: &Reader, change: &Change, after: &Value) -> bool {
    let standing = |pod: &Value| {
        let texts = ["/status/phase", "/spec/nodeName", "/status/podIP"].map(|at| text(pod, at).to_owned());
        (is_terminating(pod), is_true(pod, "Ready"), texts)
    };
    match (&change.before, &change.after) {
        (Some(before), Some(_)) => standing(&read.value(before)) != standing(after),
        _ => true,
    }
}
