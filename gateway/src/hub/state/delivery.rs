//! What a subscriber gets when it pulls: the live frame if it stands exactly at its beginning, else a walk
//! of its own, in whole rows, until it stands at the head.

use std::sync::Arc;

use shared::digest;
use shared::frame::SYNC_INTERVAL_MS;
use shared::frame::client::{Projection, SubscriptionId};
use shared::frame::server::{ProblemFrame, ServerFrame, StateFrame, Subscribed, Sync, ViewId};
use shared::problem::{Problem, Reason};
use shared::state::{UnixMillis, ViewState};

use super::Hub;
use crate::hub::frames::{Encoded, FrameBuilder, FrameRange};
use crate::hub::host::Host;
use crate::hub::log::Log;
use crate::hub::object_view::{ObjectChange, ObjectView};
use crate::hub::permit::SubscriberKey;
use crate::hub::request::SubscriptionRequest;
use crate::hub::subscriber::{
    Cursor, Delivery, LogReader, Origin, Progress, StatusNotice, Subscriber, SubscriberState,
};
use crate::hub::view::ViewKind;

/// A digest costs the client only a comparison, and a difference is found within 30 s.
const DIGEST_INTERVAL_MS: i64 = 6 * SYNC_INTERVAL_MS as i64;

impl<H: Host> Hub<H> {
    /// Whether a subscriber has something to pull.
    pub(super) fn has_news(&self, subscriber: &Subscriber<H::Session>) -> bool {
        match subscriber.state {
            SubscriberState::Refused(_) => true,
            SubscriberState::Get => self.may_answer(),
            SubscriberState::Timeline(_) | SubscriberState::Waiting(_) | SubscriberState::Following(_) => {
                subscriber.pending.status != StatusNotice::None
                    || self.is_behind(subscriber)
                    || (subscriber.pending.sync && self.may_sync(subscriber))
            }
        }
    }

    /// Rows wait for their columns, and for the right to see them.
    fn is_behind(&self, subscriber: &Subscriber<H::Session>) -> bool {
        let view = self.views.get(&subscriber.view);
        if self.is_forbidden() || view.is_some_and(|view| view.is_waiting) {
            return false;
        }
        let cursor = match (&subscriber.state, view.map(|view| &view.kind)) {
            (SubscriberState::Timeline(reader), Some(ViewKind::Timeline(log))) => {
                return reader.is_lost || reader.read < log.end();
            }
            (SubscriberState::Following(_), Some(ViewKind::Object(_))) if !self.is_loaded => return false,
            (SubscriberState::Following(cursor), _) => cursor,
            _ => return false,
        };
        let stands_back = cursor.at < self.head || view.is_some_and(|view| cursor.frame_end < view.frame_end);
        let is_lost = view.is_none_or(|view| view.is_of_rows()) && self.needs_reset(cursor);
        (stands_back || is_lost) && !self.columns.hash.is_empty()
    }

    /// Whether the subscriber may have missed deletes.
    fn needs_reset(&self, cursor: &Cursor) -> bool {
        H::needs_reset(self.store.horizon(), cursor.at, cursor.start())
    }

    /// The next messages of one subscriber. `None`: it isn't one of this hub.
    pub fn pull(&mut self, key: SubscriberKey) -> Option<Delivery> {
        // A walk must not meet changes that are in no frame yet. A live frame ends before them, and must
        // stay the next frame of the other subscribers that stand at its beginning.
        let walks = |subscriber: &_| self.is_behind(subscriber) && self.live_for(subscriber).is_none();
        if self.subscribers.get(&key).is_some_and(walks) {
            self.tick();
        }
        let mut subscriber = self.subscribers.remove(&key)?;
        let delivery = match &subscriber.state {
            SubscriberState::Refused(problem) => refusal(subscriber.request.id, problem.clone()),
            SubscriberState::Get => self.answer(subscriber.view, &subscriber.request),
            _ => self.delivery_for(&mut subscriber),
        };
        self.subscribers.insert(key, subscriber);
        Some(delivery)
    }

