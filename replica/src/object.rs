//! The viewer's copy of one whole object, changed by `object` frames alone. The last state of a deleted
//! object stays; earlier versions are kept by whatever compares them.

use std::sync::Arc;

use litemap::LiteMap;
use serde_json::Value;
use shared::frame::server::ObjectFrame;
use shared::patch;
use shared::row::RowId;
use shared::state::UnixMillis;

use crate::chain::{Broken, Chain};
use crate::subscription::Subscription;

/// One subscription to an object: its last state, whether it is there, and which masked fields changed. The client's views
/// own it and apply frames to it; the panel of the page reads it.
#[derive(Debug)]
pub struct ObjectView {
    pub subscription: Subscription,
    pub(crate) chain: Chain,
    /// As it is, or as it was last.
    pub value: Option<Arc<Value>>,
    pub row: Option<RowId>,
    pub existence: Existence,
    /// The masked fields that changed behind their masks since the whole object came, and when.
    pub masked_changes: Arc<LiteMap<Box<str>, UnixMillis>>,
    /// When it changed last, by the viewer's clock.
    pub changed_ms: Option<UnixMillis>,
}

/// Whether the object is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existence {
    /// The gateway hasn't said yet.
    Unknown,
    Exists,
    /// There is no such object, or none any more: the value is the last that was seen.
    Deleted,
}

impl ObjectView {
    pub(crate) fn new(subscription: Subscription) -> Self {
        Self {
            subscription,
            chain: Chain::default(),
            value: None,
            row: None,
            existence: Existence::Unknown,
            masked_changes: Arc::default(),
            changed_ms: None,
        }
    }

    /// Nothing of the object is left.
    pub(crate) fn purge(&mut self) {
        (self.value, self.row, self.existence) = (None, None, Existence::Unknown);
        (self.masked_changes, self.changed_ms) = (Arc::default(), None);
    }

    /// The only way in which the object changes.
    pub(crate) fn apply(&mut self, frame: ObjectFrame, now_ms: UnixMillis) -> Result<(), Broken> {
        self.chain.step(frame.from, frame.to, frame.reset)?;
        if let Some(object) = frame.object {
            self.value = Some(Arc::new(object));
            self.existence = Existence::Exists;
            self.row = frame.row;
            self.masked_changes = Arc::default();
        } else if frame.deleted {
            self.existence = Existence::Deleted;
        } else if !frame.patch.is_empty() {
            let before =
                self.value.as_ref().filter(|_| self.row == frame.row && self.existence == Existence::Exists);
            let before = before.ok_or(Broken::Misfit)?;
            let after = patch::apply(before, &frame.patch).map_err(|_| Broken::Misfit)?;
            let changed: Vec<Box<str>> = patch::unseen(before, &frame.patch).map(Into::into).collect();
            if !changed.is_empty() {
                let changes = Arc::make_mut(&mut self.masked_changes);
                for path in changed {
                    changes.insert(path, now_ms);
                }
            }
            self.value = Some(Arc::new(after));
        }
        if frame.gap.is_some() {
            self.subscription.gap = frame.gap;
        }
        self.changed_ms = Some(now_ms);
        self.subscription.held.set(self.subscription.at_ms);
        self.chain.cut(frame.resource_version, None);
        Ok(())
    }
}
