//! All viewers reconnect at once. The clients read only the first bytes of each message: there are 10,000 of
//! them, and the gateway is measured.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use axum::extract::ws::Message;
use gateway::access::Caller;
use gateway::session::Limits;
use playground::Options;
use serde_json::json;

use crate::over_channels::{Client, Gateway};

/// The next text frame of this type; skips deflated frames.
async fn next_of(client: &mut Client, kind: &str) -> String {
    let beginning = format!("{{\"{kind}\":");
    loop {
        match client.from.recv().await.expect("the session lives") {
            Message::Text(text) if text.starts_with(&beginning) => return text.as_str().to_owned(),
            Message::Text(_) | Message::Binary(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// R-NET-6: of the viewers that reconnect to a new gateway, only the first of each resource costs the API
/// server a list. The gateway tells each the time over which to spread the next reconnect.
#[tokio::test]
async fn r_net_6_ten_thousand_that_come_back_at_once_cost_one_list_a_feed_and_are_spread_by_ten_seconds() {
    const VIEWERS: usize = 10_000;
    const RESOURCES: [&str; 2] = ["namespaces", "configmaps"];
    let limits = Limits { connections_per_identity: VIEWERS, ..Limits::default() };
    let gateway = Gateway::admitting(limits, Options::empty()).await;
    let metadata = json!({ "name": "one", "namespace": "default" });
    let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata });
    gateway.playground.create(object).expect("created");
    // A busy machine may take long; no timeout may end a session meanwhile.
    tokio::time::pause();
    let mut clients: Vec<Client> = Vec::with_capacity(VIEWERS);
    // A thousand in each second, as the former gateway told them when it left.
    while clients.len() < VIEWERS {
        let mut second: Vec<Client> = (0..1_000).map(|_| gateway.connect(Caller::SameUser)).collect();
        for (client, resource) in second.iter().zip(RESOURCES.iter().cycle()) {
            let scope = json!({ "resource": { "group": "", "version": "v1", "resource": resource } });
            for frame in [
                json!({ "hello": { "version": "dogwatch.v2" } }),
                json!({ "subscribe": { "id": 1, "scope": scope } }),
            ] {
                client.say(&frame);
            }
        }
        for client in &mut second {
            // At its `sync` the client has every row.
            next_of(client, "sync").await;
        }
        clients.append(&mut second);
    }
    for resource in RESOURCES {
        let asked = gateway.playground.requests();
        let path = format!("/api/v1/{resource}?");
        let of_resource = asked.iter().filter(|asked| asked.path_and_query.starts_with(&path));
        // The other requests are proofs of freshness, with `limit=1`.
        let lists = of_resource.filter(|asked| !asked.path_and_query.contains("limit=1"));
        assert_eq!(lists.count(), 1, "{resource}");
    }
    // A later `sync` has the spread of 10,000 connections.
    while !next_of(&mut clients[0], "sync").await.contains("\"spread_ms\":10000") {}
}
