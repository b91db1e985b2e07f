//! One write an animation frame: the window, its rows, the bands around them.

use std::sync::Arc;

use crate::messages;
use crate::query::Index;
use crate::table_view::Client;
use crate::table_view::{TableView, View};
use crate::window::{self, Window};
use replica::connection::Link;
use replica::freshness::{self, Freshness};
use replica::table::Slot;
use shared::state::UnixMillis;

use super::columns;
use super::log::LogPane;
use super::rows::Drawing;
use super::screen::Screen;
use super::{Pane, minimap};
use crate::messages::Zone;
use crate::model::{
    EmptyState, Extent, FocusRequest, Head, Minimap, Notice, Pill, PillState, StatusBar, TableHead,
};
use crate::traffic::Traffic;

/// The rail is drawn at most this often while rows change.
const MINIMAP_INTERVAL_MS: i64 = 1_000;
/// Places for rows are reserved after this: most lists are here before it.
const SKELETON_ROWS_AFTER_MS: i64 = 300;
const SKELETON_ROWS: usize = 8;
/// Below this many rows the widest cell is looked for in all of them, not only in those seen.
const MEASURE_ROWS_MAX: usize = 2_000;

impl Pane {
    pub(crate) fn render(&mut self, client: &mut Client, traffic: &Traffic, now_ms: UnixMillis, zone: Zone) {
        let Some(live) = self.displayed.live(client) else { return self.render_without_view(client) };
        let freshness = freshness::of(client, live, now_ms);
        // What is frozen stays as old as it was.
        let drawn_ms = self.displayed.frozen().map_or(now_ms, |frozen| frozen.since_ms);
        let Some((_, index)) = self.displayed.shown(client) else { return };
        let unread = index.filter().unread();
        self.model.marks = super::completion::marks(index.filter());
        self.model.suggestions = self.screen.suggestions.clone();
        self.model.selectors = self.selectors();
        self.model.selector_suggestions = self.selector_suggestions();
        self.model.unread = unread.map_or_else(String::new, |(term, why)| messages::filter_unread(term, why));
        self.render_head(client, &freshness);
        self.render_columns(client, &freshness);
        self.render_rows(client, &freshness, drawn_ms);
        let log_paused = self.log.as_ref().is_some_and(LogPane::is_paused);
        self.model.is_paused = self.displayed.frozen().is_some() || log_paused;
        self.model.export = self.export_model(client);
        self.model.columns = self.column_list(client);
        self.render_log(client, zone);
        self.render_notice(client, traffic, &freshness, now_ms, zone);
    }

    /// How many rows it has, once they are whole.
    pub(crate) fn count(&self, client: &Client, now_ms: UnixMillis) -> Option<usize> {
        let view = self.displayed.live(client)?;
        let shows_rows = freshness::of(client, view, now_ms).shows_rows();
        (view.table().is_whole() && shows_rows).then(|| view.table().len())
    }

    /// Nothing is known yet, or the cluster serves no such resource.
    fn render_without_view(&mut self, client: &Client) {
        let resource = self.place.resource.to_string();
        let (empty_state, pill) = match self.displayed.problem() {
            Some(problem) => (
                Some(EmptyState {
                    title: messages::unknown_resource(&resource),
                    text: messages::sentence(&problem.message),
                    // It opens by itself when discovery finds the kind.
                    action: None,
                }),
                Pill::new(PillState::Gone, messages::GONE, ""),
            ),
            None => without_kinds(client),
        };
        self.model.head = Head { resource, state: pill.state, ..Head::default() };
        self.model.empty_state = empty_state;
        self.model.pill = pill;
        self.model.notice = Notice::None;
        self.model.status_bar = StatusBar::default();
        self.model.is_stale = false;
        self.model.table = Arc::default();
        self.model.rows = Arc::default();
    }

