//! A socket without a network: a session at one end, the client of a stream at the other. Each direction holds a few
//! messages, so that a sender waits for a slow reader, as on a socket.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::extract::ws::Message;
use futures_util::{Sink, SinkExt, Stream};
use tokio::sync::mpsc;
use tokio_util::sync::{PollSendError, PollSender};

use crate::limits::{STREAM_REPLIES_MAX, STREAM_REQUESTS_MAX};
use crate::session::Unread;

/// The session's end.
pub struct Duplex {
    requests: mpsc::Receiver<Message>,
    replies: PollSender<Message>,
}

/// The client's end.
pub struct ClientEnd {
    pub(crate) to: mpsc::Sender<Message>,
    pub(crate) from: mpsc::Receiver<Message>,
}

#[must_use]
pub fn duplex() -> (Duplex, ClientEnd) {
    let (to, requests) = mpsc::channel(STREAM_REQUESTS_MAX);
    let (replies, from) = mpsc::channel(STREAM_REPLIES_MAX);
    (Duplex { requests, replies: PollSender::new(replies) }, ClientEnd { to, from })
}

impl Stream for Duplex {
    type Item = Result<Message, Unread>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.requests.poll_recv(cx).map(|message| message.map(Ok))
    }
}

impl Sink<Message> for Duplex {
    type Error = PollSendError<Message>;

    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.replies.poll_ready_unpin(cx)
    }

    fn start_send(mut self: Pin<&mut Self>, message: Message) -> Result<(), Self::Error> {
        self.replies.start_send_unpin(message)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.replies.poll_flush_unpin(cx)
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.replies.poll_close_unpin(cx)
    }
}
