//! A fleet that lives: controller manager, scheduler, kwok's nodes, and workloads with a story.
//!
//! Everything that happens is done by the cluster's own controllers and by kwok's stages (`fleet/`
//! beside `src/`); no process of ours drives it, so it goes on for as long as the servers run. What
//! has a fixed rhythm is the same each time; kwok's jitter and the scheduler's choices aren't.

mod objects;
mod options;
mod servers;
mod stages;

use std::fs;

use anyhow::{Context, Result};

use crate::binaries::Binaries;
use crate::kubectl::Kubectl;
use crate::layout::Layout;
use crate::process::Invocation;
use crate::program::Program;

pub use options::Fleet;

/// Starts what isn't running, through `start`, and makes the objects where there are none yet. Returns
/// when the nodes are ready; the workloads follow by themselves.
pub(crate) fn bring_up(
    layout: &Layout,
    binaries: &Binaries,
    mut start: impl FnMut(&'static str, &Invocation) -> Result<()>,
) -> Result<()> {
    let Some(fleet) = layout.fleet else {
        return Ok(());
    };
    let program = |program: Program| program.ensure(&binaries.version);
    let kubectl = Kubectl::new(binaries, layout);
    let manager = program(Program::KubeControllerManager)?;
    start(MANAGER, &fleet.kube_controller_manager(layout, manager))?;
    start(SCHEDULER, &fleet.kube_scheduler(layout, program(Program::KubeScheduler)?))?;

    // kwok reads the schemas of what it has stages for when it starts, and never again.
    apply(&kubectl, objects::DEFINITIONS)?;
    for path in objects::SCHEMAS {
        crate::ready::until(
            &format!("publish {path}"),
            || Ok(()),
            || kubectl.succeeds(&["get", "--request-timeout=5s", "--raw", path]),
        )?;
    }
    let stages = layout.folder.join(servers::STAGES);
    fs::write(&stages, stages::written(fleet)?).with_context(|| format!("write {}", stages.display()))?;
    start(KWOK, &fleet.kwok(layout, program(Program::Kwok)?))?;
    populate(&kubectl)
}

/// What makes pods of workloads, and accounts and tokens of namespaces.
pub(crate) fn controllers(layout: &Layout, binaries: &Binaries) -> Result<Invocation> {
    let manager = Program::KubeControllerManager.ensure(&binaries.version)?;
    Ok(Fleet::default().kube_controller_manager(layout, manager))
}

/// Once: what the story has changed since isn't taken back by a second start.
fn populate(kubectl: &Kubectl) -> Result<()> {
    if !kubectl.succeeds(&["get", "--namespace=kube-system", "configmap/fleet"]) {
        apply(kubectl, &objects::nodes())?;
        apply(kubectl, &objects::namespaces())?;
        for namespace in objects::NAMESPACES.iter().chain(&["kube-system"]) {
            // Without it the first pods would be refused, and tried again later.
            let account = ["--namespace", namespace, "serviceaccount/default"];
            kubectl
                .output(&[&["wait", "--for=create", "--timeout=60s"], account.as_slice()].concat())
                .context("no ServiceAccount was made; kube-controller-manager.log says why")?;
        }
        apply(kubectl, &objects::apps())?;
        apply(kubectl, objects::STORY)?;
        kubectl.output(&["create", "--namespace=kube-system", "configmap", "fleet"])?;
    }
    // One of them may be away just now, as part of the story.
    let answering = "--selector=fleet.dogwatch.dev/kubelet!=silent";
    kubectl
        .output(&["wait", "--for=condition=Ready", "--timeout=120s", "nodes", answering])
        .context("the nodes did not become ready; kwok.log says why")?;
    Ok(())
}

fn apply(kubectl: &Kubectl, manifests: &str) -> Result<()> {
    kubectl.with_input(&["apply", "--filename=-"], manifests).map(drop)
}

pub(crate) const MANAGER: &str = "kube-controller-manager";
pub(crate) const SCHEDULER: &str = "kube-scheduler";
pub(crate) const KWOK: &str = "kwok";
