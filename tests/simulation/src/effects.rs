//! Carries out the effects of sessions, as a connection of the product does, but without its tasks: what a session asks
//! of a hub and what it is answered wait in two queues, each entry until its time. The hubs belong to the caller.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gateway::access::{Identity, Login, Rights};
use gateway::cluster::{FoundChildren, Subject};
use gateway::feed::FeedKey;
use gateway::hub::{Directory, HubRequest, Open};
use gateway::logs::LogSaid;
use gateway::session::{
    Action, Close, Effect, Effects, KnownCluster, Now, OpenRequest, Opened, Reach, Surroundings,
};
use shared::frame::client::SubscriptionId;
use shared::frame::server::{Cluster, Kinds, LoginMode};
use shared::problem::Problem;

use crate::chance::Chance;
use crate::delayed::Delayed;
use crate::reviews::{Basis, Reviews, ViewerRights};

pub use crate::reviews::SessionId;

pub type HubId = usize;
/// What a session is told. Text comes from its client alone.
pub type ToSession = Action<&'static str, HubId>;

/// What a session sends to a hub.
pub enum ToHub {
    Open {
        request: OpenRequest,
        /// Its rights have changed since it was open before, if it ever was: its client begins anew.
        is_granted_anew: bool,
    },
    Request(HubId, HubRequest),
}

/// A subscription on its way to a hub.
pub struct Opening {
    pub hub: HubId,
    pub feed: FeedKey,
    pub open: Open<SessionId>,
    /// What its session is told when the hub has it.
    pub answer: ToSession,
}

/// The surroundings of some sessions: which hub has which feed, how a credential is answered, and what is on its way
/// between sessions and hubs. The simulation's gateway lets every entry be a little late; the fuzzer's clients let all be
/// due at once.
pub struct EffectHandler {
    directory: Directory<HubId>,
    next_hub: HubId,
    /// The answer to the next credential.
    pub login: Result<Login, Problem>,
    requests: Delayed<(SessionId, ToHub)>,
    answers: Delayed<(SessionId, ToSession)>,
    reviews: Reviews,
    /// What was opened although its rights weren't watched or granted.
    pub(crate) without_right: Option<(SessionId, SubscriptionId)>,
}

impl EffectHandler {
    #[must_use]
    pub fn new(directory: Directory<HubId>, login: Login) -> Self {
        Self {
            directory,
            next_hub: 1,
            login: Ok(login),
            requests: Delayed::default(),
            answers: Delayed::default(),
            reviews: Reviews::new(ViewerRights::OfGateway, Chance::new(0, 0)),
            without_right: None,
        }
    }

    pub(crate) fn with_reviews(self, reviews: Reviews) -> Self {
        Self { reviews, ..self }
    }

    /// `hop_ms`: how late the next entry of a queue is. It is asked once for each entry, in their order, and not for a
    /// grant, whose time the reviews know.
    pub fn perform(
        &mut self,
        session: SessionId,
        effects: Effects<HubId>,
        now_ms: i64,
        mut hop_ms: impl FnMut() -> i64,
    ) -> Option<Close> {
        for effect in effects.effects {
            let answer = match effect {
                Effect::Count(answer) => Action::Counted(answer, Ok(())),
                Effect::NumberView(answer) => Action::Numbered(answer, self.directory.next_ids().1),
                Effect::Open(open) => {
                    let request = self.opening(session, open);
                    self.requests.push(now_ms + hop_ms(), (session, request));
                    continue;
                }
                Effect::Challenge => Action::Challenged(None),
                Effect::ReadPast(request) => {
                    // No gateway of the simulation keeps a record.
                    let problem = Problem::bad_request("nothing is recorded");
                    Action::PastRead(request.answer, Err(problem))
                }
                Effect::OpenLog(request) => {
                    // No gateway of the simulation shows logs.
                    let problem = Problem::bad_request("no logs are shown");
                    Action::LogSaid(request.answer, LogSaid::Ended(problem))
                }
                Effect::CloseLog(_) => continue,
                Effect::FindChildren(request) => {
                    Action::ChildrenFound(request.answer, FoundChildren::default())
                }
                Effect::Login(..) => Action::Login(self.login.clone()),
                Effect::Review(request) => {
                    self.reviews.perform(session, request, now_ms);
                    continue;
                }
                Effect::Record(_) | Effect::RetryClusters | Effect::CountMismatch => {
                    continue;
                }
            };
            self.answers.push(now_ms + hop_ms(), (session, answer));
        }
        for (hub, request) in effects.requests {
            self.requests.push(now_ms + hop_ms(), (session, ToHub::Request(hub, request)));
        }
        effects.close
    }

