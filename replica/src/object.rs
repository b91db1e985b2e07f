//! The viewer's copy of one whole object, moved by `object` frames alone. A deleted object's last state
//! stays. Never its history: who wants to compare keeps the versions.

use std::sync::Arc;

use serde_json::Value;
use shared::frame::server::{Gap, ObjectFrame};
use shared::patch;
use shared::row::RowId;
use shared::state::UnixMillis;

use crate::place::Place;
use crate::subscription::Subscription;
use crate::table::Broken;

#[derive(Debug)]
pub struct ObjectView {
    pub(crate) subscription: Subscription,
    pub(crate) place: Place,
    value: Option<Arc<Value>>,
    row: Option<RowId>,
    standing: Standing,
    /// When it changed last, by the viewer's clock.
    moved_ms: Option<UnixMillis>,
}

/// Whether the object is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The gateway hasn't said yet.
    Unknown,
    There,
    /// It isn't there, or not any more: the value is the last that was seen.
    Deleted,
}

impl ObjectView {
    pub(crate) fn new(subscription: Subscription) -> Self {
        Self {
            subscription,
            place: Place::default(),
            value: None,
            row: None,
            standing: Standing::Unknown,
            moved_ms: None,
        }
    }

    /// The only way in which the object moves.
    pub(crate) fn apply(&mut self, frame: ObjectFrame, now_ms: UnixMillis) -> Result<(), Broken> {
        self.place.step(frame.from, frame.to, frame.reset)?;
        if let Some(object) = frame.object {
            self.value = Some(Arc::new(object));
            self.standing = Standing::There;
            self.row = frame.row;
        } else if frame.deleted {
            self.standing = Standing::Deleted;
        } else if !frame.patch.is_empty() {
            let before =
                self.value.as_ref().filter(|_| self.row == frame.row && self.standing == Standing::There);
            let after = before.and_then(|before| patch::apply(before, &frame.patch).ok());
            self.value = Some(Arc::new(after.ok_or(Broken::Misfit)?));
        }
        if frame.gap.is_some() {
            self.subscription.gap = frame.gap;
        }
        self.moved_ms = Some(now_ms);
        self.place.cut(frame.resource_version);
        Ok(())
    }

    #[must_use]
    pub fn subscription(&self) -> &Subscription {
        &self.subscription
    }

    /// As it is, or as it was last.
    #[must_use]
    pub fn value(&self) -> Option<&Arc<Value>> {
        self.value.as_ref()
    }

    #[must_use]
    pub fn row(&self) -> Option<RowId> {
        self.row
    }

    #[must_use]
    pub fn standing(&self) -> Standing {
        self.standing
    }

    #[must_use]
    pub fn moved_ms(&self) -> Option<UnixMillis> {
        self.moved_ms
    }

    #[must_use]
    pub fn gap(&self) -> Option<&Gap> {
        self.subscription.gap()
    }
}
