//! The hub: in which order its parts are asked. What each feature holds and decides stands in its own file.

mod column_turns;

use std::sync::Arc;

use shared::frame::server::{Gap, ViewId};
use shared::frame::timeline::{Entry, EntryType};
use shared::past::Why;
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;
use shared::state::{UnixMillis, ViewState};

use super::columns::{ColumnSets, Columns};
use super::entries::Seen;
use super::heard::{Heard, Tap};
use super::held::held_version;
use super::host::{Bounds, Host};
use super::logs::Logs;
use super::message::{Delivery, HubAction, HubCounts, HubEffects, HubRequest, ToSession};
use super::objects::{Arrival, ListEnd, Objects, SeenBy, Touched};
use super::request::{Open, SubscriberKey};
use super::schedule::{Elapsed, Schedule};
use super::status::FeedStatus;
use super::subscriber::{Sources, Subscriber};
use super::subscribers::{Announcement, Subscribers};
use super::views::Views;
use crate::feed::{Change, FeedCommand, FeedOutput};
use crate::limits::CUSTOM_READ_OBJECTS;
use crate::subscription_request::SubscriptionRequest;

/// One feed's objects and all who watch them: the outputs of the feed go in, and each subscriber pulls what it has not
/// seen. The task of a hub ([`super::task`]) and the simulation call [`Hub::handle`], [`Hub::settle`] and
/// [`Hub::next_message`]; nothing here waits or reads a clock.
///
/// **Objects.** Each object has a slot. A change gives the slot the next *sequence* and moves it to the end of a list
/// ordered by last change. A deleted object stays as a tombstone until a budget is exceeded; the sequence of the
/// youngest tombstone that was dropped is the *horizon*.
///
/// **Views.** A tick seals what changed since the tick before into one frame for each view. The *head* is the sequence
/// up to which every change is in a frame.
///
/// **Where a subscriber stands.** A subscriber to rows is a cursor: `at`, the sequence up to which it has everything,
/// and `frame_end`, where its last frame ended, which is the position that its client knows. `frame_end` stays behind
/// while nothing happens in its view, until a `sync` is due. A subscriber that stood where the tick began gets the
/// frame of its view. Any other one walks the slots after its cursor, whether it takes a snapshot, catches up, or
/// resumes from a token: it meets each object once, with its latest value. There is no queue, so a subscriber without
/// credit is simply behind. An object view is sent a patch, or the whole object to a subscriber that is behind. A
/// timeline's subscriber is a number of entries of its log.
///
/// **Resets.** A subscriber behind the horizon may have missed deletes, and gets all rows anew. One that began from
/// nothing at head `start` compares the horizon with the larger of `at` and `start`: it never held what was deleted
/// before `start`.
///
/// | what moves a subscriber | where |
/// |---|---|
/// | It begins: refused, a `get`, a reader of a log, waiting, or following | [`Subscriber::new`] |
/// | Waiting becomes following: when it comes, at each tick, after 1 s | [`Subscriber::find`], [`Hub::give_up_waiting`] |
/// | It pulls, or is pushed with its session's permit: the live frame, a walk, the whole object, or entries | [`Subscriber::pull`] |
/// | A tick had nothing for its view | [`Subscriber::step_over`] |
/// | It begins from nothing: another epoch, or it is behind the horizon | [`Subscriber::begin_anew`], [`Subscriber::pull`] |
/// | Its columns cost too much, so it is refused | `Hub::end_columns_turn`, `Hub::report_columns` |
/// | Its session leaves it | [`Hub::unsubscribe`] |
pub struct Hub<H: Host = ()> {
    objects: Objects,
    views: Views,
    logs: Logs,
    columns: ColumnSets,
    subscribers: Subscribers<H>,
    status: FeedStatus,
    schedule: Schedule,
    counts: HubCounts,
    /// For a recorder.
    tap: Option<Tap>,
}

impl<H: Host> Hub<H> {
    /// `cluster` is the cluster's id in every answer and token, where links have its name; `seed` is the randomness of the epoch.
    #[must_use]
    pub fn new(cluster: &str, seed: u64) -> Self {
        Self::with_bounds(cluster, seed, Bounds::default())
    }

