//! One request from its head to its answer: log, credential, faults, and then who is responsible.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, DATE, USER_AGENT};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use serde_json::Value;

use super::body::{Body, JSON, Slow, cut, refusal, whole, with_opaque_revisions};
use super::gate::Gate;
use super::request::{ListOptions, Place, Query, place, verb};
use super::{Server, accept, aggregated, control, discovery, door, identify, list, review, watch, write};
use crate::cluster::{Asked, Cluster};
use crate::failure::Failure;
use crate::faults::{Fault, Target};
use crate::limits::BODY_BYTES_MAX;
use crate::metrics;
use crate::rbac::User;
use crate::resource::Verbs;
use crate::shape::Shape;

pub(super) async fn answer(server: &Server, gate: &Arc<Gate>, request: Request<Incoming>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let mut response = match read_body(&parts, body).await {
        Ok(body) => route(server, gate, &parts, body).await,
        Err(failure) => refusal(&failure),
    };
    let date = crate::clock::http_date_of(server.cluster.now_s());
    if let Ok(date) = HeaderValue::from_str(&date) {
        response.headers_mut().insert(DATE, date);
    }
    response
}

async fn read_body(parts: &Parts, body: Incoming) -> Result<Bytes, Failure> {
    if matches!(parts.method, Method::GET | Method::HEAD) {
        return Ok(Bytes::new());
    }
    match Limited::new(body, BODY_BYTES_MAX).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(_) => Err(Failure::too_large_body(BODY_BYTES_MAX)),
    }
}

fn header<'a>(parts: &'a Parts, name: &http::HeaderName) -> &'a str {
    parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

async fn route(server: &Server, gate: &Arc<Gate>, parts: &Parts, body: Bytes) -> Response<Body> {
    let cluster = &server.cluster;
    let path = parts.uri.path();
    if door::is_door(path) {
        let host = header(parts, &http::header::HOST);
        return door::answer(server, &parts.method, path, host, &body).unwrap_or_else(nothing_here);
    }
    if path == "/metrics" {
        return control::answer(cluster, &parts.method, path, header(parts, &ACCEPT))
            .unwrap_or_else(nothing_here);
    }
    cluster.note_request(Asked {
        method: parts.method.to_string(),
        path_and_query: parts.uri.path_and_query().map_or_else(String::new, ToString::to_string),
        accept: header(parts, &ACCEPT).to_owned(),
        user_agent: header(parts, &USER_AGENT).to_owned(),
    });
    let user = match identify::user(cluster, &parts.headers) {
        Ok(user) => user,
        Err(failure) => return refusal(&failure),
    };
    let query = Query::read(parts.uri.query().unwrap_or_default());
    let found = place(&cluster.state().catalog, path);
    let (verb, resource) = match &found {
        Some(place) => (verb(&parts.method, place, &query), place.kind.qualified()),
        None => ("discovery", String::new()),
    };
    let target = Target { verb, resource: &resource, user: Some(&user.name), watch: None };
    if let Some((id, fault)) = cluster.strike(target, Fault::is_answer)
        && let Some(response) = failed(server, gate, found.as_ref(), target, id, &fault).await
    {
        return response;
    }
    let allowed = match &found {
        Some(place) => identify::authorize(cluster, &user, verb, place, &query),
        None => identify::authorize_path(cluster, &user, parts),
    };
    if let Err(failure) = allowed {
        return refusal(&failure);
    }
    match found {
        Some(place) if place.kind.verbs == Verbs::Create => {
            review_request(cluster, &user, parts, &place, verb, &body)
        }
        Some(place) => {
            let response = resource_request(server, gate, parts, &query, &place, target, body).await;
            match cluster.strike(target, |fault| *fault == Fault::OpaqueRevisions) {
                Some(_) => with_opaque_revisions(response),
                None => response,
            }
        }
        None => control::answer(cluster, &parts.method, path, header(parts, &ACCEPT))
            .or_else(|| discover(server, parts, path))
            .unwrap_or_else(|| nothing_at(server, path)),
    }
}

/// The answer of a fault; none where it has passed and the request goes on.
async fn failed(
    server: &Server,
    gate: &Arc<Gate>,
    place: Option<&Place>,
    target: Target<'_>,
    id: u64,
    fault: &Fault,
) -> Option<Response<Body>> {
    let verb = target.verb;
    let failure = match (fault, place) {
        (Fault::Drop, _) => return Some(cut()),
        // A watch answers its head and is silent then; its own task sees to that.
        (Fault::Stall | Fault::HalfOpen, _) if verb == "watch" => return None,
        (Fault::Stall, _) => {
            stand_still(server, id).await;
            return None;
        }
        (Fault::HalfOpen, _) => {
            gate.freeze();
            stand_still(server, id).await;
            gate.thaw();
            return None;
        }
        (Fault::GoneStatus, _) => Failure::gone(),
        (Fault::TooManyRequests { retry_after_s }, _) => Failure::too_many_requests(*retry_after_s),
        (Fault::Unavailable { retry_after_s }, _) => Failure::unavailable(*retry_after_s),
        (Fault::Unauthorized, _) => Failure::unauthorized(),
        (Fault::Forbidden, Some(place)) => {
            Failure::forbidden(target.user.unwrap_or_default(), &place.ask(verb))
        }
        (Fault::NotFound, _) => return Some(nothing_here()),
        _ => Failure::internal("a fault was asked for"),
    };
    Some(refusal(&failure))
}

