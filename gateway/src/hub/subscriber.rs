//! One subscriber: a position, and what it has yet to be told. It has no queue. What it gets when it pulls is found
//! then: the live frame if it stands exactly at its beginning, else a walk of its own, in whole rows, until it stands
//! at the head. A viewer that comes with a token of another hub, of this gateway before a restart or of another
//! gateway, is continued at the position where this hub had exactly its rows: their digest tells, so it doesn't matter
//! what resourceVersions mean, or whether they went back. Otherwise it begins anew.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::digest;
use shared::frame::SYNC_INTERVAL_MS;
use shared::frame::client::{Projection, SubscriptionId};
use shared::frame::server::{Gap, ProblemFrame, ServerFrame, StateFrame, Subscribed, Sync, ViewId};
use shared::problem::{Problem, Reason};
use shared::state::{StateReport, UnixMillis, ViewState};

use super::columns::{ColumnSets, Columns};
use super::held::HeldRows;
use super::host::Host;
use super::logs::{LogReader, Logs, TimelineReader};
use super::message::{Delivery, HubCounts};
use super::objects::Objects;
use super::request::{Open, SendPermit};
use super::status::FeedStatus;
use super::views::{Encoded, FrameBuilder, FrameRange, Live, ObjectChange, ObjectView, Quiet, View, Views};
use crate::subscription_request::SubscriptionRequest;

/// A subscription, as its hub holds it.
///
/// It owns where it stands and what it has yet to be told. [`super::subscribers::Subscribers`] has it pull, and moves
/// it when a tick had nothing for its view or an epoch begins.
pub(super) struct Subscriber<H: Host> {
    request: Arc<SubscriptionRequest>,
    view: ViewId,
    session: H::Session,
    permit: SendPermit,
    /// The session knows that there is news, and has not pulled since.
    is_notified: bool,
    pending: PendingNotices,
    state: SubscriberState,
}

enum SubscriberState {
    /// It can't be had, and is told so.
    Refused(Problem),
    /// It wants one object, once, and nothing after that.
    Get,
    Timeline(LogReader),
    /// It holds rows of another hub, and gets none until it is known where they stand here.
    Waiting(HeldRows),
    Following(Cursor),
}

/// The position of a subscriber to rows or to an object.
#[derive(Clone, Copy)]
struct Cursor {
    /// It has all changes up to here.
    at: u64,
    /// Where its last frame ended, which is the position that the client knows. It stays behind `at` while
    /// nothing happens in the view, until a `sync` is due: an empty walk brings it to the head.
    frame_end: u64,
    origin: Origin,
    progress: Progress,
    /// From then on the next `sync` carries a digest.
    digest_due_ms: UnixMillis,
}

#[derive(Clone, Copy)]
enum Origin {
    /// It began from nothing when the hub stood at `head`, so it never held what was deleted before.
    Nothing { head: u64 },
    /// Its token was continued at this position of the epoch.
    Token { at: u64 },
}

/// How the client's rows relate to the view.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// No frame was sent. Whether the first one replaces all that the client has.
    Nothing { replaces: bool },
    /// In the middle of a walk: what changed meanwhile is further on.
    Walking,
    /// The rows are the view at `at`, but the first list isn't complete.
    Whole,
    /// The rows are the view at `at`, and the client was told so.
    AtCut,
}

/// What goes out with the next delivery.
#[derive(Clone, Copy)]
struct PendingNotices {
    status: StatusNotice,
    sync: bool,
    /// The upstream may not list what the hub is to hold; its session gets a message of its own.
    forbidden: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StatusNotice {
    None,
    State,
    /// It carries the state as well.
    Subscribed,
}

/// What a delivery is made from: the hub's other parts, while its subscribers are borrowed. In the views and the
/// logs only the end of a frame and the frame that was written last move.
pub(super) struct Sources<'a> {
    pub(super) objects: &'a Objects,
    pub(super) views: &'a mut Views,
    pub(super) logs: &'a mut Logs,
    pub(super) columns: &'a ColumnSets,
    pub(super) status: &'a FeedStatus,
    /// Changes wait for their tick.
    pub(super) is_dirty: bool,
}

/// The positions at which views had the rows of a digest, as far as they were looked for.
pub(super) type KnownPositions = BTreeMap<(ViewId, u64), Option<u64>>;

/// A digest costs the client only a comparison, and a difference is found within 30 s.
const DIGEST_INTERVAL_MS: i64 = 6 * SYNC_INTERVAL_MS as i64;

