//! The object that the address names, and its subscriptions. They use the watch of the table beside the panel if
//! that has the object's row, else one of their own.

use std::rc::Rc;
use std::sync::Arc;

use replica::client::ViewKey;
use replica::freshness::{self, Freshness};
use replica::now::Now;
use replica::object::ObjectView;
use replica::timeline::TimelineView;
use serde_json::Value;
use shared::name::{Namespace, ObjectName};
use shared::resource::Kind;
use shared::row::{Row, RowId};
use shared::scope::{Namespaces, Scope};
use shared::state::UnixMillis;

use crate::detail;
use crate::detail::versions::Versions;
use crate::location::PanelPlace;
use crate::messages::Zone;
use crate::table_view::{Client, View};

/// The object that the address names, and the table beside the panel.
pub(crate) struct Wanted {
    pub(crate) kind: Rc<Kind>,
    pub(crate) table: ViewKey,
    /// The table has a field selector: an object may leave its rows and still exist.
    pub(crate) has_fields: bool,
    pub(crate) panel: PanelPlace,
}

/// An object with its subscriptions.
pub(super) struct PanelObject {
    object: ViewKey,
    timeline: ViewKey,
    /// The table that has the object's row: the pane's, or one of its own.
    rows: ViewKey,
    pub(super) value: Option<Arc<Value>>,
    /// The version before the last change, for the marks of the YAML.
    pub(super) previous: Option<Arc<Value>>,
    pub(super) versions: Versions,
}

/// An object at one time, with all that it is shown from.
#[derive(Clone, Copy)]
pub(super) struct ShownObject<'a> {
    pub(super) object: &'a PanelObject,
    pub(super) client: &'a Client,
    pub(super) freshness: &'a Freshness,
    pub(super) now: detail::Now,
}

impl Wanted {
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.kind.resource == other.kind.resource
            && self.table == other.table
            && self.panel.namespace == other.panel.namespace
            && self.panel.name == other.panel.name
    }

    pub(super) fn resource(&self) -> String {
        self.kind.resource.to_string()
    }

    /// `None`: the table doesn't know yet whether it has the object.
    pub(super) fn subscribe(&self, client: &mut Client, now: Now) -> Option<PanelObject> {
        let view = client.view(self.table)?;
        if !view.table().is_whole() && freshness::of(client, view, now.now_ms).shows_rows() {
            return None;
        }
        let row = self.row_in(view).filter(|_| !self.has_fields);
        let (scope, rows) = match row {
            Some(_) => (self.scope(None), self.table),
            None => {
                let scope = self.scope(Some(self.panel.name.clone()));
                (scope.clone(), client.open(scope, now))
            }
        };
        Some(PanelObject {
            object: client.open_object(scope.clone(), row, now),
            timeline: client.open_timeline(scope, row, now),
            rows,
            value: None,
            previous: None,
            versions: Versions::default(),
        })
    }

    fn scope(&self, name: Option<ObjectName>) -> Scope {
        let namespaces = self.panel.namespace.clone().and_then(|name| Namespaces::these(vec![name]).ok());
        Scope {
            cluster: None,
            resource: self.kind.resource.clone(),
            namespaces: namespaces.unwrap_or_default(),
            name,
            labels: None,
            fields: None,
        }
    }

    fn row_in(&self, view: &View) -> Option<RowId> {
        let namespace = self.panel.namespace.as_ref().map(Namespace::as_str);
        let is_it =
            |row: &&Row| *row.name == *self.panel.name.as_str() && row.namespace.as_deref() == namespace;
        view.table().rows().find(is_it).map(|row| row.id)
    }
}

impl PanelObject {
    pub(super) fn keys(&self) -> [ViewKey; 3] {
        [self.object, self.timeline, self.rows]
    }

    pub(super) fn view<'a>(&self, client: &'a Client) -> Option<&'a ObjectView> {
        client.object(self.object)
    }

    pub(super) fn log<'a>(&self, client: &'a Client) -> Option<&'a TimelineView> {
        client.timeline(self.timeline)
    }

    /// The row of the object, and the table that has it.
    pub(super) fn row<'a>(&self, client: &'a Client) -> Option<(&'a View, &'a Row)> {
        let view = client.view(self.rows)?;
        let id = self.view(client)?.row?;
        let entry = view.table().entry(view.table().slot_of(id)?)?;
        Some((view, entry.row()))
    }

    /// Takes the object's latest version. Returns whether it is another than before.
    pub(super) fn observe(&mut self, client: &Client, now_ms: UnixMillis) -> bool {
        let Some(value) = client.object(self.object).and_then(|object| object.value.as_ref()) else {
            return false;
        };
        if self.value.as_ref().is_some_and(|held| Arc::ptr_eq(held, value)) {
            return false;
        }
        self.versions.keep(value, now_ms);
        self.previous = self.value.replace(Arc::clone(value));
        true
    }

    pub(super) fn freshness(&self, client: &Client, now_ms: UnixMillis) -> Freshness {
        match self.view(client) {
            Some(object) => freshness::of_object(client, object, now_ms),
            None => not_asked_yet(now_ms),
        }
    }

    /// The ages of a stale object stop at its last proof.
    pub(super) fn shown<'a>(
        &'a self,
        client: &'a Client,
        freshness: &'a Freshness,
        (now_ms, zone): (UnixMillis, Zone),
    ) -> ShownObject<'a> {
        let proof = self.view(client).and_then(|object| object.subscription.proof.as_ref());
        let ahead_ms = proof.map_or(0, |proof| proof.cluster_ahead_ms);
        let at_ms = proof.filter(|_| freshness.is_stale()).map_or(now_ms, |proof| proof.synced_ms);
        let cluster_s = at_ms.saturating_add(ahead_ms).div_euclid(1_000);
        ShownObject { object: self, client, freshness, now: detail::Now { ms: now_ms, cluster_s, zone } }
    }
}

impl<'a> ShownObject<'a> {
    pub(super) fn view(&self) -> Option<&'a ObjectView> {
        self.object.view(self.client)
    }

    pub(super) fn log(&self) -> Option<&'a TimelineView> {
        self.object.log(self.client)
    }

    pub(super) fn row(&self) -> Option<(&'a View, &'a Row)> {
        self.object.row(self.client)
    }
}

/// The freshness of an object that isn't subscribed yet.
pub(super) fn not_asked_yet(now_ms: UnixMillis) -> Freshness {
    Freshness::Syncing { n: 0, of: None, asked_ms: now_ms }
}
