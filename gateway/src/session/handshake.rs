//! How a connection begins and ends: a `hello` before anything else, and a last frame with the close code.

use std::borrow::Cow;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes};
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use serde::Deserialize;
use shared::codec;
use shared::frame::client::{ClientFrame, Credential, Has, Hello};
use shared::frame::server::ServerFrame;
use shared::frame::{CLIENT_FRAME_BYTES_MAX, VERSION, close};
use shared::problem::{Problem, Reason};
use tokio::time::timeout;

use super::connections::ConnectionGuard;
use super::{Close, Context, Unread};
use crate::access::{Caller, Login};
use crate::audit::Trail;
use crate::hub::Encoded;
use crate::limits::{
    CLOSE_S, CONTROLS_BEFORE_HELLO_MAX, HELLO_BYTES_MAX, MESSAGES_AFTER_CLOSE_MAX, WS_MESSAGE_BYTES_MAX,
};

/// `None`: the client has gone.
pub(super) fn close_of(unread: Unread) -> Option<Close> {
    let (code, problem) = match unread {
        Unread::Gone => return None,
        Unread::TooLong => (
            close::TOO_LONG,
            Problem::new(
                Reason::RequestEntityTooLarge,
                format!(
                    "a message is longer than {WS_MESSAGE_BYTES_MAX} bytes; at most {CLIENT_FRAME_BYTES_MAX} are read"
                ),
            ),
        ),
        Unread::Endless => (
            close::POLICY,
            Problem::new(Reason::Limit, "a message came in pieces that don't end; send it in one"),
        ),
        Unread::NotUtf8 => (close::NOT_UTF8, Problem::bad_request("a message isn't UTF-8")),
        Unread::Malformed => {
            (close::PROTOCOL_ERROR, Problem::bad_request("what came isn't WebSocket as RFC 6455 has it"))
        }
    };
    Some(Close::because(code, problem))
}

/// Why a connection ended, for the audit log.
pub(super) fn words_of(close: Option<&Close>) -> Cow<'_, str> {
    match close {
        None => "the client left".into(),
        Some(Close { last: None, code }) => format!("the connection was closed with the code {code}").into(),
        Some(Close { last: Some(frame), code }) => match &**frame {
            ServerFrame::Problem(ended) => ended.problem.message.as_str().into(),
            ServerFrame::Goaway(goaway) => goaway.problem.message.as_str().into(),
            _ => format!("the connection was closed with the code {code}").into(),
        },
    }
}

/// Says the last frame and the close code, and waits for the client's own close.
pub(super) async fn close_socket<W, R>(sink: &mut W, stream: &mut R, close: Close)
where
    W: Sink<Message> + Unpin,
    R: Stream<Item = Result<Message, Unread>> + Unpin,
{
    let Close { code, last } = close;
    let closing = async {
        if let Some(message) = last.and_then(|frame| Encoded::new(&frame)) {
            sink.send(to_message(&message)).await.ok()?;
        }
        let reason = Utf8Bytes::from_static("");
        sink.send(Message::Close(Some(CloseFrame { code, reason }))).await.ok()?;
        // What was under way is read and dropped.
        for _ in 0..MESSAGES_AFTER_CLOSE_MAX {
            if !matches!(stream.next().await, Some(Ok(message)) if !matches!(message, Message::Close(_))) {
                break;
            }
        }
        Some(())
    };
    // Close the connection after the grace period, even if the client still sends.
    drop(timeout(Duration::from_secs(CLOSE_S), closing).await);
}

/// A client that is known.
pub(super) struct Greeted {
    pub(super) login: Login,
    pub(super) credential: Option<Credential>,
    /// What it has already.
    pub(super) has: Vec<Has>,
    pub(super) guard: ConnectionGuard,
}

