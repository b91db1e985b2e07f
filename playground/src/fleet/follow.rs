//! Which objects are to be looked at again, from what was written since the last look, whoever wrote
//! it: the watches of the components. It never decides what comes of it.

use serde_json::Value;

use super::filling;
use super::kinds::{KINDS, resource_of};
use super::queue::{Queue, Work};
use super::stage::{Memory, Reader, controller, group_resource, is_terminating, is_true};
use crate::json::{text, texts};
use crate::resource::GroupResource;
use crate::store::{Change, Object, Store};

#[derive(Debug)]
pub(super) struct Follower {
    followed: Vec<(&'static str, GroupResource)>,
    /// Everything up to this revision was seen.
    cursor: u64,
}

impl Default for Follower {
    fn default() -> Self {
        let followed = KINDS.iter().map(|(resource, _, _)| (*resource, group_resource(resource))).collect();
        Self { followed, cursor: 0 }
    }
}

impl Follower {
    /// Everything that is there now counts as seen.
    pub(super) fn skip_to(&mut self, revision: u64) {
        self.cursor = revision;
    }

    pub(super) fn follow(&mut self, store: &Store, memory: &mut Memory) {
        let Memory { queue, read, hummed, .. } = memory;
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
                // The history is gone, or it went back: all is looked at, as after a relist.
                _ => {
                    for object in store.objects(at, "") {
                        queue.push(Work::new(resource, &object.namespace, &object.name));
                    }
                    continue;
                }
            };
            for change in changes.into_iter().filter(|change| change.revision != *hummed) {
                spread(store, read, resource, &change, queue);
            }
        }
        self.cursor = revision;
    }
}

/// The object itself, who controls it, and who counts it.
fn spread(store: &Store, read: &Reader, resource: &'static str, change: &Change, queue: &mut Queue) {
    let Some(object) = change.after.as_ref().or(change.before.as_ref()) else {
        return;
    };
    let value = read.value(object);
    let concerns_others = resource != "pods" || has_moved(read, change, &value);
    if concerns_others
        && let Some(owner) = controller(&value)
        && let Some(kind) = resource_of(text(owner, "/kind"))
    {
        queue.push(Work::new(kind, &object.namespace, text(owner, "/name")));
    }
    queue.push(Work::new(resource, &object.namespace, &object.name));
    if change.after.is_none() {
        // What it controlled is garbage now; its names begin with the owner's.
        let prefix = format!("{}-", object.name);
        for child in ["replicasets.apps", "pods", "jobs.batch", "endpointslices.discovery.k8s.io"] {
            for found in store.named(&group_resource(child), &object.namespace, &prefix) {
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
                for found in store.objects(&group_resource(counter), &object.namespace) {
                    if selects(&texts(&read.value(&found), selector), object) {
                        queue.push(Work::new(counter, &found.namespace, &found.name));
                    }
                }
            }
        }
        "nodes" if !filling::is_filling_node(&object.name) => after_node(store, read, object, queue),
        "persistentvolumeclaims" => {
            queue.push(Work::new("persistentvolumes", "", text(&value, "/spec/volumeName")));
        }
        "secrets" => {
            for found in store.objects(&group_resource("certificates.cert-manager.io"), &object.namespace) {
                queue.push(Work::new("certificates.cert-manager.io", &found.namespace, &found.name));
            }
        }
        "services" => {
            for found in store.objects(&group_resource("endpointslices.discovery.k8s.io"), &object.namespace)
            {
                queue.push(Work::new("endpointslices.discovery.k8s.io", &found.namespace, &found.name));
            }
        }
        "deployments.apps" => {
            for found in
                store.objects(&group_resource("horizontalpodautoscalers.autoscaling"), &object.namespace)
            {
                queue.push(Work::new("horizontalpodautoscalers.autoscaling", &found.namespace, &found.name));
            }
        }
        _ => {}
    }
}

/// Agents run on each node, its pods live and die with it, and pods without one may find room.
fn after_node(store: &Store, read: &Reader, node: &Object, queue: &mut Queue) {
    for found in store.objects(&group_resource("daemonsets.apps"), "") {
        queue.push(Work::new("daemonsets.apps", &found.namespace, &found.name));
    }
    for space in store.objects(&group_resource("namespaces"), "") {
        if filling::is_filling(&space.name) {
            continue;
        }
        for pod in store.objects(&group_resource("pods"), &space.name) {
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

/// Has a pod changed in what others look at? A container that starts again concerns its kubelet alone.
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
