//! The panel of one object: its subscriptions, what was seen of it since it was opened, and where its
//! reader is in it. Follows the address: what that names is open, and nothing else. Never a pane, never
//! the address bar.

mod action;
mod overview;
mod related;
mod render;
mod timeline;
mod update;
mod yaml;

pub use action::{PanelAction, PanelKey};
pub(crate) use update::Moved;

use std::rc::Rc;
use std::sync::Arc;

use crate::detail::status_history::Lane;
use crate::detail::versions::Versions;
use crate::location::PanelPlace;
use crate::model::PanelModel;
use crate::table_view::Client;
use crate::table_view::View;
use replica::client::ViewKey;
use replica::now::Now;
use replica::object::{ObjectView, Standing};
use serde_json::Value;
use shared::name::{Namespace, ObjectName};
use shared::resource::Kind;
use shared::row::{Row, RowId};
use shared::scope::{Namespaces, Scope};
use shared::state::UnixMillis;

use related::Related;
use timeline::TimelineState;
use yaml::YamlState;

/// The panel of one object.
#[derive(Default)]
pub(crate) struct Panel {
    model: PanelModel,
    page_width_px: f64,
    opened: Option<Box<Opened>>,
    generation: u32,
}

/// What the address names, and the table that it stands beside.
pub(super) struct Wanted {
    pub(super) kind: Rc<Kind>,
    pub(super) table: ViewKey,
    /// The table's fields are part of its watch: an object may leave it and still be there.
    pub(super) has_fields: bool,
    pub(super) panel: PanelPlace,
}

struct Opened {
    wanted: Wanted,
    /// `None`: the table doesn't know yet whether it has the object.
    keys: Option<Keys>,
    value: Option<Arc<Value>>,
    /// What it was before its last change, for the marks of the YAML.
    previous: Option<Arc<Value>>,
    versions: Versions,
    status_history: Lane,
    related: Related,
    timeline: TimelineState,
    yaml: YamlState,
    /// Something came since the last frame was drawn.
    is_new: bool,
    drawn_second: i64,
}

#[derive(Clone, Copy)]
struct Keys {
    object: ViewKey,
    timeline: ViewKey,
    /// The table that has its row: the pane's, or one of its own.
    rows: ViewKey,
}

impl Panel {
    pub(super) fn model(&self) -> &PanelModel {
        &self.model
    }

    pub(super) fn is_open(&self) -> bool {
        self.opened.is_some()
    }

    /// Whether a view is looked at from here.
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        let Some(opened) = &self.opened else { return false };
        let own = opened.keys.is_some_and(|keys| [keys.object, keys.timeline, keys.rows].contains(&key));
        own || opened.related.holds(key)
    }

    /// What the address names is opened, what it doesn't name any more is closed. Answers the views that
    /// are no longer looked at from here.
    pub(super) fn follow(&mut self, client: &mut Client, wanted: Option<Wanted>, now: Now) -> Vec<ViewKey> {
        let is_same = match (&self.opened, &wanted) {
            (Some(opened), Some(wanted)) => opened.wanted.is_same(wanted),
            (None, None) => true,
            _ => false,
        };
        let mut left = Vec::new();
        if !is_same {
            left = self.opened.take().map(|opened| opened.keys_held()).unwrap_or_default();
            self.generation = self.generation.wrapping_add(1);
            self.opened = wanted.map(|wanted| Box::new(Opened::new(wanted, now.now_ms)));
            return left;
        }
        let (Some(opened), Some(wanted)) = (&mut self.opened, wanted) else { return left };
        // The tab and the compared versions are the address's.
        opened.is_new |= opened.wanted.panel != wanted.panel;
        opened.wanted.panel = wanted.panel;
        opened.subscribe(client, now);
        opened.observe(client, now.now_ms);
        if let Some(value) = opened.value.clone() {
            left.extend(opened.related.follow(client, &value, now));
        }
        left
    }

    /// The answer to a question of ours.
    pub(super) fn got(
        &mut self,
        client: &mut Client,
        id: u32,
        answer: Result<Option<Value>, shared::problem::Problem>,
    ) {
        if let Some(opened) = &mut self.opened {
            opened.is_new |= opened.related.got(client, id, answer);
        }
    }

    /// Entries or rows came.
    pub(super) fn news(&mut self, key: ViewKey) {
        if self.holds(key)
            && let Some(opened) = &mut self.opened
        {
            opened.is_new = true;
        }
    }
}

impl Wanted {
    fn is_same(&self, other: &Self) -> bool {
        self.kind.resource == other.kind.resource
            && self.table == other.table
            && self.panel.namespace == other.panel.namespace
            && self.panel.name == other.panel.name
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

impl Opened {
    fn new(wanted: Wanted, now_ms: UnixMillis) -> Self {
        let mut status_history = Lane::default();
        status_history.open(now_ms);
        Self {
            wanted,
            keys: None,
            value: None,
            previous: None,
            versions: Versions::default(),
            status_history,
            related: Related::default(),
            timeline: TimelineState::default(),
            yaml: YamlState::default(),
            is_new: true,
            drawn_second: 0,
        }
    }

    fn keys_held(&self) -> Vec<ViewKey> {
        let mut held = self.related.keys();
        // The table may be gone by now, and is then nobody's any more.
        held.extend(self.keys.iter().flat_map(|keys| [keys.object, keys.timeline, keys.rows]));
        held
    }

    /// On the table's watch where the table has the object; else by its name, on one of its own.
    fn subscribe(&mut self, client: &mut Client, now: Now) {
        if self.keys.is_some() {
            return;
        }
        let Some(view) = client.view(self.wanted.table) else { return };
        let shows_rows = replica::freshness::of(client, view, now.now_ms).shows_rows();
        if !view.table().is_whole() && shows_rows {
            return;
        }
        let row = self.wanted.row_in(view).filter(|_| !self.wanted.has_fields);
        let (scope, rows) = match row {
            Some(_) => (self.wanted.scope(None), None),
            None => {
                let scope = self.wanted.scope(Some(self.wanted.panel.name.clone()));
                let rows = client.open(scope.clone(), now);
                (scope, Some(rows))
            }
        };
        self.keys = Some(Keys {
            object: client.open_object(scope.clone(), row, now),
            timeline: client.open_timeline(scope, row, now),
            rows: rows.unwrap_or(self.wanted.table),
        });
    }

    fn object<'a>(&self, client: &'a Client) -> Option<&'a ObjectView> {
        client.object(self.keys?.object)
    }

    /// The row of the object, with the table that it stands in.
    fn row<'a>(&self, client: &'a Client) -> Option<(&'a View, &'a Row)> {
        let view = client.view(self.keys?.rows)?;
        let id = self.object(client)?.row()?;
        let entry = view.table().entry(view.table().slot_of(id)?)?;
        Some((view, entry.row()))
    }

    /// Whether the object is another than it was.
    fn observe(&mut self, client: &Client, now_ms: UnixMillis) {
        let Some(object) = self.object(client) else { return };
        let standing = object.standing();
        if let Some(value) = object.value()
            && self.value.as_ref().is_none_or(|held| !Arc::ptr_eq(held, value))
        {
            self.versions.keep(value, now_ms);
            self.previous = self.value.replace(Arc::clone(value));
            self.yaml.object_changed();
            self.is_new = true;
        }
        let word = self.row(client).and_then(|(view, row)| overview::state_of(view, row));
        let state = word.as_ref().filter(|_| standing == Standing::There);
        self.status_history.observe(state.map(|(word, class)| (&**word, *class)), now_ms);
    }
}
