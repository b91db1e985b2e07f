//! What a subscriber gets when it pulls: the live frame if it stands exactly at its beginning, else
//! a walk of its own, in whole rows, until it stands at the head.

use std::sync::Arc;

use shared::digest;
use shared::frame::SYNC_INTERVAL_MS;
use shared::frame::client::{Projection, SubscriptionId};
use shared::frame::server::{ProblemFrame, ScopeFrame, ServerFrame, StateFrame, Subscribed, Sync};
use shared::problem::{Problem, Reason};
use shared::scope::Scope;
use shared::state::{UnixMillis, ViewState};

use super::Hub;
use crate::hub::frames::{Encoded, FrameBuilder, Stretch};
use crate::hub::log::Log;
use crate::hub::one::{One, Step};
use crate::hub::subscriber::{Delivery, Owed, Subscriber, SubscriberId};
use crate::hub::view::Shows;

/// A digest costs the reader nothing but a comparison; six syncs apart it is found within 30 s.
const DIGEST_INTERVAL_MS: i64 = 6 * SYNC_INTERVAL_MS as i64;

impl Hub {
    /// Who has something to pull.
    pub fn with_news(&self) -> impl Iterator<Item = SubscriberId> {
        self.subscribers.iter().filter(|(_, (subscriber, _))| self.has_news(subscriber)).map(|(id, _)| *id)
    }

    fn has_news(&self, subscriber: &Subscriber) -> bool {
        if subscriber.is_get || subscriber.refused.is_some() {
            return subscriber.refused.is_some() || self.may_answer();
        }
        let owed = subscriber.owed;
        owed.subscribed
            || owed.state
            || self.is_behind(subscriber)
            || (owed.sync && self.may_sync(subscriber))
    }

    /// Rows wait for their columns, and for the right to see them.
    fn is_behind(&self, subscriber: &Subscriber) -> bool {
        let view = self.views.get(&subscriber.view);
        if self.is_forbidden() || subscriber.held.is_some() || view.is_some_and(|view| view.is_waiting) {
            return false;
        }
        let is_of_rows = match view.map(|view| &view.shows) {
            Some(Shows::Timeline(log)) => return subscriber.reset || subscriber.read < log.end(),
            Some(Shows::Object(_)) if !self.synced => return false,
            Some(Shows::Object(_)) => false,
            Some(Shows::Rows(_)) | None => true,
        };
        let stands_back = subscriber.cursor < self.head || subscriber.told < self.told_of(subscriber);
        let is_lost = is_of_rows && subscriber.needs_reset(self.store.horizon());
        (stands_back || is_lost) && !self.columns.hash.is_empty()
    }

    fn told_of(&self, subscriber: &Subscriber) -> u64 {
        self.views.get(&subscriber.view).map_or(0, |view| view.told())
    }

