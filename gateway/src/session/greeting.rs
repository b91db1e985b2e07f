//! How a connection begins and ends: a `hello` before anything else, and the last words with their
//! close code. What lies between is [`super::run`]'s.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes};
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use shared::codec;
use shared::frame::client::{ClientFrame, Hello};
use shared::frame::server::{ProblemFrame, ServerFrame};
use shared::frame::{CLIENT_FRAME_BYTES_MAX, VERSION, close};
use shared::problem::{Problem, Reason};
use tokio::time::timeout;

use super::registry::Presence;
use super::run::to_message;
use super::{Context, Unread};
use crate::access::{Login, Peer};
use crate::hub::Encoded;
use crate::limits::{FAREWELL_S, HELLO_BYTES_MAX, WS_MESSAGE_BYTES_MAX};

/// How a connection ends. `None`: the client has gone.
pub(super) struct Farewell(pub(super) Option<(u16, Option<Box<ServerFrame>>)>);

impl Farewell {
    pub(super) fn because(code: u16, problem: Problem) -> Self {
        Self(Some((code, Some(Box::new(ServerFrame::Problem(ProblemFrame { id: None, problem }))))))
    }
}

impl From<Unread> for Farewell {
    fn from(unread: Unread) -> Self {
        let (code, problem) = match unread {
            Unread::Gone => return Self(None),
            Unread::TooLong => (
                close::TOO_LONG,
                Problem::new(
                    Reason::RequestEntityTooLarge,
                    format!(
                        "a message is longer than {WS_MESSAGE_BYTES_MAX} bytes; at most {CLIENT_FRAME_BYTES_MAX} are read"
                    ),
                ),
            ),
            Unread::NotUtf8 => (close::NOT_UTF8, Problem::bad_request("a message isn't UTF-8")),
            Unread::Malformed => {
                (close::PROTOCOL_ERROR, Problem::bad_request("what came isn't WebSocket as RFC 6455 has it"))
            }
        };
        Self::because(code, problem)
    }
}

pub(super) async fn say_farewell<W, R>(sink: &mut W, stream: &mut R, farewell: Farewell)
where
    W: Sink<Message> + Unpin,
    R: Stream<Item = Result<Message, Unread>> + Unpin,
{
    let Some((code, frame)) = farewell.0 else { return };
    let last_words = async {
        if let Some(message) = frame.and_then(|frame| Encoded::new(&frame)) {
            sink.send(to_message(&message)).await.ok()?;
        }
        let reason = Utf8Bytes::from_static("");
        sink.send(Message::Close(Some(CloseFrame { code, reason }))).await.ok()?;
        // The client's own close ends it; nothing else that it says matters now.
        while let Some(Ok(message)) = stream.next().await {
            if matches!(message, Message::Close(_)) {
                break;
            }
        }
        Some(())
    };
    // Who doesn't answer a close is cut off.
    drop(timeout(Duration::from_secs(FAREWELL_S), last_words).await);
}

/// The first message must be a `hello` of this version with a credential that holds, of somebody who
/// isn't here too often.
pub(super) async fn greet<R>(
    stream: &mut R,
    peer: &Peer,
    context: &Context,
) -> Result<(Login, Presence), Farewell>
where
    R: Stream<Item = Result<Message, Unread>> + Unpin,
{
    let hello = read_hello(stream).await?;
    if *hello.version != *VERSION {
        let message = format!("this gateway speaks {VERSION}; load the page again, or update the client");
        return Err(Farewell::because(close::VERSION, Problem::new(Reason::Version, message)));
    }
    let login = context.authenticator.login(hello.credential.as_ref(), peer);
    let login = login.map_err(|problem| Farewell::because(close::UNAUTHORIZED, problem))?;
    let presence = context.registry.enter(&login.identity);
    let presence = presence.map_err(|problem| Farewell::because(close::TRY_AGAIN_LATER, problem))?;
    Ok((login, presence))
}

async fn read_hello<R>(stream: &mut R) -> Result<Hello, Farewell>
where
    R: Stream<Item = Result<Message, Unread>> + Unpin,
{
    loop {
        let text = match stream.next().await {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
            Some(Ok(Message::Binary(_))) => break,
            Some(Err(unread)) => return Err(unread.into()),
            Some(Ok(Message::Close(_))) | None => return Err(Farewell(None)),
        };
        if text.len() > HELLO_BYTES_MAX {
            break;
        }
        match codec::decode_client(text.as_str()) {
            Ok(ClientFrame::Hello(hello)) => return Ok(hello),
            Ok(_) | Err(_) => break,
        }
    }
    let problem = Problem::bad_request("the first message must be hello, with a version and a credential");
    Err(Farewell::because(close::BAD_FRAME, problem))
}
