//! One pane: a view of one resource, what is mounted of it, and where its reader is. A page has one,
//! a board several, another people's page as many as it has elements. Never the address bar, the
//! socket or another pane.

mod above;
mod act;
mod body;
mod choose;
mod columns;
mod complete;
mod flush;
mod log;
mod rail;
mod rows;
mod screen;
mod select;
mod selector;
mod sight;
mod spoken;
mod take;
mod words;

use std::rc::Rc;

use leptos::prelude::*;
use page::address::{self, Look};
use page::column_settings::Choice;
use page::limits::READER_GONE_MS;
use page::location::{Location, PanelPlace, Place};
use page::table_view::Client;
use page::table_view::TableView;
use replica::client::ViewKey;
use replica::freshness;
use replica::now::Now;
use replica::table::{Delta, Slot};
use shared::resource::{Kind, resolve};
use shared::row::RowId;
use shared::scope::{Namespaces, Scope};
use shared::state::UnixMillis;

use super::dispatch::Dispatch;
use super::model::{Standing, Theme};
use super::page::React;
use super::preferences;
use super::signals::{PaneSignals, ViewSignals, put};
pub(crate) use body::{glyph, status_class};
use log::LogPane;
use screen::Screen;
use sight::Sight;
use spoken::Spoken;
pub(in crate::live) use words::{pill, proof};

/// A pane's name within its page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct PaneId(pub(super) u32);

pub(super) struct Pane {
    pub(super) id: PaneId,
    pub(super) look: Look,
    /// What the address says of it, and what it shall say.
    pub(super) place: Location,
    sight: Sight,
    log: Option<LogPane>,
    spoken: Spoken,
    choice: Choice,
    pub(super) screen: Screen,
    pub(super) is_stale: bool,
    view: ViewSignals,
    act: Dispatch,
    owner: Owner,
}

/// Where a first page starts.
const FIRST_RESOURCE: &str = "pods";

impl Pane {
    pub(super) fn new(id: PaneId, look: Look, place: Location, theme: RwSignal<Theme>, react: React) -> Self {
        // Nobody's child: what asked for this pane may leave before it does.
        let owner = Owner::default();
        let (view, act) =
            owner.with(|| (ViewSignals::new(theme), Dispatch::new(move |action| react(id, action))));
        Self {
            id,
            look,
            place,
            sight: Sight::default(),
            log: None,
            spoken: Spoken::default(),
            choice: Choice::default(),
            screen: Screen::new(),
            is_stale: false,
            view,
            act,
            owner,
        }
    }

    pub(super) fn signals(&self) -> PaneSignals {
        PaneSignals { id: self.id, view: self.view, act: self.act }
    }

    pub(super) fn stand(&self, standing: Standing) {
        put(self.view.standing, standing);
    }

    pub(super) fn into_owner(self) -> Owner {
        self.owner
    }

    pub(super) fn address(&self) -> address::Pane {
        address::Pane { look: self.look, location: self.place.clone() }
    }

    pub(super) fn key(&self) -> Option<ViewKey> {
        self.sight.key()
    }

    pub(super) fn kind(&self) -> Option<&Rc<Kind>> {
        self.sight.kind()
    }

    /// The place says what to open. Answers the views that are no longer looked at from here.
    pub(super) fn open(&mut self, client: &mut Client, now: Now) -> Vec<ViewKey> {
        if self.place.resource.is_empty() {
            self.place.resource = FIRST_RESOURCE.into();
        }
        let Some(kinds) = client.kinds() else { return Vec::new() };
        let kind = match resolve(&kinds.kinds, &self.place.resource) {
            Ok(kind) => Rc::new(kind.clone()),
            Err(problem) => {
                let left = self.leave(client);
                self.sight.unknown(problem);
                return left;
            }
        };
        self.complete_place(client, &kind);
        self.choice = Choice::of(self.place.cols.as_ref(), &preferences::columns(&self.place.resource));
        self.place.cols = self.choice.cols().cloned();
        let key = client.open_with(self.scope(&kind), self.choice.own(), now);
        let mut left = Vec::new();
        if self.key() != Some(key) {
            left = self.leave(client);
            self.screen.begin_anew();
            self.sight.open(client, key, kind);
        }
        left.extend(self.open_log(client, now));
        self.sight.set_query(client, &self.place.query, self.place.sort.clone());
        put(self.view.filter, self.place.query.to_string());
        self.screen.rows_changed = true;
        left
    }

    /// Other columns of one's own, or other selectors, were chosen: the view is asked for anew. `is_held`:
    /// somebody else looks at the same one, so that stays as it is.
    pub(super) fn open_again(&mut self, client: &mut Client, is_held: bool, now: Now) -> Vec<ViewKey> {
        self.screen.asks_anew = false;
        if let (Some(key), false) = (self.key(), is_held) {
            client.set_columns(key, &self.choice.own());
        }
        let log = self.log.take().map(|log| log.key);
        let left = self.open(client, now);
        log.into_iter().chain(left).collect()
    }

    pub(super) fn leave(&mut self, client: &mut Client) -> Vec<ViewKey> {
        self.stop_editing(client);
        self.sight.leave(client).into_iter().chain(self.log.take().map(|log| log.key)).collect()
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
        let (view, _) = self.sight.shown(client)?;
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
        self.sight.count(delta);
        let Some(view) = self.sight.live(client) else { return };
        let was_whole = !delta.first_cut && view.table().is_whole();
        self.screen.recent.note(delta, was_whole, now_ms);
        self.screen.wants_focus |= delta.first_cut && std::mem::take(&mut self.screen.goes_on);
        // Before it is live, nobody reads yet: columns may grow as its rows come.
        if !was_whole {
            self.screen.widths.grow_at_once();
        }
        // At the very top, nothing is above.
        if was_whole && !delta.replaced && self.screen.viewport.scroll_top_px > 0.0 {
            self.screen.above.note(view.table(), delta);
        }
        self.screen.rows_changed = true;
        self.screen.must_measure |= delta.first_cut || delta.replaced || delta.columns;
    }

    /// Whether it is stale.
    pub(super) fn second(&mut self, client: &mut Client, now_ms: UnixMillis) -> bool {
        self.screen.recent.expire(now_ms);
        self.follow_reader(client, now_ms);
        self.drop_deleted(client);
        let view = self.sight.live(client);
        self.is_stale = view.is_some_and(|view| freshness::of(client, view, now_ms).is_stale());
        self.is_stale
    }

    pub(super) fn focused_slot(&self, client: &Client) -> Option<Slot> {
        self.sight.live(client)?.table().slot_of(self.screen.focused?)
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
        let Some((view, reader)) = self.sight.shown_mut(client) else { return };
        view.hold(reader, holds);
        if !holds && view.index(reader).waiting_count() > 0 {
            view.settle(reader);
            self.screen.rows_changed = true;
        }
    }
}
