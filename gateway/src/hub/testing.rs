//! What tests of hubs and their tasks open.

use std::sync::Arc;

use shared::frame::client::SubscriptionId;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};

use super::{Open, SendPermit, SubscriptionRequest};

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
