//! What tests of hubs and their tasks open and say.

use std::sync::Arc;

use shared::frame::client::SubscriptionId;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};

use super::{Open, SendPermit};
use crate::feed::{Change, FeedOutput};
use crate::subscription_request::SubscriptionRequest;

/// All pods, from nothing.
pub(super) fn request(id: SubscriptionId) -> SubscriptionRequest {
    let resource = Resource::parse("", "v1", "pods").expect("a resource");
    let namespaces = Namespaces::All;
    let scope = Scope { cluster: None, resource, namespaces, name: None, labels: None, fields: None };
    SubscriptionRequest::rows(id, scope)
}

/// A subscription with a view of its own.
pub(super) fn open<S>(id: SubscriptionId, session: S, permit: SendPermit) -> Open<S> {
    let request = Arc::new(request(id));
    Open { key: id.into(), request, fresh_view: id, is_second: true, session, permit }
}

pub(super) fn empty_list() -> [FeedOutput; 3] {
    let end = Change::ListEnd { resource_version: "5".into(), gap: None };
    [Change::Columns(Arc::new([])), Change::ListStart, end].map(FeedOutput::Change)
}
