//! The upgrade to a WebSocket. It needs an `Origin` that the guard accepts. A request without an `Origin` must have no
//! cookie: then it doesn't come from a browser. After it the session authenticates the client, by its `hello`.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use shared::frame::client::Credential;
use shared::frame::{VERSION, is_version};
use shared::problem::{Problem, Reason};
use tokio_tungstenite::tungstenite::{self, error::ProtocolError};

use super::accept::ConnectionSlot;
use super::allowance::ReadAllowance;
use super::answer;
use super::guard::single;
use super::pre_auth::PreAuthPermit;
use super::state::AppState;
use crate::access::{Caller, Login, Peer};
use crate::address::origin::RequestOrigin;
use crate::audit::Trail;
use crate::limits::{WS_MESSAGE_BYTES_MAX, WS_READ_BUFFER_BYTES, WS_WRITE_BUFFER_BYTES, WS_WRITE_BYTES_MAX};
use crate::metrics::{ByRejection, Rejection};
use crate::session::{PreAuth, Unread};
use crate::traces::Spanned;

pub(super) async fn open(
    State(state): State<Arc<AppState>>,
    Extension(peer): Extension<Peer>,
    Extension(origin): Extension<RequestOrigin>,
    Extension(slot): Extension<Arc<ConnectionSlot>>,
    Extension(allowance): Extension<ReadAllowance>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let reject = |reason: Rejection, response: Response| {
        state.metrics.ws_rejected.get_or_create(&ByRejection { reason }).inc();
        response
    };
    let trail = state.audit.trail(peer);
    let refuse = |problem: Problem| {
        trail.refused(None, &problem);
        reject(Rejection::credential, refusal(&problem))
    };
    let caller = match caller(&state, peer, &origin, &headers).await {
        Ok(caller) => caller,
        Err(problem) => return refuse(problem),
    };
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return reject(Rejection::upgrade, no_upgrade(peer, rejection)),
    };
    if is_cookie_of_no_page(&origin, &headers, &caller) {
        let message =
            "a browser that opens a socket says from which page; this one sent a cookie and no origin";
        return reject(Rejection::origin, answer::forbidden(message));
    }
    if let Caller::Known(_) = caller {
        return accept(state, upgrade, (caller, trail), None, (slot, allowance));
    }
    // An upgrade with a token needs a permit as well, because reviewing the token takes the API server's time.
    let permit = match permit(&state, peer).await {
        Ok(permit) => permit,
        Err(problem) => return reject(Rejection::limit, too_many(&problem)),
    };
    // A proof comes with `hello`: it answers what the session asks.
    let permit = if caller.bearer().is_some() {
        match known(&state, &caller, &permit).await {
            Ok(()) => None,
            Err(Unknown::Refused(problem)) => return refuse(problem),
            Err(Unknown::Displaced(problem)) => return reject(Rejection::limit, too_many(&problem)),
        }
    } else {
        permit
    };
    accept(state, upgrade, (caller, trail), permit, (slot, allowance))
}

/// Answers a request that isn't an upgrade. Its token isn't checked, because only an upgrade is authenticated here.
fn no_upgrade(peer: Peer, rejection: WebSocketUpgradeRejection) -> Response {
    match peer {
        Peer::SameUser => rejection.into_response(),
        Peer::Remote(_) | Peer::ApiClient(_) | Peer::Proxy => {
            let message = "this is the address of a WebSocket, which says who it is when it is opened";
            answer::unauthorized(&Problem::new(Reason::Unauthorized, message))
        }
    }
}

/// A browser adds its cookies to requests of every page.
pub(super) fn is_cookie_of_no_page(origin: &RequestOrigin, headers: &HeaderMap, caller: &Caller) -> bool {
    let has_cookie = *origin == RequestOrigin::Missing && headers.contains_key(header::COOKIE);
    has_cookie && caller.bearer().is_none() && *caller != Caller::SameUser
}

pub(super) fn too_many(problem: &Problem) -> Response {
    answer::json(StatusCode::TOO_MANY_REQUESTS, problem)
}

/// What the connection and the upgrade say about the client's identity.
pub(super) async fn caller(
    state: &AppState,
    peer: Peer,
    origin: &RequestOrigin,
    headers: &HeaderMap,
) -> Result<Caller, Problem> {
    if let Some(login) = state.authenticator.of_headers(peer, headers).await? {
        return Ok(Caller::Known(Box::new(login)));
    }
    if let Some(login) = signed_in(state, origin, headers).filter(|_| peer != Peer::SameUser) {
        return Ok(Caller::Known(Box::new(login)));
    }
    let bearer = bearer(headers)?;
    Ok(match peer {
        Peer::SameUser => Caller::SameUser,
        Peer::Remote(_) | Peer::ApiClient(_) | Peer::Proxy => {
            Caller::Remote { origin: origin.text().into(), bearer }
        }
    })
}

