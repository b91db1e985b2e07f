//! Paths that aren't resources: health, version, metrics, and as much of OpenAPI as clients insist on.

use std::fmt::Write;

use http::header::ACCEPT;
use http::request::Parts;
use http::{Method, Response, StatusCode};
use serde_json::{Value, json};

use super::body::{Body, JSON, PLAIN_TEXT, json, whole};
use super::request::header;
use crate::cluster::Cluster;

const OPENAPI_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// Answers a path of its own; none if the path isn't one.
pub(super) fn answer(cluster: &Cluster, parts: &Parts) -> Option<Response<Body>> {
    if parts.method != Method::GET {
        return None;
    }
    let version = &cluster.options.git_version;
    Some(match parts.uri.path() {
        "/readyz" | "/livez" | "/healthz" => whole(StatusCode::OK, PLAIN_TEXT, "ok"),
        "/version" => json(JSON, &version_info(version)),
        "/metrics" => whole(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", metrics(cluster)),
        // An empty message is a document without a schema.
        "/openapi/v2" if header(parts, &ACCEPT).contains("proto-openapi.spec.v2") => {
            whole(StatusCode::OK, OPENAPI_PROTOBUF, "")
        }
        "/openapi/v2" => json(
            JSON,
            &json!({"swagger": "2.0", "info": {"title": "Kubernetes", "version": version}, "paths": {}}),
        ),
        "/openapi/v3" => json(JSON, &json!({"paths": {}})),
        _ => return None,
    })
}

fn version_info(git_version: &str) -> Value {
    let mut parts = git_version.trim_start_matches('v').split('.');
    json!({
        "major": parts.next().unwrap_or_default(), "minor": parts.next().unwrap_or_default(),
        "gitVersion": git_version, "gitCommit": "", "gitTreeState": "clean", "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "none", "compiler": "rustc", "platform": "playground",
    })
}

fn metrics(cluster: &Cluster) -> String {
    let mut text = String::from("# TYPE apiserver_longrunning_requests gauge\n");
    for (kind, count) in cluster.open_watches().values() {
        // Writing into a String doesn't fail.
        let _ = writeln!(
            text,
            "apiserver_longrunning_requests{{component=\"apiserver\",group=\"{}\",resource=\"{}\",scope=\"cluster\",subresource=\"\",verb=\"WATCH\",version=\"{}\"}} {}",
            kind.group, kind.plural, kind.version, count
        );
    }
    let (objects, history) = {
        let store = &cluster.state().store;
        (store.count_all(), store.history_bytes())
    };
    for (name, value) in [("playground_objects", objects), ("playground_history_bytes", history)] {
        let _ = writeln!(text, "# TYPE {name} gauge\n{name} {value}");
    }
    text
}
