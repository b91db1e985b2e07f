//! The link to the gateway as a state machine: when to dial, what to say, when to give up on a
//! socket that is silent. Never a socket, never a row; the clock and the dice are arguments.

use std::collections::VecDeque;

use shared::frame::client::{Ack, ClientFrame, Credential, Hello, Ping};
use shared::frame::{self, close};
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use crate::client::Output;
use crate::limits::{
    ACK_AFTER_MS, ACK_BYTES, BACKOFF_FIRST_MS, BACKOFF_MAX_MS, OPEN_TIMEOUT_MS, PING_AFTER_MS,
    PONG_TIMEOUT_MS, SPREAD_DEFAULT_MS, SPREAD_MAX_MS,
};
use crate::messages;
use crate::now::Now;

#[derive(Debug)]
pub struct Connection {
    link: Link,
    hello: Hello,
    /// Tries that failed since the last `welcome`.
    tries: u32,
    /// Since when there is no gateway; `None` while there is one, or before the first try.
    lost_ms: Option<UnixMillis>,
    /// How long the last absence lasted: "The connection was gone for 9 s".
    absence_ms: Option<i64>,
    spread_ms: u32,
    /// Why the last connection ended.
    problem: Option<Problem>,
}

/// Each state with what it alone knows.
#[derive(Clone, Debug, PartialEq)]
pub enum Link {
    /// Nobody wants a connection: before the start, or while the page is hidden.
    Resting,
    Waiting {
        until_ms: UnixMillis,
    },
    /// `Connect` was asked for.
    Dialling {
        deadline_ms: UnixMillis,
    },
    /// `hello` was said; what comes counts from the first byte.
    Greeting {
        deadline_ms: UnixMillis,
        received_bytes: u64,
    },
    Open(Open),
    /// The credential isn't taken: another one is needed.
    Refused {
        problem: Problem,
    },
    /// Another version: only a reload helps.
    OtherVersion {
        problem: Problem,
        since_ms: UnixMillis,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    heard_ms: UnixMillis,
    /// A ping without its pong.
    asked: Option<(u64, UnixMillis)>,
    pings: u64,
    received_bytes: u64,
    acknowledged_bytes: u64,
    /// When the oldest unacknowledged byte came.
    owed_ms: Option<UnixMillis>,
}

type Outputs = VecDeque<Output>;

impl Connection {
    /// `client` is who speaks, for the gateway's log: `page 0.1.0`.
    #[must_use]
    pub fn new(client: &str, credential: Option<Credential>) -> Self {
        Self {
            link: Link::Resting,
            hello: Hello { version: frame::VERSION.into(), credential, client: client.into() },
            tries: 0,
            lost_ms: None,
            absence_ms: None,
            spread_ms: SPREAD_DEFAULT_MS,
            problem: None,
        }
    }

