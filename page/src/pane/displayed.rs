//! The view that a pane has open, and how it stands: its rows or a paused copy of them, what they use, its clusters and its
//! freshness. Never which rows are mounted.

use std::rc::Rc;

use replica::client::ViewKey;
use replica::freshness::{self, ClusterState, Freshness};
use replica::table::{Delta, Slot};
use shared::name::ClusterName;
use shared::problem::Problem;
use shared::resource::Kind;
use shared::row::RowId;
use shared::scope::Namespaces;
use shared::state::UnixMillis;

use super::column::Column;
use super::paused::{PausedCopy, Resumed};
use super::usage::Usage;
use super::words;
use crate::cells;
use crate::cx::Cx;
use crate::limits::{MARK_MS, RESUMED_MS};
use crate::location::{Location, PanelPlace};
use crate::past::part::Place;
use crate::query::{Index, ReaderId, Sort, Source};
use crate::status::RowHealth;
use crate::table_view::{TableView, View};

/// What a pane subscribes to for its table. [`super::Pane`] opens and leaves it, and asks it for the rows of an action or
/// of a frame. The log has a subscription of its own.
#[derive(Default)]
pub(super) struct PaneView {
    displayed: Displayed,
    usage: Usage,
    /// The clusters of the view.
    clusters: Vec<ClusterName>,
    /// The state of each cluster, if there are several.
    states: Vec<ClusterState>,
    /// The view's freshness at the last frame or second.
    freshness: Option<Freshness>,
    /// The view has to be opened again with other rows or cells.
    must_reopen: bool,
    /// The row of the open panel's object, while a filter may hide it.
    open_row: Option<RowId>,
    announcer: Announcer,
    resumed: Option<Resumed>,
    /// The reader goes on by one change of the past: what differs is marked.
    is_step: bool,
}

/// Which view it is.
impl PaneView {
    pub(super) fn key(&self) -> Option<ViewKey> {
        self.displayed.key()
    }

    pub(super) fn kind(&self) -> Option<&Rc<Kind>> {
        self.displayed.kind()
    }

    /// Whether it uses a view.
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        [self.key(), self.usage.key()].contains(&Some(key))
    }

    pub(super) fn clusters(&self) -> &[ClusterName] {
        &self.clusters
    }

    pub(super) fn set_clusters(&mut self, clusters: Vec<ClusterName>) {
        self.clusters = clusters;
    }

    pub(super) fn open(&mut self, key: ViewKey, kind: Rc<Kind>, cx: &mut Cx) {
        (self.must_reopen, self.resumed) = (false, None);
        self.displayed.open(cx, key, kind);
    }

    /// What stands there without a view.
    pub(super) fn refuse(&mut self, refused: Displayed) {
        self.displayed = refused;
    }

    /// Returns the views that it no longer uses.
    pub(super) fn leave(&mut self, cx: &mut Cx) -> impl Iterator<Item = ViewKey> + use<> {
        // Another pane may use the view, and the next one has this reader's number.
        self.show_meanwhile(false, cx);
        let usage = self.usage.leave();
        self.displayed.leave(cx).into_iter().chain(usage)
    }

    /// The next time is that of the next change.
    pub(super) fn step(&mut self, is_step: bool) {
        self.is_step = is_step;
    }

    pub(super) fn take_step(&mut self) -> bool {
        std::mem::take(&mut self.is_step)
    }

    pub(super) fn must_reopen(&self) -> bool {
        self.must_reopen
    }

    pub(super) fn reopen_if(&mut self, must_reopen: bool) {
        self.must_reopen |= must_reopen;
    }

    pub(super) fn reopens(&mut self) {
        self.must_reopen = false;
    }

    /// Opens what the rows use, where the cluster measures it. Returns a view that isn't needed any more.
    pub(super) fn follow_usage(
        &mut self,
        place: &Location,
        is_other_view: bool,
        cx: &mut Cx,
    ) -> Option<ViewKey> {
        if place.at.is_some() {
            // What is used now says nothing of then.
            return self.usage.end(self.key(), cx);
        }
        let kind = self.displayed.kind()?.clone();
        let measured = (&*kind, place.namespaces(&[]), self.clusters.as_slice());
        self.usage.open(self.key(), measured, is_other_view, cx)
    }

    /// For the live view, and for its paused copy.
    pub(super) fn set_query(&mut self, filter: &str, sort: Option<&Sort>, cx: &mut Cx) {
        for (view, reader) in self.displayed.views_mut(cx) {
            if view.index(reader).filter().text() != filter {
                view.set_filter(reader, filter);
            }
            if view.index(reader).sort() != sort {
                view.set_sort(reader, sort.cloned());
            }
        }
    }

    /// Words of the filter are looked for in the cells that are shown.
    pub(super) fn set_searched(&mut self, shown: &[Column], cx: &mut Cx) {
        if let Some((view, reader)) = self.displayed.view_mut(cx) {
            let cells = shown.iter().filter_map(|column| match column.source {
                Source::Cell(at) => Some(at),
                Source::Namespace => None,
            });
            let cells: Vec<usize> = cells.collect();
            if !view.index(reader).searches(&cells) {
                view.set_searched(reader, cells);
            }
        }
    }

    /// The view dropped all that it held: a copy of it that was paused goes on.
    pub(super) fn purged(&mut self, key: ViewKey, cx: &mut Cx) {
        if self.key() == Some(key) {
            self.displayed.drop_copy();
            self.show_meanwhile(false, cx);
            self.resumed = None;
        }
    }
}

