//! The subscriptions of a client over one connection after another: asking with tokens, beginning
//! again where a chain broke or digests differ, giving back while hidden. Never the link itself.

use shared::frame::client::{ClientFrame, Retry, Subscribe, SubscriptionId, Unsubscribe};
use shared::frame::server::{ObjectFrame, Rows, ScopeFrame, StateFrame, Subscribed, Sync, TimelineFrame};
use shared::problem::Problem;

use super::viewed::Viewed;
use super::{Client, Output, ViewKey, is_unknown_resource};
use crate::limits::MEND_INTERVAL_MS;
use crate::now::Now;
use crate::observer::RowObserver;
use crate::subscription::Phase;

impl<O: RowObserver> Client<O> {
    pub(super) fn subscribe_all(&mut self, now: Now) {
        let unasked: Vec<ViewKey> = self
            .views
            .iter()
            .filter(|(_, view)| matches!(view.subscription().phase, Phase::Unasked | Phase::Parked))
            .map(|(key, _)| *key)
            .collect();
        for key in unasked {
            if let Some(view) = self.views.get_mut(&key)
                && view.subscription().proof().is_none()
            {
                view.subscription_mut().asked_ms = now.now_ms;
            }
            self.subscribe(key);
        }
    }

    /// A number of its own for each try: an answer to the former one can't be taken for this one's.
    pub(super) fn subscribe(&mut self, key: ViewKey) {
        let Some(view) = self.views.get_mut(&key) else { return };
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        let token = view.token().cloned();
        let subscription = view.subscription_mut();
        subscription.phase = Phase::Asked { id };
        let frame = Subscribe {
            id,
            scope: subscription.scope.clone(),
            projection: subscription.projection,
            row: subscription.row,
            columns: subscription.columns.clone(),
            token,
        };
        self.outputs.push_back(Output::Send(ClientFrame::Subscribe(Box::new(frame))));
    }

    pub(super) fn unsubscribe(&mut self, id: SubscriptionId) {
        if self.connection.is_open() {
            self.outputs.push_back(Output::Send(ClientFrame::Unsubscribe(Unsubscribe { id })));
        }
    }

    pub(super) fn subscribed(&mut self, answer: &Subscribed) {
        let found = self.views.iter_mut().find(|(_, view)| view.subscription().wire_id() == Some(answer.id));
        let Some((key, view)) = found else { return };
        view.subscription_mut().phase = Phase::Subscribed { id: answer.id, view: answer.view };
        view.subscription_mut().report = Some(answer.state.clone());
        view.subscribed(answer);
        self.outputs.push_back(Output::View(*key));
    }

