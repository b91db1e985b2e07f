//! How the hub writes: rows as they are met, piece by piece, cut near the bound of a frame, and
//! encoded once for everybody. Never which rows: that is the walk's and the view's.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::Serialize;
use shared::cell::Cell;
use shared::codec::{self, Message};
use shared::frame::server::{Gap, Patch, Rows, ViewId};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};

/// One WebSocket message, written once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    pub bytes: Bytes,
    /// Text, or deflated in a binary message.
    pub is_text: bool,
}

impl Encoded {
    /// `None` for what can't be JSON, which no frame is.
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

/// From where to where, and what holds for the frame as a whole.
pub(super) struct Stretch {
    pub(super) view: ViewId,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) resource_version: ResourceVersion,
    pub(super) more: bool,
    pub(super) gap: Option<Gap>,
    pub(super) reset: bool,
}

/// A frame under construction. Its size is known while it grows, because every row is written at once.
#[derive(Default)]
pub(super) struct FrameBuilder {
    put: Pieces,
    set: Pieces,
    delete: Pieces,
}

/// The elements of a JSON array, with commas.
#[derive(Default)]
struct Pieces(Vec<u8>);

impl FrameBuilder {
    pub(super) fn put(&mut self, row: &Row) {
        self.put.push(row);
    }

    pub(super) fn set(&mut self, patch: &Patch) {
        self.set.push(patch);
    }

    pub(super) fn delete(&mut self, id: RowId) {
        self.delete.push(&id);
    }

    pub(super) fn byte_count(&self) -> usize {
        self.put.0.len() + self.set.0.len() + self.delete.0.len()
    }

    /// The same bytes as `ServerFrame::Rows` would give.
    pub(super) fn finish(self, stretch: Stretch) -> Option<Encoded> {
        let Stretch { view, from, to, resource_version, more, gap, reset } = stretch;
        let head = Rows { view, from, to, resource_version, ..Rows::default() };
        let tail = Rows { more, gap, reset, ..Rows::default() };
        // Both are whole frames; the pieces go between the fields of the one and of the other.
        let (head, tail) = (serde_json::to_string(&head).ok()?, serde_json::to_string(&tail).ok()?);
        let mut json = Vec::with_capacity(self.byte_count() + head.len() + 64);
        json.extend_from_slice(b"{\"rows\":");
        json.extend_from_slice(head.strip_suffix('}')?.as_bytes());
        for (name, pieces) in [("put", self.put), ("set", self.set), ("delete", self.delete)] {
            if !pieces.0.is_empty() {
                json.extend_from_slice(format!(",\"{name}\":[").as_bytes());
                json.extend_from_slice(&pieces.0);
                json.push(b']');
            }
        }
        let empty = serde_json::to_string(&Rows::default()).ok()?;
        json.extend_from_slice(tail.strip_prefix(empty.strip_suffix('}')?)?.as_bytes());
        json.push(b'}');
        Some(codec::pack(String::from_utf8(json).ok()?).into())
    }
}

impl Pieces {
    fn push(&mut self, element: &impl Serialize) {
        let length = self.0.len();
        if length > 0 {
            self.0.push(b',');
        }
        // Rows, patches and ids are always JSON; a half-written element must not stay.
        if serde_json::to_writer(&mut self.0, element).is_err() {
            self.0.truncate(length);
        }
    }
}

/// The cells that differ, where nothing else does; `None` when the row must be sent whole.
pub(super) fn patch(before: &Row, after: &Row, frame_version: &ResourceVersion) -> Option<Patch> {
    let same_frame = before.namespace == after.namespace
        && before.name == after.name
        && before.created == after.created
        && before.extra == after.extra
        && before.cells.len() == after.cells.len();
    if !same_frame {
        return None;
    }
    let differing =
        before.cells.iter().zip(&after.cells).enumerate().filter(|(_, (before, after))| before != after);
    let cells: BTreeMap<u16, Cell> = differing
        .map(|(place, (_, after))| Some((u16::try_from(place).ok()?, after.clone())))
        .collect::<Option<_>>()?;
    let resource_version = (after.resource_version != *frame_version).then(|| after.resource_version.clone());
    Some(Patch { id: after.id, cells, resource_version })
}

#[cfg(test)]
mod tests {
    use shared::problem::Reason;

    use shared::frame::server::ServerFrame;

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
    fn a_built_frame_is_the_frame_that_serde_writes() {
        let gap = Gap { from_ms: 1, to_ms: 2, reason: Reason::Expired };
        let changed = patch(&row("a", "0/1"), &row("a", "1/1"), &"13".into()).expect("a cell differs");
        for (more, gap, reset) in [(false, None, false), (true, Some(gap), true)] {
            let mut builder = FrameBuilder::default();
            builder.put(&row("a", "1/1"));
            builder.put(&row("b", "1/1"));
            builder.set(&changed);
            builder.delete(RowId::from_hash(9 << 40));
            let stretch = Stretch {
                view: 3,
                from: 1,
                to: 4,
                resource_version: "13".into(),
                more,
                gap: gap.clone(),
                reset,
            };
            let built = builder.finish(stretch).expect("a frame");
            let frame = ServerFrame::Rows(Rows {
                view: 3,
                from: 1,
                to: 4,
                resource_version: "13".into(),
                put: vec![row("a", "1/1"), row("b", "1/1")],
                set: vec![changed.clone()],
                delete: vec![RowId::from_hash(9 << 40)],
                more,
                gap,
                reset,
            });
            assert_eq!(Some(built), Encoded::new(&frame));
        }
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