impl Sources<'_> {
    fn is_current(&self) -> bool {
        self.objects.is_loaded() && self.status.is_current()
    }

    /// A `get` waits until the state can be believed, or won't change by itself.
    fn may_answer(&self) -> bool {
        let state = &self.status.report().state;
        let may_change =
            matches!(state, ViewState::Syncing { .. } | ViewState::Resuming { .. } | ViewState::Live);
        self.is_current() || !may_change
    }

    fn columns_of(&self, view: ViewId) -> Columns {
        let set = self.views.get(view).and_then(View::set);
        self.columns.with_own(self.objects.epoch().columns(), set)
    }

    /// What the viewers of a view are told: the feed's state, and the objects that the live view doesn't show. Never the
    /// name of an object that isn't theirs to see, nor how many there are.
    fn report_for(&self, view: ViewId, request: &SubscriptionRequest) -> StateReport {
        let mut report = self.status.report().clone();
        if let ViewState::Syncing { n, of } = &mut report.state
            && !request.is_of_all()
        {
            (*n, *of) = (self.views.get(view).map_or(0, View::row_count), None);
        }
        if report.problem.is_none()
            && let Some((object, problem, more)) = self.objects.left_out_for(request)
        {
            let others = if more == 0 { String::new() } else { format!(" and {more} more") };
            let message = format!("left out: {object}{others}: {}", problem.message);
            report.problem = Some(Problem::new(problem.reason, message));
        }
        report
    }

    /// The object of a `get`.
    fn get(&self, view: ViewId, request: &SubscriptionRequest) -> Result<Option<Encoded>, Problem> {
        if !self.is_current() {
            let unknown = || Problem::new(Reason::Unproven, "nothing current is known of it");
            return Err(self.status.report().problem.clone().unwrap_or_else(unknown));
        }
        let object = ObjectView::of(self.objects.store(), request);
        if !object.is_there() {
            let scope = &request.scope;
            let name = scope.name.as_ref().map_or("that row", |name| name.as_str());
            return Err(Problem::new(Reason::NotFound, format!("{} {name:?} not found", scope.resource)));
        }
        let range = FrameRange {
            view,
            from: 0,
            to: self.views.head(),
            resource_version: self.objects.resource_version().clone(),
            more: false,
            gap: None,
            reset: false,
        };
        Ok(object.write(range, ObjectChange::Whole, Some(request.id)))
    }

    /// The whole object: a subscriber that is behind gets it as it is, for there is nothing to walk.
    fn whole_object(&mut self, view: ViewId, cursor: &mut Cursor) -> Option<Arc<Encoded>> {
        let (at, to) = (self.views.head(), self.align_to_head(view, cursor)?);
        let range = self.range(view, cursor, (at, to), false);
        (cursor.at, cursor.frame_end, cursor.progress) = (at, to, Progress::AtCut);
        self.views.get(view)?.object()?.write(range, ObjectChange::Whole, None).map(Arc::new)
    }

    /// The changes after the cursor, in whole rows, cut near the bound of a frame.
    fn walk(&mut self, key: ViewId, cursor: &mut Cursor) -> Option<Arc<Encoded>> {
        let view = self.views.get(key)?;
        let request = view.request();
        let mut builder = FrameBuilder::default();
        let head = self.views.head();
        let (mut at, mut last) = (head, cursor.at);
        for change in self.objects.store().walk(cursor.at) {
            if builder.byte_count() >= self.views.frame_bytes_max() {
                at = last;
                break;
            }
            last = change.sequence;
            match change.content.filter(|stored| request.matches(stored)) {
                Some(stored) => {
                    if let Some(row) = request.row_of(stored, view.set()) {
                        builder.put(&row);
                    }
                }
                // The subscriber began after the object had gone, so it never held the row.
                None if change.sequence <= cursor.start() => {}
                // It never held the row of another namespace either, and isn't told that there is one.
                None if !request.scope.may_hold(change.place) => {}
                None => builder.delete(change.id, request.has_whole_rows().then_some(change.place)),
            }
        }
        let is_whole = at == head;
        let to = if is_whole { self.align_to_head(key, cursor)? } else { at };
        let more = !is_whole || !self.objects.is_loaded();
        let range = self.range(key, cursor, (at, to), more);
        (cursor.at, cursor.frame_end) = (at, to);
        cursor.progress = match (is_whole, more) {
            (false, _) => Progress::Walking,
            (true, true) => Progress::Whole,
            (true, false) => Progress::AtCut,
        };
        builder.finish(range).map(Arc::new)
    }

    fn align_to_head(&mut self, view: ViewId, cursor: &Cursor) -> Option<u64> {
        self.views.align_to_head(view, cursor.frame_end, self.objects)
    }

    /// A subscriber that wants each event gets the latest states if it is too far behind.
    fn events_gap(&self, view: ViewId, cursor: &Cursor) -> Option<Gap> {
        self.views.get(view).filter(|_| cursor.is_whole())?.events_gap(cursor.at)
    }

    /// The range of a frame that moves the subscriber to `at`, which its client knows as `to`.
    fn range(&self, view: ViewId, cursor: &Cursor, (at, to): (u64, u64), more: bool) -> FrameRange {
        FrameRange {
            view,
            from: cursor.frame_end,
            to,
            resource_version: self.objects.resource_version().clone(),
            more,
            // A gap from before it began is none for it.
            gap: self
                .views
                .gap_between(cursor.at.max(cursor.start()), at)
                .or_else(|| self.events_gap(view, cursor)),
            reset: cursor.replaces(),
        }
    }
}

