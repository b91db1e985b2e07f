//! Views that have a subscription for each of their parts, whose rows stand in one table. Each part has its own chain,
//! token, digest and state; how fresh the view is as a whole is decided in `freshness`.
//!
//! A view of several clusters is split from its beginning: which clusters there are is the gateway's word, which of them a
//! view shows is its owner's. A table of several namespaces is split where the cluster may not be listed as a whole: the
//! gateway serves each namespace from a feed of its own. A cluster of a table of several may be split into its namespaces
//! as well: their rows stand in the same table.

use litemap::LiteMap;
use shared::frame::client::{Projection, SubscriptionId};
use shared::frame::server::{Rows, Subscribed};
use shared::name::{ClusterName, Namespace};
use shared::problem::Reason;
use shared::scope::{Namespaces, Scope};
use shared::state::{UnixMillis, ViewState};

use super::{AnyView, Output, Part, Sender, ViewKey, Views, timeline};
use crate::client::any_view::LogPart;
use crate::client::merge;
use crate::limits::PARTS_MAX;
use crate::now::Now;
use crate::observer::RowObserver;
use crate::subscription::{OfAll, Phase, Subscription};
use crate::table::{Broken, Delta};
use crate::timeline::TimelineView;
use crate::view::View;

impl<O: RowObserver> Views<O> {
    /// After every input: a view that may not be read as a whole is split, and split views take over what
    /// changed in their parts.
    pub(in crate::client) fn update_parts(&mut self, now: Now, sender: &mut Sender<'_>) {
        for key in self.keys(is_refused_as_a_whole) {
            self.split(key, now, sender);
        }
        for key in self.keys(|subscription| !subscription.phase.parts().is_empty()) {
            self.merge_parts(key, now, sender);
        }
    }

    fn split(&mut self, key: ViewKey, now: Now, sender: &mut Sender<'_>) {
        let Some(view) = self.get_mut(key) else { return };
        let subscription = view.subscription().clone();
        let Some(names) = parts_asked(&subscription).map(<[_]>::to_vec) else { return };
        match view {
            AnyView::Rows(view) => {
                let columns = view.table().own_columns().clone();
                view.table_mut().begin_anew(columns);
                if !view.table().is_empty() {
                    // The right to them has ended; those that are still allowed come again with the parts.
                    self.replace_rows(key, Rows::default(), now, sender);
                }
            }
            AnyView::Part(_) => self.empty_part(key, now, sender),
            AnyView::Object(_) | AnyView::Timeline(_) | AnyView::LogPart(_) => return,
        }
        let of_all = match (&subscription.scope.namespaces, subscription.phase.wire_id()) {
            (Namespaces::All, Some(id)) => OfAll::Asked { id },
            (Namespaces::All, None) => OfAll::Unasked,
            (Namespaces::These(_), open) => {
                if let Some(id) = open {
                    sender.unsubscribe(id, false);
                }
                OfAll::Nothing
            }
        };
        let parts = names.iter().map(|name| self.add_namespace(key, &subscription, name, sender)).collect();
        if let Some(view) = self.get_mut(key) {
            view.subscription_mut().phase = Phase::Split { parts, of_all };
        }
    }

    fn add_namespace(
        &mut self,
        key: ViewKey,
        whole: &Subscription,
        name: &Namespace,
        sender: &mut Sender<'_>,
    ) -> ViewKey {
        let cluster = self.get(key).and_then(AnyView::cluster).cloned();
        let namespaces = Namespaces::These(vec![name.clone()]);
        self.add_part(key, whole, cluster, Scope { namespaces, ..whole.scope.clone() }, sender)
    }

