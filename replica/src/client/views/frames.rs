//! What the frames of the gateway do to the views that they are for: they are granted, move by rows, begin again where a
//! chain broke or digests differ, and drop what their viewer may not see any more.
//!
//! What is dropped leaves without tombstones. When a right ends, that is what came by it. When the gateway shows less than
//! before, or masks more, it is everything that the client holds, whether it is subscribed to, given back or ended; the
//! gateway answers open subscriptions anew by itself.

use shared::frame::client::SubscriptionId;
use shared::frame::server::{ObjectFrame, Rows, StateFrame, Subscribed, Sync, TimelineFrame};
use shared::problem::{Problem, Reason};
use shared::scope::Namespaces;
use shared::state::{UnixMillis, ViewState, Whom};

use super::parts::is_refused_as_a_whole;
use super::{AnyView, Output, Sender, ViewKey, Views};
use crate::now::Now;
use crate::observer::RowObserver;
use crate::subscription::{Phase, Subscription};
use crate::table::{Slot, Table};

impl<O: RowObserver> Views<O> {
    pub(in crate::client) fn subscribed(&mut self, answer: &Subscribed, now: Now, sender: &mut Sender<'_>) {
        if self.takes_as_split(answer, now, sender) {
            return;
        }
        let Some((key, _)) = self.of_wire_id(answer.id) else { return };
        let whole = self.whole_of(key);
        let holds_something = self.get(whole).is_some_and(AnyView::holds_something);
        let Some(view) = self.get_mut(key) else { return };
        let granted = &answer.scope.namespaces;
        let counts = view.table().filter(|_| *granted != Namespaces::All).map(Table::namespace_counts);
        let subscription = view.subscription_mut();
        subscription.phase = Phase::Subscribed { id: answer.id, view: answer.view };
        subscription.report = Some(answer.state.clone());
        let is_less = subscription.grant(granted, &counts.unwrap_or_default(), now.now_ms);
        view.subscribed(answer);
        if is_withdrawal(answer) && view.holds_something() {
            self.purge_view(key, now, sender);
        } else if is_less && holds_something {
            sender.say(Output::Purged(whole));
        }
        sender.say(Output::View(key));
    }

    pub(in crate::client) fn rows(&mut self, frame: Rows, now: Now, sender: &mut Sender<'_>) {
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
            Ok(Some((key, delta))) => sender.say(Output::Rows(key, Box::new(delta))),
            Ok(None) => {}
            Err(_) => self.broken(key, now, sender),
        }
    }

    pub(in crate::client) fn object(&mut self, frame: ObjectFrame, now: Now, sender: &mut Sender<'_>) {
        let Some((key, AnyView::Object(view))) = self.receiver(frame.view) else { return };
        match view.apply(frame, now.now_ms) {
            Ok(()) => sender.say(Output::Object(key)),
            Err(_) => self.broken(key, now, sender),
        }
    }

    pub(in crate::client) fn timeline(&mut self, frame: TimelineFrame, now: Now, sender: &mut Sender<'_>) {
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
    pub(in crate::client) fn all_broken(&mut self, now: Now, sender: &mut Sender<'_>) {
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
    pub(in crate::client) fn sync(
        &mut self,
        sync: &Sync,
        said_ms: UnixMillis,
        now: Now,
        sender: &mut Sender<'_>,
    ) {
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

    pub(in crate::client) fn state(&mut self, frame: &StateFrame, sender: &mut Sender<'_>) {
        for (key, view) in &mut self.by_key {
            if view.subscription().phase.receives(frame.view) {
                view.subscription_mut().report = Some(frame.report.clone());
                sender.say(Output::View(*key));
            }
        }
    }

    /// The gateway ended the subscription that has this number.
    pub(in crate::client) fn ended(
        &mut self,
        id: SubscriptionId,
        problem: Problem,
        now: Now,
        sender: &mut Sender<'_>,
    ) {
        self.join(id, now, sender);
        let Some((key, view)) = self.of_wire_id(id) else { return };
        view.detach();
        view.subscription_mut().phase = Phase::Ended { problem, at_ms: now.now_ms };
        let goes_on = matches!(view, AnyView::Rows(_)) && is_refused_as_a_whole(view.subscription());
        sender.say(if goes_on { Output::View(key) } else { Output::Ended(key) });
    }

    /// The gateway shows less than before, or masks more.
    pub(in crate::client) fn purge(&mut self, now: Now, sender: &mut Sender<'_>) {
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
    (subscription.proof, subscription.asked_ms) = (None, now.now_ms);
    if subscription.ended().is_some_and(|problem| problem.reason == Reason::Hidden) {
        subscription.phase = Phase::Unasked;
    }
}
