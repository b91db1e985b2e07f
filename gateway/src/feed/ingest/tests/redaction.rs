//! What must not be anywhere in an object: not in its cells, its body, or its `Debug`.

use super::*;

const CANARY: &str = "canary-4f1d";

fn canaried() -> Value {
    json!({
        "kind": "Deployment", "apiVersion": "apps/v1",
        "metadata": {
            "name": "web", "namespace": "shop", "uid": "u", "resourceVersion": "7",
            "creationTimestamp": "2026-11-21T02:43:01Z",
            "managedFields": [{"manager": CANARY, "fieldsV1": {(format!("f:{CANARY}")): {}}}],
            "annotations": {
                "kubectl.kubernetes.io/last-applied-configuration": format!("{{\"stringData\":\"{CANARY}\"}}"),
                "note": "kept",
            },
        },
        "spec": {"template": {
            "metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": CANARY}},
            "spec": {
                "containers": [{"name": "c", "env": [{"name": "PASSWORD", "value": CANARY}]}],
                "initContainers": [{"name": "i", "env": [{"value": CANARY, "name": "TOKEN"}]}],
            },
        }},
    })
}

#[test]
fn r_data_4_a_canary_in_what_is_redacted_is_nowhere_in_the_object() {
    let columns = [("Name", "string")];
    let mut partial = canaried();
    partial["kind"] = json!("PartialObjectMetadata");
    for object in
        [table(&columns, json!(["web"]), &canaried()), table(&columns, json!(["web"]), &partial), canaried()]
    {
        let decoded = decoder("apps/v1/deployments").event(&event("ADDED", &object)).expect("an event");
        let debug = format!("{decoded:?}");
        let object = put(decoded);
        let body = String::from_utf8(object.body.to_vec()).expect("UTF-8");
        assert!(!debug.contains(CANARY), "{debug}");
        assert!(!body.contains(CANARY), "{body}");
        assert!(body.contains("kept") && body.contains("PASSWORD") && body.contains("••••••••"), "{body}");
    }
}