pub(super) fn refusal(problem: &Problem) -> Response {
    match problem.reason {
        Reason::BadRequest => answer::json(StatusCode::BAD_REQUEST, problem),
        Reason::ServiceUnavailable => answer::json(StatusCode::SERVICE_UNAVAILABLE, problem),
        _ => answer::unauthorized(problem),
    }
}

/// A cookie counts only with an accepted origin, because a browser adds it to requests of every page.
fn signed_in(state: &AppState, origin: &RequestOrigin, headers: &HeaderMap) -> Option<Login> {
    match origin {
        RequestOrigin::Own(_) | RequestOrigin::Listed(_) => state.authenticator.signed_in(headers),
        RequestOrigin::Missing => None,
    }
}

pub(super) async fn permit(state: &AppState, peer: Peer) -> Result<Option<PreAuthPermit>, Problem> {
    match peer {
        // Whether an API token counts is known without a wait.
        Peer::SameUser | Peer::ApiClient(_) | Peer::Proxy => Ok(None),
        Peer::Remote(address) => state.pre_auth.permit(address.ip()).await.map(Some),
    }
}

/// Why the caller has no identity.
pub(super) enum Unknown {
    Refused(Problem),
    /// Other connections from its address took its place.
    Displaced(Problem),
}

/// Asks which user the token belongs to, for as long as `permit` keeps its place.
pub(super) async fn known(
    state: &AppState,
    caller: &Caller,
    permit: &Option<PreAuthPermit>,
) -> Result<(), Unknown> {
    tokio::select! {
        biased;
        known = state.authenticator.login(caller.bearer(), caller, None) => {
            known.map(drop).map_err(Unknown::Refused)
        }
        () = permit.displaced() => {
            let message = "other sockets of this address came; come back";
            Err(Unknown::Displaced(Problem::new(Reason::Limit, message)))
        }
    }
}

fn accept(
    state: Arc<AppState>,
    mut upgrade: WebSocketUpgrade,
    caller: (Caller, Trail),
    permit: Option<PreAuthPermit>,
    (slot, allowance): (Arc<ConnectionSlot>, ReadAllowance),
) -> Response {
    if let Some(protocol) = chosen(upgrade.requested_protocols()) {
        upgrade.set_selected_protocol(protocol);
    }
    let spanned = Spanned::begin("session");
    upgrade
        .max_message_size(WS_MESSAGE_BYTES_MAX)
        .max_frame_size(WS_MESSAGE_BYTES_MAX)
        .read_buffer_size(WS_READ_BUFFER_BYTES)
        .write_buffer_size(WS_WRITE_BUFFER_BYTES)
        .max_write_buffer_size(WS_WRITE_BYTES_MAX)
        .on_upgrade(move |socket| async move {
            allowance.renew();
            let session = (state.sessions)((socket, allowance), caller, permit, state.leaving.clone());
            spanned.run(slot.until_cut(session)).await;
        })
}

/// What stands before the token, in base64url: <https://github.com/kubernetes/kubernetes/pull/47740>.
const BEARER_PROTOCOL: &str = "base64url.bearer.authorization.k8s.io.";

/// Why a socket can't be read any more, for the session's last frame.
pub fn unread(error: axum::Error) -> Unread {
    let inner = error.into_inner();
    match inner.downcast_ref::<tungstenite::Error>() {
        Some(tungstenite::Error::Capacity(_)) => Unread::TooLong,
        Some(tungstenite::Error::Utf8(_)) => Unread::NotUtf8,
        Some(tungstenite::Error::Io(error)) if error.kind() == ReadAllowance::USED_UP => Unread::Endless,
        // The client is gone, so no frame can tell it anything.
        Some(tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => Unread::Gone,
        Some(tungstenite::Error::Protocol(_)) => Unread::Malformed,
        _ => Unread::Gone,
    }
}

/// The gateway's own version if the client offers it, otherwise the client's first; `None` if it offers none.
fn chosen<'h>(requested: impl Iterator<Item = &'h HeaderValue>) -> Option<HeaderValue> {
    let ours: Vec<&HeaderValue> = requested.filter(|value| value.to_str().is_ok_and(is_version)).collect();
    let exact = ours.iter().find(|value| value.as_bytes() == VERSION.as_bytes());
    exact.or(ours.first()).map(|value| (*value).clone())
}

