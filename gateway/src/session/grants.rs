//! The rights that one connection watches: one stream of grants for each subscription that needs any.

use std::collections::HashMap;

use futures_util::StreamExt;
use futures_util::future::{AbortHandle, Abortable};
use futures_util::stream::{self, BoxStream, SelectAll};
use shared::frame::client::SubscriptionId;
use shared::name::ClusterName;
use tokio::sync::watch;

use super::protocol::ReviewRequest;
use crate::access::{Grant, Reviews};

#[derive(Default)]
pub(super) struct Grants {
    streams: SelectAll<Abortable<BoxStream<'static, (SubscriptionId, Grant)>>>,
    /// Ends a stream.
    ends: HashMap<SubscriptionId, AbortHandle>,
}

impl Grants {
    /// A cluster that is gone has no reviews; its subscriptions are about to end.
    pub(super) fn perform(
        &mut self,
        request: ReviewRequest,
        reviews_of: impl FnOnce(&ClusterName) -> Option<Reviews>,
    ) {
        match request {
            ReviewRequest::Watch(id, cluster, subject, question) => {
                let Some(reviews) = reviews_of(&cluster) else { return };
                let grants = of(reviews.watch(&subject, question));
                let (end, ending) = AbortHandle::new_pair();
                self.streams.push(Abortable::new(grants.map(move |grant| (id, grant)).boxed(), ending));
                if let Some(former) = self.ends.insert(id, end) {
                    former.abort();
                }
            }
            ReviewRequest::Forget(id) => {
                if let Some(end) = self.ends.remove(&id) {
                    end.abort();
                }
            }
        }
    }

    /// Never returns while nothing is watched.
    pub(super) async fn next(&mut self) -> (SubscriptionId, Grant) {
        match self.streams.next().await {
            Some(granted) => granted,
            None => std::future::pending().await,
        }
    }
}

/// The grant as soon as it is known, and whenever it changes.
fn of(mut receiver: watch::Receiver<Option<Grant>>) -> impl stream::Stream<Item = Grant> {
    receiver.mark_changed();
    stream::unfold(receiver, |mut receiver| async move {
        loop {
            receiver.changed().await.ok()?;
            let grant = receiver.borrow_and_update().clone();
            if let Some(grant) = grant {
                return Some((grant, receiver));
            }
        }
    })
}
