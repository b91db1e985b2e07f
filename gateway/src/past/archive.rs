//! How the registry of hubs reaches the record.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use history::KindKey;
use shared::past::Why;
use shared::resource_version::ResourceVersion;

use super::play::play;
use super::queue::Brought;
use super::record::Record;
use super::settings::HistorySettings;
use crate::cluster::{Cluster, UpstreamIdentity};
use crate::feed::{FeedKey, Redaction, Representation};
use crate::hub::{Archive, Heard, Listen, PastFeed};

impl Archive for Arc<Record> {
    fn listener(&self, key: &FeedKey, cluster: &Cluster, redaction: &Redaction) -> Option<Box<dyn Listen>> {
        if !is_whole(key, self.settings()) || !self.settings().names(&key.resource) {
            return None;
        }
        let recorded_as = self.key(cluster, &key.resource);
        if let Some(named) = cluster.kind_of(&key.resource) {
            self.bring(Brought::Named { key: recorded_as.clone(), named: Arc::new(named) });
        }
        Some(Box::new(Listener { record: Arc::clone(self), key: recorded_as, rules: redaction.digest() }))
    }

    fn ended_at(&self, key: &FeedKey, cluster: &Cluster) -> Option<ResourceVersion> {
        is_whole(key, self.settings()).then(|| self.take_end(&self.key(cluster, &key.resource))).flatten()
    }

    fn play(&self, past: PastFeed) -> BoxFuture<'static, ()> {
        play(Arc::clone(self), past).boxed()
    }
}

/// Whether the feed is of all objects of a kind that are to be recorded, as the gateway's own account lists them.
fn is_whole(key: &FeedKey, settings: &HistorySettings) -> bool {
    key.upstream == UpstreamIdentity::default()
        && (key.namespace.is_none() || key.namespace == settings.namespace)
        && key.name.is_none()
        && key.fields.is_none()
        && !key.is_only_listed
        && key.past.is_none()
        && key.representation == Representation::Object
}

struct Listener {
    record: Arc<Record>,
    key: KindKey,
    rules: u64,
}

impl Listen for Listener {
    fn hear(&mut self, heard: Vec<Heard>) -> bool {
        self.record.hear(&self.key, self.rules, heard)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // If the queue is full, the record says so by what it is told next.
        self.record.bring(Brought::Ended { key: self.key.clone(), why: Why::NoViewers });
    }
}
