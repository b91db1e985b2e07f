//! The object that the address names, and its subscriptions. They use the watch of the table beside the panel if
//! that has the object's row, else one of their own. If the object is deleted and another one of its name is
//! there, the panel shows that one, and keeps the log of the former one.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use litemap::LiteMap;
use replica::client::ViewKey;
use replica::freshness::{self, Freshness};
use replica::now::Now;
use replica::object::{Existence, ObjectView};
use serde_json::Value;
use shared::name::{ClusterName, ObjectName};
use shared::problem::Reason;
use shared::resource::{Kind, Resource};
use shared::row::{Row, RowId};
use shared::scope::{Namespaces, Scope};
use shared::state::UnixMillis;

use super::log::{Log, Past};
use super::recorded::Recorded;
use crate::detail;
use crate::detail::versions::Versions;
use crate::limits::PANEL_FORMER_MAX;
use crate::location::PanelPlace;
use crate::messages::Zone;
use crate::table_view::{Client, View};

/// The object that the address names, and the table beside the panel.
#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) kind: Rc<Kind>,
    pub(crate) cluster: Option<ClusterName>,
    /// `None`: the panel stands alone.
    pub(crate) table: Option<ViewKey>,
    /// The table has the object's row while the object exists: its rows are of that kind and no field selector hides one.
    pub(crate) has_rows: bool,
    pub(crate) panel: PanelPlace,
    /// As of this time, by the gateway's clock. `None`: now.
    pub(crate) at_ms: Option<UnixMillis>,
}

/// An object with its subscriptions.
pub(crate) struct PanelObject {
    pub(crate) cluster: Option<ClusterName>,
    object: ViewKey,
    /// The row that is subscribed to; `None`: whatever has the name.
    of_row: Option<RowId>,
    /// The timelines of the former objects of this name, and as the last one that of this object, each with a number.
    timelines: VecDeque<(u64, ViewKey)>,
    /// What was recorded before the panel was opened.
    pub(crate) past: Past,
    /// The table that has the object's row: the pane's, or one of its own.
    rows: ViewKey,
    pub(crate) value: Option<Arc<Value>>,
    /// As [`ObjectView::masked_changes`].
    pub(crate) masked_changes: Arc<LiteMap<Box<str>, UnixMillis>>,
    /// As of this time, by the gateway's clock. `None`: now.
    pub(crate) at_ms: Option<UnixMillis>,
    /// What comes next isn't a change: it is of another time.
    pub(crate) is_of_other_time: bool,
    /// The object took the place of a deleted one while the panel was open.
    pub(crate) is_recreated: bool,
    pub(crate) versions: Versions,
    /// What the gateway's record has of it.
    pub(crate) recorded: Recorded,
}

/// An object at one time, with all that it is shown from.
#[derive(Clone, Copy)]
pub(crate) struct ShownObject<'a> {
    pub(crate) object: &'a PanelObject,
    pub(crate) client: &'a Client,
    pub(crate) freshness: &'a Freshness,
    pub(crate) now: detail::Now,
}

impl Wanted {
    /// A kind that the cluster doesn't serve gets a panel too, which says so. `None`: discovery isn't over.
    pub(crate) fn kind_of(
        client: &Client,
        resource: &str,
        cluster: Option<&ClusterName>,
    ) -> Option<Rc<Kind>> {
        let kinds = &client.kinds_of(cluster)?.kinds;
        if let Ok(kind) = shared::resource::resolve(kinds, resource) {
            return Some(Rc::new(kind.into_owned()));
        }
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        let unknown = Resource::parse(group, "v1", plural).ok()?;
        Some(Rc::new(Kind::new(unknown, resource, true)))
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.kind.resource == other.kind.resource
            && self.cluster == other.cluster
            && self.table == other.table
            && self.panel.is_same_object(&other.panel)
    }

    pub(crate) fn resource(&self) -> String {
        self.kind.resource.to_string()
    }

    /// `None`: the table doesn't know yet whether it has the object.
    pub(crate) fn subscribe(&self, client: &mut Client, now: Now) -> Option<PanelObject> {
        let mut in_table = None;
        if let Some(table) = self.table {
            let view = client.view(table)?;
            if self.has_rows
                && !view.table().is_whole()
                && freshness::of(client, view, now.now_ms).shows_rows()
            {
                return None;
            }
            in_table =
                self.row_in(view).filter(|_| self.has_rows).map(|row| (self.other_id(view, row), table));
        }
        let (scope, rows) = match in_table {
            Some((_, table)) => (self.scope(None, client), table),
            None => {
                let scope = self.scope(Some(self.panel.name.clone()), client);
                (scope.clone(), open_rows(client, scope, self.at_ms, now))
            }
        };
        let row = in_table.map(|(row, _)| row);
        Some(PanelObject {
            cluster: self.cluster.clone(),
            object: client.open_object_at(scope.clone(), row, self.at_ms, now),
            of_row: row,
            timelines: VecDeque::from([(0, client.open_timeline(scope, row, now))]),
            past: Past::default(),
            rows,
            value: None,
            masked_changes: Arc::default(),
            at_ms: self.at_ms,
            is_of_other_time: false,
            is_recreated: false,
            versions: Versions::default(),
            recorded: Recorded::default(),
        })
    }

