//! R-NET-3: feeds cost the API server a watch each and the gateway a copy of the objects, so there are only so
//! many. The one too many is told, and those that run go on.

use std::time::{Duration, Instant};

use serde_json::json;
use testkit::gateways::{Socket, next_frame, send};
use testkit::ports::free_address;
use testkit::process::resident_mib;
use tokio::time::timeout;

use crate::many::counted;
use crate::{expect_alive, neighbour, served};

const SUBSCRIPTIONS: usize = 256;
const FEEDS_PER_IDENTITY: u64 = 128;
const STARTS_PER_S: f64 = 10.0;
const PATIENCE: Duration = Duration::from_secs(10);

#[tokio::test]
async fn r_net_3_reconnecting_with_other_field_selectors_starts_no_more_feeds_than_a_person_may_have() {
    const CONNECTIONS: usize = 4;
    const MIB_MAX: f64 = 100.0;
    let metrics = free_address();
    // The feeds that a record keeps aren't a person's.
    let (gateway, page) = served(&["--metrics-listen", &metrics.to_string(), "--history", "none"]).await;
    let mut other = neighbour(&gateway, &page).await;
    subscribe(&mut other, 1, "nodes", None).await;
    while next_frame(&mut other).await.expect("it goes on").get("subscribed").is_none() {}
    let (before, started) = (resident_mib(gateway.pid()).expect("it runs"), Instant::now());
    let mut refused: u32 = 0;
    for connection in 0..CONNECTIONS {
        let mut socket = neighbour(&gateway, &page).await;
        for n in 0..SUBSCRIPTIONS {
            let fields = format!("status.phase!=none-{connection}-{n}");
            subscribe(&mut socket, n, "namespaces", Some(&fields)).await;
        }
        // Each is answered, by its view or by its refusal.
        let mut answered = 0;
        while answered < SUBSCRIPTIONS {
            let frame = next_frame(&mut socket).await.expect("it goes on");
            if let Some(problem) = frame.get("problem") {
                assert_eq!(problem["reason"], "Limit", "{problem}");
                refused += 1;
            }
            answered += usize::from(frame.get("problem").or(frame.get("subscribed")).is_some());
        }
        // Those that made room end a moment after they were told to.
        let few = async { while counted(metrics, "dogwatch_feeds").await > FEEDS_PER_IDENTITY {} };
        timeout(PATIENCE, few).await.unwrap_or_else(|_| panic!("too many feeds after {connection}"));
        expect_alive(&mut other).await;
        socket.close(None).await.expect("closed");
    }
    let watches = counted(metrics, "dogwatch_upstream_watches_total").await as f64;
    // Those of the discovery are beside the feeds'.
    let allowed = FEEDS_PER_IDENTITY as f64 + STARTS_PER_S * started.elapsed().as_secs_f64() + 8.0;
    assert!(watches <= allowed, "{watches} watches of {allowed}");
    let asked = (CONNECTIONS * SUBSCRIPTIONS) as f64;
    assert!(f64::from(refused) >= asked - allowed, "{refused} of {asked} refused");
    let grown = resident_mib(gateway.pid()).expect("it runs") - before;
    assert!(grown < MIB_MAX, "{grown} MiB more");
}

async fn subscribe(socket: &mut Socket, id: usize, resource: &str, fields: Option<&str>) {
    let resource = json!({ "group": "", "version": "v1", "resource": resource });
    let mut scope = json!({ "resource": resource });
    if let Some(fields) = fields {
        scope["fields"] = json!(fields);
    }
    send(socket, json!({ "subscribe": { "id": id, "scope": scope } })).await;
}
