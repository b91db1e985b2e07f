//! The built-in resources, by their real names. Pure data.
//! Custom ones come from CustomResourceDefinitions (`crd.rs`).

use crate::resource::{ResourceType, Verbs};
use crate::table::{BuiltIn, Printer};

/// One line of the table below.
struct Line(
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
    Scope,
    BuiltIn,
    &'static [&'static str],
);

#[derive(PartialEq)]
enum Scope {
    Cluster,
    /// Namespaced, and part of `kubectl get all`.
    All,
    Namespaced,
}

use Scope::{All, Cluster, Namespaced};

const STATUS: &[&str] = &["status"];
const SCALED: &[&str] = &["scale", "status"];
const NONE: &[&str] = &[];

/// Group, version, plural, kind, short names, scope, printer, subresources.
const LINES: &[Line] = &[
    Line("", "v1", "configmaps", "ConfigMap", &["cm"], Namespaced, BuiltIn::ConfigMap, NONE),
    Line("", "v1", "endpoints", "Endpoints", &["ep"], Namespaced, BuiltIn::Endpoints, NONE),
    Line("", "v1", "events", "Event", &["ev"], Namespaced, BuiltIn::Event, NONE),
    Line("", "v1", "limitranges", "LimitRange", &["limits"], Namespaced, BuiltIn::CreatedAt, NONE),
    Line("", "v1", "namespaces", "Namespace", &["ns"], Cluster, BuiltIn::Namespace, STATUS),
    Line("", "v1", "nodes", "Node", &["no"], Cluster, BuiltIn::Node, STATUS),
    Line(
        "",
        "v1",
        "persistentvolumeclaims",
        "PersistentVolumeClaim",
        &["pvc"],
        Namespaced,
        BuiltIn::VolumeClaim,
        STATUS,
    ),
    Line("", "v1", "persistentvolumes", "PersistentVolume", &["pv"], Cluster, BuiltIn::Volume, STATUS),
    Line("", "v1", "pods", "Pod", &["po"], All, BuiltIn::Pod, STATUS),
    Line("", "v1", "secrets", "Secret", &[], Namespaced, BuiltIn::Secret, NONE),
    Line("", "v1", "serviceaccounts", "ServiceAccount", &["sa"], Namespaced, BuiltIn::ServiceAccount, NONE),
    Line("", "v1", "services", "Service", &["svc"], All, BuiltIn::Service, STATUS),
    Line(
        "apiregistration.k8s.io",
        "v1",
        "apiservices",
        "APIService",
        &[],
        Cluster,
        BuiltIn::ApiService,
        STATUS,
    ),
    Line("apps", "v1", "daemonsets", "DaemonSet", &["ds"], All, BuiltIn::DaemonSet, STATUS),
    Line("apps", "v1", "deployments", "Deployment", &["deploy"], All, BuiltIn::Deployment, SCALED),
    Line("apps", "v1", "replicasets", "ReplicaSet", &["rs"], All, BuiltIn::ReplicaSet, SCALED),
    Line("apps", "v1", "statefulsets", "StatefulSet", &["sts"], All, BuiltIn::StatefulSet, SCALED),
    Line(
        "autoscaling",
        "v2",
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
        &["hpa"],
        All,
        BuiltIn::Autoscaler,
        STATUS,
    ),
    Line("batch", "v1", "cronjobs", "CronJob", &["cj"], All, BuiltIn::CronJob, STATUS),
    Line("batch", "v1", "jobs", "Job", &[], All, BuiltIn::Job, STATUS),
    Line("networking.k8s.io", "v1", "ingresses", "Ingress", &["ing"], Namespaced, BuiltIn::Ingress, STATUS),
    Line(
        "networking.k8s.io",
        "v1",
        "networkpolicies",
        "NetworkPolicy",
        &["netpol"],
        Namespaced,
        BuiltIn::NetworkPolicy,
        NONE,
    ),
    Line(
        "policy",
        "v1",
        "poddisruptionbudgets",
        "PodDisruptionBudget",
        &["pdb"],
        Namespaced,
        BuiltIn::DisruptionBudget,
        STATUS,
    ),
    Line(
        "rbac.authorization.k8s.io",
        "v1",
        "clusterrolebindings",
        "ClusterRoleBinding",
        &[],
        Cluster,
        BuiltIn::RoleBinding,
        NONE,
    ),
    Line(
        "rbac.authorization.k8s.io",
        "v1",
        "clusterroles",
        "ClusterRole",
        &[],
        Cluster,
        BuiltIn::CreatedAt,
        NONE,
    ),
    Line(
        "rbac.authorization.k8s.io",
        "v1",
        "rolebindings",
        "RoleBinding",
        &[],
        Namespaced,
        BuiltIn::RoleBinding,
        NONE,
    ),
    Line("rbac.authorization.k8s.io", "v1", "roles", "Role", &[], Namespaced, BuiltIn::CreatedAt, NONE),
    Line(
        "storage.k8s.io",
        "v1",
        "storageclasses",
        "StorageClass",
        &["sc"],
        Cluster,
        BuiltIn::StorageClass,
        NONE,
    ),
    Line(
        "apiextensions.k8s.io",
        "v1",
        "customresourcedefinitions",
        "CustomResourceDefinition",
        &["crd", "crds"],
        Cluster,
        BuiltIn::CreatedAt,
        STATUS,
    ),
    Line("coordination.k8s.io", "v1", "leases", "Lease", &[], Namespaced, BuiltIn::Lease, NONE),
    Line(
        "discovery.k8s.io",
        "v1",
        "endpointslices",
        "EndpointSlice",
        &[],
        Namespaced,
        BuiltIn::EndpointSlice,
        NONE,
    ),
];

