//! What goes into a session and what comes out of it. Never how it is decided.

use std::borrow::Cow;
use std::sync::Arc;

use shared::frame::client::{Credential, PastAsked, SubscriptionId};
use shared::frame::server::{Challenge, ProblemFrame, ServerFrame, ViewId};
use shared::frame::{CLIENT_FRAME_BYTES_MAX, close};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use super::logs::LogRequest;
use super::surroundings::{Surroundings, Team};
use crate::access::{Grant, Login, Question};
use crate::audit::Decision;
use crate::cluster::{ChildrenQuestion, FoundChildren, Subject};
use crate::feed::FeedKey;
use crate::hub::{HubRequest, SendPermit, SubscriberKey, ToSession};
use crate::limits::WS_MESSAGE_BYTES_MAX;
use crate::logs::LogSaid;
use crate::rate_limiter::MonotonicMs;
use crate::session::Unread;
use crate::subscription_request::SubscriptionRequest;

/// All that can happen to a session. `T`: the text of a message. `H`: how a hub is reached.
#[derive(Debug)]
pub enum Action<T, H> {
    /// A text message of the client.
    Text(T),
    /// What this session is for, where its client is in the gateway.
    Asked(Box<SubscriptionRequest>),
    /// A message that is neither text nor a close.
    Binary,
    /// A ping or a pong of the WebSocket, which shows that the client lives.
    Heartbeat,
    Hub(ToSession),
    /// A credential was looked at.
    Login(Result<Login, Problem>),
    /// What the viewer may see of a subscription, or that it changed.
    Granted(SubscriptionId, Grant),
    /// The gateway around the session has changed: what is shown and masked, or a cluster came or went, its state
    /// changed, or discovery found other kinds there.
    Surroundings(Surroundings),
    /// What a welcome says of the team has changed.
    Team(Team),
    /// The answer to [`Effect::Count`]: whether the person may subscribe once more.
    Counted(AnswerId, Result<(), Problem>),
    /// The answer to [`Effect::NumberView`].
    Numbered(AnswerId, ViewId),
    /// The answer to [`Effect::Open`].
    Opened(AnswerId, Result<Opened<H>, Problem>),
    /// The answer to [`Effect::FindChildren`].
    ChildrenFound(AnswerId, FoundChildren),
    /// The answer to [`Effect::ReadPast`].
    PastRead(AnswerId, Result<ServerFrame, Problem>),
    /// What the logs say that [`Effect::OpenLog`] opened.
    LogSaid(AnswerId, LogSaid),
    /// The answer to [`Effect::Challenge`]. `None`: there is no key, or no randomness.
    Challenged(Option<Challenge>),
    /// A message went out, or what the session was told of the gateway has changed: there may be something to send.
    Written,
    /// The deadline has passed.
    Deadline(LoginLook),
    /// `spread_ms`: how far reconnects are to be spread.
    GoingAway {
        spread_ms: u32,
    },
}

/// Which answer is meant. A subscription that goes another way meanwhile waits for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerId {
    pub(super) subscription: SubscriptionId,
    pub(super) number: u64,
}

impl AnswerId {
    pub(in crate::session) fn subscription(self) -> SubscriptionId {
        self.subscription
    }
}

/// A subscription that a hub has.
#[derive(Debug)]
pub struct Opened<H> {
    pub key: SubscriberKey,
    pub hub: H,
    /// The one of the choices that was taken.
    pub feed: FeedKey,
}

