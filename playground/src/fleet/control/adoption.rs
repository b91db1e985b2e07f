//! A controller adopts what fits its selector and has no controller, as after `kubectl delete --cascade=orphan` and a
//! new owner of the same name.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::fleet::context::{
    CONTROLLERS, Context, controller, is_terminating, name_of, namespace_of, owner_reference,
};
use crate::fleet::follow::selects;
use crate::json::texts;
use crate::resource::GroupResource;

/// Returns whether there was any; the owner is queued again then.
pub(super) fn adopt(context: &mut Context<'_>, by: &'static str, owner: &Value) -> bool {
    let resource = match by {
        "deployments.apps" | "rollouts.argoproj.io" => "replicasets.apps",
        "replicasets.apps" | "statefulsets.apps" | "daemonsets.apps" => "pods",
        _ => return false,
    };
    let selector = texts(owner, "/spec/selector/matchLabels");
    // Owned names begin with the owner's.
    let prefix = format!("{}-", name_of(owner));
    let found = context.store.named(&GroupResource::of(resource), namespace_of(owner), &prefix);
    let fitting = found.iter().filter(|object| selects(&selector, object));
    let mut orphans: Vec<Arc<Value>> = fitting.map(|object| context.memory.read.value(object)).collect();
    orphans.retain(|orphan| controller(orphan).is_none() && !is_terminating(orphan));
    for orphan in &orphans {
        let patch = json!({"metadata": {"ownerReferences": owner_reference(by, owner)}});
        context.patch(resource, orphan, CONTROLLERS, patch);
    }
    if !orphans.is_empty() {
        context.look_at(by, owner);
    }
    !orphans.is_empty()
}
