//! Frames under construction: rows are collected, measured and written once for all subscribers that get them. Never a
//! view or a subscriber.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use shared::cell::Cell;
use shared::codec::{self, Message};
use shared::frame::server::{Gap, Patch, Rows, RowsFrame, ViewId};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};

/// A WebSocket message. It is encoded once, for every client that gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    pub bytes: Bytes,
    /// Text, or deflated in a binary message.
    pub is_text: bool,
}

impl Encoded {
    /// `None` for a value that can't be JSON; every frame can.
    pub(crate) fn new(frame: &impl Serialize) -> Option<Self> {
        codec::encode(frame).ok().map(Self::from)
    }
}

impl From<Message> for Encoded {
    fn from(message: Message) -> Self {
        match message {
            Message::Text(text) => Self { bytes: text.into(), is_text: true },
            Message::Binary(bytes) => Self { bytes: bytes.into(), is_text: false },
        }
    }
}

/// A frame of rows under construction: rows are collected until it is large enough, and encoded once for all subscribers.
/// A tick writes one for its view, and a walk one for its subscriber.
#[derive(Default)]
pub(in crate::hub) struct FrameBuilder {
    rows: Rows<Arc<Row>>,
    byte_count: usize,
}

/// From where to where a frame goes, and what holds for it as a whole.
pub(in crate::hub) struct FrameRange {
    pub(in crate::hub) view: ViewId,
    pub(in crate::hub) from: u64,
    pub(in crate::hub) to: u64,
    pub(in crate::hub) resource_version: ResourceVersion,
    pub(in crate::hub) more: bool,
    pub(in crate::hub) gap: Option<Gap>,
    pub(in crate::hub) reset: bool,
}

impl FrameBuilder {
    pub(in crate::hub) fn put(&mut self, row: &Arc<Row>) {
        self.byte_count += row_bytes(row);
        self.rows.put.push(row.clone());
    }

    pub(super) fn set(&mut self, patch: Patch) {
        self.byte_count += ROW_BYTES + patch.cells.values().map(cell_bytes).sum::<usize>();
        self.rows.set.push(patch);
    }

    /// This row changed in what a mask hides.
    pub(super) fn masked(&mut self, id: RowId) {
        self.byte_count += ID_BYTES;
        self.rows.masked.push(id);
    }

    /// `place`: where it was, for a client that asked for whole rows.
    pub(in crate::hub) fn delete(&mut self, id: RowId, place: Option<(Option<&str>, &str)>) {
        self.byte_count += ROW_BYTES;
        self.rows.delete.push(id);
        if let Some((namespace, name)) = place {
            self.byte_count += namespace.map_or(0, str::len) + name.len();
            self.rows.left.push((namespace.map(Into::into), name.into()));
        }
    }

    /// The approximate size of its JSON, precise enough to cut frames.
    pub(in crate::hub) fn byte_count(&self) -> usize {
        self.byte_count
    }

    pub(in crate::hub) fn finish(self, range: FrameRange) -> Option<Encoded> {
        let FrameRange { view, from, to, resource_version, more, gap, reset } = range;
        let rows = Rows { view, from, to, resource_version, more, gap, reset, ..self.rows };
        Encoded::new(&RowsFrame { rows })
    }
}

/// An id, a resourceVersion and a time, with their quotes and commas.
const ROW_BYTES: usize = 48;
/// With its quotes and comma.
const ID_BYTES: usize = 13;

fn row_bytes(row: &Row) -> usize {
    let namespace = row.namespace.as_ref().map_or(0, |namespace| namespace.len());
    // Owner, hash and the like.
    let extra = row
        .extra
        .as_ref()
        .map_or(0, |extra| ROW_BYTES + extra.object.as_ref().map_or(0, |object| object.json().len()));
    ROW_BYTES + namespace + row.name.len() + extra + row.cells.iter().map(cell_bytes).sum::<usize>()
}

fn cell_bytes(cell: &Cell) -> usize {
    match cell {
        Cell::Null | Cell::Bool(_) | Cell::Int(_) => 6,
        Cell::Text(text) => text.len() + 3,
        Cell::Float(_) | Cell::Age(_) | Cell::Ago(_) | Cell::Span(_) => 24,
    }
}

/// The cells that differ, if nothing else does. `None`: the row must be sent whole.
pub(super) fn patch(before: &Row, after: &Row, frame_version: &ResourceVersion) -> Option<Patch> {
    let differs_in_cells_alone = before.namespace == after.namespace
        && before.name == after.name
        && before.created == after.created
        && before.extra == after.extra
        && before.cells.len() == after.cells.len();
    if !differs_in_cells_alone {
        return None;
    }
    let differing =
        before.cells.iter().zip(&after.cells).enumerate().filter(|(_, (before, after))| before != after);
    let cells: BTreeMap<u16, Cell> = differing
        .map(|(index, (_, after))| Some((u16::try_from(index).ok()?, after.clone())))
        .collect::<Option<_>>()?;
    let resource_version = (after.resource_version != *frame_version).then(|| after.resource_version.clone());
    Some(Patch { id: after.id, cells, resource_version })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, ready: &str) -> Row {
        Row {
            id: RowId::from_hash(7 << 40),
            resource_version: "12".into(),
            namespace: Some("shop".into()),
            name: name.into(),
            created: Some(1),
            cells: vec![Cell::text(name), Cell::text(ready)],
            extra: None,
        }
    }

    #[test]
    fn the_size_of_a_frame_is_known_about_while_it_grows() {
        let mut builder = FrameBuilder::default();
        for number in 0..100 {
            builder.put(&Arc::new(row(&format!("pod-{number}"), "1/1")));
        }
        let (about, rows) = (builder.byte_count(), builder.rows);
        let exact = serde_json::to_string(&RowsFrame { rows }).expect("json").len();
        assert!((exact / 2..exact * 2).contains(&about), "{about} of {exact}");
    }

    #[test]
    fn a_patch_holds_the_cells_that_differ() {
        let patch_of = |before: &Row, after: &Row| patch(before, after, &"12".into());
        let changed = patch_of(&row("a", "0/1"), &row("a", "1/1")).expect("a patch");
        assert_eq!(changed.cells, [(1, Cell::text("1/1"))].into());
        assert_eq!(changed.resource_version, None);
        let mut deleted = row("a", "0/1");
        deleted.extra = Some(Box::default());
        assert_eq!(patch_of(&row("a", "0/1"), &deleted), None);
    }
}