/// Its rows, and how they stand.
impl PaneView {
    pub(super) fn displayed(&self) -> &Displayed {
        &self.displayed
    }

    pub(super) fn displayed_mut(&mut self) -> &mut Displayed {
        &mut self.displayed
    }

    pub(super) fn rows<'a>(&'a self, cx: &'a Cx) -> Option<Rows<'a>> {
        self.displayed.rows(cx)
    }

    /// `None`: there is no view.
    pub(super) fn parts_mut(&mut self) -> Option<(&mut Displayed, &Freshness, &[ClusterState])> {
        Some((&mut self.displayed, self.freshness.as_ref()?, &self.states))
    }

    pub(super) fn freshness(&self) -> Option<&Freshness> {
        self.freshness.as_ref()
    }

    /// Each cluster of a view of several.
    pub(super) fn states(&self) -> &[ClusterState] {
        &self.states
    }

    /// How the list of what is wrong stands.
    pub(super) fn set_freshness(&mut self, state: Freshness) {
        self.freshness = Some(state);
    }

    pub(super) fn update_freshness(&mut self, cx: &Cx) {
        if matches!(self.displayed, Displayed::Wrong) {
            return;
        }
        let live = self.displayed.rows(cx).map(|rows| rows.live);
        let (client, now_ms) = (&cx.client, cx.now_ms());
        self.freshness = live.map(|view| freshness::of(client, view, now_ms));
        self.states = live.map(|view| freshness::of_clusters(client, view, now_ms)).unwrap_or_default();
    }

    /// When the rows were last the present, where they aren't any more.
    pub(super) fn stale_ms(&self) -> Option<UnixMillis> {
        self.freshness.as_ref()?.stale_ms()
    }

    /// A paused copy counts what it doesn't show.
    pub(super) fn rows_came(&mut self, delta: &Delta, cx: &Cx) {
        if let Some(Opened { key, paused: Some(copy), .. }) = self.displayed.opened_mut()
            && let Some(live) = cx.client.view(*key)
        {
            copy.rows_came(delta, live.table());
        }
    }

    /// Holds the rows as they are now, or shows those of the present again.
    pub(super) fn pause(&mut self, is_paused: bool, cx: &mut Cx) {
        if !is_paused {
            self.show_meanwhile(false, cx);
        }
        let resumed = self.displayed.pause(is_paused, &self.states, cx);
        if !is_paused {
            self.resumed = resumed;
        }
    }

    /// A pause that ended a moment ago.
    pub(super) fn resumed(&self) -> Option<&Resumed> {
        self.resumed.as_ref()
    }

    /// The tombstones of a pause and of what is shown of one: they are looked for.
    pub(super) fn held_meanwhile(&self, cx: &Cx) -> Vec<Slot> {
        let Some(rows) = self.displayed.rows(cx) else { return Vec::new() };
        let table = rows.live.table();
        let paused = rows.paused.into_iter().flat_map(|copy| copy.gone(table));
        let resumed = self.resumed.as_ref().filter(|_| rows.index.is_among());
        paused.chain(resumed.into_iter().flat_map(|resumed| resumed.slots(table))).collect()
    }

