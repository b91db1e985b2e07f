//! The client of a stream: it reads the session's messages, and gives the bytes of its events one piece at a time. What
//! the reader of the HTTP answer hasn't taken is not acknowledged, so a slow one costs its credit and nothing more.

use std::time::Duration;

use axum::extract::ws::Message;
use shared::codec;
use shared::frame::client::{Ack, ClientFrame};
use shared::problem::Problem;
use tokio::time::timeout;

use super::duplex::ClientEnd;
use super::query::StreamRequest;
use super::translate::{Ending, Outputs, Translator};
use super::write::{EventSource, Writer};
use crate::clock::gateway_ms;
use crate::limits::STREAM_QUIET_S;

pub struct Reader {
    session: ClientEnd,
    translator: Translator,
    writer: Writer,
    /// The bytes of all messages so far.
    received: u64,
    is_over: bool,
}

impl Reader {
    #[must_use]
    pub fn start(session: ClientEnd, request: StreamRequest) -> Self {
        let writer = Writer::new(request.format, fresh_name());
        let (translator, hello) = Translator::new(request);
        let reader = Self { session, translator, writer, received: 0, is_over: false };
        reader.send(&hello);
        reader
    }

    /// The first piece. Waits until the session has answered.
    ///
    /// # Errors
    /// What the session refuses.
    pub async fn first(&mut self) -> Result<String, Problem> {
        let head = self.writer.head();
        self.piece().await.map(|piece| head.to_owned() + &piece.unwrap_or_default())
    }

    /// The next piece, when the former one was taken. `None`: it was the last.
    pub async fn next(&mut self) -> Option<String> {
        // A refusal is for the first piece alone.
        self.piece().await.unwrap_or_default()
    }

    async fn piece(&mut self) -> Result<Option<String>, Problem> {
        while !self.is_over {
            // The acknowledgement is a sign of life as well, without which the session ends. What is held back isn't taken.
            if !self.translator.holds_back() {
                self.acknowledge();
            }
            let outputs = match timeout(Duration::from_secs(STREAM_QUIET_S), self.session.from.recv()).await {
                Ok(Some(message)) => self.heard(message),
                Ok(None) => self.translator.closed(None),
                Err(_) => self.translator.quiet(gateway_ms()),
            };
            let piece = self.take(outputs)?;
            if !piece.is_empty() {
                return Ok(Some(piece));
            }
        }
        Ok(None)
    }

    fn heard(&mut self, message: Message) -> Outputs {
        let message = match message {
            Message::Text(text) => codec::Message::Text(text.as_str().to_owned()),
            Message::Binary(bytes) => codec::Message::Binary(bytes.into()),
            Message::Close(close) => return self.translator.closed(close.map(|close| close.code)),
            Message::Ping(_) | Message::Pong(_) => return Outputs::default(),
        };
        self.received += message.byte_count() as u64;
        match codec::decode_server(&message) {
            Ok(frame) => self.translator.frame(frame, gateway_ms()),
            // Both ends are of one program.
            Err(_) => self.translator.closed(None),
        }
    }

    fn take(&mut self, outputs: Outputs) -> Result<String, Problem> {
        let Outputs { send, events, end } = outputs;
        if !send.iter().all(|frame| self.send(frame)) {
            let Outputs { events: last, end, .. } = self.translator.closed(None);
            return self.take(Outputs { send: Vec::new(), events: [events, last].concat(), end });
        }
        self.is_over |= end.is_some();
        if let Some(Ending::Refused(problem)) = end {
            return Err(problem);
        }
        let resource = self.translator.resource();
        let source = EventSource { cluster: self.translator.cluster(), resource: &resource };
        let now_ms = gateway_ms();
        Ok(events.iter().map(|event| self.writer.write(event, &source, now_ms)).collect())
    }

    /// An acknowledgement for which there is no room is left out: the next one counts its bytes as well.
    fn acknowledge(&mut self) {
        let ack = ClientFrame::Ack(Ack { bytes: self.received });
        if let Ok(text) = serde_json::to_string(&ack) {
            drop(self.session.to.try_send(Message::text(text)));
        }
    }

    /// There is room for all that a stream asks, unless the session has ended.
    fn send(&self, frame: &ClientFrame) -> bool {
        let text = serde_json::to_string(frame).ok();
        text.is_some_and(|text| self.session.to.try_send(Message::text(text)).is_ok())
    }
}

/// A random name for one stream, for the ids of its CloudEvents. If the system gives no random bytes, all streams have
/// one name.
fn fresh_name() -> Box<str> {
    let mut bytes = [0; 8];
    let _ = getrandom::fill(&mut bytes);
    format!("{:016x}", u64::from_ne_bytes(bytes)).into()
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, SinkExt, StreamExt};
    use shared::frame::server::{Auth, ServerFrame};

    use super::*;
    use crate::stream::duplex::{Duplex, duplex};
    use crate::stream::query::Head;

    /// The last acknowledgement that has come.
    fn acknowledged(session: &mut Duplex) -> Option<u64> {
        let mut last = None;
        while let Some(Some(Ok(Message::Text(text)))) = session.next().now_or_never() {
            if let Ok(ClientFrame::Ack(ack)) = codec::decode_client(text.as_str()) {
                last = Some(ack.bytes);
            }
        }
        last
    }

    /// R-NET-4: so a session stays no further ahead of a slow reader than its credit.
    #[tokio::test]
    async fn what_was_not_taken_is_not_acknowledged() {
        let (mut session, client) = duplex();
        let request = StreamRequest::parse("resource=pods", Head::default()).expect("a request");
        let mut reader = Reader::start(client, request);
        let frame = ServerFrame::Auth(Auth { user: "m".into(), expires_ms: Some(1) });
        let text = serde_json::to_string(&frame).expect("json");
        session.send(Message::text(text.as_str())).await.expect("sent");
        assert!(reader.first().await.expect("let in").contains("auth"));
        assert_eq!(acknowledged(&mut session), Some(0), "it is on its way");
        session.send(Message::text(text.as_str())).await.expect("sent");
        assert!(reader.next().await.is_some());
        assert_eq!(acknowledged(&mut session), Some(text.len() as u64), "the first was taken");
    }
}
