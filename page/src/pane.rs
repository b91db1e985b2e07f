//! One pane: a view of one resource, the rows that are mounted, and the reader's place in them. A page has one
//! pane, a board several, a host's page one for each element. The modules below have a state each; here they
//! are put together. Never the address bar, the socket or another pane.

mod attention;
mod cell;
mod clocks;
mod column;
pub(crate) mod columns;
mod displayed;
pub(crate) mod empty_state;
mod exported;
mod focus;
mod grid;
mod head;
mod in_place;
pub(crate) mod links;
mod minimap;
mod new_rows_above;
mod notice;
mod paused;
mod place;
mod recent;
mod rows;
mod scroll;
mod selection;
mod selectors;
pub mod status_bar;
mod update;
mod usage;
pub mod words;

pub(crate) use place::first_order;

use std::rc::Rc;

use replica::client::ViewKey;
use replica::freshness::{self, AsOf, ClusterState, Freshness};
use replica::table::{Delta, Slot};
use shared::frame::client::RowDetail;
use shared::name::ClusterName;
use shared::resource::{Kind, Resource};
use shared::scope::Scope;

use crate::action::{PaneAction, PaneId};
use crate::address::{self, Look, PaneSize};
use crate::columns::ColumnChooser;
use crate::cx::Cx;
use crate::export::ExportMenu;
use crate::kind_link::KindLink;
use crate::linked::{self, LinkedObject};
use crate::location::Location;
use crate::log::{LogFilter, LogSlot};
use crate::messages;
use crate::model::{Content, Icon, Notice, NoticeText, PaneModel, PillState, Standing};
use crate::notice::ReaderView;
use crate::page::layout::Slot as BoardSlot;
use crate::past::{At, PastBar};
use crate::piece::MoreParts;
use crate::query::Sort;
use crate::query::complete::examples;
use crate::table_view::TableView as _;
use crate::theme::{Density, Theme, WideColumns};
use crate::wrong::words::TITLE;
use displayed::{Displayed, PaneView};
use exported::ShownView;
use grid::Grid;
use head::head;
use links::PageLinks;
use notice::Bands;
use rows::Linked;
use selectors::SelectorEditor;

/// One view of one resource: what the address says of it, what is open for that, and where its reader is. The page owns all
/// panes. It calls a pane with an action of the reader, with news of a view, once a second and once a frame.
///
/// Each field is a part that owns its state:
///
/// * `address`: the look, the place and the size, as a link has them. An action changes the place; the page then opens
///   what it names and changes the address bar.
/// * `style`: what the host's page sets for an element.
/// * `view`: the subscription, its rows or their paused copy, what the rows use, and the freshness.
/// * `grid`: the rows and columns on the screen, with the reader's focus, selection and scroll position.
/// * `log`: the changes, with a subscription of their own, from the first look, or the first pause, until another view is
///   opened.
/// * `chooser`, `selectors`, `export`: what a reader opens over the table.
///
/// A pane never closes a view: another pane, a panel or a picker may use the same. [`Pane::open`] and [`Pane::leave`]
/// return the views that it no longer uses, and the page closes those that are unused.
///
/// An action first changes the parts, and may ask for other rows or cells: then [`Pane::must_reopen`] says so, and the page
/// calls [`Pane::open_again`]. A change of the filter or the order opens nothing, because the page filters and sorts by
/// itself.
///
/// The model is written by [`Pane::render`], except for what the next key needs at once: the filter's text, its
/// suggestions, and whether the log takes the focus.
#[derive(Default)]
pub(crate) struct Pane {
    id: PaneId,
    address: address::Pane,
    style: Style,
    view: PaneView,
    grid: Grid,
    log: Option<LogSlot>,
    chooser: ColumnChooser,
    selectors: SelectorEditor,
    export: ExportMenu,
    model: PaneModel,
}

/// Which other parts of the page show the view of a pane, so that it stays as it is.
#[derive(Clone, Copy, Default)]
pub(crate) struct IsHeld {
    /// A pane, with the clusters that it has.
    pub(crate) with_clusters: bool,
    /// A panel or a picker, as of its time.
    pub(crate) of_time: bool,
}

