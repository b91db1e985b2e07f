//! What a viewer may see of a record: what they may list now, in the namespaces that were there then and still are, and
//! what the operator shows now.

use std::collections::HashMap;
use std::sync::Arc;

use history::Within;
use shared::resource::Resource;
use shared::row::{Row, RowId};
use shared::scope::Namespaces;

use crate::cluster::Ceiling;
use crate::feed::Redaction;
use crate::feed::labels::Labels;
use crate::subscription_request::SubscriptionRequest;

/// What may be seen of a question's answer.
pub struct Sees {
    /// With the namespaces that the viewer may see.
    pub request: Arc<SubscriptionRequest>,
    /// The viewer may list the kind in the whole cluster.
    pub of_whole_cluster: bool,
    pub ceiling: Ceiling,
    /// The rules of now.
    pub redaction: Redaction,
}

/// The row of each namespace that is there, by its name.
pub(super) type NamespaceRows = HashMap<Box<str>, RowId>;

/// Whether an object of a namespace is shown to those who may list its kind there: a namespace that was made anew may be
/// another tenant's, who never saw what was in the former one.
pub(super) fn is_of_same_namespace(
    rows: &NamespaceRows,
    namespace: Option<&str>,
    then: Option<RowId>,
) -> bool {
    match namespace {
        Some(name) => then.is_some() && rows.get(name).copied() == then,
        None => true,
    }
}

impl Sees {
    /// Whether what is shown depends on the namespaces that there are.
    pub(super) fn asks_for_namespaces(&self) -> bool {
        !self.of_whole_cluster || !self.ceiling.shows_all_namespaces()
    }

    pub(super) fn shows(
        &self,
        rows: &NamespaceRows,
        (row, labels): (&Row, &Labels),
        namespace_row: Option<RowId>,
    ) -> bool {
        let place = row.place();
        self.request.accepts(row.id, place, labels)
            && self.ceiling.shows_object(&self.request.scope.resource, place.0, place.1)
            && (self.of_whole_cluster || is_of_same_namespace(rows, place.0, namespace_row))
    }

    /// The namespaces whose changes are counted.
    pub(super) fn within(&self, rows: &NamespaceRows) -> Within {
        let scope = &self.request.scope;
        match (&scope.namespaces, self.of_whole_cluster) {
            (Namespaces::All, true) if self.ceiling.shows_all_namespaces() => Within::All,
            (Namespaces::All, true) => {
                let shown = rows.keys().filter(|name| self.ceiling.shows_namespace(name));
                Within::Named(shown.cloned().collect())
            }
            (Namespaces::These(names), true) => {
                Within::Named(names.iter().map(|name| name.as_str().into()).collect())
            }
            (Namespaces::All, false) => Within::Rows(Vec::new()),
            (Namespaces::These(names), false) => {
                Within::Rows(names.iter().filter_map(|name| rows.get(name.as_str()).copied()).collect())
            }
        }
    }
}

/// The kind whose objects are namespaces.
pub(super) fn namespaces() -> Option<Resource> {
    Resource::parse("", "v1", "namespaces").ok()
}
