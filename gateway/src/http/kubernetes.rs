//! The gateway as a read-only API server, over HTTP: the caller is authenticated as for a socket, the body is bounded,
//! and what is answered is written in pieces as the client takes them. All else is decided in [`crate::kubernetes`].

use std::convert::Infallible;
use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use kubernetes_api::Failure;
use shared::frame::client::Credential;
use shared::frame::server::LoginMode;
use shared::problem::{Problem, Reason};

use super::accept::{ConnectionSlot, Lasting};
use super::answer;
use super::guard::single;
use super::gzip::{Gzip, is_gzip_accepted};
use super::socket::{Unknown, bearer, caller, is_cookie_of_no_page, known, permit};
use super::state::AppState;
use crate::access::{Caller, Peer};
use crate::address::origin::RequestOrigin;
use crate::clock::wall_ms;
use crate::kubernetes::{Answer, Asked, JSON, PIECE_BYTES};
use crate::limits::API_BODY_BYTES_MAX;

/// Where a cluster's API is served.
pub(super) const BELOW: &str = "/k8s/";

/// <https://kubernetes.io/docs/reference/using-api/api-concepts/> says nothing of masks, so each answer that has some
/// says so by itself.
const MASKED: &str = "299 dogwatch \"values are masked here; the annotation dogwatch.dev/masked says which\"";
const WARNING: HeaderName = HeaderName::from_static("warning");

pub(super) async fn open(
    State(state): State<Arc<AppState>>,
    Extension(peer): Extension<Peer>,
    Extension(origin): Extension<RequestOrigin>,
    Extension(slot): Extension<Arc<ConnectionSlot>>,
    Path((cluster, _)): Path<(String, String)>,
    request: Request,
) -> Response {
    // It is cut with its connection.
    let _slot = slot;
    let (parts, body) = request.into_parts();
    let trail = state.audit.trail(peer);
    let refuse = |problem: Problem| {
        trail.refused(None, &problem);
        refused(&unauthorized(state.authenticator.mode(), peer))
    };
    let by_token = of_program(&state, &parts.headers);
    let is_program = by_token.is_some();
    let caller = match by_token {
        Some(caller) => caller,
        None => caller(&state, peer, &origin, &parts.headers).await,
    };
    let caller = match caller {
        Ok(caller) => caller,
        Err(problem) => return refuse(problem),
    };
    if !is_program && is_cookie_of_no_page(&origin, &parts.headers, &caller) {
        return refuse(Problem::bad_request("a cookie counts for this gateway's own pages alone"));
    }
    if !matches!(caller, Caller::Known(_)) {
        let permit = match permit(&state, peer).await {
            Ok(permit) => permit,
            Err(problem) => return limited(&problem),
        };
        match known(&state, &caller, &permit).await {
            Ok(()) => {}
            Err(Unknown::Refused(problem)) => return refuse(problem),
            Err(Unknown::Displaced(problem)) => return limited(&problem),
        }
    }
    let Ok(body) = to_bytes(body, API_BODY_BYTES_MAX).await else {
        return refused(&Failure::too_large_body(API_BODY_BYTES_MAX));
    };
    let text = |name: &HeaderName| single(&parts.headers, name).ok().flatten().unwrap_or_default().to_owned();
    // As it stands in the request: a decoded slash is none that splits.
    let path = parts.uri.path();
    let below = path.strip_prefix(BELOW).and_then(|rest| rest.split_once('/')).map_or("", |(_, rest)| rest);
    let mount = match parts.extensions.get::<MountedAt>() {
        Some(MountedAt(mount)) => mount.to_string(),
        None => format!("{}{BELOW}{cluster}", state.base_path.as_str()),
    };
    let asked = Asked {
        caller,
        trail,
        method: if parts.method == Method::HEAD { Method::GET } else { parts.method.clone() },
        path: format!("/{below}"),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        accept: text(&header::ACCEPT),
        body,
        mount,
        cluster,
    };
    let zips = is_gzip_accepted(&text(&header::ACCEPT_ENCODING));
    respond((state.kubernetes)(asked).await, zips)
}

