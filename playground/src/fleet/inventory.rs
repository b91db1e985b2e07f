//! The apps, nodes and namespaces of the fleet, and what is special about some of them. Pure data.

/// How many objects there are before any filling, at the least.
pub(super) const OBJECTS: usize = 300;
pub(super) const STORAGE_CLASS: &str = "fast";
/// Nodes of the filling.
pub(super) const NODE_PREFIX: &str = "load-node-";

pub(super) fn is_filling_node(name: &str) -> bool {
    name.starts_with(NODE_PREFIX)
}

#[derive(Clone, Copy, Debug)]
pub(super) struct App {
    pub(super) namespace: &'static str,
    pub(super) name: &'static str,
    pub(super) repository: &'static str,
    pub(super) minor: u64,
    pub(super) replicas: i64,
    pub(super) part: Part,
}

/// The part of an app in the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// It is rolled now and then.
    Rolled,
    /// An autoscaler scales it.
    Scaled,
    /// Its new image can't be pulled.
    Unpullable,
    /// Its container crashes.
    Crashing,
    /// An init container prepares its database.
    Prepared,
    /// It stands still.
    Still,
}

const fn app(
    namespace: &'static str,
    name: &'static str,
    repository: &'static str,
    minor: u64,
    replicas: i64,
    part: Part,
) -> App {
    App { namespace, name, repository, minor, replicas, part }
}

pub(super) const APPS: &[App] = &[
    app("payments", "payments-api", "registry.example.com/payments/api", 14, 3, Part::Rolled),
    app("payments", "fraud-check", "registry.example.com/payments/fraud-check", 4, 2, Part::Rolled),
    app("payments", "psp-gateway", "registry.example.com/payments/psp-gateway", 31, 2, Part::Rolled),
    app("payments", "settlement-import", CRASHING, 2, 1, Part::Crashing),
    app("shop", "storefront", "registry.example.com/shop/storefront", 22, 4, Part::Scaled),
    app("shop", "cart", "registry.example.com/shop/cart", 9, 2, Part::Rolled),
    app("shop", "catalog", "registry.example.com/shop/catalog", 17, 3, Part::Rolled),
    app("shop", "recommendations", "registry.example.com/shop/recommendations", 6, 2, Part::Unpullable),
    app("shop", "notifications", "registry.example.com/shop/notifications", 3, 1, Part::Rolled),
    app("ledger", "ledger-writer", "registry.example.com/ledger/writer", 8, 2, Part::Prepared),
    app("ledger", "ledger-reader", "registry.example.com/ledger/reader", 8, 2, Part::Scaled),
    app("ledger", "statements", "registry.example.com/ledger/statements", 5, 2, Part::Rolled),
    app(WATCHING, "prometheus-adapter", "registry.example.com/observability/adapter", 1, 1, Part::Still),
    app(WATCHING, "grafana", "registry.example.com/observability/grafana", 12, 1, Part::Still),
    app(WATCHING, "alertmanager", "registry.example.com/observability/alertmanager", 28, 2, Part::Still),
    app("kube-system", "coredns", "registry.k8s.io/coredns/coredns", 13, 2, Part::Still),
    app("kube-system", "metrics-server", "registry.k8s.io/metrics-server/metrics-server", 8, 2, Part::Still),
    app("kube-system", "cert-manager", "quay.io/jetstack/cert-manager-controller", 18, 1, Part::Still),
];

const WATCHING: &str = "observability";

/// Namespace, name, replicas, size of a volume.
pub(super) const DATABASES: &[(&str, &str, i64, &str)] = &[
    ("ledger", "ledger-db", 3, "20Gi"),
    ("shop", "cart-redis", 2, "8Gi"),
    ("observability", "prometheus", 2, "50Gi"),
];

/// Namespace, name, image.
pub(super) const AGENTS: &[(&str, &str, &str)] = &[
    ("kube-system", "kube-proxy", "registry.k8s.io/kube-proxy:v1.36.3"),
    ("observability", "node-exporter", "quay.io/prometheus/node-exporter:v1.9.1"),
];

/// Namespace, name.
pub(super) const CERTIFICATES: &[(&str, &str)] = &[
    ("ledger", "ledger-mtls"),
    ("observability", "grafana-tls"),
    ("payments", "payments-tls"),
    ("shop", "cart-tls"),
    ("shop", "storefront-tls"),
];
pub(super) const ROLLOUTS: &[(&str, &str)] = &[("payments", "checkout"), ("shop", "search")];

pub(super) const NAMESPACES: &[&str] =
    &["default", "kube-node-lease", "kube-system", "ledger", "observability", "payments", "shop"];
pub(super) const TEAMS: &[&str] = &["ledger", "observability", "payments", "shop"];
pub(super) const NODES: usize = 6;

const CRASHING: &str = "registry.example.com/payments/settlement-import";

pub(super) fn node_name(number: usize) -> String {
    let zone = ["a", "b", "c"].get(number % 3).copied().unwrap_or("a");
    format!("eu1-{zone}-{:02}", number + 1)
}

/// The example registry has releases only: `v1.2.3`, and no candidates.
pub(super) fn can_pull(image: &str) -> bool {
    let Some((repository, tag)) = image.rsplit_once(':') else {
        return true;
    };
    let is_release = tag
        .strip_prefix('v')
        .is_some_and(|numbers| numbers.split('.').all(|number| number.parse::<u32>().is_ok()));
    is_release || !repository.starts_with("registry.example.com/")
}

/// Whether the program of this image crashes.
pub(super) fn crashes(image: &str) -> bool {
    image.starts_with(CRASHING)
}
