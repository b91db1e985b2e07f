//! What a change costs from its bytes to the hub's frame: `cargo run --release -p gateway --example ingest_cost [CHANGES]`.
//! It records the lines of a watch of exemplary pods from a playground, reads them as a feed does, has a hub with one
//! viewer take them, and prints the time of each part for one change. It opens no socket while it measures.

#[expect(clippy::indexing_slicing, reason = "it builds values of json!, which grow where they are indexed")]
#[path = "../../tests/src/exemplar.rs"]
mod exemplar;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use bytes::Bytes;
use gateway::feed::event::What;
use gateway::feed::machine::{Input, Request, RequestSlot};
use gateway::feed::{AnswerReader, Change, FeedOutput, Memory, Object};
use gateway::hub::{Hub, Open};
use gateway::subscription_request::SubscriptionRequest;
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use mimalloc::MiMalloc;
use playground::{Options, Playground};
use serde_json::{Value, json};
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::scope::Scope;

/// The gateway's own.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const PODS: usize = 200;
const CHANGES: usize = 1_000;
const ROUNDS: usize = 10;
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

fn main() -> Result<()> {
    let changes = std::env::args().nth(1).map_or(Ok(CHANGES), |text| text.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let lines = runtime.block_on(record(changes))?;
    let bytes = lines.iter().map(Bytes::len).sum::<usize>() / lines.len();
    println!("{} changes of {bytes} bytes, ns a change, the least of {ROUNDS} rounds", changes / 2);
    let mut best = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        for (best, took) in best.iter_mut().zip(round(&lines)?) {
            *best = took.min(*best);
        }
    }
    for (what, took) in ["read", "hub"].into_iter().zip(best) {
        println!("{what:>6} {:>8}", took.as_nanos() / (changes / 2) as u128);
    }
    Ok(())
}

/// The lines of a watch: one change of one cell each.
async fn record(changes: usize) -> Result<Vec<Bytes>> {
    let playground = Playground::start(Options::empty()).await?;
    let refused = |failure| anyhow!("the playground refused: {failure:?}");
    let namespace =
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": exemplar::NAMESPACE } });
    playground.create(namespace).map_err(refused)?;
    for number in 0..PODS {
        playground.create(exemplar::pod(number)).map_err(refused)?;
        let status = exemplar::status(number, 0);
        playground.patch("pods", exemplar::NAMESPACE, &exemplar::name(number), status).map_err(refused)?;
    }
    let from = playground.revision();
    let uri = format!("{}/api/v1/pods?watch=1&includeObject=Object&resourceVersion={from}", playground.url());
    let request = http::Request::get(uri).header(http::header::ACCEPT, TABLE).body(Empty::<Bytes>::new())?;
    let client = Client::builder(TokioExecutor::new()).build_http();
    let mut body = client.request(request).await?.into_body();
    let (mut lines, mut line) = (Vec::new(), Vec::new());
    for number in 0..changes {
        let pod = number * 7 % PODS;
        let patch: Value = exemplar::status(pod, number as u64 + 1);
        playground.patch("pods", exemplar::NAMESPACE, &exemplar::name(pod), patch).map_err(refused)?;
        while lines.len() <= number {
            let frame = body.frame().await.context("the watch ended")??;
            line.extend_from_slice(frame.data_ref().context("data")?);
            while let Some(end) = memchr::memchr(b'\n', &line) {
                let rest = line.split_off(end + 1);
                lines.push(Bytes::from(std::mem::replace(&mut line, rest)));
            }
        }
    }
    playground.stop().await;
    Ok(lines)
}

/// How long reading took, and how long the hub.
fn round(lines: &[Bytes]) -> Result<[Duration; 2]> {
    let mut memory = Memory::default();
    let request = Request::Watch { from: ResourceVersion::new("1") };
    let pods = Resource::parse("", "v1", "pods").map_err(|error| anyhow!("{error:?}"))?;
    let mut reader = AnswerReader::new(pods.clone(), RequestSlot::Main, request, &memory);
    let mut hub: Hub = Hub::new("bench", 1);
    hub.apply(FeedOutput::Change(Change::ListStart));
    hub.apply(FeedOutput::Change(Change::ListEnd { resource_version: "1".into(), gap: None }));
    let open = Open::alone(1, SubscriptionRequest::rows(1, Scope::all(pods)));
    let viewer = open.key;
    hub.subscribe(open);
    let (mut reading, mut taking) = (Duration::ZERO, Duration::ZERO);
    for (number, line) in lines.iter().enumerate() {
        if number == lines.len() / 2 {
            // The objects are here, and the dictionary is trained.
            (reading, taking) = (Duration::ZERO, Duration::ZERO);
        }
        let began = Instant::now();
        let inputs = reader.chunk(line.clone(), &mut memory);
        reading += began.elapsed();
        let began = Instant::now();
        for object in inputs.into_iter().map(object_of) {
            hub.apply(FeedOutput::Change(Change::Put(object?)));
        }
        hub.tick();
        hub.pull(viewer).context("the viewer is there")?;
        taking += began.elapsed();
    }
    Ok([reading, taking])
}

fn object_of(input: Input) -> Result<Object> {
    match input {
        Input::Event(event) => match event.what {
            What::Put(object) => Ok(object),
            other => bail!("not an object: {other:?}"),
        },
        other => bail!("not an event: {other:?}"),
    }
}
