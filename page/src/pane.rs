//! One pane: a view of one resource, the rows that are mounted, and the reader's place in them. A page has one
//! pane, a board several, a host's page one for each element. The modules below have a state each; here they
//! are put together. Never the address bar, the socket or another pane.

mod announcer;
mod attention;
mod beside;
mod cell;
mod cell_width;
mod clocks;
mod column;
mod column_chooser;
mod column_sizes;
mod columns;
mod displayed;
pub(crate) mod empty_state;
mod export;
mod focus;
mod grid;
mod head;
pub(crate) mod links;
mod log;
mod minimap;
mod new_rows_above;
mod notice;
mod panel_row;
mod place;
mod plan;
mod recent;
mod rows;
mod scroll;
mod selection;
mod selectors;
mod status_bar;
mod update;
mod usage;

use std::rc::Rc;

use replica::client::ViewKey;
use replica::freshness::{self, ClusterState, Freshness};
use replica::now::Now;
use replica::table::{Delta, Slot};
use shared::frame::client::RowDetail;
use shared::name::ClusterName;
use shared::resource::Kind;
use shared::row::RowId;
use shared::state::UnixMillis;

use crate::action::PaneId;
use crate::address::{self, Look, PaneSize};
use crate::column_settings::ColumnSettings;
use crate::location::Location;
use crate::log::LogFilter;
use crate::messages::{self, Zone};
use crate::model::{Content, PaneModel, PillState};
use crate::notice::ReaderView;
use crate::preferences::Preferences;
use crate::query::complete::examples;
use crate::table_view::{Client, TableView};
use crate::theme::{Density, Theme, WideColumns};
use crate::traffic::Traffic;
use announcer::Announcer;
use column_chooser::ColumnChooser;
use displayed::Displayed;
use grid::Grid;
use head::head;
use links::{PageLinks, RowLinks};
use log::LogPane;
use notice::Bands;
use selectors::SelectorEditor;
use usage::Usage;

#[derive(Default)]
pub(crate) struct Pane {
    pub(crate) id: PaneId,
    pub(crate) look: Look,
    /// As the address has it.
    pub(crate) place: Location,
    /// On a board, as the address has it.
    pub(crate) size: PaneSize,
    /// In an element whose host's page sets one.
    pub(crate) theme: Option<Theme>,
    pub(crate) density: Option<Density>,
    /// The view's freshness at the last frame or second.
    pub(crate) freshness: Option<Freshness>,
    /// The clusters of the view.
    pub(crate) clusters: Vec<ClusterName>,
    /// The state of each cluster, if there are several.
    cluster_states: Vec<ClusterState>,
    displayed: Displayed,
    usage: Usage,
    /// The view has to be opened again with other rows or cells.
    pub(crate) must_reopen: bool,
    grid: Grid,
    log: Option<LogPane>,
    chooser: ColumnChooser,
    selectors: SelectorEditor,
    is_export_open: bool,
    links: RowLinks,
    /// The row of the open panel's object, while a filter may hide it.
    open_row: Option<RowId>,
    announcer: Announcer,
    pub(crate) model: PaneModel,
}

/// Which view the pane shows.
impl Pane {
    pub(crate) fn new(id: PaneId, address::Pane { look, location: place, size }: address::Pane) -> Self {
        Self { id, look, place, size, ..Self::default() }
    }

    pub(crate) fn address(&self) -> address::Pane {
        let mut location = self.place.clone();
        if self.look == Look::Table {
            location.log = LogFilter::default();
        }
        address::Pane { look: self.look, location, size: self.size }
    }

    /// The changes, unless the table is shown.
    fn shown_log(&self) -> Option<&LogPane> {
        self.log.as_ref().filter(|_| self.look == Look::Log)
    }

    pub(crate) fn key(&self) -> Option<ViewKey> {
        self.displayed.key()
    }

    pub(crate) fn kind(&self) -> Option<&Rc<Kind>> {
        self.displayed.kind()
    }

    pub(crate) fn holds(&self, key: ViewKey) -> bool {
        [self.key(), self.usage.key()].contains(&Some(key))
            || self.log.as_ref().is_some_and(|log| log.key == key)
    }

