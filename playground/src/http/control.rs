//! What isn't a resource: health, version, metrics, and as much of OpenAPI as clients insist on.

use std::fmt::Write;

use http::{Method, Response, StatusCode};
use serde_json::{Value, json};

use super::body::{Body, JSON, whole};
use crate::cluster::Cluster;

/// Answers a path of its own; none where it has none.
pub(super) fn answer(cluster: &Cluster, method: &Method, path: &str, accept: &str) -> Option<Response<Body>> {
    let json_of = |value: &Value| whole(StatusCode::OK, JSON, value.to_string());
    Some(match (method, path) {
        (&Method::GET, "/readyz" | "/livez" | "/healthz") => {
            whole(StatusCode::OK, "text/plain; charset=utf-8", "ok")
        }
        (&Method::GET, "/version") => json_of(&version(&cluster.options.git_version)),
        (&Method::GET, "/metrics") => {
            whole(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", metrics(cluster))
        }
        (&Method::GET, "/openapi/v2") if accept.contains("proto-openapi.spec.v2") =>
        // An empty message is a document without a schema.
        {
            whole(StatusCode::OK, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", "")
        }
        (&Method::GET, "/openapi/v2") => json_of(
            &json!({"swagger": "2.0", "info": {"title": "Kubernetes", "version": cluster.options.git_version}, "paths": {}}),
        ),
        (&Method::GET, "/openapi/v3") => json_of(&json!({"paths": {}})),
        _ => return None,
    })
}

fn version(git_version: &str) -> Value {
    let mut parts = git_version.trim_start_matches('v').split('.');
    json!({
        "major": parts.next().unwrap_or_default(), "minor": parts.next().unwrap_or_default(),
        "gitVersion": git_version, "gitCommit": "", "gitTreeState": "clean", "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "none", "compiler": "rustc", "platform": "playground",
    })
}

fn metrics(cluster: &Cluster) -> String {
    let mut text = String::from("# TYPE apiserver_longrunning_requests gauge\n");
    for open in cluster.open_watches().values() {
        // Writing into a String doesn't fail.
        let _ = writeln!(
            text,
            "apiserver_longrunning_requests{{component=\"apiserver\",group=\"{}\",resource=\"{}\",scope=\"cluster\",subresource=\"\",verb=\"WATCH\",version=\"{}\"}} {}",
            open.group, open.plural, open.version, open.count
        );
    }
    let _ = writeln!(
        text,
        "# TYPE playground_objects gauge\nplayground_objects {}",
        cluster.state().store.count_all()
    );
    text
}
