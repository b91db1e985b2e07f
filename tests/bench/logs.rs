//! `cargo xtask bench logs [--pods=50] [--viewers=10] [--seconds=30]`: viewers who follow the log of one workload, whose
//! pods write 200 numbered lines a second each. It counts the lines that are lost, told twice or skipped, and the logs
//! that are read upstream, then what a key in the search and scrolling cost a browser that holds 100,000 lines. Never
//! asserts: it measures.

mod in_browser;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use playground::Playground;
use serde_json::{Value, json};
use shared::frame::client::{ClientFrame, LogAsked, LogText};
use shared::frame::server::{LogEntry, LogMark, LogPart, ServerFrame};
use shared::name::{Namespace, ObjectName};
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use testkit::arguments::number;
use testkit::client::Client;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::load::refused;
use testkit::process::{cpu_s, resident_mib};
use testkit::teams;
use tokio::task::JoinSet;

const NAMESPACE: &str = "busy";
const LINES_PER_S: usize = 200;
/// Between the last line that is asked for and its arrival.
const LATE: Duration = Duration::from_secs(20);

/// What one viewer has seen of all pods.
#[derive(Default)]
struct Seen {
    /// The number of the next line of each source.
    next: HashMap<u32, u64>,
    lines: usize,
    lost: u64,
    again: usize,
    skipped: u64,
    marks: usize,
    bytes: u64,
    late_ms: Vec<i64>,
}

pub async fn run() -> Result<()> {
    let (pods, viewers, seconds) = (number("pods", 50)?, number("viewers", 10)?, number("seconds", 30)?);
    let names: Vec<String> = (0..viewers).map(|n| format!("viewer-{n}")).collect();
    let people: Vec<(&str, &[&str])> = names.iter().map(|name| (&**name, &["system:masters"][..])).collect();
    let playground = teams::playground(&people, &[]).await?;
    fill(&playground, pods, &json!({ "running": { "startedAt": second(Timestamp::now()) } }))?;
    let home = Home::new()?;
    let kubeconfig = home.kubeconfig_of(&playground)?;
    let kubeconfig = kubeconfig.to_string_lossy();
    // Each has a share of logs of their own, so they are several people.
    let gateway =
        home.serve(&["--auth", "bearer", "--logs", "--listen", "127.0.0.1:0", "--kubeconfig", &kubeconfig])?;
    let mut reading = JoinSet::new();
    let asking = names.iter().map(|name| caught_up(&gateway, name, pods));
    let clients: Vec<(Client, Seen)> = futures_util::future::try_join_all(asking).await?;
    let upstream = playground.open_logs();
    let (began, cpu, own) = (Instant::now(), cpu_s(gateway.pid())?, cpu_s(std::process::id())?);
    for (client, seen) in clients {
        reading.spawn(read(client, seen, Duration::from_secs(seconds as u64)));
    }
    let mut all: Vec<Seen> = Vec::new();
    while let Some(seen) = reading.join_next().await {
        all.push(seen??);
    }
    let wall_s = began.elapsed().as_secs_f64();
    let sum = |of: fn(&Seen) -> u64| all.iter().map(of).sum::<u64>();
    let mut late_ms: Vec<i64> = all.iter().flat_map(|seen| seen.late_ms.iter().copied()).collect();
    late_ms.sort_unstable();
    let late = |hundredth: usize| late_ms.get(late_ms.len() * hundredth / 100).copied().unwrap_or_default();
    let lines = sum(|seen| seen.lines as u64);
    println!("{pods} pods with {LINES_PER_S} lines a second each, {viewers} viewers, {wall_s:.1} s");
    println!("logs read upstream: {upstream} before and {} after", playground.open_logs());
    println!(
        "lines told: {lines}, {:.0} a second and viewer; lost: {}, told twice: {}, skipped: {}, other marks: {}",
        lines as f64 / wall_s / viewers as f64,
        sum(|seen| seen.lost),
        sum(|seen| seen.again as u64),
        sum(|seen| seen.skipped),
        sum(|seen| seen.marks as u64),
    );
    println!("told after their time, ms: p50 {}, p99 {}", late(50), late(99));
    println!(
        "gateway: {:.1} % of a core, {:.1} MiB; {:.1} bytes a line and viewer; viewers and playground: {:.1} % of a core",
        (cpu_s(gateway.pid())? - cpu) / wall_s * 100.0,
        resident_mib(gateway.pid())?,
        sum(|seen| seen.bytes) as f64 / lines.max(1) as f64,
        (cpu_s(std::process::id())? - own) / wall_s * 100.0,
    );
    playground.stop().await;
    in_browser::run().await
}

