//! Many clients at once.

use conformance::{Api, Events};
use playground::{Options, Playground, limits};
use serde_json::json;

#[tokio::test]
async fn a_thousand_watches_at_once_all_hear_of_a_change() {
    const WATCHES: usize = 1_000;
    const { assert!(WATCHES < limits::CONNECTIONS_MAX) };
    let cluster = Playground::start(Options::empty()).await.expect("a free port");
    let api = Api::new(&cluster.url(), None);
    let path = format!("/api/v1/configmaps?watch=1&resourceVersion={}", cluster.revision());
    let mut watches: Vec<Events> = Vec::new();
    for _ in 0..WATCHES {
        watches.push(api.watch(&path).await);
    }
    cluster.wait_for_watches("configmaps", WATCHES).await;
    let value = json!({"metadata": {"name": "news"}});
    assert_eq!(api.post("/api/v1/namespaces/default/configmaps", &value).await.code, 201);
    for events in &mut watches {
        assert_eq!(events.line().await, "ADDED news");
    }
    drop(watches);
    cluster.wait_for_watches("configmaps", 0).await;
    assert_eq!(api.get("/api/v1/namespaces/default/configmaps").await.names(), ["news"]);
}
