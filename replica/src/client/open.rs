//! The views of a client, as their callers see them: they are opened, read by their key and closed again. What is asked
//! for once is here as well.

use shared::custom_column::CustomColumns;
use shared::frame::client::{
    Children, ClientFrame, Get, LogAsked, LogText, Past, PastAsked, Projection, Rights, RowDetail,
    SubscriptionId,
};
use shared::frame::server::{self, LogAnswer};
use shared::name::{ClusterName, Namespace};
use shared::resource::Resource;
use shared::row::RowId;
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::any_view::AnyView;
use super::part::Part;
use super::{Client, Output, ViewKey, rights, views};
use crate::now::Now;
use crate::object::ObjectView;
use crate::observer::RowObserver;
use crate::subscription::{Allowed, Subscription};
use crate::timeline::TimelineView;
use crate::view::{Source, View};

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

    /// Opens one view of these clusters; of one it is the view that [`Client::open_with`] opens.
    pub fn open_clusters(
        &mut self,
        scope: Scope,
        clusters: &[ClusterName],
        (columns, rows): (CustomColumns, RowDetail),
        now: Now,
    ) -> ViewKey {
        self.open_rows(of_rows(scope, clusters, (columns, rows), now), now)
    }

    /// As [`Client::open_clusters`], but each event comes by itself, with whole rows or with their objects.
    pub fn open_events(
        &mut self,
        scope: Scope,
        clusters: &[ClusterName],
        (columns, rows): (CustomColumns, RowDetail),
        now: Now,
    ) -> ViewKey {
        let subscription =
            Subscription { each_event: true, ..of_rows(scope, clusters, (columns, rows), now) };
        self.open_rows(subscription, now)
    }

    /// As [`Client::open_clusters`], as of a time by the gateway's clock. `None`: now.
    pub fn open_at(
        &mut self,
        scope: Scope,
        clusters: &[ClusterName],
        (columns, rows): (CustomColumns, RowDetail),
        at_ms: Option<UnixMillis>,
        now: Now,
    ) -> ViewKey {
        self.open_rows(Subscription { at_ms, ..of_rows(scope, clusters, (columns, rows), now) }, now)
    }

    /// Only the rows that aren't simply fine, as of a time by the gateway's clock. `None`: now.
    pub fn open_trouble(
        &mut self,
        scope: Scope,
        clusters: &[ClusterName],
        at_ms: Option<UnixMillis>,
        now: Now,
    ) -> ViewKey {
        let all = of_rows(scope, clusters, Default::default(), now);
        self.open_rows(Subscription { trouble: true, at_ms, ..all }, now)
    }

    fn open_rows(&mut self, subscription: Subscription, now: Now) -> ViewKey {
        self.open_view(AnyView::Rows(Box::new(View::new(subscription))), now)
    }

    /// One whole object: by the name in its scope, or a row of it.
    pub fn open_object(&mut self, scope: Scope, row: Option<RowId>, now: Now) -> ViewKey {
        self.open_object_at(scope, row, None, now)
    }

    /// The same, as of a time by the gateway's clock. `None`: now.
    pub fn open_object_at(
        &mut self,
        scope: Scope,
        row: Option<RowId>,
        at_ms: Option<UnixMillis>,
        now: Now,
    ) -> ViewKey {
        let of_now = Subscription::new(scope, now.now_ms);
        let subscription = Subscription { projection: Projection::Object, row, at_ms, ..of_now };
        self.open_view(AnyView::Object(Box::new(ObjectView::new(subscription))), now)
    }

    /// The timeline of a scope, with what the gateway still has of it, or of one row from now on.
    pub fn open_timeline(&mut self, scope: Scope, row: Option<RowId>, now: Now) -> ViewKey {
        let timeline = TimelineView::new(views::timeline(scope, row, now));
        self.open_view(AnyView::Timeline(Box::new(timeline)), now)
    }

    /// The log of these clusters, with what the gateway still has of each.
    pub fn open_log(&mut self, scope: Scope, clusters: &[ClusterName], now: Now) -> ViewKey {
        let clusters = several(clusters);
        let subscription = Subscription { clusters, ..views::timeline(scope, None, now) };
        self.open_view(AnyView::Timeline(Box::new(TimelineView::new(subscription))), now)
    }

    fn open_view(&mut self, view: AnyView<O>, now: Now) -> ViewKey {
        self.with_views(|views, sender| views.open(view, now, sender))
    }

    /// Asks for other columns beyond the server's. The rows stay until those with the new columns are
    /// whole.
    pub fn set_columns(&mut self, key: ViewKey, columns: &CustomColumns) {
        self.with_views(|views, sender| views.set_columns(key, columns, sender));
    }

    /// Asks for the view as of another time, by the gateway's clock; `None`: now. The rows stay until those of that time
    /// are whole. `is_step`: the reader goes on by one change, so what differs is marked as changed.
    pub fn set_at(&mut self, key: ViewKey, at_ms: Option<UnixMillis>, is_step: bool, now: Now) {
        self.with_views(|views, sender| views.set_at(key, (at_ms, is_step), now, sender));
    }

    /// Adds and removes clusters of a view of several, which stays what it is for the others.
    pub fn set_clusters(&mut self, key: ViewKey, clusters: &[ClusterName], now: Now) {
        self.with_views(|views, sender| views.set_clusters(key, clusters, now, sender));
    }

    pub fn close(&mut self, key: ViewKey) {
        self.with_views(|views, sender| views.close(key, sender));
    }

    /// Asks for one object, once; [`Output::Got`] answers with this number. `None`: there is no
    /// connection to ask on.
    pub fn get(&mut self, scope: Scope, row: Option<RowId>) -> Option<SubscriptionId> {
        if !self.connection.is_open() {
            return None;
        }
        let id = self.requests.get();
        self.outputs.push_back(Output::Send(ClientFrame::Get(Box::new(Get { id, scope, row }))));
        Some(id)
    }

    /// Asks what may be listed of a kind in a cluster, the gateway's own one without a name; [`Output::Rights`] answers,
    /// unless the connection ends before. Returns whether it could be asked.
    pub fn ask_rights(&mut self, cluster: Option<ClusterName>, resource: Resource) -> bool {
        if !self.connection.is_open() || self.lifecycle.is_parked() {
            return false;
        }
        let id = self.requests.number();
        self.outputs.push_back(Output::Send(ClientFrame::Rights(Rights { id, cluster, resource })));
        true
    }

    /// Asks what was recorded of a view or of an object, by the gateway's clock; [`Output::Past`] answers with this number,
    /// or [`Output::Unanswered`]. `None`: it couldn't be asked.
    pub fn ask_past(&mut self, scope: Scope, asked: PastAsked) -> Option<SubscriptionId> {
        if !self.connection.is_open() || self.lifecycle.is_parked() {
            return None;
        }
        let id = self.requests.ask_past();
        self.outputs.push_back(Output::Send(ClientFrame::Past(Box::new(Past { id, scope, asked }))));
        Some(id)
    }

    /// Asks for the logs of the containers of what the scope names. [`Output::Logs`] says with this number that
    /// [`Client::take_logs`] has a part of them, and [`Output::Unanswered`] why they end before they are over. `None`: it
    /// can't be asked now.
    pub fn open_logs(&mut self, scope: Scope, asked: LogAsked) -> Option<SubscriptionId> {
        if !self.has_reader() {
            return None;
        }
        let id = self.requests.ask_past();
        let text = LogText::of(id, &scope, &asked)?;
        self.outputs.push_back(Output::Send(ClientFrame::Log(text)));
        Some(id)
    }

    /// The parts of these logs that came since the last call.
    pub fn take_logs(&mut self, id: SubscriptionId) -> Vec<LogAnswer> {
        self.requests.take_logs(id)
    }

    /// Nothing more of these logs is wanted. `is_over`: the gateway knows.
    pub fn close_logs(&mut self, id: SubscriptionId, is_over: bool) {
        if self.requests.is_past_answered(id) && !is_over {
            self.with_views(|_, sender| sender.unsubscribe(id, false));
        }
    }

    /// Whether something is asked for at once: there is a connection, and a reader who sees the page.
    #[must_use]
    pub fn has_reader(&self) -> bool {
        self.connection.is_open() && !self.lifecycle.is_parked()
    }

    /// Asks which kinds the children of a kind have, of an owner in this namespace or of one without.
    /// [`Client::take_children`] gives the answer. `None`: it couldn't be asked.
    pub fn ask_children(
        &mut self,
        cluster: Option<ClusterName>,
        resource: Resource,
        namespace: Option<Namespace>,
    ) -> Option<SubscriptionId> {
        if !self.connection.is_open() || self.lifecycle.is_parked() {
            return None;
        }
        let id = self.requests.number();
        let asked = Children { id, cluster, resource, namespace };
        self.outputs.push_back(Output::Send(ClientFrame::Children(asked)));
        Some(id)
    }

    /// The answer to such a question, once, if it has come.
    pub fn take_children(&mut self, id: SubscriptionId) -> Option<server::Children> {
        self.requests.take_children(id)
    }

    /// The subscriptions whose rights were answered apart: those of the clusters of a view, else the view's own.
    pub fn reviewed(&self, key: ViewKey) -> impl Iterator<Item = (ViewKey, &Subscription)> {
        let parts = self.views.rows_of(key).filter(|whole| !whole.clusters.is_empty());
        let parts = parts.map_or_else(|| vec![key], |whole| whole.phase.parts().to_vec());
        parts.into_iter().filter_map(|key| Some((key, self.views.rows_of(key)?)))
    }

    /// `None`: the gateway hasn't answered yet, or the view ended for another reason than a right.
    #[must_use]
    pub fn allowed(&self, key: ViewKey) -> Option<Allowed> {
        let are_reviewed = self.welcome().map(|welcome| welcome.viewer.rights.are_reviewed());
        rights::allowed(&self.views, key, are_reviewed)
    }

    #[must_use]
    pub fn view(&self, key: ViewKey) -> Option<&View<O>> {
        self.views.table(key)
    }

    pub fn view_mut(&mut self, key: ViewKey) -> Option<&mut View<O>> {
        self.views.table_mut(key)
    }

    #[must_use]
    pub fn object(&self, key: ViewKey) -> Option<&ObjectView> {
        match self.views.get(key)? {
            AnyView::Object(view) => Some(view),
            _ => None,
        }
    }

    #[must_use]
    pub fn timeline(&self, key: ViewKey) -> Option<&TimelineView> {
        match self.views.get(key)? {
            AnyView::Timeline(view) => Some(view),
            _ => None,
        }
    }

    pub fn timeline_mut(&mut self, key: ViewKey) -> Option<&mut TimelineView> {
        match self.views.get_mut(key)? {
            AnyView::Timeline(view) => Some(view),
            _ => None,
        }
    }

    /// The tables.
    pub fn views(&self) -> impl Iterator<Item = (ViewKey, &View<O>)> {
        self.views.tables()
    }

    /// The parts of a view; none where it is read as a whole.
    pub(crate) fn parts(&self, view: &View<O>) -> impl Iterator<Item = &Part> {
        self.parts_of(view.source())
    }

    pub(crate) fn parts_of(&self, source: &Source) -> impl Iterator<Item = &Part> {
        source.subscription.phase.parts().iter().filter_map(|key| self.part(*key))
    }

    pub(crate) fn part(&self, key: ViewKey) -> Option<&Part> {
        self.views.part(key)
    }

    /// The clusters of a view of several, in their order.
    pub(crate) fn clusters_of(&self, view: &View<O>) -> impl Iterator<Item = (&ClusterName, &Part)> {
        self.parts(view).filter_map(|part| Some((part.cluster.as_ref()?, part)))
    }
}

fn of_rows(
    scope: Scope,
    clusters: &[ClusterName],
    (columns, rows): (CustomColumns, RowDetail),
    now: Now,
) -> Subscription {
    Subscription { clusters: several(clusters), columns, rows, ..Subscription::new(scope, now.now_ms) }
}

/// A view of one cluster is not split.
fn several(clusters: &[ClusterName]) -> Vec<ClusterName> {
    if clusters.len() > 1 { clusters.to_vec() } else { Vec::new() }
}
