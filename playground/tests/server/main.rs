//! What is the playground's own: faults on demand, rights, metrics, and the fleet. What it does as any Kubernetes API
//! server does stands in `tests/conformance`, where a real one is asked the same.

#![expect(clippy::expect_used, reason = "a test says what it expects by failing")]

mod faults;
mod fleet;
mod logs;
mod metrics;
mod recorded;
mod refusals;
mod rights;
mod strangers;

use conformance::Api;
use playground::{Options, Playground};

/// A cluster with nothing in it but one namespace, `case`, for this test alone.
async fn cluster() -> (Playground, Api) {
    let playground = Playground::start(Options::empty()).await.expect("a free port");
    let api = Api::new(&playground.url(), None);
    let case = serde_json::json!({"metadata": {"name": "case"}});
    assert_eq!(api.post("/api/v1/namespaces", &case).await.code, 201);
    (playground, api)
}
