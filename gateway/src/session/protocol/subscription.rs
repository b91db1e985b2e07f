//! One open subscription of a session.

use std::sync::Arc;

use crate::feed::FeedKey;
use crate::hub::SubscriptionRequest;

pub(super) struct Subscription<H> {
    pub(super) hub: H,
    pub(super) feed: FeedKey,
    pub(super) request: Arc<SubscriptionRequest>,
    /// It waits for its turn to pull.
    pub(super) has_news: bool,
}

impl<H> Subscription<H> {
    /// A frame moved the client, so its token is of the past.
    pub(super) fn forget_token(&mut self) {
        if self.request.token.is_some() {
            Arc::make_mut(&mut self.request).token = None;
        }
    }
}
