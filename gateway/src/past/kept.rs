//! Kinds that are recorded without viewers: their hubs run for as long as the gateway does.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use history::KindKey;
use shared::resource::Kind;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::record::Record;
use crate::cluster::Cluster;
use crate::feed::FeedKey;
use crate::hub::Registry;
use crate::inventory::Inventory;
use crate::limits::{RECORD_LOOK_S, RECORD_REVIEWS_AT_ONCE};

/// Has all that is to be recorded recorded, in each cluster that is reached, until it is cancelled.
pub async fn keep(record: Arc<Record>, registry: Registry, clusters: Inventory, until: CancellationToken) {
    if !record.settings().keeps() {
        return until.cancelled().await;
    }
    let mut look = interval(Duration::from_secs(RECORD_LOOK_S));
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while until.run_until_cancelled(look.tick()).await.is_some() {
        let listed = clusters.listed();
        let reached: Vec<_> = listed.borrow().iter().filter_map(|of| of.reached.clone()).collect();
        for reached in reached {
            let feeds = recorded_feeds(&record, &reached.cluster);
            for key in &feeds {
                if let Err(problem) = registry.keep(key) {
                    tracing::debug!(resource = %key.resource, "isn't recorded now: {}", problem.message);
                }
            }
            let looked = look_at_rights(&record, &reached.cluster, &feeds);
            let _ = until.run_until_cancelled(looked).await;
        }
    }
}

/// Asks which of these the gateway's own account may list, as far as that isn't known, and says what is new in the log.
async fn look_at_rights(record: &Record, cluster: &Cluster, feeds: &[FeedKey]) {
    let keys: Vec<KindKey> = feeds.iter().map(|key| record.key(cluster, &key.resource)).collect();
    let unsure = record.refused().unsure(keys.iter());
    let asked = stream::iter(unsure).map(|key| async move {
        let may = cluster.may_watch(&key.resource, None).await;
        may.map(|may| (key, may))
    });
    let answers: Vec<_> =
        asked.buffered(RECORD_REVIEWS_AT_ONCE).filter_map(std::future::ready).collect().await;
    for sentence in record.refused().note(&answers) {
        tracing::warn!(cluster = %cluster.identity().name, "{sentence}");
    }
}

/// The feeds of all kinds of a cluster that are to be recorded.
pub fn recorded_feeds(record: &Record, cluster: &Cluster) -> Vec<FeedKey> {
    let kinds = cluster.kinds();
    let kinds = Arc::clone(&kinds.borrow());
    let recorded = kinds.kinds.iter().filter(|kind| kind.disabled.is_none());
    let recorded = recorded.filter(|kind| record.settings().names(&kind.resource));
    let key = |kind: &Kind| FeedKey {
        namespace: record.settings().namespace.clone().filter(|_| kind.namespaced),
        ..FeedKey::of(kinds.cluster.clone(), kind.resource.clone())
    };
    recorded.map(key).collect()
}