impl<H: Host> Subscriber<H> {
    /// `view`: why there is none, if it can't be had.
    pub(super) fn new(
        open: Open<H::Session>,
        view: Result<ViewId, Problem>,
        sources: &Sources<'_>,
        counts: &mut HubCounts,
    ) -> Self {
        let Open { key: _, request, fresh_view, is_second: _, session, permit } = open;
        let (view, state) = match view {
            Ok(view) if request.is_get => (view, SubscriberState::Get),
            Ok(view) => (view, SubscriberState::first(view, &request, sources, counts)),
            Err(problem) => (fresh_view, SubscriberState::Refused(problem)),
        };
        let forbidden = sources.status.is_forbidden();
        let pending = PendingNotices { status: StatusNotice::Subscribed, sync: true, forbidden };
        Self { request, view, session, permit, is_notified: false, pending, state }
    }

    pub(super) fn view(&self) -> ViewId {
        self.view
    }

    pub(super) fn session(&self) -> &H::Session {
        &self.session
    }

    pub(super) fn permit(&self) -> &SendPermit {
        &self.permit
    }

    /// As the reader of a timeline.
    pub(super) fn timeline(&self) -> Option<TimelineReader> {
        matches!(self.state, SubscriberState::Timeline(_)).then(|| self.log_reader())
    }

    /// As one that wants each event.
    pub(super) fn event_reader(&self) -> Option<TimelineReader> {
        self.request.wants_events().then(|| self.log_reader())
    }

    fn log_reader(&self) -> TimelineReader {
        TimelineReader { view: self.view, session: self.permit.session(), feeds: self.permit.log_feeds() }
    }

