//! What a viewer sees of a real kube-apiserver's own turns: frozen and thawed, kinds that come, change and
//! go, and rights.

use anyhow::{Context, Result};
use cluster::{ControlPlane, Options, User};
use shared::cell::Cell;
use shared::resource::Resource;
use shared::scope::Scope;
use shared::state::{ViewState, Whom};
use testkit::client::all_pods;
use testkit::dogwatch::Dogwatch;
use testkit::viewer::Viewer;
use testkit::{contents, planes};

const CERTIFICATES: &str = "certificates.pki.example.com";

/// R-REL-3
#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_api_server_makes_the_view_stale_and_its_thaw_live() -> Result<()> {
    let plane = ControlPlane::start(Options::default())?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    let mut pods = Viewer::open(&dogwatch.socket()?, all_pods()?);
    pods.until_state("live", |pods| pods.is_in(&ViewState::Live)).await?;
    plane.pause_apiserver()?;
    let is_stale = |pods: &Viewer| matches!(pods.state(), Some(ViewState::Stale { .. }));
    pods.until_state("stale", is_stale).await?;
    plane.resume_apiserver()?;
    pods.until_state("live again", |pods| pods.is_in(&ViewState::Live)).await
}

/// R-REL-6
#[tokio::test(flavor = "multi_thread")]
async fn kinds_and_columns_follow_their_definitions() -> Result<()> {
    let plane = planes::with_namespace("definitions")?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    contents::fill(plane)?;
    let resource = Resource::parse("pki.example.com", "v1", "certificates")?;
    let mut view = Viewer::open(&dogwatch.socket()?, Scope { resource: resource.clone(), ..all_pods()? });
    let is_served = |view: &Viewer| view.kinds().iter().any(|kind| kind.custom && kind.resource == resource);
    view.until_state("the kind", is_served).await?;
    view.until_state("live", |view| view.is_in(&ViewState::Live) && view.table().is_whole()).await?;
    let expires = view.column("Expires").context("the column")?;
    let is_instant = |cell: Option<&Cell>| matches!(cell, Some(Cell::Age(Some(_))));
    let has_instant = view.table().rows().any(|row| is_instant(row.cells.get(expires)));
    assert!(has_instant, "a date of a custom resource is an instant");
    let patch = r#"[{"op":"remove","path":"/spec/versions/0/additionalPrinterColumns/2"}]"#;
    plane.kubectl_output(&["patch", "crd", CERTIFICATES, "--type=json", "-p", patch])?;
    view.until_state("other columns", |view| view.column("Expires").is_none() && view.table().is_whole())
        .await?;
    plane.kubectl_output(&["delete", "crd", CERTIFICATES])?;
    view.until_state("gone", |view| matches!(view.state(), Some(ViewState::Gone { .. }))).await?;
    view.until_state("a kind less", |view| !is_served(view)).await
}

/// R-AUTHZ-2
#[tokio::test(flavor = "multi_thread")]
async fn rights_decide_between_forbidden_polled_and_live() -> Result<()> {
    let users = vec![User::new("lister", &[]), User::new("nobody", &[])];
    let plane = ControlPlane::start(Options { users, ..Options::default() })?;
    plane.kubectl_output(&["create", "clusterrole", "lists", "--verb=list", "--resource=pods"])?;
    let binding = ["create", "clusterrolebinding", "lists", "--clusterrole=lists", "--user=lister"];
    plane.kubectl_output(&binding)?;
    for (user, expected) in [
        ("nobody", ViewState::Forbidden { to: Whom::You }),
        ("lister", ViewState::Polled { every_s: 10 }),
        ("admin", ViewState::Live),
    ] {
        let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig_of(user))?;
        let mut pods = Viewer::open(&dogwatch.socket()?, all_pods()?);
        pods.until_state(&format!("{expected:?} for {user}"), |pods| pods.is_in(&expected)).await?;
    }
    Ok(())
}