    #[must_use]
    pub fn with_bounds(cluster: &str, seed: u64, bounds: Bounds) -> Self {
        Self {
            objects: Objects::new(cluster, seed, &bounds),
            views: Views::new(bounds.frame_bytes),
            logs: Logs::new(bounds),
            columns: ColumnSets::with_bound(bounds.custom_bytes),
            subscribers: Subscribers::new(),
            status: FeedStatus::new(),
            schedule: Schedule::default(),
            counts: HubCounts::default(),
            tap: None,
        }
    }

    /// Before the first change.
    #[must_use]
    pub fn counting_from(mut self, base: u32) -> Self {
        self.objects.count_from(base.into());
        self
    }

    /// How long it goes on without a subscriber.
    #[must_use]
    pub fn lingering(mut self, linger: Elapsed) -> Self {
        self.schedule.set_linger(linger);
        self
    }

    /// What it hears is kept for a recorder, from now on.
    #[must_use]
    pub fn recorded(mut self) -> Self {
        self.tap = Some(Tap::default());
        self
    }

    /// What was heard since the last time, for a recorder.
    pub fn take_heard(&mut self) -> Vec<Heard> {
        self.tap.as_mut().map(Tap::take).unwrap_or_default()
    }

    /// What a listener has to hear first who begins now, or has lost something. What follows is
    /// [heard](Self::take_heard) by all.
    pub fn begin_hearing(&mut self) -> Vec<Heard> {
        self.tap.get_or_insert_with(Tap::after_beginning);
        Tap::beginning(&self.objects)
    }

    /// The last listener has gone.
    pub fn stop_hearing(&mut self) {
        self.tap = None;
    }

    pub fn take_counts(&mut self) -> HubCounts {
        std::mem::take(&mut self.counts)
    }

    #[must_use]
    pub fn has_lost_touch(&self) -> bool {
        self.status.has_lost_touch()
    }

    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.status.is_stale()
    }

    /// Whether it has all objects, and a young proof of that.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.objects.is_loaded() && self.status.is_current()
    }

    #[must_use]
    pub fn object_count(&self) -> usize {
        self.objects.store().len()
    }

    /// The number of the last change.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.objects.store().sequence()
    }

    #[must_use]
    pub fn tombstone_count(&self) -> usize {
        self.objects.store().tombstone_count()
    }

    #[must_use]
    pub fn subscriber_count(&self) -> usize {
        self.subscribers.len()
    }

    /// How a subscriber's session is reached.
    #[must_use]
    pub fn session(&self, key: SubscriberKey) -> Option<&H::Session> {
        self.subscribers.get(key).map(Subscriber::session)
    }

    /// Whether a tick would have something to seal.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        self.objects.store().sequence() > self.views.head() || self.logs.has_news()
    }

    /// Whether changes wait for the next tick of a complete set of rows.
    #[must_use]
    pub fn waits_for_tick(&self) -> bool {
        self.objects.is_loaded() && self.is_dirty()
    }

    /// Whether a subscriber waits whose position may still be found.
    #[must_use]
    pub fn has_waiting(&self) -> bool {
        self.objects.is_loaded() && self.subscribers.any_waits()
    }

    /// Whether cells are to be read.
    #[must_use]
    pub fn has_unread(&self) -> bool {
        !self.columns.unread().is_empty() || self.views.any_waits()
    }

    /// Whether the columns have cost so much in this turn that others come first.
    #[must_use]
    pub fn is_columns_turn_full(&self) -> bool {
        self.columns.is_turn_full()
    }

    /// Where the feed should begin, if it hasn't, so that this viewer gets only what changed.
    #[must_use]
    pub fn stands_at(&self, request: &SubscriptionRequest) -> Option<ResourceVersion> {
        held_version(request, self.objects.epoch().cluster()).filter(|_| !self.objects.is_loaded())
    }

    /// What time it is by the gateway's clock, and how far reconnects are to be spread.
    pub fn set_clock(&mut self, now_ms: UnixMillis, spread_ms: u32) {
        self.status.set_clock(now_ms, spread_ms);
    }

    /// The subscribers, and what their deliveries are made from.
    fn split(&mut self) -> (&mut Subscribers<H>, Sources<'_>, &mut HubCounts) {
        let is_dirty = self.is_dirty();
        let Self { objects, views, logs, columns, subscribers, status, counts, .. } = self;
        (subscribers, Sources { objects, views, logs, columns, status, is_dirty }, counts)
    }
}