/// In an element whose host's page sets them.
#[derive(Default)]
struct Style {
    theme: Option<Theme>,
    density: Option<Density>,
}

/// How a pane stands among the others.
pub(crate) struct Stand {
    pub(crate) slot: BoardSlot,
    pub(crate) standing: Standing,
    /// Those of the page.
    pub(crate) theme: Theme,
    pub(crate) density: Density,
    /// A pane of the board shows nodes.
    pub(crate) is_beside_nodes: bool,
}

/// What it is, as the address and the host say.
impl Pane {
    pub(crate) fn new(id: PaneId, address: address::Pane) -> Self {
        Self { id, address, ..Self::default() }
    }

    pub(crate) fn id(&self) -> PaneId {
        self.id
    }

    /// The table or its log.
    pub(crate) fn look(&self) -> Look {
        self.address.look
    }

    pub(crate) fn place(&self) -> &Location {
        &self.address.location
    }

    /// To be changed; [`Pane::open`] follows it.
    pub(crate) fn place_mut(&mut self) -> &mut Location {
        &mut self.address.location
    }

    pub(crate) fn address(&self) -> address::Pane {
        let mut address = self.address.clone();
        if address.look == Look::Table {
            address.location.log = LogFilter::default();
        }
        address
    }

    pub(crate) fn lead(&mut self, address: address::Pane) {
        self.address = address;
    }

    /// The link of an element, which has no size of its own.
    pub(crate) fn lead_to(&mut self, look: Look, location: Location) {
        (self.address.look, self.address.location) = (look, location);
    }

    /// Shows the object of a link. `place`: the namespaces that have it.
    pub(crate) fn follow_link(
        &mut self,
        linked: Location,
        place: crate::location::Place,
        sort: Option<Sort>,
    ) {
        let held = &mut self.address.location;
        if held.resource == linked.resource && held.cluster == linked.cluster {
            (held.place, held.panel) = (place, linked.panel);
        } else {
            let (at, against) = (held.at, held.against);
            *held = Location { place, sort, wide: held.wide, at, against, ..linked };
            self.address.look = Look::Table;
        }
    }

    /// On a board.
    pub(crate) fn size(&self) -> PaneSize {
        self.address.size
    }

    pub(crate) fn set_size(&mut self, size: PaneSize) {
        self.address.size = size;
    }

    pub(crate) fn set_theme(&mut self, theme: Theme) {
        self.style.theme = Some(theme);
    }

    /// `None`: the reader's.
    pub(crate) fn set_density(&mut self, density: Option<Density>) {
        self.style.density = density;
    }

    pub(crate) fn stand(&mut self, stand: Stand) {
        let Stand { slot, standing, theme, density, is_beside_nodes } = stand;
        self.grid.stand_beside_nodes(is_beside_nodes);
        (self.model.slot, self.model.standing) = (slot, standing);
        self.model.density = self.style.density.unwrap_or(density);
        self.model.theme = self.style.theme.unwrap_or(theme);
    }

    pub(crate) fn model(&self) -> &PaneModel {
        &self.model
    }

    /// The address of each row's panel is made from the page's.
    pub(crate) fn follow_links(&mut self, page: Option<Rc<PageLinks>>, at: usize) {
        self.grid.follow_links(page, at);
    }

    /// The kinds that the reader could see in place of a forbidden one.
    pub(crate) fn offer_instead(&mut self, kinds: Vec<KindLink>, title: String) {
        if let Some(review) = self.model.empty_state.as_mut().and_then(|state| state.review.as_mut()) {
            (review.instead, review.instead_title) = (kinds, title);
        }
    }

    pub(crate) fn column_titles(&self) -> Vec<String> {
        self.grid.columns().shown().iter().map(|column| column.title.clone()).collect()
    }