    pub(crate) fn scope(&self, name: Option<ObjectName>, client: &Client) -> Scope {
        let namespaces = self.panel.namespace.clone().and_then(|name| Namespaces::these(vec![name]).ok());
        Scope {
            cluster: self.cluster.as_ref().and_then(|cluster| client.in_scope(cluster)),
            resource: self.kind.resource.clone(),
            namespaces: namespaces.unwrap_or_default(),
            name,
            labels: None,
            fields: None,
        }
    }

    /// The object's row in the table beside the panel.
    pub(crate) fn row<'a>(&self, client: &'a Client) -> Option<(&'a View, &'a Row)> {
        let view = client.view(self.table.filter(|_| self.has_rows)?)?;
        let entry = view.table().entry(view.table().slot_of(self.row_in(view)?)?)?;
        Some((view, entry.row()))
    }

    fn row_in(&self, view: &View) -> Option<RowId> {
        view.table().rows().find(|row| self.panel.is_of_row(row, view.table())).map(|row| row.id)
    }

    /// The object's own id by that of its row in this table, or the other way round.
    fn other_id(&self, view: &View, row: RowId) -> RowId {
        view.table().id_among_clusters(row, self.cluster.as_ref())
    }
}

impl PanelObject {
    pub(crate) fn keys(&self) -> Vec<ViewKey> {
        self.timelines.iter().map(|(_, key)| *key).chain([self.object, self.rows]).collect()
    }