    /// Opens the view of the place. Returns the views that this pane no longer shows.
    /// `is_held`: another part of the page shows the old view with the clusters that it has.
    pub(crate) fn open(
        &mut self,
        client: &mut Client,
        preferences: &Preferences,
        is_held: bool,
        now: Now,
    ) -> Vec<ViewKey> {
        let (kind, clusters) = match place::complete(&mut self.place, client) {
            Ok(completed) => completed,
            Err(Displayed::Unresolved) => return Vec::new(),
            Err(refused) => {
                let left = self.leave(client);
                self.displayed = refused;
                return left;
            }
        };
        let kept = preferences.columns_of(&self.place.resource);
        self.chooser.settings = ColumnSettings::of(self.place.cols.as_ref(), kept);
        self.place.cols = self.chooser.settings.cols().cloned();
        if self.place.wide == WideColumns::Auto {
            self.place.wide = preferences.wide;
        }
        let scope = place::scope(&self.place, &kind, &clusters, client);
        // A view of all clusters goes on where they become more or fewer.
        if let Some(key) = self.key().filter(|_| self.place.is_of_all_clusters() && !is_held) {
            client.set_clusters(key, &clusters, now);
        }
        let columns = (self.chooser.settings.own(), RowDetail::Changes);
        let key = client.open_clusters(scope.clone(), &clusters, columns, now);
        self.clusters = clusters;
        let mut left = Vec::new();
        let is_other_view = self.key() != Some(key);
        if is_other_view {
            left = self.leave(client);
            // For another view only the size of the window is kept.
            self.grid.begin_anew();
            self.chooser.open(false);
            self.model.suggestions = None;
            (self.is_export_open, self.must_reopen) = (false, false);
            self.displayed.open(client, key, kind);
        }
        left.extend(self.follow_usage(client, is_other_view, now));
        let of_log = (scope, self.clusters.as_slice());
        LogPane::follow_look(&mut self.log, (self.look, &self.place.log), client, of_log, now);
        self.displayed.set_query(client, &self.place.query, place::order(&self.place).as_ref());
        self.model.filter = self.place.query.to_string();
        self.grid.minimap.rows_changed();
        left
    }

    /// Opens the view again with the chosen columns or selectors. `is_held`: another part of the page shows the
    /// old view too, so that it stays as it is.
    pub(crate) fn open_again(
        &mut self,
        client: &mut Client,
        preferences: &Preferences,
        is_held: bool,
        now: Now,
    ) -> Vec<ViewKey> {
        self.must_reopen = false;
        if let (Some(key), false) = (self.key(), is_held) {
            client.set_columns(key, &self.chooser.settings.own());
        }
        let log = self.log.take().map(|log| log.key);
        let left = self.open(client, preferences, is_held, now);
        log.into_iter().chain(left).collect()
    }

    pub(crate) fn leave(&mut self, client: &mut Client) -> Vec<ViewKey> {
        self.selectors.close(client);
        let beside = [self.usage.leave(), self.log.take().map(|log| log.key)];
        self.displayed.leave(client).into_iter().chain(beside.into_iter().flatten()).collect()
    }

    /// The resource whose columns changed and the text that the browser has to keep, once.
    pub(crate) fn columns_to_keep(&mut self) -> Option<(Box<str>, String)> {
        Some((self.place.resource.clone(), self.chooser.take_kept()?))
    }

    pub(crate) fn rows_came(&mut self, client: &Client, delta: &Delta, now_ms: UnixMillis) {
        self.displayed.rows_came(delta);
        if let Some(rows) = self.displayed.rows(client) {
            self.grid.rows_came(&rows, delta, now_ms);
        }
    }

    /// Marks or rows left the view because they are old.
    pub(crate) fn rows_grew_old(&mut self) {
        self.grid.minimap.rows_changed();
    }

    pub(crate) fn scroll_top_px(&self) -> f64 {
        self.grid.scroll.viewport.scroll_top_px
    }

    /// Where the reader was when they left this view.
    pub(crate) fn resume_at(&mut self, top_px: f64) {
        self.grid.scroll.resume_at(top_px);
    }

    /// The address of each row's panel is made from the page's.
    pub(crate) fn follow_links(&mut self, page: Option<Rc<PageLinks>>, at: usize) {
        self.links.follow(page, at);
    }

    /// The row of the panel's object. It is looked for only where a filter may hide it.
    pub(crate) fn follow_open_row(&mut self, client: &Client) {
        self.open_row =
            self.place.panel.as_ref().filter(|_| !self.place.query.is_empty()).and_then(|panel| {
                let table = self.displayed.rows(client)?.view.table();
                Some(table.rows().find(|row| panel.is_of_row(row, table))?.id)
            });
    }

    /// Once a second. Answers whether the view is stale.
    pub(crate) fn second(&mut self, client: &mut Client, now_ms: UnixMillis) -> bool {
        self.grid.second(&mut self.displayed, client, &self.model.rows, now_ms);
        self.usage.second(client, &self.displayed, now_ms);
        self.update_freshness(client, now_ms);
        self.follow_open_row(client);
        self.is_stale()
    }

    fn update_freshness(&mut self, client: &Client, now_ms: UnixMillis) {
        let live = self.displayed.rows(client).map(|rows| rows.live);
        self.freshness = live.map(|view| freshness::of(client, view, now_ms));
        self.cluster_states =
            live.map(|view| freshness::of_clusters(client, view, now_ms)).unwrap_or_default();
    }

    /// Each cluster of a view of several.
    pub(crate) fn cluster_states(&self) -> &[ClusterState] {
        &self.cluster_states
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.displayed.is_paused() || self.log.as_ref().is_some_and(LogPane::is_paused)
    }

    /// What the document's title says of this pane: the open object, and the kind.
    pub(crate) fn title(&self) -> String {
        let object = self.place.panel.as_ref().map(|panel| panel.name.to_string());
        object.into_iter().chain([self.place.resource.to_string()]).collect::<Vec<_>>().join(" · ")
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.freshness.as_ref().is_some_and(Freshness::is_stale)
    }

