//! A cluster that only a test changes, and connections that look on.

use std::collections::BTreeMap;

use futures_util::SinkExt;
use playground::{Options, Playground};
use serde_json::{Value, json};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::gateways::{Socket, next_frame};
use tokio_tungstenite::tungstenite::Message;

use crate::client::Page;
use crate::neighbour;

const OBJECTS: usize = 100;
/// The object of [`Cluster::write_large`].
pub const LARGE: &str = "large";

/// A connection with a subscription.
pub async fn subscribed(gateway: &Dogwatch, page: &Page) -> Socket {
    let mut socket = neighbour(gateway, page).await;
    let resource = json!({ "group": "", "version": "v1", "resource": "configmaps" });
    let frame = json!({ "subscribe": { "id": 1, "scope": { "resource": resource } } });
    socket.send(Message::text(frame.to_string())).await.expect("sent");
    while next_frame(&mut socket).await.expect("it goes on").get("subscribed").is_none() {}
    socket
}

/// A few objects whose number of keys only grows.
pub struct Cluster(Playground);

impl Cluster {
    pub async fn start() -> Self {
        let playground = Playground::start(Options::quiet()).await.expect("a free port");
        for n in 0..OBJECTS {
            let metadata = json!({ "name": name(n), "namespace": "default" });
            let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata });
            playground.create(object).expect("created");
        }
        Self(playground)
    }

    /// On this port, or on a free one if it is 0.
    pub fn serve(&self, home: &Home, port: u16) -> Dogwatch {
        let kubeconfig = home.kubeconfig_of(&self.0).expect("written");
        home.serve_cluster(&kubeconfig, port).expect("it starts")
    }

    pub fn serve_without_record(&self, home: &Home) -> Dogwatch {
        let kubeconfig = home.kubeconfig_of(&self.0).expect("written").display().to_string();
        let flags = ["--listen", "127.0.0.1:0", "--kubeconfig", &kubeconfig, "--history", "none"];
        home.serve(&flags).expect("it starts")
    }

    /// Adds a key to one object after the other, so that no two states are equal.
    pub fn write(&self, steps: std::ops::Range<usize>) {
        for step in steps {
            let patch = json!({ "data": { format!("key-{step}"): "x" } });
            self.0.patch("configmaps", "default", &name(step % OBJECTS), patch).expect("written");
        }
    }

    /// One more object, of many keys.
    pub fn write_large(&self) {
        let data: BTreeMap<String, &str> = (0..2_000).map(|n| (format!("key-{n:04}"), "x")).collect();
        let metadata = json!({ "name": LARGE, "namespace": "default" });
        let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data });
        self.0.create(object).expect("created");
    }

    pub fn change_large(&self) {
        let patch = json!({ "data": { "key-0000": "y" } });
        self.0.patch("configmaps", "default", LARGE, patch).expect("written");
    }

    /// The number of keys that each object has now.
    pub fn now(&self) -> Truth {
        let objects = self.0.list("configmaps");
        let own = objects.iter().filter(|object| object["metadata"]["namespace"] == "default");
        let keys = own.map(|object| {
            let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            (name, object["data"].as_object().map_or(0, serde_json::Map::len))
        });
        Truth(keys.collect())
    }
}

pub struct Truth(BTreeMap<String, usize>);

impl Truth {
    pub fn is_in(&self, rows: &BTreeMap<String, (u64, Value)>) -> bool {
        self.0.iter().all(|(name, keys)| rows.get(name).is_some_and(|(_, cells)| cells["Data"] == *keys))
    }
}

fn name(n: usize) -> String {
    format!("config-{n}")
}