    fn delivery_for(&mut self, subscriber: &mut Subscriber<H::Session>) -> Delivery {
        let mut delivery = Delivery::default();
        let is_live = subscriber.pending.status == StatusNotice::State && self.report.state.is_current();
        if !is_live {
            delivery.messages.extend(self.status_for(subscriber));
        }
        delivery.messages.extend(self.changes_for(subscriber));
        // A viewer gets all rows first, and then hears that the view is live.
        if is_live && !self.is_behind(subscriber) {
            delivery.messages.extend(self.status_for(subscriber));
        }
        if subscriber.pending.sync && self.may_sync(subscriber) {
            let frame = self.sync_for(subscriber);
            delivery.messages.extend(frame.and_then(|frame| Encoded::new(&frame)).map(Arc::new));
        }
        delivery.is_undecided = matches!(subscriber.state, SubscriberState::Waiting(_));
        delivery.more = self.has_news(subscriber);
        delivery
    }

    fn status_for(&self, subscriber: &mut Subscriber<H::Session>) -> Option<Arc<Encoded>> {
        let frame = match std::mem::replace(&mut subscriber.pending.status, StatusNotice::None) {
            StatusNotice::Subscribed => self.subscribed(subscriber),
            StatusNotice::State => ServerFrame::State(StateFrame {
                view: subscriber.view,
                report: self.shown_report(subscriber.view, &subscriber.request),
            }),
            StatusNotice::None => return None,
        };
        Encoded::new(&frame).map(Arc::new)
    }

    /// A `sync` says that everything up to its position was delivered, and that a proof is young.
    fn may_sync(&self, subscriber: &Subscriber<H::Session>) -> bool {
        let is_at_cut = match &subscriber.state {
            SubscriberState::Timeline(_) => true,
            SubscriberState::Following(cursor) => cursor.progress == Progress::AtCut,
            _ => false,
        };
        is_at_cut
            && self.proof.is_some()
            && self.report.state.is_current()
            && self.is_loaded
            && self.views.get(&subscriber.view).is_some_and(|view| !view.is_waiting)
            && !self.is_behind(subscriber)
    }

    /// The last tick's frame, for a subscriber that stands exactly at its beginning.
    fn live_for(&self, subscriber: &Subscriber<H::Session>) -> Option<(u64, Arc<Encoded>)> {
        let SubscriberState::Following(cursor) = &subscriber.state else { return None };
        let view = self.views.get(&subscriber.view).filter(|_| cursor.is_whole())?;
        view.live_frame(cursor.at, cursor.frame_end)
    }

    fn changes_for(&mut self, subscriber: &mut Subscriber<H::Session>) -> Option<Arc<Encoded>> {
        if !self.is_behind(subscriber) {
            return None;
        }
        let live = self.live_for(subscriber);
        let key = subscriber.view;
        let view = self.views.get_mut(&key)?;
        let cursor = match (&mut subscriber.state, &mut view.kind) {
            (SubscriberState::Timeline(reader), ViewKind::Timeline(log)) => {
                return entries_for(log, key, reader, self.now_ms, self.bounds.frame_bytes);
            }
            (SubscriberState::Following(cursor), _) => cursor,
            _ => return None,
        };
        if let Some((to, frame)) = live {
            (cursor.at, cursor.frame_end) = (to, to);
            cursor.progress = if self.was_loaded { Progress::AtCut } else { Progress::Whole };
            return Some(frame);
        }
        if !view.is_of_rows() {
            return self.object_for(key, cursor);
        }
        if cursor.at == 0 {
            // It has nothing yet, so it will never hold what is deleted by now.
            cursor.origin = Origin::Nothing { head: self.head };
        }
        if self.needs_reset(cursor) {
            let digest_due_ms = cursor.digest_due_ms;
            *cursor = Cursor { digest_due_ms, ..Cursor::from_nothing(self.head, true) };
        }
        self.walk_for(key, cursor)
    }

