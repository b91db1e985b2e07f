//! What the server serves: a resource with its names, scope and verbs. Pure.
//! It never holds objects; those are in `store`.

use std::sync::Arc;

use crate::table::Printer;

/// Where objects of all versions of a resource are kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupResource {
    pub group: String,
    pub plural: String,
}

impl GroupResource {
    pub fn new(group: &str, plural: &str) -> Self {
        Self { group: group.to_owned(), plural: plural.to_owned() }
    }
}

/// One resource in one version, as discovery describes it.
#[derive(Clone, Debug)]
pub struct ResourceType {
    pub group: String,
    pub version: String,
    pub plural: String,
    pub singular: String,
    pub kind: String,
    pub list_kind: String,
    pub short_names: Vec<String>,
    pub categories: Vec<String>,
    pub namespaced: bool,
    pub verbs: Verbs,
    pub subresources: Vec<String>,
    pub printer: Printer,
    /// What a custom kind can be selected by, like `spec.color`.
    pub selectable: Vec<String>,
    /// Items in a list of a built-in kind carry no kind and apiVersion; custom ones do.
    pub built_in: bool,
}

/// Which requests a resource answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbs {
    All,
    /// Namespaces, which are deleted one by one.
    NoDeleteCollection,
    /// `metrics.k8s.io` and its like: read, never watched.
    GetList,
    /// The access reviews: only created, never kept.
    Create,
}

impl Verbs {
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::All => &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
            Self::NoDeleteCollection => &["create", "delete", "get", "list", "patch", "update", "watch"],
            Self::GetList => &["get", "list"],
            Self::Create => &["create"],
        }
    }

    pub fn has(self, verb: &str) -> bool {
        self.names().contains(&verb)
    }
}

impl ResourceType {
    /// `pods`, or `deployments.apps`.
    pub fn qualified(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }

    /// `v1`, or `apps/v1`.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    pub fn group_resource(&self) -> GroupResource {
        GroupResource::new(&self.group, &self.plural)
    }

    /// Objects are kept without kind and apiVersion; this is what a whole one begins with.
    pub fn head(&self) -> String {
        format!("{{\"kind\":\"{}\",\"apiVersion\":\"{}\",", self.kind, self.api_version())
    }
}

/// All that is served at this moment, in discovery's order.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    types: Vec<Arc<ResourceType>>,
}

impl Catalog {
    pub fn new(types: Vec<ResourceType>) -> Self {
        Self { types: types.into_iter().map(Arc::new).collect() }
    }

    pub fn all(&self) -> &[Arc<ResourceType>] {
        &self.types
    }

    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<ResourceType>> {
        self.types.iter().find(|kind| kind.group == group && kind.version == version && kind.plural == plural)
    }

    /// The preferred version of a resource: the first one listed.
    pub fn preferred(&self, at: &GroupResource) -> Option<&Arc<ResourceType>> {
        self.types.iter().find(|kind| kind.group == at.group && kind.plural == at.plural)
    }

    /// By `pods` or `deployments.apps`, as people write it.
    pub fn by_name(&self, name: &str) -> Option<&Arc<ResourceType>> {
        let (plural, group) = name.split_once('.').unwrap_or((name, ""));
        self.types.iter().find(|kind| kind.plural == plural && kind.group == group)
    }

    /// By what an object says of itself.
    pub fn by_kind(&self, api_version: &str, kind: &str) -> Option<&Arc<ResourceType>> {
        self.types.iter().find(|found| found.kind == kind && found.api_version() == api_version)
    }

    /// Replaces every version of a custom resource by new ones (none: it is gone).
    pub fn replace(&mut self, at: &GroupResource, new: Vec<ResourceType>) {
        self.types.retain(|kind| kind.group != at.group || kind.plural != at.plural);
        self.types.extend(new.into_iter().map(Arc::new));
    }

    pub fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = Vec::new();
        for kind in &self.types {
            if !kind.group.is_empty() && !groups.contains(&kind.group.as_str()) {
                groups.push(&kind.group);
            }
        }
        groups
    }

    pub fn versions(&self, group: &str) -> Vec<&str> {
        let mut versions: Vec<&str> = Vec::new();
        for kind in self.types.iter().filter(|kind| kind.group == group) {
            if !versions.contains(&kind.version.as_str()) {
                versions.push(&kind.version);
            }
        }
        versions
    }
}
