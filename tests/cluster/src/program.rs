//! Which programs of a control plane can be built, and in which versions. It builds nothing.

use std::env;
use std::fmt;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

/// A Kubernetes version without its `v`, like `1.36.3`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version(String);

/// The programs that this crate can build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Etcd,
    KubeApiserver,
    Kubectl,
    KubeControllerManager,
    KubeScheduler,
    Kwok,
    Promtool,
    Alertmanager,
    Helm,
    Actionlint,
}

impl Program {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Program::Etcd => "etcd",
            Program::KubeApiserver => "kube-apiserver",
            Program::Kubectl => "kubectl",
            Program::KubeControllerManager => "kube-controller-manager",
            Program::KubeScheduler => "kube-scheduler",
            Program::Kwok => "kwok",
            Program::Promtool => "promtool",
            Program::Alertmanager => "alertmanager",
            Program::Helm => "helm",
            Program::Actionlint => "actionlint",
        }
    }

    /// The usual assets (envtest's) lack all others: they are built even where assets are given.
    pub(crate) fn is_among_usual_assets(self) -> bool {
        matches!(self, Program::Etcd | Program::KubeApiserver | Program::Kubectl)
    }

    /// The folder of the cache: what isn't Kubernetes has a version of its own.
    pub(crate) fn release(self, version: &Version) -> String {
        match self {
            Program::Etcd => format!("etcd-v{ETCD_VERSION}"),
            Program::Kwok => format!("kwok-v{KWOK_VERSION}"),
            Program::Promtool => format!("prometheus-v{PROMETHEUS_VERSION}"),
            Program::Alertmanager => format!("alertmanager-v{ALERTMANAGER_VERSION}"),
            Program::Helm => format!("helm-v{HELM_VERSION}"),
            Program::Actionlint => format!("actionlint-v{ACTIONLINT_VERSION}"),
            _ => format!("kubernetes-v{version}"),
        }
    }
}

impl Version {
    pub fn parse(text: &str) -> Result<Version> {
        let bare = text.strip_prefix('v').unwrap_or(text);
        let parts: Vec<&str> = bare.split('.').collect();
        let numeric = parts.iter().all(|part| part.parse::<u16>().is_ok());
        match parts.as_slice() {
            ["1", _, _] if numeric => Ok(Version(bare.to_owned())),
            _ => bail!("{text:?} is not a Kubernetes version; write it like {PINNED_VERSION}"),
        }
    }

    /// The one that the clone pins.
    pub fn pinned() -> Version {
        Version(PINNED_VERSION.to_owned())
    }

    pub(crate) fn minor(&self) -> &str {
        self.0.split('.').nth(1).unwrap_or_default()
    }

    /// The version of the staging modules (`k8s.io/api`, …), which count from 0.
    pub(crate) fn staging(&self) -> String {
        self.0.replacen("1.", "0.", 1)
    }
}

/// The one that is tested: the pinned one, unless the environment names another, which is looked at before it is built.
impl Default for Version {
    fn default() -> Version {
        env::var(VERSION_VARIABLE).map_or_else(|_| Version::pinned(), Version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The version that tests start where they name none.
pub const VERSION_VARIABLE: &str = "DOGWATCH_KUBERNETES_VERSION";

/// What the go.mod files say; a test holds them together.
pub(crate) const PINNED_VERSION: &str = "1.36.3";
pub(crate) const ETCD_VERSION: &str = "3.6.14";
pub(crate) const KWOK_VERSION: &str = "0.8.0";
/// As a Go module: of Prometheus 3.15.1.
pub(crate) const PROMETHEUS_VERSION: &str = "0.315.1";
pub(crate) const ALERTMANAGER_VERSION: &str = "0.31.1";
pub(crate) const HELM_VERSION: &str = "4.3.1";
pub(crate) const ACTIONLINT_VERSION: &str = "1.7.12";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pinned_versions_are_those_of_the_go_modules() {
        let kubernetes = include_str!("../go.mod");
        let etcd = include_str!("../etcd/go.mod");
        let kwok = include_str!("../kwok/go.mod");
        let promtool = include_str!("../promtool/go.mod");
        let alertmanager = include_str!("../alertmanager/go.mod");
        let helm = include_str!("../helm/go.mod");
        assert!(kubernetes.contains(&format!("k8s.io/kubernetes v{PINNED_VERSION}\n")));
        assert!(etcd.contains(&format!("go.etcd.io/etcd/server/v3 v{ETCD_VERSION}\n")));
        assert!(helm.contains(&format!("helm.sh/helm/v4 v{HELM_VERSION}\n")));
        assert!(kwok.contains(&format!("sigs.k8s.io/kwok v{KWOK_VERSION}\n")));
        let actionlint = include_str!("../actionlint/go.mod");
        assert!(actionlint.contains(&format!("github.com/rhysd/actionlint v{ACTIONLINT_VERSION}\n")));
        let of_alertmanager = format!("github.com/prometheus/alertmanager v{ALERTMANAGER_VERSION}\n");
        assert!(alertmanager.contains(&of_alertmanager));
        assert!(promtool.contains(&format!("github.com/prometheus/prometheus v{PROMETHEUS_VERSION}\n")));
    }

    #[test]
    fn a_version_is_three_numbers_with_or_without_its_v() {
        assert_eq!(Version::parse("v1.35.4").unwrap().to_string(), "1.35.4");
        assert_eq!(Version::parse("1.35.4").unwrap().staging(), "0.35.4");
        assert_eq!(Version::parse("1.35.4").unwrap().minor(), "35");
        for wrong in ["", "1.36", "latest", "1.36.x", "2.0.0", "1.36.3/../.."] {
            assert!(Version::parse(wrong).is_err(), "{wrong:?} was accepted");
        }
    }
}
