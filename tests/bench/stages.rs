//! `cargo xtask bench stages`: what a change costs from the watch's bytes to a viewer's frame, stage by
//! stage, in one thread and without the waiting between changes. What the gateway uses beyond it
//! (`cargo xtask bench viewers`) is sockets, wake-ups and caches that have gone cold.

use anyhow::{Context, Result, ensure};
use futures_util::{AsyncBufReadExt, TryStreamExt};
use gateway::feed::event::What;
use gateway::feed::ingest::Splitter;
use gateway::feed::machine::{Input, Request, RequestSlot};
use gateway::feed::reading::{AnswerReader, Memory};
use gateway::feed::{Change, FeedOutput, Object};
use gateway::hub::{Hub, Identity, Opening};
use playground::{Options, Playground};
use shared::frame::client::Projection;
use shared::resource::Resource;
use tests::paced::{Size, Writer, fill};
use tests::process::cpu_s;
use tests::raw;
use tests::viewer::all_pods;

const PODS: usize = 1_000;
/// Each pod twice, so that the dictionary is trained and every row has been there.
const EVENTS: usize = 2 * PODS;
const ROUNDS: usize = 10;
/// A watch that reads more slowly than is written is ended.
const CHANGES_PER_S: f64 = 400.0;

#[tokio::main]
async fn main() -> Result<()> {
    let events = events().await?;
    let bytes: usize = events.iter().map(Vec::len).sum();
    println!("{EVENTS} changes of {} bytes, {ROUNDS} times; CPU, s per 10,000", bytes / EVENTS);
    let split = seconds(|| {
        let mut splitter = Splitter::default();
        for event in &events {
            splitter.push(event);
            ensure!(splitter.next_line().is_some(), "a value");
        }
        Ok(())
    })?;
    let read = seconds(|| {
        let (mut reader, mut memory) = reader()?;
        events.iter().try_for_each(|event| object(&mut reader, &mut memory, event).map(drop))
    })?;
    let (mut hub, mut version) = (full_hub(&events)?, 1_000_000);
    let mut put = |hub: &mut Hub, mut object: Object| {
        version += 1;
        object.row.resource_version = version.to_string().as_str().into();
        hub.apply(FeedOutput::Change(Change::Put(object)));
    };
    let kept = seconds(|| {
        let (mut reader, mut memory) = reader()?;
        for event in &events {
            put(&mut hub, object(&mut reader, &mut memory, event)?);
        }
        Ok(())
    })?;
    hub.tick();
    let subscriber = hub.subscribe(opening()?);
    while hub.pull(subscriber, 1, 500).context("it subscribed")?.more {}
    let framed = seconds(|| {
        let (mut reader, mut memory) = reader()?;
        for event in &events {
            put(&mut hub, object(&mut reader, &mut memory, event)?);
            hub.tick();
            let delivery = hub.pull(subscriber, 1, 500).context("it subscribed")?;
            ensure!(!delivery.messages.is_empty(), "a frame");
        }
        Ok(())
    })?;
    println!("{:<44} {:>7}", "", "s");
    for (stage, seconds) in [
        ("the stream is split into values", split),
        ("and values are read: cells, redacted objects", read),
        ("and kept: compressed, in their order", kept),
        ("and framed for a viewer", framed),
    ] {
        println!("{stage:<44} {seconds:>7.2}");
    }
    Ok(())
}

/// What a watch of the gateway says of so many changes.
async fn events() -> Result<Vec<Vec<u8>>> {
    let playground = Playground::start(Options::empty()).await?;
    fill(&playground, PODS, Size::Whole)?;
    let folder = tempfile::tempdir()?;
    let kubeconfig = folder.path().join("kubeconfig");
    playground.write_kubeconfig(&kubeconfig)?;
    let client = raw::client(&kubeconfig).await?;
    let version = playground.revision();
    let path = format!("/api/v1/pods?watch=1&includeObject=Object&resourceVersion={version}");
    let request = http::Request::get(path).header("accept", raw::TABLE).body(Vec::new())?;
    let mut lines = client.request_stream(request).await?.lines();
    let mut writer = Writer::new(PODS, CHANGES_PER_S);
    let reading = async {
        let mut events = Vec::with_capacity(EVENTS);
        while events.len() < EVENTS {
            let line = lines.try_next().await?.context("the watch ended")?;
            events.push((line + "\n").into_bytes());
        }
        Ok(events)
    };
    let ((), events) = tokio::try_join!(writer.write(&playground, EVENTS), reading)?;
    playground.stop().await;
    Ok(events)
}

fn reader() -> Result<(AnswerReader, Memory)> {
    let memory = Memory::default();
    let request = Request::Watch { from: "1".into() };
    let reader = AnswerReader::new(Resource::parse("", "v1", "pods")?, RequestSlot::Main, request, &memory);
    Ok((reader, memory))
}

fn object(reader: &mut AnswerReader, memory: &mut Memory, event: &[u8]) -> Result<Object> {
    match reader.chunk(event, memory).pop() {
        Some(Input::Event(event)) => match event.what {
            What::Added(object) | What::Modified(object) => Ok(object),
            _ => anyhow::bail!("a change of a pod"),
        },
        _ => anyhow::bail!("an event"),
    }
}

fn full_hub(events: &[Vec<u8>]) -> Result<Hub> {
    let mut hub = Hub::new(Identity { cluster: "bench".into() }, 1);
    let (mut reader, mut memory) = reader()?;
    let Some(Input::Event(first)) = events.first().and_then(|event| reader.chunk(event, &mut memory).pop())
    else {
        anyhow::bail!("an event");
    };
    let mut tell = |change| hub.apply(FeedOutput::Change(change));
    tell(Change::Columns(first.columns.context("the first says the columns")?));
    tell(Change::ListStart);
    for event in events {
        tell(Change::Listed(object(&mut reader, &mut memory, event)?));
    }
    tell(Change::ListEnd { resource_version: "1000000".into(), gap: None });
    hub.tick();
    Ok(hub)
}

fn opening() -> Result<Opening> {
    Ok(Opening {
        subscription: 1,
        scope: all_pods()?,
        projection: Projection::Rows,
        row: None,
        columns: Default::default(),
        is_get: false,
        is_granted: false,
        token: None,
        fresh_view: 1,
        is_second: false,
    })
}

/// Of a processor, per 10,000 changes.
fn seconds(mut round: impl FnMut() -> Result<()>) -> Result<f64> {
    let before = cpu_s(std::process::id())?;
    for _ in 0..ROUNDS {
        round()?;
    }
    Ok((cpu_s(std::process::id())? - before) * 10_000.0 / (ROUNDS * EVENTS) as f64)
}
