//! What a subscription asks for, parsed once: the access check, the feed's key, the filter and the
//! URL all derive from it, never from strings.

use crate::sorted;
use serde::{Deserialize, Serialize};

use crate::json::{self, Malformed, Read, Reader, fields};
use crate::name::{ClusterName, Namespace, ObjectName};
use crate::problem::Problem;
use crate::resource::Resource;
use crate::selector::{FieldSelector, LabelSelector};

/// What a subscription asks for: one resource, narrowed by namespaces, a name and selectors.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Scope {
    /// `None` is the home cluster, the first that `welcome` lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterName>,
    pub resource: Resource,
    #[serde(default, skip_serializing_if = "Namespaces::is_all")]
    pub namespaces: Namespaces,
    /// One object; the table then has one row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<ObjectName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<LabelSelector>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<FieldSelector>,
}

impl Scope {
    /// Every object of a resource.
    pub fn all(resource: Resource) -> Self {
        let namespaces = Namespaces::All;
        Self { cluster: None, resource, namespaces, name: None, labels: None, fields: None }
    }

    /// Whether an object of this namespace and name may be in it, whatever its labels are. A viewer may not even know
    /// that any other object exists.
    pub fn may_hold(&self, (namespace, name): (Option<&str>, &str)) -> bool {
        self.name.as_ref().is_none_or(|wanted| wanted.as_str() == name)
            && self.namespaces.contains(namespace)
            && self.fields.as_ref().is_none_or(|fields| fields.matches(namespace, name))
    }
}

/// All namespaces that are permitted, or a list. The list is sorted and has no repeats, so that equal scopes are
/// equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Option<Vec<Namespace>>", into = "Option<Vec<Namespace>>")]
pub enum Namespaces {
    /// Every namespace, and cluster-scoped objects.
    #[default]
    All,
    These(Vec<Namespace>),
}

impl Namespaces {
    /// Fails with `BadRequest` for an empty list.
    pub fn these(mut names: Vec<Namespace>) -> Result<Self, Problem> {
        if names.is_empty() {
            return Err(Problem::bad_request(
                "the list of namespaces is empty; leave it out for all of them",
            ));
        }
        sorted::sort(&mut names);
        names.dedup();
        Ok(Self::These(names))
    }

    pub fn is_all(&self) -> bool {
        *self == Self::All
    }

    /// The namespaces of a view that may not be had as a whole, where each needs a subscription of its own: those that
    /// were asked for, or, where all were, those that the gateway granted. `None` where they aren't known, where they are
    /// more than `max`, and for a single one, for which the gateway finds a feed by itself.
    pub fn parts<'a>(&'a self, granted: Option<&'a Self>, max: usize) -> Option<&'a [Namespace]> {
        match (self, granted) {
            (Self::These(names), _) | (Self::All, Some(Self::These(names))) => {
                Some(names.as_slice()).filter(|names| (2..=max).contains(&names.len()))
            }
            (Self::All, Some(Self::All) | None) => None,
        }
    }

    /// The namespace, if there is exactly one.
    pub fn only(&self) -> Option<&Namespace> {
        match self {
            Self::These(names) => names.first().filter(|_| names.len() == 1),
            Self::All => None,
        }
    }

    pub fn contains(&self, namespace: Option<&str>) -> bool {
        match self {
            Self::All => true,
            Self::These(names) => namespace
                .is_some_and(|namespace| names.binary_search_by(|name| name.as_str().cmp(namespace)).is_ok()),
        }
    }
}

impl TryFrom<Option<Vec<Namespace>>> for Namespaces {
    type Error = Problem;
    fn try_from(names: Option<Vec<Namespace>>) -> Result<Self, Problem> {
        names.map_or(Ok(Self::All), Self::these)
    }
}

impl From<Namespaces> for Option<Vec<Namespace>> {
    fn from(namespaces: Namespaces) -> Self {
        match namespaces {
            Namespaces::All => None,
            Namespaces::These(names) => Some(names),
        }
    }
}

fields! { Scope: resource; cluster, namespaces, name, labels, fields }

impl Read for Namespaces {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        Option::read(json)?.map_or(Ok(Self::All), Self::these).map_err(|_| Malformed)
    }
}

impl Read for LabelSelector {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        Self::parse(&json.text()?).map_err(|_| Malformed)
    }
}

impl Read for FieldSelector {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        Self::parse(&json.text()?).map_err(|_| Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn these(names: &[&str]) -> Namespaces {
        Namespaces::these(names.iter().map(|n| Namespace::parse(n).expect("valid")).collect())
            .expect("not empty")
    }

    #[test]
    fn equal_lists_of_namespaces_are_equal_in_any_order() {
        assert_eq!(these(&["shop", "a", "shop"]), these(&["a", "shop"]));
    }

    #[test]
    fn a_view_is_split_into_the_namespaces_that_were_asked_for_or_granted_of_all() {
        let (two, three) = (these(&["a", "b"]), these(&["a", "b", "c"]));
        for (asked, granted, expected) in [
            (&two, None, Some(2)),
            (&two, Some(&three), Some(2)),
            (&Namespaces::All, Some(&two), Some(2)),
            (&Namespaces::All, None, None),
            (&Namespaces::All, Some(&Namespaces::All), None),
            (&these(&["a"]), None, None),
            (&three, None, None),
        ] {
            assert_eq!(asked.parts(granted, 2).map(<[_]>::len), expected, "{asked:?}, {granted:?}");
        }
    }

    #[test]
    fn a_list_of_namespaces_holds_no_cluster_scoped_object() {
        assert!(these(&["shop"]).contains(Some("shop")));
        assert!(!these(&["shop"]).contains(Some("sho")));
        assert!(!these(&["shop"]).contains(None));
        assert!(Namespaces::All.contains(None));
    }

    #[test]
    fn r_authz_11_a_scope_with_a_name_that_would_change_the_url_is_not_read() {
        for (namespace, resource) in
            [("a/secrets/b?x=", "pods"), ("a", "pods/exec"), ("..", "pods"), ("a", "%2f")]
        {
            let json = format!(
                r#"{{"resource":{{"group":"","version":"v1","resource":"{resource}"}},"namespaces":["{namespace}"]}}"#
            );
            assert!(serde_json::from_str::<Scope>(&json).is_err(), "{json}");
        }
    }
}
