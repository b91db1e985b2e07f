//! One open WebSocket: frames out, inputs in, both at once. It never connects by itself.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Context, Poll, ready};

use futures_util::{SinkExt, StreamExt};
use shared::codec::{self, INFLATED_BYTES_MAX, Message};
use shared::frame::VERSION;
use shared::frame::client::ClientFrame;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderValue, header};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Error};

use super::SEND_TIMEOUT;
use crate::client::Input;

/// Asks for the protocol over a stream that is open already.
///
/// # Errors
/// What the library says: the other end is no gateway, or refuses.
pub async fn handshake<S: AsyncRead + AsyncWrite + Unpin>(
    uri: &str,
    authorization: Option<HeaderValue>,
    stream: S,
) -> Result<WebSocketStream<S>, Error> {
    let mut request = uri.into_client_request()?;
    request.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(VERSION));
    if let Some(authorization) = authorization {
        request.headers_mut().insert(header::AUTHORIZATION, authorization);
    }
    let config = WebSocketConfig::default().max_message_size(Some(INFLATED_BYTES_MAX));
    let (socket, _) = tokio_tungstenite::client_async_with_config(request, stream, Some(config)).await?;
    Ok(socket)
}

/// What a message of the library carries: a frame's bytes, nothing for the client, or the end with its
/// close code.
///
/// # Errors
/// The close code, where there was one: nothing more comes.
pub fn message(
    received: Option<Result<tungstenite::Message, Error>>,
) -> Result<Option<Message>, Option<u16>> {
    match received {
        Some(Ok(tungstenite::Message::Text(text))) => Ok(Some(Message::Text(text.as_str().to_owned()))),
        Some(Ok(tungstenite::Message::Binary(bytes))) => Ok(Some(Message::Binary(bytes.to_vec()))),
        Some(Ok(tungstenite::Message::Close(frame))) => Err(frame.map(|frame| frame.code.into())),
        Some(Ok(_)) => Ok(None),
        Some(Err(_)) | None => Err(None),
    }
}

/// An open connection to a gateway.
pub struct Socket<S> {
    stream: WebSocketStream<S>,
    /// Frames that the stream hasn't taken yet: at most what the client says between two inputs.
    outbox: VecDeque<tungstenite::Message>,
    /// By when everything that was said must be with the kernel.
    send_deadline: Option<Instant>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Socket<S> {
    #[must_use]
    pub fn new(stream: WebSocketStream<S>) -> Self {
        Self { stream, outbox: VecDeque::new(), send_deadline: None }
    }

    pub(super) fn send_deadline(&self) -> Option<Instant> {
        self.send_deadline
    }

    /// Sends the frame while the caller waits for [`Self::next`].
    pub fn send(&mut self, frame: &ClientFrame) {
        // A client's frames are short and always text.
        let Ok(json) = serde_json::to_string(frame) else { return };
        self.outbox.push_back(tungstenite::Message::text(json));
        self.send_deadline.get_or_insert_with(|| Instant::now() + SEND_TIMEOUT);
    }

    /// The next message, or the end. Cancel-safe: what isn't sent yet stays in the outbox.
    pub async fn next(&mut self) -> Input {
        let message = loop {
            match message(poll_fn(|context| self.poll(context)).await) {
                Ok(Some(message)) => break message,
                Ok(None) => {}
                Err(code) => return Input::Closed { code },
            }
        };
        let bytes = u64::try_from(message.byte_count()).unwrap_or(u64::MAX);
        match codec::decode_server(&message) {
            Ok(frame) => Input::Frame { frame: Box::new(frame), bytes },
            Err(_) => Input::Unreadable { bytes },
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<tungstenite::Message, Error>>> {
        let sent = self.poll_send(context);
        match (self.stream.poll_next_unpin(context), sent) {
            // A gateway that refuses to read may have said why: its close code comes first.
            (Poll::Pending, Poll::Ready(Err(error))) => Poll::Ready(Some(Err(error))),
            (received, _) => received,
        }
    }

    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        if self.send_deadline.is_none() {
            return Poll::Ready(Ok(()));
        }
        while !self.outbox.is_empty() {
            ready!(self.stream.poll_ready_unpin(context))?;
            if let Some(frame) = self.outbox.pop_front() {
                self.stream.start_send_unpin(frame)?;
            }
        }
        ready!(self.stream.poll_flush_unpin(context))?;
        self.send_deadline = None;
        Poll::Ready(Ok(()))
    }

    pub(super) async fn close(mut self) -> Result<(), Error> {
        self.stream.close(None).await
    }
}
