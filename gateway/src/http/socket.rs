//! The upgrade to a WebSocket. Before it: an `Origin` that the guard knows, or a credential that
//! no browser sends by itself. After it the session decides who it is, by its `hello`.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, header};
use shared::frame::client::Credential;
use shared::frame::{VERSION, VERSION_PREFIX};
use shared::problem::{Problem, Reason};

use super::accept::Held;
use super::origin::Asked;
use super::{Edge, answer};
use crate::auth::Peer;
use crate::limits::{WS_MESSAGE_BYTES_MAX, WS_READ_BUFFER_BYTES, WS_WRITE_BUFFER_BYTES, WS_WRITE_BYTES_MAX};
use crate::metrics::{ByRejection, Rejection};

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
    match (&credential, &asked, known) {
        (_, _, Ok(_)) => {}
        (Some(_), _, Err(problem)) => {
            return reject(Rejection::credential, answer::unauthorized(&problem));
        }
        (None, Asked::NoOrigin, Err(_)) => {
            let message = "a socket is opened by the gateway's own page, or with a credential";
            return reject(Rejection::origin, answer::forbidden(message));
        }
        // A browser can't put a credential here; it comes with `hello`.
        (None, Asked::SameOrigin | Asked::Listed(_), Err(_)) => {}
    }
    accept(edge, upgrade, peer, held)
}

fn accept(edge: Arc<Edge>, mut upgrade: WebSocketUpgrade, peer: Peer, held: Arc<Held>) -> Response {
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
            let session = (edge.sessions)(socket, peer, edge.leaving.clone());
            held.until_cut(session).await;
        })
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