    fn opening(&mut self, session: SessionId, request: OpenRequest) -> ToHub {
        let id = request.request.id;
        let basis = self.reviews.open(session, id);
        if basis == Basis::Nothing {
            self.without_right.get_or_insert((session, id));
        }
        ToHub::Open { request, is_granted_anew: basis == Basis::Anew }
    }

    pub fn tell(&mut self, session: SessionId, action: ToSession, due_ms: i64) {
        self.answers.push(due_ms, (session, action));
    }

    pub fn next_answer(&mut self, now_ms: i64) -> Option<(SessionId, ToSession)> {
        self.answers.pop_due(now_ms).or_else(|| {
            let (session, id, grant) = self.reviews.next(now_ms)?;
            Some((session, Action::Granted(id, grant)))
        })
    }

    pub fn next_request(&mut self, now_ms: i64) -> Option<(SessionId, ToHub)> {
        self.requests.pop_due(now_ms)
    }

    /// When the next entry of a queue is due.
    #[must_use]
    pub fn deadline_ms(&self) -> i64 {
        let due_ms = [self.requests.due_ms(), self.answers.due_ms(), self.reviews.deadline_ms()];
        due_ms.into_iter().flatten().min().unwrap_or(i64::MAX)
    }

    /// The hub of a feed, which may be a new one, and what is to be opened there. The caller tells the session the answer
    /// then, before all that the hub says to the subscription.
    ///
    /// # Panics
    /// If no feed answers it, which no session asks for.
    pub fn open(&mut self, session: SessionId, asked: OpenRequest) -> Opening {
        let (feed, is_second) = asked.choose(|_| false).expect("a feed");
        let known = self.directory.get(&feed).copied();
        let hub = known.unwrap_or(self.next_hub);
        self.next_hub += usize::from(known.is_none());
        self.directory.insert(feed.clone(), hub);
        let (key, fresh_view) = self.directory.next_ids();
        let OpenRequest { answer, request, permit, .. } = asked;
        let open = Open { key, request, fresh_view, is_second, session, permit };
        let answer = Action::Opened(answer, Ok(Opened { key, hub, feed: feed.clone() }));
        Opening { hub, feed, open, answer }
    }

    /// The hub of a feed that runs without viewers. `None`: it runs already.
    pub(crate) fn keep(&mut self, feed: &FeedKey) -> Option<HubId> {
        if self.directory.get(feed).is_some() {
            return None;
        }
        let hub = self.next_hub;
        self.next_hub += 1;
        self.directory.insert(feed.clone(), hub);
        Some(hub)
    }

    /// The connection of a session has ended.
    pub(crate) fn leave(&mut self, session: SessionId) {
        self.reviews.leave(session);
    }

    /// As [`Reviews::forget_in_vain`].
    pub(crate) fn forget_in_vain(&mut self, session: SessionId, id: SubscriptionId) -> bool {
        self.reviews.forget_in_vain(session, id)
    }

    /// The hub of this feed has ended.
    pub fn remove(&mut self, feed: &FeedKey) {
        self.directory.remove(feed);
    }
}

/// A login that never ends, with the gateway's own rights.
///
/// # Panics
/// If the name isn't one.
#[must_use]
pub fn login(name: &str) -> Login {
    Login {
        identity: Identity::new(name).expect("a name"),
        expires_ms: None,
        session: None,
        rights: Rights::OfGateway,
        mode: LoginMode::Local,
        provider: None,
    }
}

/// The same with rights of its own, which are reviewed.
pub(crate) fn login_with_rights(name: &str) -> Login {
    let subject =
        Subject { user: name.into(), uid: "".into(), groups: BTreeSet::new(), extra: BTreeMap::new() };
    Login { rights: Rights::OfViewer(Arc::new(subject)), ..login(name) }
}

/// What a session needs of the gateway: one cluster, which answers.
#[must_use]
pub fn surroundings(kinds: Kinds, id: &str) -> Surroundings {
    let identity = Cluster {
        name: kinds.cluster.clone(),
        id: id.into(),
        context: None,
        version: "v1.36.3".into(),
        namespaces: Vec::new(),
        kinds: kinds.digest.clone(),
        problem: None,
    };
    let cluster = KnownCluster { identity, kinds: Arc::new(kinds), reach: Reach::Reached(0) };
    Surroundings { clusters: vec![cluster], ..Surroundings::default() }
}

/// The clocks of a session that began then.
#[must_use]
pub fn now(now_ms: i64, started_ms: i64) -> Now {
    Now { monotonic_ms: (now_ms - started_ms).unsigned_abs(), unix_ms: now_ms, gateway_ms: now_ms }
}