/// The reviews: only created, and never kept. Group, plural, kind, whether namespaced.
const REVIEWS: &[(&str, &str, &str, bool)] = &[
    ("authentication.k8s.io", "selfsubjectreviews", "SelfSubjectReview", false),
    ("authentication.k8s.io", "tokenreviews", "TokenReview", false),
    ("authorization.k8s.io", "localsubjectaccessreviews", "LocalSubjectAccessReview", true),
    ("authorization.k8s.io", "selfsubjectaccessreviews", "SelfSubjectAccessReview", false),
    ("authorization.k8s.io", "selfsubjectrulesreviews", "SelfSubjectRulesReview", false),
    ("authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview", false),
];

/// Every built-in resource, in discovery's order.
pub fn types() -> Vec<ResourceType> {
    LINES.iter().map(describe).chain(REVIEWS.iter().map(review)).collect()
}

fn review((group, plural, kind, namespaced): &(&str, &str, &str, bool)) -> ResourceType {
    ResourceType {
        group: (*group).to_owned(),
        version: "v1".to_owned(),
        plural: (*plural).to_owned(),
        singular: kind.to_lowercase(),
        kind: (*kind).to_owned(),
        list_kind: format!("{kind}List"),
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced: *namespaced,
        verbs: Verbs::Create,
        subresources: Vec::new(),
        printer: Printer::BuiltIn(BuiltIn::CreatedAt),
        selectable: Vec::new(),
        built_in: true,
    }
}

fn describe(line: &Line) -> ResourceType {
    let Line(group, version, plural, kind, short_names, scope, printer, subresources) = line;
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    ResourceType {
        group: (*group).to_owned(),
        version: (*version).to_owned(),
        plural: (*plural).to_owned(),
        singular: kind.to_lowercase(),
        kind: (*kind).to_owned(),
        list_kind: format!("{kind}List"),
        short_names: owned(short_names),
        categories: if *scope == All { owned(&["all"]) } else { Vec::new() },
        namespaced: *scope != Cluster,
        verbs: if *plural == "namespaces" { Verbs::NoDeleteCollection } else { Verbs::All },
        subresources: owned(subresources),
        printer: Printer::BuiltIn(*printer),
        selectable: Vec::new(),
        built_in: true,
    }
}
