//! A table of several namespaces where the cluster may not be listed as a whole: a subscription for each
//! namespace, which the gateway serves from a feed of its own, and their rows in one table. Each part has
//! its own chain, token, digest and state. How fresh the view is as a whole is decided in `freshness`. A cluster of a
//! table of several (`clusters`) may be split into its namespaces as well: their rows stand in the same table.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::column::Column;
use shared::frame::client::SubscriptionId;
use shared::frame::server::{Rows, Subscribed};
use shared::name::{ClusterName, Namespace};
use shared::problem::Reason;
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, UnixMillis, ViewState};

use super::any_view::AnyView;
use super::part::{self, Part};
use super::{Client, Output, ViewKey};
use crate::limits::PARTS_MAX;
use crate::now::Now;
use crate::observer::RowObserver;
use crate::subscription::{OfAll, Phase, Proof, Resyncs, Subscription};
use crate::table::{Broken, Delta};
use crate::view::View;

impl<O: RowObserver> Client<O> {
    /// After every input: a view that may not be read as a whole is split, and split views take over what
    /// changed in their parts.
    pub(super) fn update_parts(&mut self, now: Now) {
        for key in self.keys(is_refused_as_a_whole) {
            self.split(key, now);
        }
        for key in self.keys(|subscription| !subscription.parts().is_empty()) {
            self.merge_parts(key, now);
        }
    }

    /// The parts of a view; none where it is read as a whole.
    pub(crate) fn parts(&self, view: &View<O>) -> impl Iterator<Item = &Part> {
        view.subscription().parts().iter().filter_map(|key| self.part(*key))
    }

    pub(crate) fn part(&self, key: ViewKey) -> Option<&Part> {
        match self.views.get(&key)? {
            AnyView::Part(part) => Some(part),
            _ => None,
        }
    }

    /// The view to which a part belongs; any other view itself.
    pub(super) fn whole_of(&self, key: ViewKey) -> ViewKey {
        self.views.get(&key).and_then(AnyView::whole).unwrap_or(key)
    }

    fn split(&mut self, key: ViewKey, now: Now) {
        let Some(view) = self.views.get_mut(&key) else { return };
        let subscription = view.subscription().clone();
        let Some(names) = namespaces_of(&subscription) else { return };
        let names = names.to_vec();
        match view {
            AnyView::Rows(view) => {
                let columns = view.table().own_columns().clone();
                view.table_mut().begin_anew(columns);
                if !view.table().is_empty() {
                    // The right to them has ended; those that are still allowed come again with the parts.
                    self.replace_rows(key, Rows::default(), now);
                }
            }
            AnyView::Part(_) => self.empty_part(key, now),
            AnyView::Object(_) | AnyView::Timeline(_) | AnyView::LogPart(_) => return,
        }
        let of_all = match (&subscription.scope.namespaces, subscription.wire_id()) {
            (Namespaces::All, Some(id)) => OfAll::Asked { id },
            (Namespaces::All, None) => OfAll::Unasked,
            (Namespaces::These(_), open) => {
                if let Some(id) = open {
                    self.unsubscribe(id, false);
                }
                OfAll::Nothing
            }
        };
        let parts = names.iter().map(|name| self.add_namespace(key, &subscription, name)).collect();
        if let Some(view) = self.views.get_mut(&key) {
            view.subscription_mut().phase = Phase::Split { parts, of_all };
        }
    }

    fn add_namespace(&mut self, key: ViewKey, whole: &Subscription, name: &Namespace) -> ViewKey {
        let cluster = self.views.get(&key).and_then(AnyView::cluster).cloned();
        let namespaces = Namespaces::These(vec![name.clone()]);
        self.add_part(key, whole, cluster, Scope { namespaces, ..whole.scope.clone() })
    }

