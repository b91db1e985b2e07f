//! Role-based access control as the real authorizer does it, from the Role and binding objects that are
//! there at that moment. Pure; it never knows HTTP or tokens.
//!
//! Reading order: `user` (who asks), `Attributes` (what for), `rule` (one line of a role), `rights` (all of
//! them together).

mod rights;
mod rule;
mod user;

use serde_json::{Value, json};

pub use rights::Rights;
pub use user::{TokenFileError, User};

/// The roles and bindings that every cluster has from its start.
pub fn default_objects() -> Vec<Value> {
    let mut objects: Vec<Value> =
        serde_saphyr::from_str(include_str!("rbac/defaults.yaml")).unwrap_or_default();
    for object in &mut objects {
        for (map, key, value) in [
            ("labels", "kubernetes.io/bootstrapping", "rbac-defaults"),
            ("annotations", "rbac.authorization.kubernetes.io/autoupdate", "true"),
        ] {
            crate::json::set(object, &["metadata", map, key], json!(value));
        }
    }
    objects
}