/// When what happens.
impl<H: Host> Hub<H> {
    /// One action. [`Hub::settle`] follows, after one or after many.
    pub fn handle(&mut self, action: HubAction<H::Session>, now: Elapsed) -> HubEffects {
        self.schedule.begin(now);
        let mut effects = HubEffects::default();
        match action {
            HubAction::Feed(output) => self.take(output, now),
            HubAction::Open(open) => {
                effects.to_feed = self.stands_at(&open.request).map(FeedCommand::StandsAt);
                self.subscribe(*open);
            }
            HubAction::Request(HubRequest::Close(key)) => self.unsubscribe(key),
            HubAction::Request(HubRequest::Pull(key)) => {
                let delivery = self.deliver(key);
                effects.to_session = delivery.map(|delivery| (key, ToSession::Delivery(key, delivery)));
            }
            HubAction::Request(HubRequest::Retry) => effects.to_feed = Some(FeedCommand::Retry),
            // Every other action comes first, so that no viewer waits for another's columns.
            HubAction::Continue => {
                if self.read_cells(CUSTOM_READ_OBJECTS) {
                    self.subscribers.notify();
                }
            }
            HubAction::End => self.subscribers.end(),
            // The task has the listeners.
            HubAction::Listen(_) => {}
        }
        effects
    }

    fn take(&mut self, output: FeedOutput, now: Elapsed) {
        if !matches!(output, FeedOutput::Change(_)) {
            self.subscribers.notify();
        }
        if matches!(output, FeedOutput::Proof(_)) {
            self.schedule.synced(now);
        }
        let was_forbidden = self.status.is_forbidden();
        self.apply(output);
        // Told once and not with every try, for the session asks for something else then, or can't.
        if self.status.is_forbidden() && !was_forbidden {
            self.subscribers.for_each(Subscriber::add_forbidden);
        }
    }

    /// Does what is due, after every action and at every [`Hub::deadline`]. [`Hub::next_message`] follows.
    pub fn settle(&mut self, now: Elapsed) {
        self.schedule.begin(now);
        // The first change goes out at once, those that follow within a tick go out together.
        if self.is_dirty() && now >= self.schedule.tick_at(self.objects.is_loaded()) {
            self.tick();
            self.schedule.sealed(now);
            self.subscribers.notify();
        }
        if self.schedule.is_sync_due(now) {
            self.schedule.synced(now);
            self.mark_sync_due();
            self.subscribers.notify();
        }
        self.end_columns_turn();
        if self.schedule.is_wait_over(self.has_waiting(), now) {
            self.give_up_waiting();
            self.subscribers.notify();
        }
        self.schedule.note_idle(self.subscribers.is_empty(), now);
    }

    /// When to settle at the latest.
    #[must_use]
    pub fn deadline(&self) -> Elapsed {
        let tick_at = self.is_dirty().then(|| self.schedule.tick_at(self.objects.is_loaded()));
        self.schedule.deadline(tick_at)
    }

    /// Whether there was no subscriber for a while, so that the hub may end.
    #[must_use]
    pub fn has_lingered(&self, now: Elapsed) -> bool {
        self.schedule.has_lingered(now)
    }

    /// A subscription is on its way: the hub goes on.
    pub fn linger_on(&mut self, now: Elapsed) {
        self.schedule.linger_on(now);
    }

    /// Tells the feed whether it has viewers, if that has changed. `tell`: whether the feed took it; if it
    /// didn't, it is told again the next time.
    pub fn tell_feed(&mut self, tell: impl FnOnce(FeedCommand) -> bool) {
        self.schedule.tell_feed(self.subscribers.is_empty(), tell);
    }

    /// The next message, and its subscriber.
    pub fn next_message(&mut self) -> Option<(SubscriberKey, ToSession)> {
        loop {
            let (subscribers, sources, _) = self.split();
            let key = subscribers.next_to_tell(&sources)?;
            let message = match subscribers.announce(key) {
                Some(Announcement::Message(message)) => Some(message),
                Some(Announcement::Delivery) => {
                    self.deliver(key).map(|delivery| ToSession::Pushed(key, delivery))
                }
                None => None,
            };
            if let Some(message) = message {
                return Some((key, message));
            }
        }
    }

