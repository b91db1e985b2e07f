//! What a client looks at: views are opened, asked for by their key and closed again. Never a frame.

use shared::custom_column::CustomColumns;
use shared::frame::client::{ClientFrame, Get, Projection, SubscriptionId};
use shared::row::RowId;
use shared::scope::Scope;

use super::viewed::Viewed;
use super::{Client, Hidden, Output, ViewKey};
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
        let subscription = Subscription::new(scope, now.now_ms).with_columns(columns);
        self.open_as(subscription, |subscription| Viewed::Rows(Box::new(View::new(subscription))))
    }

    /// Asks for other columns beyond the server's: what is shown stays until the rows with them are
    /// whole.
    pub fn set_columns(&mut self, key: ViewKey, columns: &CustomColumns) {
        let Some(view) = self.views.get(&key) else { return };
        if view.subscription().columns == *columns {
            return;
        }
        let parts = view.subscription().parts().to_vec();
        for (key, asks) in parts.iter().map(|part| (*part, true)).chain([(key, parts.is_empty())]) {
            let Some(view) = self.views.get_mut(&key) else { continue };
            view.subscription_mut().columns = columns.clone();
            let is_parked = matches!(view.subscription().phase, Phase::Parked);
            if !asks || is_parked {
                continue;
            }
            let open = view.subscription().wire_id();
            view.detached();
            view.subscription_mut().phase = Phase::Unasked;
            if let Some(id) = open {
                self.unsubscribe(id);
            }
            if self.connection.is_open() {
                self.subscribe(key);
            }
        }
    }

    /// One whole object: by the name in its scope, or a row of it.
    pub fn open_object(&mut self, scope: Scope, row: Option<RowId>, now: Now) -> ViewKey {
        let subscription = Subscription::new(scope, now.now_ms).showing(Projection::Object, row);
        self.open_as(subscription, |subscription| Viewed::Object(Box::new(ObjectView::new(subscription))))
    }

    /// The log of a scope, or of one row of it.
    pub fn open_timeline(&mut self, scope: Scope, row: Option<RowId>, now: Now) -> ViewKey {
        let subscription = Subscription::new(scope, now.now_ms).showing(Projection::Timeline, row);
        self.open_as(subscription, |subscription| Viewed::Timeline(Box::new(TimelineView::new(subscription))))
    }

    fn open_as(
        &mut self,
        subscription: Subscription,
        make: impl FnOnce(Subscription) -> Viewed<O>,
    ) -> ViewKey {
        let mut opened = self.views.iter().filter(|(_, view)| !matches!(view, Viewed::Part(_)));
        let known = opened.find(|(_, view)| view.subscription().asks_as(&subscription));
        if let Some((key, _)) = known {
            return *key;
        }
        self.add(make(subscription))
    }

    pub(super) fn add(&mut self, view: Viewed<O>) -> ViewKey {
        let key = ViewKey(self.next_view);
        self.next_view += 1;
        self.views.insert(key, view);
        if self.connection.is_open() && self.hidden != Hidden::Parked {
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
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        self.gets.insert(id);
        self.outputs.push_back(Output::Send(ClientFrame::Get(Box::new(Get { id, scope, row }))));
        Some(id)
    }

    pub fn close(&mut self, key: ViewKey) {
        let Some(view) = self.views.remove(&key) else { return };
        for part in view.subscription().parts() {
            self.close(*part);
        }
        if let Some(id) = view.subscription().wire_id() {
            self.unsubscribe(id);
        }
    }

    #[must_use]
    pub fn view(&self, key: ViewKey) -> Option<&View<O>> {
        match self.views.get(&key)? {
            Viewed::Rows(view) => Some(view),
            Viewed::Object(_) | Viewed::Timeline(_) | Viewed::Part(_) => None,
        }
    }

    pub fn view_mut(&mut self, key: ViewKey) -> Option<&mut View<O>> {
        match self.views.get_mut(&key)? {
            Viewed::Rows(view) => Some(view),
            Viewed::Object(_) | Viewed::Timeline(_) | Viewed::Part(_) => None,
        }
    }

    #[must_use]
    pub fn object(&self, key: ViewKey) -> Option<&ObjectView> {
        match self.views.get(&key)? {
            Viewed::Object(view) => Some(view),
            Viewed::Rows(_) | Viewed::Timeline(_) | Viewed::Part(_) => None,
        }
    }

    #[must_use]
    pub fn timeline(&self, key: ViewKey) -> Option<&TimelineView> {
        match self.views.get(&key)? {
            Viewed::Timeline(view) => Some(view),
            Viewed::Rows(_) | Viewed::Object(_) | Viewed::Part(_) => None,
        }
    }

    pub fn timeline_mut(&mut self, key: ViewKey) -> Option<&mut TimelineView> {
        match self.views.get_mut(&key)? {
            Viewed::Timeline(view) => Some(view),
            Viewed::Rows(_) | Viewed::Object(_) | Viewed::Part(_) => None,
        }
    }

    /// The tables.
    pub fn views(&self) -> impl Iterator<Item = (ViewKey, &View<O>)> {
        self.views.iter().filter_map(|(key, view)| match view {
            Viewed::Rows(view) => Some((*key, &**view)),
            Viewed::Object(_) | Viewed::Timeline(_) | Viewed::Part(_) => None,
        })
    }
}
