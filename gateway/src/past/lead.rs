//! What a demo lived through before its start: its fleet makes the changes of ten minutes in a second or two, feeds without
//! viewers hear of them, and the record has each at the time at which it would have been made.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use history::KindKey;
use shared::resource_version::ResourceVersion;
use tokio::sync::watch;

use super::kept::recorded_feeds;
use super::record::Record;
use crate::cluster::Cluster;
use crate::demo::Demo;
use crate::feed::{FeedKey, FeedOptions, Redaction};
use crate::hub::{Archive, FeedBounds, Heard, Listen, PastFeed, Registry};
use crate::inventory::Inventory;
use crate::limits::{LEAD_CHANGES_PER_STEP, LEAD_STEP_S, LEAD_STEP_WAIT_MS};
use crate::metrics::Metrics;

/// Goes through the time before the start, and has the fleets go on by themselves.
pub async fn live_before(
    record: &Arc<Record>,
    clusters: &Inventory,
    (redaction, metrics): (Redaction, Metrics),
    demos: &[Demo],
) {
    let lead = record.settings().lead;
    if !lead.is_zero() {
        let (heard, mut hears) = watch::channel(HashMap::new());
        let listeners = Listeners { record: Arc::clone(record), heard: Arc::new(heard) };
        let options = FeedOptions { redaction, ..FeedOptions::default() };
        // No viewer is ever led to it.
        let registry = Registry::new(clusters.clone(), options, FeedBounds::default(), metrics, || 0);
        registry.record(Arc::new(listeners));
        let kept = kept(record, &registry, clusters, demos);
        hear(&mut hears, kept.iter().map(|(_, key)| (key.clone(), 0)).collect()).await;
        let step = Duration::from_secs(LEAD_STEP_S);
        let mut ago = lead;
        while let Some(less) = ago.checked_sub(step) {
            record.clock().set_behind(ago);
            let mut wanted = HashMap::new();
            for demo in demos {
                let before = demo.playground().revision();
                demo.playground().step_fleet_of(ago, LEAD_CHANGES_PER_STEP);
                for (of, key) in &kept {
                    let last = demo.playground().last_change(&key.resource.to_string(), before);
                    if let Some(last) = last.filter(|_| of == demo.name()) {
                        wanted.insert(key.clone(), last);
                    }
                }
            }
            hear(&mut hears, wanted).await;
            ago = less;
        }
        record.clock().set_behind(Duration::ZERO);
        registry.shutdown().await;
        demos.iter().for_each(|demo| demo.playground().go_on());
    }
}

/// Feeds of all that is recorded, by the name of their cluster.
fn kept(
    record: &Record,
    registry: &Registry,
    clusters: &Inventory,
    demos: &[Demo],
) -> Vec<(shared::name::ClusterName, KindKey)> {
    let mut kept = Vec::new();
    for demo in demos {
        let Some(reached) = clusters.find(Some(demo.name())).and_then(|of| of.reached) else { continue };
        for key in recorded_feeds(record, &reached.cluster) {
            if registry.keep(&key).is_ok() {
                kept.push((demo.name().clone(), record.key(&reached.cluster, &key.resource)));
            }
        }
    }
    kept
}

/// Waits until all of this was heard. What takes too long is recorded a step later.
async fn hear(hears: &mut watch::Receiver<HashMap<KindKey, u64>>, wanted: HashMap<KindKey, u64>) {
    let is_heard = |heard: &HashMap<KindKey, u64>| {
        wanted.iter().all(|(key, revision)| heard.get(key).is_some_and(|heard| heard >= revision))
    };
    let all = hears.wait_for(is_heard);
    // A demo begins whether or not its past is whole.
    drop(tokio::time::timeout(Duration::from_millis(LEAD_STEP_WAIT_MS), all).await);
}

struct Listeners {
    record: Arc<Record>,
    heard: Arc<watch::Sender<HashMap<KindKey, u64>>>,
}

impl Archive for Listeners {
    fn listener(&self, key: &FeedKey, cluster: &Cluster, redaction: &Redaction) -> Option<Box<dyn Listen>> {
        Some(Box::new(Listener {
            record: Arc::clone(&self.record),
            key: self.record.key(cluster, &key.resource),
            rules: redaction.digest(),
            heard: Arc::clone(&self.heard),
        }))
    }

    fn ended_at(&self, _: &FeedKey, _: &Cluster) -> Option<ResourceVersion> {
        None
    }

    fn play(&self, _: PastFeed) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}

/// Its end is none of the record: the feeds of the gateway follow.
struct Listener {
    record: Arc<Record>,
    key: KindKey,
    rules: u64,
    heard: Arc<watch::Sender<HashMap<KindKey, u64>>>,
}

impl Listen for Listener {
    fn hear(&mut self, heard: Vec<Heard>) -> bool {
        let revisions = heard.iter().filter_map(|heard| match heard {
            Heard::Version(version) => Some(&version.row.resource_version),
            Heard::Deleted { resource_version, .. }
            | Heard::Loaded(resource_version)
            | Heard::Proof(resource_version, _) => Some(resource_version),
            Heard::Lost(_) | Heard::Begun | Heard::Columns(_) | Heard::LeftOut(_) | Heard::Missed(_) => None,
        });
        let last = revisions.filter_map(|version| version.as_str().parse().ok()).max();
        let is_brought = self.record.hear(&self.key, self.rules, heard);
        if let Some(last) = last {
            self.heard.send_modify(|heard| {
                let known = heard.entry(self.key.clone()).or_insert(last);
                *known = last.max(*known);
            });
        }
        is_brought
    }
}
