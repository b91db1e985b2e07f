//! The playground prints what a real kube-apiserver prints, for every kind of its fleet and for
//! objects made to be hard to print: both hold the same objects, and kubectl shows both the same.

use std::process::Command;

use anyhow::{Context, Result, anyhow, ensure};
use cluster::{ControlPlane, Options};
use playground::Playground;
use serde_json::{Value, json};
use testkit::contents;
use testkit::kubectl_table::Table;

/// What would change objects on their way in, or refuse them for what only a whole cluster has.
const ADMISSION: &str = "--disable-admission-plugins=ServiceAccount,LimitRanger,TaintNodesByCondition";

/// How far the story goes before it is stopped.
const STEPS: usize = 2_500;

// kubectl is waited for on this thread; the playgrounds answer on the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kind_is_printed_as_by_a_real_server() -> Result<()> {
    let plane =
        ControlPlane::start(Options { apiserver_flags: vec![ADMISSION.to_owned()], ..Options::default() })?;
    contents::fill(&plane)?;
    let fleet = Playground::start(playground::Options::quiet()).await?;
    fleet.step_fleet(STEPS);
    let kinds = fleet.resources();
    give(&plane, &fleet, &kinds)?;
    let mut kinds = kinds;
    kinds.extend(["certificates.pki.example.com", "rollouts.delivery.example.com"].map(str::to_owned));

    let copy = Playground::start(playground::Options::empty()).await?;
    // Definitions first: what they define is served from then on.
    kinds.sort_by_key(|kind| !kind.starts_with("customresourcedefinitions"));
    for kind in &kinds {
        let list = plane.kubectl_output(&["get", kind, "-A", "-o", "json", "--show-managed-fields"])?;
        let list: Value = serde_json::from_str(&list)?;
        let items = list["items"].as_array().cloned().unwrap_or_default();
        copy.load(items).map_err(|failure| anyhow!("{kind}: {failure:?}"))?;
    }
    let other = Copy::of(&plane, &copy)?;
    let mut differences = Vec::new();
    for kind in &kinds {
        for show in [&["-o", "wide"][..], &["--show-labels"]] {
            let arguments = [&["get", kind, "-A"][..], show].concat();
            let (theirs, ours) = (plane.kubectl_output(&arguments)?, other.kubectl(&arguments)?);
            let theirs = Table::parse(&theirs);
            ensure!(!theirs.rows.is_empty(), "the real server has no {kind}");
            if let Err(difference) = Table::parse(&ours).compare(&theirs) {
                differences.push(format!("kubectl {}:\n{difference}", arguments.join(" ")));
            }
        }
    }
    println!("{} kinds compared: {}", kinds.len(), kinds.join(", "));
    assert!(differences.is_empty(), "playground and kube-apiserver differ\n{}", differences.join("\n"));
    fleet.stop().await;
    copy.stop().await;
    Ok(())
}

/// kubectl, talking to the playground.
struct Copy<'a> {
    plane: &'a ControlPlane,
    folder: tempfile::TempDir,
}

impl<'a> Copy<'a> {
    fn of(plane: &'a ControlPlane, copy: &Playground) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        copy.write_kubeconfig(&folder.path().join("kubeconfig"))?;
        Ok(Self { plane, folder })
    }

    fn kubectl(&self, arguments: &[&str]) -> Result<String> {
        let mut command: Command = self.plane.kubectl();
        let output = command
            .args(arguments)
            .env("KUBECONFIG", self.folder.path().join("kubeconfig"))
            .env("KUBECACHEDIR", self.folder.path().join("cache"))
            .output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.success(), "kubectl {}: {said}", arguments.join(" "));
        Ok(String::from_utf8(output.stdout)?)
    }
}

/// Gives the real server the objects of the fleet: what others refer to first, then the rest, then
/// the statuses, then the deletions that wait for a kubelet.
fn give(plane: &ControlPlane, fleet: &Playground, kinds: &[String]) -> Result<()> {
    let first = |kind: &str| match kind {
        "namespaces" => 0,
        _ if kind.starts_with("customresourcedefinitions") => 1,
        _ => 2,
    };
    let mut statuses = Vec::new();
    let mut doomed = Vec::new();
    for wave in 0..3 {
        let mut objects = Vec::new();
        for kind in kinds.iter().filter(|kind| first(kind) == wave) {
            for object in fleet.list_whole(kind) {
                let is_doomed = object.pointer("/metadata/deletionTimestamp").is_some();
                if is_doomed && kind == "pods" {
                    doomed.push(object.clone());
                }
                if object
                    .get("status")
                    .is_some_and(|status| status.as_object().is_some_and(|all| !all.is_empty()))
                    && wave == 2
                {
                    statuses.push(bare(object.clone()));
                }
                objects.push(bare(object));
            }
        }
        send(plane, &["create", "--validate=false", "-f", "-"], objects)?;
        if wave == 1 {
            plane.kubectl_output(&[
                "wait",
                "--for=condition=Established",
                "--timeout=60s",
                "crd",
                "--all",
            ])?;
        }
    }
    send(plane, &["replace", "--validate=false", "--subresource=status", "-f", "-"], statuses)?;
    for pod in doomed {
        let (namespace, name) = (&pod["metadata"]["namespace"], &pod["metadata"]["name"]);
        let (namespace, name) = (namespace.as_str().context("namespace")?, name.as_str().context("name")?);
        plane.kubectl_output(&["delete", "pod", "-n", namespace, name, "--wait=false"])?;
    }
    Ok(())
}

/// An object as a client sends it. Addresses and node ports of services are the server's own.
fn bare(mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for field in [
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "managedFields",
            "generation",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
        ] {
            metadata.remove(field);
        }
    }
    if object["kind"] == "Service"
        && object["spec"]["clusterIP"] != "None"
        && let Some(spec) = object["spec"].as_object_mut()
    {
        spec.remove("clusterIP");
        spec.remove("clusterIPs");
        for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(port) = port.as_object_mut() {
                port.remove("nodePort");
            }
        }
    }
    object
}

/// What is there already (the server's own namespaces, roles, and the hard cases) stays as it is.
fn send(plane: &ControlPlane, arguments: &[&str], items: Vec<Value>) -> Result<()> {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let Err(error) = plane.kubectl_with_input(arguments, &list) else {
        return Ok(());
    };
    let said = format!("{error:#}");
    let is_refusal = |line: &&str| {
        !["AlreadyExists", "already exists", "Warning: "].iter().any(|known| line.contains(known))
    };
    let refused: Vec<&str> = said.lines().filter(is_refusal).collect();
    ensure!(refused.is_empty(), "{}", refused.join("\n"));
    Ok(())
}
