//! What the gateway says. `welcome` is always first; `kinds` follows it.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::client::SubscriptionId;
use crate::cell::Cell;
use crate::column::Column;
use crate::name::{ClusterName, Namespace};
use crate::problem::{Problem, Reason};
use crate::resource::Kind;
use crate::resource_version::ResourceVersion;
use crate::row::{Row, RowId};
use crate::scope::Scope;
use crate::state::{StateReport, UnixMillis};

/// The gateway's number of a view, shared by all its subscribers, so that they get the same bytes.
pub type ViewId = u32;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerFrame {
    Welcome(Box<Welcome>),
    Kinds(Kinds),
    Subscribed(Box<Subscribed>),
    Rows(Rows),
    Sync(Sync),
    State(StateFrame),
    Problem(ProblemFrame),
    Goaway(Goaway),
    Pong(Pong),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    pub version: Box<str>,
    /// The gateway's own version.
    pub gateway: Box<str>,
    pub cluster: Cluster,
    /// Who the gateway takes the viewer for.
    pub user: Box<str>,
    /// The namespace of the context: where a first page starts. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<Namespace>,
    /// Unacknowledged bytes that the gateway allows itself.
    pub credit_bytes: u64,
    /// The gateway's clock.
    pub now_ms: UnixMillis,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cluster {
    pub name: ClusterName,
    /// The uid of `kube-system`, or a hash of server and CA.
    pub id: Box<str>,
    /// `gitVersion`, such as `v1.36.3`; empty while unknown.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub version: Box<str>,
}

/// All that discovery found; sent again, whole, when that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kinds {
    pub cluster: ClusterName,
    pub kinds: Vec<Kind>,
    /// Groups whose server didn't answer: their kinds are missing, and this says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
}

/// The answer to `subscribe`, and again when the epoch or the columns change. A `rows` frame with
/// `reset` follows when the client's rows can't be continued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscribed {
    pub id: SubscriptionId,
    pub view: ViewId,
    pub scope: Scope,
    /// For the token.
    pub cluster: Box<str>,
    /// For the token: a hash of the columns. Empty until they are known.
    pub columns_hash: Box<str>,
    /// For the token.
    pub epoch: Box<str>,
    /// Empty until the first answer of the server has come.
    pub columns: Vec<Column>,
    pub state: StateReport,
}

/// Changes of a view from one position to another. The client's position must be `from`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    pub view: ViewId,
    pub from: u64,
    pub to: u64,
    pub resource_version: ResourceVersion,
    /// New rows and rows sent whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub put: Vec<Row>,
    /// Changed cells of rows that the client has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<Patch>,
    /// A delete of an unknown row is no error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delete: Vec<RowId>,
    /// Not yet a cut: the state after this frame was never the cluster's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// Between the instants events weren't seen; the state is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<Gap>,
    /// Begin anew at `from`: these rows up to the next cut replace all that the client had.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reset: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    pub from_ms: UnixMillis,
    pub to_ms: UnixMillis,
    pub reason: Reason,
}

/// `[id, {column: cell, …}]`, and the row's resourceVersion where it isn't the frame's.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    pub id: RowId,
    pub cells: BTreeMap<u16, Cell>,
    pub resource_version: Option<ResourceVersion>,
}

impl Serialize for Patch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        seq.serialize_element(&self.id)?;
        seq.serialize_element(&self.cells)?;
        if let Some(resource_version) = &self.resource_version {
            seq.serialize_element(resource_version)?;
        }
        seq.end()
    }
}

impl<'de> Deserialize<'de> for Patch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(PatchVisitor)
    }
}

/// By hand: an untagged enum reads through a buffer, in which `"2"` is no number of a column.
struct PatchVisitor;

impl<'de> Visitor<'de> for PatchVisitor {
    type Value = Patch;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of a row's id, its changed cells, and its resourceVersion where that differs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Patch, A::Error> {
        let id = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        let cells = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(1, &self))?;
        Ok(Patch { id, cells, resource_version: seq.next_element()? })
    }
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
pub struct StateFrame {
    pub view: ViewId,
    #[serde(flatten)]
    pub report: StateReport,
}

/// Something that was asked can't be had. The connection stays, unless a close follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemFrame {
    /// The subscription that ends with this; `None`: none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<SubscriptionId>,
    #[serde(flatten)]
    pub problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_cells_read_back_as_they_were_written() {
        for json in ["[\"AAAAAAAAAA\",{\"2\":\"Running\",\"11\":3}]", "[\"AAAAAAAAAA\",{\"0\":null},\"884\"]"]
        {
            let patch: Patch = serde_json::from_str(json).expect(json);
            assert_eq!(serde_json::to_string(&patch).expect("json"), json);
        }
    }
}
