//! Measures a record in a folder: `cargo run --release -p history --example measure -- FOLDER [OBJECTS] [VERSIONS]`. With
//! the word `postgres` in place of a folder it is in a PostgreSQL server of its own, which doesn't wait for its disk; with
//! `memory` it is in memory.
//! It prints the bytes of a version, the versions written in a second, and how long a moment, an object's versions,
//! an hour's activity, a word in all changes and all changes take to read.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use fastrand::Rng;
use history::{Bounds, Found, Keeper, KindKey, Postgres, Segments, Store, Told, Version, Within, because};
use postgres_server::PostgresServer;
use serde_json::json;
use shared::cell::Cell;
use shared::column::Column;
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};

type Failure = Box<dyn std::error::Error>;

const START_MS: i64 = 1_790_000_000_000;
/// What one answer of the gateway reads.
const CHANGES: usize = 500;
/// 200 changes a second.
const STEP_MS: usize = 5;
/// Those of a quarter of a second.
const COMMITTED: usize = 50;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("which folder?")?);
    let mut number = |usual: usize| arguments.next().map_or(Ok(usual), |text| text.parse());
    let (objects, versions) = (number(10_000)?, number(100_000)?);
    let bounds = Bounds { bytes: 64 << 30, age_ms: i64::MAX };
    let server = (folder.as_os_str() == "postgres").then(PostgresServer::start).transpose()?;
    let store: Box<dyn Store> = match &server {
        Some(server) => {
            server.create("past")?;
            let config: postgres::Config = server.parameters("past").parse()?;
            let connect = move || config.connect(postgres::NoTls).map_err(|error| because(&error));
            Box::new(Postgres::new(Arc::new(connect), bounds))
        }
        None if folder.as_os_str() == "memory" => Box::new(Segments::in_memory(bounds)),
        None => Box::new(Segments::open(&folder, bounds)?.0),
    };
    let mut keeper = Keeper::open(store, 1, START_MS);
    let key = KindKey {
        cluster: "c".into(),
        resource: Resource::parse("", "v1", "pods").map_err(|it| it.message)?,
    };
    let columns = json!([{ "name": "Name", "type": "string", "format": "name" }, { "name": "Status", "type": "string" }]);
    let columns: Arc<[Column]> = serde_json::from_value::<Vec<Column>>(columns)?.into();
    let mut rng = Rng::with_seed(7);
    let begun = Instant::now();
    keeper.tell(&key, Told::Columns(columns), START_MS);
    keeper.tell(&key, Told::Begun, START_MS);
    for object in 0..objects {
        keeper.tell(&key, Told::Version(Box::new(pod(object, 0, &mut rng))), START_MS);
    }
    keeper.tell(&key, Told::Loaded { resource_version: ResourceVersion::new("1") }, START_MS);
    keeper.commit(START_MS);
    let listed = keeper.byte_count();
    println!("{objects} objects: {:.0} bytes each, {:.0} ms", listed as f64 / objects as f64, ms(begun));
    let mut now_ms = START_MS;
    let (mut telling_us, mut committing_us, mut numbers) = (0.0, 0.0, 1..=versions);
    loop {
        let told = numbers.by_ref().take(COMMITTED).map(|n| (n, pod(rng.usize(..objects), n, &mut rng)));
        let told: Vec<_> = told.collect();
        if told.is_empty() {
            break;
        }
        let begun = cpu_us()?;
        for (n, version) in told {
            now_ms = START_MS + i64::try_from(n * STEP_MS)?;
            keeper.tell(&key, Told::Version(Box::new(version)), now_ms);
        }
        let all_told = cpu_us()?;
        keeper.commit(now_ms);
        telling_us += all_told - begun;
        committing_us += cpu_us()? - all_told;
    }
    let of = |all: f64| all / versions as f64;
    println!(
        "{versions} versions: {:.0} bytes each, {:.0} a second; of a core, {:.1} µs to tell one and {:.1} to commit it",
        of((keeper.byte_count() - listed) as f64),
        1e6 / of(telling_us + committing_us),
        of(telling_us),
        of(committing_us)
    );
    let past = keeper.past();
    for part in [1, 2, 4] {
        let at_ms = START_MS + (now_ms - START_MS) / part;
        let begun = Instant::now();
        let moment = past.moment(&key, at_ms)?.ok_or("nothing")?;
        let read = ms(begun);
        let bytes: usize =
            moment.objects.iter().filter_map(|object| object.body.unpack()).map(|body| body.len()).sum();
        println!(
            "a moment of {} objects: {read:.0} ms, {:.0} ms with {bytes} bytes of bodies",
            moment.objects.len(),
            ms(begun)
        );
    }
    let begun = Instant::now();
    for n in 0..1_000 {
        keeper.tell(
            &key,
            Told::Version(Box::new(pod(1, versions + n + 1, &mut rng))),
            now_ms + 1_100 * i64::try_from(n)?,
        );
    }
    keeper.commit(now_ms);
    println!("1,000 versions of one object: written in {:.0} ms", ms(begun));
    let begun = Instant::now();
    let found = past.versions(&key, row_of(1), i64::MAX, 1_000)?;
    println!("{} versions of one object: {:.0} ms", found.len(), ms(begun));
    let begun = Instant::now();
    let activity = past.activity(&key, (START_MS, now_ms), 400, &Within::All)?;
    let changes: u32 = activity.slots.iter().map(|slot| slot.changes).sum();
    println!("the activity of {changes} changes: {:.0} ms", ms(begun));
    let (begun, mut scanned, mut with_word) = (Instant::now(), 0, 0);
    let is_wanted = |body: &[u8]| {
        let body = body.to_ascii_lowercase();
        str::from_utf8(&body).is_ok_and(|body| body.contains("crashloopbackoff"))
    };
    past.scan(&key, (START_MS + 1, i64::MAX), &is_wanted, &mut |version| {
        (scanned, with_word) =
            (scanned + 1, with_word + usize::from(matches!(version.found, Found::Wanted { .. })));
        true
    })?;
    println!("a search through {scanned} changes, {with_word} of them with a word: {:.0} ms", ms(begun));
    let (mut time, mut after, mut count, mut slowest) = ((START_MS + 1, i64::MAX), 0, 0, 0_f64);
    let begun = Instant::now();
    loop {
        let page = Instant::now();
        let changes = past.changes(&key, time, after, CHANGES)?;
        let Some(last) = changes.last() else { break };
        (time.0, after, count) = (last.version.at_ms, last.version.number, count + changes.len());
        slowest = slowest.max(ms(page));
    }
    println!("all {count} changes: {:.0} ms, {CHANGES} of them in {slowest:.0} ms at most", ms(begun));
    Ok(())
}