async fn stand_still(server: &Server, id: u64) {
    let mut moved = server.cluster.moved();
    while server.cluster.fault_stands(id) {
        tokio::select! {
            _ = moved.changed() => {}
            () = tokio::time::sleep(std::time::Duration::from_millis(50)) => {}
        }
    }
}

/// Below a group of its own the real server answers with a `Status`.
fn nothing_at(server: &Server, path: &str) -> Response<Body> {
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let is_built_in = |group: &str| {
        let state = server.cluster.state();
        state.catalog.all().iter().any(|kind| kind.built_in && kind.group == group)
    };
    match segments.as_slice() {
        ["api", _, ..] => refusal(&Failure::no_such_resource()),
        ["apis", group, _, ..] if is_built_in(group) => refusal(&Failure::no_such_resource()),
        _ => nothing_here(),
    }
}

/// As the real server says it for a path that nobody serves.
fn nothing_here() -> Response<Body> {
    whole(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", "404 page not found\n")
}

fn review_request(
    cluster: &Cluster,
    user: &User,
    parts: &Parts,
    place: &Place,
    verb: &str,
    body: &[u8],
) -> Response<Body> {
    if verb != "create" || !place.name.is_empty() {
        return refusal(&Failure::method_not_allowed());
    }
    review::answer(cluster, user, parts, place, body)
}

async fn resource_request(
    server: &Server,
    gate: &Arc<Gate>,
    parts: &Parts,
    query: &Query,
    place: &Place,
    target: Target<'_>,
    body: Bytes,
) -> Response<Body> {
    let (cluster, verb) = (&server.cluster, target.verb);
    let is_aggregated = place.kind.group == metrics::GROUP;
    let strike = |wanted: fn(&Fault) -> bool| cluster.strike(target, wanted).map(|(_, fault)| fault);
    if !place.kind.verbs.has(verb) {
        // A read that is known as such is refused by the handler, a method by what stands before it.
        return refusal(&match verb {
            "watch" => Failure::verb_not_supported(&place.kind, verb),
            _ => Failure::method_not_allowed(),
        });
    }
    if matches!(place.name.as_str(), "." | "..") {
        let name = &place.name;
        return refusal(&Failure::bad_request(format!(
            "Name parameter invalid: {name:?}: may not be '{name}'"
        )));
    }
    let mut shape = match accept::shape(header(parts, &ACCEPT), query.text("includeObject"), verb) {
        Ok(shape) => shape,
        Err(failure) => return refusal(&failure),
    };
    if matches!(shape, Shape::Table(_)) && strike(|fault| *fault == Fault::NoTable).is_some() {
        shape = Shape::Whole;
    }
    let slow: Option<Slow> = match strike(|fault| matches!(fault, Fault::SlowBytes { .. })) {
        Some(Fault::SlowBytes { chunk_bytes, pause_ms }) => Some(list::slow_of(chunk_bytes, pause_ms)),
        _ => None,
    };
    match verb {
        "list" | "watch" => {
            let refused = strike(|fault| *fault == Fault::WatchListRefused).is_some();
            let can_watch_list = cluster.options.watch_list && !refused;
            let mut options = match ListOptions::read(query, &place.kind, can_watch_list) {
                Ok(options) => options,
                Err(failure) => return refusal(&failure),
            };
            if verb == "list" && is_aggregated {
                return aggregated::list(cluster, place, &options, shape);
            }
            if verb == "list" {
                return list::list(server, place, &options, shape, slow).await;
            }
            // A server before 1.27 doesn't know the parameter: no end mark, not even an error.
            if options.send_initial_events.is_some()
                && strike(|fault| *fault == Fault::WatchListIgnored).is_some()
            {
                options.send_initial_events = None;
                options.ignores_end_mark = true;
            }
            watch::watch(server, gate, place, options, shape, slow)
        }
        "get" if is_aggregated => aggregated::get(cluster, place, shape),
        // Its object is another one, read and written in one place.
        "get" if place.subresource == "scale" => {
            write::write(cluster, parts, query, place, verb, &body, shape)
        }
        "get" => list::get(cluster, place, query, shape).await,
        _ => write::write(cluster, parts, query, place, verb, &body, shape),
    }
}

fn discover(server: &Server, parts: &Parts, path: &str) -> Option<Response<Body>> {
    let cluster = &server.cluster;
    let state = cluster.state();
    let catalog = &state.catalog;
    let path = path.trim_end_matches('/');
    let aggregated = cluster.options.aggregated_discovery && accept::wants_aggregated(header(parts, &ACCEPT));
    if aggregated && parts.method == Method::GET && matches!(path, "/api" | "/apis") {
        let found = discovery::aggregated(catalog, path == "/api");
        return Some(whole(StatusCode::OK, discovery::AGGREGATED, found.to_string()));
    }
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let found: Option<Value> = match segments.as_slice() {
        ["api"] => Some(discovery::api_versions(header(parts, &http::header::HOST))),
        ["apis"] => Some(discovery::group_list(catalog)),
        ["api", version] => discovery::resource_list(catalog, "", version),
        ["apis", group] => discovery::group(catalog, group),
        ["apis", group, version] => discovery::resource_list(catalog, group, version),
        _ => None,
    };
    if found.is_some() && parts.method != Method::GET {
        return Some(refusal(&Failure::method_not_allowed()));
    }
    found.map(|found| whole(StatusCode::OK, JSON, found.to_string()))
}
