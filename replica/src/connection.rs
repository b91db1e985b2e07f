//! The connection to the gateway as a state machine: when to connect, what to send, when to give up a silent
//! socket. It touches no socket; time and chance are arguments.

use std::collections::VecDeque;

use shared::frame::client::{Ack, Auth, ClientFrame, Credential, Has, Ping, Proof};
use shared::frame::server::Challenge;
use shared::frame::{self, close};
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use crate::events::Output;
use crate::limits::{
    ACK_AFTER_MS, ACK_BYTES, BACKOFF_FIRST_MS, BACKOFF_MAX_MS, OPEN_TIMEOUT_MS, PING_AFTER_MS,
    PONG_TIMEOUT_MS, SPREAD_DEFAULT_MS, SPREAD_MAX_MS,
};
use crate::now::Now;
use crate::sign_in::SignIn;
pub use login::Refusal;
use login::{Answer, Login};

mod login;

/// The connection to the gateway. It decides when the driver opens a socket, what is sent to be let in, when bytes are
/// acknowledged, when a silent socket is given up, and how long to wait before the next try. It knows nothing of views:
/// the client passes on what happened, and reads from it whether there is a connection and why there is none.
#[derive(Debug)]
pub struct Connection {
    link: Link,
    login: Login,
    absence: Absence,
    backoff: Backoff,
    /// Why the last connection ended.
    problem: Option<Problem>,
    /// What the gateway itself said on the last connection, before that ended.
    said: Option<Problem>,
}

/// How long there has been no gateway.
#[derive(Debug, Default)]
struct Absence {
    /// Since when; `None` while there is one, or before the first try.
    lost_ms: Option<UnixMillis>,
    /// How long the last absence lasted.
    last_ms: Option<i64>,
}

/// How long to wait before the next try.
#[derive(Debug)]
struct Backoff {
    /// Tries that failed since the last `welcome`.
    tries: u32,
    /// As the gateway asked for.
    spread_ms: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Link {
    /// No connection is wanted: before the start, while the page is hidden, or after [`super::client::Input::Leave`].
    Resting,
    Waiting {
        until_ms: UnixMillis,
    },
    /// The driver opens a socket.
    Dialling {
        deadline_ms: UnixMillis,
    },
    /// The socket is open and `welcome` is awaited. Bytes are counted from the first one.
    Greeting {
        deadline_ms: UnixMillis,
        received_bytes: u64,
    },
    Open(Open),
    /// Another credential is needed.
    Refused {
        why: Refusal,
        problem: Problem,
    },
    /// Another version: only a reload helps.
    OtherVersion {
        problem: Problem,
        since_ms: UnixMillis,
    },
}

impl Link {
    /// Why another try would be refused as well: the credential or the version was.
    #[must_use]
    pub fn refusal(&self) -> Option<&Problem> {
        match self {
            Self::Refused { problem, .. } | Self::OtherVersion { problem, .. } => Some(problem),
            _ => None,
        }
    }
}

/// What is counted of an open connection: its signs of life, and the bytes that came against those that the gateway was
/// told of. [`Connection::received`] and [`Connection::timer`] move it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    received_ms: UnixMillis,
    /// When a ping was sent that isn't answered yet.
    pinged_ms: Option<UnixMillis>,
    pings: u64,
    received_bytes: u64,
    acknowledged_bytes: u64,
    /// When the oldest byte came that isn't acknowledged yet.
    unacknowledged_ms: Option<UnixMillis>,
}

type Outputs = VecDeque<Output>;

impl Connection {
    /// `client` names the program in the gateway's log: `page 0.1.0`.
    #[must_use]
    pub fn new(client: &str, sign_in: SignIn) -> Self {
        Self {
            link: Link::Resting,
            login: Login::new(client, sign_in),
            absence: Absence::default(),
            backoff: Backoff { tries: 0, spread_ms: SPREAD_DEFAULT_MS },
            problem: None,
            said: None,
        }
    }

    #[must_use]
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// Since when there is no gateway; `None` while there is one, or before the first try.
    #[must_use]
    pub fn lost_ms(&self) -> Option<UnixMillis> {
        self.absence.lost_ms
    }