    pub(super) fn add_part(
        &mut self,
        key: ViewKey,
        whole: &Subscription,
        cluster: Option<ClusterName>,
        scope: Scope,
    ) -> ViewKey {
        let columns = whole.columns.clone();
        let of_part = Subscription { columns, rows: whole.rows, ..Subscription::new(scope, whole.asked_ms) };
        self.add(AnyView::Part(Box::new(Part::new(self.whole_of(key), cluster, of_part))))
    }

    /// What a part holds may not be shown any more, or is asked for anew.
    pub(super) fn empty_part(&mut self, key: ViewKey, now: Now) {
        let Some(AnyView::Part(part)) = self.views.get_mut(&key) else { return };
        let (view, mut left) = (part.view, Rows::default());
        part.take_out(&mut left);
        part.purge();
        if !left.delete.is_empty() {
            self.replace_rows(view, left, now);
        }
    }

    /// Whether it answers what a split view asks for beside its parts: the viewer may see other namespaces than
    /// before. The parts of those that stay go on as they are. Where they are one, all or none, the view is whole
    /// again, and the answer is taken as any other.
    pub(super) fn takes_as_split(&mut self, answer: &Subscribed, now: Now) -> bool {
        let Some(key) = self.split_by(answer.id) else { return false };
        let counts = self.counts_of(key);
        let Some(view) = self.views.get_mut(&key) else { return false };
        let is_less = view.subscription_mut().grant(&answer.scope.namespaces, &counts, now.now_ms);
        if is_less {
            self.outputs.push_back(Output::Purged(self.whole_of(key)));
        }
        let is_refused = matches!(answer.state.state, ViewState::Forbidden { .. });
        let names = match &answer.scope.namespaces {
            Namespaces::These(names) if is_refused && (2..=PARTS_MAX).contains(&names.len()) => names,
            _ => {
                self.join(answer.id, now);
                return false;
            }
        };
        let kept = self.close_parts(key, |name| names.contains(name), now);
        let Some(view) = self.views.get(&key) else { return true };
        let whole = view.subscription().clone();
        let mut parts = Vec::with_capacity(names.len());
        for name in names {
            let known = kept.iter().find(|(_, kept)| kept == name).map(|(key, _)| *key);
            parts.push(known.unwrap_or_else(|| self.add_namespace(key, &whole, name)));
        }
        if let Some(view) = self.views.get_mut(&key) {
            view.subscription_mut().phase = Phase::Split { parts, of_all: OfAll::Asked { id: answer.id } };
        }
        self.outputs.push_back(Output::View(key));
        true
    }

    /// How many rows each namespace of a split view, or of a split cluster, has.
    fn counts_of(&self, key: ViewKey) -> BTreeMap<Namespace, usize> {
        let mut counts = BTreeMap::new();
        let parts = self.views.get(&key).map(|view| view.subscription().parts()).unwrap_or_default();
        for part in parts.iter().filter_map(|key| self.part(*key)).filter(|part| part.is_shown()) {
            counts.extend(part.source.table.namespace_counts());
        }
        counts
    }

    /// A split view has no parts any more, and waits for the answer to this number.
    pub(super) fn join(&mut self, id: SubscriptionId, now: Now) {
        let Some(key) = self.split_by(id) else { return };
        self.close_parts(key, |_| false, now);
        if let Some(view) = self.views.get_mut(&key) {
            view.subscription_mut().phase = Phase::Asked { id };
        }
    }

    fn split_by(&self, id: SubscriptionId) -> Option<ViewKey> {
        self.keys(|subscription| subscription.of_all() == Some(id)).first().copied()
    }

    /// Closes the parts of other namespaces than these, whose rows leave. Returns the others.
    fn close_parts(
        &mut self,
        key: ViewKey,
        stays: impl Fn(&Namespace) -> bool,
        now: Now,
    ) -> Vec<(ViewKey, Namespace)> {
        let mut kept = Vec::new();
        let parts = self.views.get(&key).map(|view| view.subscription().parts().to_vec());
        for part_key in parts.unwrap_or_default() {
            match self.part(part_key).and_then(Part::namespace) {
                Some(name) if stays(name) => kept.push((part_key, name.clone())),
                _ => self.close_part(part_key, now),
            }
        }
        kept
    }