    pub(crate) fn view<'a>(&self, client: &'a Client) -> Option<&'a ObjectView> {
        client.object(self.object)
    }

    pub(crate) fn log<'a>(&'a self, client: &'a Client) -> Log<'a> {
        let logs = self.timelines.iter().filter_map(|(number, key)| Some((*number, client.timeline(*key)?)));
        let exists = self.view(client).is_some_and(|object| object.existence == Existence::Exists);
        Log::of(&self.past, logs, exists, self.value.as_deref().and_then(uid))
    }

    /// Continues what was recorded of the object before.
    pub(crate) fn continues(&mut self, past: Past, versions: Versions) {
        for (number, _) in &mut self.timelines {
            *number += past.next_log;
        }
        (self.past, self.versions) = (past, versions);
    }

    /// All that is recorded until now.
    pub(crate) fn recorded(&self, client: &Client) -> Past {
        let next_log = self.timelines.back().map_or(0, |(number, _)| number + 1);
        self.past.and(&self.log(client), self.value.as_deref().and_then(uid), next_log)
    }

    /// Shows the object as of the time of the panes. What is shown stays until that of the other time is here.
    pub(crate) fn follow_time(&mut self, client: &mut Client, wanted: &Wanted, now: Now) {
        if self.at_ms == wanted.at_ms {
            return;
        }
        (self.at_ms, self.is_of_other_time) = (wanted.at_ms, true);
        self.recorded.last.forget();
        client.set_at(self.object, self.at_ms, false, now);
        // The table beside the panel follows its pane.
        if wanted.table != Some(self.rows) {
            client.set_at(self.rows, self.at_ms, false, now);
        }
    }

    /// What wasn't there then isn't deleted, unless the record says so.
    pub(crate) fn is_deleted(&self, client: &Client) -> bool {
        match self.at_ms {
            None => self.view(client).is_some_and(is_gone),
            Some(_) => self.recorded.last.shown_as(self.value.as_ref()).is_some(),
        }
    }

    /// The row of the object, also of one that is gone.
    pub(crate) fn row_id(&self, client: &Client) -> Option<RowId> {
        match self.recorded.last.shown_as(self.value.as_ref()) {
            Some(last) => Some(last.row),
            None => self.view(client)?.row,
        }
    }

    /// The time in the log or in the record, else when the page received the deletion.
    pub(crate) fn deleted_ms(&self, client: &Client) -> Option<UnixMillis> {
        if let Some(last) = self.recorded.last.shown_as(self.value.as_ref()) {
            return Some(client.local_ms(last.deleted_ms.unwrap_or(last.time_ms)));
        }
        let logged = self.log(client).deleted_ms().map(|ms| client.local_ms(ms));
        logged.or_else(|| self.view(client)?.changed_ms)
    }

    /// The row of the object, and the table that has it.
    pub(crate) fn row<'a>(&self, client: &'a Client) -> Option<(&'a View, &'a Row)> {
        let view = client.view(self.rows)?;
        let id = view.table().id_among_clusters(self.view(client)?.row?, self.cluster.as_ref());
        let entry = view.table().entry(view.table().slot_of(id)?)?;
        Some((view, entry.row()))
    }

    /// After the object of a row was deleted, follows the row that has its name now. Returns the views that aren't used
    /// any more.
    pub(crate) fn follow_name(&mut self, client: &mut Client, wanted: &Wanted, now: Now) -> Vec<ViewKey> {
        if self.at_ms.is_some() || self.of_row.is_none() || !self.is_deleted(client) {
            return Vec::new();
        }
        let Some(view) = client.view(self.rows) else { return Vec::new() };
        let row = wanted.row_in(view).map(|row| wanted.other_id(view, row));
        let row = row.filter(|row| Some(*row) != self.of_row);
        // A table with a label selector may never show the new object.
        if row.is_none() && view.subscription().scope.labels.is_none() {
            return Vec::new();
        }
        let scope = wanted.scope(row.is_none().then(|| wanted.panel.name.clone()), client);
        let mut left = vec![self.object];
        self.object = client.open_object(scope.clone(), row, now);
        self.of_row = row;
        let number = self.timelines.back().map_or(0, |(number, _)| number + 1);
        self.timelines.push_back((number, client.open_timeline(scope.clone(), row, now)));
        if row.is_none() {
            left.push(self.rows);
            self.rows = client.open(scope, now);
        }
        if self.timelines.len() > PANEL_FORMER_MAX + 1 {
            left.extend(self.timelines.pop_front().map(|(_, key)| key));
        }
        left
    }

    /// Takes the object's latest version. Returns whether it is another than before.
    pub(crate) fn observe(&mut self, client: &Client, now_ms: UnixMillis) -> bool {
        let view = client.object(self.object);
        let is_over = match self.at_ms {
            Some(_) => view.is_some_and(is_absent),
            None => {
                view.is_some_and(is_gone)
                    // What was shown of another time wasn't seen until the end.
                    && (self.value.is_none()
                        || self.is_of_other_time
                        || self.recorded.last.shown_as(self.value.as_ref()).is_some())
            }
        };
        if is_over {
            // What was recorded of it last is shown, or nothing.
            let last = self.recorded.last.instead(self.at_ms);
            if last.as_ref().map(Arc::as_ptr) == self.value.as_ref().map(Arc::as_ptr) {
                return false;
            }
            if let Some(last) = last.as_ref().filter(|_| self.at_ms.is_none()) {
                self.past.tell(detail::dated::dated(last), 0);
                self.versions.keep(last, now_ms);
            }
            self.value = last;
            return true;
        }
        let Some((view, value)) = view.and_then(|view| Some((view, view.value.as_ref()?))) else {
            return false;
        };
        if self.value.as_ref().is_some_and(|held| Arc::ptr_eq(held, value)) {
            return false;
        }
        if self.value.is_none() {
            let proof = client.object(self.object).and_then(|object| object.subscription.proof.as_ref());
            let ahead_ms = proof.map_or(0, |proof| proof.cluster_ahead_ms);
            self.past.tell(detail::dated::dated(value), ahead_ms);
        }
        if self.at_ms.is_none() {
            self.versions.keep(value, now_ms);
        }
        let is_other = self.value.as_ref().is_some_and(|held| uid(held) != uid(value));
        self.is_recreated |= is_other && !self.is_of_other_time;
        self.value = Some(Arc::clone(value));
        self.masked_changes = Arc::clone(&view.masked_changes);
        true
    }

    pub(crate) fn freshness(&self, client: &Client, now_ms: UnixMillis) -> Freshness {
        let own = self.view(client).map(|object| freshness::of_object(client, object, now_ms));
        let own = own.unwrap_or_else(|| not_asked_yet(now_ms));
        or_stale_rows(own, client, (Some(self.rows), self.cluster.as_ref()), now_ms)
    }

    /// The ages of a stale object stop at its last proof, those of a deleted one at its deletion.
    pub(crate) fn shown<'a>(
        &'a self,
        client: &'a Client,
        freshness: &'a Freshness,
        (now_ms, zone): (UnixMillis, Zone),
    ) -> ShownObject<'a> {
        if let Some(as_of) = freshness.past() {
            // Ages are as of then, and so is today.
            let at_ms = as_of.gateway_ms(as_of.at_ms);
            // Those of what was gone by then are as of its end.
            let ended_ms = self
                .recorded
                .last
                .shown_as(self.value.as_ref())
                .and_then(|last| last.deleted_ms)
                .unwrap_or(at_ms);
            let cluster_s = at_ms.min(ended_ms).div_euclid(1_000);
            let now = detail::Now { ms: as_of.at_ms, cluster_s, zone };
            return ShownObject { object: self, client, freshness, now };
        }
        let proof = self.view(client).and_then(|object| object.subscription.proof.as_ref());
        let ahead_ms = proof.map_or(0, |proof| proof.cluster_ahead_ms);
        let deleted_ms = if self.is_deleted(client) { self.deleted_ms(client) } else { None };
        let proven_ms = |stale_ms| proof.map_or(stale_ms, |proof| proof.synced_ms);
        let at_ms = [freshness.stale_ms().map(proven_ms), deleted_ms]
            .into_iter()
            .flatten()
            .fold(now_ms, UnixMillis::min);
        let cluster_s = at_ms.saturating_add(ahead_ms).div_euclid(1_000);
        ShownObject { object: self, client, freshness, now: detail::Now { ms: now_ms, cluster_s, zone } }
    }
}

