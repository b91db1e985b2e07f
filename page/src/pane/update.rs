//! What a reader does in a pane. It may change the place, and then the link.

use shared::row::{Row, RowId};

use super::clocks::Clocks;
use super::column;
use super::displayed::Rows;
use super::{Pane, exported, place, words};
use crate::action::{Action, ColumnsAction, Key, PaneAction, SelectorAction};
use crate::address::Look;
use crate::cx::Cx;
use crate::detail::event;
use crate::effect::Effect;
use crate::location::PanelPlace;
use crate::messages;
use crate::past;
use crate::query::sort::HEALTH_KEY;
use crate::table_view::TableView;
use crate::tell::part::AskedAt;

impl Pane {
    pub(crate) fn update(&mut self, action: PaneAction, cx: &mut Cx) -> Option<Effect> {
        if !self.offers(&action) {
            return None;
        }
        let now_ms = cx.now_ms();
        let Self { address, view, grid, model, .. } = self;
        let place = &mut address.location;
        grid.note(&action);
        let rows = view.rows(cx);
        let clocks = rows.map(|rows| (Clocks::new(&rows, view.states(), view.stale_ms(), now_ms), rows));
        let clock = |row: &Row| clocks.map_or(0, |(clocks, rows)| clocks.of(row, rows.view.table()));
        match action {
            PaneAction::Filter(text) => self.filter(text, cx),
            PaneAction::Complete(typed) => {
                let offered = cx.more.map(|more| more.offered.filter);
                model.suggestions =
                    typed.as_ref().zip(rows).zip(offered).and_then(|(((text, caret), rows), offered)| {
                        let now = rows.live.cluster_now_s(now_ms, None);
                        offered(text, *caret, (rows.view.table(), now), rows.has_namespaces())
                    });
                self.selectors.wait(typed.filter(|_| offered.is_none()));
            }
            PaneAction::LeaveFilter => {
                grid.want_focus();
                self.filter(String::new(), cx);
            }
            PaneAction::Sort(column) => self.sort(column, cx),
            PaneAction::ToggleHealth(health) => {
                let rows = rows?;
                let term = format!("{HEALTH_KEY}={}", rows.live.tally().columns().term(health));
                let text = rows.index.filter().toggled(health, &term);
                self.filter(text, cx);
            }
            PaneAction::ToggleTroubleFirst => {
                place::toggle_trouble_first(place);
                self.query_changed(cx);
            }
            PaneAction::Wide(wide) => place.wide = wide,
            PaneAction::DismissGap => view.displayed_mut().dismiss_gap(cx),
            PaneAction::DismissWithdrawn => view.displayed_mut().dismiss_withdrawn(cx),
            PaneAction::Settle => {
                view.displayed_mut().settle(cx);
                grid.rows_changed();
            }
            PaneAction::TogglePause => {
                self.toggle_pause(cx);
            }
            PaneAction::ShowExport(is_open) => self.export.show(is_open),
            PaneAction::Selector(action) => {
                let ends = matches!(action, SelectorAction::Taken(..) | SelectorAction::Apply(_));
                let must_reopen = self.selectors.update(view.displayed(), place, action, cx);
                if must_reopen && ends {
                    grid.want_focus();
                }
                view.reopen_if(must_reopen);
            }
            PaneAction::Columns(action) => {
                let (rows, columns) = (rows?, grid.columns());
                match action {
                    ColumnsAction::Open(is_open) => self.chooser.open(is_open),
                    ColumnsAction::Width { column, px } => {
                        if let Some(column) = columns.shown().get(column) {
                            self.chooser.set_width(&column.key, px);
                        }
                    }
                    action => {
                        let (available, part) = (columns.available(&rows), cx.more.map(|more| more.columns));
                        let has_changed = self.chooser.update(action, available, place, part);
                        let subscribed = &rows.live.subscription().columns;
                        view.reopen_if(has_changed && *subscribed != self.chooser.settings().own());
                    }
                }
                grid.rows_changed();
            }
            PaneAction::Export(format) => {
                let file = exported::file(format, &rows?, grid, clock);
                grid.say(words::saved(&file.name), now_ms);
                return Some(Effect::Download(file));
            }
            PaneAction::CopyRows => {
                return Some(Effect::Copy(exported::copy_rows(&rows?, grid, clock)));
            }
            PaneAction::Minimap(action) => grid.minimap_used(action, rows?, &model.rows),
            PaneAction::Copy(row) => {
                let row = row.and_then(|row| RowId::parse(&row));
                return exported::copy(&rows?, grid, row, clock).map(Effect::Copy);
            }
            PaneAction::Log(action) => {
                let log = self.log.as_mut()?;
                let effect = log.update(action, &place.resource, cx);
                place.log = log.filter().clone();
                return effect;
            }
            PaneAction::Key(key) => {
                // A row that gets another place or other cells leaves the DOM for a moment, and loses the focus.
                if matches!(key, Key::Wide | Key::Settle | Key::SortByCell | Key::Back) {
                    grid.want_focus();
                }
                if key == Key::SortByCell && grid.column().is_none() {
                    self.sort_without_cell(cx);
                    return None;
                }
                let ends_meanwhile = key == Key::Back && self.grid.selection().is_empty();
                if key == Key::Meanwhile || ends_meanwhile && self.view.shows_meanwhile(cx) {
                    self.toggle_meanwhile(cx);
                    return None;
                }
                match self.action_of(key) {
                    Some(action) => return self.update(action, cx),
                    None => self.grid.key_pressed(key, self.view.rows(cx), &self.model.rows, now_ms),
                }
            }
            action => {
                grid.update(&action, rows, &model.rows, now_ms);
                // From the first movement on, no row moves away from under the pointer.
                if matches!(action, PaneAction::PointerMoved { .. })
                    && let Some((view, reader)) = view.displayed_mut().view_mut(cx)
                {
                    view.hold(reader, true);
                }
            }
        }
        None
    }

