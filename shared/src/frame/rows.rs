//! The most frequent frame: the changes of a view between two positions. Written as `[view, from, to,
//! resourceVersion, {what}]`, because a change of one cell is mostly its frame.

mod put;

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::cell::Cell;
use crate::json::{self, Malformed, Reader, fields};
use crate::problem::Reason;
use crate::resource_version::ResourceVersion;
use crate::row::{Row, RowId};
use crate::state::UnixMillis;
use put::Columns;

/// The gateway's number of a view, shared by all its subscribers, so that they get the same bytes.
pub type ViewId = u32;

/// The namespace, of an object that has one, and the name.
pub type Place = (Option<Box<str>>, Box<str>);

/// The changes of a view from one position to another. The client's position must be `from`. `R` is the type of a
/// row: the gateway writes shared rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows<R = Row> {
    pub view: ViewId,
    pub from: u64,
    pub to: u64,
    pub resource_version: ResourceVersion,
    /// New rows and rows sent whole.
    pub put: Vec<R>,
    /// Changed cells of rows that the client has.
    pub set: Vec<Patch>,
    /// A delete of an unknown row is no error.
    pub delete: Vec<RowId>,
    /// Namespace and name of each row of `delete`, in its order, where the client asked for whole rows.
    pub left: Vec<Place>,
    /// The rows among those above whose masked values changed, alone or with other values.
    pub masked: Vec<RowId>,
    /// This frame isn't a cut: the rows after it were never the cluster's state.
    pub more: bool,
    /// Events between these instants weren't seen; the rows are exact.
    pub gap: Option<Gap>,
    /// Begin anew at `from`: these rows up to the next cut replace all that the client had.
    pub reset: bool,
}

/// The whole frame, written as `ServerFrame::Rows`, with shared rows.
#[derive(Debug, Serialize)]
#[serde(bound = "R: Borrow<Row>")]
pub struct RowsFrame<R> {
    pub rows: Rows<R>,
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

/// The fifth element of the frame. A part that is empty is left out.
#[derive(Default, Serialize, Deserialize)]
struct What<P, S, D> {
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    put: Option<P>,
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    set: Option<S>,
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    delete: Option<D>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left: Vec<Place>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    masked: Vec<RowId>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    more: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gap: Option<Gap>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    reset: bool,
}

type Read = What<put::Read, Vec<Patch>, Vec<RowId>>;

impl<R> Default for Rows<R> {
    fn default() -> Self {
        Self {
            view: 0,
            from: 0,
            to: 0,
            resource_version: ResourceVersion::default(),
            put: Vec::new(),
            set: Vec::new(),
            delete: Vec::new(),
            left: Vec::new(),
            masked: Vec::new(),
            more: false,
            gap: None,
            reset: false,
        }
    }
}

impl<R: Borrow<Row>> Serialize for Rows<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let what = What {
            put: Columns::of(&self.put),
            set: some(&self.set),
            delete: some(&self.delete),
            left: self.left.clone(),
            masked: self.masked.clone(),
            more: self.more,
            gap: self.gap.clone(),
            reset: self.reset,
        };
        (self.view, self.from, self.to, &self.resource_version, what).serialize(serializer)
    }
}

fn some<T>(list: &[T]) -> Option<&[T]> {
    Some(list).filter(|list| !list.is_empty())
}

impl Rows {
    fn of(
        (view, from, to, resource_version): (ViewId, u64, u64, ResourceVersion),
        put: Vec<Row>,
        what: Read,
    ) -> Self {
        Self {
            view,
            from,
            to,
            resource_version,
            put,
            set: what.set.unwrap_or_default(),
            delete: what.delete.unwrap_or_default(),
            left: what.left,
            masked: what.masked,
            more: what.more,
            gap: what.gap,
            reset: what.reset,
        }
    }
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (view, from, to, resource_version, mut what) = <(_, _, _, _, Read)>::deserialize(deserializer)?;
        let put = what.put.take().map_or(Ok(Vec::new()), put::Read::into_rows).map_err(de::Error::custom)?;
        Ok(Self::of((view, from, to, resource_version), put, what))
    }
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

/// Written by hand, because an untagged enum reads through a buffer, in which the key `"2"` isn't a number.
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

fields! { Gap: from_ms, to_ms, reason; }
fields! { Read: ; put, set, delete, left, masked, more, gap, reset }

impl json::Read for Rows {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        let (view, from, to) = (json.item(true)?, json.item(false)?, json.item(false)?);
        let (resource_version, mut what) = (json.item(false)?, json.item::<Read>(false)?);
        json.end()?;
        let put = what.put.take().map_or(Ok(Vec::new()), put::Read::into_rows).map_err(|_| Malformed)?;
        Ok(Self::of((view, from, to, resource_version), put, what))
    }
}

impl json::Read for Patch {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        let (id, cells) = (json.item(true)?, json.item(false)?);
        let resource_version = if json.goes_on() { Some(json.item(false)?) } else { None };
        json.end()?;
        Ok(Self { id, cells, resource_version })
    }
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

    #[test]
    fn a_frame_of_one_cell_is_mostly_that_cell() {
        let json = r#"[3,1204,1205,"884129320",{"set":[["AAAAAAAAAB",{"1":"0/1"}]]}]"#;
        let rows: Rows = serde_json::from_str(json).expect(json);
        assert_eq!(serde_json::to_string(&rows).expect("json"), json);
    }

    #[test]
    fn a_frame_of_another_length_is_refused() {
        for json in [r#"[3,1,2,"8"]"#, r#"[3,1,2,"8",{},1]"#, r#"[3,1,2,8,{}]"#, r#"{"view":3}"#] {
            assert!(serde_json::from_str::<Rows>(json).is_err(), "{json}");
        }
    }
}
