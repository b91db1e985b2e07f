//! One pane: a view of one resource, what is mounted of it, and where its reader is. A page has one,
//! a board several, another people's page as many as it has elements. Never the address bar, the
//! socket or another pane.

mod announcer;
mod cell;
mod column_settings;
mod columns;
mod completion;
mod displayed;
mod export;
mod log;
mod minimap;
mod new_rows_above;
mod notice;
mod render;
mod rows;
mod screen;
mod selection;
mod selectors;
mod update;

use std::rc::Rc;

use crate::action::PaneId;
use crate::address::{self, Look};
use crate::column_settings::Choice;
use crate::limits::READER_GONE_MS;
use crate::location::{Location, PanelPlace, Place};
use crate::table_view::Client;
use crate::table_view::TableView;
use replica::client::ViewKey;
use replica::freshness;
use replica::now::Now;
use replica::table::{Delta, Slot};
use shared::resource::{Kind, resolve};
use shared::row::RowId;
use shared::scope::{Namespaces, Scope};
use shared::state::UnixMillis;

use crate::model::{PaneModel, Standing, Theme};
use crate::preferences::Preferences;
use announcer::Announcer;
use displayed::Displayed;
use log::LogPane;
use screen::Screen;

pub(super) struct Pane {
    pub(super) id: PaneId,
    pub(super) look: Look,
    /// What the address says of it, and what it shall say.
    pub(super) place: Location,
    displayed: Displayed,
    log: Option<LogPane>,
    announcer: Announcer,
    choice: Choice,
    pub(super) screen: Screen,
    pub(super) is_stale: bool,
    pub(super) model: PaneModel,
}

/// Where a first page starts.
const FIRST_RESOURCE: &str = "pods";

impl Pane {
    pub(super) fn new(id: PaneId, look: Look, place: Location) -> Self {
        Self {
            id,
            look,
            place,
            displayed: Displayed::default(),
            log: None,
            announcer: Announcer::default(),
            choice: Choice::default(),
            screen: Screen::new(),
            is_stale: false,
            model: PaneModel::default(),
        }
    }

    /// How it stands among the others, and how it looks.
    pub(super) fn stand(&mut self, standing: Standing, theme: Theme) {
        (self.model.standing, self.model.theme) = (standing, theme);
    }

    pub(super) fn model(&self) -> &PaneModel {
        &self.model
    }

    pub(super) fn address(&self) -> address::Pane {
        address::Pane { look: self.look, location: self.place.clone() }
    }

    pub(super) fn key(&self) -> Option<ViewKey> {
        self.displayed.key()
    }

    pub(super) fn kind(&self) -> Option<&Rc<Kind>> {
        self.displayed.kind()
    }

    /// The place says what to open. Answers the views that are no longer looked at from here.
    pub(super) fn open(&mut self, client: &mut Client, preferences: &Preferences, now: Now) -> Vec<ViewKey> {
        if self.place.resource.is_empty() {
            self.place.resource = FIRST_RESOURCE.into();
        }
        let Some(kinds) = client.kinds() else { return Vec::new() };
        let kind = match resolve(&kinds.kinds, &self.place.resource) {
            Ok(kind) => Rc::new(kind.clone()),
            Err(problem) => {
                let left = self.leave(client);
                self.displayed.unknown(problem);
                return left;
            }
        };
        self.complete_place(client, &kind);
        self.choice = Choice::of(self.place.cols.as_ref(), preferences.columns_of(&self.place.resource));
        self.place.cols = self.choice.cols().cloned();
        let key = client.open_with(self.scope(&kind), self.choice.own(), now);
        let mut left = Vec::new();
        if self.key() != Some(key) {
            left = self.leave(client);
            self.screen.begin_anew();
            self.displayed.open(client, key, kind);
        }
        left.extend(self.open_log(client, now));
        self.displayed.set_query(client, &self.place.query, self.place.sort.clone());
        self.model.filter = self.place.query.to_string();
        self.screen.rows_changed = true;
        left
    }

    /// Other columns of one's own, or other selectors, were chosen: the view is asked for anew. `is_held`:
    /// somebody else looks at the same one, so that stays as it is.
    pub(super) fn open_again(
        &mut self,
        client: &mut Client,
        preferences: &Preferences,
        is_held: bool,
        now: Now,
    ) -> Vec<ViewKey> {
        self.screen.asks_anew = false;
        if let (Some(key), false) = (self.key(), is_held) {
            client.set_columns(key, &self.choice.own());
        }
        let log = self.log.take().map(|log| log.key);
        let left = self.open(client, preferences, now);
        log.into_iter().chain(left).collect()
    }