    /// Where "tell me when" is asked. `href`: where that is shown.
    #[inline(never)]
    pub(crate) fn asked_at<'a>(&'a self, href: &'a str, cx: &'a Cx) -> AskedAt<'a> {
        AskedAt {
            object: self.place().panel.clone().or_else(|| self.panel_place(None, cx)),
            kind: self.kind(),
            view: self.view.rows(cx).map(|rows| rows.live.subscription()),
            clusters: self.clusters(),
            client: &cx.client,
            href,
            pane: &self.address,
        }
    }

    /// Why an action that the reader chose can't do anything now.
    pub(crate) fn refusal(&self, action: &Action) -> Option<&'static str> {
        let is_of_present = matches!(
            action,
            Action::In(PaneAction::TogglePause | PaneAction::Key(Key::Pause | Key::Meanwhile))
        );
        if self.is_past() && is_of_present {
            return Some(past::words::STANDS_STILL);
        }
        let is_offered = match action {
            Action::ToggleLog => self.address.look == Look::Log || self.model.head.content.takes_rows(),
            Action::In(PaneAction::Key(key)) => {
                self.action_of(*key).is_none_or(|action| self.offers(&action))
            }
            Action::In(PaneAction::Complete(_)) => true,
            Action::In(action) => self.offers(action),
            _ => true,
        };
        (!is_offered).then_some(messages::NO_ROWS_FOR_IT)
    }

    /// Whether an action can do something over what the view has to show. The buttons ask the same.
    fn offers(&self, action: &PaneAction) -> bool {
        let content = self.model.head.content;
        match action {
            PaneAction::Wide(_) | PaneAction::Columns(ColumnsAction::Open(true)) => content.has_rows(),
            PaneAction::TogglePause => {
                !self.is_past() && content.can_pause(self.model.is_paused, self.address.look == Look::Log)
            }
            PaneAction::Complete(Some(_)) => content.takes_rows(),
            PaneAction::ShowExport(true) | PaneAction::Selector(SelectorAction::Edit(_)) => content.is_view(),
            _ => true,
        }
    }

    /// `None`: the key moves the focus or changes the selection.
    fn action_of(&self, key: Key) -> Option<PaneAction> {
        Some(match key {
            Key::Wide => PaneAction::Wide(self.address.location.wide.next()),
            Key::Settle => PaneAction::Settle,
            Key::Copy => PaneAction::Copy(None),
            Key::Pause => PaneAction::TogglePause,
            Key::Export => PaneAction::ShowExport(!self.export.is_open()),
            Key::Columns => PaneAction::Columns(ColumnsAction::Open(!self.chooser.is_open())),
            Key::SortByCell => PaneAction::Sort(self.grid.column()?),
            Key::Back if self.grid.selection().is_empty() && !self.address.location.query.is_empty() => {
                PaneAction::Filter(String::new())
            }
            _ => return None,
        })
    }

    /// A paused log pauses the rows too. Behind paused rows the log runs on: it tells what happens meanwhile.
    fn toggle_pause(&mut self, cx: &mut Cx) {
        let (is_paused, is_log) = (!self.is_paused(), self.address.look == Look::Log);
        self.view.pause(is_paused, cx);
        if is_paused && !is_log {
            self.begin_log(cx);
        } else if let Some(log) = &mut self.log {
            log.pause(is_paused, cx);
        }
        self.grid.rows_changed();
    }

    /// Shows only what changed during the last pause, which ends with it, or all rows again.
    fn toggle_meanwhile(&mut self, cx: &mut Cx) {
        let is_only = !self.view.shows_meanwhile(cx);
        let paused = self.view.rows(cx).and_then(|rows| rows.paused);
        if is_only && paused.is_some_and(|copy| copy.waiting.all() == 0) {
            return self.grid.say(words::NO_CHANGE_YET, cx.now_ms());
        }
        if is_only && self.is_paused() {
            self.toggle_pause(cx);
        }
        if self.view.show_meanwhile(is_only, cx) {
            self.grid.want_focus();
            self.grid.scroll_to_top();
        } else {
            self.grid.say(words::NO_CHANGE_MEANWHILE, cx.now_ms());
        }
    }

    fn filter(&mut self, text: String, cx: &mut Cx) {
        self.model.filter.clone_from(&text);
        self.address.location.query = text.into();
        self.query_changed(cx);
    }

    fn sort(&mut self, column: usize, cx: &mut Cx) {
        if let Some(column) = self.grid.columns().shown().get(column) {
            let is_count = column.look == column::Look::Count || column.is_usage;
            place::sort_by(&mut self.address.location, &column.key, is_count);
            self.query_changed(cx);
        }
    }

    /// No cell has the focus: turns round the order that there is, or else sorts by the names, and says so.
    fn sort_without_cell(&mut self, cx: &mut Cx) {
        let shown = self.grid.columns().shown();
        let at = |key: &str| shown.iter().position(|column| &*column.key == key);
        let sorted = place::order(&self.address.location).and_then(|sort| at(&sort.column));
        let Some(column) = sorted.or_else(|| at(place::NAME_KEY)) else { return };
        let title = shown.get(column).map(|column| column.title.to_string()).unwrap_or_default();
        self.sort(column, cx);
        let is_sorted = self.address.location.sort.is_some();
        self.grid.say(words::sorted_by(&title, is_sorted), cx.now_ms());
    }

    fn query_changed(&mut self, cx: &mut Cx) {
        let place = &self.address.location;
        self.view.set_query(&place.query, place::order(place).as_ref(), cx);
        self.grid.scroll_to_top();
    }

    /// Scrolls to a row, which Tab reaches. Its panel takes the focus.
    pub(crate) fn go_to_row(&mut self, row: RowId, cx: &Cx) {
        if let Some(rows) = self.view.rows(cx)
            && let Some(place) = rows.place(row)
        {
            self.grid.go_to_place(place, rows, &self.model.rows);
            self.grid.leave_focus();
        }
    }

    /// The panel of this row, or of the focused one, as the address names it.
    pub(crate) fn panel_place(&self, row: Option<RowId>, cx: &Cx) -> Option<PanelPlace> {
        if let (None, Some(log)) = (row, self.shown_log()) {
            return log.panel_place(cx);
        }
        let rows = self.view.rows(cx)?;
        let table = rows.view.table();
        let focused = || self.grid.row().filter(|row| rows.place(*row).is_some());
        let row = table.entry(table.slot_of(row.or_else(focused)?)?)?.row();
        let own = PanelPlace::of_row(row, table)?;
        let kinds = cx.client.kinds_of(own.cluster.as_ref().or(self.clusters().first()));
        let about = kinds.filter(|_| self.kind().is_some_and(|kind| &*kind.kind == "Event"));
        let about = about.and_then(|kinds| event::subject(table.columns(), row, &kinds.kinds));
        Some(match about {
            Some(about) => PanelPlace { cluster: own.cluster, ..about },
            None => own,
        })
    }

    /// Moves from the panel's row to another one; the focus of the browser stays where it is.
    pub(crate) fn walk(&mut self, key: Key, cx: &Cx) {
        let Some(rows) = self.view.rows(cx) else { return };
        if let Some(row) = self.open_row(&rows) {
            self.grid.stand_at(row);
        }
        self.grid.walk(key, rows, &self.model.rows);
    }

    /// A link leads to an object: its row is where the reader is, and not the first one.
    pub(super) fn stand_at_open_row(&mut self, cx: &Cx) {
        if let Some(rows) = self.view.rows(cx)
            && let Some(place) = self.open_row(&rows).and_then(|row| rows.place(row))
        {
            self.grid.show_place(place, rows, &self.model.rows);
        }
    }

    /// The row of the panel's object, if it is one of these.
    fn open_row(&self, rows: &Rows<'_>) -> Option<RowId> {
        let table = rows.view.table();
        let open = self.address.location.panel.as_ref().filter(|open| open.resource.is_none())?;
        Some(table.rows().find(|row| open.is_of_row(row, table))?.id)
    }

    /// The browser draws a moved pane anew, and from its first row.
    pub(crate) fn was_moved(&mut self) {
        self.grid.scroll_to_top();
    }

    pub(crate) fn wants_focus(&mut self) {
        self.grid.want_focus();
        self.model.log.focus += 1;
    }

    pub(crate) fn begin_in_rows(&mut self) {
        self.grid.begin_in_rows();
    }

    /// Changes between the table and its log, and gives that the focus.
    pub(crate) fn toggle_look(&mut self) {
        if self.address.look == Look::Table && !self.model.head.content.takes_rows() {
            return;
        }
        self.address.look = match self.address.look {
            Look::Table => Look::Log,
            Look::Log => Look::Table,
            Look::Wrong => Look::Wrong,
        };
        self.model.log.takes_focus = self.address.look == Look::Log;
        if let Some(log) = &self.log {
            self.address.location.log = log.filter().clone();
        }
        if self.address.look == Look::Table {
            // The table has to be in the DOM before its row can take the focus.
            self.model.log.is_shown = false;
            self.grid.want_focus();
        }
    }
}
