//! What goes into a session and what comes out of it. Never how it is decided.

use std::sync::Arc;

use shared::frame::client::{Credential, SubscriptionId};
use shared::frame::server::{Challenge, Kinds, ProblemFrame, ServerFrame, ViewId, Viewer, Welcome};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::state::{StateReport, UnixMillis};

use crate::access::{Grant, Login, LoginSession, Question};
use crate::audit::Decision;
use crate::cluster::{Ceiling, Subject};
use crate::feed::FeedKey;
use crate::hub::{HubRequest, SendPermit, SubscriberKey, SubscriptionRequest, ToSession};
use crate::rate_limiter::MonotonicMs;

/// What a session asks of the gateway around it.
pub trait Gateway {
    /// How a subscription's hub is reached.
    type Hub: Clone;

    fn welcome(&self, viewer: Viewer) -> Welcome;
    /// Those of the home cluster.
    fn kinds(&self) -> Arc<Kinds>;
    /// Every cluster that there is, the home one first, with its number and its kinds. The number says which one it is:
    /// of a cluster that isn't reached there is none, and another one of the same name has another.
    fn clusters(&self) -> Vec<(Option<u64>, Arc<Kinds>)> {
        vec![(Some(0), self.kinds())]
    }
    /// Counts the changes of [`Self::clusters`].
    fn clusters_version(&self) -> u64 {
        0
    }
    /// `None` names the home cluster.
    fn find(&self, cluster: Option<&ClusterName>) -> Found {
        let kinds = self.kinds();
        match cluster {
            Some(name) if *name != kinds.cluster => Found::unknown(name),
            _ => Found::Reached(kinds),
        }
    }
    /// Tries the clusters that aren't reached now instead of at their next time.
    fn retry_clusters(&self) {}
    /// What of the cluster is shown.
    fn ceiling(&self) -> Ceiling {
        Ceiling::default()
    }
    /// The name of what is shown and masked.
    fn rules(&self) -> Box<str> {
        Box::default()
    }
    /// Whether this is still their name.
    fn are_rules(&self, name: &str) -> bool {
        *self.rules() == *name
    }
    /// How far reconnects are to be spread.
    fn spread_ms(&self) -> u32;
    /// What the client's key has to sign; `None` where there is no key.
    fn challenge(&self) -> Option<Challenge> {
        None
    }
    /// Whether the session wasn't revoked.
    fn is_open(&self, _session: &LoginSession) -> bool {
        true
    }
    /// What the session has become, where it was renewed without a credential.
    fn renewed(&self, _session: &LoginSession) -> Option<Login> {
        None
    }
    /// Counts one more subscription of this person.
    ///
    /// # Errors
    /// The person has too many, or opens them too fast.
    fn may_subscribe(&self) -> Result<(), Problem> {
        Ok(())
    }
    /// The number of a view that no hub has.
    fn fresh_view(&self) -> ViewId {
        0
    }
    /// Opens a subscription at the hub of a key. `is_second`: the connection has that view already.
    ///
    /// # Errors
    /// What the client is told.
    fn open(
        &self,
        key: FeedKey,
        request: &Arc<SubscriptionRequest>,
        is_second: bool,
        permit: &SendPermit,
    ) -> Result<(SubscriberKey, Self::Hub), Problem>;
    /// Whether a feed runs and what it has is current, so that it can answer for a part of it as well.
    fn is_current(&self, _: &FeedKey) -> bool {
        false
    }
    /// A client's rows weren't the gateway's, and it begins anew.
    fn count_mismatch(&self) {}
}

/// What there is of a cluster that a client names.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    Reached(Arc<Kinds>),
    /// It never answered. The state is the one that its views have meanwhile.
    Unreached(ClusterName, StateReport),
    Unknown(Problem),
}

impl Found {
    #[must_use]
    pub fn unknown(name: &ClusterName) -> Self {
        let message = format!("this gateway shows no cluster {:?}", name.as_str());
        Self::Unknown(Problem::new(Reason::NotFound, message))
    }
}

/// All that can happen to a session.
#[derive(Debug)]
pub enum Action<T> {
    /// A text message of the client.
    Text(T),
    /// A message that is neither text nor a close.
    Binary,
    /// A ping or a pong of the WebSocket, which shows that the client lives.
    Heartbeat,
    Hub(ToSession),
    /// A credential was looked at.
    Login(Result<Login, Problem>),
    /// What the viewer may see of a subscription, or that it changed.
    Granted(SubscriptionId, Grant),
    /// A cluster came or went, its state changed, or discovery found other kinds there.
    Clusters,
    /// What a welcome says has changed.
    Welcome,
    /// A message went out.
    Written,
    /// The deadline has passed.
    Deadline,
    GoingAway,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Now {
    pub monotonic_ms: MonotonicMs,
    pub unix_ms: UnixMillis,
}

/// What is to be done besides sending.
#[derive(Debug)]
pub struct Effects<H> {
    pub requests: Vec<(H, HubRequest)>,
    /// The rights that are watched from now on, or no longer.
    pub reviews: Vec<ReviewRequest>,
    /// A credential to look at, and the challenge that it may answer.
    pub login: Option<(Credential, Option<Challenge>)>,
    /// What was decided, for the audit log.
    pub audit: Vec<Decision>,
    /// The connection ends.
    pub close: Option<Close>,
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
        Self { requests: Vec::new(), reviews: Vec::new(), login: None, audit: Vec::new(), close: None }
    }
}

impl Close {
    pub(in crate::session) fn because(code: u16, problem: Problem) -> Self {
        Self { code, last: Some(Box::new(ServerFrame::Problem(ProblemFrame { id: None, problem }))) }
    }
}