    /// Whether it waits until it is known where its rows stand.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.state, SubscriberState::Waiting(_))
    }

    pub(super) fn is_refused(&self) -> bool {
        matches!(self.state, SubscriberState::Refused(_))
    }

    pub(super) fn refuse(&mut self, problem: Problem) {
        self.state = SubscriberState::Refused(problem);
    }

    pub(super) fn set_notified(&mut self, is_notified: bool) {
        self.is_notified = is_notified;
    }

    pub(super) fn add_state(&mut self) {
        if self.pending.status == StatusNotice::None {
            self.pending.status = StatusNotice::State;
        }
    }

    /// It is told what it subscribed to, once more: the columns or the epoch are others.
    pub(super) fn add_subscribed(&mut self) {
        self.pending.status = StatusNotice::Subscribed;
    }

    pub(super) fn add_sync(&mut self) {
        self.pending.sync = true;
    }

    pub(super) fn add_forbidden(&mut self) {
        self.pending.forbidden = true;
    }

    /// Whether its session has yet to be told that the upstream may not list.
    pub(super) fn take_forbidden(&mut self) -> bool {
        std::mem::take(&mut self.pending.forbidden)
    }

    /// Whether there is a message for its session.
    pub(super) fn has_message(&self, sources: &Sources<'_>) -> bool {
        self.pending.forbidden || !self.is_notified && self.has_news(sources)
    }

    /// A subscriber that sees nothing of a tick stands at its end without a frame.
    pub(super) fn step_over(&mut self, quiet: &Quiet) {
        if let SubscriberState::Following(cursor) = &mut self.state
            && cursor.is_whole()
            && cursor.at == quiet.from
            && quiet.views.contains(&self.view)
        {
            cursor.at = quiet.to;
        }
    }

    /// Its next frame replaces all that the client has.
    pub(super) fn begin_anew(&mut self, head: u64) {
        match &mut self.state {
            SubscriberState::Refused(_) | SubscriberState::Get => {}
            SubscriberState::Timeline(reader) => reader.is_lost = true,
            SubscriberState::Waiting(_) => {
                self.state = SubscriberState::Following(Cursor::from_nothing(head, true));
            }
            SubscriberState::Following(cursor) => {
                *cursor = Cursor { digest_due_ms: cursor.digest_due_ms, ..Cursor::from_nothing(head, true) };
            }
        }
        self.pending.status = StatusNotice::Subscribed;
    }

    /// If it waits: continues it where the hub had its rows, or begins it anew as soon as it can't be continued.
    pub(super) fn find(&mut self, sources: &Sources<'_>, known: &mut KnownPositions, counts: &mut HubCounts) {
        let SubscriberState::Waiting(held) = &self.state else { return };
        let head = sources.views.head();
        let columns = sources.columns_of(self.view).hash;
        let has_other_columns = !columns.is_empty() && columns != held.columns;
        if has_other_columns {
            counts.began_anew += 1;
            return self.begin_anew(head);
        }
        let view = sources.views.get(self.view);
        if !sources.objects.is_loaded() || view.is_some_and(View::is_waiting) {
            return;
        }
        let look = || {
            let (view, digest) = (view?, held.digest);
            let now = (view.digest()?, head);
            sources.objects.position_with::<H>(digest, (view.request(), view.set()), now)
        };
        let position = *known.entry((self.view, held.digest)).or_insert_with(look);
        if let Some(position) = position {
            counts.continued += 1;
            self.state = SubscriberState::Following(Cursor::continued(position));
            self.pending.status = StatusNotice::Subscribed;
        } else if !sources.objects.resource_version().is_older_than(&held.resource_version) {
            counts.began_anew += 1;
            self.begin_anew(head);
        }
    }

    /// Whether a tick must come before it pulls. A walk must not meet changes that are in no frame yet. A live frame
    /// ends before them, and must stay the next frame of the other subscribers that stand at its beginning.
    pub(super) fn needs_tick(&self, sources: &Sources<'_>) -> bool {
        matches!(self.state, SubscriberState::Get)
            || self.is_behind(sources) && self.live_frame(sources).is_none()
    }

    /// Whether it has something to pull.
    pub(super) fn has_news(&self, sources: &Sources<'_>) -> bool {
        match self.state {
            SubscriberState::Refused(_) => true,
            SubscriberState::Get => sources.may_answer(),
            SubscriberState::Timeline(_) | SubscriberState::Waiting(_) | SubscriberState::Following(_) => {
                self.pending.status != StatusNotice::None
                    || self.is_behind(sources)
                    || (self.pending.sync && self.may_sync(sources))
            }
        }
    }

    /// Rows wait for their columns, and for the right to see them.
    fn is_behind(&self, sources: &Sources<'_>) -> bool {
        let view = sources.views.get(self.view);
        if sources.status.is_forbidden() || view.is_some_and(View::is_waiting) {
            return false;
        }
        let cursor = match &self.state {
            SubscriberState::Timeline(reader) => return sources.logs.is_behind(self.view, reader),
            SubscriberState::Following(_)
                if !sources.objects.is_loaded() && view.is_some_and(|view| view.object().is_some()) =>
            {
                return false;
            }
            SubscriberState::Following(cursor) => cursor,
            _ => return false,
        };
        let stands_back =
            cursor.at < sources.views.head() || view.is_some_and(|view| cursor.frame_end < view.frame_end());
        let is_lost = view.is_none_or(View::is_of_rows) && needs_reset::<H>(cursor, sources);
        (stands_back || is_lost) && !sources.objects.epoch().columns().hash.is_empty()
    }

    /// The last tick's frame, if it stands exactly at its beginning.
    fn live_frame<'a>(&self, sources: &'a Sources<'_>) -> Option<&'a Live> {
        let SubscriberState::Following(cursor) = &self.state else { return None };
        let view = sources.views.get(self.view).filter(|_| cursor.is_whole())?;
        view.live_frame(cursor.at, cursor.frame_end)
    }

    /// A `sync` says that everything up to its position was delivered, and that a proof is young.
    fn may_sync(&self, sources: &Sources<'_>) -> bool {
        let is_at_cut = match &self.state {
            SubscriberState::Timeline(_) => true,
            SubscriberState::Following(cursor) => cursor.progress == Progress::AtCut,
            _ => false,
        };
        is_at_cut
            && sources.status.proof().is_some()
            && sources.is_current()
            && sources.views.get(self.view).is_some_and(|view| !view.is_waiting())
            && !self.is_behind(sources)
    }

    /// Its next messages.
    pub(super) fn pull(&mut self, sources: &mut Sources<'_>) -> Delivery {
        match &self.state {
            SubscriberState::Refused(problem) => refusal(self.request.id, problem.clone()),
            SubscriberState::Get if !sources.may_answer() => Delivery::default(),
            SubscriberState::Get => match sources.get(self.view, &self.request) {
                Ok(frame) => last(frame),
                Err(problem) => refusal(self.request.id, problem),
            },
            _ => self.delivery(sources),
        }
    }

    fn delivery(&mut self, sources: &mut Sources<'_>) -> Delivery {
        let mut delivery = Delivery::default();
        let is_live = self.pending.status == StatusNotice::State && sources.status.is_current();
        if !is_live {
            delivery.messages.extend(self.status_frame(sources));
        }
        delivery.messages.extend(self.changes(sources));
        // A viewer gets all rows first, and then hears that the view is live.
        if is_live && !self.is_behind(sources) {
            delivery.messages.extend(self.status_frame(sources));
        }
        if self.pending.sync && self.may_sync(sources) {
            let frame = self.sync_frame(sources);
            delivery.messages.extend(frame.and_then(|frame| Encoded::new(&frame)).map(Arc::new));
        }
        delivery.is_undecided = self.is_waiting();
        delivery.more = self.has_news(sources);
        delivery
    }

    fn status_frame(&mut self, sources: &Sources<'_>) -> Option<Arc<Encoded>> {
        let frame = match std::mem::replace(&mut self.pending.status, StatusNotice::None) {
            StatusNotice::Subscribed => self.subscribed_frame(sources),
            StatusNotice::State => {
                let report = sources.report_for(self.view, &self.request);
                ServerFrame::State(StateFrame { view: self.view, report })
            }
            StatusNotice::None => return None,
        };
        Encoded::new(&frame).map(Arc::new)
    }

    fn changes(&mut self, sources: &mut Sources<'_>) -> Option<Arc<Encoded>> {
        if !self.is_behind(sources) {
            return None;
        }
        let live = self.live_frame(sources).map(|live| (live.at_end, live.to, Arc::clone(&live.frame)));
        let key = self.view;
        let is_of_rows = sources.views.get(key)?.is_of_rows();
        let cursor = match &mut self.state {
            SubscriberState::Timeline(reader) => {
                return sources.logs.next_frame(key, reader, sources.status.now_ms());
            }
            SubscriberState::Following(cursor) => cursor,
            _ => return None,
        };
        if let Some((at, frame_end, frame)) = live {
            (cursor.at, cursor.frame_end) = (at, frame_end);
            cursor.progress = if sources.views.is_at_cut() { Progress::AtCut } else { Progress::Whole };
            return Some(frame);
        }
        if !is_of_rows {
            return sources.whole_object(key, cursor);
        }
        let head = sources.views.head();
        if cursor.at == 0 {
            // It has nothing yet, so it will never hold what is deleted by now.
            cursor.origin = Origin::Nothing { head };
        }
        if needs_reset::<H>(cursor, sources) {
            let digest_due_ms = cursor.digest_due_ms;
            *cursor = Cursor { digest_due_ms, ..Cursor::from_nothing(head, true) };
        }
        sources.walk(key, cursor)
    }

    fn subscribed_frame(&self, sources: &Sources<'_>) -> ServerFrame {
        let request = &self.request;
        let epoch = sources.objects.epoch();
        let log_epoch = sources.logs.epoch(self.view);
        let (name, at) = match (&self.state, log_epoch) {
            (SubscriberState::Timeline(reader), Some(log_epoch)) => (log_epoch.into(), Some(reader.read)),
            // It isn't known yet whether its token holds.
            (SubscriberState::Waiting(_), _) => ("".into(), None),
            (SubscriberState::Following(Cursor { origin: Origin::Token { at }, .. }), _) => {
                (epoch.name_in(request), Some(*at))
            }
            _ => (epoch.name_in(request), None),
        };
        let columns = sources.columns_of(self.view);
        let is_of_rows = request.projection == Projection::Rows;
        ServerFrame::Subscribed(Box::new(Subscribed {
            id: request.id,
            view: self.view,
            scope: request.scope.clone(),
            projection: request.projection,
            cluster: epoch.cluster().into(),
            columns_hash: columns.hash,
            epoch: name,
            at,
            columns: if is_of_rows { columns.list.to_vec() } else { Vec::new() },
            state: sources.report_for(self.view, request),
        }))
    }

    fn sync_frame(&mut self, sources: &Sources<'_>) -> Option<ServerFrame> {
        let (proof, now_ms) = (sources.status.proof()?, sources.status.now_ms());
        self.pending.sync = false;
        let view = sources.views.get(self.view)?;
        let (at, digest) = match &mut self.state {
            SubscriberState::Timeline(reader) => (reader.read, None),
            SubscriberState::Following(cursor) => {
                // A client without rows can't add them up, and needs the digest to go on elsewhere.
                let is_due = now_ms >= cursor.digest_due_ms || self.request.has_whole_rows();
                if is_due {
                    cursor.digest_due_ms = now_ms + DIGEST_INTERVAL_MS;
                }
                (cursor.frame_end, view.digest().filter(|_| is_due))
            }
            _ => return None,
        };
        // The version of what was sent: changes that wait for their tick are not in it.
        let (now, head) = (sources.objects.resource_version(), sources.views.head_version());
        Some(ServerFrame::Sync(Sync {
            view: self.view,
            at,
            resource_version: if sources.is_dirty { head } else { now }.clone(),
            proof_ms: proof.at_ms,
            now_ms,
            cluster_now_ms: now_ms + proof.cluster_ahead_ms,
            spread_ms: sources.status.spread_ms(),
            digest: digest.map(|digest| digest::to_text(digest).into()),
        }))
    }
}

