//! The frames of the gateway. `welcome` answers `hello`; `kinds` follows it unless the client has them.

use serde::{Deserialize, Serialize};

use super::client::{Projection, SubscriptionId};
pub use super::log::{ContainerKind, LogAnswer, LogEntry, LogMark, LogPart, LogSource, LogTime, SourceState};
pub use super::object::ObjectFrame;
pub use super::past::{
    Changed, Changes, Found, FoundObject, FoundTime, History, Past, PastAnswer, Recorded, RecordedEvent,
    RecordedEvents, RecordedVersion,
};
pub use super::rows::{Gap, Patch, Place, Rows, RowsFrame, ViewId};
pub use super::timeline::TimelineFrame;
use crate::column::Column;
use crate::digest;
use crate::json::{self, Malformed, Read, Reader, fields, words};
pub use crate::login_mode::{LoginMode, Wanted};
use crate::name::{ClusterName, Namespace};
use crate::problem::{Problem, Reason};
use crate::resource::{Kind, Resource};
use crate::resource_version::ResourceVersion;
use crate::scope::{Namespaces, Scope};
use crate::state::{StateReport, UnixMillis, ViewState};

frames! {
    read ServerFrame:
    Challenge(Challenge) = "challenge",
    Welcome(Box<Welcome>) = "welcome",
    Auth(Auth) = "auth",
    Kinds(Kinds) = "kinds",
    Subscribed(Box<Subscribed>) = "subscribed",
    Rows(Rows) = "rows",
    Object(Box<ObjectFrame>) = "object",
    Timeline(TimelineFrame) = "timeline",
    Rights(Box<Rights>) = "rights",
    Children(Children) = "children",
    Past(PastAnswer) = "past",
    Log(LogAnswer) = "log",
    Sync(Sync) = "sync",
    State(StateFrame) = "state",
    Problem(ProblemFrame) = "problem",
    Goaway(Goaway) = "goaway",
    Pong(Pong) = "pong",
}

/// The gateway asks for a credential: before `hello`, which brings it, and again on the open connection, where `auth`
/// does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// Made for this connection alone, and answered once.
    pub nonce: Box<str>,
    #[serde(default, skip_serializing_if = "Wanted::is_proof")]
    pub wanted: Wanted,
}

/// The gateway's answer to `hello`: who the viewer is, and what there is to see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    pub version: Box<str>,
    /// The gateway's own version.
    pub gateway: Box<str>,
    /// At least one; the first is the home cluster, where a page starts. Said again, in another `welcome`, when one comes,
    /// goes, or when a `problem` of one does.
    pub clusters: Vec<Cluster>,
    pub viewer: Viewer,
    /// Kinds that a first page shows at the top, as typed after `kubectl get`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<Box<str>>,
    /// The team's boards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<Board>,
    /// The name of the rules by which the gateway shows and masks. If it differs from the last one, the client may
    /// not show what it holds any more: it drops everything, and every open subscription is answered anew. Empty: as
    /// at the gateway's start.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub rules: Box<str>,
    /// Whether the gateway records what happens, so that `at_ms` and `past` may be asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub records: bool,
    /// Whether the gateway shows what containers write, so that `log` may be asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub logs: bool,
    /// A record is shown that was made before: every view is as of a time, and one that names no time is as of its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replays: Option<Replays>,
    /// What the record that is shown says of itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Box<ReplayedFile>>,
    /// Unacknowledged bytes that the gateway allows itself.
    pub credit_bytes: u64,
    /// The gateway's clock.
    pub now_ms: UnixMillis,
}

/// The time of a record that is shown, by the gateway's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replays {
    pub from_ms: UnixMillis,
    pub to_ms: UnixMillis,
}

/// The rights and the masks that a record has which is shown. Each is left out where it isn't known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayedFile {
    /// The account that could list what was recorded.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub account: Box<str>,
    /// The only namespace that was recorded. Empty: all of them were.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub namespace: Box<str>,
    /// What was masked before it was written, in words.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub masks: Box<str>,
}

/// The login that the gateway knows the client by, and the mode that it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Viewer {
    pub user: Box<str>,
    /// Empty where the gateway doesn't know them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Box<str>>,
    pub mode: LoginMode,
    /// The host of the OIDC issuer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Box<str>>,
    pub rights: ViewerRights,
    /// `POST /logout` ends the login.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub signs_out: bool,
    /// When the login ends, by the gateway's clock. Absent: it doesn't end by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_ms: Option<UnixMillis>,
}

