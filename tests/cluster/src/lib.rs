//! A real Kubernetes control plane on loopback, without a container runtime: for the tests, the
//! benches and `cargo xtask kube`.
//!
//! The programs are built once from Go modules (`go.mod` beside this crate) into a cache outside the
//! clone, or taken from `KUBEBUILDER_ASSETS`. A [`ControlPlane`] is gone when its owner is gone,
//! however the owner ended; a [`Standing`] one stays until it is taken down. Either may have a
//! [`Fleet`]: nodes and workloads that live.
//!
//! It never listens beyond loopback, never reads the user's kubeconfig, and knows nothing of the
//! gateway. Everything here blocks; an async test calls it through `spawn_blocking`.

mod binaries;
mod clients;
mod fleet;
mod kubectl;
mod layout;
mod module;
mod plane;
mod ports;
mod process;
mod program;
mod ready;
mod record;
mod standing;
mod users;

pub use binaries::Binaries;
pub use fleet::Fleet;
pub use module::sources_of;
pub use plane::{ControlPlane, Credential, EtcdSnapshot, Options};
pub use ports::Port;
pub use program::{Program, VERSION_VARIABLE, Version};
pub use standing::Standing;
pub use users::User;
