//! The EndpointSlice controller and the older Endpoints controller: the addresses behind a service.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::fleet::context::{
    CONTROLLERS, Context, is_active, is_terminating, is_true, name_of, namespace_of, owner_reference,
};
use crate::fleet::follow::selects;
use crate::fleet::recorder::hash_of;
use crate::json::{list, set, text, texts};
use crate::random::{seeded, suffix};

const SLICES: &str = "endpointslices.discovery.k8s.io";
const ENDPOINTS: &str = "endpoints";

pub(super) fn reconcile(context: &mut Context<'_>, service: &Value) {
    let selector = texts(service, "/spec/selector");
    if selector.is_empty() {
        return;
    }
    let mut pods = context.list("pods", namespace_of(service), |pod| selects(&selector, pod));
    pods.retain(|pod| (is_active(pod) || is_terminating(pod)) && !text(pod, "/status/podIP").is_empty());
    let ports: Vec<Value> = list(service, "/spec/ports")
        .iter()
        .map(|port| {
            let target = port.get("targetPort").filter(|port| port.is_number()).or_else(|| port.get("port"));
            json!({"name": text(port, "/name"), "protocol": "TCP", "port": target})
        })
        .collect();
    slice(context, service, &pods, &ports);
    endpoints(context, service, &pods, &ports);
}

fn slice(context: &mut Context<'_>, service: &Value, pods: &[Arc<Value>], ports: &[Value]) {
    let hash = hash_of(&[text(service, "/metadata/uid")]);
    let name = format!("{}-{}", name_of(service), suffix(&mut seeded(hash), 5));
    let content =
        json!({"endpoints": pods.iter().map(|pod| endpoint(pod)).collect::<Vec<_>>(), "ports": ports});
    let metadata = || {
        json!({
            "name": name, "generateName": format!("{}-", name_of(service)), "namespace": namespace_of(service),
            "labels": {
                "kubernetes.io/service-name": name_of(service),
                "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
            },
            "ownerReferences": owner_reference("services", service),
        })
    };
    match context.get(SLICES, namespace_of(service), &name) {
        Some(slice) if has(&slice, &content) => {}
        Some(slice) => context.patch(SLICES, &slice, CONTROLLERS, content),
        None => {
            let mut slice = json!({"metadata": metadata(), "addressType": "IPv4"});
            crate::patch::merge(&mut slice, &content);
            context.create(SLICES, CONTROLLERS, slice);
        }
    }
}

/// They have the service's name and labels, no owner, and no pod that terminates.
fn endpoints(context: &mut Context<'_>, service: &Value, pods: &[Arc<Value>], ports: &[Value]) {
    let (ready, unready): (Vec<&Value>, Vec<&Value>) = pods
        .iter()
        .map(AsRef::as_ref)
        .filter(|pod| !is_terminating(pod))
        .partition(|pod| is_true(pod, "Ready"));
    let mut subset = json!({"ports": ports});
    for (field, pods) in [("addresses", &ready), ("notReadyAddresses", &unready)] {
        if !pods.is_empty() {
            set(&mut subset, &[field], pods.iter().map(|pod| address(pod)).collect());
        }
    }
    let content = match ready.is_empty() && unready.is_empty() {
        true => json!({"subsets": null}),
        false => json!({"subsets": [subset]}),
    };
    match context.get(ENDPOINTS, namespace_of(service), name_of(service)) {
        Some(endpoints) if has(&endpoints, &content) => {}
        Some(endpoints) => context.patch(ENDPOINTS, &endpoints, CONTROLLERS, content),
        None => {
            let mut labels = json!({"endpoints.kubernetes.io/managed-by": "endpoint-controller"});
            if text(service, "/spec/clusterIP") == "None" {
                set(&mut labels, &["service.kubernetes.io/headless"], json!(""));
            }
            crate::patch::merge(&mut labels, &json!(texts(service, "/metadata/labels")));
            let (name, namespace) = (name_of(service), namespace_of(service));
            let mut endpoints = json!({"metadata": {"name": name, "namespace": namespace, "labels": labels}});
            crate::patch::merge(&mut endpoints, &content);
            context.create(ENDPOINTS, CONTROLLERS, endpoints);
        }
    }
}

/// Deletes the Endpoints of a service that is gone.
pub(super) fn collect(context: &mut Context<'_>, endpoints: &Value) {
    if context.get("services", namespace_of(endpoints), name_of(endpoints)).is_none() {
        context.delete(ENDPOINTS, endpoints, 0);
    }
}

/// Whether an object has these fields; null means that it lacks one.
fn has(object: &Value, content: &Value) -> bool {
    let mut fields = content.as_object().into_iter().flatten();
    fields.all(|(field, value)| object.get(field).unwrap_or(&Value::Null) == value)
}

fn endpoint(pod: &Value) -> Value {
    let ready = is_true(pod, "Ready");
    let terminating = is_terminating(pod);
    json!({
        "addresses": [text(pod, "/status/podIP")],
        "conditions": {"ready": ready && !terminating, "serving": ready, "terminating": terminating},
        "nodeName": text(pod, "/spec/nodeName"),
        "targetRef": target(pod),
    })
}

fn address(pod: &Value) -> Value {
    json!({"ip": text(pod, "/status/podIP"), "nodeName": text(pod, "/spec/nodeName"), "targetRef": target(pod)})
}

fn target(pod: &Value) -> Value {
    json!({
        "kind": "Pod", "namespace": namespace_of(pod), "name": name_of(pod), "uid": text(pod, "/metadata/uid"),
    })
}
