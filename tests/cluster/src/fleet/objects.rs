//! The objects of the fleet, from the manifests of `fleet/objects/`: eight nodes in three zones, what six teams and
//! the cluster itself run (about 150 pods), and what moves beside that.
//!
//! Words in capitals are placeholders of a manifest.

use Kind::{DaemonSet, Deployment, StatefulSet};

/// Definitions first: kwok has stages for these kinds.
pub(super) const DEFINITIONS: &str = include_str!("../../fleet/objects/definitions.yaml");
/// What kwok must find published when it starts.
pub(super) const SCHEMAS: [&str; 4] = [
    "/openapi/v3/apis/cert-manager.io/v1",
    "/openapi/v3/apis/argoproj.io/v1alpha1",
    "/openapi/v3/apis/external.metrics.k8s.io/v1beta1",
    "/openapi/v3/apis/metrics.k8s.io/v1beta1",
];
pub(super) const STORY: &str = include_str!("../../fleet/objects/story.yaml");
pub(super) const NAMESPACES: [&str; 6] = ["batch", "ledger", "observability", "payments", "platform", "shop"];

const NODE: &str = include_str!("../../fleet/objects/node.yaml");
const STORAGE_CLASS: &str = include_str!("../../fleet/objects/storage-class.yaml");
const CONFIGURATION: &str = include_str!("../../fleet/objects/configuration.yaml");
const BUDGET: &str = include_str!("../../fleet/objects/budget.yaml");

/// What differs from one app to the next.
struct App {
    namespace: &'static str,
    name: &'static str,
    kind: Kind,
    replicas: u32,
    character: Character,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Deployment,
    StatefulSet,
    DaemonSet,
}

#[derive(Clone, Copy, PartialEq)]
enum Character {
    Calm,
    /// What goes wrong with its pods: a label that `fleet/faults.yaml` reads.
    Fault(&'static str),
    /// What happens to it as a whole: a label that `fleet/story.yaml` reads.
    Story(&'static str),
    /// Has an init container.
    Migrates,
    /// An autoscaler decides how many pods there are.
    Scaled,
}

const CALM: Character = Character::Calm;

const APPS: [App; 28] = [
    app("payments", "payments-api", Deployment, 8, Character::Migrates),
    app("payments", "fraud-check", Deployment, 4, Character::Fault("probe")),
    app("payments", "gateway", Deployment, 6, CALM),
    app("payments", "redis", StatefulSet, 3, CALM),
    app("shop", "storefront", Deployment, 8, Character::Story("rolls")),
    app("shop", "cart", Deployment, 6, CALM),
    app("shop", "catalog", Deployment, 8, CALM),
    app("shop", "recommendations", Deployment, 2, Character::Fault("crash-loop")),
    app("shop", "web", Deployment, 3, Character::Scaled),
    app("ledger", "ledger-writer", Deployment, 4, CALM),
    app("ledger", "ledger-reader", Deployment, 8, CALM),
    app("ledger", "postgres", StatefulSet, 3, CALM),
    app("ledger", "statements", Deployment, 2, Character::Fault("out-of-memory")),
    app("observability", "grafana", Deployment, 2, CALM),
    app("observability", "prometheus", StatefulSet, 2, CALM),
    app("observability", "loki", StatefulSet, 3, CALM),
    app("observability", "node-exporter", DaemonSet, 0, CALM),
    app("observability", "otel-collector", DaemonSet, 0, CALM),
    app("batch", "worker", Deployment, 12, CALM),
    app("batch", "importer", Deployment, 1, Character::Fault("image-pull")),
    app("batch", "scheduler", Deployment, 2, CALM),
    app("platform", "ingress", Deployment, 6, CALM),
    app("platform", "cert-manager", Deployment, 3, CALM),
    app("platform", "argo-rollouts", Deployment, 2, CALM),
    app("platform", "registry", StatefulSet, 1, CALM),
    app("kube-system", "coredns", Deployment, 2, CALM),
    app("kube-system", "kube-proxy", DaemonSet, 0, CALM),
    app("kube-system", "cilium", DaemonSet, 0, CALM),
];

pub(super) fn nodes() -> String {
    let node = |number: usize| {
        let zone = ["a", "b", "c"].get((number - 1) % 3).copied().unwrap_or("a");
        let taint = "{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}";
        let (role, taints) = if number == 1 { ("control-plane", taint) } else { ("worker", "") };
        NODE.replace("NAME", &format!("eu1-{zone}-{number:02}"))
            .replace("ROLE", role)
            .replace("ZONE", zone)
            .replace("NUMBER", &number.to_string())
            .replace("ADDRESS", &(10 + number).to_string())
            .replace("TAINTS", taints)
    };
    documents((1..=NODES).map(node))
}

pub(super) fn namespaces() -> String {
    let namespace = |name| format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}}}\n");
    documents(NAMESPACES.into_iter().map(namespace))
}

