//! Which objects of a feed a request is about.

use shared::name::{Namespace, ObjectName};
use shared::selector::{FieldSelector, LabelSelector};

use super::version::Version;

/// A namespace or all, one name or all, and what selectors choose. The feed itself has what the API server selects by
/// fields beyond names.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub namespace: Option<Namespace>,
    pub name: Option<ObjectName>,
    pub labels: Option<LabelSelector>,
    pub fields: Option<FieldSelector>,
}

impl Selection {
    pub(super) fn chooses(&self, version: &Version) -> bool {
        let (namespace, name) = version.row.place();
        self.namespace.as_ref().is_none_or(|wanted| Some(wanted.as_str()) == namespace)
            && self.name.as_ref().is_none_or(|wanted| wanted.as_str() == name)
            && self.fields.as_ref().is_none_or(|fields| fields.matches(namespace, name))
            && self.labels.as_ref().is_none_or(|labels| labels.matches(|key| version.labels.get(key)))
    }

    /// Whether an object of which only the key is known may be among them.
    pub(super) fn may_choose(&self, key: &str) -> bool {
        match key.split_once('/') {
            Some((namespace, name)) => {
                self.namespace.as_ref().is_none_or(|wanted| wanted.as_str() == namespace)
                    && self.name.as_ref().is_none_or(|wanted| wanted.as_str() == name)
            }
            // It has no namespace, or nothing is known of it but that it is there.
            None => true,
        }
    }
}