    /// What the document's title says of this pane: the open object, and the kind.
    pub(crate) fn title(&self) -> String {
        let place = self.place();
        let object = place.panel.as_ref().map(|panel| panel.name.to_string());
        let resource = match self.address.look {
            Look::Wrong => TITLE.to_owned(),
            Look::Table | Look::Log => place.resource.to_string(),
        };
        object.into_iter().chain([resource]).collect::<Vec<_>>().join(" · ")
    }
}

/// Which view it shows, and how that stands.
impl Pane {
    pub(crate) fn key(&self) -> Option<ViewKey> {
        self.view.key()
    }

    pub(crate) fn kind(&self) -> Option<&Rc<Kind>> {
        self.view.kind()
    }

    pub(crate) fn shows_nodes(&self) -> bool {
        self.kind().is_some_and(|kind| kind.resource.to_string() == "nodes")
    }

    /// The clusters of the view.
    pub(crate) fn clusters(&self) -> &[ClusterName] {
        self.view.clusters()
    }

    /// Each cluster of a view of several.
    pub(crate) fn cluster_states(&self) -> &[ClusterState] {
        self.view.states()
    }

    /// As the view stood at the last frame or second.
    pub(crate) fn freshness(&self) -> Option<&Freshness> {
        self.view.freshness()
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.view.stale_ms().is_some()
    }

    /// What is looked at is paused. A log that was opened beside paused rows isn't.
    pub(crate) fn is_paused(&self) -> bool {
        self.shown_log().map_or_else(|| self.view.displayed().is_paused(), LogSlot::is_paused)
    }

    pub(crate) fn must_reopen(&self) -> bool {
        self.view.must_reopen()
    }

    /// The changes, unless the table is shown.
    fn shown_log(&self) -> Option<&LogSlot> {
        self.log.as_ref().filter(|_| self.address.look == Look::Log)
    }

    pub(crate) fn holds(&self, key: ViewKey) -> bool {
        self.view.holds(key) || self.log.as_ref().is_some_and(|log| log.key() == key)
    }

    /// The page is as of this time from now on; [`Pane::open`] follows it. `is_step`: it is the next change.
    pub(crate) fn set_at(&mut self, at: Option<At>, is_step: bool) {
        self.address.location.at = at;
        self.address.location.against.take_if(|against| at.is_none() || against.at_ms() == at.map(At::ms));
        self.view.step(is_step);
    }

    pub(crate) fn is_past(&self) -> bool {
        self.address.location.at.is_some()
    }

    /// The changes until a time of the past, in place of the rows.
    pub(crate) fn shows_past_changes(&self) -> bool {
        self.is_past() && self.address.look == Look::Log
    }

    /// How the view of a past page stands.
    pub(crate) fn as_of(&self) -> Option<&AsOf> {
        self.view.freshness()?.past()
    }

    /// The same as of this moment.
    pub(crate) fn as_of_now(&self, cx: &Cx) -> Option<AsOf> {
        let live = self.view.rows(cx)?.live;
        freshness::of(&cx.client, live, cx.now_ms()).past().cloned()
    }

    /// The number of rows and of those that fail, of a time of the past as well.
    pub(crate) fn row_counts(&self, cx: &Cx) -> Option<(usize, usize)> {
        self.view.count(cx)
    }

    /// `clock`: whether the bar is open. `bar`: the bar, in the only pane of a page.
    pub(crate) fn show_past(&mut self, clock: Option<bool>, bar: Option<PastBar>) {
        (self.model.clock, self.model.past) = (clock, bar);
    }

    /// Nothing is recorded any more, which stands beside the rows' healths unless the notice line says something else.
    pub(crate) fn note_record(&mut self, said: crate::notice::Notice) {
        let (kind, icon, meter, actions) = (said.kind, Icon::Gap, None, Vec::new());
        let stopped = NoticeText { kind, icon, meter, strong: said.bold, text: said.sentence, actions };
        match &mut self.model.notice {
            Notice::Tally { beside: beside @ None, .. } => *beside = Some(stopped),
            notice @ Notice::None if self.model.head.content.has_rows() => *notice = Notice::Text(stopped),
            _ => {}
        }
    }