    /// How long the last absence lasted: "The connection was gone for 9 s".
    #[must_use]
    pub fn absence_ms(&self) -> Option<i64> {
        self.absence.last_ms
    }

    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.link, Link::Open(_))
    }

    /// What the gateway said before it closed the last connection. `None` if it said nothing, or wasn't there.
    #[must_use]
    pub fn said(&self) -> Option<&Problem> {
        self.said.as_ref()
    }

    /// When it dials next, if it waits.
    #[must_use]
    pub fn next_try_ms(&self) -> Option<UnixMillis> {
        match self.link {
            Link::Waiting { until_ms } => Some(until_ms),
            _ => None,
        }
    }

    /// Connects unless it is about to: at the start, when the reader or the network asks for it, when the page
    /// is visible again. A refused credential and another version stay refused.
    pub(crate) fn dial(&mut self, now: Now, outputs: &mut Outputs) {
        if matches!(self.link, Link::Resting | Link::Waiting { .. }) {
            self.absence.begins(now.now_ms);
            self.said = None;
            self.link = Link::Dialling { deadline_ms: now.now_ms + OPEN_TIMEOUT_MS };
            outputs.push_back(Output::Connect);
        }
    }

    /// `has`: what `hello` says that the client has already.
    pub(crate) fn opened(&mut self, has: Vec<Has>, now: Now, outputs: &mut Outputs) {
        if !matches!(self.link, Link::Dialling { .. }) {
            return;
        }
        self.link = Link::Greeting { deadline_ms: now.now_ms + OPEN_TIMEOUT_MS, received_bytes: 0 };
        outputs.extend(self.login.opened(has).map(Output::Send));
    }

    /// The gateway asks for a proof, or says how it wants to be asked. `has` as with [`Connection::opened`].
    pub(crate) fn challenged(&mut self, asked: Challenge, has: Vec<Has>, now: Now, outputs: &mut Outputs) {
        let is_open = self.is_open();
        let is_answered = is_open || matches!(self.link, Link::Greeting { .. });
        match self.login.challenged(asked, is_open).filter(|_| is_answered) {
            Some(Answer::Prove { nonce }) => {
                self.login.proves(nonce.clone());
                outputs.push_back(Output::Prove { nonce });
            }
            Some(Answer::Hello) => outputs.push_back(Output::Send(self.login.hello(None, has))),
            Some(Answer::Lack(why)) => self.lack(why, now, outputs),
            None => {}
        }
    }

    /// The driver's answer to [`Output::Prove`]; `None` if it holds no key. An answer of an earlier connection is dropped.
    pub(crate) fn proved(
        &mut self,
        nonce: &str,
        proof: Option<Proof>,
        has: Vec<Has>,
        now: Now,
        outputs: &mut Outputs,
    ) {
        if !self.login.is_proved(nonce) {
            return;
        }
        let credential = proof.map(Credential::Proof);
        match (&self.link, credential) {
            (Link::Greeting { .. }, None) => self.lack(Refusal::NoKey, now, outputs),
            (Link::Greeting { .. }, credential) => {
                outputs.push_back(Output::Send(self.login.hello(credential, has)));
            }
            (Link::Open(_), Some(credential)) => {
                outputs.push_back(Output::Send(ClientFrame::Auth(Auth { credential })));
            }
            // The gateway says when the login is over.
            _ => {}
        }
    }

    /// The gateway wants a credential that the client hasn't got.
    fn lack(&mut self, why: Refusal, now: Now, outputs: &mut Outputs) {
        outputs.push_back(Output::Close { code: NORMAL_CLOSURE });
        self.absence.begins(now.now_ms);
        let problem = self.problem.take().unwrap_or_else(|| login::lacking(why));
        self.refuse(why, problem);
    }

    fn refuse(&mut self, why: Refusal, problem: Problem) {
        self.problem = Some(problem.clone());
        self.link = Link::Refused { why, problem };
    }

    /// Connects as this where the last login was refused.
    pub(crate) fn set_sign_in(&mut self, sign_in: SignIn, now: Now, outputs: &mut Outputs) {
        let credential = self.login.set_sign_in(sign_in);
        match &self.link {
            Link::Refused { .. } => {
                self.link = Link::Resting;
                self.dial(now, outputs);
            }
            Link::Open(_) => {
                let auth = credential.map(|credential| ClientFrame::Auth(Auth { credential }));
                outputs.extend(auth.map(Output::Send));
            }
            _ => {}
        }
    }

    /// Opens another connection in place of the one that has the former login. `true` where there was one.
    pub(crate) fn renewed(&mut self, now: Now, outputs: &mut Outputs) -> bool {
        let was_open = self.is_open();
        if was_open {
            self.link = Link::Resting;
            self.dial(now, outputs);
        }
        was_open
    }

    /// # Errors
    /// The problem, where the gateway speaks another version and none of its frames can be trusted.
    pub(crate) fn welcomed(&mut self, version: &str, now: Now, outputs: &mut Outputs) -> Result<(), Problem> {
        if version != frame::VERSION {
            let problem = Problem::new(Reason::Version, other_version(version));
            self.link = Link::OtherVersion { problem: problem.clone(), since_ms: now.now_ms };
            outputs.push_back(Output::Close { code: close::VERSION });
            return Err(problem);
        }
        // A second `welcome` changes nothing: what was received and acknowledged goes on counting.
        let Link::Greeting { received_bytes, .. } = self.link else { return Ok(()) };
        self.link = Link::Open(Open {
            received_ms: now.now_ms,
            pinged_ms: None,
            pings: 0,
            received_bytes,
            acknowledged_bytes: 0,
            unacknowledged_ms: (received_bytes > 0).then_some(now.now_ms),
        });
        self.backoff.tries = 0;
        self.problem = None;
        self.login.welcomed();
        self.absence.ends(now.now_ms);
        Ok(())
    }

    /// Every message is a sign of life, and bytes to acknowledge.
    pub(crate) fn received(&mut self, bytes: u64, now: Now, outputs: &mut Outputs) {
        match &mut self.link {
            Link::Greeting { received_bytes, .. } => *received_bytes = received_bytes.saturating_add(bytes),
            Link::Open(open) => {
                open.received_ms = now.now_ms;
                open.pinged_ms = None;
                open.received_bytes = open.received_bytes.saturating_add(bytes);
                if bytes > 0 {
                    open.unacknowledged_ms.get_or_insert(now.now_ms);
                }
                open.acknowledge(now.now_ms, outputs);
            }
            _ => {}
        }
    }

    pub(crate) fn spread(&mut self, spread_ms: u32) {
        self.backoff.spread_ms = spread_ms.min(SPREAD_MAX_MS);
    }

    /// The gateway says why it is about to close.
    pub(crate) fn set_problem(&mut self, problem: Problem) {
        self.said = Some(problem.clone());
        self.problem = Some(problem);
    }

    pub(crate) fn closed(&mut self, code: Option<u16>, now: Now) {
        if matches!(self.link, Link::Resting | Link::Refused { .. } | Link::OtherVersion { .. }) {
            return;
        }
        self.absence.begins(now.now_ms);
        let said = self.problem.take();
        if let Some(problem) = self.login.take_ended() {
            return self.refuse(Refusal::Proxy, problem);
        }
        match code {
            Some(close::UNAUTHORIZED) if self.login.is_by_proxy() && self.is_open() => {
                let problem = said.unwrap_or_else(login::refused);
                self.login.ended(problem.clone());
                self.problem = Some(problem);
                self.wait(now);
            }
            Some(close::UNAUTHORIZED) => {
                self.refuse(self.login.refusal(), said.unwrap_or_else(login::refused));
            }
            Some(close::VERSION) => {
                let problem = said.unwrap_or_else(|| Problem::new(Reason::Version, other_version("")));
                self.problem = Some(problem.clone());
                self.link = Link::OtherVersion { problem, since_ms: now.now_ms };
            }
            code => {
                self.problem = Some(said.unwrap_or_else(|| closing(code)));
                self.wait(now);
            }
        }
    }

    fn wait(&mut self, now: Now) {
        self.link = Link::Waiting { until_ms: now.now_ms + self.backoff.next_ms(now.chance) };
    }

    /// A page that is hidden and has no subscriptions needs no connection.
    pub(crate) fn rest(&mut self) {
        if matches!(self.link, Link::Waiting { .. }) {
            self.link = Link::Resting;
        }
    }

    /// Ends the connection. `true` where there was one. What the gateway refused stays refused.
    pub(crate) fn leave(&mut self, outputs: &mut Outputs) -> bool {
        if matches!(self.link, Link::Resting | Link::Refused { .. } | Link::OtherVersion { .. }) {
            return false;
        }
        let had_socket = !matches!(self.link, Link::Waiting { .. });
        self.link = Link::Resting;
        if had_socket {
            outputs.push_back(Output::Close { code: NORMAL_CLOSURE });
        }
        had_socket
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

    /// `true` where an open connection is given up.
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
        self.problem = Some(Problem::new(Reason::TimedOut, "the gateway didn't answer in time"));
        self.closed(None, now);
    }
}