/// Clients have a listener of their own in mode `local`; the port of the page lets none in.
fn unauthorized(mode: LoginMode, peer: Peer) -> Failure {
    let failure = Failure::unauthorized();
    match (mode, peer) {
        (LoginMode::Local, Peer::Remote(_)) => Failure { message: AT_THE_PAGES_PORT.to_owned(), ..failure },
        _ => failure,
    }
}

const AT_THE_PAGES_PORT: &str = "Unauthorized: this port has the page; clients of the Kubernetes API have another one, and \
    get in by the kubeconfig that `dogwatch kubeconfig` writes";

/// In mode `oidc` the token of a program is its person's login here, and at no other route. `None`: there is no token, or
/// the mode knows another kind.
fn of_program(state: &AppState, headers: &HeaderMap) -> Option<Result<Caller, Problem>> {
    let oidc = state.authenticator.oidc()?;
    if !headers.contains_key(header::AUTHORIZATION) {
        return None;
    }
    let login = bearer(headers).and_then(|credential| {
        let login = match &credential {
            Some(Credential::Bearer(token)) => oidc.clients().of_token(token, wall_ms()),
            Some(Credential::Proof(_)) | None => None,
        };
        let message = "this token isn't one of this gateway, or its login has ended";
        login.ok_or_else(|| Problem::new(Reason::Unauthorized, message))
    });
    Some(login.map(|login| Caller::Known(Box::new(login))))
}

/// What stands before the root of a cluster's API, as the client knows it, where a listener serves it elsewhere.
#[derive(Clone, Debug)]
pub struct MountedAt(pub Box<str>);

fn respond(answer: Answer, zips: bool) -> Response {
    match answer {
        Answer::Whole { code, media_type, body } => {
            let code = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            answer::typed(code, media_type, body)
        }
        Answer::List { pieces, is_masked } => {
            let cut = || std::io::Error::other("an object can't be read any more");
            let mut pieces = pieces.peekable();
            // As of an API server: what is small isn't worth it.
            let zips = zips && pieces.peek().is_some_and(|first| first.as_ref().is_some_and(is_part));
            let pieces: Box<dyn Iterator<Item = _> + Send> =
                if zips { Box::new(Gzip::of(pieces)) } else { Box::new(pieces) };
            let pieces = stream::iter(pieces.map(move |piece| piece.ok_or_else(cut)));
            let mut response = answer::typed(StatusCode::OK, JSON, Body::from_stream(pieces));
            let headers = response.headers_mut();
            headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
            if zips {
                headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            }
            if is_masked {
                response.headers_mut().insert(WARNING, HeaderValue::from_static(MASKED));
            }
            response
        }
        Answer::Watch(watching) => {
            let lines = stream::unfold(watching, |mut watching| async move {
                let lines = watching.next().await?;
                Some((Ok::<_, Infallible>(lines), watching))
            });
            let mut response = answer::typed(StatusCode::OK, JSON, Body::from_stream(lines));
            response.extensions_mut().insert(Lasting);
            // nginx passes on what comes at once.
            let name = HeaderName::from_static("x-accel-buffering");
            response.headers_mut().insert(name, HeaderValue::from_static("no"));
            response
        }
        Answer::Log(reading) => {
            let cut = || std::io::Error::other("the log can't be read any more");
            let bytes = stream::unfold(reading, move |mut reading| async move {
                let bytes = reading.next().await?;
                Some((bytes.ok_or_else(cut), reading))
            });
            let mut response = answer::typed(StatusCode::OK, TEXT, Body::from_stream(bytes));
            response.extensions_mut().insert(Lasting);
            let name = HeaderName::from_static("x-accel-buffering");
            response.headers_mut().insert(name, HeaderValue::from_static("no"));
            response
        }
        Answer::Refused(failure) => refused(&failure),
    }
}

/// As an API server calls a log.
const TEXT: &str = "text/plain";

/// Whether more of the list follows.
fn is_part(first: &Bytes) -> bool {
    first.len() >= PIECE_BYTES
}

pub(super) fn refused(failure: &Failure) -> Response {
    let code = StatusCode::from_u16(failure.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = answer::json(code, &failure.status());
    if let Some(seconds) = failure.retry_after_s {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

fn limited(problem: &Problem) -> Response {
    refused(&Failure { message: problem.message.to_string(), ..Failure::too_many_requests(1) })
}