    pub(super) fn rows(&mut self, frame: Rows, now: Now) {
        let found = self.views.iter_mut().find(|(_, view)| view.subscription().is_of(frame.view));
        let Some((key, view)) = found else { return };
        let key = *key;
        let applied = match view {
            Viewed::Rows(view) => view.apply(frame, now.now_ms).map(|delta| Some((key, delta))),
            Viewed::Part(part) => {
                let of = part.of;
                let news = part.apply(frame);
                news.map(|news| Some((of, self.show(of, news?, now)?)))
            }
            Viewed::Object(_) | Viewed::Timeline(_) => return,
        };
        match applied {
            Ok(moved) => {
                let moved = moved.map(|(key, delta)| Output::Rows(key, Box::new(delta)));
                self.outputs.extend(moved);
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
        let found = self.views.iter_mut().find(|(_, view)| view.subscription().is_of(frame.view));
        let Some((key, Viewed::Object(view))) = found else { return };
        let key = *key;
        match view.apply(frame, now.now_ms) {
            Ok(()) => self.outputs.push_back(Output::Object(key)),
            Err(_) => self.broken(key, now),
        }
    }

    pub(super) fn timeline_frame(&mut self, frame: TimelineFrame, now: Now) {
        let found = self.views.iter_mut().find(|(_, view)| view.subscription().is_of(frame.view));
        let Some((key, Viewed::Timeline(view))) = found else { return };
        let key = *key;
        match view.apply(frame) {
            Ok(count) => self.outputs.push_back(Output::Timeline(key, count)),
            Err(_) => self.broken(key, now),
        }
    }

    /// The view that a subscription got instead of the one that it had.
    pub(super) fn scope(&mut self, frame: &ScopeFrame) {
        let found = self.views.iter_mut().find(|(_, view)| view.subscription().wire_id() == Some(frame.id));
        let Some((key, view)) = found else { return };
        view.subscription_mut().granted = Some(frame.namespaces.clone());
        self.outputs.push_back(Output::View(*key));
    }

    pub(super) fn broken(&mut self, key: ViewKey, now: Now) {
        if let Some(view) = self.views.get_mut(&key) {
            view.subscription_mut().mends.broken += 1;
        }
        self.mend(key, now);
    }

    pub(super) fn sync(&mut self, sync: &Sync, now: Now) {
        self.connection.spread(sync.spread_ms);
        let said_ms = now.now_ms.saturating_sub(self.offset.learn(sync.now_ms, now.now_ms));
        let found = self.views.iter_mut().find(|(_, view)| view.subscription().is_of(sync.view));
        let Some((key, view)) = found else { return };
        let key = *key;
        if view.position().is_some_and(|position| position != sync.at) {
            // Rows between ours and these were missed, and there may be none to come that tell.
            return self.broken(key, now);
        }
        let agrees = match view {
            Viewed::Rows(view) => view.source.heard(sync, said_ms, now.now_ms),
            Viewed::Part(part) => part.source.heard(sync, said_ms, now.now_ms),
            Viewed::Object(_) | Viewed::Timeline(_) => {
                view.subscription_mut().heard(sync, said_ms);
                None
            }
        };
        if agrees == Some(false) {
            let mends = &mut view.subscription_mut().mends;
            mends.differed += 1;
            mends.differed_ms = Some(now.now_ms);
            mends.equal_again_ms = None;
            view.distrust();
            self.mend(key, now);
        }
        self.outputs.push_back(Output::View(key));
    }

    /// Begins again, at once the first time and not too often after that.
    fn mend(&mut self, key: ViewKey, now: Now) {
        let Some(view) = self.views.get_mut(&key) else { return };
        let open = view.subscription().wire_id();
        view.detached();
        let last_ms = view.subscription_mut().mends.last_ms;
        let at_ms = last_ms.map_or(now.now_ms, |last| (last + MEND_INTERVAL_MS).max(now.now_ms));
        view.subscription_mut().phase = Phase::Mending { at_ms };
        if let Some(id) = open {
            self.unsubscribe(id);
        }
        self.mend_due(now);
    }

    pub(super) fn mend_due(&mut self, now: Now) {
        if !self.connection.is_open() {
            return;
        }
        let due: Vec<ViewKey> = self
            .views
            .iter()
            .filter(|(_, view)| matches!(view.subscription().phase, Phase::Mending { at_ms } if at_ms <= now.now_ms))
            .map(|(key, _)| *key)
            .collect();
        for key in due {
            if let Some(view) = self.views.get_mut(&key) {
                view.subscription_mut().mends.last_ms = Some(now.now_ms);
            }
            self.subscribe(key);
        }
    }

    pub(super) fn state(&mut self, frame: StateFrame) {
        for (key, view) in &mut self.views {
            if view.subscription().is_of(frame.view) {
                view.subscription_mut().report = Some(frame.report.clone());
                self.outputs.push_back(Output::View(*key));
            }
        }
    }

    pub(super) fn ended(&mut self, id: SubscriptionId, problem: Problem, now: Now) {
        if self.gets.remove(&id) {
            self.outputs.push_back(Output::Got(id, Err(problem)));
            return;
        }
        let found = self.views.iter_mut().find(|(_, view)| view.subscription().wire_id() == Some(id));
        let Some((key, view)) = found else { return };
        view.detached();
        view.subscription_mut().phase = Phase::Ended { problem, at_ms: now.now_ms };
        self.outputs.push_back(Output::Ended(*key));
    }

    /// A resource that wasn't served may be served now.
    pub(super) fn ask_again_for_unknown(&mut self) {
        let unknown: Vec<ViewKey> = self
            .views
            .iter()
            .filter(|(_, view)| view.subscription().ended().is_some_and(is_unknown_resource))
            .map(|(key, _)| *key)
            .collect();
        for key in unknown {
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
        let waiting: Vec<SubscriptionId> = self
            .views
            .values()
            .filter(|view| view.subscription().report().is_some_and(|report| !report.state.is_current()))
            .filter_map(|view| view.subscription().wire_id())
            .collect();
        for id in waiting {
            self.outputs.push_back(Output::Send(ClientFrame::Retry(Retry { id })));
        }
    }

    /// Everything is given back; the rows and their tokens stay.
    pub(super) fn park_all(&mut self) {
        let mut open = Vec::new();
        for (key, view) in self.views.iter_mut().filter(|(_, view)| !view.is_split()) {
            open.extend(view.subscription().wire_id());
            view.subscription_mut().phase = Phase::Parked;
            view.detached();
            if let Some(proof) = &mut view.subscription_mut().proof {
                proof.current = false;
            }
            self.outputs.push_back(Output::View(*key));
        }
        for id in open {
            self.unsubscribe(id);
        }
    }
}
