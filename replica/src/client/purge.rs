//! What a client drops when the gateway shows less than before, or masks more: everything that it holds, whether it is
//! subscribed to, given back or ended. The gateway answers open subscriptions anew by itself.

use shared::frame::server::Rows;
use shared::problem::Reason;

use super::any_view::AnyView;
use super::{Client, Output, ViewKey};
use crate::now::Now;
use crate::observer::RowObserver;
use crate::subscription::{Phase, Subscription};
use crate::table::Slot;

impl<O: RowObserver> Client<O> {
    pub(super) fn purge(&mut self, now: Now) {
        for key in self.keys(|_| true) {
            match self.views.get_mut(&key) {
                Some(AnyView::Rows(_)) => self.purge_rows(key, now),
                Some(AnyView::Object(view)) => view.purge(),
                Some(AnyView::Timeline(view)) => view.clear(),
                Some(AnyView::Part(part)) => part.purge(),
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

/// What was proven is gone, and what was hidden may be shown now.
fn begin_anew(subscription: &mut Subscription, now: Now) {
    (subscription.proof, subscription.asked_ms) = (None, now.now_ms);
    if subscription.ended().is_some_and(|problem| problem.reason == Reason::Hidden) {
        subscription.phase = Phase::Unasked;
    }
}

#[cfg(test)]
mod tests;
