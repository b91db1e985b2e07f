//! One subscription as the page and `tail` use it: its rows, their order, their marks and counts,
//! moved together. Never a socket; frames come in through the client alone.

use shared::duration::UnixSeconds;
use shared::frame::server::Rows;
use shared::state::{StateReport, UnixMillis};

use crate::changes::Marks;
use crate::freshness;
use crate::query::{Filter, Index, Lens, Lenses, Sort};
use crate::source::Source;
use crate::status::Tally;
use crate::subscription::Subscription;
use crate::table::{Broken, Delta, Slot, Table};

#[derive(Clone, Debug)]
pub struct View {
    /// Where the rows come from: a subscription, or the parts that were put together.
    pub(crate) source: Source,
    /// Every reader's own filter and order of these rows.
    lenses: Lenses,
    marks: Marks,
    tally: Tally,
    /// When rows moved last, by the viewer's clock.
    moved_ms: Option<UnixMillis>,
}

impl View {
    pub(crate) fn new(subscription: Subscription) -> Self {
        Self {
            source: Source::new(subscription),
            lenses: Lenses::default(),
            marks: Marks::default(),
            tally: Tally::default(),
            moved_ms: None,
        }
    }

    pub(crate) fn table_mut(&mut self) -> &mut Table {
        &mut self.source.table
    }

    pub(crate) fn apply(&mut self, frame: Rows, now_ms: UnixMillis) -> Result<Delta, Broken> {
        let was_whole = self.source.table.is_whole();
        let delta = self.source.table.apply(frame)?;
        self.moved_ms = Some(now_ms);
        if delta.gap.is_some() {
            self.source.subscription.gap.clone_from(&delta.gap);
        }
        let now = self.cluster_now_s(now_ms, false);
        for index in self.lenses.all_mut() {
            index.set_now(now);
            index.apply(&self.source.table, &delta);
        }
        self.tally.apply(&self.source.table, &delta);
        let leaving = self.marks.note(&delta, was_whole, now_ms);
        self.bury(&leaving);
        Ok(delta)
    }

    #[must_use]
    pub fn subscription(&self) -> &Subscription {
        &self.source.subscription
    }

    #[must_use]
    pub fn report(&self) -> Option<&StateReport> {
        self.source.subscription.report()
    }

    #[must_use]
    pub fn table(&self) -> &Table {
        &self.source.table
    }

    /// One more reader of these rows, with a filter and an order of its own; the first finds
    /// [`Lens::FIRST`] free.
    pub fn lend(&mut self) -> Lens {
        self.lenses.lend(&self.source.table)
    }

    /// That reader is gone.
    pub fn give_back(&mut self, lens: Lens) {
        self.lenses.give_back(lens);
    }

    /// What a reader sees of the rows, in which order.
    #[must_use]
    pub fn through(&self, lens: Lens) -> &Index {
        self.lenses.get(lens)
    }

    #[must_use]
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    pub fn set_filter(&mut self, lens: Lens, text: &str) {
        self.lenses.get_mut(lens).set_filter(&self.source.table, Filter::parse(text));
    }

    pub fn set_sort(&mut self, lens: Lens, sort: Option<Sort>) {
        self.lenses.get_mut(lens).set_sort(&self.source.table, sort);
    }

    /// Somebody reads: rows stay where they are.
    pub fn hold(&mut self, lens: Lens, held: bool) {
        self.lenses.get_mut(lens).hold(held);
    }

    /// Puts moved rows in order.
    pub fn settle(&mut self, lens: Lens) {
        self.lenses.get_mut(lens).settle(&self.source.table);
    }

    /// The cells that begin to flash with this animation frame.
    pub fn flash(&mut self, seen: &[Slot], now_ms: UnixMillis) -> Vec<(Slot, u16)> {
        self.marks.flash(seen, now_ms)
    }

    /// Once a second: takes old marks away and buries tombstones, except those in `held`. Whether
    /// anything went.
    pub fn expire(&mut self, held: &[Slot], now_ms: UnixMillis) -> bool {
        let had = !self.marks.is_empty();
        let leaving = self.marks.expire(held, now_ms);
        self.bury(&leaving);
        had
    }

    /// Once a second, unless the view is stale: a filter may ask for ages. Whether rows came or went.
    pub fn grow_old(&mut self, now_ms: UnixMillis) -> bool {
        let now = self.cluster_now_s(now_ms, false);
        let mut moved = false;
        for index in self.lenses.all_mut() {
            moved |= index.grow_old(&self.source.table, now);
        }
        moved
    }

    /// For who shows no tombstones.
    pub fn bury(&mut self, slots: &[Slot]) {
        for slot in slots {
            for index in self.lenses.all_mut() {
                index.remove(&self.source.table, *slot);
            }
            self.marks.forget(*slot);
            self.source.table.bury(*slot);
        }
    }

    pub fn dismiss_gap(&mut self) {
        self.source.subscription.gap = None;
    }

    /// The cluster's clock for printing ages: it stands still at the last proof of a stale view, for
    /// nothing in a stale table moves; or at the last rows, where some came after that proof, for what
    /// they show can't be younger than its clock.
    #[must_use]
    pub fn cluster_now_s(&self, now_ms: UnixMillis, is_stale: bool) -> UnixSeconds {
        match self.source.subscription.proof() {
            Some(proof) if is_stale => {
                let last_ms = self.moved_ms.map_or(proof.proven_ms, |moved_ms| moved_ms.max(proof.proven_ms));
                last_ms.saturating_add(proof.cluster_ahead_ms).div_euclid(freshness::SECOND_MS)
            }
            Some(proof) => now_ms.saturating_add(proof.cluster_ahead_ms).div_euclid(freshness::SECOND_MS),
            None => now_ms.div_euclid(freshness::SECOND_MS),
        }
    }

    /// Exact and confirmed on this connection: what `tail --once` prints.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        let current = self.report().is_some_and(|report| report.state.is_current());
        let proven = self.source.subscription.proof().is_some_and(|proof| proof.current);
        current && proven && self.source.table.is_whole() && self.source.table.incoming_count().is_none()
    }
}

#[cfg(test)]
mod tests;
