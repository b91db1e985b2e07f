//! Two custom kinds with printer columns of every type, and their objects.

use serde_json::{Value, json};

use super::{PEOPLE, create};
use crate::clock;
use crate::fleet::Mutation;
use crate::fleet::plan::{World, status_patch};

/// Namespace, name.
pub(in crate::fleet) const CERTIFICATES: &[(&str, &str)] =
    &[("payments", "payments-tls"), ("shop", "cart-tls"), ("shop", "storefront-tls")];
pub(in crate::fleet) const ROLLOUTS: &[(&str, &str)] = &[("payments", "checkout"), ("shop", "search")];

struct Kind {
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    plural: &'static str,
    short: &'static str,
    columns: Value,
}

fn definition(kind: &Kind, born: &str) -> Mutation {
    let names = json!({
        "kind": kind.kind, "listKind": format!("{}List", kind.kind), "plural": kind.plural,
        "singular": kind.kind.to_lowercase(), "shortNames": [kind.short], "categories": ["all"],
    });
    let mut value = json!({
        "metadata": {"name": format!("{}.{}", kind.plural, kind.group), "creationTimestamp": born},
        "spec": {
            "group": kind.group, "scope": "Namespaced", "names": names, "conversion": {"strategy": "None"},
            "versions": [{
                "name": kind.version, "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
                "additionalPrinterColumns": kind.columns,
            }],
        },
    });
    let status = crate::crd::established(&value, born);
    crate::json::set(&mut value, &["status"], status);
    create("customresourcedefinitions.apiextensions.k8s.io", PEOPLE, value)
}

pub(super) fn initial(world: &mut World, now_s: i64) -> Vec<Mutation> {
    let born = clock::text_of(now_s - 60 * 86_400);
    let certificates = Kind {
        group: "cert-manager.io",
        version: "v1",
        kind: "Certificate",
        plural: "certificates",
        short: "cert",
        columns: json!([
            {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"},
            {"name": "Secret", "type": "string", "jsonPath": ".spec.secretName"},
            {"name": "Issuer", "type": "string", "jsonPath": ".spec.issuerRef.name", "priority": 1},
            {"name": "Revision", "type": "integer", "jsonPath": ".status.revision"},
            {"name": "Issued", "type": "date", "jsonPath": ".status.notBefore"},
            {"name": "Status", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].message", "priority": 1},
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        ]),
    };
    let rollouts = Kind {
        group: "argoproj.io",
        version: "v1alpha1",
        kind: "Rollout",
        plural: "rollouts",
        short: "ro",
        columns: json!([
            {"name": "Desired", "type": "integer", "jsonPath": ".spec.replicas"},
            {"name": "Updated", "type": "integer", "jsonPath": ".status.updatedReplicas"},
            {"name": "Weight", "type": "number", "jsonPath": ".status.canary.weight"},
            {"name": "Paused", "type": "boolean", "jsonPath": ".status.controllerPause"},
            {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        ]),
    };
    let mut done = vec![definition(&certificates, &born), definition(&rollouts, &born)];
    for (namespace, name) in CERTIFICATES {
        let uid = world.uid();
        done.push(create(
            "certificates.cert-manager.io",
            PEOPLE,
            json!({
                "metadata": {"name": name, "namespace": namespace, "uid": uid, "creationTimestamp": born},
                "spec": {
                    "secretName": name, "dnsNames": [format!("{name}.example.com")], "duration": "2160h",
                    "issuerRef": {"name": "letsencrypt", "kind": "ClusterIssuer"},
                },
            }),
        ));
        done.push(certificate_status(namespace, name, 1, true, now_s - 9 * 86_400));
    }
    for (namespace, name) in ROLLOUTS {
        let uid = world.uid();
        done.push(create("rollouts.argoproj.io", PEOPLE, json!({
            "metadata": {"name": name, "namespace": namespace, "uid": uid, "creationTimestamp": born, "labels": {"app": name}},
            "spec": {
                "replicas": 4, "selector": {"matchLabels": {"app": name}},
                "strategy": {"canary": {"steps": [{"setWeight": 20}, {"setWeight": 50}, {"setWeight": 100}]}},
            },
        })));
        done.push(rollout_status(namespace, name, 3));
    }
    done
}

/// A certificate that is issued, or is being issued anew.
pub(in crate::fleet) fn certificate_status(
    namespace: &str,
    name: &str,
    revision: u64,
    ready: bool,
    now_s: i64,
) -> Mutation {
    let now = clock::text_of(now_s);
    let condition = if ready {
        json!([{"type": "Ready", "status": "True", "reason": "Ready", "message": "Certificate is up to date and has not expired", "lastTransitionTime": now}])
    } else {
        json!([
            {"type": "Issuing", "status": "True", "reason": "Renewing", "message": "Renewing certificate as renewal was scheduled", "lastTransitionTime": now},
            {"type": "Ready", "status": "False", "reason": "DoesNotExist", "message": "Issuing certificate as Secret does not exist", "lastTransitionTime": now},
        ])
    };
    status_patch(
        "certificates.cert-manager.io",
        namespace,
        name,
        "cert-manager-certificates-readiness",
        json!({
            "conditions": condition, "revision": revision, "notBefore": now,
            "notAfter": clock::text_of(now_s + 90 * 86_400), "renewalTime": clock::text_of(now_s + 60 * 86_400),
        }),
    )
}

/// A rollout at one of its steps: 20, 50 and 100 percent, and healthy.
pub(in crate::fleet) fn rollout_status(namespace: &str, name: &str, step: usize) -> Mutation {
    let (weight, updated, phase) = match step {
        0 => (20.0, 1, "Progressing"),
        1 => (50.0, 2, "Paused"),
        2 => (100.0, 4, "Progressing"),
        _ => (0.0, 4, "Healthy"),
    };
    status_patch(
        "rollouts.argoproj.io",
        namespace,
        name,
        "rollouts-controller",
        json!({
            "canary": {"weight": weight}, "updatedReplicas": updated, "replicas": 4, "readyReplicas": 4,
            "availableReplicas": 4, "phase": phase, "controllerPause": step == 1, "currentStepIndex": step,
        }),
    )
}
