//! Views of several clusters: a subscription for each cluster, whose rows stand in one table (`parts`). Which clusters
//! there are is the gateway's word; which of them a view shows is its owner's.

use shared::custom_column::CustomColumns;
use shared::frame::client::{Projection, RowDetail};
use shared::frame::server::{Cluster, Kinds};
use shared::name::ClusterName;
use shared::scope::Scope;

use super::any_view::{AnyView, LogPart};
use super::part::Part;
use super::{Client, ViewKey, views};
use crate::now::Now;
use crate::observer::RowObserver;
use crate::subscription::{OfAll, Phase, Subscription};
use crate::timeline::TimelineView;
use crate::view::View;

impl<O: RowObserver> Client<O> {
    /// Opens one view of these clusters; of one it is the view that [`Client::open_with`] opens.
    pub fn open_clusters(
        &mut self,
        scope: Scope,
        clusters: &[ClusterName],
        (columns, rows): (CustomColumns, RowDetail),
        now: Now,
    ) -> ViewKey {
        let clusters = if clusters.len() > 1 { clusters.to_vec() } else { Vec::new() };
        let subscription = Subscription { clusters, columns, rows, ..Subscription::new(scope, now.now_ms) };
        let key = self.open_as(AnyView::Rows(Box::new(View::new(subscription))));
        self.split_into_clusters(key, now);
        key
    }

    /// The log of these clusters, with what the gateway still has of each.
    pub fn open_log(&mut self, scope: Scope, clusters: &[ClusterName], now: Now) -> ViewKey {
        let clusters = if clusters.len() > 1 { clusters.to_vec() } else { Vec::new() };
        let subscription = Subscription { clusters, ..views::timeline(scope, None, now) };
        let key = self.open_as(AnyView::Timeline(Box::new(TimelineView::new(subscription))));
        self.split_into_clusters(key, now);
        key
    }

    /// The log of several clusters takes over what came to one of them.
    pub(super) fn take_entries(&mut self, key: ViewKey) {
        if !matches!(self.views.get(&key), Some(AnyView::LogPart(_))) {
            return;
        }
        let Some(AnyView::LogPart(mut part)) = self.views.remove(&key) else { return };
        if let Some(AnyView::Timeline(whole)) = self.views.get_mut(&part.view) {
            whole.take_from(&mut part.log, &part.cluster);
        }
        self.views.insert(key, AnyView::LogPart(part));
    }

    /// Adds and removes clusters of a view of several, which stays what it is for the others.
    pub fn set_clusters(&mut self, key: ViewKey, clusters: &[ClusterName], now: Now) {
        let Some(view) = self.views.get(&key) else { return };
        let whole = view.subscription().clone();
        if whole.clusters.is_empty() || clusters.len() < 2 || whole.clusters == clusters {
            return;
        }
        let mut known: Vec<(ViewKey, ClusterName)> = Vec::new();
        for part in whole.parts() {
            match self.views.get(part).and_then(AnyView::cluster) {
                Some(name) if clusters.contains(name) => known.push((*part, name.clone())),
                _ => self.close_part(*part, now),
            }
        }
        let mut parts = Vec::with_capacity(clusters.len());
        for name in clusters {
            let part = known.iter().find(|(_, known)| known == name).map(|(key, _)| *key);
            parts.push(part.unwrap_or_else(|| self.add_cluster(key, &whole, name, now)));
        }
        if let Some(view) = self.views.get_mut(&key) {
            let subscription = view.subscription_mut();
            subscription.clusters = clusters.to_vec();
            subscription.phase = Phase::Split { parts, of_all: OfAll::Nothing };
        }
        self.update_parts(now);
    }

    /// A view of several clusters asks for each of them from its beginning.
    fn split_into_clusters(&mut self, key: ViewKey, now: Now) {
        let Some(view) = self.views.get_mut(&key) else { return };
        if view.subscription().clusters.is_empty() || view.is_split() {
            return;
        }
        if let AnyView::Rows(view) = view {
            let columns = view.table().own_columns().clone();
            view.table_mut().begin_anew(columns);
        }
        let whole = view.subscription().clone();
        let parts = whole.clusters.iter().map(|name| self.add_cluster(key, &whole, name, now)).collect();
        if let Some(view) = self.views.get_mut(&key) {
            view.subscription_mut().phase = Phase::Split { parts, of_all: OfAll::Nothing };
        }
    }

    fn add_cluster(&mut self, key: ViewKey, whole: &Subscription, name: &ClusterName, now: Now) -> ViewKey {
        let scope = Scope { cluster: Some(name.clone()), ..whole.scope.clone() };
        if whole.projection == Projection::Timeline {
            let log = TimelineView::new(views::timeline(scope, None, now));
            return self.add(AnyView::LogPart(Box::new(LogPart { view: key, cluster: name.clone(), log })));
        }
        let whole = Subscription { asked_ms: now.now_ms, ..whole.clone() };
        self.add_part(key, &whole, Some(name.clone()), scope)
    }

    /// The clusters of a view of several, in their order.
    pub(crate) fn clusters_of(&self, view: &View<O>) -> impl Iterator<Item = (&ClusterName, &Part)> {
        self.parts(view).filter_map(|part| Some((part.cluster.as_ref()?, part)))
    }

    /// The clusters that the gateway has, its own one first.
    #[must_use]
    pub fn clusters(&self) -> &[Cluster] {
        self.welcome().map(|welcome| welcome.clusters.as_slice()).unwrap_or_default()
    }

    /// A cluster by its name; the gateway's own one without a name.
    #[must_use]
    pub fn cluster_named(&self, name: Option<&ClusterName>) -> Option<&Cluster> {
        match name {
            Some(name) => self.clusters().iter().find(|cluster| cluster.name == *name),
            None => self.cluster(),
        }
    }

    /// The kinds of a cluster, once they came; those of the gateway's own one without a name.
    #[must_use]
    pub fn kinds_of(&self, cluster: Option<&ClusterName>) -> Option<&Kinds> {
        self.kinds.get(cluster.or(self.cluster().map(|own| &own.name))?)
    }

    /// Of a view of one cluster, how its scope names it: the gateway's own one goes without saying.
    #[must_use]
    pub fn in_scope(&self, cluster: &ClusterName) -> Option<ClusterName> {
        (self.cluster()?.name != *cluster).then(|| cluster.clone())
    }
}

#[cfg(test)]
mod tests;
