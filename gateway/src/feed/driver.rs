//! The rim of a feed: runs the machine's requests, timers and commands. No decision is taken here.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{FeedKey, FeedOptions, FeedOutput};
use crate::cluster::Cluster;

/// What its viewers may ask of a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedCommand {
    /// Try now instead of at the next time.
    Retry,
}

/// Runs until it is cancelled or nobody takes its outputs any more.
pub async fn drive(
    key: FeedKey,
    cluster: Cluster,
    options: FeedOptions,
    outputs: mpsc::Sender<FeedOutput>,
    mut commands: mpsc::Receiver<FeedCommand>,
    cancel: CancellationToken,
) {
    let _ = (key, cluster, options);
    tokio::select! {
        () = cancel.cancelled() => {}
        () = outputs.closed() => {}
        () = async { while commands.recv().await.is_some() {} std::future::pending::<()>().await } => {}
    }
}
