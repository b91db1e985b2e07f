//! One request from its head to its answer: log, credential, faults, rights, and then the module that
//! is responsible for its path and verb.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, DATE, HOST, HeaderName, USER_AGENT};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;

use super::body::{Answer, Body, cut, json, not_found, refusal, slowed, with_opaque_revisions};
use super::connection::Connection;
use super::request::{ApiRequest, RequestInfo, header, list_options};
use super::watch::EndMark;
use super::{
    Server, admin_api, aggregated, control, discovery, guard, identify, list, log, review, watch, write,
};
use crate::cluster::LoggedRequest;
use crate::faults::{Fault, Target};
use crate::limits::{ADMIN_BODY_BYTES_MAX, BODY_BYTES_MAX, FAULT_POLL};
use crate::metrics;
use crate::resource::Verbs;
use kubernetes_api::{Failure, Query, Representation, representation, wants_aggregated};

pub(super) async fn answer(
    server: &Arc<Server>,
    connection: &Arc<Connection>,
    request: Request<Incoming>,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let answered = async {
        guard::check(&parts.headers)?;
        let body = read_body(&parts, body).await?;
        route(server, connection, &parts, body).await
    };
    let mut response = answered.await.unwrap_or_else(|failure| refusal(&failure));
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
    let is_admin = admin_api::is_path(parts.uri.path());
    let bytes_max = if is_admin { ADMIN_BODY_BYTES_MAX } else { BODY_BYTES_MAX };
    let read = Limited::new(body, bytes_max).collect().await;
    read.map(|collected| collected.to_bytes()).map_err(|_| Failure::too_large_body(bytes_max))
}

async fn route(server: &Arc<Server>, connection: &Arc<Connection>, parts: &Parts, body: Bytes) -> Answer {
    let cluster = &server.cluster;
    let path = parts.uri.path();
    let text = |name: HeaderName| header(parts, &name);
    if admin_api::is_path(path) {
        guard::check_admin_body(parts)?;
        return Ok(
            admin_api::answer(server, &parts.method, path, text(HOST), &body).unwrap_or_else(not_found)
        );
    }
    if path == "/metrics" {
        return Ok(control::answer(cluster, parts).unwrap_or_else(not_found));
    }
    cluster.log_request(LoggedRequest {
        method: parts.method.to_string(),
        path_and_query: parts.uri.path_and_query().map_or_else(String::new, ToString::to_string),
        accept: text(ACCEPT).to_owned(),
        user_agent: text(USER_AGENT).to_owned(),
        headers: parts.headers.keys().map(ToString::to_string).collect(),
        impersonates: text(HeaderName::from_static(identify::IMPERSONATE_USER)).to_owned(),
        token_of: identify::token(&parts.headers)
            .and_then(|token| cluster.user_of(token))
            .map_or_else(String::new, |user| user.name),
    });
    let user = identify::user(cluster, &parts.headers)?;
    let query = Query::read(parts.uri.query().unwrap_or_default());
    let found = RequestInfo::read(&cluster.state().catalog, path);
    let Some(info) = found else {
        let target = Target { verb: "discovery", resource: "", user: Some(&user.name), watch: None };
        if let Some(response) = stopped(server, connection, None, target).await? {
            return Ok(response);
        }
        identify::authorize_path(cluster, &user, parts)?;
        let found = control::answer(cluster, parts).map(Ok).or_else(|| discover(server, parts));
        return found.unwrap_or_else(|| nothing_at(server, path));
    };
    let verb = info.verb(&parts.method, &query);
    let resource = if info.is_log() { log::RESOURCE.to_owned() } else { info.kind.qualified() };
    let request = ApiRequest { server, connection, parts, body, query, info, verb, resource, user };
    if let Some(response) = stopped(server, connection, Some(&request.info), request.target()).await? {
        return Ok(response);
    }
    identify::authorize(&request)?;
    if request.info.kind.verbs == Verbs::Create {
        let is_review = request.verb == "create" && request.info.name.is_empty();
        return if is_review { review::answer(&request) } else { Err(Failure::method_not_allowed()) };
    }
    // A refusal names no resourceVersion that a client could send back.
    let mut response = resource_request(&request).await?;
    if request.strike(|fault| *fault == Fault::OpaqueRevisions).is_some() {
        response = with_opaque_revisions(response);
    }
    if (matches!(request.verb, "list" | "watch") || request.info.is_log())
        && let Some(Fault::SlowBytes { chunk_bytes, pause_ms }) =
            request.strike(|fault| matches!(fault, Fault::SlowBytes { .. }))
    {
        response = slowed(response, chunk_bytes, Duration::from_millis(pause_ms));
    }
    Ok(response)
}

