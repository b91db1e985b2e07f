//! "How fresh is this?": the proofs of a view, from the API server and from the gateway.

use replica::freshness::{Cause, ClusterState, Freshness};
use replica::subscription::Subscription;
use shared::state::UnixMillis;

use crate::messages;
use crate::pill::{Hop, ProofHops, words};
use crate::table_view::Client;

/// `rows`: the number of rows that a digest covers.
pub(crate) fn proof(
    client: &Client,
    subscription: &Subscription,
    rows: Option<usize>,
    clusters: &[ClusterState],
    freshness: &Freshness,
    now_ms: UnixMillis,
) -> ProofHops {
    let ago = |ms: UnixMillis| messages::ago(now_ms.saturating_sub(ms));
    let proof = subscription.proof.as_ref();
    let is_broken =
        |state: &Freshness| matches!(state.worst(), Freshness::Stale { cause: Cause::Upstream { .. }, .. });
    let of_cluster = |state: &ClusterState| {
        let proof = state.proof.as_ref().filter(|_| state.freshness.shows_rows());
        let said = proof.map_or_else(|| words::NO_PROOF.to_owned(), |proof| ago(proof.proven_ms));
        (state.name.to_string(), said)
    };
    let cluster = Hop {
        is_broken: is_broken(freshness) || clusters.iter().any(|state| is_broken(&state.freshness)),
        facts: match proof {
            _ if !clusters.is_empty() => clusters.iter().map(of_cluster).collect(),
            Some(proof) => vec![
                (words::LAST_PROOF.to_owned(), ago(proof.proven_ms)),
                (format!("resourceVersion {}", proof.resource_version), String::new()),
            ],
            None => vec![(words::NO_PROOF.to_owned(), String::new())],
        },
    };
    let mut facts = Vec::new();
    if !client.connection().is_open() {
        facts.push((messages::NO_GATEWAY.to_owned(), String::new()));
    }
    if let Some(proof) = proof {
        facts.push((words::LAST_SYNC.to_owned(), ago(proof.synced_ms)));
        if let Some((equal_ms, rows)) = proof.equal_ms.zip(rows) {
            let rows = u64::try_from(rows).unwrap_or(u64::MAX);
            facts.push((words::digest_over(rows), ago(equal_ms)));
        }
    }
    let gateway = Hop { is_broken: !client.connection().is_open(), facts };
    let title = if freshness.is_stale() { words::WHY_STALE } else { words::HOW_FRESH }.to_owned();
    ProofHops { title, said: String::new(), cluster, gateway, foot: words::proof_foot() }
}
