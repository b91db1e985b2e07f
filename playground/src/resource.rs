//! The resources that the server serves, with their names, scope and verbs. Pure.
//! It never holds objects; those are in `store`.

use std::sync::Arc;

use kubernetes_api::Served;

use crate::table::Printer;

/// A resource in all its versions, whose objects are kept together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupResource {
    pub group: String,
    pub plural: String,
}

impl GroupResource {
    pub fn new(group: &str, plural: &str) -> Self {
        Self { group: group.to_owned(), plural: plural.to_owned() }
    }

    /// By `pods` or `deployments.apps`, as people write it.
    pub fn of(name: &str) -> Self {
        let (plural, group) = name.split_once('.').unwrap_or((name, ""));
        Self::new(group, plural)
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
    /// The fields besides name and namespace that it can be selected by, like `spec.color`.
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
    /// A record: nothing of it can be changed.
    Read,
    /// `metrics.k8s.io`: read, never watched.
    GetList,
    /// The access reviews: only created, never kept.
    Create,
}

impl Verbs {
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::All => &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
            Self::NoDeleteCollection => &["create", "delete", "get", "list", "patch", "update", "watch"],
            Self::Read => &["get", "list", "watch"],
            Self::GetList => &["get", "list"],
            Self::Create => &["create"],
        }
    }

    pub fn has(self, verb: &str) -> bool {
        self.names().contains(&verb)
    }
}

impl ResourceType {
    /// A built-in, namespaced resource without short names, subresources and a printer.
    pub fn new(api_version: &str, plural: &str, kind: &str, verbs: Verbs) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            plural: plural.to_owned(),
            singular: kind.to_lowercase(),
            kind: kind.to_owned(),
            list_kind: format!("{kind}List"),
            short_names: Vec::new(),
            categories: Vec::new(),
            namespaced: true,
            verbs,
            subresources: Vec::new(),
            printer: Printer::None,
            selectable: Vec::new(),
            built_in: true,
        }
    }

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

    pub fn is(&self, group: &str, plural: &str) -> bool {
        self.group == group && self.plural == plural
    }

    pub fn has_subresource(&self, name: &str) -> bool {
        self.subresources.iter().any(|found| found == name)
    }

    /// Objects are kept without kind and apiVersion; a whole one begins with this.
    pub fn head(&self) -> String {
        format!("{{\"kind\":\"{}\",\"apiVersion\":\"{}\",", self.kind, self.api_version())
    }
}

/// Everything that is served at this moment, in discovery's order.
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
        self.types.iter().find(|kind| kind.version == version && kind.is(group, plural))
    }

    /// The preferred version of a resource: the first one listed.
    pub fn preferred(&self, at: &GroupResource) -> Option<&Arc<ResourceType>> {
        self.types.iter().find(|kind| kind.is(&at.group, &at.plural))
    }

    /// By `pods` or `deployments.apps`, as people write it.
    pub fn by_name(&self, name: &str) -> Option<&Arc<ResourceType>> {
        self.preferred(&GroupResource::of(name))
    }

    /// By the apiVersion and kind of an object.
    pub fn by_kind(&self, api_version: &str, kind: &str) -> Option<&Arc<ResourceType>> {
        self.types.iter().find(|found| found.kind == kind && found.api_version() == api_version)
    }

    /// Replaces every version of a custom resource by new ones (none: it is gone).
    pub fn replace(&mut self, at: &GroupResource, new: Vec<ResourceType>) {
        self.types.retain(|kind| !kind.is(&at.group, &at.plural));
        self.types.extend(new.into_iter().map(Arc::new));
    }

    /// Every group but the core one.
    pub fn groups(&self) -> Vec<&str> {
        distinct(self.types.iter().map(|kind| kind.group.as_str()).filter(|group| !group.is_empty()))
    }

    pub fn versions(&self, group: &str) -> Vec<&str> {
        distinct(self.types.iter().filter(|kind| kind.group == group).map(|kind| kind.version.as_str()))
    }
}

/// Each text once, in the order in which it first comes.
fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for text in texts {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

impl Served for ResourceType {
    fn group(&self) -> &str {
        &self.group
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn plural(&self) -> &str {
        &self.plural
    }

    fn kind(&self) -> &str {
        &self.kind
    }

    fn is_built_in(&self) -> bool {
        self.built_in
    }
}