    /// Whether the rows are only those that came and changed during the last pause.
    pub(super) fn shows_meanwhile(&self, cx: &Cx) -> bool {
        self.displayed.rows(cx).is_some_and(|rows| rows.index.is_among())
    }

    /// Shows only what came and changed during the last pause, for as long as the reader wants, or all rows again. Answers
    /// whether that was another than before.
    pub(super) fn show_meanwhile(&mut self, is_only: bool, cx: &mut Cx) -> bool {
        let table = self.displayed.rows(cx).map(|rows| rows.live.table());
        let has_rows =
            self.resumed.as_ref().zip(table).is_some_and(|(resumed, table)| resumed.has_rows(table));
        let (was_only, now_ms) = (self.shows_meanwhile(cx), cx.now_ms());
        let Some(resumed) = self.resumed.as_mut().filter(|_| was_only != (is_only && has_rows)) else {
            return false;
        };
        resumed.until_ms = now_ms.saturating_add(RESUMED_MS);
        for (view, reader) in self.displayed.views_mut(cx) {
            let (delta, slots) = (resumed.delta(view.table()), resumed.slots(view.table()));
            if is_only {
                view.mark(&delta, now_ms);
                view.keep_marks(&slots);
            } else {
                view.release_marks(&slots, now_ms);
                view.mark(&Delta { removed: delta.removed, ..Delta::default() }, now_ms);
            }
            view.set_among(reader, is_only.then_some(slots));
            view.settle(reader);
        }
        true
    }

    /// Rows came of any view: those of what the rows use are joined to them.
    pub(super) fn source_rows_came(&mut self, key: ViewKey, delta: &Delta, cx: &mut Cx) {
        self.usage.rows_came(self.displayed.key(), (key, delta), cx);
    }

    /// Once a second.
    pub(super) fn second(&mut self, cx: &mut Cx) {
        self.usage.second(self.displayed.key(), cx);
        self.update_freshness(cx);
        let now_ms = cx.now_ms();
        let is_only = self.shows_meanwhile(cx);
        self.displayed.second(now_ms);
        self.resumed.take_if(|resumed| !is_only && now_ms >= resumed.until_ms);
    }

    /// The row of the panel's object. It is looked for only where a filter may hide it.
    pub(super) fn follow_open_row(&mut self, open: Option<&PanelPlace>, cx: &Cx) {
        self.open_row = open.and_then(|panel| {
            let table = self.displayed.rows(cx)?.view.table();
            Some(table.rows().find(|row| panel.is_of_row(row, table))?.id)
        });
    }

    /// The open row and this one are shown, also where the filter hides them.
    pub(super) fn keep(&mut self, focused: Option<RowId>, cx: &mut Cx) {
        let Some(rows) = self.displayed.rows(cx) else { return };
        let table = rows.view.table();
        let kept = [focused, self.open_row].into_iter().flatten();
        let slots: Vec<Slot> = kept.filter_map(|row| table.slot_of(row)).collect();
        if let Some((view, reader)) = self.displayed.view_mut(cx) {
            view.keep(reader, slots);
        }
    }

    /// In the head of the columns that say what the rows use.
    pub(super) fn polled(&self, cx: &Cx) -> String {
        self.usage.polled(cx)
    }

    /// The message for screen readers, of the row that has the focus.
    pub(super) fn announce(&mut self, focused: Option<RowId>, cx: &Cx) -> Option<String> {
        self.announcer.announce(&self.displayed.rows(cx)?, focused?)
    }

    /// The number of rows and of those that fail, once all are here.
    pub(super) fn count(&self, cx: &Cx) -> Option<(usize, usize)> {
        let live = self.displayed.rows(cx)?.live;
        let table = live.table();
        (table.is_whole() && self.freshness.as_ref()?.shows_rows())
            .then(|| (table.len(), live.tally().count_of(RowHealth::Failing)))
    }
}