/// What this thread has used of a core: other processes take their time as well.
fn cpu_us() -> Result<f64, Failure> {
    let used = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(used.split(' ').next().ok_or("no time")?.parse::<f64>()? / 1_000.0)
}

fn ms(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1_000.0
}

fn row_of(object: usize) -> RowId {
    RowId::from_hash((object as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// A pod of about 8 KB whose status changes with its version.
fn pod(object: usize, version: usize, rng: &mut Rng) -> Version {
    let of = Rng::with_seed(object as u64);
    let hash = |mut rng: Rng| {
        std::iter::repeat_with(move || rng.alphanumeric().to_ascii_lowercase()).take(10).collect::<String>()
    };
    let name = format!("checkout-{}-{}", object / 20, hash(of.clone()));
    let phases = ["Running", "CrashLoopBackOff", "Pending", "Error"];
    let phase = phases.get(rng.usize(..4)).copied().unwrap_or_default();
    let environment: Vec<_> = (0..24)
        .map(|n| json!({ "name": format!("SETTING_{n}"), "value": format!("https://service-{n}.shop.svc:{}", 8000 + n + object / 20) }))
        .collect();
    let conditions: Vec<_> = ["Initialized", "Ready", "ContainersReady", "PodScheduled"]
        .map(|kind| json!({ "type": kind, "status": if version.is_multiple_of(2) { "True" } else { "False" }, "lastTransitionTime": format!("2026-11-29T14:{:02}:{:02}Z", version / 60 % 60, version % 60) }))
        .to_vec();
    let body = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": name, "namespace": format!("team-{}", object % 40), "uid": hash(of.clone()) + &hash(Rng::with_seed(object as u64 + 9)), "resourceVersion": version.to_string(),
            "labels": { "app": "checkout", "pod-template-hash": hash(Rng::with_seed(object as u64 / 20)), "team": format!("team-{}", object % 40) },
            "ownerReferences": [{ "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": format!("checkout-{}", object / 20), "uid": hash(Rng::with_seed(object as u64 / 20)) }] },
        "spec": { "nodeName": format!("node-{}", object % 100), "serviceAccountName": "checkout", "containers": [
            { "name": "api", "image": format!("registry.example.com/shop/checkout@sha256:{}", hash(Rng::with_seed(object as u64 / 20)).repeat(6)), "env": environment, "resources": { "limits": { "cpu": "2", "memory": "1Gi" }, "requests": { "cpu": "100m", "memory": "256Mi" } } },
            { "name": "proxy", "image": "registry.example.com/mesh/proxy:1.21", "env": environment },
        ], "tolerations": [{ "key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300 }] },
        "status": { "phase": phase, "conditions": conditions, "podIP": format!("10.{}.{}.{}", object % 200, object / 200, version % 250), "containerStatuses": [{ "name": "api", "restartCount": version % 40, "ready": version.is_multiple_of(2) }] },
    });
    let row = Row {
        id: row_of(object),
        resource_version: ResourceVersion::new(&version.to_string()),
        namespace: Some(format!("team-{}", object % 40).into()),
        name: name.as_str().into(),
        created: Some(1_790_000_000),
        cells: vec![
            Cell::text(&name),
            Cell::text(phase),
            Cell::text("1/2"),
            Cell::Int(3),
            Cell::Age(Some(1_790_000_000)),
            Cell::text("10.1.2.3"),
            Cell::text(&format!("node-{}", object % 100)),
        ],
        extra: None,
    };
    Version {
        row: Arc::new(row),
        labels: format!("app\0checkout\0team\0team-{}\0", object % 40).into(),
        body: body.to_string().into(),
        masks: Box::default(),
        rules: 1,
        writers: Vec::new(),
        relisted: false,
        about: None,
    }
}