pub(super) fn apps() -> String {
    documents([STORAGE_CLASS.to_owned()].into_iter().chain(APPS.iter().map(App::manifests)))
}

impl App {
    fn manifests(&self) -> String {
        let (namespace, name) = (self.namespace, self.name);
        let mut manifests = vec![CONFIGURATION, self.kind.manifest()];
        if self.kind == Deployment && self.replicas >= 6 {
            manifests.push(BUDGET);
        }
        let image = format!("registry.example.com/{namespace}/{name}:v1.1.0");
        let pod_labels = format!("app: {name}, team: {namespace}");
        let labels = match self.character {
            Character::Story(story) => format!("{pod_labels}, fleet.dogwatch.dev/story: {story}"),
            _ => pod_labels.clone(),
        };
        let pod_labels = match self.character {
            Character::Fault(fault) => format!("{pod_labels}, fleet.dogwatch.dev/fault: {fault}"),
            _ => pod_labels,
        };
        let init_container = match self.character {
            Character::Migrates => "{name: migrate, image: IMAGE, command: [/app/migrate, --wait]}",
            _ => "",
        };
        let replicas = match self.character {
            Character::Scaled => String::new(),
            _ => format!("replicas: {}", self.replicas),
        };
        documents(manifests.into_iter().map(str::to_owned))
            .replace("POD_LABELS", &pod_labels)
            .replace("LABELS", &labels)
            .replace("INIT_CONTAINERS", init_container)
            .replace("IMAGE", &image)
            .replace("REPLICAS", &replicas)
            .replace("NAMESPACE", namespace)
            .replace("NAME", name)
    }
}

impl Kind {
    /// With its Service, where it has one.
    fn manifest(self) -> &'static str {
        match self {
            Deployment => include_str!("../../fleet/objects/deployment.yaml"),
            StatefulSet => include_str!("../../fleet/objects/stateful-set.yaml"),
            DaemonSet => include_str!("../../fleet/objects/daemon-set.yaml"),
        }
    }
}

const fn app(
    namespace: &'static str,
    name: &'static str,
    kind: Kind,
    replicas: u32,
    character: Character,
) -> App {
    App { namespace, name, kind, replicas, character }
}

fn documents(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join("---\n")
}

const NODES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_app_is_whole_and_lives_in_a_namespace_that_exists() {
        for app in &APPS {
            let known = NAMESPACES.contains(&app.namespace) || app.namespace == "kube-system";
            assert!(known, "{} is in {}", app.name, app.namespace);
        }
        for manifest in [nodes(), apps()].iter().flat_map(|text| text.split("---\n")) {
            let object: serde_json::Value = serde_saphyr::from_str(manifest).unwrap();
            assert!(object["kind"].is_string(), "{manifest}");
            let is_placeholder = |word: &str| word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase());
            let left = manifest.split(|c: char| !c.is_ascii_alphabetic()).find(|word| is_placeholder(word));
            assert!(left.is_none_or(|word| ["LEVEL", "REGION"].contains(&word)), "{left:?} in {manifest}");
        }
    }
}