/// The answer of a fault that stands; none if there is no fault, or it has passed.
async fn stopped(
    server: &Server,
    connection: &Connection,
    info: Option<&RequestInfo>,
    target: Target<'_>,
) -> Result<Option<Response<Body>>, Failure> {
    let Some((id, fault)) = server.cluster.strike(target, Fault::is_answer) else {
        return Ok(None);
    };
    let verb = target.verb;
    Err(match (fault, info) {
        (Fault::Drop, _) => return Ok(Some(cut())),
        // A watch answers its head and is silent then: its own task does that.
        (Fault::Stall | Fault::HalfOpen, _) if verb == "watch" => return Ok(None),
        (Fault::Stall, _) => {
            wait_until_passed(server, id).await;
            return Ok(None);
        }
        (Fault::HalfOpen, _) => {
            connection.freeze();
            wait_until_passed(server, id).await;
            connection.thaw();
            return Ok(None);
        }
        (Fault::NotFound, _) => return Ok(Some(not_found())),
        (Fault::GoneStatus, _) => Failure::gone(),
        (Fault::TooManyRequests { retry_after_s }, _) => Failure::too_many_requests(retry_after_s),
        (Fault::Unavailable { retry_after_s }, _) => Failure::unavailable(retry_after_s),
        (Fault::Unauthorized, _) => Failure::unauthorized(),
        (Fault::Forbidden, Some(info)) => {
            Failure::forbidden(target.user.unwrap_or_default(), &info.attributes(verb))
        }
        _ => Failure::internal("a fault was asked for"),
    })
}

async fn wait_until_passed(server: &Server, id: u64) {
    let mut moved = server.cluster.moved();
    while server.cluster.fault_stands(id) {
        tokio::select! {
            _ = moved.changed() => {}
            () = tokio::time::sleep(FAULT_POLL) => {}
        }
    }
}

/// Below a group of its own the real server answers with a `Status`, elsewhere with plain text.
fn nothing_at(server: &Server, path: &str) -> Answer {
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let is_built_in = |group: &str| {
        let state = server.cluster.state();
        state.catalog.all().iter().any(|kind| kind.built_in && kind.group == group)
    };
    match segments.as_slice() {
        ["api", _, ..] => Err(Failure::no_such_resource()),
        ["apis", group, _, ..] if is_built_in(group) => Err(Failure::no_such_resource()),
        _ => Ok(not_found()),
    }
}

async fn resource_request(request: &ApiRequest<'_>) -> Answer {
    let (kind, verb, query) = (&request.info.kind, request.verb, &request.query);
    let is_aggregated = kind.group == metrics::GROUP;
    if !kind.verbs.has(verb) {
        // The handler refuses a watch, the layer before it any other verb.
        return Err(match verb {
            "watch" => Failure::verb_not_supported(kind, verb),
            _ => Failure::method_not_allowed(),
        });
    }
    let name = &request.info.name;
    if matches!(name.as_str(), "." | "..") {
        return Err(Failure::bad_request(format!("Name parameter invalid: {name:?}: may not be '{name}'")));
    }
    if request.info.is_log() {
        return if verb == "get" { log::log(request) } else { Err(Failure::method_not_allowed()) };
    }
    let mut form = representation(request.header(&ACCEPT), query.text("includeObject"), verb)?;
    if matches!(form, Representation::Table(_)) && request.strike(|fault| *fault == Fault::NoTable).is_some()
    {
        form = Representation::Whole;
    }
    match verb {
        "list" | "watch" => {
            let refused = request.strike(|fault| *fault == Fault::WatchListRefused).is_some();
            let can_watch_list = request.server.cluster.options.watch_list && !refused;
            let mut options = list_options(query, kind, can_watch_list)?;
            if verb == "list" && is_aggregated {
                return Ok(aggregated::list(request, &options, form));
            }
            if verb == "list" {
                return list::list(request, &options, form).await;
            }
            // A server before 1.27 doesn't know the parameter: no end mark, not even an error.
            if options.send_initial_events.is_some()
                && request.strike(|fault| *fault == Fault::WatchListIgnored).is_some()
            {
                options.send_initial_events = None;
                return Ok(watch::watch(request, options, form, EndMark::Unknown));
            }
            Ok(watch::watch(request, options, form, EndMark::Known))
        }
        "get" if is_aggregated => aggregated::get(request, form),
        "get" => list::get(request, form).await,
        _ => write::write(request, form),
    }
}

fn discover(server: &Server, parts: &Parts) -> Option<Answer> {
    let cluster = &server.cluster;
    let path = parts.uri.path().trim_end_matches('/');
    let found = discovery::answer(
        &cluster.state().catalog,
        path,
        header(parts, &HOST),
        cluster.options.aggregated_discovery && wants_aggregated(header(parts, &ACCEPT)),
    )?;
    if parts.method != Method::GET {
        return Some(Err(Failure::method_not_allowed()));
    }
    let (content_type, found) = found;
    Some(Ok(json(content_type, &found)))
}
