//! A viewer's identity in the API server. Never the viewer's rights.

use std::collections::{BTreeMap, BTreeSet};

/// A viewer's identity in the API server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subject {
    pub user: Box<str>,
    pub uid: Box<str>,
    pub groups: BTreeSet<Box<str>>,
    pub extra: BTreeMap<Box<str>, Vec<Box<str>>>,
}

/// The group of all authenticated users, whether their credential names it or not.
pub(super) const AUTHENTICATED: &str = "system:authenticated";