impl Absence {
    fn begins(&mut self, now_ms: UnixMillis) {
        self.lost_ms.get_or_insert(now_ms);
    }

    fn ends(&mut self, now_ms: UnixMillis) {
        self.last_ms = self.lost_ms.take().map(|lost| now_ms.saturating_sub(lost));
    }
}

impl Backoff {
    /// The first try is spread as the gateway asked, so that a thousand viewers don't come at once. Later
    /// ones back off with full jitter.
    fn next_ms(&mut self, chance: f64) -> i64 {
        let spread_ms = i64::from(self.spread_ms);
        let ceiling_ms = match self.tries {
            0 => spread_ms,
            tries => BACKOFF_FIRST_MS
                .saturating_mul(1_i64.checked_shl(tries - 1).unwrap_or(i64::MAX))
                .clamp(BACKOFF_FIRST_MS, BACKOFF_MAX_MS)
                .max(spread_ms),
        };
        self.tries = self.tries.saturating_add(1);
        jitter(ceiling_ms, chance)
    }
}

/// RFC 6455.
const NORMAL_CLOSURE: u16 = 1000;

impl Open {
    fn acknowledge(&mut self, now_ms: UnixMillis, outputs: &mut Outputs) {
        let bytes = self.received_bytes.saturating_sub(self.acknowledged_bytes);
        let waited = self.unacknowledged_ms.is_some_and(|since| now_ms.saturating_sub(since) >= ACK_AFTER_MS);
        if bytes >= ACK_BYTES || (bytes > 0 && waited) {
            self.acknowledged_bytes = self.received_bytes;
            self.unacknowledged_ms = None;
            outputs.push_back(Output::Send(ClientFrame::Ack(Ack { bytes: self.received_bytes })));
        }
    }

