//! What a subscriber gets when it pulls: the live frame if it stands exactly at its beginning, else
//! a walk of its own, in whole rows, until it stands at the head.

use std::sync::Arc;

use shared::digest;
use shared::frame::SYNC_INTERVAL_MS;
use shared::frame::server::{ServerFrame, StateFrame, Subscribed, Sync};
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::Hub;
use crate::hub::frames::{Encoded, FrameBuilder, Stretch};
use crate::hub::subscriber::{Delivery, Owed, Subscriber, SubscriberId};

/// A digest costs the reader nothing but a comparison; six syncs apart it is found within 30 s.
const DIGEST_INTERVAL_MS: i64 = 6 * SYNC_INTERVAL_MS as i64;

impl Hub {
    /// Who has something to pull.
    pub fn with_news(&self) -> impl Iterator<Item = SubscriberId> {
        self.subscribers.iter().filter(|(_, (subscriber, _))| self.has_news(subscriber)).map(|(id, _)| *id)
    }

    fn has_news(&self, subscriber: &Subscriber) -> bool {
        let owed = subscriber.owed;
        owed.subscribed
            || owed.state
            || self.is_behind(subscriber)
            || (owed.sync && self.may_sync(subscriber))
    }

    /// Rows wait for their columns.
    fn is_behind(&self, subscriber: &Subscriber) -> bool {
        let stands_back = subscriber.cursor < self.head || subscriber.told < self.told_of(subscriber);
        (stands_back || subscriber.needs_reset(self.store.horizon())) && !self.columns.hash.is_empty()
    }

    fn told_of(&self, subscriber: &Subscriber) -> u64 {
        self.views.get(&subscriber.view).map_or(0, |view| view.told())
    }

    /// The next messages of one subscriber; `None`: it isn't one of this hub.
    pub fn pull(&mut self, id: SubscriberId, now_ms: UnixMillis, spread_ms: u32) -> Option<Delivery> {
        // Who is behind must not meet changes that are in no frame yet.
        if self.subscribers.get(&id).is_some_and(|(subscriber, _)| self.is_behind(subscriber)) {
            self.tick();
        }
        let (mut subscriber, scope) = self.subscribers.remove(&id)?;
        let mut delivery = Delivery::default();
        let mut say = |frame: Option<Encoded>| delivery.messages.extend(frame.map(Arc::new));
        let owed = subscriber.owed;
        subscriber.owed = Owed { subscribed: false, state: false, ..owed };
        if owed.subscribed {
            say(Encoded::new(&self.subscribed(&subscriber, &scope)));
        } else if owed.state {
            say(Encoded::new(&ServerFrame::State(StateFrame { view: subscriber.view, report: self.told() })));
        }
        delivery.messages.extend(self.rows_for(&mut subscriber));
        if subscriber.owed.sync && self.may_sync(&subscriber) {
            let frame = self.sync_for(&mut subscriber, now_ms, spread_ms);
            delivery.messages.extend(frame.and_then(|frame| Encoded::new(&frame)).map(Arc::new));
        }
        delivery.more = self.has_news(&subscriber);
        self.subscribers.insert(id, (subscriber, scope));
        Some(delivery)
    }

    /// A `sync` says that everything up to its position was delivered, and that a proof is young.
    fn may_sync(&self, subscriber: &Subscriber) -> bool {
        self.proof.is_some()
            && self.report.state.is_current()
            && self.synced
            && subscriber.at_cut
            && !self.is_behind(subscriber)
    }

    fn rows_for(&mut self, subscriber: &mut Subscriber) -> Option<Arc<Encoded>> {
        if !self.is_behind(subscriber) {
            return None;
        }
        let view = self.views.get(&subscriber.view)?;
        if subscriber.is_whole
            && let Some((to, frame)) = view.live_frame(subscriber.cursor, subscriber.told)
        {
            subscriber.cursor = to;
            subscriber.told = to;
            subscriber.at_cut = self.synced;
            return Some(frame);
        }
        if subscriber.needs_reset(self.store.horizon()) {
            subscriber.begin_anew(self.head);
        }
        self.walk_for(subscriber)
    }

    /// What it has not seen, in whole rows, cut near the bound of a frame.
    fn walk_for(&mut self, subscriber: &mut Subscriber) -> Option<Arc<Encoded>> {
        let view = self.views.get_mut(&subscriber.view)?;
        let mut builder = FrameBuilder::default();
        let mut cursor = self.head;
        let mut last = subscriber.cursor;
        for step in self.store.walk(subscriber.cursor) {
            if builder.byte_count() >= self.bounds.frame_bytes {
                cursor = last;
                break;
            }
            last = step.changed;
            match step.content.filter(|stored| view.filter.matches(stored)) {
                Some(stored) => builder.put(&stored.row),
                // It began after this one had gone, so it never held it.
                None if step.changed <= subscriber.start => {}
                None => builder.delete(step.id),
            }
        }
        let is_whole = cursor == self.head;
        let to = if is_whole { view.meet(subscriber.told, cursor) } else { cursor };
        let more = !is_whole || !self.synced;
        // A gap from before it began is none for it.
        let gap_from = subscriber.cursor.max(subscriber.start);
        let stretch = Stretch {
            view: subscriber.view,
            from: subscriber.told,
            to,
            resource_version: self.resource_version.clone(),
            more,
            gap: self.gap_between(gap_from, cursor),
            reset: std::mem::take(&mut subscriber.reset),
        };
        subscriber.cursor = cursor;
        subscriber.told = to;
        subscriber.is_whole = is_whole;
        subscriber.at_cut = !more;
        builder.finish(stretch).map(Arc::new)
    }

    fn subscribed(&self, subscriber: &Subscriber, scope: &Scope) -> ServerFrame {
        ServerFrame::Subscribed(Box::new(Subscribed {
            id: subscriber.subscription,
            view: subscriber.view,
            scope: scope.clone(),
            cluster: self.identity.cluster.clone(),
            columns_hash: self.columns.hash.clone(),
            epoch: self.incarnation.epoch().into(),
            columns: self.columns.list.to_vec(),
            state: self.told(),
        }))
    }

    fn sync_for(
        &self,
        subscriber: &mut Subscriber,
        now_ms: UnixMillis,
        spread_ms: u32,
    ) -> Option<ServerFrame> {
        let proof = self.proof?;
        subscriber.owed.sync = false;
        let view = self.views.get(&subscriber.view)?;
        let with_digest = std::mem::take(&mut subscriber.owed.digest) || now_ms >= subscriber.digest_due_ms;
        if with_digest {
            subscriber.digest_due_ms = now_ms + DIGEST_INTERVAL_MS;
        }
        Some(ServerFrame::Sync(Sync {
            view: subscriber.view,
            at: subscriber.told,
            // Of what was sent: changes that wait for their tick are not in it.
            resource_version: if self.is_dirty() { &self.head_version } else { &self.resource_version }
                .clone(),
            proof_ms: proof.at_ms,
            now_ms,
            cluster_now_ms: now_ms + proof.cluster_ahead_ms,
            spread_ms,
            digest: with_digest.then(|| digest::to_text(view.digest()).into()),
        }))
    }
}
