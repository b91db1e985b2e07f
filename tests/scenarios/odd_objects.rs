//! Objects at the API server's own limits and beyond them: the table stays exact and provably so, each
//! object is had whole, and what can't be shown is left out alone.

use std::collections::BTreeSet;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use playground::{Failure, Options, Playground};
use replica::client::{Client, Input, Output, ViewKey};
use replica::now::Now;
use serde_json::{Value, json};
use shared::frame::client::ClientFrame;
use shared::frame::server::ServerFrame;
use testkit::client::{self, all_pods};
use testkit::dogwatch::Dogwatch;

const NAMESPACE: &str = "shop";

/// What the playground refuses.
fn refused(failure: Failure) -> anyhow::Error {
    anyhow::anyhow!("{failure:?}")
}

/// A viewer as the page is one: its rows are moved by the replica alone.
struct Reader {
    wire: client::Client,
    client: Client,
    table: ViewKey,
    started: Instant,
}

impl Reader {
    async fn open(dogwatch: &Dogwatch) -> Result<Self> {
        let wire = dogwatch.connect().await?;
        let started = Instant::now();
        let mut client = Client::new("reader", None);
        let now = Now { now_ms: 0, chance: 0.5 };
        let table = client.open(all_pods()?, now);
        client.handle(Input::Start, now);
        client.handle(Input::Opened, now);
        Ok(Self { wire, client, table, started })
    }

    async fn step(&mut self) -> Result<ServerFrame> {
        while let Some(output) = self.client.poll_output() {
            match output {
                // Sent by the wire itself.
                Output::Send(ClientFrame::Hello(_) | ClientFrame::Ack(_)) => {}
                Output::Send(frame) => self.wire.send(&frame).await?,
                _ => {}
            }
        }
        let (frame, bytes) = self.wire.next().await?;
        let now_ms = i64::try_from(self.started.elapsed().as_millis())?;
        let input = Input::Frame { frame: Box::new(frame.clone()), bytes };
        self.client.handle(input, Now { now_ms, chance: 0.5 });
        Ok(frame)
    }

    /// Until the table is exact, with these names, as a digest says.
    async fn until_exact(&mut self, names: &[&str]) -> Result<()> {
        let wanted: BTreeSet<&str> = names.iter().copied().collect();
        loop {
            self.step().await?;
            let view = self.client.view(self.table).context("it is open")?;
            ensure!(view.subscription().mends().differed == 0, "the digests differ");
            let held: BTreeSet<&str> = view.table().rows().map(|row| &*row.name).collect();
            if view.is_exact() && held == wanted && view.table().len() == names.len() {
                return Ok(());
            }
        }
    }

    async fn get(&mut self, id: u32, name: &str) -> Result<Value> {
        let scope = json!({"resource": {"group": "", "version": "v1", "resource": "pods"},
            "namespaces": [NAMESPACE], "name": name});
        self.wire.send_text(&json!({"get": {"id": id, "scope": scope}}).to_string()).await?;
        loop {
            match self.step().await? {
                ServerFrame::Object(frame) if frame.id == Some(id) => {
                    return frame.object.with_context(|| format!("{name} isn't whole"));
                }
                ServerFrame::Problem(frame) => anyhow::bail!("{name}: {}", frame.problem),
                _ => {}
            }
        }
    }

    fn cell(&self, name: &str, place: usize) -> Option<String> {
        let row = self.client.view(self.table)?.table().rows().find(|row| &*row.name == name)?;
        row.cells.get(place).map(|cell| cell.print(0))
    }
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
            // Nobody can name it: it is left out, and the others stay.
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": NAMESPACE}}),
        ])
        .map_err(refused)?;
    let mut reader = Reader::open(&dogwatch).await?;
    reader.until_exact(&["annotated", "labelled", "odd", "numbers", &longest, "bare"]).await?;

    let told = reader.client.view(reader.table).and_then(|view| view.report()?.problem.clone());
    ensure!(
        told.as_ref().is_some_and(|problem| problem.message.contains("without a name can't be shown")),
        "{told:?}"
    );

    let annotated = reader.get(101, "annotated").await?;
    ensure!(annotated["metadata"]["annotations"]["big"].as_str().map(str::len) == Some(2 * 1024 * 1024));
    let labelled = reader.get(102, "labelled").await?;
    ensure!(labelled["metadata"]["labels"].as_object().map(serde_json::Map::len) == Some(10_000));
    ensure!(reader.get(103, "odd").await?["status"]["reason"] == odd);
    let numbers = reader.get(104, "numbers").await?;
    ensure!(numbers["status"]["containerStatuses"][0]["restartCount"] == BEYOND, "{numbers}");
    ensure!(reader.cell("numbers", 3) == Some(BEYOND.to_string()), "{:?}", reader.cell("numbers", 3));
    ensure!(reader.cell("odd", 2).as_deref() == Some(odd), "{:?}", reader.cell("odd", 2));
    reader.get(105, &longest).await?;

    // And each changes like any other.
    for name in ["annotated", "labelled", "odd", "numbers", "bare"] {
        playground
            .patch("pods", NAMESPACE, name, json!({"metadata": {"annotations": {"more": "x"}}}))
            .map_err(refused)?;
        playground.delete("pods", NAMESPACE, name).map_err(refused)?;
    }
    reader.until_exact(&[&longest]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn two_objects_of_one_name_in_a_tick_are_never_one() -> Result<()> {
    let (playground, dogwatch) = shop().await?;
    playground.load(vec![pod("web", "0", json!({}), json!({"reason": "Generation0"}))]).map_err(refused)?;
    let mut reader = Reader::open(&dogwatch).await?;
    reader.until_exact(&["web"]).await?;
    for generation in 1..=50 {
        playground.delete("pods", NAMESPACE, "web").map_err(refused)?;
        let status = json!({"reason": format!("Generation{generation}")});
        playground.load(vec![pod("web", &generation.to_string(), json!({}), status)]).map_err(refused)?;
    }
    while reader.cell("web", 2).as_deref() != Some("Generation50") {
        reader.step().await?;
    }
    reader.until_exact(&["web"]).await?;
    ensure!(reader.get(101, "web").await?["metadata"]["uid"] == "50");
    Ok(())
}
