//! What a registry knows of those who read the events of a feed as an API server has them: who has to listen, and
//! where a subscription's feed is read.

use crate::feed::FeedKey;
use crate::hub::Listen;

/// The readers of events. [`crate::kubernetes`] has them.
pub trait Mirrors: Send + Sync {
    /// The one that has to listen to the feed's hub. `None`: one listens already.
    fn listener(&self, key: &FeedKey) -> Option<Box<dyn Listen>>;

    /// The subscription with this seat was opened at this feed.
    fn seat(&self, seat: u64, key: &FeedKey);
}
