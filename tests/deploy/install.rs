//! The chart in a real API server, and its gateway with the rights and files of its pods.

use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use cluster::{ControlPlane, sources_of};
use serde_json::Value;
use shared::state::{ViewState, Whom};
use testkit::chart_release::{Release, check, has_no_more_than_it_needs, plane, view};
use testkit::dogwatch::binary;
use testkit::every_kind;
use testkit::helm::{object, objects};
use testkit::pod::Pod;

/// The kinds of others that the chart can make.
fn define_others(plane: &ControlPlane) -> Result<()> {
    let gateways = sources_of("sigs.k8s.io/gateway-api")?.join("config/crd/standard");
    let operator = sources_of("github.com/prometheus-operator/prometheus-operator")?;
    let operator = operator.join("example/prometheus-operator-crd");
    let files = [
        gateways.join("gateway.networking.k8s.io_httproutes.yaml"),
        operator.join("monitoring.coreos.com_servicemonitors.yaml"),
        operator.join("monitoring.coreos.com_prometheusrules.yaml"),
    ];
    for file in files {
        plane.kubectl_output(&["create", "-f", &file.to_string_lossy()])?;
    }
    plane.kubectl_output(&["wait", "crd", "--all", "--for=condition=Established"]).map(drop)
}

/// R-AUTHN-3
#[tokio::test]
async fn the_chart_installs_and_its_gateway_shows_everything_with_its_pods_rights_and_needs_no_more()
-> Result<()> {
    let plane = plane()?;
    define_others(&plane)?;
    everything_is_taken(&plane)?;
    what_is_privileged_gets_no_pod(&plane)?;
    for rights in ["shared", "impersonate", "passthrough"] {
        let set = format!(
            "rights={rights},rbac.customKinds={{*.monitoring.coreos.com,*.gateway.networking.k8s.io}}"
        );
        let (release, notes) = Release::install(&plane, rights, &["--set", &set])?;
        let last = notes.trim_end().lines().last().unwrap_or_default();
        ensure!(
            last.trim_start().starts_with("kubectl --namespace"),
            "the notes end with a command: {notes}"
        );
        shows_everything(&plane, &release).await.with_context(|| format!("rights {rights}"))?;
    }
    Ok(())
}

/// All kinds that the chart can make at once.
fn everything_is_taken(plane: &ControlPlane) -> Result<()> {
    let inside = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/values/inside.yaml");
    Release::install(plane, "inside", &["-f", inside])?;
    let values = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/values/everything.yaml");
    // Nothing has these classes here, without which no pod is made.
    let flags = ["-f", values, "--set", "priorityClassName=,runtimeClassName=,fullnameOverride="];
    let (release, _) = Release::install(plane, "everything", &flags)?;
    release.pod()?;
    // The ServiceMonitor is in another namespace.
    let kinds = "httproutes,servicemonitors,prometheusrules,hpa,pdb,netpol,ing";
    let made = release.kubectl(&["get", kinds, "-A", "-l", &release.selector(), "-o", "name"])?;
    let kinds = [
        "httproute",
        "servicemonitor",
        "horizontalpodautoscaler",
        "poddisruptionbudget",
        "networkpolicy",
        "ingress",
    ];
    let missing: Vec<_> = kinds.iter().filter(|kind| !made.contains(*kind)).collect();
    ensure!(missing.is_empty(), "no {missing:?} in {made}");
    Ok(())
}

fn what_is_privileged_gets_no_pod(plane: &ControlPlane) -> Result<()> {
    let flags = ["--set", "securityContext.allowPrivilegeEscalation=true"];
    let (release, _) = Release::install(plane, "privileged", &flags)?;
    let sets = ["replicasets", "-l", &release.selector()];
    let until = ["--for=condition=ReplicaFailure", "--timeout=60s"];
    release.kubectl(&[&["wait", "--for=create", "--timeout=60s"][..], &sets].concat())?;
    release.kubectl(&[&["wait"][..], &sets, &until].concat())?;
    let said =
        release.kubectl(&[&["get", "-o", "jsonpath={.items[0].status.conditions}"][..], &sets].concat())?;
    ensure!(said.contains("violates PodSecurity") && said.contains("allowPrivilegeEscalation"), "{said}");
    let pods = release.kubectl(&["get", "pods", "-o", "name"])?;
    ensure!(pods.is_empty(), "{pods}");
    Ok(())
}

