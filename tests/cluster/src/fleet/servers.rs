//! The command lines of the servers that make a fleet live. They listen nowhere.

use std::path::PathBuf;

use super::{Fleet, KWOK, MANAGER, SCHEDULER};
use crate::layout::{Layout, SIGNING_KEY};
use crate::process::Invocation;

impl Fleet {
    pub(super) fn kube_controller_manager(self, layout: &Layout, program: PathBuf) -> Invocation {
        let lease = self.lease_seconds();
        let arguments = vec![
            format!("--kubeconfig={}", layout.kubeconfig().display()),
            format!("--service-account-private-key-file={}", layout.file(SIGNING_KEY)),
            format!("--root-ca-file={}", layout.certificate().display()),
            // How long a node may be silent: a little more than a lease lasts, which is the proportion that
            // Kubernetes uses.
            format!("--node-monitor-grace-period={}s", lease + lease.div_ceil(4)),
            format!("--node-monitor-period={}s", self.seconds(5)),
            format!("--horizontal-pod-autoscaler-sync-period={}s", self.seconds(10)),
            "--controllers=*,-nodeipam,-cloud-node-lifecycle-controller".to_owned(),
            "--leader-elect=false".to_owned(),
            "--secure-port=0".to_owned(),
            // The defaults (20 and 30) need a minute for the first 150 pods.
            "--kube-api-qps=100".to_owned(),
            "--kube-api-burst=200".to_owned(),
        ];
        invocation(layout, program, arguments, MANAGER)
    }

    pub(super) fn kube_scheduler(self, layout: &Layout, program: PathBuf) -> Invocation {
        let arguments = vec![
            format!("--kubeconfig={}", layout.kubeconfig().display()),
            "--leader-elect=false".to_owned(),
            "--secure-port=0".to_owned(),
        ];
        invocation(layout, program, arguments, SCHEDULER)
    }

    pub(super) fn kwok(self, layout: &Layout, program: PathBuf) -> Invocation {
        let arguments = vec![
            format!("--kubeconfig={}", layout.kubeconfig().display()),
            format!("--config={}", layout.file(STAGES)),
            format!("--node-lease-duration-seconds={}", self.lease_seconds()),
            "--manage-all-nodes=false".to_owned(),
            "--manage-nodes-with-label-selector=fleet.dogwatch.dev/kubelet!=silent".to_owned(),
            // Otherwise it would listen, and on every address.
            "--node-port=0".to_owned(),
            // Every patch is a line otherwise: 8 MB an hour.
            "--v=WARN".to_owned(),
        ];
        invocation(layout, program, arguments, KWOK)
    }
}

fn invocation(layout: &Layout, program: PathBuf, arguments: Vec<String>, name: &str) -> Invocation {
    Invocation { program, arguments, log: layout.folder.join(format!("{name}.log")) }
}

pub(super) const STAGES: &str = "stages.yaml";