/// Asks for a proof where one is needed. The first message must be a `hello` of this version with a valid credential,
/// of an identity that hasn't too many connections. `Err(None)`: the client has gone.
pub(super) async fn handshake<W, R>(
    sink: &mut W,
    stream: &mut R,
    (caller, trail): (&Caller, &Trail),
    context: &Context,
) -> Result<Greeted, Option<Close>>
where
    W: Sink<Message> + Unpin,
    R: Stream<Item = Result<Message, Unread>> + Unpin,
{
    let asked = context.authenticator.challenge(caller);
    let asked = asked.map_err(|problem| Close::because(close::TRY_AGAIN_LATER, problem))?;
    if let Some(message) = asked.clone().and_then(|asked| Encoded::new(&ServerFrame::Challenge(asked))) {
        sink.send(to_message(&message)).await.map_err(|_| None)?;
    }
    let hello = read_hello(stream).await?;
    let credential = hello.credential.or_else(|| caller.bearer().cloned());
    let login = context.login(credential.as_ref(), caller, asked).await;
    let login = login.inspect_err(|problem| trail.refused(None, problem));
    let login = login.map_err(|problem| Close::because(refused_with(&problem), problem))?;
    let guard = context.sessions.enter(&login.identity, context.registry.now());
    let guard = guard.inspect_err(|problem| trail.refused(Some(&login), problem));
    let guard = guard.map_err(|problem| Close::because(close::TRY_AGAIN_LATER, problem))?;
    trail.logged_in(&login, how(credential.as_ref()));
    Ok(Greeted { login, credential, has: hello.has, guard })
}

/// What proved who the viewer is.
fn how(credential: Option<&Credential>) -> &'static str {
    match credential {
        Some(Credential::Bearer(_)) => "the API server's review says whose token it is",
        Some(Credential::Proof(_)) => "the page's key proved its session",
        None => "the connection itself says who it is",
    }
}

/// The close code of a refused login. If the API server can't review a viewer now, the client may come back with the
/// same credential.
fn refused_with(problem: &Problem) -> u16 {
    match problem.reason {
        Reason::ServiceUnavailable => close::TRY_AGAIN_LATER,
        _ => close::UNAUTHORIZED,
    }
}

async fn read_hello<R>(stream: &mut R) -> Result<Hello, Option<Close>>
where
    R: Stream<Item = Result<Message, Unread>> + Unpin,
{
    for _ in 0..=CONTROLS_BEFORE_HELLO_MAX {
        let text = match stream.next().await {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
            Some(Ok(Message::Binary(_))) => break,
            Some(Err(unread)) => return Err(close_of(unread)),
            Some(Ok(Message::Close(_))) | None => return Err(None),
        };
        if text.len() > HELLO_BYTES_MAX {
            break;
        }
        // First, because a `hello` of another version may look different.
        if other_version(text.as_str()) {
            let message = format!("this gateway speaks {VERSION}; load the page again, or update the client");
            return Err(Some(Close::because(close::VERSION, Problem::new(Reason::Version, message))));
        }
        match codec::decode_client(text.as_str()) {
            Ok(ClientFrame::Hello(hello)) => return Ok(hello),
            Ok(_) | Err(_) => break,
        }
    }
    let problem = Problem::bad_request("the first message must be hello, with a version and a credential");
    Err(Some(Close::because(close::BAD_FRAME, problem)))
}

fn other_version(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Versioned {
        version: Box<str>,
    }
    #[derive(Deserialize)]
    struct First {
        hello: Versioned,
    }
    serde_json::from_str::<First>(text).is_ok_and(|first| *first.hello.version != *VERSION)
}

pub(super) fn to_message(encoded: &Encoded) -> Message {
    if encoded.is_text {
        // It was written as text, so the check succeeds.
        match Utf8Bytes::try_from(encoded.bytes.clone()) {
            Ok(text) => Message::Text(text),
            Err(_) => Message::Binary(encoded.bytes.clone()),
        }
    } else {
        Message::Binary(encoded.bytes.clone())
    }
}
