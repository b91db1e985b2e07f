//! The subscriptions of a client over one connection after another: asking with tokens, beginning again
//! where a chain broke or digests differ, giving back while hidden. The link is the connection's.

use shared::frame::client::{ClientFrame, Retry, Subscribe, SubscriptionId, Unsubscribe};
use shared::frame::server::{ObjectFrame, Rows, StateFrame, Subscribed, Sync, TimelineFrame, ViewId};
use shared::problem::{Problem, Reason};
use shared::scope::Namespaces;

use super::any_view::AnyView;
use super::parts::is_refused_as_a_whole;
use super::purge::is_withdrawal;
use super::{Client, Output, ViewKey};
use crate::limits::RESYNC_INTERVAL_MS;
use crate::now::Now;
use crate::observer::RowObserver;
use crate::subscription::{OfAll, Phase, Subscription};
use crate::table::Table;

impl<O: RowObserver> Client<O> {
    pub(super) fn keys(&self, wanted: impl Fn(&Subscription) -> bool) -> Vec<ViewKey> {
        self.views.iter().filter(|(_, view)| wanted(view.subscription())).map(|(key, _)| *key).collect()
    }

    /// The view that a frame is for.
    fn receiver(&mut self, view: ViewId) -> Option<(ViewKey, &mut AnyView<O>)> {
        self.find(|subscription| subscription.receives(view))
    }

    /// The view that has this number on the wire.
    fn of_wire_id(&mut self, id: SubscriptionId) -> Option<(ViewKey, &mut AnyView<O>)> {
        self.find(|subscription| subscription.wire_id() == Some(id))
    }

    fn find(&mut self, wanted: impl Fn(&Subscription) -> bool) -> Option<(ViewKey, &mut AnyView<O>)> {
        self.views.iter_mut().find(|(_, view)| wanted(view.subscription())).map(|(key, view)| (*key, view))
    }

    pub(super) fn subscribe_all(&mut self, now: Now) {
        for key in self.keys(Subscription::is_unasked) {
            if let Some(view) = self.views.get_mut(&key)
                && view.subscription().proof.is_none()
            {
                view.subscription_mut().asked_ms = now.now_ms;
            }
            self.subscribe(key);
        }
    }

    /// Each try has a number of its own, so that an answer to an earlier one isn't taken for this one's.
    pub(super) fn subscribe(&mut self, key: ViewKey) {
        let id = self.new_id();
        let Some(view) = self.views.get_mut(&key) else { return };
        let token = if view.is_split() { None } else { view.token().cloned() };
        let subscription = view.subscription_mut();
        match &mut subscription.phase {
            Phase::Split { of_all, .. } => *of_all = OfAll::Asked { id },
            phase => *phase = Phase::Asked { id },
        }
        let frame = Subscribe {
            id,
            scope: subscription.scope.clone(),
            projection: subscription.projection,
            row: subscription.row,
            columns: subscription.columns.clone(),
            rows: subscription.rows,
            earlier: subscription.earlier && token.is_none(),
            token,
        };
        self.outputs.push_back(Output::Send(ClientFrame::Subscribe(Box::new(frame))));
    }

    /// `differed`: because the rows aren't the gateway's.
    pub(super) fn unsubscribe(&mut self, id: SubscriptionId, differed: bool) {
        if self.connection.is_open() {
            self.outputs.push_back(Output::Send(ClientFrame::Unsubscribe(Unsubscribe { id, differed })));
        }
    }

    pub(super) fn subscribed(&mut self, answer: &Subscribed, now: Now) {
        if self.takes_as_split(answer, now) {
            return;
        }
        let Some((key, _)) = self.of_wire_id(answer.id) else { return };
        let whole = self.whole_of(key);
        let holds_something = self.views.get(&whole).is_some_and(AnyView::holds_something);
        let Some(view) = self.views.get_mut(&key) else { return };
        let granted = &answer.scope.namespaces;
        let counts = view.table().filter(|_| *granted != Namespaces::All).map(Table::namespace_counts);
        let subscription = view.subscription_mut();
        subscription.phase = Phase::Subscribed { id: answer.id, view: answer.view };
        subscription.report = Some(answer.state.clone());
        let is_less = subscription.grant(granted, &counts.unwrap_or_default(), now.now_ms);
        view.subscribed(answer);
        if is_withdrawal(answer) && view.holds_something() {
            self.purge_view(key, now);
        } else if is_less && holds_something {
            self.outputs.push_back(Output::Purged(whole));
        }
        self.outputs.push_back(Output::View(key));
    }

