//! The rows of one subscription, moved only by frames through [`Table::apply`]; the guarantees of
//! the wire (chained, ordered, exact at cuts) are checked here. Never an order or a filter: those
//! are the query's.

mod incoming;
mod slots;

use std::sync::Arc;

use shared::column::Column;
use shared::digest;
use shared::frame::server::{Gap, Rows, Subscribed};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::token::Token;

use incoming::Incoming;
use slots::Slots;
pub use slots::{Entry, Slot};

/// What a subscription holds. Rows are addressed by slot while they live: a slot's row may change,
/// but never becomes another object's before [`Table::remove_tombstone`].
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Arc<[Column]>,
    slots: Slots,
    identity: Identity,
    position: Option<u64>,
    /// Where the next subscription continues; moves at cuts only.
    token: Option<Token>,
    /// Rows that will replace what is shown, put aside until they are whole.
    incoming: Option<Incoming>,
    /// A cut was reached: what is shown was once exactly the gateway's.
    whole: bool,
}

/// What has to be equal for a token to be worth anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Identity {
    cluster: Box<str>,
    columns: Box<str>,
    epoch: Box<str>,
}

/// What one frame changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delta {
    pub added: Vec<Slot>,
    pub changed: Vec<Changed>,
    /// Deleted rows keep their slot and content, as tombstones, until they are removed.
    pub removed: Vec<Slot>,
    /// Other columns: everything that was derived from cells is void.
    pub columns: bool,
    /// The rows of a reset took the place of the former ones with this frame.
    pub replaced: bool,
    /// What is shown now is a state that the hub was in.
    pub cut: bool,
    /// The first cut: from now on rows have their order.
    pub first_cut: bool,
    pub gap: Option<Gap>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    pub slot: Slot,
    pub cells: Vec<u16>,
}

/// Why a frame can't be applied; the subscription begins again from its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The frame continues another position than ours.
    NotChained { from: u64, position: Option<u64> },
    /// Its end lies before its beginning.
    Backwards { from: u64, to: u64 },
    /// Cells of a row that isn't here.
    UnknownRow(RowId),
    /// A cell beyond the row's last.
    UnknownCell(RowId, u16),
    /// A patch for another state of the object.
    Misfit,
}

impl Table {
    /// The gateway's answer to a subscription, or its word that epoch or columns changed. Rows that
    /// can't be continued stay until the new ones are whole.
    pub fn subscribed(&mut self, answer: &Subscribed) {
        if answer.epoch.is_empty() {
            // Whether our token holds isn't known yet; another answer follows.
            return self.detached();
        }
        let identity = Identity {
            cluster: answer.cluster.clone(),
            columns: answer.columns_hash.clone(),
            epoch: answer.epoch.clone(),
        };
        let columns: Arc<[Column]> = answer.columns.clone().into();
        let only_columns_came = self.identity.columns.is_empty()
            && self.identity.epoch == identity.epoch
            && self.identity.cluster == identity.cluster
            && self.slots.is_empty();
        let same = self.identity == identity && self.position.is_some();
        self.identity = identity;
        if let Some(at) = answer.at.filter(|_| !same) {
            self.continue_at(at, columns);
        } else if only_columns_came && self.incoming.is_none() && self.position.is_some() {
            self.columns = columns;
        } else if !same {
            self.begin_at(0, columns);
        }
    }

    /// The connection or the subscription ended: nothing applies before the next `subscribed`.
    pub fn detached(&mut self) {
        self.position = None;
        self.incoming = None;
    }

    /// What is held isn't the gateway's: the next subscription gets everything anew.
    pub fn distrust(&mut self) {
        self.detached();
        self.token = None;
    }

    /// What is shown stays until other rows, under these columns, are whole.
    pub(crate) fn begin_anew(&mut self, columns: Arc<[Column]>) {
        self.begin_at(0, columns);
    }

    /// Our token holds, in whatever epoch: what is here stands at this position of it.
    fn continue_at(&mut self, position: u64, columns: Arc<[Column]>) {
        self.position = Some(position);
        self.incoming = None;
        self.columns = columns;
        if let Some(token) = &mut self.token {
            token.epoch.clone_from(&self.identity.epoch);
            token.sequence = position.to_string().into();
        }
    }

    fn begin_at(&mut self, position: u64, columns: Arc<[Column]>) {
        self.position = Some(position);
        if self.slots.is_empty() {
            self.columns = columns;
            self.incoming = None;
        } else {
            self.incoming = Some(Incoming::new(columns));
        }
    }