    fn deliver(&mut self, key: SubscriberKey) -> Option<Delivery> {
        let was_dirty = self.is_dirty();
        let delivery = self.pull(key)?;
        self.subscribers.mark_delivered(key, &delivery);
        if was_dirty && !self.is_dirty() {
            // A walk closes the tick at which it ends, which is news for the other subscribers too.
            self.subscribers.notify();
        }
        Some(delivery)
    }

    /// A message that got lost doesn't take the session's permit with it.
    pub fn give_back(&self, lost: &ToSession) {
        self.subscribers.give_back(lost);
    }
}

/// What the feed says. Subscribers are told by the tick, not here.
impl<H: Host> Hub<H> {
    /// One output of the feed, in its order.
    pub fn apply(&mut self, output: FeedOutput) {
        match output {
            FeedOutput::Change(change) => self.change(change),
            FeedOutput::State(report) => {
                if report.state.is_current() || matches!(report.state, ViewState::Past(_)) {
                    // The rows that came before go out with it.
                    self.tick();
                }
                self.status.set_report(report);
                self.subscribers.for_each(Subscriber::add_state);
            }
            FeedOutput::Proof(proof) => {
                self.status.set_proof(proof);
                if let Some(tap) = self.tap.as_mut().filter(|_| self.objects.is_loaded()) {
                    tap.proven(self.objects.resource_version(), proof);
                }
                self.mark_sync_due();
            }
        }
    }

    fn change(&mut self, change: Change) {
        if !self.is_dirty() {
            self.views.note_version(self.objects.resource_version());
        }
        let (now_ms, now_s) = (self.status.now_ms(), self.status.cluster_now_s());
        match change {
            Change::Columns(list) => {
                if self.objects.set_columns(Columns::new(list)) {
                    if let Some(tap) = &mut self.tap {
                        tap.columns(&self.objects.epoch().columns().list);
                    }
                    self.subscribers.for_each(Subscriber::add_subscribed);
                }
            }
            Change::Rewound => self.objects.rewind(),
            Change::ListStart => {
                self.objects.start_list();
                if let Some(tap) = &mut self.tap {
                    tap.list_begins();
                }
            }
            Change::Listed(object) => {
                let at = (now_ms, now_s, self.status.has_watched());
                let arrival = self.objects.arrive(object, &mut self.columns, at);
                self.arrived(arrival);
            }
            Change::ListEnd { resource_version, gap } => self.end_list(resource_version, gap),
            Change::ListAborted => self.objects.abort_list(),
            Change::Put(object) => {
                let version = object.row.resource_version.clone();
                let arrival = self.objects.arrive(object, &mut self.columns, (now_ms, now_s, true));
                self.arrived(arrival);
                self.objects.advance(version);
            }
            Change::Delete { id, resource_version } => {
                let touched = self.objects.delete::<H>(id, resource_version);
                touched.into_iter().for_each(|touched| self.touched(touched));
            }
            Change::Bookmark(version) => {
                let entry = Entry::of(EntryType::Bookmark, now_ms);
                self.log_for_all(&Entry { resource_version: Some(version.clone()), ..entry });
                self.objects.advance(version);
            }
            Change::Error(problem) => {
                let entry = Entry::of(EntryType::Error, now_ms);
                self.log_for_all(&Entry { problem: Some(problem), ..entry });
            }
            Change::LeftOut(left_out) => {
                self.left_out(left_out.object.clone());
                let touched = self.objects.leave_out::<H>(left_out);
                touched.into_iter().for_each(|touched| self.touched(touched));
            }
        }
    }

