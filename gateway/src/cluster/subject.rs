//! Who a viewer is to the API server. Never what they may do.

use std::collections::{BTreeMap, BTreeSet};

/// Who a viewer is to the API server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subject {
    pub user: Box<str>,
    pub uid: Box<str>,
    pub groups: BTreeSet<Box<str>>,
    pub extra: BTreeMap<Box<str>, Vec<Box<str>>>,
}

/// Everybody who logged in belongs to it, whether their credential says so or not.
pub(super) const AUTHENTICATED: &str = "system:authenticated";
