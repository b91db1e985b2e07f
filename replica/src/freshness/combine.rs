//! One state for a view whose namespaces, or whose clusters, have a subscription each: the worst of theirs.

use shared::state::UnixMillis;

use super::{Freshness, Partly, past};

/// `None` where there are no parts.
pub(super) fn combine(parts: Vec<(Box<str>, Freshness)>) -> Option<Freshness> {
    let worst = parts.iter().map(|(_, state)| severity(state)).max()?;
    let is_stale = parts.iter().any(|(_, state)| state.is_stale());
    let count = parts.len();
    let (worst_parts, others): (Vec<_>, Vec<_>) =
        parts.into_iter().partition(|(_, state)| severity(state) == worst);
    let (names, states): (Vec<Box<str>>, Vec<Freshness>) = worst_parts.into_iter().unzip();
    let worst = states.into_iter().reduce(merge)?;
    let others = others.into_iter().map(|(_, state)| state);
    let Some(rest) = worst_of(others.filter(Freshness::shows_rows).collect()) else { return Some(worst) };
    Some(Freshness::Partly(Box::new(Partly { worst, names, rest, count, is_stale, clusters: Vec::new() })))
}

/// If a cluster is split into namespaces, the state of its shown rows counts. A refusal in one of them is reported for
/// that cluster alone.
pub(super) fn combine_clusters(clusters: Vec<(Box<str>, Freshness)>) -> Freshness {
    let states = clusters.iter().map(|(name, state)| (name.clone(), state.of_rows().clone())).collect();
    let asked_ms = UnixMillis::MAX;
    match combine(states) {
        Some(Freshness::Partly(mut partly)) => {
            partly.is_stale =
                clusters.iter().all(|(_, state)| !state.shows_rows() || state.of_rows().is_stale());
            partly.clusters = clusters;
            Freshness::Partly(partly)
        }
        Some(alike) => alike,
        None => Freshness::Syncing { n: 0, of: None, asked_ms },
    }
}

fn worst_of(states: Vec<Freshness>) -> Option<Freshness> {
    let worst = states.iter().map(severity).max()?;
    states.into_iter().filter(|state| severity(state) == worst).reduce(merge)
}

/// The page names the most severe state first.
fn severity(state: &Freshness) -> u8 {
    match state {
        Freshness::Live { .. } | Freshness::Past(_) => 0,
        Freshness::Polled { .. } => 1,
        Freshness::Resuming { .. } => 2,
        Freshness::Syncing { .. } => 3,
        Freshness::Stale { .. } => 4,
        Freshness::OtherVersion { .. } => 5,
        Freshness::Failed { .. } => 6,
        Freshness::Gone { .. } => 7,
        Freshness::Forbidden { .. } => 8,
        Freshness::Partly(partly) => severity(&partly.worst),
    }
}

/// One state for two of the same kind: the sum of two loads, else the one that began first.
fn merge(one: Freshness, other: Freshness) -> Freshness {
    match (one, other) {
        (
            Freshness::Syncing { n, of, asked_ms },
            Freshness::Syncing { n: others, of: of_others, asked_ms: other_ms },
        ) => Freshness::Syncing {
            n: n.saturating_add(others),
            of: of.zip(of_others).map(|(of, others)| of.saturating_add(others)),
            asked_ms: asked_ms.min(other_ms),
        },
        (Freshness::Past(one), Freshness::Past(other)) => {
            Freshness::Past(Box::new(past::merge(*one, *other)))
        }
        (one, other) if begin_ms(&other) < begin_ms(&one) => other,
        (one, _) => one,
    }
}

fn begin_ms(state: &Freshness) -> UnixMillis {
    match state {
        Freshness::Live { proven_ms } | Freshness::Polled { proven_ms, .. } => *proven_ms,
        Freshness::Syncing { asked_ms, .. } => *asked_ms,
        Freshness::Resuming { from_ms, .. } => *from_ms,
        Freshness::Stale { since_ms, .. }
        | Freshness::OtherVersion { since_ms, .. }
        | Freshness::Failed { since_ms, .. }
        | Freshness::Gone { since_ms, .. } => *since_ms,
        Freshness::Past(as_of) => as_of.at_ms,
        Freshness::Forbidden { .. } | Freshness::Partly(_) => UnixMillis::MIN,
    }
}
