//! What is checked after every step, and at the end.

use std::collections::BTreeMap;

use gateway::limits::OUTBOX_MESSAGES_MAX;
use replica::client::ViewKey;
use replica::freshness::Freshness;
use replica::table::Table;

use super::World;
use crate::guarantee::Guarantee::{Authorised, Bounded, Chained, Exact, Honest, Live};
use crate::guarantee::Violation;
use crate::oracle::{difference, number_of};
use crate::truth::Wanted;
use crate::viewer::{View, Viewer};
use crate::wire::Stamp;

/// Without a proof for this long nothing is live.
const PROOF_MS: i64 = 15_000;
const SYNC_MS: i64 = 12_000;
/// How long a viewer may keep a right that was taken away.
pub(super) const REVOKED_MS: i64 = 45_000;

impl World {
    pub(super) fn check(&mut self) -> Result<(), Violation> {
        self.check_bounds()?;
        self.check_rights()?;
        for viewer in 0..self.viewers.len() {
            if self.viewers[viewer].is_reading(self.now_ms) && self.viewers[viewer].inbox.is_empty() {
                self.check_claims(viewer)?;
            }
        }
        Ok(())
    }

    /// Nothing is opened whose rights are reviewed and aren't granted, or aren't watched any more.
    fn check_rights(&self) -> Result<(), Violation> {
        match self.gateways.iter().find_map(|gateway| gateway.effects.without_right) {
            None => Ok(()),
            Some((session, id)) => {
                let what = format!("session {session}: subscription {id} is opened without a grant");
                Err(self.violation(Authorised, what))
            }
        }
    }

    fn check_bounds(&mut self) -> Result<(), Violation> {
        /// Welcome, state and sync beside the rows.
        const REST_BYTES: u64 = 3 * 1024;
        self.counts.add(Bounded);
        for gateway in &self.gateways {
            let bounds = gateway.options().bounds;
            for (id, session) in &gateway.sessions {
                let ahead = session.sent_bytes - session.acknowledged_bytes;
                let most = gateway.options().credit_bytes + bounds.frame_bytes as u64 + REST_BYTES;
                if ahead > most {
                    let what = format!("session {id} is {ahead} bytes ahead of its reader, not {most}");
                    return Err(self.violation(Bounded, what));
                }
                if session.protocol.outbox_len() > OUTBOX_MESSAGES_MAX {
                    return Err(self.violation(Bounded, format!("the outbox of session {id} is too long")));
                }
            }
            for watched in gateway.watched.values() {
                if watched.hub.tombstone_count() > bounds.tombstones {
                    return Err(self.violation(Bounded, "too many tombstones".to_owned()));
                }
                if watched.hub.subscriber_count() > self.script.viewers * 40 {
                    return Err(self.violation(Bounded, "subscribers that no viewer has".to_owned()));
                }
            }
        }
        Ok(())
    }

    /// What the views of one viewer claim.
    fn check_claims(&mut self, number: usize) -> Result<(), Violation> {
        let now_ms = self.now_ms;
        for place in 0..self.viewers[number].views.len() {
            let viewer = &self.viewers[number];
            let view = &viewer.views[place];
            let name = format!("viewer {number}, {:?}", view.wanted);
            let freshness = viewer.freshness(view, now_ms);
            let is_live = matches!(freshness, Some(Freshness::Live { .. }));
            if let Some(freshness) = &freshness {
                self.check_trouble((number, place), freshness)?;
            }
            let viewer = &self.viewers[number];
            let view = &viewer.views[place];
            if is_live {
                self.counts.add(Honest);
                self.check_live(&name, now_ms - view.proven_ms, now_ms - view.synced_ms)?;
            }
            let version = viewer
                .table(view)
                .map(|table| table.token().map_or(0, |token| number_of(&token.resource_version)));
            let shows_all = self.shows_what_is_late(viewer, view);
            let view = &mut self.viewers[number].views[place];
            view.live_since_ms = is_live.then(|| view.live_since_ms.unwrap_or(now_ms));
            if now_ms < self.calm_after_ms || !is_live || shows_all {
                view.pending.clear();
            }
            view.pending.retain(|(_, pending)| version.is_none_or(|version| version < *pending));
            if let Some((due_ms, version)) = view.pending.front()
                && *due_ms < now_ms
            {
                let what = format!("{name}: version {version} is {} ms late", now_ms - due_ms);
                return Err(self.violation(Live, what));
            }
        }
        Ok(())
    }

    fn check_live(&self, view: &str, unproven_ms: i64, silent_ms: i64) -> Result<(), Violation> {
        let slack_ms = self.script.wire_ms.1 + 2 * self.script.hop_ms + 50;
        let is_revoked = self.forbidden.is_some_and(|it| self.now_ms - it.since_ms > REVOKED_MS);
        let (guarantee, why) = if unproven_ms > PROOF_MS + slack_ms {
            (Honest, format!("unproven for {unproven_ms} ms"))
        } else if silent_ms > SYNC_MS {
            (Honest, format!("no sync for {silent_ms} ms"))
        } else if is_revoked {
            (Authorised, "without the right".to_owned())
        } else {
            return Ok(());
        };
        Err(self.violation(guarantee, format!("{view}: live, and {why}")))
    }

