//! The frames of a client. `hello` is always first; where a key opens the session it answers a `challenge`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::custom_column::CustomColumns;
use crate::json::{fields, words};
pub use crate::log_time::LogTime;
use crate::name::{ClusterName, Namespace};
use crate::resource::Resource;
use crate::resource_version::ResourceVersion;
use crate::row::RowId;
use crate::scope::Scope;
use crate::state::UnixMillis;
use crate::token::Token;

/// A subscription's number, chosen by the client, unique among its open ones.
pub type SubscriptionId = u32;

frames! {
    #[derive(Eq)]
    ClientFrame:
    Hello(Hello) = "hello",
    /// A new credential on the open connection.
    Auth(Auth) = "auth",
    Subscribe(Box<Subscribe>) = "subscribe",
    Unsubscribe(Unsubscribe) = "unsubscribe",
    /// One object, once.
    Get(Box<Get>) = "get",
    /// What the viewer may list of a kind.
    Rights(Rights) = "rights",
    /// Which kinds the children of a kind have.
    Children(Children) = "children",
    /// What was recorded.
    Past(Box<Past>) = "past",
    /// What containers write.
    Log(LogText) = "log",
    /// Try the upstream of this subscription now.
    Retry(Retry) = "retry",
    Ack(Ack) = "ack",
    Ping(Ping) = "ping",
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub version: Box<str>,
    /// Absent where the connection itself says who it is: the Unix socket, or a cookie of its upgrade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<Credential>,
    /// The client's name and version, for the log: `page 0.1.0`, `tail 0.1.0`.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub client: Box<str>,
    /// What the client has from an earlier connection and needn't be sent again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub has: Vec<Has>,
}

/// The kinds of one cluster, which the client has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Has {
    /// The cluster's id.
    pub cluster: Box<str>,
    /// The digest of its `kinds`.
    pub kinds: Box<str>,
}

/// Before the former credential ends; another person's ends the connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Auth {
    pub credential: Credential,
}

/// Never printed: `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Credential {
    /// The answer to a `challenge`.
    Proof(Proof),
    Bearer(Box<str>),
}

/// Shows that the client holds the key of a session, whose public half it gave at its login. It is of no use to a
/// listener, because it answers one challenge.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    pub session: Box<str>,
    /// ECDSA with P-256 and SHA-256 over [`Proof::message`]: r and s, 32 bytes each, in URL-safe base64 without padding.
    pub signature: Box<str>,
}

impl Proof {
    /// What is signed. `origin`: of the client's page, as its `Origin` header has it; empty without one.
    #[must_use]
    pub fn message(nonce: &str, origin: &str) -> String {
        format!("dogwatch proof\n{nonce}\n{origin}")
    }
}

/// Asks for a view. The answer is `subscribed`, then frames of the projection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscribe {
    pub id: SubscriptionId,
    pub scope: Scope,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub projection: Projection,
    /// The only row of the scope that is wanted: for `object` and `timeline` of an object that a table shows, so that
    /// it needs no watch of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<RowId>,
    /// For rows: columns behind the server's own.
    #[serde(default, skip_serializing_if = "CustomColumns::is_empty")]
    pub columns: CustomColumns,
    /// For rows: how those come that change.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub rows: RowDetail,
    /// For whole rows: each event comes by itself, so an object that changes twice comes twice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub each_event: bool,
    /// For rows: only those with a `health`, which aren't simply fine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trouble: bool,
    /// For a timeline without a token: it begins with what the gateway still has.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub earlier: bool,
    /// As of this time, by the gateway's clock, instead of now. Such a view stands still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<UnixMillis>,
    /// Where an earlier subscription to the same scope stood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Token>,
}

impl Subscribe {
    /// All rows of the scope, from nothing.
    #[must_use]
    pub fn rows(id: SubscriptionId, scope: Scope) -> Self {
        Self {
            id,
            scope,
            projection: Projection::default(),
            row: None,
            columns: CustomColumns::default(),
            rows: RowDetail::default(),
            each_event: false,
            trouble: false,
            earlier: false,
            at_ms: None,
            token: None,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Projection {
    /// The cells of kubectl's table.
    #[default]
    Rows,
    /// One whole object.
    Object,
    /// Every event as it came.
    Timeline,
}

/// How rows that change come, and what is said of those that leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowDetail {
    /// What changed of them, and the ids of those that leave: for a client that holds the rows.
    #[default]
    Changes,
    /// Whole, and those that leave with their names: for a client that holds none.
    Whole,
    /// The same, each with its whole object.
    Objects,
}

/// Answered by an `object` frame with this `id`, or by a `problem`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Get {
    /// Shared with the subscriptions' numbers.
    pub id: SubscriptionId,
    /// With a name, unless there is a `row`.
    pub scope: Scope,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<RowId>,
}

/// Answered by one `rights` frame with this `id`, or by a `problem`. It opens nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rights {
    /// Shared with the subscriptions' numbers.
    pub id: SubscriptionId,
    /// Absent: the home cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterName>,
    pub resource: Resource,
}

