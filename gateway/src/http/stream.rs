//! A view over plain HTTP, without a page: the caller is authenticated as for a socket, and a session serves it. All
//! that is wrong before the first byte is a status; after it, an event of the stream.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use futures_util::stream;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use shared::problem::{Problem, Reason};
use tokio_util::sync::CancellationToken;

use super::accept::{ConnectionSlot, Lasting};
use super::answer;
use super::guard::single;
use super::idle::IdleGuard;
use super::socket::{Unknown, caller, is_cookie_of_no_page, known, permit, refusal, too_many};
use super::state::AppState;
use crate::access::{Caller, Peer};
use crate::address::origin::RequestOrigin;
use crate::limits::STREAM_LAST_S;
use crate::stream::{Reader, StreamRequest, duplex, openapi as document, query::Head};
use crate::traces::Spanned;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// A browser sets it, and no script can: <https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header>.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

pub(super) async fn openapi() -> Response {
    answer::json(StatusCode::OK, &document::document())
}

pub(super) async fn open(
    State(state): State<Arc<AppState>>,
    Extension(peer): Extension<Peer>,
    Extension(origin): Extension<RequestOrigin>,
    Extension(slot): Extension<Arc<ConnectionSlot>>,
    Extension(idle): Extension<Arc<IdleGuard>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let trail = state.audit.trail(peer);
    let Some(origin) = of_page(&state, origin, &headers) else {
        return answer::forbidden(
            "another site's page may not use this gateway; --allowed-origin lets one in",
        );
    };
    let refuse = |problem: Problem| {
        trail.refused(None, &problem);
        refusal(&problem)
    };
    let caller = match caller(&state, peer, &origin, &headers).await {
        Ok(caller) => caller,
        Err(problem) => return refuse(problem),
    };
    if is_cookie_of_no_page(&origin, &headers, &caller) {
        let message =
            "a cookie counts for this gateway's own pages alone; a program gives its token in Authorization";
        return answer::forbidden(message);
    }
    if !matches!(caller, Caller::Known(_)) {
        let permit = match permit(&state, peer).await {
            Ok(permit) => permit,
            Err(problem) => return too_many(&problem),
        };
        match known(&state, &caller, &permit).await {
            Ok(()) => {}
            Err(Unknown::Refused(problem)) => return refuse(problem),
            Err(Unknown::Displaced(problem)) => return too_many(&problem),
        }
    }
    let request = match requested(query.as_deref().unwrap_or_default(), &headers) {
        Ok(request) => request,
        Err(problem) => return answer::json(status_of(&problem), &problem),
    };
    let media_type = request.format.media_type();
    let (session_end, client_end) = duplex();
    let session = (state.streams)(session_end, (caller, trail), state.leaving.clone());
    let spanned = Spanned::begin("session");
    let taken = CancellationToken::new();
    let is_taken = taken.clone();
    tokio::spawn(async move {
        spanned.run(slot.until_cut(session)).await;
        let last = Duration::from_secs(STREAM_LAST_S);
        if tokio::time::timeout(last, is_taken.cancelled()).await.is_err() {
            idle.displaced.cancel();
        }
    });
    let taken = taken.drop_guard();
    let mut reader = Reader::start(client_end, request);
    match reader.first().await {
        Err(problem) => answer::json(status_of(&problem), &problem),
        Ok(first) => {
            let rest = stream::unfold((reader, taken), |(mut reader, taken)| async move {
                let piece = reader.next().await?;
                Some((Ok::<_, std::convert::Infallible>(piece), (reader, taken)))
            });
            let first = stream::iter([Ok(first)]);
            streaming(media_type, Body::from_stream(futures_util::StreamExt::chain(first, rest)))
        }
    }
}

fn streaming(media_type: &'static str, body: Body) -> Response {
    let mut response = answer::typed(StatusCode::OK, media_type, body);
    response.extensions_mut().insert(Lasting);
    let headers = response.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    // nginx passes on what comes at once.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

/// A browser sends no `Origin` with a page's request to its own origin, but `Sec-Fetch-Site` then. `None`: another
/// site's page sent the request.
fn of_page(state: &AppState, origin: RequestOrigin, headers: &HeaderMap) -> Option<RequestOrigin> {
    if origin != RequestOrigin::Missing {
        return Some(origin);
    }
    match single(headers, &SEC_FETCH_SITE).ok()? {
        Some("same-origin") => {
            let host = single(headers, &header::HOST).ok().flatten()?;
            state.policy.host(host).map(RequestOrigin::Own)
        }
        // A person typed the address, or the client isn't a browser.
        Some("none") | None => Some(origin),
        Some(_) => None,
    }
}

fn requested(query: &str, headers: &HeaderMap) -> Result<StreamRequest, Problem> {
    let header = |name: &HeaderName| {
        single(headers, name)
            .map_err(|()| Problem::bad_request(format!("the header {name} is there twice, or isn't text")))
    };
    let head = Head { accept: header(&header::ACCEPT)?, last_event_id: header(&LAST_EVENT_ID)? };
    StreamRequest::parse(query, head)
}

fn status_of(problem: &Problem) -> StatusCode {
    match problem.reason {
        Reason::BadRequest | Reason::Invalid => StatusCode::BAD_REQUEST,
        Reason::Unauthorized => StatusCode::UNAUTHORIZED,
        Reason::Forbidden | Reason::Hidden => StatusCode::FORBIDDEN,
        Reason::NotFound => StatusCode::NOT_FOUND,
        Reason::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
        Reason::Gone => StatusCode::GONE,
        Reason::Limit | Reason::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        Reason::ServiceUnavailable | Reason::ShuttingDown => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