    fn arrived(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Quiet => {}
            Arrival::Touched(touched) => self.touched(touched),
            Arrival::LeftOut(object) => self.left_out(object),
        }
    }

    fn left_out(&mut self, object: Box<str>) {
        if let Some(tap) = &mut self.tap {
            tap.left_out(object);
        }
        self.subscribers.for_each(Subscriber::add_state);
    }

    /// An object changed. Each part that keeps something of changes is asked here, with the object before and now.
    fn touched(&mut self, touched: Touched) {
        if let Some(tap) = &mut self.tap {
            tap.touched(&touched, self.objects.store().get(touched.id));
        }
        let Touched { id, before, deleted_at, seen_by } = touched;
        let now = self.objects.store().get(id);
        if let Some(stored) = now
            && self.columns.note(id, &stored.custom, &stored.row)
        {
            let (columns, cells, row) = (&self.columns, &stored.custom, &stored.row);
            self.views.wait_where(|set| columns.is_lacking(Some(set), cells, row));
        }
        // A log begins after the first list, and so do events.
        if self.objects.is_loaded() && (!self.logs.is_empty() || self.views.want_events()) {
            let none = ResourceVersion::default();
            let version = deleted_at.as_ref().or(now.map(|stored| &stored.row.resource_version));
            let (managed, relisted) = match &seen_by {
                SeenBy::Event(told) => (&*told.managed.0, false),
                SeenBy::List => (&[][..], true),
            };
            let seen = Seen {
                before: before.as_ref(),
                now,
                managed,
                resource_version: version.unwrap_or(&none),
                time_ms: self.status.now_ms(),
                relisted,
            };
            self.logs.note(&seen);
            self.views.note(&seen, self.objects.store().sequence());
            self.bound_grown_logs();
        }
        self.views.touch(id, before);
    }

    fn end_list(&mut self, version: ResourceVersion, gap: Option<Gap>) {
        let (mut is_anew, was_loaded) = (false, self.objects.is_loaded());
        let mut unrecorded = gap.clone();
        match self.objects.end_list() {
            ListEnd::Shown => {}
            ListEnd::Differences(differences) => {
                if gap.is_some() || !differences.is_empty() {
                    self.log_gap(gap.as_ref());
                }
                let now_ms = self.status.now_ms();
                if was_loaded && !differences.is_empty() {
                    // Viewers of a kind that is polled expect no more than its lists. A record tells all that happened.
                    let (from_ms, reason) = (self.status.proven_ms(), Reason::Unproven);
                    unrecorded.get_or_insert(Gap { from_ms, to_ms: now_ms, reason });
                }
                for (id, listed) in differences.into_steps() {
                    let touched = self.objects.differ::<H>(id, listed, &version, now_ms);
                    touched.into_iter().for_each(|touched| self.touched(touched));
                }
                self.views.listed(&version);
            }
            ListEnd::NewEpoch(anew) => {
                self.log_gap(gap.as_ref());
                // Rows begin anew, logs go on: they tell what differs from the former epoch.
                if !self.logs.is_empty() {
                    for (before, now) in anew.differences(&self.objects) {
                        let none = ResourceVersion::default();
                        let version = now.map_or(&none, |stored| &stored.row.resource_version);
                        self.logs.note(&Seen {
                            before,
                            now,
                            managed: &[],
                            resource_version: version,
                            time_ms: self.status.now_ms(),
                            relisted: true,
                        });
                        if self.logs.have_grown() {
                            bound(&mut self.logs, &mut self.views, &self.subscribers);
                        }
                    }
                }
                is_anew = true;
                self.objects.begin_anew(anew);
                self.views.begin_anew(&self.objects);
                self.look_for_unread();
                self.subscribers.begin_anew(self.views.head());
            }
        }
        self.objects.finish_list(version);
        if let Some(tap) = &mut self.tap {
            if is_anew {
                // What happened between the two histories, or until the list with other columns, no watch told.
                tap.all(&self.objects, Why::Missed(Reason::Expired));
            } else if !was_loaded {
                tap.loaded(self.objects.resource_version());
            }
            unrecorded.iter().for_each(|gap| tap.missed(gap));
        }
        if let Some(gap) = gap {
            self.counts.gaps += 1;
            self.views.note_gap(self.objects.store().sequence(), gap);
        }
    }

    fn log_for_all(&mut self, entry: &Entry) {
        self.logs.note_for_all(entry);
        self.bound_grown_logs();
    }

    fn log_gap(&mut self, gap: Option<&Gap>) {
        self.logs.note_gap(gap, self.status.proven_ms(), self.status.now_ms());
        self.bound_grown_logs();
    }

    fn bound_grown_logs(&mut self) {
        if self.logs.have_grown() {
            bound(&mut self.logs, &mut self.views, &self.subscribers);
        }
    }

    /// Seals what changed since the last tick into one frame for each view.
    pub fn tick(&mut self) {
        self.logs.mark_told();
        if let Some(quiet) = self.views.seal(&self.objects, self.status.now_ms()) {
            self.subscribers.step_over(&quiet);
            self.find_waiting();
        }
    }

    /// At a head: continues the subscribers whose position is known by now.
    fn find_waiting(&mut self) {
        if self.has_waiting() {
            let (subscribers, sources, counts) = self.split();
            subscribers.find_waiting(&sources, counts);
        }
    }

    /// Begins all waiting subscribers anew: the watch had enough time to bring what they hold.
    pub fn give_up_waiting(&mut self) {
        self.subscribers.give_up_waiting(self.views.head(), &mut self.counts);
    }

    /// The next delivery of every subscriber ends with a `sync`.
    pub fn mark_sync_due(&mut self) {
        if self.objects.is_loaded() && !self.is_dirty() {
            self.views.move_to_head(self.objects.resource_version());
        }
        let now_ms = self.status.now_ms();
        for view in self.logs.drop_idle(now_ms) {
            self.views.remove(view);
        }
        bound(&mut self.logs, &mut self.views, &self.subscribers);
        if self.columns.forget_idle(now_ms) {
            self.objects.forget_unknown_cells(&self.columns);
        }
        self.subscribers.for_each(Subscriber::add_sync);
    }
}

