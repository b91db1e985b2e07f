//! Objects at the API server's own limits and beyond them: the table stays exact and provably so, each
//! object is had whole, and what can't be shown is left out alone.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use playground::{Options, Playground};
use serde_json::{Value, json};
use shared::name::{Namespace, ObjectName};
use shared::scope::{Namespaces, Scope};
use testkit::client::all_pods;
use testkit::dogwatch::Dogwatch;
use testkit::load::refused;
use testkit::viewer::Viewer;

const NAMESPACE: &str = "shop";

/// Reads until the table is exact and has these names.
async fn until_exact(viewer: &mut Viewer, names: &[&str]) -> Result<()> {
    let wanted: BTreeSet<&str> = names.iter().copied().collect();
    loop {
        viewer.step().await?;
        let held: BTreeSet<&str> = viewer.table().rows().map(|row| &*row.name).collect();
        if viewer.view().is_exact() && held == wanted && viewer.table().len() == names.len() {
            return Ok(());
        }
    }
}

async fn get(viewer: &mut Viewer, name: &str) -> Result<Value> {
    let namespaces = Namespaces::these(vec![Namespace::parse(NAMESPACE)?])?;
    let scope = Scope { namespaces, name: Some(ObjectName::parse(name)?), ..all_pods()? };
    viewer.get(scope).await?.object.with_context(|| format!("{name} isn't whole"))
}

fn cell(viewer: &Viewer, name: &str, column: usize) -> Option<String> {
    let row = viewer.table().rows().find(|row| &*row.name == name)?;
    row.cells.get(column).map(|cell| cell.print(0))
}

async fn shop() -> Result<(Playground, Dogwatch)> {
    let playground = Playground::start(Options::empty()).await?;
    playground
        .create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}))
        .map_err(refused)?;
    let dogwatch = Dogwatch::of_playground(&playground)?;
    Ok((playground, dogwatch))
}

fn pod(name: &str, uid: &str, metadata: Value, status: Value) -> Value {
    let mut pod = json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": NAMESPACE, "uid": uid, "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"containers": [{"name": "c", "image": "i"}]}, "status": status});
    if let (Some(into), Value::Object(more)) = (pod["metadata"].as_object_mut(), metadata) {
        into.extend(more);
    }
    pod
}

const BEYOND: i64 = 9_007_199_254_740_993;

#[tokio::test(flavor = "multi_thread")]
async fn an_object_beyond_every_limit_is_exact_in_its_table_and_had_whole() -> Result<()> {
    let (playground, dogwatch) = shop().await?;
    let longest = "n".repeat(253);
    let labels: Value =
        (0..10_000).map(|n| (format!("label-{n}"), json!("v"))).collect::<serde_json::Map<_, _>>().into();
    let odd = "\u{1b}[2J\u{0}\n\u{202e}gnp.exe";
    let restarts = json!([{"name": "c", "ready": true, "restartCount": BEYOND, "state": {"running": {}}}]);
    playground
        .load(vec![
            pod("annotated", "1", json!({"annotations": {"big": "a".repeat(2 * 1024 * 1024)}}), json!({})),
            pod("labelled", "2", json!({ "labels": labels }), json!({})),
            pod("odd", "3", json!({}), json!({"reason": odd})),
            pod("numbers", "4", json!({}), json!({"phase": "Running", "containerStatuses": restarts})),
            pod(&longest, "5", json!({}), json!({})),
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare", "namespace": NAMESPACE}}),
            // An object without a name can't be addressed: it is left out, and the others stay.
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": NAMESPACE}}),
        ])
        .map_err(refused)?;
    let mut viewer = Viewer::open(&dogwatch.socket()?, all_pods()?);
    until_exact(&mut viewer, &["annotated", "labelled", "odd", "numbers", &longest, "bare"]).await?;

    let told = viewer.view().report().and_then(|report| report.problem.clone());
    ensure!(
        told.as_ref()
            .is_some_and(|problem| problem.message.starts_with("left out: an object without a name")),
        "{told:?}"
    );

    let annotated = get(&mut viewer, "annotated").await?;
    ensure!(annotated["metadata"]["annotations"]["big"].as_str().map(str::len) == Some(2 * 1024 * 1024));
    let labelled = get(&mut viewer, "labelled").await?;
    ensure!(labelled["metadata"]["labels"].as_object().map(serde_json::Map::len) == Some(10_000));
    ensure!(get(&mut viewer, "odd").await?["status"]["reason"] == odd);
    let numbers = get(&mut viewer, "numbers").await?;
    ensure!(numbers["status"]["containerStatuses"][0]["restartCount"] == BEYOND, "{numbers}");
    ensure!(cell(&viewer, "numbers", 3) == Some(BEYOND.to_string()), "{:?}", cell(&viewer, "numbers", 3));
    ensure!(cell(&viewer, "odd", 2).as_deref() == Some(odd), "{:?}", cell(&viewer, "odd", 2));
    get(&mut viewer, &longest).await?;

    // And each changes like any other.
    for name in ["annotated", "labelled", "odd", "numbers", "bare"] {
        playground
            .patch("pods", NAMESPACE, name, json!({"metadata": {"annotations": {"more": "x"}}}))
            .map_err(refused)?;
        playground.delete("pods", NAMESPACE, name).map_err(refused)?;
    }
    until_exact(&mut viewer, &[&longest]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn two_objects_of_one_name_in_a_tick_are_never_one() -> Result<()> {
    let (playground, dogwatch) = shop().await?;
    playground.load(vec![pod("web", "0", json!({}), json!({"reason": "Generation0"}))]).map_err(refused)?;
    let mut viewer = Viewer::open(&dogwatch.socket()?, all_pods()?);
    until_exact(&mut viewer, &["web"]).await?;
    for generation in 1..=50 {
        playground.delete("pods", NAMESPACE, "web").map_err(refused)?;
        let status = json!({"reason": format!("Generation{generation}")});
        playground.load(vec![pod("web", &generation.to_string(), json!({}), status)]).map_err(refused)?;
    }
    while cell(&viewer, "web", 2).as_deref() != Some("Generation50") {
        viewer.step().await?;
    }
    until_exact(&mut viewer, &["web"]).await?;
    ensure!(get(&mut viewer, "web").await?["metadata"]["uid"] == "50");
    Ok(())
}
