//! A small Kubernetes API server in memory: a living fleet for the demo, faults on demand for tests.
//! It never knows the gateway, and never leaves loopback.
//!
//! Reading order: `playground` (what a caller holds), `cluster` (the state that all requests share),
//! `store`, `rbac` and `table` (pure), `http` (the wire), `fleet` (the scenario), `faults` (failures on
//! demand).

mod built_in;
mod clock;
mod cluster;
mod compactor;
mod crd;
mod edit;
mod faults;
mod fleet;
mod http;
mod json;
mod kubeconfig;
pub mod limits;
mod logs;
mod metrics;
mod opaque;
mod options;
mod patch;
mod playground;
mod random;
mod rbac;
mod recording;
mod representation;
mod resource;
mod selector;
mod standing;
mod store;
mod table;
mod validate;

pub use cluster::LoggedRequest;
pub use faults::{Fault, Rule};
pub use kubernetes_api::Failure;
pub use options::Options;
pub use playground::{Playground, StartError};
pub use rbac::{TokenFileError, User};
pub use recording::{RecordedKind, Recording};