/// What subscribers ask.
impl<H: Host> Hub<H> {
    /// Opens a subscription; it has something to pull at once.
    pub fn subscribe(&mut self, open: Open<H::Session>) {
        // A subscriber may not stand between two ticks.
        self.tick();
        let view = self.enter_view(&open.request, open.fresh_view, open.is_second);
        let key = open.key;
        let (subscribers, sources, counts) = self.split();
        subscribers.open(open, view, &sources, counts);
        if self.subscribers.get(key).is_some_and(|it| it.timeline().or_else(|| it.event_reader()).is_some()) {
            bound(&mut self.logs, &mut self.views, &self.subscribers);
        }
        self.subscribers.notify();
    }

    /// The view of a request, which is opened if there is none.
    fn enter_view(
        &mut self,
        request: &Arc<SubscriptionRequest>,
        fresh: ViewId,
        is_second: bool,
    ) -> Result<ViewId, Problem> {
        let known = if is_second { None } else { self.views.find(request) };
        let view = match known {
            Some(known) => known,
            None => self.open_view(Arc::clone(request), fresh)?,
        };
        self.views.enter(view);
        self.logs.join(view);
        Ok(view)
    }

    fn open_view(&mut self, request: Arc<SubscriptionRequest>, fresh: ViewId) -> Result<ViewId, Problem> {
        let set = request.columns_asked().map(|asked| self.columns.enter(asked)).transpose()?;
        self.views.open(fresh, Arc::clone(&request), set, &self.objects);
        if self.views.get(fresh).is_some_and(|view| view.is_timeline()) {
            let epoch = format!("{}.{fresh}", self.objects.epoch().name_in(&request));
            self.logs.open(fresh, request, epoch.into(), self.objects.store());
        }
        self.look_for_unread();
        Ok(fresh)
    }

    pub fn unsubscribe(&mut self, key: SubscriberKey) {
        let Some(subscriber) = self.subscribers.remove(key) else { return };
        let Some(view) = self.views.leave(subscriber.view()) else { return };
        let now_ms = self.status.now_ms();
        if view.is_timeline() {
            self.logs.leave(subscriber.view(), now_ms);
        } else {
            if let Some(set) = view.set() {
                self.columns.leave(set, now_ms);
            }
            self.views.remove(subscriber.view());
        }
    }

    /// The next messages of one subscriber. `None`: it isn't one of this hub.
    pub fn pull(&mut self, key: SubscriberKey) -> Option<Delivery> {
        let (subscribers, sources, _) = self.split();
        if subscribers.get(key)?.needs_tick(&sources) {
            self.tick();
        }
        let (subscribers, mut sources, _) = self.split();
        subscribers.pull(key, &mut sources)
    }

    #[cfg(test)]
    pub(super) fn log_bytes(&self) -> usize {
        self.logs.byte_count()
    }

    #[cfg(test)]
    pub(super) fn event_bytes(&self) -> usize {
        self.views.event_bytes()
    }

    #[cfg(test)]
    pub(super) fn log_count(&self) -> usize {
        self.logs.count()
    }
}

/// Cuts the logs and the events to what their readers may keep. A view whose log was dropped ends with it.
fn bound<H: Host>(logs: &mut Logs, views: &mut Views, subscribers: &Subscribers<H>) {
    views.bound_events(&logs.event_shares(subscribers.event_readers()));
    for view in logs.bound(subscribers.timelines()) {
        views.remove(view);
    }
}