    /// What is late was created and deleted again within a tick: then no frame tells it, and the rows are right
    /// all the same.
    fn shows_what_is_late(&self, viewer: &Viewer, view: &View) -> bool {
        let Some((_, version)) = view.pending.front().filter(|(due_ms, _)| *due_ms < self.now_ms) else {
            return false;
        };
        let Some(table) = viewer.table(view) else { return false };
        let branch = self.api.truth.branch();
        let mut versions = (*version..=self.api.truth.revision).rev();
        versions.any(|version| self.difference(table, view.wanted, branch, version).is_none())
    }

    fn difference(&self, table: &Table, wanted: Wanted, branch: usize, version: u64) -> Option<String> {
        let columns: Vec<Box<str>> = table.columns().iter().map(|column| column.name.clone()).collect();
        difference(table.rows(), &self.api.truth.shown(wanted, branch, version), &columns)
    }

    /// Something was written: each live view that is read must have it within a tick and the way.
    pub(super) fn expect_soon(&mut self) {
        let now_ms = self.now_ms;
        // A subscriber without credit waits for an acknowledgement, which comes once a second.
        let is_tight = self.script.credit_bytes < 100_000;
        if now_ms < self.calm_after_ms || self.is_healing || is_tight {
            return;
        }
        let bound_ms =
            6 * self.script.upstream_ms.1 + 2 * self.script.wire_ms.1 + 8 * self.script.hop_ms + 60;
        let truth = &self.api.truth;
        for view in self.viewers.iter_mut().flat_map(|viewer| &mut viewer.views) {
            if view.live_since_ms.is_none_or(|since_ms| now_ms - since_ms <= 500) {
                continue;
            }
            let events = truth.events(view.wanted.kind, truth.branch()).iter().rev();
            let fresh: Vec<_> = events.take_while(|event| event.at_ms == now_ms).collect();
            // Each may be cut in two pieces on its way.
            let pieces_ms = 3 * fresh.len() as i64;
            let mut things = fresh.iter().filter(|event| {
                let before = event.before.iter();
                before.chain([&event.thing]).any(|thing| view.wanted.holds(thing))
            });
            // The newest one comes first.
            if let Some(event) = things.next() {
                self.counts.add(Live);
                view.pending.push_back((now_ms + bound_ms + pieces_ms, event.version()));
            }
        }
    }

    /// A replica at a cut holds what the cluster held.
    pub(super) fn check_cuts(
        &mut self,
        number: usize,
        cuts: &BTreeMap<ViewKey, Stamp>,
    ) -> Result<(), Violation> {
        for (key, stamp) in cuts {
            let viewer = &mut self.viewers[number];
            let Some(view) = viewer.views.iter_mut().find(|view| view.key == *key) else { continue };
            (view.branch, view.cut_asked_ms) = (stamp.branch, stamp.asked_ms);
            let wanted = view.wanted;
            let Some(table) = self.viewers[number].client.view(*key).map(|opened| opened.table()) else {
                continue;
            };
            let Some(token) = table.token() else { continue };
            // Rows came after the cut in the same step, or a new beginning is put aside.
            if table.incoming_count().is_some() || table.position() != token.sequence() {
                continue;
            }
            self.counts.add(Exact);
            let version = number_of(&token.resource_version);
            if let Some(what) = self.difference(table, wanted, stamp.branch, version) {
                let what = format!("the replica of {wanted:?} at version {version}: {what}");
                return Err(self.violation(Exact, what));
            }
        }
        Ok(())
    }

    pub(super) fn is_converged(&self) -> Result<(), String> {
        let truth = &self.api.truth;
        for (number, viewer) in self.viewers.iter().enumerate() {
            for view in &viewer.views {
                let name = format!("viewer {number}, {:?}", view.wanted);
                let table = viewer.table(view).ok_or_else(|| format!("{name} is gone"))?;
                let freshness = viewer.freshness(view, self.now_ms);
                if !freshness.as_ref().is_some_and(Freshness::is_current) {
                    return Err(format!("{name}: {freshness:?}"));
                }
                if let Some(what) = self.difference(table, view.wanted, truth.branch(), u64::MAX) {
                    return Err(format!("{name}: {what}"));
                }
                let columns: Vec<&str> = table.columns().iter().map(|column| &*column.name).collect();
                if columns != truth.columns(view.wanted.kind) {
                    return Err(format!("{name} has the columns {columns:?}"));
                }
            }
        }
        self.are_records_whole()
    }

    /// No view had to begin anew: no digest differed, and chains broke only if the script spoiled frames.
    pub(super) fn check_resyncs(&self) -> Result<(), Violation> {
        for viewer in &self.viewers {
            for view in &viewer.views {
                let Some(opened) = viewer.client.view(view.key) else { continue };
                let resyncs = opened.subscription().resyncs;
                if resyncs.differed > 0 {
                    return Err(self.violation(Exact, format!("{:?}: digests differed", view.wanted)));
                }
                if resyncs.broken > 0 && !self.is_faulty_wire {
                    return Err(self.violation(Chained, format!("{:?}: a chain broke", view.wanted)));
                }
            }
        }
        Ok(())
    }
}
