//! The views of a client: they are opened, read by their key and closed again.

use shared::custom_column::CustomColumns;
use shared::frame::client::{ClientFrame, Get, Projection, RowDetail, SubscriptionId};
use shared::row::RowId;
use shared::scope::Scope;

use super::any_view::AnyView;
use super::{Client, Output, ViewKey, Visibility};
use crate::now::Now;
use crate::object::ObjectView;
use crate::observer::RowObserver;
use crate::subscription::{Phase, Subscription};
use crate::timeline::TimelineView;
use crate::view::View;

impl<O: RowObserver> Client<O> {
    /// Opens a view. A scope that is open already gives the same one: the gateway's frames carry the
    /// number of its view, and two subscriptions to one couldn't be told apart.
    pub fn open(&mut self, scope: Scope, now: Now) -> ViewKey {
        self.open_with(scope, CustomColumns::default(), now)
    }

    /// With columns beyond the server's.
    pub fn open_with(&mut self, scope: Scope, columns: CustomColumns, now: Now) -> ViewKey {
        self.open_clusters(scope, &[], (columns, RowDetail::Changes), now)
    }

    /// Asks for other columns beyond the server's. The rows stay until those with the new columns are
    /// whole.
    pub fn set_columns(&mut self, key: ViewKey, columns: &CustomColumns) {
        let Some(view) = self.views.get(&key) else { return };
        if view.subscription().columns == *columns {
            return;
        }
        let parts = view.subscription().parts().to_vec();
        for part in parts {
            self.set_columns(part, columns);
        }
        self.ask_for_columns(key, columns);
        // What is asked for beside the parts must be of the same columns when it is answered as a whole.
        let Some(view) = self.views.get_mut(&key) else { return };
        if let Some(id) = view.subscription_mut().give_back_of_all() {
            self.unsubscribe(id, false);
            self.subscribe(key);
        }
    }

    fn ask_for_columns(&mut self, key: ViewKey, columns: &CustomColumns) {
        let Some(view) = self.views.get_mut(&key) else { return };
        view.subscription_mut().columns = columns.clone();
        if view.is_split() || matches!(view.subscription().phase, Phase::Parked) {
            return;
        }
        let open = view.subscription().wire_id();
        view.detach();
        view.subscription_mut().phase = Phase::Unasked;
        if let Some(id) = open {
            self.unsubscribe(id, false);
        }
        if self.connection.is_open() {
            self.subscribe(key);
        }
    }

    /// One whole object: by the name in its scope, or a row of it.
    pub fn open_object(&mut self, scope: Scope, row: Option<RowId>, now: Now) -> ViewKey {
        let subscription =
            Subscription { projection: Projection::Object, row, ..Subscription::new(scope, now.now_ms) };
        self.open_as(AnyView::Object(Box::new(ObjectView::new(subscription))))
    }

    /// The timeline of a scope, with what the gateway still has of it, or of one row from now on.
    pub fn open_timeline(&mut self, scope: Scope, row: Option<RowId>, now: Now) -> ViewKey {
        self.open_as(AnyView::Timeline(Box::new(TimelineView::new(timeline(scope, row, now)))))
    }

    pub(super) fn open_as(&mut self, view: AnyView<O>) -> ViewKey {
        let mut open = self.views.iter().filter(|(_, view)| view.whole().is_none());
        let known = open.find(|(_, open)| open.subscription().is_same_request(view.subscription()));
        if let Some((key, _)) = known {
            return *key;
        }
        self.add(view)
    }

    pub(super) fn add(&mut self, view: AnyView<O>) -> ViewKey {
        let key = ViewKey(self.next_view);
        self.next_view += 1;
        let is_of_clusters = !view.subscription().clusters.is_empty();
        self.views.insert(key, view);
        if is_of_clusters {
            // Each of them is asked for by itself.
        } else if self.connection.is_open() && self.visibility != Visibility::Parked {
            self.subscribe(key);
        }
        key
    }

    /// Asks for one object, once; [`Output::Got`] answers with this number. `None`: there is no
    /// connection to ask on.
    pub fn get(&mut self, scope: Scope, row: Option<RowId>) -> Option<SubscriptionId> {
        if !self.connection.is_open() {
            return None;
        }
        let id = self.new_id();
        self.gets.insert(id);
        self.outputs.push_back(Output::Send(ClientFrame::Get(Box::new(Get { id, scope, row }))));
        Some(id)
    }

    pub fn close(&mut self, key: ViewKey) {
        let Some(view) = self.views.remove(&key) else { return };
        for part in view.subscription().parts() {
            self.close(*part);
        }
        let subscription = view.subscription();
        for id in subscription.wire_id().into_iter().chain(subscription.of_all()) {
            self.unsubscribe(id, false);
        }
    }

    /// The number of the next subscription or `get` on the wire.
    pub(super) fn new_id(&mut self) -> SubscriptionId {
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        id
    }

    #[must_use]
    pub fn view(&self, key: ViewKey) -> Option<&View<O>> {
        match self.views.get(&key)? {
            AnyView::Rows(view) => Some(view),
            _ => None,
        }
    }

    pub fn view_mut(&mut self, key: ViewKey) -> Option<&mut View<O>> {
        match self.views.get_mut(&key)? {
            AnyView::Rows(view) => Some(view),
            _ => None,
        }
    }

    #[must_use]
    pub fn object(&self, key: ViewKey) -> Option<&ObjectView> {
        match self.views.get(&key)? {
            AnyView::Object(view) => Some(view),
            _ => None,
        }
    }

    #[must_use]
    pub fn timeline(&self, key: ViewKey) -> Option<&TimelineView> {
        match self.views.get(&key)? {
            AnyView::Timeline(view) => Some(view),
            _ => None,
        }
    }

    pub fn timeline_mut(&mut self, key: ViewKey) -> Option<&mut TimelineView> {
        match self.views.get_mut(&key)? {
            AnyView::Timeline(view) => Some(view),
            _ => None,
        }
    }

    /// The tables.
    pub fn views(&self) -> impl Iterator<Item = (ViewKey, &View<O>)> {
        self.views.iter().filter_map(|(key, view)| match view {
            AnyView::Rows(view) => Some((*key, &**view)),
            _ => None,
        })
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