    fn render_head(&mut self, client: &Client, freshness: &Freshness) {
        let (Some(kind), Some(view)) = (self.kind(), self.displayed.live(client)) else { return };
        let resource = &kind.resource;
        let group_version = if resource.is_core() {
            resource.version.to_string()
        } else {
            format!("{}/{}", resource.group, resource.version)
        };
        let group_version =
            if self.log.is_some() { messages::watch_log_of(&group_version) } else { group_version };
        self.model.head = Head {
            resource: resource.resource.to_string(),
            group_version,
            wide: self.place.wide,
            is_paused: self.displayed.frozen().is_some(),
            columns_shown: self.columns_shown(client),
            has_wide: view.table().columns().iter().any(|column| column.is_wide()),
            place: messages::place_of(&view.subscription().scope().namespaces, kind.namespaced),
            query: self.query_words(),
            state: PillState::of(freshness),
            resource_version: super::notice::resource_version(view),
        };
    }

    /// Selectors and filter, as a board's pane says them.
    fn query_words(&self) -> String {
        let labels = self.place.labels.as_ref().map(ToString::to_string);
        let fields = self.place.fields.as_ref().map(|fields| fields.as_str().to_owned());
        let query = Some(self.place.query.to_string()).filter(|query| !query.is_empty());
        [labels, fields, query].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    fn render_columns(&mut self, client: &Client, freshness: &Freshness) {
        let room = self.room(client);
        let (Some(kind), Some((view, index))) = (self.kind().cloned(), self.displayed.shown(client)) else {
            return;
        };
        let shown = columns::shown(view.table().columns(), room, &self.choice);
        if !columns::differ_in_width_alone(&shown, &self.screen.columns) {
            self.screen.widths.clear();
            self.screen.must_measure = true;
        }
        self.screen.columns = shown;
        let is_busy = matches!(freshness, Freshness::Syncing { .. });
        let head = TableHead {
            label: kind.resource.to_string(),
            columns: columns::head_cells(&self.screen.columns, self.place.sort.as_ref()),
            row_count: (!is_busy).then(|| index.len() + 1),
            moved: index.waiting_count(),
            is_busy,
            is_across: columns::go_across(&self.screen.columns, self.screen.width_px),
        };
        if *self.screen.head != head {
            self.screen.head = Arc::new(head);
            self.model.table = self.screen.head.clone();
        }
    }

    fn render_rows(&mut self, client: &mut Client, freshness: &Freshness, now_ms: UnixMillis) {
        self.keep_anchor(client);
        let Some((view, reader)) = self.displayed.shown_mut(client) else { return };
        let index = view.index(reader);
        let screen = &mut self.screen;
        let count = if freshness.shows_rows() { index.len() } else { 0 };
        let window = window::window(screen.viewport, count);
        let waited_ms = now_ms.saturating_sub(view.subscription().asked_ms());
        let is_waiting = count == 0
            && matches!(freshness, Freshness::Syncing { .. })
            && waited_ms >= SKELETON_ROWS_AFTER_MS;
        self.model.skeleton_rows = if is_waiting { SKELETON_ROWS } else { 0 };
        if screen.must_measure && view.table().is_whole() {
            screen.must_measure = false;
            if count <= MEASURE_ROWS_MAX {
                measure_all(view, screen);
            }
        }
        let focused = screen.focused.and_then(|id| view.table().slot_of(id));
        let places = places(view, index, &window, focused);
        // Somebody has to be reachable by the Tab key.
        let reachable = match focused.filter(|slot| places.iter().any(|(_, held)| held == slot)) {
            Some(_) => screen.focused,
            None => places.first().and_then(|(_, slot)| Some(view.table().entry(*slot)?.row().id)),
        };
        screen.reachable = reachable;
        let cluster_now = view.cluster_now_s(now_ms, freshness.is_stale());
        let drawing = Drawing {
            columns: &screen.columns,
            now_ms,
            cluster_now,
            focused: screen.focused,
            reachable,
            selection: &screen.selection,
            row_px: screen.viewport.row_height_px,
        };
        self.model.rows = Arc::new(screen.flashes.draw(view, &places, &drawing, &mut screen.widths));
        // The fonts may have come since.
        screen.widths.grow(now_ms);
        self.model.columns_css =
            columns::template(&screen.columns, &screen.widths, screen.font, screen.width_px);
        self.render_extent(&window);
        self.render_minimap(client, &window, now_ms);
    }

    /// The first whole row of the window keeps its pixel when rows come and go above it.
    fn keep_anchor(&mut self, client: &Client) {
        let Some((view, index)) = self.displayed.shown(client) else { return };
        if self.screen.scroll_to_px.is_some() {
            return;
        }
        let Some((id, distance_px)) = self.screen.anchor else { return };
        let place = view.table().slot_of(id).and_then(|slot| index.position(view.table(), slot));
        let Some(place) = place else { return };
        let viewport = &mut self.screen.viewport;
        let top_px = window::scroll_to_anchor(place, distance_px, viewport.row_height_px);
        if (top_px - viewport.scroll_top_px).abs() >= 1.0 {
            viewport.scroll_top_px = top_px;
            self.screen.scroll_to_px = Some(top_px);
        }
    }

    fn render_extent(&mut self, window: &Window) {
        let screen = &mut self.screen;
        let extent = Extent { height_px: window.total_px, scroll_to_px: screen.scroll_to_px.take() };
        self.model.extent = extent;
        if std::mem::take(&mut screen.wants_focus)
            && let Some(row) = screen.focused.or(screen.reachable)
        {
            screen.focus_request = screen.focus_request.wrapping_add(1);
            self.model.focus =
                Some(FocusRequest { row: row.to_string(), cell: screen.cell, number: screen.focus_request });
        }
    }

    fn render_minimap(&mut self, client: &Client, window: &Window, now_ms: UnixMillis) {
        let Some((view, index)) = self.displayed.shown(client) else { return };
        let screen = &mut self.screen;
        let is_needed = window.total_px > screen.viewport.height_px && screen.viewport.height_px > 0.0;
        let is_due = now_ms.saturating_sub(screen.minimap_drawn_ms) >= MINIMAP_INTERVAL_MS;
        let held = Arc::clone(&self.model.minimap);
        if held.is_needed == is_needed && !(is_needed && screen.rows_changed && is_due) {
            // Only the frame moves.
            let here = minimap::here(&window.seen, index.len());
            if is_needed && held.here != here {
                self.model.minimap = Arc::new(Minimap { here, ..(*held).clone() });
            }
            return;
        }
        self.model.minimap = Arc::new(minimap::minimap(view, index, &screen.recent, &window.seen, is_needed));
        screen.minimap_drawn_ms = now_ms;
        screen.rows_changed = false;
    }
}

/// Discovery hasn't come, or never will: nobody is signed in, or the gateway is of another version. Our own
/// page says that elsewhere too; an element has its body alone.
fn without_kinds(client: &Client) -> (Option<EmptyState>, Pill) {
    let (title, problem) = match client.connection().link() {
        Link::Refused { problem } => (messages::LOGIN_REFUSED, problem),
        Link::OtherVersion { problem, .. } => (messages::OTHER_VERSION, problem),
        _ => {
            return (None, Pill::new(PillState::Syncing, messages::SYNCING, messages::ASKING));
        }
    };
    let blank =
        EmptyState { title: title.to_owned(), text: messages::sentence(&problem.message), action: None };
    (Some(blank), Pill::new(PillState::Failed, messages::FAILED, ""))
}

/// The rows to mount: those of the window, and the one that has the focus.
fn places(view: &View, index: &Index, window: &Window, focused: Option<Slot>) -> Vec<(usize, Slot)> {
    let mut places: Vec<(usize, Slot)> =
        window.rows.clone().zip(index.range(window.rows.clone()).iter().copied()).collect();
    if let Some(slot) = focused
        && let Some(place) = index.position(view.table(), slot)
        && !window.rows.contains(&place)
    {
        let at = if place < window.rows.start { 0 } else { places.len() };
        places.insert(at, (place, slot));
    }
    places
}

fn measure_all(view: &View, screen: &mut Screen) {
    let status = view.tally().columns();
    for row in view.table().rows() {
        for (index, column) in screen.columns.iter().enumerate() {
            // Ages have their own rhythm; the seen ones are measured as they are drawn.
            let body = super::cell::body(row, column, status, row.created.unwrap_or_default());
            screen.widths.see(index, super::cell::characters(&body));
        }
    }
}
