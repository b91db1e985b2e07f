//! The namespace picker: the list of namespaces is watched while it is open.

use replica::client::ViewKey;
use replica::now::Now;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};

use crate::messages;
use crate::table_view::Client;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamespaceList {
    /// The namespaces of the active pane.
    pub chosen: Namespaces,
    pub names: Vec<String>,
    /// How many names there are, or why there are none.
    pub note: String,
    /// The active pane's kind has no namespaces.
    pub is_cluster_scoped: bool,
}

#[derive(Default)]
pub(super) struct NamespacePicker {
    list: Option<ViewKey>,
}

impl NamespacePicker {
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.list == Some(key)
    }

    pub(super) fn open(&mut self, client: &mut Client, now: Now) {
        let Ok(resource) = Resource::parse("", "v1", "namespaces") else { return };
        let (cluster, namespaces) = (None, Namespaces::All);
        let scope = Scope { cluster, resource, namespaces, name: None, labels: None, fields: None };
        self.list.get_or_insert_with(|| client.open(scope, now));
    }

    /// Returns the view that it no longer uses.
    pub(super) fn close(&mut self) -> Option<ViewKey> {
        self.list.take()
    }

    pub(super) fn model(
        &self,
        client: &Client,
        chosen: Namespaces,
        is_cluster_scoped: bool,
    ) -> NamespaceList {
        let view = self.list.and_then(|key| client.view(key));
        let mut names: Vec<String> = view
            .map(|view| view.table().rows().map(|row| row.name.to_string()).collect())
            .unwrap_or_default();
        names.sort();
        let refused = view.is_some_and(|view| view.subscription().ended().is_some());
        let note = match view {
            _ if is_cluster_scoped => messages::CLUSTER_SCOPED.to_owned(),
            Some(view) if view.table().is_whole() => messages::namespaces_named(names.len()),
            Some(view) if refused || view.report().is_some_and(|report| report.problem.is_some()) => {
                messages::NAMESPACES_TYPED.to_owned()
            }
            _ => messages::NAMESPACES_ASKED.to_owned(),
        };
        NamespaceList { chosen, names, note, is_cluster_scoped }
    }
}
