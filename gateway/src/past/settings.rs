//! Where the record is kept, and of which kinds.

use std::path::PathBuf;
use std::time::Duration;

use shared::name::Namespace;
use shared::resource::Resource;

use crate::cluster::Pattern;

/// What is recorded, and where.
#[derive(Clone, Debug)]
pub struct HistorySettings {
    pub place: Place,
    pub bytes: u64,
    pub age_ms: i64,
    /// The kinds, as a ceiling names them. Empty: [`KINDS`].
    pub kinds: Vec<Pattern>,
    /// The only namespace that is recorded of kinds that have namespaces. `None`: all.
    pub namespace: Option<Namespace>,
    /// A record in memory is of kinds without viewers, too.
    pub keeps_in_memory: bool,
    /// The record begins so long ago, with what the demo lived through before its start.
    pub lead: Duration,
}

#[derive(Clone, Debug)]
pub enum Place {
    Nowhere,
    /// For as long as the gateway runs, and of a kind while it has viewers.
    Memory,
    Folder(PathBuf),
    /// One file, which is given to others.
    File,
    Postgres(Box<Database>),
}

/// A PostgreSQL database, and how it is reached.
#[derive(Clone, Debug)]
pub struct Database {
    pub config: postgres::Config,
    pub password_file: Option<PathBuf>,
    /// libpq's file of passwords, where `password_file` names none.
    pub pass_file: Option<PathBuf>,
    /// The authorities of its certificate. `None`: the system's.
    pub ca_file: Option<PathBuf>,
    /// The certificate that the gateway shows, and its key.
    pub client: Option<(PathBuf, PathBuf)>,
    pub has_tls: bool,
}

/// What is recorded where the settings name no kinds: what runs, what leads to it, and what was said of it. Never Secrets;
/// nor Leases and Endpoints, which change all the time and say little.
pub const KINDS: [&str; 20] = [
    "configmaps",
    "cronjobs.batch",
    "daemonsets.apps",
    "deployments.apps",
    "events",
    "gateways.gateway.networking.k8s.io",
    "horizontalpodautoscalers.autoscaling",
    "httproutes.gateway.networking.k8s.io",
    "ingresses.networking.k8s.io",
    "jobs.batch",
    "namespaces",
    "nodes",
    "persistentvolumeclaims",
    "poddisruptionbudgets.policy",
    "pods",
    "replicasets.apps",
    "replicationcontrollers",
    "rollouts.argoproj.io",
    "services",
    "statefulsets.apps",
];

impl HistorySettings {
    /// Nothing is recorded.
    #[must_use]
    pub fn nothing() -> Self {
        Self {
            place: Place::Nowhere,
            bytes: 0,
            age_ms: 0,
            kinds: Vec::new(),
            namespace: None,
            keeps_in_memory: false,
            lead: Duration::ZERO,
        }
    }

    /// Whether a kind is recorded. Secrets never are, whatever the settings name.
    #[must_use]
    pub fn names(&self, resource: &Resource) -> bool {
        let name = resource.to_string();
        if resource.is_secrets() || matches!(self.place, Place::Nowhere) {
            return false;
        }
        match self.kinds.as_slice() {
            [] => KINDS.contains(&name.as_str()),
            kinds => kinds.iter().any(|pattern| pattern.names(&name)),
        }
    }

    /// Names of the kinds that are recorded without viewers, by the gateway's own account.
    #[must_use]
    pub fn kept_kinds(&self) -> Vec<Pattern> {
        match (self.keeps(), self.kinds.as_slice()) {
            (false, _) => Vec::new(),
            (true, []) => KINDS.iter().filter_map(|kind| Pattern::parse(kind)).collect(),
            (true, kinds) => kinds.to_vec(),
        }
    }

    /// Whether kinds are recorded that have no viewers.
    #[must_use]
    pub fn keeps(&self) -> bool {
        match self.place {
            Place::Nowhere => false,
            Place::Memory => self.keeps_in_memory,
            Place::Folder(_) | Place::Postgres(_) | Place::File => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_never_recorded_and_the_kinds_may_be_named() {
        let settings = |kinds: &[&str]| HistorySettings {
            place: Place::Memory,
            kinds: kinds.iter().filter_map(|kind| Pattern::parse(kind)).collect(),
            ..HistorySettings::nothing()
        };
        let kind = |group: &str, plural: &str| Resource::parse(group, "v1", plural).expect("a resource");
        let default = settings(&[]);
        assert!(default.names(&kind("", "pods")) && default.names(&kind("apps", "deployments")));
        assert!(
            !default.names(&kind("", "secrets")) && !default.names(&kind("coordination.k8s.io", "leases"))
        );
        let named = settings(&["*.example.org", "secrets"]);
        assert!(named.names(&kind("example.org", "doors")));
        assert!(!named.names(&kind("", "pods")) && !named.names(&kind("", "secrets")));
    }
}
