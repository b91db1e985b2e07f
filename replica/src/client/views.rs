//! The views of a client, each with its subscription: which there are, when each is asked for, and what the frames of the
//! gateway do to them.

use litemap::LiteMap;
use shared::custom_column::CustomColumns;
use shared::frame::client::{ClientFrame, Projection, Retry, SubscriptionId};
use shared::frame::server::{ObjectFrame, Rows, StateFrame, Subscribed, Sync, TimelineFrame, ViewId};
use shared::problem::{Problem, Reason};
use shared::row::RowId;
use shared::scope::{Namespaces, Scope};
use shared::state::{UnixMillis, ViewState, Whom};

use super::any_view::AnyView;
use super::part::Part;
use super::requests::Sender;
use super::{Output, ViewKey};
use crate::now::Now;
use crate::observer::RowObserver;
use crate::subscription::{Phase, Subscription};
use crate::table::{Slot, Table};
use crate::view::View;
use parts::is_refused_as_a_whole;

mod parts;

/// Every view, and every part of one under a key of its own. `parts` splits views and merges their parts.
#[derive(Debug)]
pub(super) struct Views<O> {
    by_key: LiteMap<ViewKey, AnyView<O>>,
    next: u32,
}

impl<O> Default for Views<O> {
    fn default() -> Self {
        Self { by_key: LiteMap::new(), next: 1 }
    }
}

impl<O: RowObserver> Views<O> {
    pub(super) fn get(&self, key: ViewKey) -> Option<&AnyView<O>> {
        self.by_key.get(&key)
    }

    pub(super) fn get_mut(&mut self, key: ViewKey) -> Option<&mut AnyView<O>> {
        self.by_key.get_mut(&key)
    }

    pub(super) fn table(&self, key: ViewKey) -> Option<&View<O>> {
        match self.by_key.get(&key)? {
            AnyView::Rows(view) => Some(view),
            _ => None,
        }
    }

    pub(super) fn table_mut(&mut self, key: ViewKey) -> Option<&mut View<O>> {
        match self.by_key.get_mut(&key)? {
            AnyView::Rows(view) => Some(view),
            _ => None,
        }
    }

    pub(super) fn tables(&self) -> impl Iterator<Item = (ViewKey, &View<O>)> {
        self.by_key.iter().filter_map(|(key, view)| match view {
            AnyView::Rows(view) => Some((*key, &**view)),
            _ => None,
        })
    }

    pub(super) fn part(&self, key: ViewKey) -> Option<&Part> {
        match self.by_key.get(&key)? {
            AnyView::Part(part) => Some(part),
            _ => None,
        }
    }

    /// The subscription of a view of rows, or of a part of one.
    pub(super) fn rows_of(&self, key: ViewKey) -> Option<&Subscription> {
        match self.by_key.get(&key)? {
            AnyView::Rows(view) => Some(view.subscription()),
            AnyView::Part(part) => Some(&part.source.subscription),
            _ => None,
        }
    }

    /// The view to which a part belongs; any other view itself.
    pub(super) fn whole_of(&self, key: ViewKey) -> ViewKey {
        self.by_key.get(&key).and_then(AnyView::whole).unwrap_or(key)
    }

    pub(super) fn keys(&self, wanted: impl Fn(&Subscription) -> bool) -> Vec<ViewKey> {
        self.by_key.iter().filter(|(_, view)| wanted(view.subscription())).map(|(key, _)| *key).collect()
    }

    /// The view that a frame is for.
    fn receiver(&mut self, view: ViewId) -> Option<(ViewKey, &mut AnyView<O>)> {
        self.find(|subscription| subscription.phase.receives(view))
    }

    /// The view that has this number on the wire.
    fn of_wire_id(&mut self, id: SubscriptionId) -> Option<(ViewKey, &mut AnyView<O>)> {
        self.find(|subscription| subscription.phase.wire_id() == Some(id))
    }

