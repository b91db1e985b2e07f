//! A gateway that is stopped, or told to end while much goes on: whoever watches is told, nothing that
//! was written meanwhile is lost, and nothing goes back.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use futures_util::SinkExt;
use playground::{Options, Playground};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::neighbour;
use crate::process::client::{Socket, login, text};
use crate::process::tail::Tail;
use crate::process::{Home, Served};

const OBJECTS: usize = 20;

/// R-REL-4
#[tokio::test(flavor = "multi_thread")]
async fn r_rel_4_a_gateway_that_was_stopped_is_said_to_be_stale_and_nothing_goes_back_when_it_goes_on() {
    let (home, cluster) = (Home::new(), Cluster::start().await);
    let mut gateway = cluster.serve(&home, "127.0.0.1:0");
    let mut tail = Tail::of(&home, &["configmaps"]);
    cluster.write(0..100);
    tail.until(|tail| tail.is_live() && cluster.is_in(&tail.rows));
    gateway.signal(Signal::STOP);
    cluster.write(100..200);
    tail.until(|tail| !tail.is_live());
    assert!(tail.said.contains("Stale") || tail.said.contains("gateway"), "{}", tail.said);
    gateway.signal(Signal::CONT);
    // `Tail` holds that no object's resourceVersion goes back.
    tail.until(|tail| tail.is_live() && cluster.is_in(&tail.rows));
}

/// R-REL-7
#[tokio::test(flavor = "multi_thread")]
async fn r_rel_7_a_gateway_that_ends_under_load_says_when_to_come_back_and_loses_nothing() {
    let (home, cluster) = (Home::new(), Cluster::start().await);
    let mut gateway = cluster.serve(&home, "127.0.0.1:0");
    let address = gateway.address();
    let mut tails: Vec<Tail> = (0..3).map(|_| Tail::of(&home, &["configmaps"])).collect();
    for tail in &mut tails {
        tail.until(Tail::is_live);
    }
    let (_, secret) = login(&gateway, gateway.code()).await;
    let secret = secret.expect("a secret");
    let mut readers = Vec::new();
    for _ in 0..10 {
        readers.push(subscribed(&gateway, &secret).await);
    }
    let never_reads = subscribed(&gateway, &secret).await;
    cluster.write(0..500);
    gateway.signal(Signal::TERM);
    let asked = Instant::now();
    cluster.write(500..1_000);
    for reader in &mut readers {
        let mut spread_ms = None;
        let code = loop {
            match text(reader).await {
                Ok(frame) => spread_ms = frame["goaway"]["spread_ms"].as_u64().or(spread_ms),
                Err(code) => break code,
            }
        };
        assert_eq!((spread_ms, code), (Some(500), 1012));
    }
    assert_eq!(gateway.exit_code(), Some(0));
    assert!(asked.elapsed() <= Duration::from_secs(25), "{:?}", asked.elapsed());
    drop((gateway, never_reads));
    let _again = cluster.serve(&home, &address);
    cluster.write(1_000..1_500);
    for tail in &mut tails {
        tail.until(|tail| cluster.is_in(&tail.rows));
    }
}

/// A connection that asked for what changes.
async fn subscribed(gateway: &Served, secret: &str) -> Socket {
    let mut socket = neighbour(gateway, secret).await;
    let resource = json!({ "group": "", "version": "v1", "resource": "configmaps" });
    let frame = json!({ "subscribe": { "id": 1, "scope": { "resource": resource } } });
    socket.send(Message::text(frame.to_string())).await.expect("sent");
    while text(&mut socket).await.expect("it goes on").get("subscribed").is_none() {}
    socket
}

/// A few objects, each with a number that only grows.
struct Cluster(Playground);

impl Cluster {
    async fn start() -> Self {
        let playground = Playground::start(Options::quiet()).await.expect("a free port");
        for n in 0..OBJECTS {
            let metadata = json!({ "name": name(n), "namespace": "default" });
            let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata });
            playground.create(object).expect("created");
        }
        Self(playground)
    }

    fn serve(&self, home: &Home, listen: &str) -> Served {
        let path = home.path().join("kubeconfig");
        self.0.write_kubeconfig(&path).expect("written");
        home.serve(&["--kubeconfig", path.to_str().expect("text"), "--listen", listen])
    }

    /// One key more for one object after the other.
    fn write(&self, steps: std::ops::Range<usize>) {
        for step in steps {
            let patch = json!({ "data": { format!("key-{step}"): "x" } });
            self.0.patch("configmaps", "default", &name(step % OBJECTS), patch).expect("written");
        }
    }

    /// Whether each row is the object as it is now: its version and the number of its keys.
    fn is_in(&self, rows: &BTreeMap<String, (u64, Value)>) -> bool {
        self.0.list("configmaps").iter().filter(|object| object["metadata"]["namespace"] == "default").all(
            |object| {
                let name = object["metadata"]["name"].as_str().unwrap_or_default();
                let version = object["metadata"]["resourceVersion"].as_str().unwrap_or_default();
                let keys = object["data"].as_object().map_or(0, serde_json::Map::len);
                rows.get(name).is_some_and(|(held, cells)| {
                    held.to_string() == version && cells["Data"].to_string().contains(&keys.to_string())
                })
            },
        )
    }
}

fn name(n: usize) -> String {
    format!("config-{n}")
}
