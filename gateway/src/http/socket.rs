//! The upgrade to a WebSocket. Before it: an `Origin` that the guard knows, or a credential that
//! no browser sends by itself. After it the session decides who it is, by its `hello`.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use shared::frame::client::Credential;
use shared::frame::{VERSION, VERSION_PREFIX};
use shared::problem::{Problem, Reason};
use tokio_tungstenite::tungstenite::{self, error::ProtocolError};

use super::accept::Held;
use super::origin::Asked;
use super::ungreeted::Place;
use super::{Edge, answer};
use crate::auth::Peer;
use crate::limits::{WS_MESSAGE_BYTES_MAX, WS_READ_BUFFER_BYTES, WS_WRITE_BUFFER_BYTES, WS_WRITE_BYTES_MAX};
use crate::metrics::{ByRejection, Rejection};
use crate::session::Unread;

pub(super) async fn open(
    State(edge): State<Arc<Edge>>,
    Extension(peer): Extension<Peer>,
    Extension(asked): Extension<Asked>,
    Extension(held): Extension<Arc<Held>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let reject = |reason: Rejection, response: Response| {
        edge.metrics.ws_rejected.get_or_create(&ByRejection { reason }).inc();
        response
    };
    let credential = match bearer(&headers) {
        Ok(credential) => credential,
        Err(problem) => return reject(Rejection::credential, answer::unauthorized(&problem)),
    };
    let known = edge.authenticator.authenticate(credential.as_ref(), &peer);
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => {
            return reject(
                Rejection::upgrade,
                match known {
                    Ok(_) => rejection.into_response(),
                    Err(problem) => answer::unauthorized(&problem),
                },
            );
        }
    };
    let place = match (&credential, &asked, known) {
        (_, _, Ok(_)) => None,
        (Some(_), _, Err(problem)) => {
            return reject(Rejection::credential, answer::unauthorized(&problem));
        }
        (None, Asked::NoOrigin, Err(_)) => {
            let message = "a socket is opened by the gateway's own page, or with a credential";
            return reject(Rejection::origin, answer::forbidden(message));
        }
        // A browser can't put a credential here; it comes with `hello`.
        (None, Asked::SameOrigin | Asked::Listed(_), Err(_)) => match place(&edge, peer).await {
            Ok(place) => place,
            Err(problem) => {
                let answer = answer::problem(StatusCode::TOO_MANY_REQUESTS, &problem);
                return reject(Rejection::limit, answer);
            }
        },
    };
    accept(edge, upgrade, peer, place, held)
}

async fn place(edge: &Edge, peer: Peer) -> Result<Option<Place>, Problem> {
    match peer {
        Peer::SameUser => Ok(None),
        Peer::Remote(address) => edge.ungreeted.place(address.ip()).await.map(Some),
    }
}

fn accept(
    edge: Arc<Edge>,
    mut upgrade: WebSocketUpgrade,
    peer: Peer,
    place: Option<Place>,
    held: Arc<Held>,
) -> Response {
    if let Some(protocol) = chosen(upgrade.requested_protocols()) {
        upgrade.set_selected_protocol(protocol);
    }
    upgrade
        .max_message_size(WS_MESSAGE_BYTES_MAX)
        .max_frame_size(WS_MESSAGE_BYTES_MAX)
        .read_buffer_size(WS_READ_BUFFER_BYTES)
        .write_buffer_size(WS_WRITE_BUFFER_BYTES)
        .max_write_buffer_size(WS_WRITE_BYTES_MAX)
        .on_upgrade(move |socket| async move {
            let session = (edge.sessions)(socket, peer, place, edge.leaving.clone());
            held.until_cut(session).await;
        })
}

/// What the session may say to a client of whom nothing more can be read.
#[must_use]
pub fn unread(error: axum::Error) -> Unread {
    let inner = error.into_inner();
    match inner.downcast_ref::<tungstenite::Error>() {
        Some(tungstenite::Error::Capacity(_)) => Unread::TooLong,
        Some(tungstenite::Error::Utf8(_)) => Unread::NotUtf8,
        // A peer that vanished broke no rule that it could still be told.
        Some(tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => Unread::Gone,
        Some(tungstenite::Error::Protocol(_)) => Unread::Malformed,
        _ => Unread::Gone,
    }
}

/// Ours before any other version of it; none at all where none is asked for.
fn chosen<'h>(requested: impl Iterator<Item = &'h HeaderValue>) -> Option<HeaderValue> {
    let ours: Vec<&HeaderValue> =
        requested.filter(|value| value.as_bytes().starts_with(VERSION_PREFIX.as_bytes())).collect();
    let exact = ours.iter().find(|value| value.as_bytes() == VERSION.as_bytes());
    exact.or(ours.first()).map(|value| (*value).clone())
}

fn bearer(headers: &HeaderMap) -> Result<Option<Credential>, Problem> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = match (values.next(), values.next()) {
        (None, _) => return Ok(None),
        (Some(value), None) => value,
        (Some(_), Some(_)) => return Err(unreadable()),
    };
    let text = value.to_str().map_err(|_| unreadable())?;
    let (scheme, token) = text.split_once(' ').ok_or_else(unreadable)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(unreadable());
    }
    Ok(Some(Credential::Bearer(token.trim().into())))
}

fn unreadable() -> Problem {
    Problem::new(Reason::Unauthorized, "one credential is wanted, as `Authorization: Bearer …`")
}
