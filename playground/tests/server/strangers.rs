//! What a page of another site and a rebound name get.

use std::path::PathBuf;

use conformance::Api;
use http::Method;
use playground::{Options, Playground};
use serde_json::json;

use super::cluster;

const FAULTS: &str = "/_playground/faults";
const ACTIONS: &str = "/_playground/actions";
const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn a_page_of_another_site_breaks_nothing_and_reads_nothing() {
    let (cluster, api) = cluster().await;
    let drop = json!({"fault": "drop"}).to_string();
    let foreign = ("origin", "https://evil.example");
    for (headers, code) in [
        // `fetch` without asking first sends text, a form, or a Blob without a type.
        (vec![("content-type", "text/plain")], 415),
        (vec![("content-type", "application/x-www-form-urlencoded")], 415),
        (vec![], 415),
        (vec![JSON, foreign], 403),
        (vec![JSON, ("origin", "null")], 403),
    ] {
        assert_eq!(api.whole(Method::POST, FAULTS, &headers, drop.clone()).await.code, code, "{headers:?}");
    }
    let asks_first = [foreign, ("access-control-request-method", "POST")];
    let answer = api.whole(Method::OPTIONS, FAULTS, &asks_first, "").await;
    assert_eq!((answer.code, answer.headers.get("access-control-allow-origin")), (403, None));
    assert_eq!(api.whole(Method::GET, "/api/v1/secrets", &[foreign], "").await.code, 403);
    assert_eq!(api.get(FAULTS).await.body, json!([]));

    let own = cluster.url();
    assert_eq!(api.whole(Method::POST, FAULTS, &[JSON, ("origin", &own)], drop).await.code, 201);
}

#[tokio::test]
async fn a_name_that_was_bound_to_loopback_reads_nothing() {
    let (cluster, _) = cluster().await;
    let port = cluster.url().rsplit(':').next().unwrap_or_default().to_owned();
    for host in [format!("evil.example:{port}"), format!("127.0.0.1.evil.example:{port}"), String::new()] {
        let answer = Api::new(&cluster.url(), None).of_host(&host).get("/api/v1/secrets").await;
        assert_eq!(answer.code, 403, "{host:?}: {}", answer.text);
    }
}

#[tokio::test]
async fn an_outage_a_clock_step_and_a_body_have_a_largest_size() {
    let (_cluster, api) = cluster().await;
    for (body, code) in [
        (json!({"action": "down", "for_ms": u64::MAX}), 400),
        (json!({"action": "step-clock", "by_ms": i64::MIN}), 400),
        (json!({"action": "compact", "resource": "x".repeat(20_000)}), 413),
        (json!({"action": "step-clock", "by_ms": 1_000}), 200),
    ] {
        let answer = api.post(ACTIONS, &body).await;
        assert_eq!(answer.code, code, "{}", answer.text);
    }
}

/// As the demo does: its kubeconfig holds the token, and plain HTTP is for the admin API.
#[tokio::test]
async fn with_a_token_plain_http_reaches_the_admin_api_and_nothing_of_the_cluster() {
    let options = Options { token: Some("right".to_owned()), tls: true, ..Options::empty() };
    let playground = Playground::start(options).await.expect("a free port");
    let plain = Api::new(&playground.url().replace("https", "http"), None);
    assert_eq!(plain.get("/api/v1/secrets").await.code, 401);
    assert_eq!(plain.with_token(Some("wrong")).get("/api/v1/secrets").await.code, 401);
    assert_eq!(plain.get("/_playground/requests").await.code, 200);
    assert_eq!(plain.post(ACTIONS, &json!({"action": "compact"})).await.code, 200);

    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("certificate.pem");
    std::fs::write(&file, playground.certificate().expect("TLS")).expect("a file");
    let api = Api::trusting(&playground.url(), "right", &file);
    assert_eq!(api.get("/api/v1/secrets").await.code, 200);
}
