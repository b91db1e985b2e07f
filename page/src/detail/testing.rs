//! A cluster's kinds, for tests of what an object names.

use shared::resource::{Kind, Resource};

pub(super) fn kind(group: &str, plural: &str, kind: &str, namespaced: bool) -> Kind {
    Kind::new(Resource::parse(group, "v1", plural).expect("a resource"), kind, namespaced)
}
