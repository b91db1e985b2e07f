//! The session beside a watch. It has the viewer's rights, their login and their limits, and says when one of them ends.
//! It sends no rows: those are read of the feed's events.

use std::time::Duration;

use axum::extract::ws::Message;
use shared::codec;
use shared::frame::VERSION;
use shared::frame::client::{Ack, ClientFrame, Hello, SubscriptionId};
use shared::frame::server::ServerFrame;
use shared::problem::{Problem, Reason};
use shared::scope::Namespaces;
use shared::state::ViewState;
use tokio::time::{Instant, sleep_until};

use crate::limits::STREAM_QUIET_S;
use crate::stream::ClientEnd;

/// The only subscription of such a session.
pub(super) const ID: SubscriptionId = 1;

/// The client's end of that session.
pub(super) struct Control {
    session: ClientEnd,
    asked: Namespaces,
    /// The bytes of all messages so far.
    received: u64,
    /// When the session is to hear of this client again.
    due: Instant,
}

/// What the session says of the watch.
#[derive(Debug, PartialEq)]
pub(super) enum Told {
    /// It may be had.
    Open,
    /// It may not be had, or not any more.
    Over(Problem),
    /// Its kind isn't served any more, at which an API server ends its watches without an error.
    Gone,
}

impl Control {
    /// `asked`: the namespaces of the request, of which all are to be granted.
    pub(super) fn start(session: ClientEnd, asked: Namespaces) -> Self {
        let control = Self { session, asked, received: 0, due: next_due() };
        control.send(&ClientFrame::Hello(Hello {
            version: VERSION.into(),
            credential: None,
            client: "kubernetes".into(),
            has: Vec::new(),
        }));
        control
    }

    /// Returns when there is something to say. A wait that is dropped loses nothing.
    pub(super) async fn next(&mut self) -> Told {
        loop {
            let message = tokio::select! {
                message = self.session.from.recv() => message,
                () = sleep_until(self.due) => {
                    self.acknowledge();
                    continue;
                }
            };
            let Some(message) = message else { return over("the session of this watch has ended") };
            if let Some(told) = self.heard(message) {
                return told;
            }
        }
    }

    fn heard(&mut self, message: Message) -> Option<Told> {
        let message = match message {
            Message::Text(text) => codec::Message::Text(text.as_str().to_owned()),
            Message::Binary(bytes) => codec::Message::Binary(bytes.into()),
            Message::Close(_) => return Some(over("the session of this watch has ended")),
            Message::Ping(_) | Message::Pong(_) => return None,
        };
        self.received += message.byte_count() as u64;
        self.acknowledge();
        // Both ends are of one program.
        let Ok(frame) = codec::decode_server(&message) else {
            return Some(over("the session can't be read"));
        };
        match frame {
            ServerFrame::Subscribed(subscribed) if subscribed.scope.namespaces != self.asked => {
                let message = "only some namespaces of it may be seen";
                Some(Told::Over(Problem::new(Reason::Forbidden, message)))
            }
            ServerFrame::Subscribed(subscribed) => match subscribed.state.state {
                ViewState::Forbidden { .. } => Some(Told::Over(because(subscribed.state.problem))),
                _ => Some(Told::Open),
            },
            ServerFrame::State(frame) => match frame.report.state {
                ViewState::Forbidden { .. } => Some(Told::Over(because(frame.report.problem))),
                ViewState::Gone { .. } => Some(Told::Gone),
                _ => None,
            },
            ServerFrame::Problem(frame) if frame.id == Some(ID) => Some(Told::Over(frame.problem)),
            ServerFrame::Goaway(goaway) => Some(Told::Over(goaway.problem)),
            _ => None,
        }
    }

    fn acknowledge(&mut self) {
        self.due = next_due();
        self.send(&ClientFrame::Ack(Ack { bytes: self.received }));
    }

    /// What has no room is left out: the next acknowledgement counts its bytes as well.
    fn send(&self, frame: &ClientFrame) {
        if let Ok(text) = serde_json::to_string(frame) {
            drop(self.session.to.try_send(Message::text(text)));
        }
    }
}

fn next_due() -> Instant {
    Instant::now() + Duration::from_secs(STREAM_QUIET_S)
}

fn because(problem: Option<Problem>) -> Problem {
    problem.unwrap_or_else(|| Problem::new(Reason::Forbidden, "this may not be seen"))
}

fn over(message: &str) -> Told {
    Told::Over(Problem::new(Reason::ServiceUnavailable, message))
}