    /// The only way in which rows move.
    ///
    /// # Errors
    /// [`Broken`] when the frame isn't a continuation of what is here. Nothing may be applied
    /// after that before the next `subscribed`.
    pub fn apply(&mut self, frame: Rows) -> Result<Delta, Broken> {
        if frame.reset {
            let columns =
                self.incoming.as_ref().map_or_else(|| self.columns.clone(), |rows| rows.columns.clone());
            self.begin_at(frame.from, columns);
        }
        if self.position != Some(frame.from) {
            return Err(Broken::NotChained { from: frame.from, position: self.position });
        }
        if frame.to < frame.from {
            return Err(Broken::Backwards { from: frame.from, to: frame.to });
        }
        let (to, more, gap) = (frame.to, frame.more, frame.gap.clone());
        let token_version = frame.resource_version.clone();
        let mut delta = Delta { gap, ..Delta::default() };
        if let Some(incoming) = &mut self.incoming {
            incoming.apply(frame)?;
        } else {
            self.apply_shown(frame, &mut delta)?;
        }
        self.position = Some(to);
        if !more {
            self.cut(to, token_version, &mut delta);
        }
        Ok(delta)
    }

    fn apply_shown(&mut self, frame: Rows, delta: &mut Delta) -> Result<(), Broken> {
        // Until the next cut the rows are between two states.
        if let Some(token) = &mut self.token {
            token.digest = None;
        }
        for row in frame.put {
            self.slots.put(row, &self.columns, delta);
        }
        for patch in frame.set {
            self.slots.set(patch, &frame.resource_version, &self.columns, delta)?;
        }
        for id in frame.delete {
            delta.removed.extend(self.slots.remove(id));
        }
        Ok(())
    }

    fn cut(&mut self, to: u64, resource_version: ResourceVersion, delta: &mut Delta) {
        if let Some(incoming) = self.incoming.take() {
            self.replace(incoming, delta);
        }
        delta.cut = true;
        delta.first_cut = !self.whole;
        self.whole = true;
        self.token = Some(Token {
            cluster: self.identity.cluster.clone(),
            columns: self.identity.columns.clone(),
            epoch: self.identity.epoch.clone(),
            sequence: to.to_string().into(),
            resource_version,
            digest: Some(self.digest().into()),
        });
    }

    fn replace(&mut self, incoming: Incoming, delta: &mut Delta) {
        delta.replaced = true;
        delta.columns = self.columns != incoming.columns;
        self.columns = incoming.columns;
        let gone: Vec<RowId> = self.slots.ids().filter(|id| !incoming.rows.contains_key(id)).collect();
        for id in gone {
            delta.removed.extend(self.slots.remove(id));
        }
        for row in incoming.rows.into_values() {
            self.slots.put(row, &self.columns, delta);
        }
    }

    #[must_use]
    pub fn columns(&self) -> &Arc<[Column]> {
        &self.columns
    }

    /// Rows that the cluster has; tombstones aren't counted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.live_count()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows that arrived so far, of those that will replace what is shown.
    #[must_use]
    pub fn incoming_count(&self) -> Option<usize> {
        self.incoming.as_ref().map(|incoming| incoming.rows.len())
    }

    /// Whether what is shown was ever complete.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    #[must_use]
    pub fn position(&self) -> Option<u64> {
        self.position
    }

    #[must_use]
    pub fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// The row in a slot, tombstones included.
    #[must_use]
    pub fn entry(&self, slot: Slot) -> Option<&Entry> {
        self.slots.entry(slot)
    }

    #[must_use]
    pub fn slot_of(&self, id: RowId) -> Option<Slot> {
        self.slots.slot_of(id)
    }

    /// All rows and tombstones, by slot.
    pub fn iter(&self) -> impl Iterator<Item = (Slot, &Entry)> {
        self.slots.iter()
    }

    /// The rows that the cluster has, in no order.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.slots.iter().filter(|(_, entry)| !entry.is_tombstone()).map(|(_, entry)| entry.row())
    }

    /// Lets a tombstone go; its slot may then become another row's.
    pub fn remove_tombstone(&mut self, slot: Slot) {
        self.slots.remove_tombstone(slot);
    }

    /// Of the rows shown, as `sync` carries it.
    #[must_use]
    pub fn digest(&self) -> String {
        digest::to_text(self.slots.digest())
    }

    /// Whether the gateway's digest at a position is ours; `None` where nothing can be said
    /// because we stand elsewhere.
    #[must_use]
    pub fn agrees(&self, at: u64, digest: &str) -> Option<bool> {
        (self.position == Some(at) && self.incoming.is_none() && self.whole).then(|| self.digest() == digest)
    }
}

#[cfg(test)]
mod tests;
