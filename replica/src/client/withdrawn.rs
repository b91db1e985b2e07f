//! What a viewer may not see any more leaves at once, without tombstones: the right that it came by has ended. Never
//! because a view is stale or its feed is refused; then what was seen last stays.

use shared::frame::server::{Rows, Subscribed};
use shared::state::{ViewState, Whom};

use super::any_view::AnyView;
use super::{Client, ViewKey};
use crate::now::Now;
use crate::observer::RowObserver;

/// The gateway's answer to a subscription that it opens at no feed, because its viewer may not.
pub(super) fn is_withdrawal(answer: &Subscribed) -> bool {
    answer.epoch.is_empty() && answer.state.state == ViewState::Forbidden { to: Whom::You }
}

impl<O: RowObserver> Client<O> {
    pub(super) fn withdraw(&mut self, key: ViewKey, now: Now) {
        match self.views.get_mut(&key) {
            Some(AnyView::Object(view)) => view.withdraw(),
            Some(AnyView::Timeline(view)) => view.withdraw(),
            Some(AnyView::Rows(_)) => self.withdraw_rows(key, now),
            // The rows of a part that is refused leave with the next merge.
            Some(AnyView::Part(_)) | None => {}
        }
        if let Some(view) = self.views.get_mut(&key) {
            view.detach();
            view.drop_token();
        }
    }

    fn withdraw_rows(&mut self, key: ViewKey, now: Now) {
        let Some(view) = self.view_mut(key) else { return };
        if view.table().is_empty() {
            return;
        }
        let columns = view.table().own_columns().clone();
        view.table_mut().begin_anew(columns);
        self.replace_rows(key, Rows::default(), now);
    }
}
