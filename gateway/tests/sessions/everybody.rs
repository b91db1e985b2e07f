//! Everybody comes back at once. These clients look at the beginnings of messages alone, for what is
//! measured is the gateway, and there are many of them.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use axum::extract::ws::Message;
use gateway::access::Peer;
use playground::Options;
use serde_json::json;

use crate::over_channels::{Client, Gateway};

/// The next frame of this type. What is long enough to be deflated isn't looked at.
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

/// Whoever comes back to a new gateway costs the API server nothing, but for the first of each resource;
/// and is told how far the next return is to be spread.
///
/// R-NET-6
#[tokio::test]
async fn r_net_6_ten_thousand_that_come_back_at_once_cost_one_list_a_feed_and_are_spread_by_ten_seconds() {
    const VIEWERS: usize = 10_000;
    const RESOURCES: [&str; 2] = ["namespaces", "configmaps"];
    let gateway = Gateway::admitting(VIEWERS, Options::empty()).await;
    let metadata = json!({ "name": "one", "namespace": "default" });
    let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata });
    gateway.playground.create(object).expect("created");
    // However long a busy machine takes for so many, nobody is silent for too long.
    tokio::time::pause();
    let mut clients: Vec<Client> = Vec::with_capacity(VIEWERS);
    // A thousand in each second, as they were told when the former gateway left.
    while clients.len() < VIEWERS {
        let mut second: Vec<Client> = (0..1_000).map(|_| gateway.connect(Peer::SameUser)).collect();
        for (client, resource) in second.iter().zip(RESOURCES.iter().cycle()) {
            let scope = json!({ "resource": { "group": "", "version": "v1", "resource": resource } });
            for frame in [
                json!({ "hello": { "version": "dogwatch.v1" } }),
                json!({ "subscribe": { "id": 1, "scope": scope } }),
            ] {
                client.say(&frame);
            }
        }
        for client in &mut second {
            // It has everything up to there.
            next_of(client, "sync").await;
        }
        clients.append(&mut second);
    }
    for resource in RESOURCES {
        let asked = gateway.playground.requests();
        let path = format!("/api/v1/{resource}?");
        let of_resource = asked.iter().filter(|asked| asked.path_and_query.starts_with(&path));
        // The rest are proofs, of one object at most.
        let lists = of_resource.filter(|asked| !asked.path_and_query.contains("limit=1"));
        assert_eq!(lists.count(), 1, "{resource}");
    }
    // What a later proof brings: all of them are here now.
    while !next_of(&mut clients[0], "sync").await.contains("\"spread_ms\":10000") {}
}