    pub(super) fn leave(&mut self, client: &mut Client) -> Vec<ViewKey> {
        self.stop_editing(client);
        self.displayed.leave(client).into_iter().chain(self.log.take().map(|log| log.key)).collect()
    }

    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.key() == Some(key) || self.log.as_ref().is_some_and(|log| log.key == key)
    }

    /// The log has a subscription of its own beside the table's, whose state it shows.
    fn open_log(&mut self, client: &mut Client, now: Now) -> Option<ViewKey> {
        let scope = self.kind().map(|kind| self.scope(kind))?;
        match (self.look, &self.log) {
            (Look::Log, None) => {
                let key = client.open_timeline(scope, None, now);
                self.log = Some(LogPane::new(key, now.now_ms));
                None
            }
            (Look::Log, Some(_)) => None,
            (Look::Table, _) => self.log.take().map(|log| log.key),
        }
    }

    /// What the address says of this row's panel, or of the focused one's.
    pub(super) fn panel_place(&self, client: &Client, row: Option<RowId>) -> Option<PanelPlace> {
        let (view, _) = self.displayed.shown(client)?;
        let id = row.or(self.screen.focused)?;
        let row = view.table().entry(view.table().slot_of(id)?)?.row();
        PanelPlace::named(row.namespace.as_deref(), &row.name)
    }

    pub(super) fn is_open(&self) -> bool {
        self.key().is_some()
    }

    /// So that the link means the same for everybody, and later.
    fn complete_place(&mut self, client: &Client, kind: &Kind) {
        let Some(welcome) = client.welcome() else { return };
        self.place.resource = kind.resource.to_string().into();
        self.place.cluster = Some(welcome.cluster.name.clone());
        self.place.place = match (kind.namespaced, self.place.namespaces(&welcome.namespaces)) {
            (false, _) => Place::Cluster,
            (true, Namespaces::All) => Place::All,
            (true, Namespaces::These(names)) => Place::These(names),
        };
    }

    fn scope(&self, kind: &Kind) -> Scope {
        Scope {
            cluster: None,
            resource: kind.resource.clone(),
            namespaces: self.place.namespaces(&[]),
            name: None,
            labels: self.place.labels.clone(),
            fields: self.place.fields.clone(),
        }
    }

    pub(super) fn rows_came(&mut self, client: &Client, delta: &Delta, now_ms: UnixMillis) {
        self.displayed.count(delta);
        let Some(view) = self.displayed.live(client) else { return };
        let was_whole = !delta.first_cut && view.table().is_whole();
        self.screen.recent.note(delta, was_whole, now_ms);
        self.screen.wants_focus |= delta.first_cut && std::mem::take(&mut self.screen.goes_on);
        // Before it is live, nobody reads yet: columns may grow as its rows come.
        if !was_whole {
            self.screen.widths.grow_at_once();
        }
        // At the very top, nothing is above.
        if was_whole && !delta.replaced && self.screen.viewport.scroll_top_px > 0.0 {
            self.screen.new_rows_above.note(view.table(), delta);
        }
        self.screen.rows_changed = true;
        self.screen.must_measure |= delta.first_cut || delta.replaced || delta.columns;
    }

    /// Whether it is stale.
    pub(super) fn second(&mut self, client: &mut Client, now_ms: UnixMillis) -> bool {
        self.screen.recent.expire(now_ms);
        self.follow_reader(client, now_ms);
        self.drop_deleted(client);
        let view = self.displayed.live(client);
        self.is_stale = view.is_some_and(|view| freshness::of(client, view, now_ms).is_stale());
        self.is_stale
    }

    pub(super) fn focused_slot(&self, client: &Client) -> Option<Slot> {
        self.displayed.live(client)?.table().slot_of(self.screen.focused?)
    }

    /// While somebody reads, rows stay where they are; when nobody has for a while, they are put in
    /// order.
    fn follow_reader(&mut self, client: &mut Client, now_ms: UnixMillis) {
        let reader = &mut self.screen.reader;
        let reads = reader.has_focus || reader.has_pointer || self.screen.viewport.scroll_top_px > 0.0;
        if reads {
            reader.last_ms = now_ms;
        }
        let holds = now_ms.saturating_sub(reader.last_ms) < READER_GONE_MS;
        let Some((view, reader)) = self.displayed.shown_mut(client) else { return };
        view.hold(reader, holds);
        if !holds && view.index(reader).waiting_count() > 0 {
            view.settle(reader);
            self.screen.rows_changed = true;
        }
    }
}