    fn find(&mut self, wanted: impl Fn(&Subscription) -> bool) -> Option<(ViewKey, &mut AnyView<O>)> {
        self.by_key.iter_mut().find(|(_, view)| wanted(view.subscription())).map(|(key, view)| (*key, view))
    }

    /// Opens a view, and each of its clusters where they are several. What is open already is the same view.
    pub(super) fn open(&mut self, view: AnyView<O>, now: Now, sender: &mut Sender<'_>) -> ViewKey {
        let mut open = self.by_key.iter().filter(|(_, view)| view.whole().is_none());
        let known = open.find(|(_, open)| open.subscription().is_same_request(view.subscription()));
        let known = known.map(|(key, _)| *key);
        let key = known.unwrap_or_else(|| self.add(view, sender));
        self.split_into_clusters(key, now, sender);
        key
    }

    fn add(&mut self, mut view: AnyView<O>, sender: &mut Sender<'_>) -> ViewKey {
        let key = ViewKey(self.next);
        self.next += 1;
        // Each of several clusters is asked for by itself.
        if view.subscription().clusters.is_empty() && sender.may_ask() {
            view.ask(sender);
        }
        self.by_key.insert(key, view);
        key
    }

    pub(super) fn close(&mut self, key: ViewKey, sender: &mut Sender<'_>) {
        let Some(view) = self.by_key.remove(&key) else { return };
        for part in view.subscription().phase.parts() {
            self.close(*part, sender);
        }
        let subscription = view.subscription();
        for id in subscription.phase.wire_id().into_iter().chain(subscription.phase.of_all()) {
            sender.unsubscribe(id, false);
        }
    }

    pub(super) fn set_columns(&mut self, key: ViewKey, columns: &CustomColumns, sender: &mut Sender<'_>) {
        let Some(view) = self.by_key.get(&key) else { return };
        if view.subscription().columns == *columns {
            return;
        }
        let parts = view.subscription().phase.parts().to_vec();
        for part in parts {
            self.set_columns(part, columns, sender);
        }
        if let Some(view) = self.by_key.get_mut(&key) {
            view.set_columns(columns, sender);
        }
    }

