//! Programs of others that read a cluster through the gateway, in Go, Python, Rust and with curl, each in the way that
//! tutorials show. Beside each runs the same program that reads the API server itself: both must see the same, also while
//! connections break, histories end and gateways go.

mod cluster;
mod document;
mod exact;
mod kinds;
mod kube_rs;
mod replicas;
mod ways;
