//! The rows of one subscription, changed only by frames through [`Table::apply`], which checks the wire's
//! guarantees (chained, ordered, exact at cuts). Order and filter are the query's.

pub mod clusters;
mod incoming;
mod joined;
mod slots;

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::column::Column;
use shared::digest;
use shared::frame::server::{Gap, Rows, Subscribed};
use shared::name::{ClusterName, Namespace};
use shared::row::{Row, RowId};
use shared::token::Token;

pub use crate::chain::Broken;
use crate::chain::{Chain, Continuation};
use incoming::Incoming;
pub use joined::Joined;
use slots::Slots;
pub use slots::{Entry, Slot};

/// What a subscription holds. Rows are addressed by slot while they live: a slot's row may change,
/// but never becomes another object's before [`Table::remove_tombstone`].
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The gateway's.
    own_columns: Arc<[Column]>,
    /// The columns of the joined cells.
    joined: Arc<[Column]>,
    /// Both.
    columns: Arc<[Column]>,
    slots: Slots,
    chain: Chain,
    /// Rows that will replace what is shown, put aside until they are whole.
    incoming: Option<Incoming>,
    /// A cut was reached: what is shown was once exactly the gateway's.
    whole: bool,
}

/// What one frame changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delta {
    pub added: Vec<Slot>,
    pub changed: Vec<Changed>,
    /// Those of them that changed in what a mask hides.
    pub masked: Vec<Slot>,
    /// Deleted rows keep their slot and content, as tombstones, until they are removed.
    pub removed: Vec<Slot>,
    /// Other columns: everything that was derived from cells is void.
    pub columns: bool,
    /// The rows of a reset took the place of the former ones with this frame, or those of a cluster or a namespace came
    /// or left as a whole.
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

impl Table {
    /// The gateway's answer to a subscription, or its word that epoch or columns changed. Rows that
    /// can't be continued stay until the new ones are whole.
    pub fn subscribed(&mut self, answer: &Subscribed) {
        let is_empty = self.is_empty() && self.incoming.is_none();
        match self.chain.subscribed(answer, is_empty) {
            Continuation::Unknown => self.incoming = None,
            Continuation::Same if !is_empty => {}
            Continuation::Same => self.set_columns(answer.columns.clone().into()),
            Continuation::Resumed => {
                self.incoming = None;
                self.set_columns(answer.columns.clone().into());
            }
            Continuation::Anew => self.put_aside(answer.columns.clone().into()),
        }
    }

    /// The connection or the subscription ended: nothing applies before the next `subscribed`.
    pub fn detach(&mut self) {
        self.chain.detach();
        self.incoming = None;
    }

    /// The rows that come next are the first.
    pub(crate) fn forget_cut(&mut self) {
        self.whole = false;
    }

    /// What is shown stays until other rows, under these columns, are whole.
    pub(crate) fn begin_anew(&mut self, columns: Arc<[Column]>) {
        self.chain.begin_anew();
        self.put_aside(columns);
    }

