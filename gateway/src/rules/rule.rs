//! A rule, as its configuration comes to it.

use shared::name::{ClusterName, Namespace};
use shared::row::Row;
use shared::scope::Namespaces;
use shared::selector::{FieldSelector, LabelSelector};

use super::form::{Form, FormPath};
use crate::feed::labels::Labels;

/// One rule: of which objects it is, what it asks of them, and who is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub name: Box<str>,
    pub scope: Scope,
    pub form: Form,
    /// It must hold for so long.
    pub for_s: i64,
    pub grouping: Grouping,
    /// A word for receivers, such as `critical`.
    pub severity: Option<Box<str>>,
    pub tells_resolved: bool,
    /// The names of its receivers.
    pub receivers: Vec<Box<str>>,
}

/// The objects that a rule is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// Empty: all clusters of the gateway.
    pub clusters: Vec<ClusterName>,
    /// As a resource prints itself: `pods`, `deployments.apps`.
    pub kind: Box<str>,
    pub namespaces: Namespaces,
    pub labels: Option<LabelSelector>,
    /// By names and namespaces alone.
    pub fields: Option<FieldSelector>,
}

/// What is told as one. With neither, each object is told by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grouping {
    pub by_owner: bool,
    pub once_per: Option<FormPath>,
}

impl Rule {
    /// Whether it finds the same as another one. They may differ in who is told, and how.
    pub(super) fn asks_as(&self, other: &Self) -> bool {
        (&self.name, &self.scope, &self.form, self.for_s, &self.grouping)
            == (&other.name, &other.scope, &other.form, other.for_s, &other.grouping)
    }

    /// One sentence: which receivers it tells, and what it is of.
    #[must_use]
    pub fn in_words(&self) -> String {
        let named: Vec<&str> = self.scope.named_namespaces().iter().map(Namespace::as_str).collect();
        let place = if named.is_empty() { "all namespaces".to_owned() } else { named.join(", ") };
        let (name, kind, receivers) = (&self.name, &self.scope.kind, self.receivers.join(", "));
        format!("the rule {name} tells {receivers} of {kind} in {place}, with the gateway's own rights")
    }
}

impl Scope {
    #[must_use]
    pub fn is_of_cluster(&self, cluster: &ClusterName) -> bool {
        self.clusters.is_empty() || self.clusters.contains(cluster)
    }

    /// Whether an object of the kind is in it.
    #[must_use]
    pub fn selects(&self, row: &Row, labels: &Labels) -> bool {
        let (namespace, name) = row.place();
        self.namespaces.contains(namespace)
            && self.labels.as_ref().is_none_or(|wanted| wanted.matches(|key| labels.get(key)))
            && self.fields.as_ref().is_none_or(|fields| fields.matches(namespace, name))
    }

    /// The namespaces, where it names some.
    #[must_use]
    pub fn named_namespaces(&self) -> &[Namespace] {
        match &self.namespaces {
            Namespaces::All => &[],
            Namespaces::These(names) => names,
        }
    }
}