    /// A subscriber that is behind gets the object as it is, for there is nothing to walk.
    fn object_for(&mut self, key: ViewId, cursor: &mut Cursor) -> Option<Arc<Encoded>> {
        let to = self.views.get_mut(&key)?.align_to_head(cursor.frame_end, self.head);
        let range = self.range_for(key, cursor, self.head, to, false);
        (cursor.at, cursor.frame_end, cursor.progress) = (self.head, to, Progress::AtCut);
        let ViewKind::Object(object) = &self.views.get(&key)?.kind else { return None };
        object.write(range, ObjectChange::Whole, None).map(Arc::new)
    }

    /// A `get` waits until the state can be believed, or won't change by itself.
    fn may_answer(&self) -> bool {
        let state = &self.report.state;
        let may_change =
            matches!(state, ViewState::Syncing { .. } | ViewState::Resuming { .. } | ViewState::Live);
        self.is_current() || !may_change
    }

    fn answer(&mut self, view: ViewId, request: &SubscriptionRequest) -> Delivery {
        self.tick();
        if !self.may_answer() {
            return Delivery::default();
        }
        match self.get(view, request) {
            Ok(frame) => last(frame),
            Err(problem) => refusal(request.id, problem),
        }
    }

    fn get(&self, view: ViewId, request: &SubscriptionRequest) -> Result<Option<Encoded>, Problem> {
        if !self.is_current() {
            let unknown = || Problem::new(Reason::Unproven, "nothing current is known of it");
            return Err(self.report.problem.clone().unwrap_or_else(unknown));
        }
        let object = ObjectView::of(&self.store, request);
        if !object.is_there() {
            let scope = &request.scope;
            let name = scope.name.as_ref().map_or("that row", |name| name.as_str());
            return Err(Problem::new(Reason::NotFound, format!("{} {name:?} not found", scope.resource)));
        }
        let range = FrameRange {
            view,
            from: 0,
            to: self.head,
            resource_version: self.resource_version.clone(),
            more: false,
            gap: None,
            reset: false,
        };
        Ok(object.write(range, ObjectChange::Whole, Some(request.id)))
    }

    /// The changes after the cursor, in whole rows, cut near the bound of a frame.
    fn walk_for(&mut self, key: ViewId, cursor: &mut Cursor) -> Option<Arc<Encoded>> {
        let view = self.views.get_mut(&key)?;
        let mut builder = FrameBuilder::default();
        let (mut at, mut last) = (self.head, cursor.at);
        for change in self.store.walk(cursor.at) {
            if builder.byte_count() >= self.bounds.frame_bytes {
                at = last;
                break;
            }
            last = change.sequence;
            match change.content.filter(|stored| view.request.matches(stored)) {
                Some(stored) => {
                    if let Some(row) = view.request.row_of(stored, view.set) {
                        builder.put(&row);
                    }
                }
                // The subscriber began after the object had gone, so it never held the row.
                None if change.sequence <= cursor.start() => {}
                // It never held the row of another namespace either, and isn't told that there is one.
                None if !view.request.scope.may_hold(change.place) => {}
                None => builder.delete(change.id, view.request.has_whole_rows().then_some(change.place)),
            }
        }
        let is_whole = at == self.head;
        let to = if is_whole { view.align_to_head(cursor.frame_end, at) } else { at };
        let more = !is_whole || !self.is_loaded;
        let range = self.range_for(key, cursor, at, to, more);
        (cursor.at, cursor.frame_end) = (at, to);
        cursor.progress = match (is_whole, more) {
            (false, _) => Progress::Walking,
            (true, true) => Progress::Whole,
            (true, false) => Progress::AtCut,
        };
        builder.finish(range).map(Arc::new)
    }