    /// Its rows leave, and those of its own parts.
    pub(super) fn close_part(&mut self, key: ViewKey, now: Now) {
        for part in self.part(key).map(|part| part.source.subscription.parts().to_vec()).unwrap_or_default() {
            self.empty_part(part, now);
        }
        self.empty_part(key, now);
        self.close(key);
    }

    fn merge_parts(&mut self, key: ViewKey, now: Now) {
        let Some(view) = self.view(key) else { return };
        let (mut columns, is_whole) = (view.table().own_columns().clone(), view.table().is_whole());
        let order = view.subscription().clusters.clone();
        let mut parts: Vec<&mut Part> = parts_of(&mut self.views, key).collect();
        let other = if order.is_empty() {
            other_columns(&parts, &columns)
        } else {
            columns_of_clusters(&mut parts, &order, &columns)
        };
        if let Some(other) = &other {
            columns = other.clone();
            parts.iter_mut().for_each(|part| part.hide());
        }
        let mut changes = Rows::default();
        for part in &mut parts {
            part.show_or_hide(&columns, &mut changes);
        }
        let is_awaited = is_awaited(parts.iter().map(|part| &**part));
        let (report, proof, resyncs) = summary(&parts);
        let withdrawn = parts.iter_mut().find_map(|part| part.source.subscription.withdrawn.take());
        let Some(view) = self.view_mut(key) else { return };
        let subscription = &mut view.source.subscription;
        (subscription.report, subscription.proof, subscription.resyncs) = (report, proof, resyncs);
        subscription.withdrawn = withdrawn.or(subscription.withdrawn.take());
        let begins_anew = other.is_some() && !view.table().is_empty();
        if other.is_some() {
            view.table_mut().begin_anew(columns);
        }
        let has_changes = !changes.put.is_empty() || !changes.delete.is_empty() || changes.gap.is_some();
        if has_changes || begins_anew || !(is_whole || is_awaited) {
            self.replace_rows(key, changes, now);
        }
    }

    /// Applies a part's changes to the table of its view, which has a chain of its own.
    pub(super) fn apply_changes(&mut self, key: ViewKey, changes: Rows, now: Now) -> Option<Delta> {
        self.apply_rows(key, changes, View::apply, now)
    }

    fn apply_rows(&mut self, key: ViewKey, changes: Rows, apply: Apply<O>, now: Now) -> Option<Delta> {
        let more = is_awaited(parts_of(&mut self.views, key).map(|part| &*part));
        let view = self.view_mut(key)?;
        let from = view.table().position()?;
        apply(view, Rows { from, to: from + 1, more, ..changes }, now.now_ms).ok()
    }

    pub(super) fn replace_rows(&mut self, key: ViewKey, changes: Rows, now: Now) {
        let Some(delta) = self.apply_rows(key, changes, View::replace, now) else { return };
        self.outputs.push_back(Output::Rows(key, Box::new(delta)));
    }
}

type Apply<O> = fn(&mut View<O>, Rows, UnixMillis) -> Result<Delta, Broken>;

/// Those that have rows of their own.
fn parts_of<O>(views: &mut BTreeMap<ViewKey, AnyView<O>>, key: ViewKey) -> impl Iterator<Item = &mut Part> {
    views.values_mut().filter_map(move |view| match view {
        AnyView::Part(part) if part.view == key && !part.is_split() => Some(&mut **part),
        _ => None,
    })
}

/// Whether the first rows of a view are still on their way: those of all its namespaces, or of the first of its
/// clusters, for one that doesn't answer keeps nobody waiting.
fn is_awaited<'a>(parts: impl Iterator<Item = &'a Part>) -> bool {
    let mut is_loading = false;
    for part in parts {
        if part.cluster.is_some() && part.is_shown() {
            return false;
        }
        is_loading |= part.source.is_loading();
    }
    is_loading
}