    /// What the record of the past is asked of: the scopes of its clusters.
    pub(crate) fn scopes(&self, cx: &Cx) -> Vec<Scope> {
        let Some(rows) = self.view.rows(cx) else { return Vec::new() };
        let scope = &rows.live.subscription().scope;
        match self.clusters() {
            [_, _, ..] => {
                let of = |name| Scope { cluster: cx.client.in_scope(name), ..scope.clone() };
                self.clusters().iter().map(of).collect()
            }
            _ => vec![scope.clone()],
        }
    }

    /// Nothing changes in the past, so there is nothing to pause, and no log that goes on.
    fn begin_past(&mut self, cx: &mut Cx) -> Option<ViewKey> {
        if self.view.displayed().is_paused() {
            self.view.pause(false, cx);
        }
        self.model.log.is_shown = false;
        self.log.take().map(|log| log.key())
    }

    /// Opens the view of the place. Returns the views that this pane no longer shows.
    pub(crate) fn open(&mut self, is_held: IsHeld, cx: &mut Cx) -> Vec<ViewKey> {
        if self.address.look == Look::Wrong {
            return self.open_wrong(cx);
        }
        let (kind, clusters) = match place::complete(&mut self.address.location, &cx.client) {
            Ok(completed) => completed,
            Err(Displayed::Unresolved) => return Vec::new(),
            Err(refused) => {
                let left = self.leave(cx);
                self.view.refuse(refused);
                return left;
            }
        };
        let place = &mut self.address.location;
        place::settle_time(place, &cx.client, cx.now_ms());
        self.chooser.begin(place, cx.preferences.columns_of(&place.resource.clone()));
        if place.wide == WideColumns::Auto {
            place.wide = cx.preferences.wide;
        }
        let scope = place::scope(place, &kind, &clusters, &cx.client);
        // A view of all clusters goes on where they become more or fewer.
        if let Some(key) = self.view.key().filter(|_| place.is_of_all_clusters() && !is_held.with_clusters) {
            cx.client.set_clusters(key, &clusters, cx.now);
        }
        let columns = (self.chooser.settings().own(), RowDetail::Changes);
        let (at_ms, is_step) = (place.at.map(At::ms), self.view.take_step());
        // The same view as of another time keeps its rows until the others are there.
        let of_scope =
            |key: &ViewKey| cx.client.view(*key).is_some_and(|view| view.subscription().scope == scope);
        if let Some(key) = self.view.key().filter(|key| !is_held.of_time && of_scope(key)) {
            let view = cx.client.view_mut(key).filter(|view| view.subscription().at_ms != at_ms);
            if let Some(view) = view {
                view.forget_marks();
            }
            cx.client.set_at(key, at_ms, is_step, cx.now);
        }
        let key = cx.client.open_at(scope.clone(), &clusters, columns, at_ms, cx.now);
        self.view.set_clusters(clusters);
        let mut left: Vec<ViewKey> =
            if at_ms.is_some() { self.begin_past(cx).into_iter().collect() } else { Vec::new() };
        let is_other_view = self.key() != Some(key);
        if is_other_view {
            left.extend(self.leave(cx));
            // For another view only the size of the window is kept.
            self.grid.begin_anew();
            self.chooser.leave();
            self.model.suggestions = None;
            self.selectors.wait(None);
            self.export.show(false);
            self.view.open(key, kind, cx);
        }
        let place = &self.address.location;
        left.extend(self.view.follow_usage(place, is_other_view, cx));
        if at_ms.is_none() && (self.address.look == Look::Log || self.log.is_some()) {
            let of_log = (&scope, self.view.clusters());
            LogSlot::begin(&mut self.log, of_log, cx).set_filter(&place.log, cx);
        }
        self.view.set_query(&place.query, place::order(place).as_ref(), cx);
        self.model.filter = place.query.to_string();
        self.grid.rows_changed();
        left
    }