/// The account whose rights decide what a viewer sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewerRights {
    /// The gateway's own.
    Gateway,
    /// The viewer's own, as the API server reviews them.
    Viewer,
    /// The viewer's own, and rows are read with the viewer's own token.
    Token,
    /// The viewer's own, and rows are read by a gateway that impersonates the viewer.
    Impersonated,
}

impl ViewerRights {
    /// Whether the API server reviews them.
    pub fn are_reviewed(self) -> bool {
        self != Self::Gateway
    }
}

/// In which namespaces the viewer may list a kind, as reviews say at this moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rights {
    pub id: SubscriptionId,
    /// The cluster as the question named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterName>,
    pub resource: Resource,
    /// The namespaces where the kind may be listed; all for a kind without namespaces.
    #[serde(default, skip_serializing_if = "Namespaces::is_all")]
    pub namespaces: Namespaces,
    /// Whether it may be watched there as well.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub watch: bool,
    /// Why it may not be listed at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// The kinds of which a viewer may list children of another kind. Which objects those are, their owner references say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Children {
    pub id: SubscriptionId,
    pub kinds: Vec<Resource>,
    /// So many kinds were looked at, of those that could be children's.
    pub looked_at: usize,
    pub of: usize,
}

/// A link with a name. The gateway doesn't read it; the page reports what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    pub name: Box<str>,
    /// Path and query, such as `/b?v=pods@prod/shop&v=nodes@prod/-`.
    pub link: Box<str>,
}

/// The viewer's name after a new credential; and the end of a login, a minute before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Auth {
    pub user: Box<str>,
    /// By the gateway's clock. Absent: it doesn't end by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_ms: Option<UnixMillis>,
}

/// A cluster of the gateway, as `welcome` lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cluster {
    pub name: ClusterName,
    /// The uid of `kube-system`, or a hash of server and CA.
    pub id: Box<str>,
    /// What `kubectl --context` takes for it, as the gateway's kubeconfig has it; absent in a pod, and for a team,
    /// whose viewers have kubeconfigs of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Box<str>>,
    /// `gitVersion`, such as `v1.36.3`; empty while unknown.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub version: Box<str>,
    /// The namespace of the context: where a first page starts. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<Namespace>,
    /// The digest of its kinds. The frame `kinds` follows unless `hello` named this digest.
    pub kinds: Box<str>,
    /// Why the gateway can't reach it now. A cluster that was never reached has no kinds and no version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Box<ClusterProblem>>,
}

/// Since when a cluster isn't reached, by the gateway's clock, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterProblem {
    pub since_ms: UnixMillis,
    pub problem: Problem,
}

/// All that discovery found; sent again, whole, when that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kinds {
    pub cluster: ClusterName,
    /// The digest of the kinds and the problems. A client's next `hello` names it, so that equal kinds aren't sent
    /// again.
    pub digest: Box<str>,
    pub kinds: Vec<Kind>,
    /// A problem for each group whose server didn't answer, and whose kinds are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
}

impl Kinds {
    #[must_use]
    pub fn new(cluster: ClusterName, kinds: Vec<Kind>, problems: Vec<Problem>) -> Self {
        let digest = digest::to_text(digest::of(&(&cluster, &kinds, &problems))).into();
        Self { cluster, digest, kinds, problems }
    }
}

impl Welcome {
    /// Where a page starts.
    #[must_use]
    pub fn cluster(&self) -> Option<&Cluster> {
        self.clusters.first()
    }
}

/// The answer to `subscribe`, and again when the epoch or the columns change. A `rows` frame with
/// `reset` follows when the client's rows can't be continued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscribed {
    pub id: SubscriptionId,
    pub view: ViewId,
    /// The scope that is shown: it has those of the requested namespaces that the viewer may see.
    pub scope: Scope,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub projection: Projection,
    /// For the token.
    pub cluster: Box<str>,
    /// For the token: a hash of the columns. Empty until they are known.
    pub columns_hash: Box<str>,
    /// For the token. Empty while it isn't known whether the token can be continued: another answer follows.
    pub epoch: Box<str>,
    /// The token was continued: what the client has stands here now, whatever the token's own numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// Empty until the first answer of the server has come.
    pub columns: Vec<Column>,
    pub state: StateReport,
}