    pub(super) fn rows(&mut self, frame: Rows, now: Now) {
        let Some((key, view)) = self.receiver(frame.view) else { return };
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
            Ok(applied) => {
                self.outputs.extend(applied.map(|(key, delta)| Output::Rows(key, Box::new(delta))));
            }
            Err(_) => self.broken(key, now),
        }
    }

    pub(super) fn object_frame(&mut self, frame: ObjectFrame, now: Now) {
        if let Some(id) = frame.id {
            if self.gets.remove(&id) {
                self.outputs.push_back(Output::Got(id, Ok(Box::new(frame))));
            }
            return;
        }
        let Some((key, AnyView::Object(view))) = self.receiver(frame.view) else { return };
        match view.apply(frame, now.now_ms) {
            Ok(()) => self.outputs.push_back(Output::Object(key)),
            Err(_) => self.broken(key, now),
        }
    }

    pub(super) fn timeline_frame(&mut self, frame: TimelineFrame, now: Now) {
        let Some((key, view)) = self.receiver(frame.view) else { return };
        let applied = match view {
            AnyView::Timeline(log) => log.apply(frame),
            AnyView::LogPart(part) => part.log.apply(frame),
            AnyView::Rows(_) | AnyView::Part(_) | AnyView::Object(_) => return,
        };
        match applied {
            Ok(count) => {
                self.take_entries(key);
                self.outputs.push_back(Output::Timeline(self.whole_of(key), count));
            }
            Err(_) => self.broken(key, now),
        }
    }

    pub(super) fn broken(&mut self, key: ViewKey, now: Now) {
        if let Some(view) = self.views.get_mut(&key) {
            view.subscription_mut().resyncs.broken += 1;
        }
        self.resync(key, false, now);
    }

    pub(super) fn sync(&mut self, sync: &Sync, now: Now) {
        self.connection.spread(sync.spread_ms);
        let said_ms = now.now_ms.saturating_sub(self.clock_offset.learn(sync.now_ms, now.now_ms));
        let Some((key, view)) = self.receiver(sync.view) else { return };
        if view.position().is_some_and(|position| position != sync.at) {
            // Frames between the two positions were missed, and perhaps no later frame shows it.
            return self.broken(key, now);
        }
        let digest = sync.digest.as_deref();
        let agrees = digest.zip(view.table()).and_then(|(digest, table)| table.agrees(sync.at, digest));
        view.subscription_mut().sync(sync, said_ms);
        view.subscription_mut().compared(agrees, now.now_ms);
        if agrees == Some(false) {
            view.drop_token();
            self.resync(key, true, now);
        }
        self.outputs.push_back(Output::View(key));
    }

    /// Begins again, the first time at once and later not too often.
    fn resync(&mut self, key: ViewKey, differed: bool, now: Now) {
        let Some(view) = self.views.get_mut(&key) else { return };
        let open = view.subscription().wire_id();
        view.detach();
        let last_ms = view.subscription().resyncs.last_ms;
        let at_ms = last_ms.map_or(now.now_ms, |last| (last + RESYNC_INTERVAL_MS).max(now.now_ms));
        view.subscription_mut().phase = Phase::Resyncing { at_ms };
        if let Some(id) = open {
            self.unsubscribe(id, differed);
        }
        self.resync_due(now);
    }

    pub(super) fn resync_due(&mut self, now: Now) {
        if !self.connection.is_open() {
            return;
        }
        let is_due = |phase: &Phase| matches!(phase, Phase::Resyncing { at_ms } if *at_ms <= now.now_ms);
        for key in self.keys(|subscription| is_due(&subscription.phase)) {
            if let Some(view) = self.views.get_mut(&key) {
                view.subscription_mut().resyncs.last_ms = Some(now.now_ms);
            }
            self.subscribe(key);
        }
    }

    pub(super) fn state(&mut self, frame: &StateFrame) {
        for key in self.keys(|subscription| subscription.receives(frame.view)) {
            if let Some(view) = self.views.get_mut(&key) {
                view.subscription_mut().report = Some(frame.report.clone());
            }
            self.outputs.push_back(Output::View(key));
        }
    }

    pub(super) fn ended(&mut self, id: SubscriptionId, problem: Problem, now: Now) {
        if self.gets.remove(&id) {
            self.outputs.push_back(Output::Got(id, Err(problem)));
            return;
        }
        self.join(id, now);
        let Some((key, view)) = self.of_wire_id(id) else { return };
        view.detach();
        view.subscription_mut().phase = Phase::Ended { problem, at_ms: now.now_ms };
        let goes_on = matches!(view, AnyView::Rows(_)) && is_refused_as_a_whole(view.subscription());
        self.outputs.push_back(if goes_on { Output::View(key) } else { Output::Ended(key) });
    }

    /// A resource that wasn't served may be served now.
    pub(super) fn subscribe_unknown(&mut self) {
        let is_unknown = |problem: &Problem| matches!(problem.reason, Reason::NotFound | Reason::Gone);
        for key in self.keys(|subscription| subscription.ended().is_some_and(is_unknown)) {
            self.subscribe(key);
        }
    }

    /// "Try now": the upstreams that wait for their next try, and what the gateway had refused.
    pub(super) fn retry_upstreams(&mut self) {
        for view in self.views.values_mut() {
            if view.subscription().ended().is_some() {
                view.subscription_mut().phase = Phase::Unasked;
            }
        }
        if !self.connection.is_open() {
            return;
        }
        let waits =
            |subscription: &Subscription| subscription.state().is_some_and(|state| !state.is_current());
        let subscriptions = self.views.values().map(AnyView::subscription).filter(|it| waits(it));
        for id in subscriptions.filter_map(Subscription::wire_id) {
            self.outputs.push_back(Output::Send(ClientFrame::Retry(Retry { id })));
        }
    }

    /// Everything is given back; the rows and their tokens stay.
    pub(super) fn park_all(&mut self) {
        let mut open = Vec::new();
        for view in self.views.values_mut() {
            open.extend(view.subscription_mut().give_back_of_all());
        }
        for (key, view) in self.views.iter_mut().filter(|(_, view)| !view.is_split()) {
            open.extend(view.subscription().wire_id());
            view.subscription_mut().park();
            view.detach();
            self.outputs.push_back(Output::View(*key));
        }
        for id in open {
            self.unsubscribe(id, false);
        }
    }
}