/// Other columns for a view of several clusters, or the same ones where a part that is shown has others than before.
fn columns_of_clusters(
    parts: &mut [&mut Part],
    order: &[ClusterName],
    columns: &Arc<[Column]>,
) -> Option<Arc<[Column]>> {
    if parts.iter().all(|part| part.is_settled()) {
        return None;
    }
    parts.sort_by_key(|part| order.iter().position(|name| Some(name) == part.cluster.as_ref()));
    let has_changed = parts.iter().any(|part| part.has_other_columns());
    let showing: Vec<&&mut Part> = parts.iter().filter(|part| part.can_show()).collect();
    let union = part::union(showing.iter().map(|part| &part.source.table));
    (!showing.is_empty() && (has_changed || union != *columns)).then_some(union)
}

/// The gateway serves a single namespace from a feed of its own by itself.
pub(super) fn is_refused_as_a_whole(subscription: &Subscription) -> bool {
    let is_forbidden = match subscription.ended() {
        Some(problem) => problem.reason == Reason::Hidden,
        None => {
            subscription.wire_id().is_some()
                && matches!(subscription.state(), Some(ViewState::Forbidden { .. }))
        }
    };
    is_forbidden && namespaces_of(subscription).is_some_and(|names| (2..=PARTS_MAX).contains(&names.len()))
}

/// Those that were asked for, or of all namespaces those that the viewer may see.
fn namespaces_of(subscription: &Subscription) -> Option<&[Namespace]> {
    match (&subscription.scope.namespaces, &subscription.granted) {
        (Namespaces::These(names), _) | (Namespaces::All, Some(Namespaces::These(names))) => Some(names),
        (Namespaces::All, Some(Namespaces::All) | None) => None,
    }
}

/// Other columns for the view: those of a part that is shown and has changed them, or the first that there
/// are. Parts with others wait until they have the same.
fn other_columns(parts: &[&mut Part], columns: &Arc<[Column]>) -> Option<Arc<[Column]>> {
    let showing: Vec<&&mut Part> = parts.iter().filter(|part| part.source.shows_rows()).collect();
    let is_free = !showing.iter().any(|part| part.is_shown());
    let other = showing.into_iter().find(|part| {
        let theirs = part.source.table.own_columns();
        !theirs.is_empty() && (is_free || part.is_shown()) && theirs != columns
    })?;
    Some(other.source.table.own_columns().clone())
}

/// Report, proof and resyncs of the view as a whole, from the parts that show rows: no better than the worst
/// of them.
fn summary(parts: &[&mut Part]) -> (Option<StateReport>, Option<Proof>, Resyncs) {
    let is_empty = !parts.iter().any(|part| part.source.shows_rows());
    let shown = parts.iter().filter(|part| is_empty || part.source.shows_rows());
    let subscriptions: Vec<&Subscription> = shown.map(|part| &part.source.subscription).collect();
    let reports = subscriptions.iter().filter_map(|subscription| subscription.report.as_ref());
    let report = reports.min_by_key(|report| (report.state.is_current(), report.problem.is_none()));
    let proofs: Vec<&Proof> =
        subscriptions.iter().filter_map(|subscription| subscription.proof.as_ref()).collect();
    let oldest = proofs.iter().min_by_key(|proof| proof.proven_ms);
    let proof = oldest.map(|oldest| Proof {
        synced_ms: proofs.iter().map(|proof| proof.synced_ms).min().unwrap_or(oldest.synced_ms),
        current: proofs.len() == subscriptions.len() && proofs.iter().all(|proof| proof.current),
        equal_ms: proofs.iter().map(|proof| proof.equal_ms).min().flatten(),
        ..(*oldest).clone()
    });
    let resyncs = subscriptions.iter().map(|subscription| subscription.resyncs);
    (report.cloned(), proof, resyncs.max_by_key(|resyncs| resyncs.differed_ms).unwrap_or_default())
}

#[cfg(test)]
mod tests;