    /// The changes are recorded from now on.
    fn begin_log(&mut self, cx: &mut Cx) {
        let scope = self.view.rows(cx).map(|rows| rows.live.subscription().scope.clone());
        if let Some(scope) = scope {
            LogSlot::begin(&mut self.log, (&scope, self.view.clusters()), cx);
        }
    }

    /// Opens the view again with the chosen columns or selectors. `is_held`: another part of the page shows the
    /// old view too, so that it stays as it is.
    pub(crate) fn open_again(&mut self, is_held: bool, cx: &mut Cx) -> Vec<ViewKey> {
        self.view.reopens();
        if let (Some(key), false) = (self.key(), is_held) {
            cx.client.set_columns(key, &self.chooser.settings().own());
        }
        let log = self.log.take().map(|log| log.key());
        let left = self.open(IsHeld { with_clusters: is_held, of_time: is_held }, cx);
        log.into_iter().chain(left).collect()
    }

    /// Returns the views that it no longer shows.
    pub(crate) fn leave(&mut self, cx: &mut Cx) -> Vec<ViewKey> {
        self.selectors.close(cx);
        self.view.leave(cx).chain(self.log.take().map(|log| log.key())).collect()
    }

    /// Opens what the rows use, where the cluster measures it. Returns a view that isn't needed any more.
    pub(crate) fn follow_usage(&mut self, is_other_view: bool, cx: &mut Cx) -> Option<ViewKey> {
        self.view.follow_usage(&self.address.location, is_other_view, cx)
    }

    /// A view dropped all that it held: a copy of it that was paused goes on, and so does its log.
    pub(crate) fn purged(&mut self, key: ViewKey, cx: &mut Cx) {
        self.view.purged(key, cx);
        if let Some(log) = self.log.as_mut().filter(|log| log.key() == key) {
            log.purged();
        }
    }

    /// Rows came of any view: a selector's suggestions may be read from it, or what the rows use.
    pub(crate) fn source_rows_came(&mut self, key: ViewKey, delta: &Delta, cx: &mut Cx) {
        self.selectors.rows_came(self.view.displayed(), key, cx);
        self.view.source_rows_came(key, delta, cx);
    }

    pub(crate) fn rows_came(&mut self, delta: &Delta, cx: &Cx) {
        self.view.rows_came(delta, cx);
        if let Some(rows) = self.view.rows(cx) {
            self.grid.follow_made_anew(&rows, delta);
            self.grid.rows_came(&rows, delta, cx.now_ms());
        }
        if delta.first_cut && self.grid.row().is_none() {
            self.stand_at_open_row(cx);
        }
    }

    /// Marks or rows left the view because they are old.
    pub(crate) fn rows_grew_old(&mut self) {
        self.grid.rows_changed();
    }

    pub(crate) fn scroll_top_px(&self) -> f64 {
        self.grid.scroll_top_px()
    }

    /// Where the reader was when they left this view.
    pub(crate) fn resume_at(&mut self, top_px: f64) {
        self.grid.resume_at(top_px);
    }

    /// The row of the panel's object.
    pub(crate) fn follow_open_row(&mut self, cx: &Cx) {
        let place = &self.address.location;
        self.view.follow_open_row(place.panel.as_ref().filter(|_| !place.query.is_empty()), cx);
    }

    /// Once a second. Answers whether the view is stale.
    pub(crate) fn second(&mut self, cx: &mut Cx) -> bool {
        self.grid.second(self.view.displayed_mut(), &self.model.rows, cx);
        self.view.second(cx);
        self.follow_open_row(cx);
        self.is_stale()
    }

    pub(crate) fn announce(&mut self, cx: &Cx) -> Option<String> {
        self.view.announce(self.grid.row(), cx)
    }