    fn add_part(
        &mut self,
        key: ViewKey,
        whole: &Subscription,
        cluster: Option<ClusterName>,
        scope: Scope,
        sender: &mut Sender<'_>,
    ) -> ViewKey {
        let columns = whole.columns.clone();
        let (rows, each_event) = (whole.rows, whole.each_event);
        let of_part = Subscription {
            columns,
            rows,
            each_event,
            trouble: whole.trouble,
            at_ms: whole.at_ms,
            ..Subscription::new(scope, whole.asked_ms)
        };
        let part = Part::new(self.whole_of(key), cluster, of_part);
        self.add(AnyView::Part(Box::new(part)), sender)
    }

    /// What a part holds may not be shown any more, or is asked for anew.
    pub(super) fn empty_part(&mut self, key: ViewKey, now: Now, sender: &mut Sender<'_>) {
        let Some(AnyView::Part(part)) = self.get_mut(key) else { return };
        let (view, mut left) = (part.view, Rows::default());
        part.take_out(&mut left);
        part.purge();
        if !left.delete.is_empty() {
            self.replace_rows(view, left, now, sender);
        }
    }

    /// Whether it answers what a split view asks for beside its parts: the viewer may see other namespaces than
    /// before. The parts of those that stay go on as they are. Where they are one, all or none, the view is whole
    /// again, and the answer is taken as any other.
    pub(super) fn takes_as_split(&mut self, answer: &Subscribed, now: Now, sender: &mut Sender<'_>) -> bool {
        let Some(key) = self.split_by(answer.id) else { return false };
        let counts = self.counts_of(key);
        let Some(view) = self.get_mut(key) else { return false };
        let granted = &answer.scope.namespaces;
        let is_less = view.subscription_mut().grant(granted, &counts, now.now_ms);
        if is_less {
            sender.say(Output::Purged(self.whole_of(key)));
        }
        let is_refused = matches!(answer.state.state, ViewState::Forbidden { .. });
        let Some(names) = Namespaces::All.parts(Some(granted), PARTS_MAX).filter(|_| is_refused) else {
            self.join(answer.id, now, sender);
            return false;
        };
        let kept = self.close_parts(key, |name| names.contains(name), now, sender);
        let Some(view) = self.get(key) else { return true };
        let whole = view.subscription().clone();
        let mut parts = Vec::with_capacity(names.len());
        for name in names {
            let known = kept.iter().find(|(_, kept)| kept == name).map(|(key, _)| *key);
            parts.push(known.unwrap_or_else(|| self.add_namespace(key, &whole, name, sender)));
        }
        if let Some(view) = self.get_mut(key) {
            view.subscription_mut().phase = Phase::Split { parts, of_all: OfAll::Asked { id: answer.id } };
        }
        sender.say(Output::View(key));
        true
    }

    /// How many rows each namespace of a split view, or of a split cluster, has.
    fn counts_of(&self, key: ViewKey) -> LiteMap<Namespace, usize> {
        let mut counts = LiteMap::new_vec();
        let parts = self.get(key).map(|view| view.subscription().phase.parts()).unwrap_or_default();
        for part in parts.iter().filter_map(|key| self.part(*key)).filter(|part| part.is_shown()) {
            // Each is inserted by itself: `extend` sorts, in code of its own.
            for (namespace, count) in part.source.table.namespace_counts() {
                counts.insert(namespace, count);
            }
        }
        counts
    }

    /// A split view has no parts any more, and waits for the answer to this number.
    pub(super) fn join(&mut self, id: SubscriptionId, now: Now, sender: &mut Sender<'_>) {
        let Some(key) = self.split_by(id) else { return };
        self.close_parts(key, |_| false, now, sender);
        if let Some(view) = self.get_mut(key) {
            view.subscription_mut().phase = Phase::Asked { id };
        }
    }

    fn split_by(&self, id: SubscriptionId) -> Option<ViewKey> {
        self.keys(|subscription| subscription.phase.of_all() == Some(id)).first().copied()
    }

