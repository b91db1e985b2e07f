//! The volume provisioner and binder: a volume for each claim.

use serde_json::{Value, json};

use crate::fleet::context::{CONTROLLERS, Context, name_of, namespace_of};
use crate::json::text;

const RESOURCE: &str = "persistentvolumeclaims";
const PROVISIONER: &str = "csi-provisioner";

pub(super) fn reconcile(context: &mut Context<'_>, claim: &Value) {
    let uid = text(claim, "/metadata/uid");
    let volume = format!("pvc-{uid}");
    if text(claim, "/spec/storageClassName") != crate::fleet::inventory::STORAGE_CLASS {
        return;
    }
    let Some(there) = context.get("persistentvolumes", "", &volume) else {
        return create(context, claim, &volume);
    };
    if text(claim, "/spec/volumeName").is_empty() {
        let annotations =
            json!({"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"});
        let patch = json!({"metadata": {"annotations": annotations}, "spec": {"volumeName": volume}});
        context.patch(RESOURCE, claim, CONTROLLERS, patch);
        return;
    }
    context.status("persistentvolumes", &there, CONTROLLERS, json!({"phase": "Bound"}));
    let status = json!({
        "phase": "Bound", "accessModes": claim.pointer("/spec/accessModes"),
        "capacity": {"storage": claim.pointer("/spec/resources/requests/storage")},
    });
    context.status(RESOURCE, claim, CONTROLLERS, status);
}

fn create(context: &mut Context<'_>, claim: &Value, volume: &str) {
    let value = json!({
        "metadata": {"name": volume, "annotations": {"pv.kubernetes.io/provisioned-by": "csi.example.com"}},
        "spec": {
            "capacity": {"storage": claim.pointer("/spec/resources/requests/storage")},
            "accessModes": claim.pointer("/spec/accessModes"), "persistentVolumeReclaimPolicy": "Delete",
            "storageClassName": text(claim, "/spec/storageClassName"), "volumeMode": "Filesystem",
            "csi": {"driver": "csi.example.com", "volumeHandle": volume, "fsType": "ext4"},
            "claimRef": {
                "kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": namespace_of(claim),
                "name": name_of(claim), "uid": text(claim, "/metadata/uid"),
            },
        },
        "status": {"phase": "Available"},
    });
    context.create("persistentvolumes", PROVISIONER, value);
    context.look_at(RESOURCE, claim);
    let message = format!("Successfully provisioned volume {volume}");
    context.record(RESOURCE, claim, "ProvisioningSucceeded", &message, PROVISIONER);
}

/// Deletes a volume whose claim is gone, if its policy is Delete.
pub(super) fn reclaim(context: &mut Context<'_>, volume: &Value) {
    let (namespace, name) = (text(volume, "/spec/claimRef/namespace"), text(volume, "/spec/claimRef/name"));
    let is_deleted = text(volume, "/spec/persistentVolumeReclaimPolicy") == "Delete";
    if is_deleted && !name.is_empty() && context.get(RESOURCE, namespace, name).is_none() {
        context.delete("persistentvolumes", volume, 0);
    }
}
