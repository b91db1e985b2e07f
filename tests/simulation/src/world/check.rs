//! What is looked at after every step, and at the end.

use gateway::limits::OUTBOX_MESSAGES_MAX;
use replica::freshness::Freshness;

use super::World;
use crate::guarantee::Guarantee::{self, Authorised, Bounded, Chained, Exact, Honest, Live};
use crate::guarantee::Violation;
use crate::oracle::{differs, expected, number};
use crate::viewer::Wish;

/// Without a proof for this long nothing is live.
const PROOF_MS: i64 = 15_000;
const SYNC_MS: i64 = 12_000;
const REVOKED_MS: i64 = 45_000;

impl World {
    pub(super) fn check(&mut self) -> Result<(), Violation> {
        self.check_bounds()?;
        for viewer in 0..self.viewers.len() {
            if self.viewers[viewer].is_reading(self.now_ms) && !self.viewers[viewer].has_unread() {
                self.check_claims(viewer)?;
            }
        }
        Ok(())
    }

    fn check_bounds(&mut self) -> Result<(), Violation> {
        /// Greeting, state and sync beside the rows.
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
                    return Err(self.violation(Bounded, "readers that nobody is".to_owned()));
                }
            }
        }
        Ok(())
    }

    /// What the views of one viewer say of themselves.
    fn check_claims(&mut self, number: usize) -> Result<(), Violation> {
        let now_ms = self.now_ms;
        let slack_ms = self.script.wire_ms.1 + 2 * self.script.hop_ms + 50;
        let mut broken: Option<(Guarantee, String)> = None;
        for place in 0..self.viewers[number].probes.len() {
            let viewer = &self.viewers[number];
            let probe = &viewer.probes[place];
            let is_live = matches!(viewer.freshness(probe, now_ms), Some(Freshness::Live { .. }));
            let wanted = probe.wanted;
            if is_live {
                self.counts.add(Honest);
                let unproven_ms = now_ms - probe.proven_ms;
                let silent_ms = now_ms - probe.synced_ms;
                if unproven_ms > PROOF_MS + slack_ms {
                    broken = Some((
                        Honest,
                        format!("viewer {number}, {wanted:?}: live, and unproven for {unproven_ms} ms"),
                    ));
                } else if silent_ms > SYNC_MS {
                    broken = Some((
                        Honest,
                        format!("viewer {number}, {wanted:?}: live, and no sync for {silent_ms} ms"),
                    ));
                } else if let Some(forbidden) = self.forbidden
                    && now_ms - forbidden.since_ms > REVOKED_MS
                {
                    broken =
                        Some((Authorised, format!("viewer {number}, {wanted:?}: live without the right")));
                }
            }
            let here = self.position_of(number, place);
            let shows_all = self.shows_what_is_late(number, place);
            let probe = &mut self.viewers[number].probes[place];
            probe.live_since_ms = is_live.then(|| probe.live_since_ms.unwrap_or(now_ms));
            if now_ms < self.calm_after_ms || !is_live {
                probe.pending.clear();
            }
            probe.pending.retain(|(_, version)| here.is_none_or(|here| here < *version));
            if shows_all {
                probe.pending.clear();
            }
            if let Some((due_ms, version)) = probe.pending.front()
                && *due_ms < now_ms
            {
                let what =
                    format!("viewer {number}, {wanted:?}: version {version} is {} ms late", now_ms - due_ms);
                broken = Some((Live, what));
            }
            if let Some((guarantee, what)) = broken {
                return Err(self.violation(guarantee, what));
            }
        }
        Ok(())
    }

    fn position_of(&self, number: usize, place: usize) -> Option<u64> {
        let viewer = &self.viewers[number];
        let view = viewer.client.view(viewer.probes[place].key)?;
        Some(view.table().token().map_or(0, |token| self::number(&token.resource_version)))
    }

    /// What came and went within a tick is told to nobody: then the rows are right all the same.
    fn shows_what_is_late(&self, number: usize, place: usize) -> bool {
        let viewer = &self.viewers[number];
        let probe = &viewer.probes[place];
        let Some((_, version)) = probe.pending.front().filter(|(due_ms, _)| *due_ms < self.now_ms) else {
            return false;
        };
        let Some(view) = viewer.client.view(probe.key) else { return false };
        let columns: Vec<Box<str>> = view.table().columns().iter().map(|it| it.name.clone()).collect();
        let branch = self.api.truth.branch();
        let mut versions = (*version..=self.api.truth.revision).rev();
        versions.any(|version| {
            let things = expected(&self.api.truth, probe.wanted, branch, version);
            differs(view.table().rows(), &things, &columns).is_none()
        })
    }

    /// Something was written: whoever is live and reads has it within a tick and the way.
    pub(super) fn expect_soon(&mut self) {
        let now_ms = self.now_ms;
        if now_ms < self.calm_after_ms || self.is_healing {
            return;
        }
        let bound_ms =
            6 * self.script.upstream_ms.1 + 2 * self.script.wire_ms.1 + 8 * self.script.hop_ms + 60;
        let branch = self.api.truth.branch();
        let is_tight = self.script.credit_bytes < 100_000;
        for viewer in &mut self.viewers {
            for probe in &mut viewer.probes {
                let is_ready = probe.live_since_ms.is_some_and(|since_ms| now_ms - since_ms > 500);
                // Who has spent its credit waits for an acknowledgement, which comes once a second.
                if !is_ready || is_tight {
                    continue;
                }
                let events = self.api.truth.events(probe.wanted.sort, branch).iter().rev();
                let fresh = events.take_while(|event| event.at_ms == now_ms);
                let fresh: Vec<_> = fresh.collect();
                // Each may be cut in two pieces on its way.
                let pieces_ms = 3 * i64::try_from(fresh.len()).unwrap_or(0);
                let newest = fresh
                    .iter()
                    .filter(|event| {
                        let was = event.before.as_ref().is_some_and(|before| probe.wanted.holds(before));
                        was || probe.wanted.holds(&event.thing)
                    })
                    .map(|event| event.version)
                    .max();
                if let Some(version) = newest {
                    self.counts.add(Live);
                    probe.pending.push_back((now_ms + bound_ms + pieces_ms, version));
                }
            }
        }
    }

    /// A replica at a cut holds what the cluster held.
    pub(super) fn check_cuts(&mut self, viewer: usize, wishes: &[Wish]) -> Result<(), Violation> {
        // Of several cuts in one step only the last one's rows can still be seen.
        let mut last = std::collections::BTreeMap::new();
        for wish in wishes {
            if let Wish::Cut(key, stamp) = wish {
                last.insert(*key, *stamp);
            }
        }
        for (key, stamp) in last {
            let viewer = &self.viewers[viewer];
            let Some(probe) = viewer.probes.iter().find(|probe| probe.key == key) else { continue };
            let Some(view) = viewer.client.view(key) else { continue };
            let (table, Some(token)) = (view.table(), view.table().token()) else { continue };
            // Rows that came after the cut in the same step, or a new beginning that is put aside.
            if table.incoming_count().is_some() || table.position() != token.sequence() {
                continue;
            }
            self.counts.add(Exact);
            let things =
                expected(&self.api.truth, probe.wanted, stamp.branch, number(&token.resource_version));
            let columns: Vec<Box<str>> = table.columns().iter().map(|column| column.name.clone()).collect();
            if let Some(what) = differs(table.rows(), &things, &columns) {
                let what = format!(
                    "the replica of {:?} at version {}: {what}",
                    probe.wanted, token.resource_version
                );
                return Err(self.violation(Exact, what));
            }
        }
        Ok(())
    }

    pub(super) fn is_converged(&self) -> Result<(), String> {
        for (number, viewer) in self.viewers.iter().enumerate() {
            for probe in &viewer.probes {
                let name = format!("viewer {number}, {:?}", probe.wanted);
                let view = viewer.client.view(probe.key).ok_or_else(|| format!("{name} is gone"))?;
                let freshness = viewer.freshness(probe, self.now_ms);
                if !freshness.as_ref().is_some_and(Freshness::is_current) {
                    return Err(format!("{name}: {freshness:?}"));
                }
                let things = expected(&self.api.truth, probe.wanted, self.api.truth.branch(), u64::MAX);
                let columns: Vec<Box<str>> =
                    view.table().columns().iter().map(|it| it.name.clone()).collect();
                if let Some(what) = differs(view.table().rows(), &things, &columns) {
                    return Err(format!("{name}: {what}"));
                }
                if columns.iter().map(|it| &**it).ne(self
                    .api
                    .truth
                    .columns(probe.wanted.sort)
                    .iter()
                    .copied())
                {
                    return Err(format!("{name} has the columns {columns:?}"));
                }
            }
        }
        Ok(())
    }

    /// What was mended on the way without need. Where frames were lost or repeated, chains break.
    pub(super) fn look_back(&self) -> Result<(), Violation> {
        for viewer in &self.viewers {
            for probe in &viewer.probes {
                let Some(view) = viewer.client.view(probe.key) else { continue };
                let resyncs = view.subscription().resyncs;
                if resyncs.differed > 0 {
                    return Err(self.violation(Exact, format!("{:?}: digests differed", probe.wanted)));
                }
                if resyncs.broken > 0 && !self.is_faulty_wire {
                    return Err(self.violation(Chained, format!("{:?}: a chain broke", probe.wanted)));
                }
            }
        }
        Ok(())
    }
}