    /// The next messages of one subscriber; `None`: it isn't one of this hub.
    pub fn pull(&mut self, id: SubscriberId, now_ms: UnixMillis, spread_ms: u32) -> Option<Delivery> {
        // Who walks must not meet changes that are in no frame yet. A live frame ends before them, and
        // is to stay the next one of whoever else stands at its beginning.
        let walks = |(subscriber, _): &_| self.is_behind(subscriber) && self.live_for(subscriber).is_none();
        if self.subscribers.get(&id).is_some_and(walks) {
            self.tick();
        }
        let (mut subscriber, scope) = self.subscribers.remove(&id)?;
        let subscription = subscriber.subscription;
        if let Some(problem) = subscriber.refused.clone() {
            self.subscribers.insert(id, (subscriber, scope));
            return Some(refused(subscription, problem));
        }
        if subscriber.is_get {
            let delivery = self.answer(&subscriber, &scope);
            self.subscribers.insert(id, (subscriber, scope));
            return Some(delivery);
        }
        let mut delivery = Delivery::default();
        let mut say = |frame: Option<Encoded>| delivery.messages.extend(frame.map(Arc::new));
        let owed = subscriber.owed;
        subscriber.owed = Owed { subscribed: false, scope: false, state: false, ..owed };
        if owed.subscribed {
            say(Encoded::new(&self.subscribed(&subscriber, &scope)));
            if owed.scope {
                let (id, view, namespaces) =
                    (subscriber.subscription, subscriber.view, scope.namespaces.clone());
                say(Encoded::new(&ServerFrame::Scope(ScopeFrame { id, view, namespaces })));
            }
        } else if owed.state {
            say(Encoded::new(&ServerFrame::State(StateFrame { view: subscriber.view, report: self.told() })));
        }
        delivery.messages.extend(self.changes_for(&mut subscriber, now_ms));
        if subscriber.owed.sync && self.may_sync(&subscriber) {
            let frame = self.sync_for(&mut subscriber, now_ms, spread_ms);
            delivery.messages.extend(frame.and_then(|frame| Encoded::new(&frame)).map(Arc::new));
        }
        delivery.is_undecided = subscriber.held.is_some();
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
            && self.views.get(&subscriber.view).is_some_and(|view| !view.is_waiting)
            && !self.is_behind(subscriber)
    }

    /// The last tick's frame, for who stands exactly at its beginning.
    fn live_for(&self, subscriber: &Subscriber) -> Option<(u64, Arc<Encoded>)> {
        let view = self.views.get(&subscriber.view).filter(|_| subscriber.is_whole)?;
        view.live_frame(subscriber.cursor, subscriber.told)
    }

    fn changes_for(&mut self, subscriber: &mut Subscriber, now_ms: UnixMillis) -> Option<Arc<Encoded>> {
        if !self.is_behind(subscriber) {
            return None;
        }
        let frame_bytes = self.bounds.frame_bytes;
        let live = self.live_for(subscriber);
        let view = self.views.get_mut(&subscriber.view)?;
        if let Shows::Timeline(log) = &mut view.shows {
            return entries_for(log, subscriber, now_ms, frame_bytes);
        }
        if let Some((to, frame)) = live {
            subscriber.cursor = to;
            subscriber.told = to;
            subscriber.at_cut = self.was_synced;
            return Some(frame);
        }
        if !view.is_of_rows() {
            return self.object_for(subscriber);
        }
        if subscriber.cursor == 0 {
            // It has nothing yet: what is deleted by now it will never have held.
            subscriber.start = self.head;
        }
        if subscriber.needs_reset(self.store.horizon()) {
            subscriber.begin_anew(self.head);
        }
        self.walk_for(subscriber)
    }

    /// Who is behind gets the object as it is: there is nothing to walk.
    fn object_for(&mut self, subscriber: &mut Subscriber) -> Option<Arc<Encoded>> {
        let view = self.views.get_mut(&subscriber.view)?;
        let to = view.meet(subscriber.told, self.head);
        let stretch = Stretch {
            view: subscriber.view,
            from: subscriber.told,
            to,
            resource_version: self.resource_version.clone(),
            more: false,
            gap: self.gap_between(subscriber.cursor.max(subscriber.start), self.head),
            reset: std::mem::take(&mut subscriber.reset),
        };
        subscriber.cursor = self.head;
        subscriber.told = to;
        subscriber.is_whole = true;
        subscriber.at_cut = true;
        let Shows::Object(one) = &self.views.get(&subscriber.view)?.shows else { return None };
        one.write(stretch, Step::Whole, None).map(Arc::new)
    }

    /// A `get` waits for what can be believed, and for what won't change by itself.
    fn may_answer(&self) -> bool {
        let is_current = self.synced && self.report.state.is_current();
        is_current
            || !matches!(
                self.report.state,
                ViewState::Syncing { .. } | ViewState::Resuming { .. } | ViewState::Live
            )
    }

    fn answer(&mut self, subscriber: &Subscriber, scope: &Scope) -> Delivery {
        self.tick();
        if !self.may_answer() {
            return Delivery::default();
        }
        match self.get(subscriber, scope) {
            Ok(frame) => once(frame),
            Err(problem) => refused(subscriber.subscription, problem),
        }
    }

