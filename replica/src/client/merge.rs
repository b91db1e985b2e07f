//! How the rows of a view's parts become the rows of the view: under which columns they stand there, what changes, and
//! what is said of them together. It changes the parts and decides; the view applies.

use std::sync::Arc;

use shared::column::Column;
use shared::frame::server::Rows;
use shared::name::ClusterName;
use shared::sorted;
use shared::state::StateReport;

use super::part::{self, Part};
use crate::subscription::{Proof, Resyncs, Subscription, Withdrawn};

/// What a view takes over from its parts.
#[derive(Debug)]
pub(super) struct Merge {
    /// Other columns for the view, where it can't keep its own.
    pub(super) columns: Option<Arc<[Column]>>,
    pub(super) changes: Rows,
    /// The first rows are still on their way.
    pub(super) is_awaited: bool,
    pub(super) report: Option<StateReport>,
    pub(super) proof: Option<Proof>,
    pub(super) resyncs: Resyncs,
    pub(super) withdrawn: Option<Withdrawn>,
}

/// `clusters`: those of a view of several, in the order of their columns. `columns`: the view's.
pub(super) fn merge(parts: &mut [&mut Part], clusters: &[ClusterName], columns: &Arc<[Column]>) -> Merge {
    let other = if clusters.is_empty() {
        other_columns(parts, columns)
    } else {
        columns_of_clusters(parts, clusters, columns)
    };
    if other.is_some() {
        parts.iter_mut().for_each(|part| part.hide());
    }
    let mut changes = Rows::default();
    for part in parts.iter_mut() {
        part.show_or_hide(other.as_ref().unwrap_or(columns), &mut changes);
    }
    let is_awaited = is_awaited(parts.iter().map(|part| &**part));
    let (report, proof, resyncs) = summary(parts);
    let withdrawn = parts.iter_mut().find_map(|part| part.source.subscription.withdrawn.take());
    Merge { columns: other, changes, is_awaited, report, proof, resyncs, withdrawn }
}

/// Whether the first rows of a view are still on their way: those of all its namespaces, or of the first of its
/// clusters, because the view doesn't wait for a cluster that doesn't answer.
pub(super) fn is_awaited<'a>(parts: impl Iterator<Item = &'a Part>) -> bool {
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
    sorted::sort_by_key(parts, |part| order.iter().position(|name| Some(name) == part.cluster.as_ref()));
    let has_changed = parts.iter().any(|part| part.has_other_columns());
    let showing: Vec<&&mut Part> = parts.iter().filter(|part| part.can_show()).collect();
    let union = part::union(showing.iter().map(|part| &part.source.table));
    (!showing.is_empty() && (has_changed || union != *columns)).then_some(union)
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
