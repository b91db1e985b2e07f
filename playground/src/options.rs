//! The options of a playground, which tests and people choose before it starts.

use std::sync::Arc;
use std::time::Duration;

use crate::limits;
use crate::rbac::User;
use crate::recording::Recording;

/// The name of a playground that was given none.
const NAME: &str = "playground";

/// Options of a playground. `Default` is the demo: a fleet of about 300 objects that lives.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the cluster in its kubeconfig, and of the context and the user that stand for no user of [`Options::users`].
    pub name: String,
    /// 0: any free one. Loopback only.
    pub port: u16,
    /// The same seed gives the same fleet and scenario.
    pub seed: u64,
    /// A cluster that was recorded, which stands still, instead of a fleet.
    pub recording: Option<Arc<Recording>>,
    /// At least so many objects; 0 starts an empty cluster.
    pub objects: usize,
    /// Changes per second that the fleet makes by itself; 0: only when it is stepped.
    pub changes_per_second: f64,
    /// The fleet begins so long ago, and stands still until [`Playground::go_on`](crate::Playground::go_on): the time
    /// between is gone through by [`Playground::step_fleet_of`](crate::Playground::step_fleet_of).
    pub lead: Duration,
    /// Bytes of a pod as JSON, its managedFields included; 0: as they come.
    pub object_bytes: usize,
    /// With a token every request must carry it, and may do everything.
    pub token: Option<String>,
    /// Users, known by their tokens, with the rights that roles and bindings give them.
    /// Without users and without a token every request may do everything.
    pub users: Vec<User>,
    /// Answers by TLS as well, with a certificate that its kubeconfig trusts. Where requests carry tokens it always does,
    /// because a client of Kubernetes sends a token over TLS alone.
    pub tls: bool,
    /// Bytes of the changes that watches may begin from, of all resources together.
    pub history_bytes: usize,
    /// How often the changes from before the last time are forgotten; none: only those beyond the bytes.
    pub history_age: Option<Duration>,
    /// How often a watch that asked for bookmarks gets one.
    pub bookmark_interval: Duration,
    /// Whether `sendInitialEvents` is understood (the WatchList feature).
    pub watch_list: bool,
    /// Whether discovery answers in its aggregated form.
    pub aggregated_discovery: bool,
    /// Whether `metrics.k8s.io` is there from the start, by its APIService.
    pub metrics: bool,
    /// How long a list in the future waits before it is refused.
    pub future_list_wait: Duration,
    /// The version at `/version`.
    pub git_version: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: NAME.to_owned(),
            port: 0,
            seed: 7,
            recording: None,
            objects: 300,
            changes_per_second: 3.0,
            lead: Duration::ZERO,
            object_bytes: 0,
            token: None,
            users: Vec::new(),
            tls: false,
            history_bytes: limits::HISTORY_BYTES_DEMO,
            history_age: Some(limits::HISTORY_AGE_DEMO),
            bookmark_interval: Duration::from_secs(45),
            watch_list: true,
            aggregated_discovery: true,
            metrics: true,
            future_list_wait: limits::FUTURE_LIST_WAIT,
            git_version: "v1.36.3".to_owned(),
        }
    }
}

impl Options {
    /// A cluster that stands still until a test moves it, and forgets only what the test makes it forget.
    pub fn quiet() -> Self {
        Self {
            changes_per_second: 0.0,
            history_bytes: limits::HISTORY_BYTES_MAX,
            history_age: None,
            ..Self::default()
        }
    }

    /// A cluster that was recorded.
    pub fn recorded(recording: Recording) -> Self {
        let git_version = recording.git_version.clone();
        Self { git_version, recording: Some(Arc::new(recording)), ..Self::empty() }
    }

    /// A cluster with its built-in namespaces and nothing else.
    pub fn empty() -> Self {
        Self { objects: 0, metrics: false, ..Self::quiet() }
    }
}