    #[must_use]
    pub fn link(&self) -> &Link {
        &self.link
    }

    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.link, Link::Open(_))
    }

    /// Failed tries since the last `welcome`.
    #[must_use]
    pub fn tries(&self) -> u32 {
        self.tries
    }

    /// Since when no gateway answers.
    #[must_use]
    pub fn lost_ms(&self) -> Option<UnixMillis> {
        self.lost_ms
    }

    #[must_use]
    pub fn absence_ms(&self) -> Option<i64> {
        self.absence_ms
    }

    #[must_use]
    pub fn problem(&self) -> Option<&Problem> {
        self.problem.as_ref()
    }

    /// When it dials next, if it waits.
    #[must_use]
    pub fn next_try_ms(&self) -> Option<UnixMillis> {
        match self.link {
            Link::Waiting { until_ms } => Some(until_ms),
            _ => None,
        }
    }

    /// Dials unless something is under way: the start, a click on "Try now", `online`, a page that
    /// is seen again. A refused credential and another version stay refused.
    pub(crate) fn dial(&mut self, now: Now, outputs: &mut Outputs) {
        if matches!(self.link, Link::Resting | Link::Waiting { .. }) {
            self.lost_ms.get_or_insert(now.now_ms);
            self.link = Link::Dialling { deadline_ms: now.now_ms + OPEN_TIMEOUT_MS };
            outputs.push_back(Output::Connect);
        }
    }

    /// A new credential: dials with it where the former was refused.
    pub(crate) fn set_credential(&mut self, credential: Option<Credential>, now: Now, outputs: &mut Outputs) {
        self.hello.credential = credential;
        if matches!(self.link, Link::Refused { .. }) {
            self.link = Link::Resting;
            self.dial(now, outputs);
        }
    }

    pub(crate) fn opened(&mut self, now: Now, outputs: &mut Outputs) {
        if matches!(self.link, Link::Dialling { .. }) {
            self.link = Link::Greeting { deadline_ms: now.now_ms + OPEN_TIMEOUT_MS, received_bytes: 0 };
            outputs.push_back(Output::Send(ClientFrame::Hello(self.hello.clone())));
        }
    }

    /// # Errors
    /// The problem, where the gateway speaks another version: nothing it says can be trusted then.
    pub(crate) fn welcomed(&mut self, version: &str, now: Now, outputs: &mut Outputs) -> Result<(), Problem> {
        if version != frame::VERSION {
            let problem = Problem::new(Reason::Version, messages::other_version(version));
            self.link = Link::OtherVersion { problem: problem.clone(), since_ms: now.now_ms };
            outputs.push_back(Output::Close { code: close::VERSION });
            return Err(problem);
        }
        // Only once: what was received and acknowledged goes on counting.
        let Link::Greeting { received_bytes, .. } = self.link else { return Ok(()) };
        self.link = Link::Open(Open {
            heard_ms: now.now_ms,
            asked: None,
            pings: 0,
            received_bytes,
            acknowledged_bytes: 0,
            owed_ms: (received_bytes > 0).then_some(now.now_ms),
        });
        self.tries = 0;
        self.problem = None;
        self.absence_ms = self.lost_ms.take().map(|lost| now.now_ms.saturating_sub(lost));
        Ok(())
    }

    /// Every message counts: as a sign of life, and as bytes to acknowledge.
    pub(crate) fn heard(&mut self, bytes: u64, now: Now, outputs: &mut Outputs) {
        match &mut self.link {
            Link::Greeting { received_bytes, .. } => *received_bytes = received_bytes.saturating_add(bytes),
            Link::Open(open) => {
                open.heard_ms = now.now_ms;
                open.asked = None;
                open.received_bytes = open.received_bytes.saturating_add(bytes);
                if bytes > 0 {
                    open.owed_ms.get_or_insert(now.now_ms);
                }
                open.acknowledge(now.now_ms, outputs);
            }
            _ => {}
        }
    }

    pub(crate) fn spread(&mut self, spread_ms: u32) {
        self.spread_ms = spread_ms.min(SPREAD_MAX_MS);
    }

    /// What the gateway said before it closed; kept for the sentence that people see.
    pub(crate) fn complained(&mut self, problem: Problem) {
        self.problem = Some(problem);
    }

    pub(crate) fn closed(&mut self, code: Option<u16>, now: Now) {
        if matches!(self.link, Link::Resting | Link::Refused { .. } | Link::OtherVersion { .. }) {
            return;
        }
        self.lost_ms.get_or_insert(now.now_ms);
        let said = self.problem.take();
        match code {
            Some(close::UNAUTHORIZED) => {
                let problem = said.unwrap_or_else(|| Problem::new(Reason::Unauthorized, messages::refused()));
                self.problem = Some(problem.clone());
                self.link = Link::Refused { problem };
            }
            Some(close::VERSION) => {
                let problem =
                    said.unwrap_or_else(|| Problem::new(Reason::Version, messages::other_version("?")));
                self.problem = Some(problem.clone());
                self.link = Link::OtherVersion { problem, since_ms: now.now_ms };
            }
            code => {
                self.problem = Some(said.unwrap_or_else(|| closing(code)));
                self.wait(now);
            }
        }
    }

    /// The first try is spread as the gateway asked, so that a thousand viewers don't come at once;
    /// the following ones back off with full jitter.
    fn wait(&mut self, now: Now) {
        let spread_ms = i64::from(self.spread_ms);
        let ceiling_ms = match self.tries {
            0 => spread_ms,
            tries => BACKOFF_FIRST_MS
                .saturating_mul(1_i64.checked_shl(tries - 1).unwrap_or(i64::MAX))
                .clamp(BACKOFF_FIRST_MS, BACKOFF_MAX_MS)
                .max(spread_ms),
        };
        self.tries = self.tries.saturating_add(1);
        self.link = Link::Waiting { until_ms: now.now_ms + share(ceiling_ms, now.chance) };
    }

    /// The page is hidden and has given everything back: no need to dial.
    pub(crate) fn rest(&mut self) {
        if matches!(self.link, Link::Waiting { .. }) {
            self.link = Link::Resting;
        }
    }

    /// When [`Connection::timer`] has something to do.
    #[must_use]
    pub(crate) fn timer_ms(&self) -> Option<UnixMillis> {
        match &self.link {
            Link::Waiting { until_ms } => Some(*until_ms),
            Link::Dialling { deadline_ms } | Link::Greeting { deadline_ms, .. } => Some(*deadline_ms),
            Link::Open(open) => Some(open.timer_ms()),
            Link::Resting | Link::Refused { .. } | Link::OtherVersion { .. } => None,
        }
    }

    /// `true` where a connection that stood is given up: what hung on it ends.
    pub(crate) fn timer(&mut self, now: Now, outputs: &mut Outputs) -> bool {
        let now_ms = now.now_ms;
        match &mut self.link {
            Link::Waiting { until_ms } if now_ms >= *until_ms => self.dial(now, outputs),
            Link::Dialling { deadline_ms } | Link::Greeting { deadline_ms, .. } if now_ms >= *deadline_ms => {
                self.give_up(now, outputs);
            }
            Link::Open(open) => {
                open.acknowledge(now_ms, outputs);
                if open.is_silent(now_ms, outputs) {
                    self.give_up(now, outputs);
                    return true;
                }
            }
            _ => {}
        }
        false
    }

    fn give_up(&mut self, now: Now, outputs: &mut Outputs) {
        outputs.push_back(Output::Close { code: NORMAL_CLOSURE });
        self.problem = Some(Problem::new(Reason::TimedOut, messages::silent_gateway()));
        self.closed(None, now);
    }
}