/// What stands in the place of the rows: a view of the client, or why there is none.
#[derive(Default)]
pub(super) enum Displayed {
    /// Discovery hasn't named the kinds yet.
    #[default]
    Unresolved,
    /// The cluster serves no such resource.
    Unknown(Problem),
    /// The gateway serves another cluster than the address names.
    OtherCluster {
        served: Box<str>,
    },
    /// Objects of every kind stand there, which aren't fine.
    Wrong,
    Open(Opened),
}

/// A view of the client, and this pane's index of it.
pub(super) struct Opened {
    key: ViewKey,
    reader: ReaderId,
    kind: Rc<Kind>,
    paused: Option<Box<PausedCopy>>,
}

/// The displayed rows, looked up once for an action or a frame.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) kind: &'a Kind,
    /// The view as it is now.
    pub(super) live: &'a View,
    /// The live view or its paused copy.
    pub(super) view: &'a View,
    pub(super) index: &'a Index,
    pub(super) reader: ReaderId,
    pub(super) paused: Option<&'a PausedCopy>,
}

impl Rows<'_> {
    /// What sentences about a time of the past name.
    pub(super) fn past_place(&self, cx: &Cx) -> Place {
        let resource = self.kind.resource.to_string();
        Place { resource, now_ms: cx.now_ms(), zone: cx.zone }
    }
}

impl Displayed {
    pub(super) fn open(&mut self, cx: &mut Cx, key: ViewKey, kind: Rc<Kind>) {
        let reader = cx.client.view_mut(key).map(View::add_reader).unwrap_or_default();
        *self = Self::Open(Opened { key, reader, kind, paused: None });
    }

    /// Removes the reader. Another pane may show the same view, so the page decides whether to close it.
    pub(super) fn leave(&mut self, cx: &mut Cx) -> Option<ViewKey> {
        let Self::Open(opened) = std::mem::take(self) else { return None };
        if let Some(view) = cx.client.view_mut(opened.key) {
            view.remove_reader(opened.reader);
        }
        Some(opened.key)
    }

    fn opened(&self) -> Option<&Opened> {
        if let Self::Open(opened) = self { Some(opened) } else { None }
    }

    fn opened_mut(&mut self) -> Option<&mut Opened> {
        if let Self::Open(opened) = self { Some(opened) } else { None }
    }

    pub(super) fn key(&self) -> Option<ViewKey> {
        self.opened().map(|opened| opened.key)
    }

    pub(super) fn kind(&self) -> Option<&Rc<Kind>> {
        self.opened().map(|opened| &opened.kind)
    }

    pub(super) fn rows<'a>(&'a self, cx: &'a Cx) -> Option<Rows<'a>> {
        let opened = self.opened()?;
        let live = cx.client.view(opened.key)?;
        let paused = opened.paused.as_deref();
        let view = paused.map_or(live, |copy| &copy.view);
        let (kind, reader) = (&*opened.kind, opened.reader);
        Some(Rows { kind, live, view, index: view.index(reader), reader, paused })
    }

