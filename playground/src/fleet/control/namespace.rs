//! What each namespace gets: its account, and the authority that signs the API server's certificate.

use serde_json::{Value, json};

use crate::fleet::context::{CONTROLLERS, Context, name_of};

const AUTHORITY: &str = "kube-root-ca.crt";
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nbm8gY2VydGlmaWNhdGU6IHRoaXMgY2x1c3RlciBpcyBhIHBsYXlncm91bmQ=\n-----END CERTIFICATE-----\n";

pub(super) fn reconcile(context: &mut Context<'_>, space: &Value) {
    let name = name_of(space);
    if crate::fleet::filling::is_filling(name) {
        return;
    }
    if context.get("serviceaccounts", name, "default").is_none() {
        let value = json!({"metadata": {"name": "default", "namespace": name}});
        context.create("serviceaccounts", CONTROLLERS, value);
    }
    if context.get("configmaps", name, AUTHORITY).is_none() {
        let note = "Contains a CA bundle that can be used to verify the kube-apiserver.";
        let value = json!({
            "metadata": {"name": AUTHORITY, "namespace": name, "annotations": {"kubernetes.io/description": note}},
            "data": {"ca.crt": CERTIFICATE},
        });
        context.create("configmaps", CONTROLLERS, value);
    }
}
