//! The built-in resources, by their real names. Pure data.
//! Custom ones come from CustomResourceDefinitions (`crd.rs`).

use crate::resource::{ResourceType, Verbs};
use crate::table::Printer;

/// apiVersion, plural, kind, short names, scope (`all`: namespaced, and part of `kubectl get all`),
/// subresources. The last six are reviews, which are only created and never kept.
const RESOURCES: &str = "\
v1                           configmaps                ConfigMap                cm       namespaced -
v1                           endpoints                 Endpoints                ep       namespaced -
v1                           events                    Event                    ev       namespaced -
v1                           limitranges               LimitRange               limits   namespaced -
v1                           namespaces                Namespace                ns       cluster    status
v1                           nodes                     Node                     no       cluster    status
v1                           persistentvolumeclaims    PersistentVolumeClaim    pvc      namespaced status
v1                           persistentvolumes         PersistentVolume         pv       cluster    status
v1                           pods                      Pod                      po       all        status
v1                           secrets                   Secret                   -        namespaced -
v1                           serviceaccounts           ServiceAccount           sa       namespaced -
v1                           services                  Service                  svc      all        status
apiregistration.k8s.io/v1    apiservices               APIService               -        cluster    status
apps/v1                      daemonsets                DaemonSet                ds       all        status
apps/v1                      deployments               Deployment               deploy   all        scale,status
apps/v1                      replicasets               ReplicaSet               rs       all        scale,status
apps/v1                      statefulsets              StatefulSet              sts      all        scale,status
autoscaling/v2               horizontalpodautoscalers  HorizontalPodAutoscaler  hpa      all        status
batch/v1                     cronjobs                  CronJob                  cj       all        status
batch/v1                     jobs                      Job                      -        all        status
networking.k8s.io/v1         ingresses                 Ingress                  ing      namespaced status
networking.k8s.io/v1         networkpolicies           NetworkPolicy            netpol   namespaced -
policy/v1                    poddisruptionbudgets      PodDisruptionBudget      pdb      namespaced status
rbac.authorization.k8s.io/v1 clusterrolebindings       ClusterRoleBinding       -        cluster    -
rbac.authorization.k8s.io/v1 clusterroles              ClusterRole              -        cluster    -
rbac.authorization.k8s.io/v1 rolebindings              RoleBinding              -        namespaced -
rbac.authorization.k8s.io/v1 roles                     Role                     -        namespaced -
storage.k8s.io/v1            storageclasses            StorageClass             sc       cluster    -
apiextensions.k8s.io/v1      customresourcedefinitions CustomResourceDefinition crd,crds cluster    status
coordination.k8s.io/v1       leases                    Lease                    -        namespaced -
discovery.k8s.io/v1          endpointslices            EndpointSlice            -        namespaced -
authentication.k8s.io/v1     selfsubjectreviews        SelfSubjectReview        -        cluster    -
authentication.k8s.io/v1     tokenreviews              TokenReview              -        cluster    -
authorization.k8s.io/v1      localsubjectaccessreviews LocalSubjectAccessReview -        namespaced -
authorization.k8s.io/v1      selfsubjectaccessreviews  SelfSubjectAccessReview  -        cluster    -
authorization.k8s.io/v1      selfsubjectrulesreviews   SelfSubjectRulesReview   -        cluster    -
authorization.k8s.io/v1      subjectaccessreviews      SubjectAccessReview      -        cluster    -
";

/// Every built-in resource, in discovery's order.
pub fn types() -> Vec<ResourceType> {
    RESOURCES.lines().filter_map(describe).collect()
}

fn describe(line: &str) -> Option<ResourceType> {
    let mut words = line.split_whitespace();
    let (api_version, plural, kind) = (words.next()?, words.next()?, words.next()?);
    let (short_names, scope, subresources) = (words.next()?, words.next()?, words.next()?);
    let names = |list: &str| list.split(',').filter(|name| *name != "-").map(str::to_owned).collect();
    let verbs = match plural {
        "namespaces" => Verbs::NoDeleteCollection,
        _ if plural.ends_with("reviews") => Verbs::Create,
        _ => Verbs::All,
    };
    Some(ResourceType {
        short_names: names(short_names),
        categories: if scope == "all" { vec!["all".to_owned()] } else { Vec::new() },
        namespaced: scope != "cluster",
        subresources: names(subresources),
        printer: Printer::of_built_in(kind),
        ..ResourceType::new(api_version, plural, kind, verbs)
    })
}