/// RFC 6455.
const NORMAL_CLOSURE: u16 = 1000;

impl Open {
    fn acknowledge(&mut self, now_ms: UnixMillis, outputs: &mut Outputs) {
        let owed_bytes = self.received_bytes.saturating_sub(self.acknowledged_bytes);
        let waited = self.owed_ms.is_some_and(|owed| now_ms.saturating_sub(owed) >= ACK_AFTER_MS);
        if owed_bytes >= ACK_BYTES || (owed_bytes > 0 && waited) {
            self.acknowledged_bytes = self.received_bytes;
            self.owed_ms = None;
            outputs.push_back(Output::Send(ClientFrame::Ack(Ack { bytes: self.received_bytes })));
        }
    }

    /// Asks after a silence; `true` when nothing came after that either.
    fn is_silent(&mut self, now_ms: UnixMillis, outputs: &mut Outputs) -> bool {
        match self.asked {
            Some((_, asked_ms)) => now_ms.saturating_sub(asked_ms) >= PONG_TIMEOUT_MS,
            None => {
                if now_ms.saturating_sub(self.heard_ms) >= PING_AFTER_MS {
                    self.pings += 1;
                    self.asked = Some((self.pings, now_ms));
                    outputs.push_back(Output::Send(ClientFrame::Ping(Ping { n: self.pings })));
                }
                false
            }
        }
    }

    fn timer_ms(&self) -> UnixMillis {
        let life_ms = match self.asked {
            Some((_, asked_ms)) => asked_ms + PONG_TIMEOUT_MS,
            None => self.heard_ms + PING_AFTER_MS,
        };
        self.owed_ms.map_or(life_ms, |owed_ms| life_ms.min(owed_ms + ACK_AFTER_MS))
    }
}

fn closing(code: Option<u16>) -> Problem {
    match code {
        Some(close::SERVICE_RESTART) => Problem::new(Reason::ShuttingDown, messages::gateway_restarts()),
        _ => Problem::new(Reason::ConnectionClosed, messages::gateway_gone()),
    }
}

/// A part of a duration, by chance; never negative.
fn share(whole_ms: i64, chance: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a few minutes at most")]
    let part_ms = (whole_ms as f64 * chance.clamp(0.0, 1.0)) as i64;
    part_ms
}

#[cfg(test)]
mod tests;
