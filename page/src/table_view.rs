//! A table as the page shows it: each pane's own filter and order of the rows, what changed lately, and how many
//! rows have each status. All of it changes together with the rows.

use replica::observer::{ChangeTime, RowObserver};
use replica::table::{Changed, Delta, Joined, Slot, Table};
use shared::state::UnixMillis;

use crate::changes::Marks;
use crate::query::{Filter, Index, ReaderId, Readers, Sort};
use crate::status::Tally;

/// The wire's client with the page's tables.
pub type Client = replica::client::Client<TableState>;
pub type View = replica::view::View<TableState>;

#[derive(Clone, Debug, Default)]
pub struct TableState {
    readers: Readers,
    marks: Marks,
    tally: Tally,
}

impl RowObserver for TableState {
    fn rows_changed(&mut self, table: &Table, delta: &Delta, when: ChangeTime) -> Vec<Slot> {
        for index in self.readers.all_mut() {
            index.set_now(when.cluster_now_s);
            index.apply(table, delta);
        }
        self.tally.apply(table, delta, when.cluster_now_s);
        let leaving = self.marks.note(delta, when.are_changes, when.now_ms);
        self.marks.supersede(table, &delta.added);
        leaving
    }

    fn tombstone_leaves(&mut self, table: &Table, slot: Slot) {
        for index in self.readers.all_mut() {
            index.remove(table, slot);
        }
        self.marks.forget(slot);
    }
}

/// What the page does with a table beyond reading its rows.
pub trait TableView {
    /// Adds a reader of these rows, with a filter and an order of its own; the first one gets
    /// [`ReaderId::FIRST`].
    fn add_reader(&mut self) -> ReaderId;
    fn remove_reader(&mut self, reader: ReaderId);
    /// The rows that this reader's filter leaves, in its order.
    fn index(&self, reader: ReaderId) -> &Index;
    fn marks(&self) -> &Marks;
    fn tally(&self) -> &Tally;
    fn set_filter(&mut self, reader: ReaderId, text: &str);
    /// The cells that words of the filter are looked for in: those that its reader sees.
    fn set_searched(&mut self, reader: ReaderId, cells: Vec<usize>);
    fn set_sort(&mut self, reader: ReaderId, sort: Option<Sort>);
    /// These rows stay when the filter stops matching them: one is open, or has the focus.
    fn keep(&mut self, reader: ReaderId, rows: Vec<Slot>);
    /// Shows none but these rows of those that this reader's filter leaves. `None`: all of them again.
    fn set_among(&mut self, reader: ReaderId, among: Option<Vec<Slot>>);
    /// While held, rows stay where they are.
    fn hold(&mut self, reader: ReaderId, held: bool);
    /// Puts moved rows in order. Answers whether there were any.
    fn settle(&mut self, reader: ReaderId) -> bool;
    /// The cells that begin to flash with this animation frame.
    fn flash(&mut self, seen: &[Slot], now_ms: UnixMillis) -> Vec<(Slot, u16)>;
    /// Marks rows as changed now, though they changed behind a pause, and keeps the tombstones among them.
    fn mark(&mut self, changes: &Delta, now_ms: UnixMillis);
    /// The marks of these rows stay until they are released.
    fn keep_marks(&mut self, slots: &[Slot]);
    fn release_marks(&mut self, slots: &[Slot], now_ms: UnixMillis);
    /// Rows of another time come: what changed before says nothing of them.
    fn forget_marks(&mut self);
    /// Adds cells of another table to the rows. They leave no marks, because no object changed.
    fn join_cells(&mut self, joined: Joined);
    /// Once a second: removes old marks and tombstones, except those in `held`. Answers whether there were any
    /// marks.
    fn expire(&mut self, held: &[Slot], now_ms: UnixMillis) -> bool;
    /// Once a second, unless the view is stale: applies filters by age again, and what rows become by time alone. Answers
    /// whether rows came, went or became another.
    fn grow_old(&mut self, now_ms: UnixMillis) -> bool;
}

