//! The EndpointSlice controller: the addresses behind a service.

use serde_json::{Value, json};

use crate::fleet::context::{
    CONTROLLERS, Context, is_active, is_terminating, is_true, name_of, namespace_of, owner_reference,
};
use crate::fleet::follow::selects;
use crate::fleet::recorder::hash_of;
use crate::json::{list, text, texts};
use crate::random::Random;

const RESOURCE: &str = "endpointslices.discovery.k8s.io";

pub(super) fn reconcile(context: &mut Context<'_>, service: &Value) {
    let selector = texts(service, "/spec/selector");
    if selector.is_empty() {
        return;
    }
    let hash = hash_of(&[text(service, "/metadata/uid")]);
    let name = format!("{}-{}", name_of(service), Random::new(hash).suffix(5));
    let pods = context.list("pods", namespace_of(service), |pod| selects(&selector, pod));
    let endpoints: Vec<Value> = pods
        .iter()
        .filter(|pod| (is_active(pod) || is_terminating(pod)) && !text(pod, "/status/podIP").is_empty())
        .map(|pod| endpoint(pod))
        .collect();
    let ports: Vec<Value> = list(service, "/spec/ports")
        .iter()
        .map(|port| {
            let target = port.get("targetPort").filter(|port| port.is_number()).or_else(|| port.get("port"));
            json!({"name": text(port, "/name"), "protocol": "TCP", "port": target})
        })
        .collect();
    match context.get(RESOURCE, namespace_of(service), &name) {
        Some(slice) => {
            if slice.get("endpoints") != Some(&json!(endpoints)) || slice.get("ports") != Some(&json!(ports)) {
                let patch = json!({"endpoints": endpoints, "ports": ports});
                context.patch(RESOURCE, &slice, CONTROLLERS, patch);
            }
        }
        None => context.create(
            RESOURCE,
            CONTROLLERS,
            json!({
                "metadata": {
                    "name": name, "generateName": format!("{}-", name_of(service)), "namespace": namespace_of(service),
                    "labels": {
                        "kubernetes.io/service-name": name_of(service),
                        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
                    },
                    "ownerReferences": owner_reference("services", service),
                },
                "addressType": "IPv4", "endpoints": endpoints, "ports": ports,
            }),
        ),
    }
}

fn endpoint(pod: &Value) -> Value {
    let ready = is_true(pod, "Ready");
    let terminating = is_terminating(pod);
    json!({
        "addresses": [text(pod, "/status/podIP")],
        "conditions": {"ready": ready && !terminating, "serving": ready, "terminating": terminating},
        "nodeName": text(pod, "/spec/nodeName"),
        "targetRef": {
            "kind": "Pod", "namespace": namespace_of(pod), "name": name_of(pod), "uid": text(pod, "/metadata/uid"),
        },
    })
}
