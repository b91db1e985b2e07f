//! References to other objects: the owners, the node, the scale target. The kind is looked up in discovery; a
//! kind that isn't served has a name and no link. Never a request.

use serde_json::Value;
use shared::name::{Namespace, ObjectName};
use shared::resource::Kind;
use shared::scope::{Namespaces, Scope};
use shared::sorted;

use super::read;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reference {
    /// The group of its apiVersion: empty for the core group.
    pub group: String,
    pub kind: String,
    /// `None`: cluster-scoped.
    pub namespace: Option<String>,
    pub name: String,
    pub uid: Option<String>,
}

impl Reference {
    pub fn new(api_version: &str, kind: &str, namespace: Option<&str>, name: &str) -> Self {
        Self {
            group: api_version.split_once('/').map_or("", |(group, _)| group).to_owned(),
            kind: kind.to_owned(),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
            uid: None,
        }
    }

    pub(super) fn is_of(&self, group: &str, kind: &str) -> bool {
        (&*self.group, &*self.kind) == (group, kind)
    }

    /// The object itself.
    pub fn to(object: &Value) -> Option<Self> {
        let (group, kind) = read::group_and_kind(object)?;
        let namespace = read::raw(object, "/metadata/namespace");
        let name = read::raw(object, "/metadata/name")?;
        let itself = Self { group: group.to_owned(), ..Self::new("", kind, namespace, name) };
        Some(Self { uid: read::raw(object, "/metadata/uid").map(str::to_owned), ..itself })
    }

    pub fn kind_among<'a>(&self, kinds: &'a [Kind]) -> Option<&'a Kind> {
        kinds.iter().find(|kind| *kind.kind == *self.kind && kind.resource.group.as_str() == self.group)
    }

    /// The namespace of the object, or all; `None` if its name is invalid.
    pub(super) fn namespaces(&self) -> Option<Namespaces> {
        match &self.namespace {
            Some(name) => Namespaces::these(vec![Namespace::parse(name).ok()?]).ok(),
            None => Some(Namespaces::All),
        }
    }

    /// The scope of the object; `None` if the cluster doesn't serve its kind or its name is invalid.
    pub fn scope(&self, kinds: &[Kind]) -> Option<Scope> {
        let kind = self.kind_among(kinds)?;
        let namespaces = match (&self.namespace, kind.namespaced) {
            (None, true) => return None,
            (Some(_), true) => self.namespaces()?,
            (_, false) => Namespaces::All,
        };
        Some(Scope {
            cluster: None,
            resource: kind.resource.clone(),
            namespaces,
            name: Some(ObjectName::parse(&self.name).ok()?),
            labels: None,
            fields: None,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerReference {
    pub to: Reference,
    pub is_controller: bool,
}

/// The controller first. An owner is in the same namespace, or cluster-scoped.
pub fn owners(object: &Value) -> Vec<OwnerReference> {
    let namespace = read::raw(object, "/metadata/namespace");
    let mut owners: Vec<OwnerReference> = read::list(object, "/metadata/ownerReferences")
        .iter()
        .filter_map(|owner| {
            let api_version = read::raw(owner, "/apiVersion").unwrap_or_default();
            let kind = read::raw(owner, "/kind")?;
            let reference = Reference::new(api_version, kind, namespace, read::raw(owner, "/name")?);
            let uid = read::raw(owner, "/uid").map(str::to_owned);
            let is_controller = owner.get("controller").and_then(Value::as_bool) == Some(true);
            Some(OwnerReference { to: Reference { uid, ..reference }, is_controller })
        })
        .collect();
    sorted::sort_by_key(&mut owners, |owner| !owner.is_controller);
    owners
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::kind;
    use super::*;

    fn kinds() -> [Kind; 2] {
        [kind("", "nodes", "Node", false), kind("apps", "replicasets", "ReplicaSet", true)]
    }

    #[test]
    fn the_controller_is_the_first_of_the_owners() {
        let pod = json!({"metadata": {"namespace": "shop", "ownerReferences": [
            {"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "1"},
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "cart-7", "uid": "2", "controller": true},
            {"kind": "Nameless"}, 7,
        ]}});
        let owners = owners(&pod);
        let names: Vec<&str> = owners.iter().map(|owner| &*owner.to.name).collect();
        assert_eq!(names, ["cart-7", "n1"]);
        let scope = owners[0].to.scope(&kinds()).expect("it is served");
        assert_eq!(scope.resource.to_string(), "replicasets.apps");
        assert_eq!(scope.namespaces.only().map(Namespace::as_str), Some("shop"));
        // A node is in no namespace, whatever object names it.
        assert!(owners[1].to.scope(&kinds()).expect("it is served").namespaces.is_all());
    }

    #[test]
    fn what_is_not_served_or_has_no_possible_name_is_nowhere() {
        let nowhere = |reference: Reference| reference.scope(&kinds()).is_none();
        assert!(nowhere(Reference::new("example.com/v1", "Widget", Some("shop"), "a")));
        assert!(nowhere(Reference::new("apps/v1", "ReplicaSet", Some("shop"), "../secrets")));
        assert!(nowhere(Reference::new("apps/v1", "ReplicaSet", Some("no such/one"), "a")));
        assert!(nowhere(Reference::new("apps/v1", "ReplicaSet", None, "a")));
    }
}
