//! What tests of hubs' owners and tasks open.

use shared::custom_column::CustomColumns;
use shared::frame::client::{Projection, SubscriptionId};
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};

use crate::hub::Opening;

/// All pods, from nothing.
pub(super) fn opening(subscription: SubscriptionId) -> Opening {
    Opening {
        subscription,
        scope: Scope {
            cluster: None,
            resource: Resource::parse("", "v1", "pods").expect("a resource"),
            namespaces: Namespaces::All,
            name: None,
            labels: None,
            fields: None,
        },
        projection: Projection::Rows,
        row: None,
        columns: CustomColumns::default(),
        is_get: false,
        is_granted: false,
        token: None,
        fresh_view: 1,
        is_second: false,
    }
}
