//! What a hub costs in memory: `cargo run --release -p gateway --example hub_memory [OBJECTS]`. It applies pods of
//! 15.4 KB as a feed does, and prints bytes an object. Linux only, because it reads `/proc`; no cluster, no socket.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use gateway::feed::labels::Labels;
use gateway::feed::{Change, FeedOutput, Object};
use gateway::hub::Hub;
use replica::testing::column;
use shared::cell::{Ago, Cell};
use shared::column::Column;
use shared::row::{Extra, Owner, Row, RowId};

const BODY_BYTES: usize = 15_400;

fn main() -> anyhow::Result<()> {
    let count: u64 = std::env::args().nth(1).map_or(Ok(10_000), |text| text.parse())?;
    let before = resident_bytes()?;
    let mut hub: Hub = Hub::new("bench", 1);
    let began = Instant::now();
    hub.apply(FeedOutput::Change(Change::Columns(columns())));
    hub.apply(FeedOutput::Change(Change::ListStart));
    for number in 0..count {
        hub.apply(FeedOutput::Change(Change::Listed(pod(number))));
    }
    hub.apply(FeedOutput::Change(Change::ListEnd { resource_version: "1000000".into(), gap: None }));
    hub.tick();
    let took = began.elapsed();
    let after = resident_bytes()?;
    println!("objects: {}, taken in within {took:?}", hub.object_count());
    println!("resident: {} KiB before, {} KiB after", before / 1024, after / 1024);
    println!("bytes an object: {}", (after - before) / count);
    Ok(())
}

fn resident_bytes() -> anyhow::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status").context("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS")?;
    let kib: u64 = line.trim().trim_end_matches(" kB").trim().parse()?;
    Ok(kib * 1024)
}

fn columns() -> Arc<[Column]> {
    ["Name", "Ready", "Status", "Restarts", "Age", "IP", "Node", "Nominated Node", "Readiness Gates"]
        .map(column)
        .into()
}

/// SplitMix64: what differs from pod to pod must not compress.
fn mix(number: u64) -> u64 {
    let mut hash = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

fn pod(number: u64) -> Object {
    let app = format!("app-{}", number % 200);
    let template = format!("{:x}", mix(number % 200) >> 28);
    let name = format!("{app}-{template}-{:05x}", mix(number) & 0xf_ffff);
    let ip = format!("10.{}.{}.{}", number / 65_536, number / 256 % 256, number % 256);
    let node = format!("node-{}", number % 100);
    let cells = vec![
        Cell::text(&name),
        Cell::text("2/2"),
        Cell::text("Running"),
        Cell::Ago(Box::new(Ago { text: "3".into(), at: 1_763_690_000 })),
        Cell::Age(Some(1_763_600_000)),
        Cell::text(&ip),
        Cell::text(&node),
        Cell::text("<none>"),
        Cell::text("<none>"),
    ];
    let owner = Owner {
        kind: "ReplicaSet".into(),
        name: format!("{app}-{template}").into(),
        row: Some(RowId::from_hash(1 << 4)),
    };
    let extra = Extra { owner: Some(owner), hash: Some(template.clone().into()), ..Extra::default() };
    let labels = [
        ("app.kubernetes.io/name", &*app),
        ("app.kubernetes.io/part-of", "shop"),
        ("pod-template-hash", &*template),
    ];
    let body = body(number, &name, &app, &ip, &node);
    Object {
        row: Row {
            id: RowId::from_hash(mix(number)),
            resource_version: (1_000 + number).to_string().as_str().into(),
            namespace: Some(format!("team-{}", number % 20).into()),
            name: name.into(),
            created: Some(1_763_600_000),
            cells,
            extra: Some(Box::new(extra)),
        },
        labels: Labels::pack(labels.into_iter()),
        body: body.into(),
        managed: Default::default(),
        masks: Default::default(),
        verdict: None,
    }
}

/// The parts of a pod that differ, then containers with their environments up to the size.
fn body(number: u64, name: &str, app: &str, ip: &str, node: &str) -> Vec<u8> {
    let (uid, one, two) = (mix(number), mix(number ^ 1 << 40), mix(number ^ 2 << 40));
    let mut body = format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"team-{}","uid":"{uid:016x}-{one:016x}","resourceVersion":"{}","annotations":{{"checksum/config":"{one:016x}{two:016x}{uid:016x}{one:016x}"}}}},"status":{{"podIP":"{ip}","hostIP":"192.168.0.{}","containerStatuses":[{{"containerID":"containerd://{two:016x}{uid:016x}{one:016x}{two:016x}","startedAt":"2025-11-{:02}T{:02}:{:02}:{:02}Z"}}]}},"spec":{{"nodeName":"{node}","serviceAccountName":"{app}","volumes":[{{"name":"kube-api-access-{:05x}"}}],"containers":["#,
        number % 20,
        1_000 + number,
        number % 100,
        number % 20 + 1,
        number % 24,
        number % 60,
        uid % 60,
        one & 0xf_ffff,
    );
    let mut place = 0;
    while body.len() < BODY_BYTES {
        body.push_str(&format!(
            r#"{{"name":"{app}-{place}","image":"registry.example.com/{app}/part-{place}:1.{}","env":[{{"name":"LISTEN_{place}","value":"*****"}},{{"name":"REGION","value":"*****"}}],"resources":{{"limits":{{"cpu":"{place}00m","memory":"{place}28Mi"}},"requests":{{"cpu":"100m"}}}},"terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent"}},"#,
            number % 200,
        ));
        place += 1;
    }
    body.extend(["{}]}}"]);
    body.into_bytes()
}