/// Proof that a view is current, at the latest every `SYNC_INTERVAL_MS` while it is live.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sync {
    pub view: ViewId,
    /// Everything up to this position has been sent.
    pub at: u64,
    pub resource_version: ResourceVersion,
    /// When the API server last confirmed the view, by the gateway's clock.
    pub proof_ms: UnixMillis,
    /// The gateway's clock, now.
    pub now_ms: UnixMillis,
    /// The cluster's clock (the `Date` of its answers), now: what ages tick by.
    pub cluster_now_ms: UnixMillis,
    /// A client that has to come back waits a random time up to this.
    pub spread_ms: u32,
    /// Every 30 s, and at the first cut after a resume; compared at equal position only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Box<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "FlatState")]
pub struct StateFrame {
    pub view: ViewId,
    #[serde(flatten)]
    pub report: StateReport,
}

/// A request can't be fulfilled. The connection stays, unless a close follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "FlatProblem")]
pub struct ProblemFrame {
    /// The subscription that ends with this, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<SubscriptionId>,
    #[serde(flatten)]
    pub problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "FlatGoaway")]
pub struct Goaway {
    #[serde(flatten)]
    pub problem: Problem,
    /// Come back after a random time up to this.
    pub spread_ms: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pong {
    pub n: u64,
}

// The flattened frames as they are read. Serde reads a flattened field through a copy of each value, and the code for
// that is 2 % of the page's program.

#[derive(Deserialize)]
struct FlatState {
    view: ViewId,
    state: ViewState,
    #[serde(default)]
    problem: Option<Problem>,
    #[serde(default)]
    tries: u32,
    #[serde(default)]
    next_try_ms: Option<UnixMillis>,
}

impl From<FlatState> for StateFrame {
    fn from(FlatState { view, state, problem, tries, next_try_ms }: FlatState) -> Self {
        Self { view, report: StateReport { state, problem, tries, next_try_ms } }
    }
}

#[derive(Deserialize)]
struct FlatProblem {
    #[serde(default)]
    id: Option<SubscriptionId>,
    reason: Reason,
    message: String,
}

impl From<FlatProblem> for ProblemFrame {
    fn from(FlatProblem { id, reason, message }: FlatProblem) -> Self {
        Self { id, problem: Problem { reason, message } }
    }
}

#[derive(Deserialize)]
struct FlatGoaway {
    reason: Reason,
    message: String,
    spread_ms: u32,
}

impl From<FlatGoaway> for Goaway {
    fn from(FlatGoaway { reason, message, spread_ms }: FlatGoaway) -> Self {
        Self { problem: Problem { reason, message }, spread_ms }
    }
}

fields! { Challenge: nonce; wanted }
fields! {
    Welcome: version, gateway, clusters, viewer, credit_bytes, now_ms; pinned, boards, rules, records, logs, replays,
    file
}
fields! { Replays: from_ms, to_ms; }
fields! { ReplayedFile: ; account, namespace, masks }
fields! { Viewer: user, mode, rights; groups, provider, signs_out, expires_ms }
words! {
    ViewerRights: "gateway" => Gateway, "viewer" => Viewer, "token" => Token, "impersonated" => Impersonated
}
fields! { Rights: id, resource; cluster, namespaces, watch, problem }
fields! { Children: id, kinds, looked_at, of; }
fields! { Board: name, link; }
fields! { Auth: user; expires_ms }
fields! { Cluster: name, id, kinds; context, version, namespaces, problem }
fields! { ClusterProblem: since_ms, problem; }
fields! { Kinds: cluster, digest, kinds; problems }
fields! { Subscribed: id, view, scope, cluster, columns_hash, epoch, columns, state; projection, at }
fields! { Sync: view, at, resource_version, proof_ms, now_ms, cluster_now_ms, spread_ms; digest }
fields! { Pong: n; }
fields! { FlatState: view, state; problem, tries, next_try_ms }
fields! { FlatProblem: reason, message; id }
fields! { FlatGoaway: reason, message, spread_ms; }

macro_rules! read_flat {
    ($($frame:ident from $flat:ident)*) => {$(
        impl Read for $frame {
            fn read(json: &mut Reader<'_>) -> json::Result<Self> {
                $flat::read(json).map(Into::into)
            }
        }
    )*};
}

read_flat! { StateFrame from FlatState ProblemFrame from FlatProblem Goaway from FlatGoaway }