    fn get(&self, subscriber: &Subscriber, scope: &Scope) -> Result<Option<Encoded>, Problem> {
        if !self.synced || !self.report.state.is_current() {
            let unknown = || Problem::new(Reason::Unproven, "nothing current is known of it");
            return Err(self.report.problem.clone().unwrap_or_else(unknown));
        }
        let one = self.views.get(&subscriber.view).map(|view| One::of(&self.store, &view.filter));
        let Some(one) = one.filter(One::is_there) else {
            let name = scope.name.as_ref().map_or("that row", |name| name.as_str());
            return Err(Problem::new(Reason::NotFound, format!("{} {name:?} not found", scope.resource)));
        };
        let stretch = Stretch {
            view: subscriber.view,
            from: 0,
            to: self.head,
            resource_version: self.resource_version.clone(),
            more: false,
            gap: None,
            reset: false,
        };
        Ok(one.write(stretch, Step::Whole, Some(subscriber.subscription)))
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
                Some(stored) => {
                    if let Some(row) = stored.row_in(view.set) {
                        builder.put(&row);
                    }
                }
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
        let view = self.views.get(&subscriber.view);
        let projection = view.map_or(Projection::Rows, |view| view.filter.projection);
        let (epoch, at) = match view.map(|view| &view.shows) {
            Some(Shows::Timeline(log)) => (log.epoch.clone(), Some(subscriber.read)),
            // Whether its token holds isn't known yet.
            _ if subscriber.held.is_some() => ("".into(), None),
            _ => (self.incarnation.epoch().into(), subscriber.resumed_at),
        };
        let columns = self.columns_of(subscriber.view);
        ServerFrame::Subscribed(Box::new(Subscribed {
            id: subscriber.subscription,
            view: subscriber.view,
            scope: scope.clone(),
            projection,
            cluster: self.identity.cluster.clone(),
            columns_hash: columns.hash,
            epoch,
            at,
            columns: if projection == Projection::Rows { columns.list.to_vec() } else { Vec::new() },
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
        let digest = view.digest().filter(|_| with_digest);
        if with_digest {
            subscriber.digest_due_ms = now_ms + DIGEST_INTERVAL_MS;
        }
        Some(ServerFrame::Sync(Sync {
            view: subscriber.view,
            at: if let Shows::Timeline(_) = view.shows { subscriber.read } else { subscriber.told },
            // Of what was sent: changes that wait for their tick are not in it.
            resource_version: if self.is_dirty() { &self.head_version } else { &self.resource_version }
                .clone(),
            proof_ms: proof.at_ms,
            now_ms,
            cluster_now_ms: now_ms + proof.cluster_ahead_ms,
            spread_ms,
            digest: digest.map(|digest| digest::to_text(digest).into()),
        }))
    }
}

/// The subscription is over with it.
fn once(frame: Option<Encoded>) -> Delivery {
    Delivery { messages: frame.map(Arc::new).into_iter().collect(), is_over: true, ..Delivery::default() }
}

fn refused(subscription: SubscriptionId, problem: Problem) -> Delivery {
    once(Encoded::new(&ServerFrame::Problem(ProblemFrame { id: Some(subscription), problem })))
}

/// What was logged since it read last, or that its place isn't known any more.
fn entries_for(
    log: &mut Log,
    subscriber: &mut Subscriber,
    now_ms: UnixMillis,
    frame_bytes_max: usize,
) -> Option<Arc<Encoded>> {
    if std::mem::take(&mut subscriber.reset) {
        return Log::frame_of_unknown_gap(subscriber.view, subscriber.read, now_ms).map(Arc::new);
    }
    let (to, frame) = log.frame(subscriber.view, subscriber.read, now_ms, frame_bytes_max)?;
    subscriber.read = to;
    Some(frame)
}
