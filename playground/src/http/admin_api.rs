//! The playground's own API, `/_playground`: faults that stand, actions that happen once, the log of
//! requests, and a page that explains it. It asks for no credential, because it is there to break
//! things; `guard.rs` keeps web pages out.

use std::sync::Arc;
use std::time::Duration;

use http::{Method, Response, StatusCode};
use serde::Deserialize;
use serde_json::json;

use super::Server;
use super::body::{Body, JSON, PLAIN_TEXT, json, whole};
use crate::cluster::Cluster;
use crate::faults::Rule;
use crate::limits::{CLOCK_STEP_MS_MAX, OUTAGE_MS_MAX, STEP_CHANGES_MAX};

/// Every fault and every action, with a command to try it.
const HELP: &str = include_str!("help.txt");

/// Something that happens once, unlike a rule, which stands.
#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
enum Action {
    /// The fleet makes its next changes now.
    Step { changes: usize },
    /// Cut the watches that are open now: all, or one resource's.
    CutWatches { resource: Option<String> },
    /// Forget the history: older resourceVersions get 410.
    Compact { resource: Option<String> },
    /// Go back to the state of so many changes ago, as from a backup, as far as the history reaches.
    Restore { changes: u64 },
    /// Set the cluster's clock forward or back.
    StepClock { by_ms: i64 },
    /// Be gone, as a killed server, and come back with the same objects and no history.
    Down { for_ms: u64 },
}

pub(super) fn is_path(path: &str) -> bool {
    path == "/_playground" || path.starts_with("/_playground/")
}

/// Answers; none if the path has no answer.
pub(super) fn answer(
    server: &Arc<Server>,
    method: &Method,
    path: &str,
    host: &str,
    body: &[u8],
) -> Option<Response<Body>> {
    let cluster = &server.cluster;
    let below = path.strip_prefix("/_playground").unwrap_or_default().trim_matches('/');
    let found = match (method, below) {
        (&Method::GET, "") => {
            return Some(whole(StatusCode::OK, PLAIN_TEXT, HELP.replace("URL", &format!("http://{host}"))));
        }
        (&Method::POST, "faults") => return Some(add_fault(cluster, body)),
        (&Method::POST, "actions") => return Some(act(server, body)),
        (&Method::GET, "requests") => json!(cluster.requests()),
        (&Method::GET, "faults") => {
            let rules = cluster.faults().rules();
            rules.into_iter().map(|(id, rule)| json!({"id": id, "rule": rule})).collect()
        }
        (&Method::DELETE, "faults") => {
            cluster.clear_faults();
            json!({})
        }
        (&Method::DELETE, one) => {
            cluster.remove_fault(one.strip_prefix("faults/")?.parse().ok()?);
            json!({})
        }
        _ => return None,
    };
    Some(json(JSON, &found))
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

fn act(server: &Arc<Server>, body: &[u8]) -> Response<Body> {
    let cluster = &server.cluster;
    let action: Action = match serde_json::from_slice(body) {
        Ok(action) => action,
        Err(why) => return refused(&format!("this is no action: {why}")),
    };
    match action {
        Action::Step { changes } => server.step_fleet(changes.min(STEP_CHANGES_MAX)),
        Action::CutWatches { resource } => match resource {
            Some(name) if cluster.state().catalog.by_name(&name).is_none() => return unknown(&name),
            resource => cluster.cut_watches(resource.as_deref()),
        },
        Action::Compact { resource } => {
            let mut state = cluster.state();
            let at = match resource {
                None => None,
                Some(name) => match state.catalog.by_name(&name) {
                    Some(kind) => Some(kind.group_resource()),
                    None => return unknown(&name),
                },
            };
            state.store.compact(at.as_ref());
        }
        Action::Restore { changes } => {
            let now = cluster.state().store.revision();
            cluster.restore(now.saturating_sub(changes));
        }
        Action::Down { for_ms } if for_ms > OUTAGE_MS_MAX => {
            return refused(&too_long("for_ms", OUTAGE_MS_MAX));
        }
        Action::Down { for_ms } => server.go_down(Duration::from_millis(for_ms)),
        Action::StepClock { by_ms } if by_ms.unsigned_abs() > CLOCK_STEP_MS_MAX => {
            return refused(&too_long("by_ms", CLOCK_STEP_MS_MAX));
        }
        Action::StepClock { by_ms } => cluster.step_clock(by_ms),
    }
    cluster.notify();
    whole(StatusCode::OK, JSON, "{}")
}

fn too_long(field: &str, max_ms: u64) -> String {
    format!("{field} is at most {max_ms}")
}

fn unknown(resource: &str) -> Response<Body> {
    refused(&format!("the server doesn't have a resource type {resource:?}"))
}