/// What the session of a login, which may be revoked, is at a deadline.
#[derive(Debug, Default)]
pub enum LoginLook {
    /// As before, or there is none.
    #[default]
    Same,
    /// It was revoked.
    Ended,
    /// It was renewed without a credential.
    Renewed(Box<Login>),
    /// The provider didn't say whether it goes on, and for a while it does.
    Unconfirmed(Box<Login>),
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Now {
    pub monotonic_ms: MonotonicMs,
    pub unix_ms: UnixMillis,
    /// The gateway's one clock, by which clients are told the time.
    pub gateway_ms: UnixMillis,
}

/// What is to be done besides sending: first the effects in their order, each with its answer, and then the requests.
/// So a feed that a subscription leaves and comes back to in one action keeps a subscriber.
#[derive(Debug)]
pub struct Effects<H> {
    pub effects: Vec<Effect>,
    pub requests: Vec<(H, HubRequest)>,
    /// The connection ends.
    pub close: Option<Close>,
}

/// What a session wants of the gateway around it.
#[derive(Debug)]
pub enum Effect {
    /// Count one more try to subscribe of this person.
    Count(AnswerId),
    /// Find the number of a view that no hub has.
    NumberView(AnswerId),
    /// Open a subscription at a hub.
    Open(OpenRequest),
    /// Read the record.
    ReadPast(PastRequest),
    /// Tell logs, as far as [`super::Session::takes_logs`] says, until they are closed.
    OpenLog(LogRequest),
    CloseLog(SubscriptionId),
    /// Look for the kinds of the children of a kind.
    FindChildren(ChildrenRequest),
    /// Make what the client's key has to sign.
    Challenge,
    /// Look at a credential, and at the challenge that it may answer.
    Login(Credential, Option<Challenge>),
    /// Watch rights from now on, or no longer.
    Review(ReviewRequest),
    /// Write to the audit log.
    Record(Decision),
    /// Try the clusters that aren't reached now instead of at their next time.
    RetryClusters,
    /// Count that a client's rows weren't the gateway's, so that it begins anew.
    CountMismatch,
}

/// A subscription on its way to a hub.
#[derive(Debug)]
pub struct OpenRequest {
    pub answer: AnswerId,
    pub request: Arc<SubscriptionRequest>,
    pub permit: SendPermit,
    pub(super) choices: Vec<FeedChoice>,
}

/// A question about the past that may be answered.
#[derive(Debug)]
pub struct PastRequest {
    pub answer: AnswerId,
    /// With the namespaces that the viewer may see.
    pub request: Arc<SubscriptionRequest>,
    pub asked: PastAsked,
    /// The viewer may list the kind in the whole cluster.
    pub of_whole_cluster: bool,
}

/// A question about the kinds of children.
#[derive(Debug)]
pub struct ChildrenRequest {
    pub answer: AnswerId,
    pub cluster: ClusterName,
    /// The viewer, where the API server reviews what they may list.
    pub subject: Option<Arc<Subject>>,
    pub question: ChildrenQuestion,
}

/// A feed that can answer a subscription.
#[derive(Clone, Debug)]
pub(super) struct FeedChoice {
    pub(super) feed: FeedKey,
    /// The connection has the view at this feed already.
    pub(super) is_second: bool,
}

/// What is asked about the rights to one subscription.
#[derive(Debug, PartialEq, Eq)]
pub enum ReviewRequest {
    /// In this cluster, in place of what was watched for this subscription before.
    Watch(SubscriptionId, ClusterName, Arc<Subject>, Question),
    Forget(SubscriptionId),
}

/// How the gateway ends a connection.
#[derive(Debug, PartialEq)]
pub struct Close {
    pub code: u16,
    /// The frame that goes out before the close.
    pub last: Option<Box<ServerFrame>>,
}

impl<H> Default for Effects<H> {
    fn default() -> Self {
        Self { effects: Vec::new(), requests: Vec::new(), close: None }
    }
}

impl<H> Effects<H> {
    pub(super) fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub(super) fn review(&mut self, request: ReviewRequest) {
        self.push(Effect::Review(request));
    }

    pub(super) fn record(&mut self, decision: Decision) {
        self.push(Effect::Record(decision));
    }
}

impl OpenRequest {
    /// The feed to open at, and whether the connection has the view there already. A wider feed answers for an object
    /// as well, if it runs and what it has is current.
    #[must_use]
    pub fn choose(&self, is_current: impl Fn(&FeedKey) -> bool) -> Option<(FeedKey, bool)> {
        let (own, wider) = self.choices.split_last()?;
        let chosen = wider.iter().find(|choice| is_current(&choice.feed)).unwrap_or(own);
        Some((chosen.feed.clone(), chosen.is_second))
    }
}

impl Close {
    pub(in crate::session) fn because(code: u16, problem: Problem) -> Self {
        Self { code, last: Some(Box::new(ServerFrame::Problem(ProblemFrame { id: None, problem }))) }
    }

    /// Why nothing more can be read. `None`: the client has gone.
    pub(in crate::session) fn of_unread(unread: Unread) -> Option<Self> {
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
        Some(Self::because(code, problem))
    }

    /// Why a connection ended, for the audit log.
    pub(in crate::session) fn words(&self) -> Cow<'_, str> {
        match self.last.as_deref() {
            Some(ServerFrame::Problem(ended)) => ended.problem.message.as_str().into(),
            Some(ServerFrame::Goaway(goaway)) => goaway.problem.message.as_str().into(),
            _ => format!("the connection was closed with the code {}", self.code).into(),
        }
    }
}