    /// Pings after a silence; `true` when nothing came after that either.
    fn is_silent(&mut self, now_ms: UnixMillis, outputs: &mut Outputs) -> bool {
        match self.pinged_ms {
            Some(pinged_ms) => now_ms.saturating_sub(pinged_ms) >= PONG_TIMEOUT_MS,
            None => {
                if now_ms.saturating_sub(self.received_ms) >= PING_AFTER_MS {
                    self.pings += 1;
                    self.pinged_ms = Some(now_ms);
                    outputs.push_back(Output::Send(ClientFrame::Ping(Ping { n: self.pings })));
                }
                false
            }
        }
    }

    fn timer_ms(&self) -> UnixMillis {
        let silent_ms = match self.pinged_ms {
            Some(pinged_ms) => pinged_ms + PONG_TIMEOUT_MS,
            None => self.received_ms + PING_AFTER_MS,
        };
        self.unacknowledged_ms.map_or(silent_ms, |since_ms| silent_ms.min(since_ms + ACK_AFTER_MS))
    }
}

fn closing(code: Option<u16>) -> Problem {
    match code {
        Some(close::SERVICE_RESTART) => {
            Problem::new(Reason::ShuttingDown, "the gateway is going away and will be back")
        }
        _ => Problem::new(Reason::ConnectionClosed, GATEWAY_GONE),
    }
}

pub(crate) const GATEWAY_GONE: &str = "the connection to the gateway is closed";

fn other_version(theirs: &str) -> String {
    let theirs = if frame::is_version(theirs) { theirs } else { "another version" };
    format!("this page speaks {}, the gateway {theirs}", frame::VERSION)
}

/// A random part of a duration.
fn jitter(whole_ms: i64, chance: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a few minutes at most")]
    let part_ms = (whole_ms as f64 * chance.clamp(0.0, 1.0)) as i64;
    part_ms
}

#[cfg(test)]
mod tests;