impl TableView for View {
    fn add_reader(&mut self) -> ReaderId {
        let (state, table) = self.observer_mut();
        state.readers.add(table)
    }

    fn remove_reader(&mut self, reader: ReaderId) {
        self.observer_mut().0.readers.remove(reader);
    }

    fn index(&self, reader: ReaderId) -> &Index {
        self.observer().readers.get(reader)
    }

    fn marks(&self) -> &Marks {
        &self.observer().marks
    }

    fn tally(&self) -> &Tally {
        &self.observer().tally
    }

    fn set_filter(&mut self, reader: ReaderId, text: &str) {
        let (state, table) = self.observer_mut();
        state.readers.get_mut(reader).set_filter(table, Filter::parse(text));
    }

    fn set_searched(&mut self, reader: ReaderId, cells: Vec<usize>) {
        let (state, table) = self.observer_mut();
        state.readers.get_mut(reader).set_searched(table, cells);
    }

    fn set_sort(&mut self, reader: ReaderId, sort: Option<Sort>) {
        let (state, table) = self.observer_mut();
        state.readers.get_mut(reader).set_sort(table, sort);
    }

    fn keep(&mut self, reader: ReaderId, rows: Vec<Slot>) {
        let (state, table) = self.observer_mut();
        state.readers.get_mut(reader).keep(table, rows);
    }

    fn set_among(&mut self, reader: ReaderId, among: Option<Vec<Slot>>) {
        let (state, table) = self.observer_mut();
        state.readers.get_mut(reader).set_among(table, among);
    }

    fn hold(&mut self, reader: ReaderId, held: bool) {
        self.observer_mut().0.readers.get_mut(reader).hold(held);
    }

    fn settle(&mut self, reader: ReaderId) -> bool {
        let (state, table) = self.observer_mut();
        state.readers.get_mut(reader).settle(table)
    }

    fn flash(&mut self, seen: &[Slot], now_ms: UnixMillis) -> Vec<(Slot, u16)> {
        self.observer_mut().0.marks.flash(seen, now_ms)
    }

    fn mark(&mut self, changes: &Delta, now_ms: UnixMillis) {
        self.observer_mut().0.marks.note_again(changes, now_ms);
    }

    fn keep_marks(&mut self, slots: &[Slot]) {
        self.observer_mut().0.marks.keep(slots);
    }

    fn release_marks(&mut self, slots: &[Slot], now_ms: UnixMillis) {
        self.observer_mut().0.marks.release(slots, now_ms);
    }

    fn forget_marks(&mut self) {
        let left = self.observer_mut().0.marks.forget_all();
        self.remove_tombstones(&left);
    }

    fn join_cells(&mut self, joined: Joined) {
        let delta = self.join(joined);
        let (state, table) = self.observer_mut();
        for index in state.readers.all_mut().filter(|_| delta != Delta::default()) {
            index.apply(table, &delta);
        }
    }

    fn expire(&mut self, held: &[Slot], now_ms: UnixMillis) -> bool {
        let marks = &mut self.observer_mut().0.marks;
        let had_marks = !marks.is_empty();
        let leaving = marks.expire(held, now_ms);
        self.remove_tombstones(&leaving);
        had_marks
    }

    fn grow_old(&mut self, now_ms: UnixMillis) -> bool {
        let now = self.cluster_now_s(now_ms, None);
        let (state, table) = self.observer_mut();
        let slots = state.tally.grow_old(table, now);
        let changed = slots.into_iter().map(|slot| Changed { slot, cells: Vec::new() }).collect();
        let delta = Delta { changed, ..Delta::default() };
        state.readers.all_mut().fold(!delta.changed.is_empty(), |moved, index| {
            let has_moved = index.grow_old(table, now);
            index.apply(table, &delta);
            moved | has_moved
        })
    }
}

#[cfg(test)]
mod tests;