    /// The deleted rows that can't leave yet: the focused one, and all while the reader aims at a row, because
    /// others would take its place under the pointer. `is_alone`: no other pane shows the view, in which those of a pause
    /// would stand, too.
    pub(crate) fn held_slots(&self, is_alone: bool, cx: &Cx) -> Vec<Slot> {
        let Some(rows) = self.view.rows(cx) else { return Vec::new() };
        let table = rows.live.table();
        let all = self.grid.is_aimed_at(cx.now_ms()).then(|| table.iter()).into_iter().flatten();
        let deleted = all.filter(|(_, entry)| entry.is_tombstone()).map(|(slot, _)| slot);
        let focused = self.grid.row().and_then(|row| table.slot_of(row));
        let meanwhile = if is_alone { self.view.held_meanwhile(cx) } else { Vec::new() };
        focused.into_iter().chain(deleted).chain(meanwhile).collect()
    }

    /// The view of some namespaces is empty, so that it matters whether they exist.
    pub(crate) fn wants_namespaces(&self, cx: &Cx) -> bool {
        self.view.rows(cx).is_some_and(|rows| {
            rows.live.table().is_empty()
                && !empty_state::chosen(&rows).is_empty()
                && freshness::of(&cx.client, rows.live, cx.now_ms()).is_current()
        })
    }

    /// The object at which the reader stands: at its row, or in the panel that is open.
    pub(crate) fn stands_at(&self, part: linked::Part, cx: &Cx) -> Option<Rc<LinkedObject>> {
        let rows = self.view.rows(cx)?;
        let is_open = self.place().panel.is_some();
        let row = self.grid.focused().or_else(|| self.grid.row().filter(|_| is_open))?;
        let table = rows.view.table();
        let entry = table.entry(table.slot_of(row)?).filter(|entry| !entry.is_tombstone())?;
        Some(Rc::new((part.stand)(entry.row(), table, self.kind()?, self.only_cluster())))
    }

    /// Marks the rows that belong to an object of another pane.
    pub(crate) fn link(&mut self, object: Option<(linked::Part, Rc<LinkedObject>)>) {
        let cluster = self.only_cluster().map(Into::into);
        self.grid.link(object.map(|(part, object)| Linked { object, part, cluster }));
    }

    fn only_cluster(&self) -> Option<&str> {
        self.clusters().first().map(ClusterName::as_str)
    }

    /// Its kind, with the number of rows and of those that fail, once all are here. A stale view doesn't know what fails now.
    pub(crate) fn counted(&self, cx: &Cx) -> Option<(&Resource, (usize, usize))> {
        // The counts are of the present.
        let (rows, failing) = self.view.count(cx).filter(|_| !self.is_past())?;
        Some((&self.kind()?.resource, (rows, if self.is_stale() { 0 } else { failing })))
    }

    /// Something is open, or waits to be done, that comes with [`crate::piece::Piece::More`].
    pub(crate) fn needs_more(&self) -> bool {
        self.model.needs_more()
            || self.address.look == Look::Wrong
            || self.chooser.needs_piece()
            || self.selectors.needs_more()
    }

    /// That piece has come. Returns what the reader did before, which the page does now.
    pub(crate) fn more_came(&mut self, more: &'static MoreParts, cx: &Cx) -> Vec<PaneAction> {
        if let Some(log) = &mut self.log {
            log.fill(more.log, cx);
        }
        let typed = self.selectors.more_came(self.view.displayed(), cx);
        let columns = self.chooser.take_waiting().into_iter().map(PaneAction::Columns);
        columns.chain(typed).collect()
    }

    /// What the link says of columns that the table has not, as sentences.
    pub(crate) fn unknown_columns(&self, cx: &Cx) -> Vec<String> {
        let rows = self.view.rows(cx);
        rows.map(|rows| self.chooser.unknown(&self.address.location, rows.live.table())).unwrap_or_default()
    }

    pub(crate) fn forget_unknown_columns(&mut self, cx: &Cx) {
        if let Some(rows) = self.view.rows(cx) {
            self.chooser.forget_unknown(&mut self.address.location, rows.live.table().columns());
        }
    }

    /// The resource whose columns changed and the text that the browser has to keep, once.
    pub(crate) fn columns_to_keep(&mut self) -> Option<(Box<str>, String)> {
        Some((self.address.location.resource.clone(), self.chooser.take_kept()?))
    }
}

