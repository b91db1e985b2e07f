//! What isn't Kubernetes' API: health, version, metrics, and the playground's own door for faults.

use std::fmt::Write;
use std::time::Duration;

use http::{Method, Response, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::body::{Body, JSON, whole};
use crate::cluster::Cluster;
use crate::faults::Rule;

/// Answers a path of its own; none where it has none.
pub(super) fn answer(
    cluster: &Cluster,
    method: &Method,
    path: &str,
    accept: &str,
    body: &[u8],
) -> Option<Response<Body>> {
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
        (&Method::GET, "/_playground/requests") => json_of(&json!(cluster.requests())),
        (&Method::GET, "/_playground/faults") => {
            let rules: Vec<Value> =
                cluster.fault_rules().into_iter().map(|(id, rule)| json!({"id": id, "rule": rule})).collect();
            json_of(&json!(rules))
        }
        (&Method::POST, "/_playground/faults") => add_fault(cluster, body),
        (&Method::DELETE, "/_playground/faults") => {
            cluster.clear_faults();
            json_of(&json!({}))
        }
        (&Method::POST, "/_playground/actions") => act(cluster, body),
        _ => return None,
    })
}

fn refused(why: &str) -> Response<Body> {
    whole(StatusCode::BAD_REQUEST, JSON, json!({"error": why}).to_string())
}

fn add_fault(cluster: &Cluster, body: &[u8]) -> Response<Body> {
    let rule: Rule = match serde_json::from_slice(body) {
        Ok(rule) => rule,
        Err(why) => return refused(&format!("this is no fault rule: {why}")),
    };
    match cluster.add_fault(rule) {
        Some(id) => whole(StatusCode::CREATED, JSON, json!({"id": id}).to_string()),
        None => refused("too many fault rules stand; DELETE /_playground/faults clears them"),
    }
}

/// What happens once, rather than standing as a rule.
#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
enum Action {
    /// Forget the history: older resourceVersions get 410.
    Compact { resource: Option<String> },
    /// Go back to the state of so many changes ago, as from a backup; what is no longer known stays.
    Restore { changes: u64 },
    /// Set the cluster's clock forward or back.
    StepClock { by_ms: i64 },
    /// Be gone, as a killed server, and come back with the same objects and no history.
    Down { for_ms: u64 },
}

fn act(cluster: &Cluster, body: &[u8]) -> Response<Body> {
    let action: Action = match serde_json::from_slice(body) {
        Ok(action) => action,
        Err(why) => return refused(&format!("this is no action: {why}")),
    };
    match action {
        Action::Compact { resource } => {
            let mut state = cluster.state();
            let at = match resource {
                None => None,
                Some(name) => match state.catalog.by_name(&name) {
                    Some(kind) => Some(kind.group_resource()),
                    None => return refused(&format!("there is no resource {name}")),
                },
            };
            state.store.compact(at.as_ref());
        }
        Action::Restore { changes } => {
            let now = cluster.state().store.revision();
            cluster.restore(now.saturating_sub(changes));
        }
        Action::Down { for_ms } => cluster.go_down(Duration::from_millis(for_ms)),
        Action::StepClock { by_ms } => cluster.step_clock(by_ms),
    }
    cluster.notify();
    whole(StatusCode::OK, JSON, "{}")
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
