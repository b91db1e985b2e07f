//! Apps, databases, agents and jobs, with what stands beside them: accounts, services,
//! configuration, budgets, autoscalers, ways in.

use serde_json::{Value, json};

use super::create;
use crate::fleet::Mutation;
use crate::fleet::cast::{App, Part, STORAGE_CLASS};
use crate::fleet::recorder::hash_of;

pub(in crate::fleet) fn template(namespace: &str, name: &str, image: &str, cpu: &str) -> Value {
    json!({
        "metadata": {"labels": {"app": name, "app.kubernetes.io/part-of": namespace}},
        "spec": {
            "containers": [{
                "name": name, "image": image, "imagePullPolicy": "IfNotPresent",
                "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
                "env": [{"name": "LOG_LEVEL", "value": "info"}],
                "resources": {"requests": {"cpu": cpu, "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
                "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            }],
            "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler",
            "securityContext": {}, "terminationGracePeriodSeconds": 30,
        },
    })
}

/// A deployment alone.
pub(in crate::fleet) fn deployment(namespace: &str, name: &str, template: &Value, replicas: i64) -> Value {
    json!({
        "metadata": {
            "name": name, "namespace": namespace, "labels": {"app": name, "app.kubernetes.io/part-of": namespace},
        },
        "spec": {
            "replicas": replicas, "revisionHistoryLimit": 2, "progressDeadlineSeconds": 600,
            "selector": {"matchLabels": {"app": name}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "template": template,
        },
    })
}

pub(super) fn app(app: &App) -> Vec<Mutation> {
    let (namespace, name) = (app.namespace, app.name);
    let image = format!("{}:v1.{}.0", app.repository, app.minor);
    let mut template = template(namespace, name, &image, "100m");
    crate::json::set(&mut template, &["spec", "serviceAccountName"], json!(name));
    if app.part == Part::Prepared {
        let migrate = json!([{
            "name": "migrate", "image": format!("{}-migrate:v1.{}.0", app.repository, app.minor),
            "imagePullPolicy": "IfNotPresent", "resources": {},
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        }]);
        crate::json::set(&mut template, &["spec", "initContainers"], migrate);
    }
    let account = json!({"metadata": {"name": name, "namespace": namespace}});
    let config = json!({
        "metadata": {"name": format!("{name}-config"), "namespace": namespace, "labels": {"app": name}},
        "data": {"config.yaml": format!("service: {name}\nlog: info\n"), "features": "checkout-v2,search"},
    });
    let mut done = vec![
        create("serviceaccounts", account),
        create("configmaps", config),
        create("deployments.apps", deployment(namespace, name, &template, app.replicas)),
        service(namespace, name, 80),
    ];
    if app.replicas > 1 && namespace != "kube-system" {
        done.push(budget(namespace, name));
    }
    if app.part == Part::Scaled {
        done.push(autoscaler(namespace, name));
    }
    if matches!(name, "storefront" | "payments-api" | "grafana") {
        done.push(ingress(namespace, name));
    }
    done
}

fn budget(namespace: &str, name: &str) -> Mutation {
    create(
        "poddisruptionbudgets.policy",
        json!({
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": name}}},
        }),
    )
}

fn autoscaler(namespace: &str, name: &str) -> Mutation {
    create(
        "horizontalpodautoscalers.autoscaling",
        json!({
            "metadata": {"name": name, "namespace": namespace},
            "spec": {
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
                "minReplicas": 2, "maxReplicas": 8,
                "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}}],
            },
        }),
    )
}

fn ingress(namespace: &str, name: &str) -> Mutation {
    let host = format!("{name}.example.com");
    create(
        "ingresses.networking.k8s.io",
        json!({
            "metadata": {"name": name, "namespace": namespace},
            "spec": {
                "ingressClassName": "nginx", "tls": [{"hosts": [host], "secretName": format!("{name}-tls")}],
                "rules": [{"host": host, "http": {"paths": [{
                    "path": "/", "pathType": "Prefix", "backend": {"service": {"name": name, "port": {"number": 80}}},
                }]}}],
            },
            "status": {"loadBalancer": {"ingress": [{"ip": "203.0.113.17"}]}},
        }),
    )
}

/// A service; the storefront's is open to the world.
pub(super) fn service(namespace: &str, name: &str, port: i64) -> Mutation {
    let hash = hash_of(&[namespace, name]);
    let ip = format!("10.96.{}.{}", 1 + hash % 250, 2 + (hash >> 16) % 250);
    let mut value = json!({
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}},
        "spec": {
            "type": "ClusterIP", "clusterIP": ip, "clusterIPs": [ip], "selector": {"app": name},
            "ports": [{"name": "http", "port": port, "protocol": "TCP", "targetPort": 8080}],
            "sessionAffinity": "None", "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
            "internalTrafficPolicy": "Cluster",
        },
        "status": {"loadBalancer": {}},
    });
    if name == "storefront" {
        for (path, new) in [
            (&["spec", "type"][..], json!("LoadBalancer")),
            (&["spec", "externalTrafficPolicy"], json!("Cluster")),
            (&["spec", "allocateLoadBalancerNodePorts"], json!(true)),
            (
                &["spec", "ports"],
                json!([
                    {"name": "http", "port": 80, "protocol": "TCP", "targetPort": 8080, "nodePort": 30080},
                    {"name": "https", "port": 443, "protocol": "TCP", "targetPort": 8443, "nodePort": 30443},
                ]),
            ),
            (&["status"], json!({"loadBalancer": {"ingress": [{"ip": "203.0.113.17", "ipMode": "VIP"}]}})),
        ] {
            crate::json::set(&mut value, path, new);
        }
    }
    create("services", value)
}

pub(super) fn database(namespace: &str, name: &str, replicas: i64, size: &str) -> Vec<Mutation> {
    let image = format!("registry.example.com/{namespace}/{name}:v2.0.4");
    let mut template = template(namespace, name, &image, "500m");
    let mounts = json!([{"name": "data", "mountPath": "/var/lib/data"}]);
    if let Some(container) = template.pointer_mut("/spec/containers/0") {
        crate::json::set(container, &["volumeMounts"], mounts);
    }
    let claim = json!({
        "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}},
            "storageClassName": STORAGE_CLASS, "volumeMode": "Filesystem",
        },
    });
    let stateful = json!({
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}},
        "spec": {
            "replicas": replicas, "serviceName": name, "selector": {"matchLabels": {"app": name}},
            "podManagementPolicy": "OrderedReady", "revisionHistoryLimit": 10,
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
            "template": template, "volumeClaimTemplates": [claim],
        },
    });
    let mut headless = service(namespace, name, 5432);
    if let Mutation::Create { value, .. } = &mut headless {
        crate::json::set(value, &["spec", "clusterIP"], json!("None"));
        crate::json::set(value, &["spec", "clusterIPs"], json!(["None"]));
    }
    vec![create("statefulsets.apps", stateful), headless, budget(namespace, name)]
}

