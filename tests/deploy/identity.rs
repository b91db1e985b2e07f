//! A gateway in a pod: its credentials are files, which the kubelet writes anew while it runs.

use anyhow::{Context, Result};
use shared::state::ViewState;
use testkit::chart_release::{Release, plane, view};
use testkit::pod::pods_of;
use testkit::viewer::Viewer;

fn is_live(viewed: &Viewer) -> bool {
    viewed.is_in(&ViewState::Live) && viewed.table().is_whole()
}

fn is_not_live(viewed: &Viewer) -> bool {
    !viewed.is_in(&ViewState::Live)
}

#[tokio::test]
async fn a_token_and_a_certificate_that_are_exchanged_under_a_running_gateway_are_taken() -> Result<()> {
    let mut plane = plane()?;
    let name = "dogwatch";
    let (release, _) = Release::install(&plane, name, &[])?;
    let of = release.pod()?;
    let mut pod = release.start_as(&of)?;
    pod.until_log("the cluster that this pod runs in")?;
    let viewer = release.viewer()?;
    let mut viewed = view(&pod, &viewer, "configmaps")?;
    viewed.until_state("live", is_live).await?;

    // The token of a pod that is gone is refused as soon as the API server's cache forgets it.
    let gone = of.pointer("/metadata/name").and_then(|name| name.as_str()).context("a name")?;
    release.kubectl(&["delete", "pod", gone, "--force", "--grace-period=0"])?;
    viewed.until_state("refused", is_not_live).await?;
    let pods = pods_of(&plane, name, &release.selector())?;
    let next = pods.into_iter().find(|pod| pod["metadata"]["name"] != gone).context("another pod")?;
    pod.volumes.renew_for(&plane, &next)?;
    viewed.until_state("live with another token", is_live).await?;
    release.kubectl(&["create", "configmap", "after-the-token"])?;
    let is_there = |viewed: &Viewer| viewed.names().contains("dogwatch/after-the-token");
    viewed.until_state("followed", is_there).await?;

    drop(release);
    plane.kill_apiserver()?;
    plane.forget_certificate()?;
    plane.start_apiserver()?;
    viewed.until_state("not trusted", is_not_live).await?;
    // The controller manager, which would write this, trusts the former certificate for as long as it runs.
    let certificate = std::fs::read_to_string(plane.certificate())?;
    let patch = serde_json::json!({ "data": { "ca.crt": certificate } }).to_string();
    plane.kubectl_output(&["-n", name, "patch", "configmap", "kube-root-ca.crt", "-p", &patch])?;
    pod.volumes.renew(&plane)?;
    pod.until_log("the cluster's authority were loaded anew")?;
    viewed.until_state("live with another certificate", is_live).await?;
    plane.kubectl_output(&["-n", name, "create", "configmap", "after-the-certificate"])?;
    let is_there = |viewed: &Viewer| viewed.names().contains("dogwatch/after-the-certificate");
    viewed.until_state("followed", is_there).await
}
