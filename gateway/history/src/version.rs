//! One version of an object as it is kept: its row and labels apart from its body, because a table needs no bodies.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use shared::cell::Cell;
use shared::duration::UnixSeconds;
use shared::frame::timeline::Writer;
use shared::resource_version::ResourceVersion;
use shared::row::{Extra, Row, RowId};

/// The place of a mask in a body, and a hash of what it hides. Hashes of two runs of a gateway can't be compared.
pub type Mask = (u32, u32);

/// A version on its way into a history.
#[derive(Clone, Debug)]
pub struct Version {
    pub row: Arc<Row>,
    /// Keys and values in turn, each ended by a NUL.
    pub labels: Arc<str>,
    /// The object's JSON, redacted.
    pub body: Bytes,
    pub masks: Box<[Mask]>,
    /// A digest of the rules by which it was redacted.
    pub rules: u64,
    /// The writers of its fields, in any order.
    pub writers: Vec<Writer>,
    /// A list showed it, at an unknown time after it happened.
    pub relisted: bool,
    /// The object that an Event is about.
    pub about: Option<RowId>,
}

/// All of a version but its body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    #[serde(rename = "v")]
    pub resource_version: ResourceVersion,
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Box<str>>,
    #[serde(rename = "n")]
    pub name: Box<str>,
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub created: Option<UnixSeconds>,
    #[serde(rename = "c")]
    pub cells: Vec<Cell>,
    #[serde(rename = "x", default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Box<Extra>>,
    #[serde(rename = "l", default, skip_serializing_if = "str::is_empty")]
    pub labels: Box<str>,
    #[serde(rename = "m", default, skip_serializing_if = "<[Mask]>::is_empty")]
    pub masks: Box<[Mask]>,
    /// The run of the recorder whose hashes the masks have.
    #[serde(rename = "r", default, skip_serializing_if = "is_zero")]
    pub run: u64,
    /// A digest of the rules by which it was redacted.
    #[serde(rename = "d", default, skip_serializing_if = "is_zero")]
    pub rules: u64,
    /// Those that wrote since the version before.
    #[serde(rename = "w", default, skip_serializing_if = "Vec::is_empty")]
    pub writers: Vec<Writer>,
    #[serde(rename = "a", default, skip_serializing_if = "std::ops::Not::not")]
    pub relisted: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Head {
    /// The row of the version, and what is beside it.
    #[must_use]
    pub fn row(&self, id: RowId) -> Row {
        Row {
            id,
            resource_version: self.resource_version.clone(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            created: self.created,
            cells: self.cells.clone(),
            extra: self.extra.clone(),
        }
    }
}

/// A [`Head`] on its way to its text, so that nothing of a row is copied for it. A test says that both have the same fields.
#[derive(Serialize)]
pub(crate) struct HeadText<'a> {
    #[serde(rename = "v")]
    resource_version: &'a ResourceVersion,
    #[serde(rename = "s", skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    #[serde(rename = "n")]
    name: &'a str,
    #[serde(rename = "t", skip_serializing_if = "Option::is_none")]
    created: Option<UnixSeconds>,
    #[serde(rename = "c")]
    cells: &'a [Cell],
    #[serde(rename = "x", skip_serializing_if = "Option::is_none")]
    extra: Option<&'a Extra>,
    #[serde(rename = "l", skip_serializing_if = "str::is_empty")]
    labels: &'a str,
    #[serde(rename = "m", skip_serializing_if = "<[Mask]>::is_empty")]
    masks: &'a [Mask],
    #[serde(rename = "r", skip_serializing_if = "is_zero")]
    run: u64,
    #[serde(rename = "d", skip_serializing_if = "is_zero")]
    rules: u64,
    #[serde(rename = "w", skip_serializing_if = "<[Writer]>::is_empty")]
    writers: &'a [Writer],
    #[serde(rename = "a", skip_serializing_if = "std::ops::Not::not")]
    relisted: bool,
}

impl<'a> HeadText<'a> {
    pub(crate) fn of(version: &'a Version, writers: &'a [Writer], run: u64) -> Self {
        let row = &*version.row;
        Self {
            resource_version: &row.resource_version,
            namespace: row.namespace.as_deref(),
            name: &row.name,
            created: row.created,
            cells: &row.cells,
            extra: row.extra.as_deref(),
            labels: &version.labels,
            masks: &version.masks,
            run: if version.masks.is_empty() { 0 } else { run },
            rules: version.rules,
            writers,
            relisted: version.relisted,
        }
    }

    /// `None`: it can't be JSON; every head can.
    pub(crate) fn write(&self) -> Option<Vec<u8>> {
        let mut text = Vec::with_capacity(HEAD_BYTES);
        serde_json::to_writer(&mut text, self).ok()?;
        Some(text)
    }
}

/// Most heads take less.
const HEAD_BYTES: usize = 1_024;

/// What an entry of an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Whole. With `moved`: only because a segment began; nothing had changed.
    Keyframe { moved: bool },
    /// Against the keyframe with this number.
    Patch { keyframe: i64 },
    /// The object is gone; `relisted`: a list showed it.
    Deleted { relisted: bool },
}

impl Op {
    /// As a store keeps it: 0 a keyframe, 1 one that only moved here, 2 a patch, 3 a deletion, 4 one that a list showed.
    pub(crate) fn number(self) -> (i64, Option<i64>) {
        match self {
            Self::Keyframe { moved } => (i64::from(moved), None),
            Self::Patch { keyframe } => (2, Some(keyframe)),
            Self::Deleted { relisted } => (3 + i64::from(relisted), None),
        }
    }

    pub(crate) fn of_number(number: i64, keyframe: Option<i64>) -> Self {
        match (number, keyframe) {
            (2, Some(keyframe)) => Self::Patch { keyframe },
            (3 | 4, _) => Self::Deleted { relisted: number == 4 },
            (number, _) => Self::Keyframe { moved: number == 1 },
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::cell::Cell;

    use super::*;

    #[test]
    fn a_head_that_is_written_of_a_version_is_read_with_all_its_fields() {
        let writer = serde_json::json!({ "manager": "kubelet", "operation": "Update", "time": 7 });
        let writer: Writer = serde_json::from_value(writer).expect("a writer");
        let row = Row {
            id: RowId::from_hash(1),
            resource_version: ResourceVersion::new("7"),
            namespace: Some("shop".into()),
            name: "api".into(),
            created: Some(9),
            cells: vec![Cell::text("Running")],
            extra: Some(Box::default()),
        };
        let version = Version {
            row: Arc::new(row),
            labels: "app\0web\0".into(),
            body: Bytes::new(),
            masks: Box::new([(1, 2)]),
            rules: 3,
            writers: vec![writer.clone()],
            relisted: true,
            about: None,
        };
        let text = HeadText::of(&version, &version.writers, 5).write().expect("a text");
        let head: Head = serde_json::from_slice(&text).expect("a head");
        assert_eq!(head.row(version.row.id), *version.row);
        assert_eq!(
            (&*head.labels, &*head.masks, head.run, head.rules),
            (&*version.labels, &*version.masks, 5, 3)
        );
        assert_eq!((&head.writers, head.relisted), (&version.writers, true));
        assert_eq!(serde_json::to_vec(&head).ok(), Some(text), "in the same order");
    }
}