/// Whether the subscriber may have missed deletes.
fn needs_reset<H: Host>(cursor: &Cursor, sources: &Sources<'_>) -> bool {
    sources.objects.needs_reset::<H>(cursor.at, cursor.start())
}

/// The subscription is over with it.
fn last(frame: Option<Encoded>) -> Delivery {
    Delivery { messages: frame.map(Arc::new).into_iter().collect(), is_over: true, ..Delivery::default() }
}

fn refusal(subscription: SubscriptionId, problem: Problem) -> Delivery {
    last(Encoded::new(&ServerFrame::Problem(ProblemFrame { id: Some(subscription), problem })))
}

impl SubscriberState {
    fn first(
        view: ViewId,
        request: &SubscriptionRequest,
        sources: &Sources<'_>,
        counts: &mut HubCounts,
    ) -> Self {
        let cluster = sources.objects.epoch().cluster();
        if let Some(reader) = sources.logs.reader(view, request, cluster) {
            return Self::Timeline(reader);
        }
        let head = sources.views.head();
        let position = request.token.as_ref().and_then(|token| {
            let columns = sources.columns_of(view).hash;
            let of_view = sources.views.get(view)?.request();
            sources.objects.position_of(token, of_view, &columns, head)
        });
        if let Some(position) = position {
            counts.continued += 1;
            return Self::Following(Cursor::continued(position));
        }
        if let Some(held) = HeldRows::of(request, cluster) {
            return Self::Waiting(held);
        }
        counts.began_anew += u64::from(request.token.is_some());
        Self::Following(Cursor::from_nothing(head, request.token.is_some()))
    }
}

impl Cursor {
    fn from_nothing(head: u64, replaces: bool) -> Self {
        let (origin, progress) = (Origin::Nothing { head }, Progress::Nothing { replaces });
        Self { at: 0, frame_end: 0, origin, progress, digest_due_ms: 0 }
    }

    /// Its first `sync` carries a digest, so that a wrong continuation is found.
    fn continued(at: u64) -> Self {
        let origin = Origin::Token { at };
        Self { at, frame_end: at, origin, progress: Progress::AtCut, digest_due_ms: 0 }
    }

    fn start(&self) -> u64 {
        match self.origin {
            Origin::Nothing { head } => head,
            Origin::Token { .. } => 0,
        }
    }

    /// Whether its rows are the view as it was at `at`.
    fn is_whole(&self) -> bool {
        matches!(self.progress, Progress::Whole | Progress::AtCut)
    }

    fn replaces(&self) -> bool {
        self.progress == Progress::Nothing { replaces: true }
    }
}