    /// `is_step`: what changes is marked as such.
    pub(super) fn set_at(
        &mut self,
        key: ViewKey,
        (at_ms, is_step): (Option<UnixMillis>, bool),
        now: Now,
        sender: &mut Sender<'_>,
    ) {
        let Some(view) = self.by_key.get(&key) else { return };
        if view.subscription().at_ms == at_ms {
            return;
        }
        let parts = view.subscription().phase.parts().to_vec();
        for part in parts {
            self.set_at(part, (at_ms, is_step), now, sender);
        }
        if let Some(view) = self.by_key.get_mut(&key) {
            view.set_at(at_ms, is_step, now, sender);
        }
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut AnyView<O>> {
        self.by_key.iter_mut().map(|(_, view)| view)
    }

    /// On a new connection, and when the page is visible again.
    pub(super) fn ask_all(&mut self, now: Now, sender: &mut Sender<'_>) {
        for view in self.all_mut().filter(|view| view.subscription().phase.is_unasked()) {
            if view.subscription().proof.is_none() && !view.holds_something() {
                view.subscription_mut().asked_ms = now.now_ms;
            }
            view.ask(sender);
        }
    }

    /// Asks again for what was not served: it may be served now.
    pub(super) fn ask_unknown(&mut self, sender: &mut Sender<'_>) {
        let is_unknown = |problem: &Problem| matches!(problem.reason, Reason::NotFound | Reason::Gone);
        for view in self.all_mut().filter(|view| view.subscription().ended().is_some_and(is_unknown)) {
            view.ask(sender);
        }
    }

    /// The views whose time has come to begin again.
    pub(super) fn ask_due(&mut self, now: Now, sender: &mut Sender<'_>) {
        if !sender.is_open() {
            return;
        }
        let is_due = |phase: &Phase| matches!(phase, Phase::Resyncing { at_ms } if *at_ms <= now.now_ms);
        for view in self.all_mut().filter(|view| is_due(&view.subscription().phase)) {
            view.subscription_mut().resyncs.last_ms = Some(now.now_ms);
            view.ask(sender);
        }
    }

    /// When [`Views::ask_due`] has something to do.
    pub(super) fn timer_ms(&self) -> Option<UnixMillis> {
        let due = self.by_key.values().filter_map(|view| match view.subscription().phase {
            Phase::Resyncing { at_ms } => Some(at_ms),
            _ => None,
        });
        due.min()
    }

    /// "Try now": the upstreams that wait for their next try, and what the gateway had refused.
    pub(super) fn retry(&mut self, sender: &mut Sender<'_>) {
        for view in self.all_mut() {
            if view.subscription().ended().is_some() {
                view.subscription_mut().phase = Phase::Unasked;
            }
        }
        if !sender.is_open() {
            return;
        }
        let waits = |subscription: &Subscription| {
            subscription
                .state()
                .is_some_and(|state| !state.is_current() && !matches!(state, ViewState::Past(_)))
        };
        let subscriptions = self.by_key.values().map(AnyView::subscription).filter(|it| waits(it));
        for id in subscriptions.filter_map(|subscription| subscription.phase.wire_id()) {
            sender.send(ClientFrame::Retry(Retry { id }));
        }
    }

    /// Everything is given back; the rows and their tokens stay.
    pub(super) fn park(&mut self, sender: &mut Sender<'_>) {
        let mut open = Vec::new();
        for view in self.all_mut() {
            open.extend(view.subscription_mut().phase.give_back_of_all());
        }
        for (key, view) in self.by_key.iter_mut().filter(|(_, view)| !view.is_split()) {
            open.extend(view.subscription().phase.wire_id());
            view.subscription_mut().park();
            view.detach();
            sender.say(Output::View(*key));
        }
        for id in open {
            sender.unsubscribe(id, false);
        }
    }

    /// The connection is gone: nothing applies before the answers on the next one.
    pub(super) fn disconnected(&mut self, sender: &mut Sender<'_>) {
        for view in self.all_mut() {
            view.subscription_mut().phase.give_back_of_all();
        }
        for (key, view) in self.by_key.iter_mut().filter(|(_, view)| !view.is_split()) {
            view.subscription_mut().disconnected();
            view.detach();
            sender.say(Output::View(*key));
        }
    }
}

/// What the frames of the gateway do to the views that they are for: they are granted, move by rows, begin again where a
/// chain broke or digests differ, and drop what their viewer may not see any more.
///
/// What is dropped leaves without tombstones. When a right ends, that is what came by it. When the gateway shows less than
/// before, or masks more, it is everything that the client holds, whether it is subscribed to, given back or ended; the
/// gateway answers open subscriptions anew by itself.
impl<O: RowObserver> Views<O> {
    /// `ahead_ms`: of the gateway's clock.
    pub(super) fn subscribed(
        &mut self,
        answer: &Subscribed,
        ahead_ms: i64,
        now: Now,
        sender: &mut Sender<'_>,
    ) {
        if self.takes_as_split(answer, now, sender) {
            return;
        }
        let Some((key, _)) = self.of_wire_id(answer.id) else { return };
        let whole = self.whole_of(key);
        let holds_something = self.get(whole).is_some_and(AnyView::holds_something);
        let Some(view) = self.get_mut(key) else { return };
        let granted = &answer.scope.namespaces;
        let is_same_feed = view.token().is_none_or(|token| token.epoch == answer.epoch);
        let counts = view.table().filter(|_| *granted != Namespaces::All).map(Table::namespace_counts);
        let subscription = view.subscription_mut();
        subscription.phase = Phase::Subscribed { id: answer.id, view: answer.view };
        subscription.told(&answer.state, ahead_ms, now.now_ms);
        subscription.origin.answered(answer.at.is_some() && is_same_feed);
        let is_less = subscription.grant(granted, &counts.unwrap_or_default(), now.now_ms);
        view.subscribed(answer);
        if is_withdrawal(answer) && view.holds_something() {
            self.purge_view(key, now, sender);
        } else if is_less && holds_something {
            sender.say(Output::Purged(whole));
        }
        sender.say(Output::View(key));
    }

