//! The garbage collector: if the controller of an object is gone, the object goes too.

use serde_json::Value;

use crate::fleet::context::{Context, controller, namespace_of};
use crate::fleet::kinds::resource_of;
use crate::json::text;

/// Deletes an object without its controller, and says whether it did.
pub(super) fn collect(context: &mut Context<'_>, resource: &'static str, object: &Value) -> bool {
    let Some(owner) = controller(object) else {
        return false;
    };
    let Some(kind) = resource_of(text(owner, "/kind")) else {
        return false;
    };
    let found = context.get(kind, namespace_of(object), text(owner, "/name"));
    let is_owned = found.is_some_and(|found| text(&found, "/metadata/uid") == text(owner, "/uid"));
    if !is_owned {
        context.delete(resource, object, 0);
    }
    !is_owned
}
