//! What a client drops, without tombstones, because its viewer may not see it any more. When a right ends, that is what
//! came by it. When the gateway shows less than before, or masks more, it is everything that the client holds, whether
//! it is subscribed to, given back or ended; the gateway answers open subscriptions anew by itself.

use shared::frame::server::{Rows, Subscribed};
use shared::problem::Reason;
use shared::state::{ViewState, Whom};

use super::any_view::AnyView;
use super::{Client, Output, ViewKey};
use crate::now::Now;
use crate::observer::RowObserver;
use crate::subscription::{Phase, Subscription};
use crate::table::Slot;

impl<O: RowObserver> Client<O> {
    pub(super) fn purge(&mut self, now: Now) {
        for key in self.keys(|_| true) {
            if let Some(AnyView::Part(part)) = self.views.get_mut(&key) {
                part.purge();
            }
            self.purge_view(key, now);
        }
    }

    /// Also where the right ends by which its viewer saw it.
    pub(super) fn purge_view(&mut self, key: ViewKey, now: Now) {
        match self.views.get_mut(&key) {
            Some(AnyView::Rows(_)) => self.purge_rows(key, now),
            Some(AnyView::Object(view)) => view.purge(),
            Some(AnyView::Timeline(view)) => view.clear(),
            Some(AnyView::Part(_)) => self.empty_part(key, now),
            // Its entries stand among those of the other clusters, and their numbers may not change.
            Some(AnyView::LogPart(part)) => {
                let whole = part.view;
                if let Some(AnyView::Timeline(log)) = self.views.get_mut(&whole) {
                    log.clear();
                }
            }
            None => {}
        }
        // The chain of a split view is its own: its parts have those of the gateway.
        if let Some(view) = self.views.get_mut(&key).filter(|view| !view.is_split()) {
            view.detach();
            view.drop_token();
            begin_anew(view.subscription_mut(), now);
        }
        self.outputs.push_back(Output::Purged(self.whole_of(key)));
    }

    fn purge_rows(&mut self, key: ViewKey, now: Now) {
        let Some(view) = self.view_mut(key) else { return };
        let columns = view.table().own_columns().clone();
        view.table_mut().begin_anew(columns);
        self.replace_rows(key, Rows::default(), now);
        let Some(view) = self.view_mut(key) else { return };
        let tombstones: Vec<Slot> = view.table().iter().map(|(slot, _)| slot).collect();
        view.remove_tombstones(&tombstones);
        view.table_mut().forget_cut();
    }
}

/// The answer to a subscription that the gateway opens at no feed, for no cluster, because its viewer may not see it any
/// more. A view that is stale, or whose feed is refused, keeps what was seen last.
pub(super) fn is_withdrawal(answer: &Subscribed) -> bool {
    answer.cluster.is_empty() && answer.state.state == ViewState::Forbidden { to: Whom::You }
}

/// What was proven is gone, and what was hidden may be shown now.
fn begin_anew(subscription: &mut Subscription, now: Now) {
    (subscription.proof, subscription.asked_ms) = (None, now.now_ms);
    if subscription.ended().is_some_and(|problem| problem.reason == Reason::Hidden) {
        subscription.phase = Phase::Unasked;
    }
}

#[cfg(test)]
mod tests;