impl<'a> ShownObject<'a> {
    pub(crate) fn view(&self) -> Option<&'a ObjectView> {
        self.object.view(self.client)
    }

    pub(crate) fn log(&self) -> Log<'a> {
        self.object.log(self.client)
    }

    pub(crate) fn row(&self) -> Option<(&'a View, &'a Row)> {
        self.object.row(self.client)
    }

    /// How far the cluster's clock is ahead of the viewer's. Ages that stand still say nothing of it.
    pub(crate) fn cluster_ahead_ms(&self) -> i64 {
        if let Some(as_of) = self.freshness.past() {
            return as_of.gateway_ms(as_of.at_ms).saturating_sub(as_of.at_ms);
        }
        let proof = self.view().and_then(|object| object.subscription.proof.as_ref());
        proof.map_or(0, |proof| proof.cluster_ahead_ms)
    }
}

/// Asks for the last version of an object that is gone, or that may be gone since the time that is shown.
pub(super) fn follow_last(object: &mut PanelObject, client: &mut Client, wanted: &Wanted) {
    let Some(view) = object.view(client) else { return };
    let is_last = object.recorded.last.shown_as(object.value.as_ref()).is_some();
    let was_seen = object.value.is_some() && !object.is_of_other_time && !is_last;
    match object.at_ms {
        // What was seen until it was deleted is known.
        None if is_gone(view) && was_seen => {}
        None if !is_gone(view) => {
            if view.existence == Existence::Exists {
                object.recorded.last.forget();
            }
        }
        _ => {
            let scope = wanted.scope(Some(wanted.panel.name.clone()), client);
            object.recorded.last.follow(scope, client);
        }
    }
}

/// There is no such object any more, or there never was.
fn is_gone(view: &ObjectView) -> bool {
    match view.subscription.ended() {
        Some(problem) => matches!(problem.reason, Reason::NotFound | Reason::Gone),
        None => view.existence == Existence::Deleted,
    }
}

/// There was no such object at the time that is shown, or nothing is known of that time.
fn is_absent(view: &ObjectView) -> bool {
    view.existence == Existence::Deleted || view.subscription.ended().is_some()
}

/// Rows of this scope as of a time, or as they are now.
pub(crate) fn open_rows(client: &mut Client, scope: Scope, at_ms: Option<UnixMillis>, now: Now) -> ViewKey {
    client.open_at(scope, &[], Default::default(), at_ms, now)
}

/// An object that was asked for while the table beside it is stale isn't fresher than the table.
pub(crate) fn or_stale_rows(
    own: Freshness,
    client: &Client,
    (rows, cluster): (Option<ViewKey>, Option<&ClusterName>),
    now_ms: UnixMillis,
) -> Freshness {
    let of_rows = || {
        let view = client.view(rows?)?;
        let of_cluster =
            freshness::of_clusters(client, view, now_ms).into_iter().find(|it| Some(&it.name) == cluster);
        Some(of_cluster.map_or_else(|| freshness::of(client, view, now_ms), |it| it.freshness))
    };
    match own {
        Freshness::Syncing { .. } | Freshness::Resuming { .. } => {
            of_rows().filter(|rows| matches!(rows, Freshness::Stale { .. })).unwrap_or(own)
        }
        own => own,
    }
}

/// Two objects of one name have different ones.
pub(crate) fn uid(object: &Value) -> Option<&str> {
    object.pointer("/metadata/uid")?.as_str()
}

/// The freshness of an object that isn't subscribed yet.
pub(crate) fn not_asked_yet(now_ms: UnixMillis) -> Freshness {
    Freshness::Syncing { n: 0, of: None, asked_ms: now_ms }
}
