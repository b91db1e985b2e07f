//! Spans of requests that ask to be traced, as a collector gets them: what they are, what they belong to, and what they
//! never hold.

use opentelemetry_proto::tonic::trace::v1::Span;
use rustix::process::Signal;
use serde_json::json;
use testkit::collector::Collector;
use testkit::dogwatch::Home;
use testkit::stream::Stream;
use testkit::teams::{self, Subject};
use tokio::net::TcpStream;

use crate::client::say;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_asks_for_it_is_traced_down_to_the_api_server_and_no_span_holds_a_name_or_a_credential()
 {
    let mut collector = Collector::start().await.expect("a port");
    let playground = teams::playground(&[("canary-user", &[])], &["canary-team"]).await.expect("it starts");
    teams::allow(&playground, "canary-team", Subject::User("canary-user")).expect("a binding");
    let metadata = json!({ "name": "canary-name", "namespace": "canary-team" });
    let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata,
        "data": { "a": "canary-value" } });
    playground.create(object).expect("created");
    let home = Home::new().expect("a folder");
    let kubeconfig = home.kubeconfig_of(&playground).expect("written");
    let kubeconfig = kubeconfig.to_str().expect("text");
    let flags = ["--auth=bearer", "--listen=127.0.0.1:0", "--kubeconfig", kubeconfig];
    // By the variable that every program of OpenTelemetry knows.
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint())];
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
    let mut gateway = home.serve_with(&flags, &variables).expect("it starts");

    let sampled = format!("traceparent: 00-{TRACE}-{CALLER}-01");
    for unsampled in ["x: y".to_owned(), sampled.replace("-01", "-00"), sampled.replace("00-", "ff-")] {
        assert_eq!(say(&gateway, &["GET /v/pods/canary-team HTTP/1.1", &unsampled], "").await.0, 200);
    }
    let (bearer, parent) = ("Bearer token-of-canary-user", sampled.replace("traceparent: ", ""));
    let headers = [("authorization", bearer), ("traceparent", parent.as_str())];
    let query = "resource=configmaps&namespaces=canary-team&projection=object";
    let tcp = TcpStream::connect(gateway.address()).await.expect("connected");
    let mut stream = Stream::open(tcp, &gateway.address(), query, &headers).await.expect("opened");
    stream.until_sync().await.expect("whole");
    assert!(stream.objects.contains_key("canary-team/canary-name"));
    drop(stream);

    let named = |spans: &[Span], name: &str| spans.iter().find(|span| span.name == name).cloned();
    let wanted = ["GET /api/v1/stream", "session", "first rows", "API server: review"];
    let spans = collector.until(|spans| wanted.iter().all(|name| named(spans, name).is_some())).await;
    let spans = spans.expect("each is right");
    let [request, session, rows, review] = wanted.map(|name| named(&spans, name).expect("it came"));
    assert_eq!((hex(&request.parent_span_id).as_str(), request.kind), (CALLER, 2));
    assert_eq!(session.parent_span_id, request.span_id);
    assert_eq!(rows.parent_span_id, session.span_id);
    assert_eq!((text(&rows, "dogwatch.resource").as_str(), review.kind), ("configmaps", 3));
    assert_eq!(text(&request, "http.route"), "/api/v1/stream");
    let is_known = |span: &Span| spans.iter().any(|it| it.span_id == span.parent_span_id);
    assert!(is_known(&review), "{review:?}");
    let passed_on = |path: &str| {
        let asked = playground.requests().into_iter().filter(|it| it.path_and_query.contains(path));
        asked.filter(|it| it.headers.iter().any(|name| name == "traceparent")).count()
    };
    assert!(passed_on("subjectaccessreviews") + passed_on("tokenreviews") > 0, "the API server may join");
    // A feed serves every viewer, so its requests belong to no viewer's trace.
    assert_eq!(passed_on("configmaps"), 0);

    gateway.signal(Signal::TERM).expect("it runs");
    gateway.wait().expect("it ends");
    for span in collector.spans().expect("each is right") {
        assert_eq!(hex(&span.trace_id), TRACE, "{span:?}");
        assert!(!span.name.contains("/v") || span.name.contains("/api/"), "it wasn't asked for: {span:?}");
        assert!(span.start_time_unix_nano <= span.end_time_unix_nano && span.span_id.len() == 8, "{span:?}");
    }
    let bytes = collector.bytes();
    for canary in ["canary", "token-of"] {
        assert!(!bytes.windows(canary.len()).any(|window| window == canary.as_bytes()), "{canary}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_is_away_costs_its_spans_and_nothing_else() {
    let endpoint = format!("http://{}", testkit::ports::free_address());
    let metrics = testkit::metrics::Metrics::at_free_port();
    let flags = [&crate::DEMO[..], &["--otlp-endpoint", &endpoint, "--metrics-listen", &metrics.address()]];
    let mut gateway = Home::new().expect("a folder").serve(&flags.concat()).expect("it starts");
    let sampled = format!("traceparent: 00-{TRACE}-{CALLER}-01");
    let mut asked = 0;
    while metrics.count("dogwatch_spans_lost_total").expect("counted") == 0 || asked < 3_000 {
        assert_eq!(say(&gateway, &["GET /healthz HTTP/1.1", &sampled], "").await.0, 200);
        asked += 1;
    }
    gateway.signal(Signal::TERM).expect("it runs");
    let (status, log) = gateway.wait().expect("it ends");
    assert!(status.success(), "{status}");
    assert_eq!(log.matches("spans can't be sent").count(), 1, "said once: {log}");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An attribute of a span.
fn text(span: &Span, key: &str) -> String {
    let found = span.attributes.iter().find(|attribute| attribute.key == key);
    found
        .map(|attribute| format!("{:?}", attribute.value))
        .map_or(String::new(), |debug| debug.split('"').nth(1).unwrap_or_default().to_owned())
}