    pub(crate) fn announce(&mut self, client: &Client) -> Option<String> {
        self.announcer.announce(&self.displayed.rows(client)?, self.grid.focus.row?)
    }

    /// The deleted rows that can't leave yet: the focused one, and all while the reader aims at a row, because
    /// others would take its place under the pointer.
    pub(crate) fn held_slots(&self, client: &Client, now_ms: UnixMillis) -> Vec<Slot> {
        let Some(rows) = self.displayed.rows(client) else { return Vec::new() };
        let table = rows.live.table();
        let all = self.grid.attention.aims(now_ms).then(|| table.iter()).into_iter().flatten();
        let deleted = all.filter(|(_, entry)| entry.is_tombstone()).map(|(slot, _)| slot);
        self.grid.focus.row.and_then(|row| table.slot_of(row)).into_iter().chain(deleted).collect()
    }
}

/// The model, once an animation frame.
impl Pane {
    /// `namespaces`: the view of all of the cluster, while they are known.
    pub(crate) fn render(
        &mut self,
        client: &mut Client,
        (traffic, namespaces): (&Traffic, Option<ViewKey>),
        now_ms: UnixMillis,
        zone: Zone,
    ) {
        self.update_freshness(client, now_ms);
        let (Some(rows), Some(freshness)) = (self.displayed.rows(client), &self.freshness) else {
            return empty_state::render_without_view(&mut self.model, &self.displayed, &self.place, client);
        };
        let kept = [self.grid.focused(), self.open_row];
        let slots = kept.iter().flatten().filter_map(|row| rows.view.table().slot_of(*row)).collect();
        if let Some((view, reader)) = self.displayed.view_mut(client) {
            view.keep(reader, slots);
        }
        let polled = self.usage.polled(client, now_ms, zone);
        let asked = (&self.place, &self.chooser.settings, &*polled);
        self.grid.render(
            (&mut self.displayed, client),
            asked,
            (freshness, &self.cluster_states, &mut self.links),
            now_ms,
            &mut self.model,
        );
        self.displayed.set_searched(client, &self.grid.columns.shown);
        let Some(rows) = self.displayed.rows(client) else { return };
        let is_log = self.shown_log().is_some();
        let is_log_paused = self.shown_log().is_some_and(LogPane::is_paused);
        let (model, grid) = (&mut self.model, &self.grid);
        model.is_stale = freshness.is_stale();
        model.is_paused = rows.paused.is_some() || is_log_paused;
        let columns_shown = self.chooser.count(&rows, &grid.columns);
        model.head = head(
            client,
            (&self.place, &self.clusters),
            &rows,
            PillState::of(freshness),
            is_log,
            columns_shown,
        );
        model.columns = self.chooser.model(grid.columns.available(&rows));
        let filter = rows.index.filter();
        model.marks = filter.marks();
        model.filter_hint = messages::filter_hint(&examples(rows.live.table().columns()));
        model.unread =
            filter.unread().map(|(term, why)| messages::filter_unread(term, why)).unwrap_or_default();
        (model.selectors, model.selector_suggestions) = self.selectors.model(&self.place);
        let event_count = self.log.as_ref().filter(|_| is_log).map(LogPane::len);
        model.log.is_shown = is_log;
        if let Some(log) = self.log.as_mut().filter(|_| is_log) {
            log.render(client, &mut model.log, zone);
        }
        let (recent, clusters) = (&grid.recent, self.cluster_states.as_slice());
        let bands = Bands { client, rows, freshness, clusters, recent, traffic, now_ms, zone };
        bands.render_notice(model, self.log.as_ref().filter(|_| is_log));
        model.status_bar =
            bands.status_bar(grid.said, &grid.selection, &grid.scroll.window(rows.index.len()));
        let shown = ReaderView { client, view: rows.view, reader: rows.reader, freshness, now_ms, zone };
        let body = shown.body();
        model.head.content = empty_state::content(&rows, freshness, body.is_some());
        model.empty_state = body.map(|body| match model.head.content {
            Content::NoRows => {
                let namespaces = namespaces.and_then(|key| client.view(key));
                empty_state::without_rows(body, &rows, namespaces.map(|view| view.table()))
            }
            _ => empty_state::of_view(body),
        });
        self.model.export = export::menu(self, client, &rows, event_count);
    }

    /// The view of some namespaces is empty, so that it matters whether they exist.
    pub(crate) fn wants_namespaces(&self, client: &Client, now_ms: UnixMillis) -> bool {
        self.displayed.rows(client).is_some_and(|rows| {
            rows.live.table().is_empty()
                && !empty_state::chosen(&rows).is_empty()
                && freshness::of(client, rows.live, now_ms).is_current()
        })
    }

    /// The number of rows, once all are here.
    pub(crate) fn count(&self, client: &Client) -> Option<usize> {
        let table = self.displayed.rows(client)?.live.table();
        (table.is_whole() && self.freshness.as_ref()?.shows_rows()).then(|| table.len())
    }
}