    pub(super) fn view_mut<'a>(&'a mut self, cx: &'a mut Cx) -> Option<(&'a mut View, ReaderId)> {
        let Opened { key, reader, paused, .. } = self.opened_mut()?;
        let view = match paused {
            Some(copy) => &mut copy.view,
            None => cx.client.view_mut(*key)?,
        };
        Some((view, *reader))
    }

    /// The live view, and its paused copy.
    fn views_mut<'a>(&'a mut self, cx: &'a mut Cx) -> impl Iterator<Item = (&'a mut View, ReaderId)> {
        let (live, copy, reader) = match self.opened_mut() {
            Some(Opened { key, reader, paused, .. }) => {
                let copy = paused.as_mut().map(|copy| &mut copy.view);
                (cx.client.view_mut(*key), copy, *reader)
            }
            None => (None, None, ReaderId::default()),
        };
        live.into_iter().chain(copy).map(move |view| (view, reader))
    }

    /// Once a second: the marks of paused rows go as if they were seen live, and their tombstones stay.
    fn second(&mut self, now_ms: UnixMillis) {
        if let Some(Opened { paused: Some(copy), .. }) = self.opened_mut() {
            let tombstones: Vec<Slot> = copy.view.marks().tombstones().collect();
            copy.view.expire(&tombstones, now_ms);
        }
    }

    /// Puts the rows that wait in order.
    pub(super) fn settle(&mut self, cx: &mut Cx) {
        if let Some((view, reader)) = self.view_mut(cx) {
            view.settle(reader);
        }
    }

    pub(super) fn dismiss_gap(&mut self, cx: &mut Cx) {
        if let Some((view, _)) = self.view_mut(cx) {
            view.dismiss_gap();
        }
    }

    pub(super) fn dismiss_withdrawn(&mut self, cx: &mut Cx) {
        if let Some((view, _)) = self.view_mut(cx) {
            view.dismiss_withdrawn();
        }
    }

    pub(super) fn is_paused(&self) -> bool {
        self.opened().is_some_and(|opened| opened.paused.is_some())
    }

    /// What changed behind a pause is marked when it ends, and for longer than what changes in sight. Returns the pause that
    /// ended.
    fn pause(&mut self, is_paused: bool, clusters: &[ClusterState], cx: &mut Cx) -> Option<Resumed> {
        let now_ms = cx.now_ms();
        let opened = self.opened_mut()?;
        match (opened.paused.take(), is_paused, cx.client.view_mut(opened.key)) {
            (Some(copy), true, _) => opened.paused = Some(copy),
            (None, true, Some(view)) => {
                opened.paused = Some(Box::new(PausedCopy::of(view, clusters, now_ms)));
            }
            (Some(copy), false, Some(view)) => {
                let resumed = copy.resumed(now_ms)?;
                view.mark(&resumed.delta(view.table()), now_ms.saturating_add(RESUMED_MS - MARK_MS));
                return Some(resumed);
            }
            _ => {}
        }
        None
    }

    /// Shows the live view again.
    pub(super) fn drop_copy(&mut self) {
        if let Some(opened) = self.opened_mut() {
            opened.paused = None;
        }
    }
}

impl Rows<'_> {
    /// The time for which they are drawn: a pause stops it.
    pub(super) fn drawn_ms(&self, now_ms: UnixMillis) -> UnixMillis {
        self.paused.map_or(now_ms, |copy| copy.since_ms)
    }

    /// The place of a row among the shown ones; `None`: the filter hides it, or it was removed.
    pub(super) fn place(&self, row: RowId) -> Option<usize> {
        self.index.position(self.view.table(), self.view.table().slot_of(row)?)
    }

    pub(super) fn slot(&self, place: usize) -> Option<Slot> {
        self.index.slots().get(place).copied()
    }

    pub(super) fn at(&self, place: usize) -> Option<RowId> {
        Some(self.view.table().entry(self.slot(place)?)?.row().id)
    }

    pub(super) fn health(&self, place: usize) -> Option<RowHealth> {
        self.view.tally().health(self.slot(place)?)
    }

    pub(super) fn is_trouble(&self, place: usize) -> bool {
        self.health(place).is_some_and(RowHealth::is_trouble)
    }

    /// The rows may be of several namespaces.
    pub(super) fn has_namespaces(&self) -> bool {
        let scope = &self.live.subscription().scope;
        let is_one = matches!(&scope.namespaces, Namespaces::These(names) if names.len() == 1);
        self.kind.namespaced && !is_one
    }
}

/// The resourceVersion of the last cut; each of several clusters has one of its own.
pub(super) fn resource_version(view: &View) -> String {
    if view.table().has_clusters() {
        return String::new();
    }
    view.table().token().map_or_else(String::new, |token| token.resource_version.to_string())
}

/// A screen reader says when the STATUS of the focused row changes. Never an age, never another row. It holds the
/// focused row and its status a second ago.
#[derive(Default)]
struct Announcer(Option<(RowId, String)>);

impl Announcer {
    /// Once a second. A row that has just got the focus isn't announced: the screen reader reads it anyway.
    fn announce(&mut self, rows: &Rows<'_>, focused: RowId) -> Option<String> {
        let table = rows.view.table();
        let status = rows.view.tally().columns().status()?;
        let column = table.columns().get(status)?;
        let now = cells::text(table.entry(table.slot_of(focused)?)?.row().cells.get(status)?, 0);
        let (_, was) =
            self.0.replace((focused, now.clone())).filter(|(row, was)| *row == focused && *was != now)?;
        Some(words::became(&column.title(), &now, &was))
    }
}