    /// The range of a frame that moves the subscriber to `at`, which its client knows as `to`.
    fn range_for(&self, view: ViewId, cursor: &Cursor, at: u64, to: u64, more: bool) -> FrameRange {
        FrameRange {
            view,
            from: cursor.frame_end,
            to,
            resource_version: self.resource_version.clone(),
            more,
            // A gap from before it began is none for it.
            gap: self.gap_between(cursor.at.max(cursor.start()), at),
            reset: cursor.replaces(),
        }
    }

    fn subscribed(&self, subscriber: &Subscriber<H::Session>) -> ServerFrame {
        let request = &subscriber.request;
        let (epoch, at) = match (&subscriber.state, self.views.get(&subscriber.view).map(|view| &view.kind)) {
            (SubscriberState::Timeline(reader), Some(ViewKind::Timeline(log))) => {
                (log.epoch.clone(), Some(reader.read))
            }
            // It isn't known yet whether its token holds.
            (SubscriberState::Waiting(_), _) => ("".into(), None),
            (SubscriberState::Following(Cursor { origin: Origin::Token { at }, .. }), _) => {
                (self.epoch.name_in(request), Some(*at))
            }
            _ => (self.epoch.name_in(request), None),
        };
        let columns = self.columns_of(subscriber.view);
        let is_of_rows = request.projection == Projection::Rows;
        ServerFrame::Subscribed(Box::new(Subscribed {
            id: request.id,
            view: subscriber.view,
            scope: request.scope.clone(),
            projection: request.projection,
            cluster: self.cluster.clone(),
            columns_hash: columns.hash,
            epoch,
            at,
            columns: if is_of_rows { columns.list.to_vec() } else { Vec::new() },
            state: self.shown_report(subscriber.view, request),
        }))
    }

    fn sync_for(&self, subscriber: &mut Subscriber<H::Session>) -> Option<ServerFrame> {
        let (proof, now_ms) = (self.proof?, self.now_ms);
        subscriber.pending.sync = false;
        let view = self.views.get(&subscriber.view)?;
        let (at, digest) = match &mut subscriber.state {
            SubscriberState::Timeline(reader) => (reader.read, None),
            SubscriberState::Following(cursor) => {
                // A client without rows can't add them up, and needs the digest to go on elsewhere.
                let is_due = now_ms >= cursor.digest_due_ms || subscriber.request.has_whole_rows();
                if is_due {
                    cursor.digest_due_ms = now_ms + DIGEST_INTERVAL_MS;
                }
                (cursor.frame_end, view.digest().filter(|_| is_due))
            }
            _ => return None,
        };
        Some(ServerFrame::Sync(Sync {
            view: subscriber.view,
            at,
            // The version of what was sent: changes that wait for their tick are not in it.
            resource_version: if self.is_dirty() { &self.head_version } else { &self.resource_version }
                .clone(),
            proof_ms: proof.at_ms,
            now_ms,
            cluster_now_ms: now_ms + proof.cluster_ahead_ms,
            spread_ms: self.spread_ms,
            digest: digest.map(|digest| digest::to_text(digest).into()),
        }))
    }
}

/// The subscription is over with it.
fn last(frame: Option<Encoded>) -> Delivery {
    Delivery { messages: frame.map(Arc::new).into_iter().collect(), is_over: true, ..Delivery::default() }
}

fn refusal(subscription: SubscriptionId, problem: Problem) -> Delivery {
    last(Encoded::new(&ServerFrame::Problem(ProblemFrame { id: Some(subscription), problem })))
}

/// The entries after the reader's position, or that its position isn't known any more.
fn entries_for(
    log: &mut Log,
    view: ViewId,
    reader: &mut LogReader,
    now_ms: UnixMillis,
    frame_bytes_max: usize,
) -> Option<Arc<Encoded>> {
    if std::mem::take(&mut reader.is_lost) {
        return Log::frame_of_unknown_gap(view, reader.read, now_ms).map(Arc::new);
    }
    let (to, frame) = log.frame(view, reader.read, now_ms, frame_bytes_max)?;
    reader.read = to;
    Some(frame)
}