    fn put_aside(&mut self, columns: Arc<[Column]>) {
        if self.is_empty() {
            self.set_columns(columns);
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
        self.chain.step(frame.from, frame.to, frame.reset)?;
        if frame.reset {
            let incoming = self.incoming.as_ref().map(|incoming| incoming.columns.clone());
            self.put_aside(incoming.unwrap_or_else(|| self.own_columns.clone()));
        }
        let (more, version) = (frame.more, frame.resource_version.clone());
        let mut delta = Delta { gap: frame.gap.clone(), ..Delta::default() };
        if let Some(incoming) = &mut self.incoming {
            incoming.apply(frame)?;
        } else {
            self.apply_shown(frame, &mut delta)?;
        }
        if !more {
            if let Some(incoming) = self.incoming.take() {
                self.replace(incoming, &mut delta);
            }
            delta.cut = true;
            delta.first_cut = !std::mem::replace(&mut self.whole, true);
            self.chain.cut(version, Some(self.digest().into()));
        }
        Ok(delta)
    }

    fn apply_shown(&mut self, frame: Rows, delta: &mut Delta) -> Result<(), Broken> {
        self.chain.clear_digest();
        for row in frame.put {
            self.slots.put(row, &self.own_columns, delta);
        }
        for patch in frame.set {
            self.slots.set(patch, &frame.resource_version, &self.own_columns, delta)?;
        }
        delta.masked.extend(frame.masked.iter().filter_map(|id| self.slots.slot_of(*id)));
        for id in frame.delete {
            delta.removed.extend(self.slots.remove(id));
        }
        Ok(())
    }

    fn replace(&mut self, incoming: Incoming, delta: &mut Delta) {
        delta.replaced = true;
        delta.columns = self.own_columns != incoming.columns;
        self.set_columns(incoming.columns);
        let gone: Vec<RowId> = self.slots.ids().filter(|id| !incoming.rows.contains_key(id)).collect();
        for id in gone {
            delta.removed.extend(self.slots.remove(id));
        }
        for row in incoming.rows.into_values() {
            self.slots.put(row, &self.own_columns, delta);
        }
    }

    /// Adds these cells behind the gateway's, in the place of those that were joined before.
    pub(crate) fn join(&mut self, joined: Joined) -> Delta {
        let mut delta = Delta { columns: *self.joined != *joined.columns, ..Delta::default() };
        self.joined = joined.columns.clone().into();
        self.set_columns(self.own_columns.clone());
        self.slots.join(joined, &mut delta);
        delta
    }

    fn set_columns(&mut self, columns: Arc<[Column]>) {
        self.columns = match self.joined.is_empty() || columns.is_empty() {
            true => columns.clone(),
            false => columns.iter().chain(&*self.joined).cloned().collect(),
        };
        self.own_columns = columns;
    }

    /// The gateway's columns, then those that were joined.
    #[must_use]
    pub fn columns(&self) -> &Arc<[Column]> {
        &self.columns
    }

    /// Whether its rows are of several clusters, which the first column names.
    #[must_use]
    pub fn has_clusters(&self) -> bool {
        self.columns.first().is_some_and(clusters::names_clusters)
    }

    /// The cluster of a row, where they are several.
    #[must_use]
    pub fn cluster_of<'a>(&self, row: &'a Row) -> Option<&'a str> {
        clusters::named_in(row, &self.columns)
    }

    /// The id under which a row of this cluster stands here, or the object's own id of one that does.
    #[must_use]
    pub fn id_among_clusters(&self, id: RowId, cluster: Option<&ClusterName>) -> RowId {
        cluster.filter(|_| self.has_clusters()).map_or(id, |cluster| clusters::row_id(id, cluster))
    }

    /// Those of the subscription.
    pub(crate) fn own_columns(&self) -> &Arc<[Column]> {
        &self.own_columns
    }

    /// Rows that the cluster has; tombstones aren't counted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.live
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

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    pub(crate) fn chain_mut(&mut self) -> &mut Chain {
        &mut self.chain
    }

    #[must_use]
    pub fn position(&self) -> Option<u64> {
        self.chain.position()
    }

    #[must_use]
    pub fn token(&self) -> Option<&Token> {
        self.chain.token()
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

    /// How many rows each namespace has.
    pub fn namespace_counts(&self) -> BTreeMap<Namespace, usize> {
        let mut counts = BTreeMap::new();
        for name in self.rows().filter_map(|row| row.namespace.as_deref()) {
            match counts.get_mut(name) {
                Some(count) => *count += 1,
                None => drop(counts.insert(name.to_owned(), 1)),
            }
        }
        let named = |(name, count): (String, usize)| Some((Namespace::parse(&name).ok()?, count));
        counts.into_iter().filter_map(named).collect()
    }

    /// Frees a tombstone's slot for other rows.
    pub fn remove_tombstone(&mut self, slot: Slot) {
        self.slots.remove_tombstone(slot);
    }

    /// The digest of the rows shown, as `sync` carries it.
    #[must_use]
    pub fn digest(&self) -> String {
        digest::to_text(self.slots.digest)
    }

    /// Whether the gateway's digest at a position is ours; `None` at another position than ours, where
    /// digests can't be compared.
    #[must_use]
    pub fn agrees(&self, at: u64, digest: &str) -> Option<bool> {
        (self.position() == Some(at) && self.incoming.is_none() && self.whole)
            .then(|| self.digest() == digest)
    }
}

#[cfg(test)]
mod tests;