/// A Service, and pods that it selects.
fn fill(playground: &Playground, pods: usize, state: &Value) -> Result<()> {
    let create = |object: Value| playground.create(object).map_err(refused);
    let labels = json!({ "app": "busy" });
    create(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } }))?;
    create(json!({
        "apiVersion": "v1", "kind": "Service", "metadata": { "name": "busy", "namespace": NAMESPACE },
        "spec": { "selector": labels },
    }))?;
    let image = "registry.example.com/tests/busy:v1";
    for number in 0..pods {
        let name = format!("busy-{number:02}");
        create(json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": name, "namespace": NAMESPACE, "labels": labels },
            "spec": { "nodeName": "node-1", "containers": [{ "name": "app", "image": image }] },
            "status": { "phase": "Running", "containerStatuses": [{
                "name": "app", "image": image, "containerID": format!("containerd://{name}"), "ready": true,
                "state": state,
            }] },
        }))?;
    }
    Ok(())
}

fn second(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A viewer to whom what was there already has been told, of all pods.
async fn caught_up(gateway: &Dogwatch, name: &str, pods: usize) -> Result<(Client, Seen)> {
    let mut client = Client::of_bearer(&gateway.address(), &format!("token-of-{name}")).await?;
    let resource = Resource::parse("", "v1", "services")?;
    let namespaces = Namespaces::These(vec![Namespace::parse(NAMESPACE)?]);
    let scope = Scope {
        cluster: None,
        resource,
        namespaces,
        name: Some(ObjectName::parse("busy")?),
        labels: None,
        fields: None,
    };
    let asked = LogAsked { tail: Some(10), ..LogAsked::default() };
    let text = LogText::of(1, &scope, &asked).context("it can be written")?;
    client.send(&ClientFrame::Log(text)).await?;
    let mut seen = Seen::default();
    let mut is_caught_up = false;
    while !is_caught_up || seen.next.len() < pods {
        is_caught_up |= seen.take(next(&mut client).await?, false);
    }
    Ok((client, seen))
}

async fn next(client: &mut Client) -> Result<LogPart> {
    loop {
        match client.next().await?.0 {
            ServerFrame::Log(answer) => return answer.read().context("it can be read"),
            ServerFrame::Problem(problem) => bail!("{problem:?}"),
            _ => {}
        }
    }
}

async fn read(mut client: Client, mut seen: Seen, wanted: Duration) -> Result<Seen> {
    let (end, first) = (Instant::now() + wanted, client.bytes);
    while Instant::now() < end {
        let part = tokio::time::timeout(LATE, next(&mut client)).await.context("nothing comes")??;
        seen.take(part, true);
    }
    seen.bytes = client.bytes - first;
    Ok(seen)
}

impl Seen {
    /// Counts a part. Whether what was there has been told with it.
    fn take(&mut self, part: LogPart, is_counted: bool) -> bool {
        let now_ms = Timestamp::now().as_millisecond();
        for entry in part.entries {
            self.entry(&entry, is_counted.then_some(now_ms));
        }
        part.caught_up
    }

    fn entry(&mut self, entry: &LogEntry, counted_ms: Option<i64>) {
        if entry.mark == Some(LogMark::Skipped) {
            self.skipped += entry.lines;
        } else if entry.mark.is_some() {
            self.marks += 1;
        }
        let number = entry.text.as_deref().and_then(|text| text.strip_prefix("line ")?.parse::<u64>().ok());
        let Some(number) = number else { return };
        let next = self.next.insert(entry.n, number + 1).unwrap_or(number);
        self.lost += number.saturating_sub(next);
        self.again += usize::from(number < next);
        if let Some(now_ms) = counted_ms {
            self.lines += 1;
            self.late_ms.extend(entry.at.map(|at| now_ms - at.ms));
        }
    }
}