    /// Closes the parts of other namespaces than these, whose rows leave. Returns the others.
    fn close_parts(
        &mut self,
        key: ViewKey,
        stays: impl Fn(&Namespace) -> bool,
        now: Now,
        sender: &mut Sender<'_>,
    ) -> Vec<(ViewKey, Namespace)> {
        let mut kept = Vec::new();
        let parts = self.get(key).map(|view| view.subscription().phase.parts().to_vec());
        for part_key in parts.unwrap_or_default() {
            match self.part(part_key).and_then(Part::namespace) {
                Some(name) if stays(name) => kept.push((part_key, name.clone())),
                _ => self.close_part(part_key, now, sender),
            }
        }
        kept
    }

    /// Its rows leave, and those of its own parts.
    fn close_part(&mut self, key: ViewKey, now: Now, sender: &mut Sender<'_>) {
        for part in
            self.part(key).map(|part| part.source.subscription.phase.parts().to_vec()).unwrap_or_default()
        {
            self.empty_part(part, now, sender);
        }
        self.empty_part(key, now, sender);
        self.close(key, sender);
    }

    /// A view of several clusters asks for each of them from its beginning.
    pub(super) fn split_into_clusters(&mut self, key: ViewKey, now: Now, sender: &mut Sender<'_>) {
        let Some(view) = self.get_mut(key) else { return };
        if view.subscription().clusters.is_empty() || view.is_split() {
            return;
        }
        if let AnyView::Rows(view) = view {
            let columns = view.table().own_columns().clone();
            view.table_mut().begin_anew(columns);
        }
        let whole = view.subscription().clone();
        let names = whole.clusters.iter();
        let parts = names.map(|name| self.add_cluster(key, &whole, name, now, sender)).collect();
        if let Some(view) = self.get_mut(key) {
            view.subscription_mut().phase = Phase::Split { parts, of_all: OfAll::Nothing };
        }
    }

    /// Adds and removes clusters of a view of several, which stays what it is for the others.
    pub(in crate::client) fn set_clusters(
        &mut self,
        key: ViewKey,
        clusters: &[ClusterName],
        now: Now,
        sender: &mut Sender<'_>,
    ) {
        let Some(view) = self.get(key) else { return };
        let whole = view.subscription().clone();
        if whole.clusters.is_empty() || clusters.len() < 2 || whole.clusters == clusters {
            return;
        }
        let mut known: Vec<(ViewKey, ClusterName)> = Vec::new();
        for part in whole.phase.parts() {
            match self.get(*part).and_then(AnyView::cluster) {
                Some(name) if clusters.contains(name) => known.push((*part, name.clone())),
                _ => self.close_part(*part, now, sender),
            }
        }
        let mut parts = Vec::with_capacity(clusters.len());
        for name in clusters {
            let part = known.iter().find(|(_, known)| known == name).map(|(key, _)| *key);
            parts.push(part.unwrap_or_else(|| self.add_cluster(key, &whole, name, now, sender)));
        }
        if let Some(view) = self.get_mut(key) {
            let subscription = view.subscription_mut();
            subscription.clusters = clusters.to_vec();
            subscription.phase = Phase::Split { parts, of_all: OfAll::Nothing };
        }
        self.update_parts(now, sender);
    }

    fn add_cluster(
        &mut self,
        key: ViewKey,
        whole: &Subscription,
        name: &ClusterName,
        now: Now,
        sender: &mut Sender<'_>,
    ) -> ViewKey {
        let scope = Scope { cluster: Some(name.clone()), ..whole.scope.clone() };
        if whole.projection == Projection::Timeline {
            let log = TimelineView::new(timeline(scope, None, now));
            let part = LogPart { view: key, cluster: name.clone(), log };
            return self.add(AnyView::LogPart(Box::new(part)), sender);
        }
        let whole = Subscription { asked_ms: now.now_ms, ..whole.clone() };
        self.add_part(key, &whole, Some(name.clone()), scope, sender)
    }

