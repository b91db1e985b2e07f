//! On a real kube-apiserver: a viewer whose gateway was killed, and one that goes to another gateway of
//! the same cluster, get what has changed and nothing else.

use std::collections::BTreeMap;

use anyhow::Result;
use cluster::{ControlPlane, Options};
use serde_json::{Value, json};
use shared::name::Namespace;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use tests::dogwatch::{Dogwatch, Home};
use tests::holder::{Holder, versions_of};
use tests::raw;
use tests::viewer::{all_pods, socket_of};

const COUNT: usize = 20;
const PATH: &str = "/api/v1/namespaces/default/configmaps";

#[tokio::test]
async fn a_viewer_of_a_gateway_that_was_killed_gets_only_what_changed_meanwhile() -> Result<()> {
    let plane = ControlPlane::start(Options::default())?;
    let client = raw::client(&plane.kubeconfig()).await?;
    fill(&client).await?;
    let home = Home::new()?;
    let dogwatch = serve(&home, &plane, 0)?;
    let port = dogwatch.port();
    let mut viewer = Holder::open(&socket_of(home.path(), port)?, configmaps()?).await?;
    viewer.until_sync().await?;
    dogwatch.kill()?;
    let last = change(&client).await?;
    let _dogwatch = serve(&home, &plane, port)?;
    let mut viewer = viewer.come_back(&socket_of(home.path(), port)?).await?;
    viewer.until(&last).await?;
    expect_only_the_changes(&viewer, &client).await
}

#[tokio::test]
async fn a_viewer_that_comes_to_another_gateway_of_the_cluster_gets_only_what_changed_meanwhile() -> Result<()>
{
    let plane = ControlPlane::start(Options::default())?;
    let client = raw::client(&plane.kubeconfig()).await?;
    fill(&client).await?;
    let homes = [Home::new()?, Home::new()?];
    let gateways = [serve(&homes[0], &plane, 0)?, serve(&homes[1], &plane, 0)?];
    let socket = |at: usize| socket_of(homes[at].path(), gateways[at].port());
    let mut viewer = Holder::open(&socket(0)?, configmaps()?).await?;
    let mut other = Holder::open(&socket(1)?, configmaps()?).await?;
    viewer.until_sync().await?;
    other.until_sync().await?;
    let last = change(&client).await?;
    other.until(&last).await?;
    let mut viewer = viewer.come_back(&socket(1)?).await?;
    viewer.until(&last).await?;
    expect_only_the_changes(&viewer, &client).await
}

fn serve(home: &Home, plane: &ControlPlane, port: u16) -> Result<Dogwatch> {
    let kubeconfig = plane.kubeconfig();
    home.serve(&["--listen", &format!("127.0.0.1:{port}"), "--kubeconfig", &kubeconfig.to_string_lossy()])
}

fn configmaps() -> Result<Scope> {
    let namespaces = Namespaces::these(vec![Namespace::parse("default")?])?;
    Ok(Scope { resource: Resource::parse("", "v1", "configmaps")?, namespaces, ..all_pods()? })
}

fn config(number: usize) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": format!("config-{number}"), "namespace": "default" },
        "data": { "key": "value" },
    })
}

async fn fill(client: &kube::Client) -> Result<()> {
    for number in 0..COUNT {
        raw::post(client, PATH, &config(number)).await?;
    }
    Ok(())
}

/// One went, one came, and two are others. The version of the last change.
async fn change(client: &kube::Client) -> Result<String> {
    raw::delete(client, &format!("{PATH}/config-0")).await?;
    raw::post(client, PATH, &config(COUNT)).await?;
    for (number, value) in [(1, "a"), (2, "b")] {
        raw::merge(client, &format!("{PATH}/config-{number}"), &json!({ "data": { "key": value } })).await?;
    }
    let held = versions(client).await?;
    Ok(held.get("default/config-2").cloned().unwrap_or_default())
}

async fn versions(client: &kube::Client) -> Result<BTreeMap<String, String>> {
    let list: Value = client.request(http::Request::get(PATH).body(Vec::new())?).await?;
    versions_of(list.get("items").and_then(Value::as_array).map_or(&[], Vec::as_slice))
}

async fn expect_only_the_changes(viewer: &Holder, client: &kube::Client) -> Result<()> {
    assert_eq!(viewer.held(), versions(client).await?);
    assert_eq!((viewer.resets, viewer.rows, viewer.deletes), (0, 3, 1));
    Ok(())
}
