//! The object whose panel is open, as the address names it: `o={ns}/{name}&tab=&a=&b=&log=`, or `o={name}` for a
//! cluster-scoped kind; `o={resource}/{ns}/{name}` for an object of another kind than the view's, with `-` in place of
//! no namespace. In a view of several clusters `@{cluster}/` stands before it. Without an object the other parts mean nothing.

use super::words;
use crate::tab::Tab;
use replica::table::Table;
use shared::name::{ClusterName, Namespace, ObjectName};
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use shared::row::Row;

/// Which object the panel shows, in which tab: the part of an address that is about the panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanelPlace {
    /// `None`: the cluster of the view, which is of one.
    pub cluster: Option<ClusterName>,
    /// As `deployments.apps`: the object that an Event of the view is about, or that stayed in a docked panel. `None`: of
    /// the view's kind.
    pub resource: Option<Box<str>>,
    /// `None`: cluster-scoped.
    pub namespace: Option<Namespace>,
    pub name: ObjectName,
    pub tab: Tab,
    /// The versions that are compared in the timeline.
    pub a: Option<ResourceVersion>,
    pub b: Option<ResourceVersion>,
    /// What the reader chose in the logs, as their tab reads it.
    pub logs: Option<Box<str>>,
}

/// In place of the namespace of a cluster-scoped object.
const NOWHERE: &str = "-";
const NAME_BYTES_MAX: usize = 253;
/// A longer text is no resourceVersion.
const VERSION_BYTES_MAX: usize = 64;

impl PanelPlace {
    /// # Errors
    /// `BadRequest`: one of the two isn't a name.
    pub(crate) fn parse(object: &str) -> Result<Self, Problem> {
        // No namespace, no kind and no name that is followed by a slash begins so.
        if let Some((cluster, object)) = object.strip_prefix('@').and_then(|object| object.split_once('/')) {
            return Ok(Self { cluster: Some(ClusterName::parse(cluster)?), ..Self::parse(object)? });
        }
        let parts: Vec<&str> = object.splitn(3, '/').collect();
        let (resource, namespace, name) = match *parts {
            [resource, namespace, name] => {
                (Some(resource), Some(namespace).filter(|held| *held != NOWHERE), name)
            }
            [namespace, name] => (None, Some(namespace), name),
            _ => (None, None, object),
        };
        let is_resource = |text: &str| {
            text.len() <= NAME_BYTES_MAX
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
        };
        if let Some(resource) =
            resource.filter(|resource| !is_resource(resource) || resource.starts_with('.'))
        {
            return Err(Problem::bad_request(words::location_no_resource(resource)));
        }
        let namespace = namespace.map(Namespace::parse).transpose()?;
        Ok(Self { resource: resource.map(Into::into), ..Self::of(namespace, ObjectName::parse(name)?) })
    }

    pub fn of(namespace: Option<Namespace>, name: ObjectName) -> Self {
        Self {
            cluster: None,
            resource: None,
            namespace,
            name,
            tab: Tab::Overview,
            a: None,
            b: None,
            logs: None,
        }
    }

    /// `None`: one of the two isn't a valid name, as a row may have.
    pub fn named(namespace: Option<&str>, name: &str) -> Option<Self> {
        let namespace = namespace.map(Namespace::parse).transpose().ok()?;
        Some(Self::of(namespace, ObjectName::parse(name).ok()?))
    }

    /// The same in a cluster.
    pub(crate) fn in_cluster(self, cluster: Option<ClusterName>) -> Self {
        Self { cluster, ..self }
    }

    /// The object of a row. `None`: its name isn't valid.
    pub(crate) fn of_row(row: &Row, table: &Table) -> Option<Self> {
        let cluster = table.cluster_of(row).and_then(|name| ClusterName::parse(name).ok());
        Some(Self::named(row.namespace.as_deref(), &row.name)?.in_cluster(cluster))
    }

    /// Whether a row is this object's.
    pub(crate) fn is_of_row(&self, row: &Row, table: &Table) -> bool {
        *row.name == *self.name.as_str()
            && row.namespace.as_deref() == self.namespace.as_ref().map(Namespace::as_str)
            && table
                .cluster_of(row)
                .is_none_or(|name| self.cluster.as_ref().map(ClusterName::as_str) == Some(name))
    }

    /// The same object beside rows of another kind.
    pub(crate) fn beside(self, held: &str, next: &str) -> Self {
        let own = self.resource.unwrap_or_else(|| held.into());
        Self { resource: Some(own).filter(|own| **own != *next), ..self }
    }

    pub(crate) fn object(&self) -> String {
        let object = match (&self.resource, &self.namespace) {
            (None, Some(namespace)) => format!("{namespace}/{}", self.name),
            (None, None) => self.name.to_string(),
            (Some(resource), None) => format!("{resource}/{NOWHERE}/{}", self.name),
            (Some(resource), Some(namespace)) => format!("{resource}/{namespace}/{}", self.name),
        };
        match &self.cluster {
            Some(cluster) => format!("@{cluster}/{object}"),
            None => object,
        }
    }

    /// Whether both name the same object, whatever is shown of it.
    pub(crate) fn is_same_object(&self, other: &Self) -> bool {
        (&self.cluster, &self.resource, &self.namespace, &self.name)
            == (&other.cluster, &other.resource, &other.namespace, &other.name)
    }
}

pub(super) fn version(text: &str) -> Option<ResourceVersion> {
    let is_one = text.len() <= VERSION_BYTES_MAX && text.bytes().all(|b| b.is_ascii_alphanumeric());
    is_one.then(|| ResourceVersion::new(text))
}
