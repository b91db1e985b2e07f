//! axum: router, upgrade, assets, headers, probes, metrics. Never `kube` or the hub.