    /// The log of several clusters takes over what came to one of them.
    pub(super) fn take_entries(&mut self, key: ViewKey) {
        if !matches!(self.get(key), Some(AnyView::LogPart(_))) {
            return;
        }
        let Some(AnyView::LogPart(mut part)) = self.by_key.remove(&key) else { return };
        if let Some(AnyView::Timeline(whole)) = self.get_mut(part.view) {
            whole.take_from(&mut part.log, &part.cluster);
        }
        self.by_key.insert(key, AnyView::LogPart(part));
    }

    /// A split view takes over what changed in its parts.
    fn merge_parts(&mut self, key: ViewKey, now: Now, sender: &mut Sender<'_>) {
        let Some(view) = self.table(key) else { return };
        let (columns, is_whole) = (view.table().own_columns().clone(), view.table().is_whole());
        let clusters = view.subscription().clusters.clone();
        let mut parts: Vec<&mut Part> = parts_of(&mut self.by_key, key).collect();
        let merged = merge::merge(&mut parts, &clusters, &columns);
        let Some(view) = self.table_mut(key) else { return };
        let subscription = &mut view.source_mut().subscription;
        (subscription.report, subscription.proof, subscription.resyncs) =
            (merged.report, merged.proof, merged.resyncs);
        subscription.withdrawn = merged.withdrawn.or(subscription.withdrawn.take());
        let begins_anew = merged.columns.is_some() && !view.table().is_empty();
        if let Some(columns) = merged.columns {
            view.table_mut().begin_anew(columns);
        }
        let changes = merged.changes;
        let has_changes = !changes.put.is_empty() || !changes.delete.is_empty() || changes.gap.is_some();
        if has_changes || begins_anew || !(is_whole || merged.is_awaited) {
            self.replace_rows(key, changes, now, sender);
        }
    }

    /// Applies a part's changes to the table of its view, which has a chain of its own.
    pub(super) fn apply_changes(&mut self, key: ViewKey, changes: Rows, now: Now) -> Option<Delta> {
        self.apply_rows(key, changes, View::apply, now)
    }

    fn apply_rows(&mut self, key: ViewKey, changes: Rows, apply: Apply<O>, now: Now) -> Option<Delta> {
        let more = merge::is_awaited(parts_of(&mut self.by_key, key).map(|part| &*part));
        let view = self.table_mut(key)?;
        let from = view.table().position()?;
        apply(view, Rows { from, to: from + 1, more, ..changes }, now.now_ms).ok()
    }

    pub(super) fn replace_rows(&mut self, key: ViewKey, changes: Rows, now: Now, sender: &mut Sender<'_>) {
        let Some(delta) = self.apply_rows(key, changes, View::replace, now) else { return };
        sender.say(Output::Rows(key, Box::new(delta)));
    }
}

type Apply<O> = fn(&mut View<O>, Rows, UnixMillis) -> Result<Delta, Broken>;

/// Those that have rows of their own.
fn parts_of<O>(views: &mut LiteMap<ViewKey, AnyView<O>>, key: ViewKey) -> impl Iterator<Item = &mut Part> {
    views.iter_mut().filter_map(move |(_, view)| match view {
        AnyView::Part(part) if part.view == key && !part.is_split() => Some(&mut **part),
        _ => None,
    })
}

/// The gateway serves a single namespace from a feed of its own by itself.
pub(super) fn is_refused_as_a_whole(subscription: &Subscription) -> bool {
    let is_forbidden = match subscription.ended() {
        Some(problem) => problem.reason == Reason::Hidden,
        None => {
            subscription.phase.wire_id().is_some()
                && matches!(subscription.state(), Some(ViewState::Forbidden { .. }))
        }
    };
    is_forbidden && parts_asked(subscription).is_some()
}

fn parts_asked(subscription: &Subscription) -> Option<&[Namespace]> {
    subscription.scope.namespaces.parts(subscription.granted.as_ref(), PARTS_MAX)
}
