//! Two real control planes in one gateway: both exact, and of one whose API server is gone only its own rows are stale.

use std::fs;

use anyhow::{Context, Result};
use cluster::{ControlPlane, Options};
use serde_json::json;
use shared::name::{ClusterName, Namespace};
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::state::ViewState;
use testkit::client::all_pods;
use testkit::dogwatch::Home;
use testkit::oracle::Fresh;
use testkit::viewer::Viewer;
use testkit::{api, planes};

const NAMESPACE: &str = "several-clusters";

fn scope(cluster: &str) -> Result<Scope> {
    let namespaces = Namespaces::these(vec![Namespace::parse(NAMESPACE)?])?;
    let resource = Resource::parse("", "v1", "configmaps")?;
    Ok(Scope { cluster: Some(ClusterName::parse(cluster)?), resource, namespaces, ..all_pods()? })
}

fn path() -> String {
    format!("/api/v1/namespaces/{NAMESPACE}/configmaps")
}

/// One more config map; its version.
async fn post(plane: &ControlPlane, name: &str) -> Result<String> {
    let client = api::client(&plane.kubeconfig()).await?;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    let posted = api::post(&client, &path(), &map).await?;
    Ok(posted["metadata"]["resourceVersion"].as_str().context("a version")?.to_owned())
}

async fn difference(plane: &ControlPlane, viewer: &Viewer) -> Result<Option<String>> {
    let client = api::client(&plane.kubeconfig()).await?;
    Ok(Fresh::list(&client, &path()).await?.difference(viewer.table()))
}

#[tokio::test]
async fn two_clusters_are_exact_and_one_that_is_gone_makes_only_its_own_rows_stale_until_it_is_back()
-> Result<()> {
    let first = planes::with_namespace(NAMESPACE)?;
    let mut second = ControlPlane::start(Options::default())?;
    second.kubectl_output(&["create", "namespace", NAMESPACE])?;
    let home = Home::new()?;
    let file = home.path().join("dogwatch.yaml");
    let entry = |name: &str, plane: &ControlPlane| json!({"name": name, "kubeconfig": plane.kubeconfig()});
    fs::write(&file, json!({"clusters": [entry("first", first), entry("second", &second)]}).to_string())?;
    let config = file.to_string_lossy().into_owned();
    let dogwatch = home.serve(&["--listen", "127.0.0.1:0", "--config", &config])?;
    let socket = dogwatch.socket()?;
    let mut of_first = Viewer::open(&socket, scope("first")?);
    let mut of_second = Viewer::open(&socket, scope("second")?);
    for (plane, viewer, name) in [(first, &mut of_first, "one"), (&second, &mut of_second, "two")] {
        let version = post(plane, name).await?;
        viewer.until(&version).await?;
        assert_eq!(difference(plane, viewer).await?, None, "{name}");
    }
    second.kill_apiserver()?;
    let is_stale = |viewer: &Viewer| matches!(viewer.state(), Some(ViewState::Stale { .. }));
    of_second.until_state("stale", is_stale).await?;
    let version = post(first, "three").await?;
    of_first.until(&version).await?;
    assert!(of_first.is_in(&ViewState::Live), "{:?}", of_first.state());
    assert_eq!(difference(first, &of_first).await?, None);
    second.start_apiserver()?;
    let version = post(&second, "four").await?;
    of_second.until(&version).await?;
    of_second.until_state("live", |viewer| viewer.is_in(&ViewState::Live)).await?;
    assert_eq!(difference(&second, &of_second).await?, None);
    Ok(())
}