/// The token of the upgrade: in `Authorization`, or as Kubernetes has it for browsers, which can't set that header, in
/// a subprotocol.
pub(super) fn bearer(headers: &HeaderMap) -> Result<Option<Credential>, Problem> {
    let unreadable = || {
        let message = "one credential is wanted, as `Authorization: Bearer …` or as one subprotocol of Kubernetes' form";
        Problem::new(Reason::Unauthorized, message)
    };
    let in_header = match single(headers, &header::AUTHORIZATION).map_err(|()| unreadable())? {
        Some(text) => {
            let (scheme, token) = text.split_once(' ').ok_or_else(unreadable)?;
            if !scheme.eq_ignore_ascii_case("bearer") {
                return Err(unreadable());
            }
            Some(token.trim().into())
        }
        None => None,
    };
    let protocols = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    let protocols = protocols.map(|value| value.to_str().map_err(|_| unreadable()));
    let protocols: Vec<&str> = protocols.collect::<Result<_, _>>()?;
    let mut offered = protocols.iter().flat_map(|value| value.split(',')).map(str::trim);
    let mut tokens = offered.clone().filter_map(|protocol| protocol.strip_prefix(BEARER_PROTOCOL));
    match (in_header, tokens.next(), tokens.next()) {
        (in_header, None, _) => Ok(in_header.map(Credential::Bearer)),
        // The one that is selected can't be the token, which would be echoed.
        (None, Some(encoded), None) if offered.any(is_version) => {
            let decoded = URL_SAFE_NO_PAD.decode(encoded).map_err(|_| unreadable())?;
            let token = String::from_utf8(decoded).map_err(|_| unreadable())?;
            Ok(Some(Credential::Bearer(token.into())))
        }
        (_, Some(_), _) => Err(unreadable()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The token of these headers; `Err(())`: they are refused.
    fn token(headers: &[(&'static str, &[u8])]) -> Result<Option<String>, ()> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_bytes(value).expect("a value"));
        }
        match bearer(&map).map_err(drop)? {
            Some(Credential::Bearer(token)) => Ok(Some(token.into())),
            Some(Credential::Proof(_)) => panic!("no proof comes in a header"),
            None => Ok(None),
        }
    }

    #[test]
    fn r_authn_7_one_token_is_taken_of_a_header_or_of_a_subprotocol_beside_ours() {
        const PROTOCOL: &str = "sec-websocket-protocol";
        let offered = |token: &[u8]| format!("{BEARER_PROTOCOL}{}", URL_SAFE_NO_PAD.encode(token));
        let (one, ours) = (offered(b"one"), format!("{}, {VERSION}", offered(b"one")));
        let taken = Ok(Some("one".to_owned()));
        assert_eq!(token(&[]), Ok(None));
        assert_eq!(token(&[("authorization", b"Bearer one")]), taken);
        assert_eq!(token(&[(PROTOCOL, ours.as_bytes())]), taken);
        assert_eq!(token(&[(PROTOCOL, one.as_bytes()), (PROTOCOL, VERSION.as_bytes())]), taken);
        let twice = format!("{ours}, {}", offered(b"two"));
        let odd = format!("{BEARER_PROTOCOL}***, {VERSION}");
        let no_text = format!("{}, {VERSION}", offered(b"\xff\xfe"));
        for refused in [
            &[(PROTOCOL, twice.as_bytes())][..],
            &[(PROTOCOL, one.as_bytes())],
            &[(PROTOCOL, one.as_bytes()), (PROTOCOL, b"dogwatch.vtwo")],
            &[(PROTOCOL, odd.as_bytes())],
            &[(PROTOCOL, no_text.as_bytes())],
            &[(PROTOCOL, b"\xff")],
            &[(PROTOCOL, ours.as_bytes()), ("authorization", b"Bearer two")],
            &[("authorization", b"Bearer one"), ("authorization", b"Bearer two")],
            &[("authorization", b"Basic b25l")],
        ] {
            assert_eq!(token(refused), Err(()), "{refused:?}");
        }
    }

    #[test]
    fn r_authn_7_a_token_is_never_the_protocol_that_is_selected() {
        let offered = [format!("{BEARER_PROTOCOL}b25l"), VERSION.to_owned()];
        let offered = offered.map(|text| HeaderValue::try_from(text).expect("a value"));
        assert_eq!(chosen(offered.iter()), Some(HeaderValue::from_static(VERSION)));
    }

    #[test]
    fn r_authn_7_a_text_that_is_no_version_is_never_the_protocol_that_is_selected() {
        let another = HeaderValue::from_static("dogwatch.v9999");
        assert_eq!(chosen(std::iter::once(&another)), Some(another.clone()));
        for text in [
            "dogwatch.v",
            "dogwatch.vcanary",
            "dogwatch.v2x",
            "dogwatch.v-1",
            "dogwatch.v12345",
            "dogwatch.v\u{662}",
        ] {
            let offered = HeaderValue::from_bytes(text.as_bytes()).expect("a value");
            assert_eq!(chosen(std::iter::once(&offered)), None, "{text}");
        }
    }
}