    pub(super) fn rows(&mut self, mut frame: Rows, now: Now, sender: &mut Sender<'_>) {
        let Some((key, view)) = self.receiver(frame.view) else { return };
        if !frame.more {
            frame.gap = view.subscription_mut().cut(frame.gap, now.now_ms);
        }
        let applied = match view {
            AnyView::Rows(view) => view.apply(frame, now.now_ms).map(|delta| Some((key, delta))),
            AnyView::Part(part) => {
                let whole = part.view;
                let changes = part.apply(frame, now.now_ms);
                changes.map(|changes| Some((whole, self.apply_changes(whole, changes?, now)?)))
            }
            AnyView::Object(_) | AnyView::Timeline(_) | AnyView::LogPart(_) => return,
        };
        match applied {
            Ok(Some((key, delta))) => sender.say(Output::Rows(key, Box::new(delta))),
            Ok(None) => {}
            Err(_) => self.broken(key, now, sender),
        }
    }

    pub(super) fn object(&mut self, mut frame: ObjectFrame, now: Now, sender: &mut Sender<'_>) {
        let Some((key, AnyView::Object(view))) = self.receiver(frame.view) else { return };
        frame.gap = view.subscription.cut(frame.gap, now.now_ms);
        match view.apply(frame, now.now_ms) {
            Ok(()) => sender.say(Output::Object(key)),
            Err(_) => self.broken(key, now, sender),
        }
    }

    pub(super) fn timeline(&mut self, frame: TimelineFrame, now: Now, sender: &mut Sender<'_>) {
        let Some((key, view)) = self.receiver(frame.view) else { return };
        let applied = match view {
            AnyView::Timeline(log) => log.apply(frame),
            AnyView::LogPart(part) => part.log.apply(frame),
            AnyView::Rows(_) | AnyView::Part(_) | AnyView::Object(_) => return,
        };
        match applied {
            Ok(count) => {
                self.take_entries(key);
                sender.say(Output::Timeline(self.whole_of(key), count));
            }
            Err(_) => self.broken(key, now, sender),
        }
    }

    /// A message that couldn't be read may have been for any view.
    pub(super) fn all_broken(&mut self, now: Now, sender: &mut Sender<'_>) {
        for key in self.keys(|subscription| subscription.phase.wire_id().is_some()) {
            self.broken(key, now, sender);
        }
    }

    fn broken(&mut self, key: ViewKey, now: Now, sender: &mut Sender<'_>) {
        if let Some(view) = self.get_mut(key) {
            view.subscription_mut().resyncs.broken += 1;
            view.begin_again(false, now, sender);
        }
        self.ask_due(now, sender);
    }

    /// `said_ms`: when the gateway said it, by the viewer's clock.
    pub(super) fn sync(&mut self, sync: &Sync, said_ms: UnixMillis, now: Now, sender: &mut Sender<'_>) {
        let Some((key, view)) = self.receiver(sync.view) else { return };
        if view.position().is_some_and(|position| position != sync.at) {
            // Frames between the two positions were missed, and perhaps no later frame shows it.
            return self.broken(key, now, sender);
        }
        let digest = sync.digest.as_deref();
        let agrees = digest.zip(view.table()).and_then(|(digest, table)| table.agrees(sync.at, digest));
        view.subscription_mut().sync(sync, said_ms);
        view.subscription_mut().compared(agrees, now.now_ms);
        if agrees == Some(false) {
            view.drop_token();
            view.begin_again(true, now, sender);
            self.ask_due(now, sender);
        }
        sender.say(Output::View(key));
    }