/// The model, once an animation frame.
impl Pane {
    /// `namespaces`: the view of all of the cluster, while they are known.
    pub(crate) fn render(&mut self, namespaces: Option<ViewKey>, cx: &mut Cx) {
        self.view.update_freshness(cx);
        let place = &self.address.location;
        if self.view.rows(cx).is_none() {
            let displayed = self.view.displayed();
            return empty_state::render_without_view(&mut self.model, displayed, place, &cx.client);
        }
        self.view.keep(self.grid.focused(), cx);
        let polled = self.view.polled(cx);
        let asked = (place, self.chooser.settings(), &*polled);
        self.grid.render(&mut self.view, asked, &mut self.model, cx);
        self.view.set_searched(self.grid.columns().shown(), cx);
        if self.shown_log().is_some() {
            self.grid.unmounted();
        }
        self.render_bands(namespaces, cx);
    }

    /// What stands around the rows, and in their place.
    fn render_bands(&mut self, namespaces: Option<ViewKey>, cx: &Cx) {
        let (Some(rows), Some(freshness)) = (self.view.rows(cx), self.view.freshness()) else { return };
        let (place, clusters) = (&self.address.location, self.view.clusters());
        let is_log = self.shown_log().is_some();
        let is_paused = self.is_paused();
        let event_count = self.shown_log().map(LogSlot::len);
        let (model, grid) = (&mut self.model, &self.grid);
        // The present says nothing of the time that is read.
        model.is_stale = freshness.is_stale() || freshness.past().is_some_and(AsOf::is_over_present);
        model.is_past = place.at.is_some();
        model.is_paused = is_paused;
        let columns_shown = self.chooser.count(grid.columns().available(&rows));
        let state = PillState::of(freshness);
        model.head = head((place, clusters), &rows, state, is_log, columns_shown, cx);
        let part = cx.more.map(|more| more.columns);
        model.columns = self.chooser.model(grid.columns().available(&rows), part);
        let filter = rows.index.filter();
        model.marks = filter.marks();
        model.filter_hint = messages::filter_hint(&examples(rows.live.table().columns()));
        model.unread =
            filter.unread().map(|(term, why)| messages::filter_unread(term, why)).unwrap_or_default();
        (model.selectors, model.selector_suggestions) = self.selectors.model(place);
        model.log.is_shown = is_log;
        if let Some(log) = self.log.as_mut().filter(|_| is_log) {
            log.render(&mut model.log, cx);
        }
        let (recent, resumed) = (grid.recent(), self.view.resumed());
        let bands = Bands { cx, rows, freshness, clusters: self.view.states(), recent, resumed };
        bands.render_notice(model, self.log.as_ref().filter(|_| is_log));
        model.status_bar = bands.status_bar(grid.said(), grid.selection(), &grid.window(rows.index.len()));
        model.status_bar.linked = grid.linked_said(&rows);
        let (client, now_ms, zone) = (&cx.client, cx.now_ms(), cx.zone);
        let body = match (freshness, cx.more) {
            (Freshness::Past(as_of), Some(more)) if !freshness.is_exact() => {
                (more.past.body)(as_of, &rows.past_place(cx))
            }
            _ => ReaderView::new(client, (rows.view, rows.reader), freshness, (now_ms, zone)).body(),
        };
        model.head.content = empty_state::content(&rows, freshness, body.is_some());
        model.empty_state = body.map(|body| match model.head.content {
            Content::NoRows => {
                let namespaces = namespaces.and_then(|key| client.view(key));
                empty_state::without_rows(body, &rows, namespaces.map(|view| view.table()))
            }
            _ => empty_state::of_view(body),
        });
        model.export = None;
        if self.export.is_open() {
            let are_columns_chosen = self.chooser.settings().cols().is_some();
            let shown = ShownView { address: self.address(), clusters, are_columns_chosen, event_count };
            let part = cx.more.map(|more| more.export);
            self.model.export = Some(exported::menu(part, shown, (&rows, &self.grid), client));
        }
    }
}
