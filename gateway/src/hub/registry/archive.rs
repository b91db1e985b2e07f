//! What a registry knows of a record: who listens to a hub, and who plays a feed of the past. [`crate::past`] has one.

use futures_util::future::BoxFuture;
use shared::resource_version::ResourceVersion;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::cluster::Cluster;
use crate::feed::{AsOf, FeedCommand, FeedKey, FeedOutput, Redaction};
use crate::hub::Listen;

/// A record of hubs.
pub trait Archive: Send + Sync {
    /// The listener of a feed's hub. `None`: the feed isn't recorded.
    fn listener(&self, key: &FeedKey, cluster: &Cluster, redaction: &Redaction) -> Option<Box<dyn Listen>>;

    /// Where a former run's record of this feed ended: a feed that begins there loses nothing.
    fn ended_at(&self, key: &FeedKey, cluster: &Cluster) -> Option<ResourceVersion>;

    /// Plays a feed as of a time, until it is cancelled.
    fn play(&self, past: PastFeed) -> BoxFuture<'static, ()>;
}

/// A feed of the past on its way to its hub.
pub struct PastFeed {
    pub key: FeedKey,
    pub as_of: AsOf,
    pub cluster: Cluster,
    /// The rules of now.
    pub redaction: Redaction,
    pub outputs: mpsc::Sender<FeedOutput>,
    pub commands: mpsc::Receiver<FeedCommand>,
    pub cancel: CancellationToken,
}
