//! What goes out on a session's socket: one message after the other as the sink has room, and a last one with the close.

use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes};
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use tokio::time::timeout;

use super::Unread;
use super::protocol::Close;
use crate::hub::Encoded;
use crate::limits::{CLOSE_S, MESSAGES_AFTER_CLOSE_MAX};

/// What the sink can do next.
pub(super) enum Written {
    MayWrite,
    Flushed,
}

/// Polls, so that it can stand beside reading without either being lost.
pub(super) fn write_step<W: Sink<Message> + Unpin>(
    sink: &mut W,
    cx: &mut TaskContext<'_>,
    must_write: bool,
    flushed: bool,
) -> Poll<Result<Written, ()>> {
    if must_write {
        sink.poll_ready_unpin(cx).map(|ready| ready.map(|()| Written::MayWrite).map_err(drop))
    } else if flushed {
        Poll::Pending
    } else {
        sink.poll_flush_unpin(cx).map(|done| done.map(|()| Written::Flushed).map_err(drop))
    }
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
