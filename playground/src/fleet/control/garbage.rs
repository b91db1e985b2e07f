//! The garbage collector: what is controlled by something that is gone goes too.

use serde_json::Value;

use crate::fleet::kinds::resource_of;
use crate::fleet::stage::{Stage, controller, namespace_of};
use crate::json::text;

/// The answer: is it garbage?
pub(super) fn collect(stage: &mut Stage<'_>, resource: &'static str, object: &Value) -> bool {
    let Some(owner) = controller(object) else {
        return false;
    };
    let Some(kind) = resource_of(text(owner, "/kind")) else {
        return false;
    };
    let found = stage.get(kind, namespace_of(object), text(owner, "/name"));
    let is_owned = found.is_some_and(|found| text(&found, "/metadata/uid") == text(owner, "/uid"));
    if !is_owned {
        stage.delete(resource, object, 0);
    }
    !is_owned
}