/// Answered by one `children` frame with this `id`, or by a `problem`. It opens nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Children {
    /// Shared with the subscriptions' numbers.
    pub id: SubscriptionId,
    /// Absent: the home cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterName>,
    /// The owner's.
    pub resource: Resource,
    /// The owner's, whose children are in the same one. Absent: it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Namespace>,
}

/// Answered by one `past` frame with this `id`, or by a `problem`. It opens nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// Shared with the subscriptions' numbers.
    pub id: SubscriptionId,
    pub scope: Scope,
    pub asked: PastAsked,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PastAsked {
    /// How much was recorded from one time to another, in so many equal parts.
    Recorded { from_ms: UnixMillis, to_ms: UnixMillis, slots: u16 },
    /// The versions of one object, before the number of an answer before or from the newest on.
    History {
        row: RowId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<i64>,
    },
    /// The version of an object that has this resourceVersion, whole.
    Version { row: RowId, resource_version: ResourceVersion },
    /// The last version of the object that had the name of the scope last, whole.
    Last,
    /// The objects that had a word in their JSON at some time, upper and lower case alike.
    Search { from_ms: UnixMillis, to_ms: UnixMillis, word: Box<str> },
    /// The Events about an object, before the number of an answer before or from the newest on; with a time as they were then.
    Events {
        row: RowId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_ms: Option<UnixMillis>,
    },
    /// The versions of all objects of the scope since a time, the oldest first.
    Changes(ChangesAsked),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangesAsked {
    pub since_ms: UnixMillis,
    /// Where an answer before ended. Absent: from `since_ms` on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ChangesEnd>,
    /// Each with its whole object.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub objects: bool,
}

/// How far changes were told: until a time, and to a number of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangesEnd {
    pub to_ms: UnixMillis,
    pub number: i64,
}

/// Asks for the logs of the containers of a pod, of the pods of a scope, or of those that an object has. The answers are
/// `log` frames with this `id`, until one says that it is `over`, or a `problem` with it. It is ended like a subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    /// Shared with the subscriptions' numbers.
    pub id: SubscriptionId,
    /// In one namespace: pods by their name or labels, or one object by its name that has pods.
    pub scope: Scope,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub asked: LogAsked,
}

/// A question for logs as it is written: a page has the code that writes it in a piece that it fetches then.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LogText(Box<RawValue>);

/// Which part of the logs is wanted. By itself: all that all containers have written in their present run, followed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogAsked {
    /// Only those of these names. Empty: all, those that start and those that debug a pod too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub containers: Vec<Box<str>>,
    /// Only that container of each pod which its annotation names, or else its first one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub default_container: bool,
    /// Only those of these names. Empty: all pods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<Box<str>>,
    /// The run before the present one, which isn't followed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub previous: bool,
    /// What is there already, and then no more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub once: bool,
    /// No line that is older.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<LogTime>,
    /// Only so many of the last lines that are there already, of each container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<u32>,
    /// What the client has of an earlier answer: each of these logs goes on behind it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub has: Vec<LogHas>,
}

/// How far a client has the log of one container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogHas {
    pub pod: Box<str>,
    pub container: Box<str>,
    /// The latest time that a line has which the client holds.
    pub at: LogTime,
    /// How many lines of just that time it holds.
    pub lines: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsubscribe {
    pub id: SubscriptionId,
    /// The digest of a `sync` wasn't that of the client's rows. The gateway counts it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub differed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    pub id: SubscriptionId,
}

/// Payload bytes of all messages received on this connection so far, as they came (deflated ones
/// as deflated). The gateway stays at most its credit ahead of this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ack {
    pub bytes: u64,
}

/// A sign of life that wants an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ping {
    pub n: u64,
}

impl LogText {
    /// `None`: it can't be written, which every question can.
    #[must_use]
    pub fn of(id: SubscriptionId, scope: &Scope, asked: &LogAsked) -> Option<Self> {
        #[derive(Serialize)]
        struct Written<'a> {
            id: SubscriptionId,
            scope: &'a Scope,
            #[serde(skip_serializing_if = "Option::is_none")]
            asked: Option<&'a LogAsked>,
        }
        let asked = Some(asked).filter(|asked| **asked != LogAsked::default());
        serde_json::value::to_raw_value(&Written { id, scope, asked }).ok().map(Self)
    }

    /// # Errors
    /// It isn't a question that this version knows.
    pub fn read(&self) -> Result<Log, serde_json::Error> {
        serde_json::from_str(self.0.get())
    }
}

impl PartialEq for LogText {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Eq for LogText {}

impl std::fmt::Debug for Hello {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hello")
            .field("version", &self.version)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Proof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proof").field("session", &self.session).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credential(hidden)")
    }
}

words! { Projection: "rows" => Rows, "object" => Object, "timeline" => Timeline }
fields! { ChangesEnd: to_ms, number; }