    /// `ahead_ms`: of the gateway's clock.
    pub(super) fn state(&mut self, frame: &StateFrame, ahead_ms: i64, now: Now, sender: &mut Sender<'_>) {
        for (key, view) in self.by_key.iter_mut() {
            if view.subscription().phase.receives(frame.view) {
                view.subscription_mut().told(&frame.report, ahead_ms, now.now_ms);
                sender.say(Output::View(*key));
            }
        }
    }

    /// The gateway ended the subscription that has this number.
    pub(super) fn ended(&mut self, id: SubscriptionId, problem: Problem, now: Now, sender: &mut Sender<'_>) {
        self.join(id, now, sender);
        let Some((key, view)) = self.of_wire_id(id) else { return };
        view.detach();
        view.subscription_mut().phase = Phase::Ended { problem, at_ms: now.now_ms };
        let goes_on = matches!(view, AnyView::Rows(_)) && is_refused_as_a_whole(view.subscription());
        sender.say(if goes_on { Output::View(key) } else { Output::Ended(key) });
    }

    /// The gateway shows less than before, or masks more.
    pub(super) fn purge(&mut self, now: Now, sender: &mut Sender<'_>) {
        for key in self.keys(|_| true) {
            if let Some(AnyView::Part(part)) = self.get_mut(key) {
                part.purge();
            }
            self.purge_view(key, now, sender);
        }
    }

    /// Also where the right ends by which its viewer saw it.
    fn purge_view(&mut self, key: ViewKey, now: Now, sender: &mut Sender<'_>) {
        match self.get_mut(key) {
            Some(AnyView::Rows(_)) => self.purge_rows(key, now, sender),
            Some(AnyView::Object(view)) => view.purge(),
            Some(AnyView::Timeline(view)) => view.clear(),
            Some(AnyView::Part(_)) => self.empty_part(key, now, sender),
            // Its entries stand among those of the other clusters, and their numbers may not change.
            Some(AnyView::LogPart(part)) => {
                let whole = part.view;
                if let Some(AnyView::Timeline(log)) = self.get_mut(whole) {
                    log.clear();
                }
            }
            None => {}
        }
        // The chain of a split view is its own: its parts have those of the gateway.
        if let Some(view) = self.get_mut(key).filter(|view| !view.is_split()) {
            view.detach();
            view.drop_token();
            begin_anew(view.subscription_mut(), now);
        }
        sender.say(Output::Purged(self.whole_of(key)));
    }

    fn purge_rows(&mut self, key: ViewKey, now: Now, sender: &mut Sender<'_>) {
        let Some(view) = self.table_mut(key) else { return };
        let columns = view.table().own_columns().clone();
        view.table_mut().begin_anew(columns);
        self.replace_rows(key, Rows::default(), now, sender);
        let Some(view) = self.table_mut(key) else { return };
        let tombstones: Vec<Slot> = view.table().iter().map(|(slot, _)| slot).collect();
        view.remove_tombstones(&tombstones);
        view.table_mut().forget_cut();
    }
}

/// The answer to a subscription that the gateway opens at no feed, for no cluster, because its viewer may not see it any
/// more. A view that is stale, or whose feed is refused, keeps what was seen last.
fn is_withdrawal(answer: &Subscribed) -> bool {
    answer.cluster.is_empty() && answer.state.state == ViewState::Forbidden { to: Whom::You }
}

/// What was proven is gone, and what was hidden may be shown now.
fn begin_anew(subscription: &mut Subscription, now: Now) {
    subscription.begin_anew(now.now_ms);
    if subscription.ended().is_some_and(|problem| problem.reason == Reason::Hidden) {
        subscription.phase = Phase::Unasked;
    }
}

pub(super) fn timeline(scope: Scope, row: Option<RowId>, now: Now) -> Subscription {
    Subscription {
        projection: Projection::Timeline,
        row,
        earlier: row.is_none(),
        ..Subscription::new(scope, now.now_ms)
    }
}
