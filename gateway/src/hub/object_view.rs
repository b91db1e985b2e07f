//! The one object of an `object` view as its subscribers have it, and the frame that moves them on: a
//! patch if that is much smaller than the whole object. It knows no subscriber.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use shared::frame::client::SubscriptionId;
use shared::frame::server::ObjectFrame;
use shared::patch::{self, Operation};
use shared::row::RowId;

use super::frames::{Encoded, FrameRange};
use super::request::SubscriptionRequest;
use super::store::{Store, Stored};
use crate::feed::masks::unmarked;

/// The object, if it exists.
#[derive(Default)]
pub(super) struct ObjectView(Option<Shown>);

struct Shown {
    row: RowId,
    json: Box<RawValue>,
    marked: Value,
}

/// How an object changed.
pub(super) enum ObjectChange {
    Same,
    Patch(Vec<Operation>),
    Whole,
}

#[derive(Serialize)]
struct Written<'a> {
    object: ObjectFrame<&'a RawValue>,
}

impl ObjectView {
    pub(super) fn of(store: &Store, request: &SubscriptionRequest) -> Self {
        Self::near(store, request, None)
    }

    /// `known`: the row that it had. The search for a name passes all objects, and the row rarely differs.
    fn near(store: &Store, request: &SubscriptionRequest, known: Option<RowId>) -> Self {
        let by_row =
            |row| store.get(row).filter(|stored| request.matches(stored)).map(|stored| (row, stored));
        let member = match request.row {
            Some(row) => by_row(row),
            None => {
                known.and_then(by_row).or_else(|| store.iter().find(|(_, stored)| request.matches(stored)))
            }
        };
        Self(member.and_then(|(row, stored)| Shown::of(row, stored)))
    }

    pub(super) fn is_there(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn row(&self) -> Option<RowId> {
        self.0.as_ref().map(|shown| shown.row)
    }

    /// Takes over what the store has now.
    pub(super) fn renew(&mut self, store: &Store, request: &SubscriptionRequest) -> ObjectChange {
        let now = Self::near(store, request, self.row());
        let before = std::mem::replace(self, now);
        match (&before.0, &self.0) {
            (None, None) => ObjectChange::Same,
            (Some(before), Some(now)) if before.row == now.row => difference(before, now),
            _ => ObjectChange::Whole,
        }
    }

    pub(super) fn write(
        &self,
        range: FrameRange,
        change: ObjectChange,
        get: Option<SubscriptionId>,
    ) -> Option<Encoded> {
        let FrameRange { view, from, to, resource_version, more: _, gap, reset } = range;
        let (object, patch) = match change {
            ObjectChange::Same => (None, Vec::new()),
            ObjectChange::Patch(patch) => (None, patch),
            ObjectChange::Whole => (self.0.as_ref().map(|shown| &*shown.json), Vec::new()),
        };
        let deleted = self.0.is_none();
        let row = self.row();
        let object = ObjectFrame {
            id: get,
            view,
            from,
            to,
            resource_version,
            row,
            object,
            patch,
            deleted,
            gap,
            reset,
        };
        Encoded::new(&Written { object })
    }
}

impl Shown {
    fn of(row: RowId, stored: &Stored) -> Option<Self> {
        let json = String::from_utf8(stored.body.unpack()?).ok()?;
        let marked = stored.masks.marked(json.as_bytes())?;
        Some(Self { row, json: RawValue::from_string(json).ok()?, marked })
    }
}

/// A patch must be worth it, for a whole object can't be applied to the wrong state; but only a patch says what
/// changed behind a mask.
fn difference(before: &Shown, now: &Shown) -> ObjectChange {
    let mut patch = patch::between(&before.marked, &now.marked);
    if patch.is_empty() {
        return ObjectChange::Same;
    }
    for operation in &mut patch {
        if let Operation::Add { value, .. } | Operation::Replace { value, .. } = operation {
            *value = unmarked(value);
        }
    }
    let patch_bytes = serde_json::to_string(&patch).map_or(usize::MAX, |json| json.len());
    let is_worth_it = patch_bytes <= now.json.get().len() / 2;
    if is_worth_it || patch::unseen(&unmarked(&before.marked), &patch).next().is_some() {
        ObjectChange::Patch(patch)
    } else {
        ObjectChange::Whole
    }
}
