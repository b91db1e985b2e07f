//! The kinds that the fleet's components look after. Pure data.

/// Resource, apiVersion, kind.
pub(super) const KINDS: &[(&str, &str, &str)] = &[
    ("namespaces", "v1", "Namespace"),
    ("nodes", "v1", "Node"),
    ("persistentvolumeclaims", "v1", "PersistentVolumeClaim"),
    ("persistentvolumes", "v1", "PersistentVolume"),
    ("secrets", "v1", "Secret"),
    ("cronjobs.batch", "batch/v1", "CronJob"),
    ("jobs.batch", "batch/v1", "Job"),
    ("rollouts.argoproj.io", "argoproj.io/v1alpha1", "Rollout"),
    ("deployments.apps", "apps/v1", "Deployment"),
    ("replicasets.apps", "apps/v1", "ReplicaSet"),
    ("statefulsets.apps", "apps/v1", "StatefulSet"),
    ("daemonsets.apps", "apps/v1", "DaemonSet"),
    ("pods", "v1", "Pod"),
    ("services", "v1", "Service"),
    ("endpoints", "v1", "Endpoints"),
    ("endpointslices.discovery.k8s.io", "discovery.k8s.io/v1", "EndpointSlice"),
    ("horizontalpodautoscalers.autoscaling", "autoscaling/v2", "HorizontalPodAutoscaler"),
    ("poddisruptionbudgets.policy", "policy/v1", "PodDisruptionBudget"),
    ("certificates.cert-manager.io", "cert-manager.io/v1", "Certificate"),
];

/// The resource of a kind.
pub(super) fn resource_of(kind: &str) -> Option<&'static str> {
    KINDS.iter().find(|(_, _, found)| *found == kind).map(|(resource, _, _)| *resource)
}

/// The apiVersion and kind of a resource.
pub(super) fn kind_of(resource: &str) -> (&'static str, &'static str) {
    KINDS
        .iter()
        .find(|(found, _, _)| *found == resource)
        .map_or(("", ""), |(_, version, kind)| (version, kind))
}
