//! The object of an object view, as its subscribers have it, and the frame that moves them on: a patch if that is much
//! smaller than the whole object, or says what a mask hides.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use shared::frame::client::SubscriptionId;
use shared::frame::server::ObjectFrame;
use shared::patch::{self, Operation};
use shared::row::RowId;

use super::{Encoded, FrameRange};
use crate::feed::masks::{Masks, unmarked};
use crate::hub::bodies::Body;
use crate::hub::store::{Store, Stored};
use crate::subscription_request::SubscriptionRequest;

/// The one object of an `object` view as its subscribers have it, if it exists. The frame that moves them on is a
/// patch if that is much smaller than the whole object.
#[derive(Default)]
pub(in crate::hub) struct ObjectView(Option<Shown>);

/// Packed, as in the store: an object read into values takes a multiple of its JSON, and a view lives for as long
/// as a viewer has it open.
struct Shown {
    row: RowId,
    body: Body,
    masks: Masks,
}

/// How an object changed.
pub(in crate::hub) enum ObjectChange {
    Same,
    Patch(Vec<Operation>),
    Whole,
}

#[derive(Serialize)]
struct Written<'a> {
    object: ObjectFrame<&'a RawValue>,
}

impl ObjectView {
    pub(in crate::hub) fn of(store: &Store, request: &SubscriptionRequest) -> Self {
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
        Self(member.map(|(row, stored)| Shown::of(row, stored)))
    }

    pub(in crate::hub) fn is_there(&self) -> bool {
        self.0.is_some()
    }

    fn row(&self) -> Option<RowId> {
        self.0.as_ref().map(|shown| shown.row)
    }

    /// `touched`: the rows that changed since the tick before.
    pub(super) fn tick<T>(
        &mut self,
        request: &SubscriptionRequest,
        store: &Store,
        touched: &BTreeMap<RowId, T>,
    ) -> ObjectChange {
        let is_known = |row| touched.contains_key(&row);
        // Another object of the same name may have come: it has another row.
        let is_member = |row: &RowId| store.get(*row).is_some_and(|stored| request.matches(stored));
        let is_touched = request.row.or(self.row()).is_some_and(is_known)
            || request.row.is_none() && touched.keys().any(is_member);
        if is_touched { self.renew(store, request) } else { ObjectChange::Same }
    }

    /// Takes over what the store has now.
    fn renew(&mut self, store: &Store, request: &SubscriptionRequest) -> ObjectChange {
        let now = Self::near(store, request, self.row());
        let before = std::mem::replace(self, now);
        match (&before.0, &self.0) {
            (None, None) => ObjectChange::Same,
            (Some(before), Some(now)) if before.row == now.row => {
                difference(before, now).unwrap_or(ObjectChange::Whole)
            }
            _ => ObjectChange::Whole,
        }
    }

    pub(in crate::hub) fn write(
        &self,
        range: FrameRange,
        change: ObjectChange,
        get: Option<SubscriptionId>,
    ) -> Option<Encoded> {
        let FrameRange { view, from, to, resource_version, more: _, gap, reset } = range;
        let (object, patch) = match change {
            ObjectChange::Same => (None, Vec::new()),
            ObjectChange::Patch(patch) => (None, patch),
            ObjectChange::Whole => match &self.0 {
                Some(shown) => (Some(shown.json()?), Vec::new()),
                None => (None, Vec::new()),
            },
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
            object: object.as_deref(),
            patch,
            deleted,
            gap,
            reset,
        };
        Encoded::new(&Written { object })
    }
}

impl Shown {
    fn of(row: RowId, stored: &Stored) -> Self {
        Self { row, body: stored.body.clone(), masks: stored.masks.clone() }
    }

    fn json(&self) -> Option<Box<RawValue>> {
        RawValue::from_string(String::from_utf8(self.body.unpack()?).ok()?).ok()
    }
}

/// A patch must be worth it, because a whole object can't be applied to the wrong state; but only a patch says what
/// changed behind a mask. `None` if one of them can't be read.
fn difference(before: &Shown, now: &Shown) -> Option<ObjectChange> {
    let now_json = now.body.unpack()?;
    let marked_before = before.masks.marked(&before.body.unpack()?)?;
    let mut patch = patch::between(&marked_before, &now.masks.marked(&now_json)?);
    if patch.is_empty() {
        return Some(ObjectChange::Same);
    }
    for operation in &mut patch {
        if let Operation::Add { value, .. } | Operation::Replace { value, .. } = operation {
            *value = unmarked(value);
        }
    }
    let patch_bytes = serde_json::to_string(&patch).map_or(usize::MAX, |json| json.len());
    let is_worth_it = patch_bytes <= now_json.len() / 2;
    Some(if is_worth_it || patch::unseen(&unmarked(&marked_before), &patch).next().is_some() {
        ObjectChange::Patch(patch)
    } else {
        ObjectChange::Whole
    })
}
