//! What a Kubernetes API server does, statement by statement, asked over plain HTTP. The modules that
//! take an `Api` say nothing about the playground, so that a real server can be asked the same.
//! `faults` and `fleet` are the playground's own.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a test says what it expects by failing")]

mod discovery;
mod faults;
mod fleet;
mod metrics;
mod rights;
mod watches;
mod writes;

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
