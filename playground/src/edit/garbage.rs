//! What goes with a deleted object: a namespace's content, a definition's objects, what it owned; or, where what it
//! owned is to stay, taking the owner off it. A real garbage collector does so a moment later.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::cluster::State;
use crate::json;
use crate::resource::{GroupResource, ResourceType};
use crate::store::{Deletion, ORPHAN_FINALIZER, Object, Writer};

/// The field manager that the garbage collector writes as.
const MANAGER: &str = "kube-controller-manager";

/// Deletes what goes with an object.
pub(super) fn clean_up(state: &mut State, kind: &ResourceType, gone: &Object, now: &str) {
    if !may_own(kind) {
        return;
    }
    let deletion = Deletion { when: now, ..Deletion::default() };
    let mut doomed: Vec<(GroupResource, Arc<Object>)> = Vec::new();
    if kind.group == "apiextensions.k8s.io" {
        let at = crate::crd::group_resource(&gone.value());
        for object in state.store.objects(&at, "") {
            doomed.push((at.clone(), object));
        }
    } else {
        let is_namespace = kind.is("", "namespaces");
        let places: Vec<GroupResource> =
            state.catalog.all().iter().map(|kind| kind.group_resource()).collect();
        for at in places {
            let inside = if is_namespace { gone.name.as_str() } else { gone.namespace.as_str() };
            for object in state.store.objects(&at, inside) {
                if (is_namespace && object.namespace == gone.name) || is_owned_by(&object, &gone.uid) {
                    doomed.push((at.clone(), object));
                }
            }
        }
    }
    for (at, object) in doomed {
        if let Ok((last, true)) = state.store.delete(&at, &object.key, &deletion)
            && let Some(kind) = state.catalog.preferred(&at).cloned()
        {
            clean_up(state, &kind, &last, now);
        }
    }
}

/// Takes an object off what it owns, and then the finalizer off that held it for this. Returns whether it is gone.
pub(super) fn orphan(state: &mut State, kind: &ResourceType, owner: &Object, now: &str) -> bool {
    let kinds: Vec<Arc<ResourceType>> = state.catalog.all().to_vec();
    for other in kinds {
        for object in state.store.objects(&other.group_resource(), &owner.namespace) {
            if is_owned_by(&object, &owner.uid) {
                let is_owner = |found: &Value| json::text(found, "/uid") == owner.uid;
                take_off(state, &other, &object, "ownerReferences", is_owner, now);
            }
        }
    }
    let at = kind.group_resource();
    if let Some(held) = state.store.get(&at, &owner.key).cloned() {
        take_off(state, kind, &held, "finalizers", |found| found == ORPHAN_FINALIZER, now);
    }
    state.store.get(&at, &owner.key).is_none()
}

/// Takes items off a list of the metadata; the list goes with its last item.
fn take_off(
    state: &mut State,
    kind: &ResourceType,
    object: &Arc<Object>,
    field: &str,
    is_taken: impl Fn(&Value) -> bool,
    now: &str,
) {
    let before = object.value();
    let mut after = before.clone();
    let mut rest = json::list(&before, &format!("/metadata/{field}")).to_vec();
    rest.retain(|item| !is_taken(item));
    match rest.is_empty() {
        true => json::remove(&mut after, &["metadata", field]),
        false => json::set(&mut after, &["metadata", field], json!(rest)),
    }
    let writer = Writer { manager: MANAGER, subresource: None, api_version: kind.api_version(), now };
    // The state is locked, so nothing else can have changed the object.
    drop(state.store.replace(&kind.group_resource(), object, &before, after, &writer));
}

/// Finding what an object owned means reading everything, so kinds that own nothing are skipped.
fn may_own(kind: &ResourceType) -> bool {
    const LEAVES: &[&str] = &["pods", "events", "configmaps", "secrets", "services", "leases", "endpoints"];
    !(kind.built_in && LEAVES.contains(&kind.plural.as_str()))
}

fn is_owned_by(object: &Object, uid: &str) -> bool {
    // Reading every object is slow, and most don't even name the uid.
    let names_it = object.body().windows(uid.len().max(1)).any(|window| window == uid.as_bytes());
    names_it
        && json::list(&object.value(), "/metadata/ownerReferences")
            .iter()
            .any(|owner| json::text(owner, "/uid") == uid)
}