async fn shows_everything(plane: &ControlPlane, release: &Release<'_>) -> Result<()> {
    let (pod, viewer) = (release.start()?, release.viewer()?);
    has_no_more_than_it_needs(&pod)?;
    let tested = its_own_test(release, &pod)?;
    let printed = String::from_utf8_lossy(&tested.stdout);
    ensure!(tested.status.success() && printed.trim_end().ends_with(" is ready."), "{tested:?}");
    if rustix::process::geteuid().is_root() {
        let user = ["65532"; 4].join(" ");
        for (key, expected) in
            [("Uid", &*user), ("Gid", &user), ("CapEff", "0000000000000000"), ("NoNewPrivs", "1")]
        {
            ensure!(pod.status(key)? == expected, "{key}: {}", pod.status(key)?);
        }
    }
    for kind in every_kind::served(plane)? {
        let mut viewed = view(&pod, &viewer, &kind)?;
        let is_shown = |viewed: &testkit::viewer::Viewer| viewed.table().is_whole();
        viewed.until_state("shown", is_shown).await.with_context(|| kind.clone())?;
    }
    let mut config_maps = view(&pod, &viewer, "configmaps")?;
    config_maps.until_sync().await?;
    release.kubectl(&["create", "configmap", "made-while-somebody-looks"])?;
    let row = format!("{}/made-while-somebody-looks", release.name);
    config_maps.until_state("live", |viewed| viewed.names().contains(&row)).await?;
    drop(config_maps);
    ensure!(pod.end()?.success(), "it ends by itself");
    Ok(())
}

/// `helm test` without a kubelet: the API server takes its pod, whose command is run as it stands there, but for where the
/// gateway is.
fn its_own_test(release: &Release<'_>, pod: &Pod) -> Result<Output> {
    let folder = tempfile::tempdir()?;
    let (manifests, text) = (folder.path().join("tests.yaml"), release.tests()?);
    std::fs::write(&manifests, &text)?;
    release.kubectl(&["apply", "--dry-run=server", "-f", &manifests.to_string_lossy()])?;
    let objects = objects(&text)?;
    let container = &object(&objects, "Pod")?["spec"]["containers"][0];
    let service = format!("http://{0}-dogwatch.{0}.svc:80", release.name);
    let here = |argument: &Value| -> Result<String> {
        let argument = argument.as_str().context("a text")?;
        Ok(match argument.split_once('=') {
            Some(("--server", url)) if url == service => format!("--server=http://{}", pod.address()?),
            // It would ask again and again.
            Some(("--timeout", _)) => "--timeout=0".to_owned(),
            _ => argument.to_owned(),
        })
    };
    let arguments = container["args"].as_array().context("arguments")?.iter().map(here);
    let arguments: Vec<String> = arguments.collect::<Result<_>>()?;
    ensure!(
        arguments.iter().any(|argument| argument.starts_with("--server=http://127.0.0.1:")),
        "{arguments:?}"
    );
    Ok(Command::new(binary()).args(&arguments).env_clear().output()?)
}

/// R-AUTHN-3, R-AUTHZ-15: the other side of it.
#[tokio::test]
async fn each_right_that_is_taken_from_the_charts_account_is_missed_and_named() -> Result<()> {
    let plane = plane()?;
    let (release, _) = Release::install(&plane, "missed", &["--set", "rights=impersonate"])?;
    let role = release.role();
    let whole: Value =
        serde_json::from_str(&plane.kubectl_output(&["get", "clusterrole", &role, "-o", "json"])?)?;
    let rules = whole["rules"].as_array().context("rules")?;
    let set = |rules: Vec<&Value>| -> Result<()> {
        let patch = serde_json::json!({ "rules": rules }).to_string();
        plane.kubectl_output(&["patch", "clusterrole", &role, "--type=merge", "-p", &patch]).map(drop)
    };
    let is_of_kinds = |rule: &&Value| rule["verbs"].to_string().contains("impersonate-on:");
    for taken in rules.iter().filter(|rule| !is_of_kinds(rule)) {
        let (verb, resource) = (text(&taken["verbs"][0]), text(&taken["resources"][0]));
        let group = text(&taken["apiGroups"][0]);
        let kind = if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") };
        set(rules.iter().filter(|rule| *rule != taken).collect())?;
        let named = match taken["resourceNames"][0].as_str() {
            Some(name) => format!("{resource}/{name}"),
            None => kind.clone(),
        };
        release.until_may(verb, &named, false)?;
        let pod = release.start()?;
        let line = check(&pod, "own-rights")?;
        let expected = format!("own account may not {verb} {kind}");
        ensure!(line == "[-]own-rights failed: reason withheld", "{expected}: {line}");
        pod.until_log(&expected)?;
        let tested = its_own_test(&release, &pod)?;
        let said = String::from_utf8_lossy(&tested.stderr).into_owned();
        let is_named = said.contains("own-rights failed") && said.lines().count() == 1;
        ensure!(tested.status.code() == Some(1) && is_named, "{said}");
    }
    let of_apps = |rule: &&Value| rule["apiGroups"][0] == "apps";
    set(rules.iter().filter(|rule| !of_apps(rule)).collect())?;
    release.until_may("impersonate-on:user-info:list", "deployments.apps", false)?;
    let (pod, viewer) = (release.start()?, release.viewer()?);
    let mut deployments = view(&pod, &viewer, "deployments.apps")?;
    let is_refused =
        |viewed: &testkit::viewer::Viewer| viewed.is_in(&ViewState::Forbidden { to: Whom::Gateway });
    deployments.until_state("refused to the gateway", is_refused).await
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
