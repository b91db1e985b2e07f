//! The StatefulSet controller: pods with names and volumes of their own, one after the other.

use std::sync::Arc;

use serde_json::{Value, json};

use super::pods;
use crate::fleet::context::{CONTROLLERS, Context, count, is_terminating, is_true, name_of, namespace_of};
use crate::json::{int, list, set, text};

const RESOURCE: &str = "statefulsets.apps";
const HASH: &str = "controller-revision-hash";

pub(super) fn reconcile(context: &mut Context<'_>, stateful: &Value) {
    let wanted = int(stateful, "/spec/replicas").max(0);
    let revision = format!("{}-{}", name_of(stateful), pods::hash_of_template(stateful));
    let mut owned = context.owned("pods", stateful);
    owned.retain(|pod| ordinal(pod).is_some());
    owned.sort_by_key(|pod| ordinal(pod));
    let is_of_now = |pod: &&Arc<Value>| text(pod, &format!("/metadata/labels/{HASH}")) == revision;
    let ready = owned.iter().filter(|pod| is_true(pod, "Ready") && !is_terminating(pod)).count();
    let updated = owned.iter().filter(is_of_now).count();
    let status = json!({
        "observedGeneration": int(stateful, "/metadata/generation"), "replicas": owned.len(),
        "readyReplicas": count(ready), "availableReplicas": ready, "currentReplicas": count(updated),
        "updatedReplicas": count(updated), "currentRevision": revision, "updateRevision": revision,
        "collisionCount": 0,
    });
    context.status(RESOURCE, stateful, CONTROLLERS, status);
    let missing = (0..wanted).find(|number| !owned.iter().any(|pod| ordinal(pod) == Some(*number)));
    // One at a time: the next waits until those before it are ready, and none goes while another comes.
    let is_settled = ready == owned.len();
    match missing {
        Some(number) if owned.iter().all(|pod| ordinal(pod) > Some(number) || is_true(pod, "Ready")) => {
            create(context, stateful, number, &revision);
        }
        None if is_settled => {
            let surplus = owned.iter().rev().find(|pod| ordinal(pod) >= Some(wanted));
            let outdated = owned.iter().rev().find(|pod| !is_of_now(pod));
            if let Some(pod) = surplus.or(outdated) {
                pods::delete(context, RESOURCE, stateful, pod);
            }
        }
        Some(_) | None => {}
    }
}

fn ordinal(pod: &Value) -> Option<i64> {
    name_of(pod).rsplit_once('-')?.1.parse().ok()
}

fn create(context: &mut Context<'_>, stateful: &Value, number: i64, revision: &str) {
    let name = format!("{}-{number}", name_of(stateful));
    let mut volumes = Vec::new();
    for template in list(stateful, "/spec/volumeClaimTemplates") {
        let claim = format!("{}-{name}", name_of(template));
        volumes.push(json!({"name": name_of(template), "persistentVolumeClaim": {"claimName": claim}}));
        if context.get("persistentvolumeclaims", namespace_of(stateful), &claim).is_none() {
            let mut value = template.clone();
            set(&mut value, &["metadata", "name"], json!(claim));
            set(&mut value, &["metadata", "namespace"], json!(namespace_of(stateful)));
            let labels = stateful.pointer("/spec/selector/matchLabels").cloned().unwrap_or_default();
            set(&mut value, &["metadata", "labels"], labels);
            set(&mut value, &["status"], json!({"phase": "Pending"}));
            context.create("persistentvolumeclaims", CONTROLLERS, value);
        }
    }
    pods::create(context, RESOURCE, stateful, &name, |pod| {
        for (label, value) in [
            (HASH, revision.to_owned()),
            ("statefulset.kubernetes.io/pod-name", name.clone()),
            ("apps.kubernetes.io/pod-index", number.to_string()),
        ] {
            set(pod, &["metadata", "labels", label], json!(value));
        }
        set(pod, &["spec", "hostname"], json!(name));
        set(pod, &["spec", "subdomain"], json!(text(stateful, "/spec/serviceName")));
        if !volumes.is_empty() {
            set(pod, &["spec", "volumes"], json!(volumes));
        }
    });
}