pub(super) fn daemon_set(namespace: &str, name: &str, image: &str) -> Mutation {
    let mut template = template(namespace, name, image, "50m");
    crate::json::set(
        &mut template,
        &["spec", "nodeSelector"],
        json!({"topology.kubernetes.io/region": "eu1"}),
    );
    create(
        "daemonsets.apps",
        json!({
            "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}},
            "spec": {
                "selector": {"matchLabels": {"app": name}}, "template": template, "revisionHistoryLimit": 10,
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
            },
        }),
    )
}

pub(super) fn cron_job(namespace: &str, name: &str) -> Mutation {
    let mut template =
        template(namespace, name, &format!("registry.example.com/{namespace}/{name}:v3.2.0"), "50m");
    crate::json::set(&mut template, &["spec", "restartPolicy"], json!("Never"));
    crate::json::set(&mut template, &["metadata", "labels"], json!({"app": name}));
    create(
        "cronjobs.batch",
        json!({
            "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}},
            "spec": {
                "schedule": "* * * * *", "suspend": false, "concurrencyPolicy": "Forbid",
                "successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1,
                "jobTemplate": {"spec": {
                    "parallelism": 1, "completions": 1, "backoffLimit": 0, "template": template,
                }},
            },
            "status": {},
        }),
    )
}
