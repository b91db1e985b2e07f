//! Secrets by name, on a real kube-apiserver: kubectl's cells, and nowhere a value.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use cluster::{ControlPlane, Options};
use memchr::memmem;
use serde_json::{Value, json};
use shared::name::{Namespace, ObjectName};
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use testkit::dogwatch::Home;
use testkit::metrics::Metrics;
use testkit::viewer::Viewer;

/// Its first part in no frame, log or metric.
const CANARY: &str = "canary-4711";
/// Only in the data, never in the metadata: the gateway's process never had it.
const IN_DATA: &str = "canary-4711-of-data-alone";
const CHUNK: usize = 1 << 20;
/// More than the longest text that is looked for.
const OVERLAP: usize = 256;

fn secrets() -> Result<Scope> {
    let shop = Namespaces::these(vec![Namespace::parse("default")?])?;
    Ok(Scope { namespaces: shop, ..Scope::all(Resource::parse("", "v1", "secrets")?) })
}

/// As `kubectl apply` leaves it: with a copy of itself in an annotation.
fn applied() -> String {
    format!(
        "apiVersion: v1
kind: Secret
metadata: {{name: applied, namespace: default, labels: {{app: shop}}, annotations: {{example.org/note: {CANARY}-note}}}}
stringData: {{password: {CANARY}-applied, user: {CANARY}-user}}
"
    )
}

/// Whether one of the texts stands in what the process has in its memory.
fn is_in_memory(pid: u32, texts: &[&[u8]]) -> Result<bool> {
    let memory = File::open(format!("/proc/{pid}/mem")).context("the memory of a child")?;
    let zeros = vec![0; CHUNK];
    for line in fs::read_to_string(format!("/proc/{pid}/maps"))?.lines() {
        let (range, rest) = line.split_once(' ').context("a range")?;
        let (from, to) = range.split_once('-').context("a range")?;
        let (mut from, to) = (u64::from_str_radix(from, 16)?, u64::from_str_radix(to, 16)?);
        while rest.starts_with("rw") && from < to {
            let mut chunk = vec![0; CHUNK.min(usize::try_from(to - from)?)];
            // Some ranges are the kernel's. What was never written is zero.
            if memory.read_exact_at(&mut chunk, from).is_ok()
                && chunk[..] != zeros[..chunk.len()]
                && texts.iter().any(|text| memmem::find(&chunk, text).is_some())
            {
                return Ok(true);
            }
            // A text may lie across two chunks.
            from += (chunk.len().saturating_sub(OVERLAP).max(1)) as u64;
            if chunk.len() < CHUNK {
                break;
            }
        }
    }
    Ok(false)
}

#[tokio::test]
async fn r_data_2_secrets_by_name_are_kubectls_rows_and_their_values_are_nowhere() -> Result<()> {
    let plane = ControlPlane::start(Options::default())?;
    plane.apply(&applied())?;
    let literal = format!("--from-literal=password={IN_DATA}");
    plane.kubectl_output(&["create", "secret", "generic", "created-4712", "-n", "default", &literal])?;
    let home = Home::new()?;
    let kubeconfig = plane.kubeconfig().to_string_lossy().into_owned();
    let metrics = Metrics::at_free_port();
    let counted = metrics.address();
    let flags = ["--secret-names", "--listen", "127.0.0.1:0", "--metrics-listen", &counted];
    let arguments = [&flags[..], &["--kubeconfig", &kubeconfig]].concat();
    let gateway = home.serve_with(&arguments, &[("DOGWATCH_LOG", "trace")])?;

    let mut viewer = Viewer::open(&gateway.socket()?, secrets()?);
    viewer.until_sync().await?;
    let printed = plane.kubectl_output(&["get", "secrets", "-n", "default", "--no-headers"])?;
    let first_three = |row: &str| row.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
    let mut printed: Vec<String> = printed.lines().map(first_three).collect();
    printed.sort();
    let cells = |row: &shared::row::Row| {
        let text = |cell: &shared::cell::Cell| match json!(cell) {
            Value::String(text) => text,
            other => other.to_string(),
        };
        row.cells.iter().take(3).map(text).collect::<Vec<_>>().join(" ")
    };
    let mut shown: Vec<String> = viewer.table().rows().map(cells).collect();
    shown.sort();
    ensure!(shown == printed && shown.len() == 2, "{shown:?}, kubectl: {printed:?}");

    let one = Scope { name: Some(ObjectName::parse("applied")?), ..secrets()? };
    let got = viewer.get(one.clone()).await?;
    let object = got.object.as_ref().context("it is there")?;
    let members: BTreeMap<String, Value> = serde_json::from_value(object.clone())?;
    ensure!(members.keys().eq(["apiVersion", "kind", "metadata"]), "{object}");
    ensure!(object["metadata"]["annotations"] == json!({"example.org/note": "••••••••"}), "{object}");
    ensure!(object["metadata"]["labels"]["app"] == "shop", "{object}");

    // Every frame of every projection, while the Secrets change.
    let mut every = Viewer::open(&gateway.socket()?, secrets()?);
    every.view_of(|client, now| client.open_object(one.clone(), None, now));
    let of_all = secrets()?;
    let timeline = every.view_of(|client, now| client.open_timeline(of_all, None, now));
    let mut is_changed = false;
    loop {
        let mut seen = String::new();
        every.turn_with(|input| seen = format!("{input:?}")).await;
        ensure!(!seen.contains(CANARY), "{seen}");
        let Some(log) = every.client().timeline(timeline) else { continue };
        if log.subscription().proof.is_some() && !std::mem::replace(&mut is_changed, true) {
            let patch = format!("{{\"stringData\": {{\"password\": \"{IN_DATA}-2\"}}}}");
            plane.kubectl_output(&["patch", "secret", "created-4712", "-n", "default", "-p", &patch])?;
            plane.apply(&applied().replace("-applied", "-again"))?;
        }
        if log.len() >= 2 {
            break;
        }
    }
    let held = format!("{:?} {:?}", every.client(), viewer.table());
    ensure!(!held.contains(CANARY), "{held}");
    ensure!(!gateway.stderr().contains(CANARY), "the log");
    ensure!(!metrics.text()?.contains(CANARY), "the metrics");
    ensure!(gateway.stderr().contains("/api/ws"), "the log is at its loudest");

    // Neither value of `data` may be there, in the clear or in base64 as the API server sends it.
    let encoded = STANDARD_NO_PAD.encode(IN_DATA);
    // The last characters hang on what follows.
    let encoded = &encoded.as_bytes()[..encoded.len() - 4];
    ensure!(
        !is_in_memory(gateway.pid(), &[IN_DATA.as_bytes(), encoded])?,
        "a value was in the gateway's memory"
    );
    ensure!(is_in_memory(gateway.pid(), &[b"created-4712"])?, "its memory can be read");
    Ok(())
}
