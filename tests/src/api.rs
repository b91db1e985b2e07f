//! The API server without Dogwatch: a plain client for the writer of a scenario, and the raw watch that
//! a bench measures beside Dogwatch.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use flate2::write::MultiGzDecoder;
use futures_util::{AsyncBufRead, AsyncBufReadExt, TryStreamExt};
use http::Request;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING};
use http_body_util::BodyExt;
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

use crate::kubectl_table::Table;

/// One change as a reader saw it.
pub struct Seen {
    pub by: &'static str,
    pub version: String,
    pub at: Instant,
    pub bytes: u64,
}

pub struct Cost {
    pub bytes: u64,
    pub elapsed: Duration,
}

pub const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

pub async fn client(kubeconfig: &Path) -> Result<Client> {
    let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
    Ok(Client::try_from(Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?)?)
}

pub async fn post(client: &Client, path: &str, body: &Value) -> Result<Value> {
    send(client, "POST", path, "application/json", body).await
}

/// The body of the answer, whatever its status.
pub async fn answer(client: &Client, path: &str, body: &Value) -> Result<String> {
    let request = Request::post(path)
        .header("content-type", "application/json")
        .body(serde_json::to_vec(body)?.into())?;
    let bytes = client.send(request).await?.into_body().collect_bytes().await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub async fn merge(client: &Client, path: &str, body: &Value) -> Result<Value> {
    send(client, "PATCH", path, "application/merge-patch+json", body).await
}

pub async fn delete(client: &Client, path: &str) -> Result<Value> {
    send(client, "DELETE", path, "application/json", &Value::Null).await
}

async fn send(client: &Client, method: &str, path: &str, kind: &str, body: &Value) -> Result<Value> {
    let body = if body.is_null() { Vec::new() } else { serde_json::to_vec(body)? };
    let request = Request::builder().method(method).uri(path).header("content-type", kind).body(body)?;
    client.request(request).await.with_context(|| format!("{method} {path}"))
}

/// All pods at once, whole or as a table without objects: what a page without Dogwatch loads.
pub async fn list_cost(client: &Client, as_table: bool) -> Result<Cost> {
    let start = Instant::now();
    let (accept, query) = if as_table { (TABLE, "?includeObject=None") } else { ("application/json", "") };
    let request = Request::get(format!("/api/v1/pods{query}")).header("accept", accept).body(Vec::new())?;
    let bytes = client.request_text(request).await?.len() as u64;
    Ok(Cost { bytes, elapsed: start.elapsed() })
}

/// All pods by a watch that begins with a list, as Dogwatch asks for them: a table with whole objects, as gzip where the
/// server offers it (WatchListCompression, KEP-3157). Bytes are those of the body as it came.
pub async fn watch_list_cost(client: &Client, is_compressed: bool) -> Result<Cost> {
    const PATH: &str = "/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan\
                        &allowWatchBookmarks=true&includeObject=Object";
    const END: &[u8] = b"k8s.io/initial-events-end";
    let start = Instant::now();
    let mut request = Request::get(PATH).header(ACCEPT, TABLE);
    if is_compressed {
        request = request.header(ACCEPT_ENCODING, "gzip");
    }
    let response = client.send(request.body(Body::empty())?).await?;
    let mut members = response
        .headers()
        .get(CONTENT_ENCODING)
        .is_some_and(|coding| coding == "gzip")
        .then(|| MultiGzDecoder::new(Vec::new()));
    let (mut body, mut bytes, mut text) = (response.into_body(), 0, Vec::new());
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        bytes += data.len() as u64;
        // The end of what came before, which may hold the beginning of the word.
        text.drain(..text.len().saturating_sub(END.len()));
        match &mut members {
            None => text.extend_from_slice(&data),
            Some(members) => {
                members.write_all(&data)?;
                members.flush()?;
                text.append(members.get_mut());
            }
        }
        if memchr::memmem::find(&text, END).is_some() {
            return Ok(Cost { bytes, elapsed: start.elapsed() });
        }
    }
    bail!("the list has no end")
}

/// A list as `kubectl get -A -o wide` would print it, from the server's own cells.
pub async fn table(client: &Client, path: &str) -> Result<Table> {
    let request = Request::get(path).header("accept", TABLE).body(Vec::new())?;
    let list: Value = client.request(request).await?;
    let each = |key: &str| list.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let titles =
        each("columnDefinitions").into_iter().map(|column| cell_text(&column["name"]).to_uppercase());
    let rows = each("rows").into_iter().map(|row| {
        let cells = row["cells"].as_array().cloned().unwrap_or_default();
        let namespace = cell_text(&row["object"]["metadata"]["namespace"]);
        std::iter::once(namespace).chain(cells.iter().map(cell_text)).collect()
    });
    Ok(Table {
        columns: std::iter::once("NAMESPACE".to_owned()).chain(titles).collect(),
        rows: rows.collect(),
    })
}

/// A cell of a table as kubectl prints it.
pub fn cell_text(cell: &Value) -> String {
    match cell {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The raw watch of all pods from now on.
pub async fn open_watch(client: &Client) -> Result<impl AsyncBufRead + Send + use<>> {
    let request = Request::get("/api/v1/pods?limit=1").body(Vec::new())?;
    let list: Value = client.request(request).await?;
    let version =
        list.pointer("/metadata/resourceVersion").and_then(Value::as_str).context("a list has one")?;
    let request = Request::get(format!("/api/v1/pods?watch=1&resourceVersion={version}")).body(Vec::new())?;
    Ok(client.request_stream(request).await?)
}

/// Follows pods by the raw watch from now on and reports every change; it stands when this returns.
pub async fn watch(
    client: &Client,
    seen: UnboundedSender<Seen>,
    by: &'static str,
) -> Result<JoinHandle<Result<()>>> {
    let lines = open_watch(client).await?;
    Ok(tokio::spawn(report(lines, seen, by)))
}

async fn report(lines: impl AsyncBufRead, seen: UnboundedSender<Seen>, by: &'static str) -> Result<()> {
    let mut lines = std::pin::pin!(lines.lines());
    while let Some(line) = lines.try_next().await? {
        let at = Instant::now();
        let event: Value = serde_json::from_str(&line)?;
        let version = event.pointer("/object/metadata/resourceVersion").and_then(Value::as_str);
        let version = version.unwrap_or_default().to_owned();
        if seen.send(Seen { by, version, at, bytes: line.len() as u64 + 1 }).is_err() {
            break;
        }
    }
    Ok(())
}
