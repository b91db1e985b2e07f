//! Columns that viewers ask for beyond the server's: their cells of each object, read from its redacted
//! body once per change. They cost nothing in a hub without such a viewer. A set of columns is kept for a
//! while after its last viewer, for most viewers come back.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;
use shared::cell::Cell;
use shared::column::Column;
use shared::custom_column::{CustomColumn, CustomColumns};
use shared::digest;
use shared::json_path::{Clipped, Effort, Outline};
use shared::row::Row;
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::bodies::Body;
use crate::limits::{
    CUSTOM_BYTES_PER_VALUE, CUSTOM_CELL_BYTES_MAX, CUSTOM_EFFORT_MAX, CUSTOM_EFFORT_PER_TURN,
    CUSTOM_EFFORT_TOTAL_MAX, CUSTOM_LINGER_MS, CUSTOM_SETS_MAX,
};

/// A set of columns. The number is never used again.
pub(super) type SetId = u32;

/// The sets of columns that are shown in one hub.
#[derive(Default)]
pub(super) struct CustomSets {
    sets: Vec<Set>,
    /// The parts of an object that all sets together need.
    outline: Outline,
    next: SetId,
    /// Sets that were ended, with their costs: whoever asks again is refused at once.
    costly: VecDeque<(ColumnsAsked, usize)>,
    /// The effort of this turn.
    spent: usize,
}

/// Why columns can't be shown.
pub(super) enum Unshown {
    TooManySets,
    /// They visit so many values of an object.
    TooCostly(usize),
}

/// Columns, and the objects that their viewers may know of. Cells of no other object are read for them: what columns
/// cost is said to their viewers, and tells what they met.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ColumnsAsked {
    pub(super) columns: CustomColumns,
    /// Without its labels, which an object of it may have at any time.
    pub(super) scope: Scope,
}

impl ColumnsAsked {
    fn may_hold(&self, row: &Row) -> bool {
        self.scope.may_hold((row.namespace.as_deref(), &row.name))
    }
}

struct Set {
    id: SetId,
    asked: ColumnsAsked,
    viewers: usize,
    idle_since_ms: UnixMillis,
    /// The most values that it has visited of one object.
    cost: usize,
}

/// One object's cells in each set. `None`: there are no sets.
#[derive(Clone, Default)]
pub(super) struct Custom(Option<Arc<[Printed]>>);

#[derive(Clone)]
struct Printed {
    set: SetId,
    cells: Box<[Cell]>,
    /// What the row with these cells adds to a digest.
    hash: u64,
}

/// What `kubectl -o custom-columns` prints for a missing value.
const NONE: &str = "<none>";

impl CustomSets {
    pub(super) fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    pub(super) fn columns(&self, id: SetId) -> Option<impl Iterator<Item = Column>> {
        let set = self.sets.iter().find(|set| set.id == id)?;
        Some(set.asked.columns.iter().map(CustomColumn::column))
    }

    /// Counts a viewer of these columns.
    pub(super) fn enter(&mut self, asked: ColumnsAsked) -> Result<SetId, Unshown> {
        if let Some(set) = self.sets.iter_mut().find(|set| set.asked == asked) {
            set.viewers += 1;
            return Ok(set.id);
        }
        let known = self.costly.iter().find(|(known, _)| *known == asked).map(|(_, cost)| *cost);
        if let Some(cost) = known.filter(|cost| self.cost() + cost > CUSTOM_EFFORT_TOTAL_MAX) {
            return Err(Unshown::TooCostly(cost));
        }
        if self.sets.len() >= CUSTOM_SETS_MAX {
            let idle = self.sets.iter().position(|set| set.viewers == 0).ok_or(Unshown::TooManySets)?;
            self.sets.swap_remove(idle);
        }
        let id = self.next;
        self.next += 1;
        self.sets.push(Set { id, asked, viewers: 1, idle_since_ms: 0, cost: known.unwrap_or_default() });
        self.outline_anew();
        Ok(id)
    }

    pub(super) fn leave(&mut self, id: SetId, now_ms: UnixMillis) {
        if let Some(set) = self.sets.iter_mut().find(|set| set.id == id) {
            set.viewers = set.viewers.saturating_sub(1);
            set.idle_since_ms = now_ms;
        }
    }

    /// Forgets the sets without a viewer for a while. Whether there were any.
    pub(super) fn forget_idle(&mut self, now_ms: UnixMillis) -> bool {
        let count = self.sets.len();
        self.sets.retain(|set| set.viewers > 0 || now_ms - set.idle_since_ms < CUSTOM_LINGER_MS);
        let forgot = self.sets.len() < count;
        if forgot {
            self.outline_anew();
        }
        forgot
    }

    fn outline_anew(&mut self) {
        self.outline = Outline::default();
        for column in self.sets.iter().flat_map(|set| set.asked.columns.iter()) {
            self.outline.add(column.json_path());
        }
    }

    /// Ends the costliest sets, until the others may visit what they visit: first those without viewers, and of
    /// equal ones the youngest. With the cost of each.
    pub(super) fn end_costly(&mut self) -> Vec<(SetId, usize)> {
        let mut ended = Vec::new();
        while self.cost() > CUSTOM_EFFORT_TOTAL_MAX {
            let order = |(_, set): &(usize, &Set)| (Reverse(set.viewers.min(1)), set.cost, set.id);
            let costliest = self.sets.iter().enumerate().max_by_key(order).map(|(place, _)| place);
            let Some(set) = costliest.map(|place| self.sets.remove(place)) else { break };
            self.costly.retain(|(known, _)| *known != set.asked);
            if self.costly.len() >= CUSTOM_SETS_MAX {
                self.costly.pop_front();
            }
            self.costly.push_back((set.asked, set.cost));
            ended.push((set.id, set.cost));
        }
        if !ended.is_empty() {
            self.outline_anew();
        }
        ended
    }

    fn cost(&self) -> usize {
        self.sets.iter().map(|set| set.cost).sum()
    }

    /// Whether there is something else to be done before more cells are read.
    pub(super) fn is_columns_turn_full(&self) -> bool {
        self.spent >= CUSTOM_EFFORT_PER_TURN
    }

    /// The effort of the turn that ends with it.
    pub(super) fn end_columns_turn(&mut self) -> usize {
        std::mem::take(&mut self.spent)
    }

    /// The cells of an object that is new or has changed.
    pub(super) fn print(&mut self, row: &Row, body: &[u8]) -> Custom {
        let mut custom = Custom::default();
        self.print_missing(&mut custom, row, body, false);
        custom
    }

    /// `may_stop`: no further set is read when the turn is full.
    fn print_missing(&mut self, custom: &mut Custom, row: &Row, body: &[u8], may_stop: bool) {
        if self.is_complete(custom, row) {
            return;
        }
        let object = self.outline.read(body).unwrap_or_default();
        self.spent += body.len() / CUSTOM_BYTES_PER_VALUE;
        let mut printed = custom.0.as_ref().map_or_else(Vec::new, |all| all.to_vec());
        for set in &mut self.sets {
            if set.asked.may_hold(row) && printed.iter().all(|known| known.set != set.id) {
                let (cells, effort) = set.print(row, &object);
                self.spent += effort;
                printed.push(cells);
                if may_stop && self.spent >= CUSTOM_EFFORT_PER_TURN {
                    break;
                }
            }
        }
        custom.0 = Some(printed.into());
    }

    pub(super) fn is_complete(&self, custom: &Custom, row: &Row) -> bool {
        self.sets.iter().all(|set| custom.of(set.id).is_some() || !set.asked.may_hold(row))
    }

    /// Whether cells of this set, which an object may have, aren't read yet.
    pub(super) fn is_lacking(&self, id: Option<SetId>, custom: &Custom, row: &Row) -> bool {
        let set = self.sets.iter().find(|set| Some(set.id) == id);
        set.is_some_and(|set| custom.of(set.id).is_none() && set.asked.may_hold(row))
    }

    /// Reads the cells that an object lacks, as far as this turn allows. Whether it has all.
    pub(super) fn complete(&mut self, custom: &mut Custom, row: &Row, body: &Body) -> bool {
        if !self.is_complete(custom, row) {
            self.keep_known(custom);
            self.print_missing(custom, row, &body.unpack().unwrap_or_default(), true);
        }
        self.is_complete(custom, row)
    }

    pub(super) fn keep_known(&self, custom: &mut Custom) {
        let is_known = |printed: &Printed| self.sets.iter().any(|set| set.id == printed.set);
        if custom.0.as_ref().is_some_and(|all| !all.iter().all(is_known)) {
            let known: Arc<[Printed]> =
                custom.0.iter().flat_map(|all| all.iter()).filter(|it| is_known(it)).cloned().collect();
            custom.0 = Some(known).filter(|known| !known.is_empty());
        }
    }
}

impl Set {
    /// The cells, and how many values were visited for them.
    fn print(&mut self, row: &Row, object: &Value) -> (Printed, usize) {
        let mut effort = Effort(CUSTOM_EFFORT_MAX);
        let cells: Box<[Cell]> =
            self.asked.columns.iter().map(|column| cell(column, object, &mut effort)).collect();
        let hash = digest::row_hash(&joined(row, &cells));
        let used = CUSTOM_EFFORT_MAX - effort.0;
        self.cost = self.cost.max(used);
        (Printed { set: self.id, cells, hash }, used)
    }
}

/// One value keeps its type; several are joined with commas.
fn cell(column: &CustomColumn, object: &Value, effort: &mut Effort) -> Cell {
    let found = column.json_path().select(object, effort);
    match found.values.as_slice() {
        [] if !found.is_cut => return Cell::text(NONE),
        [Value::Bool(value)] if !found.is_cut => return Cell::Bool(*value),
        [Value::Number(number)] if !found.is_cut => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => return Cell::Int(whole),
            (None, Some(number)) => return Cell::Float(number),
            (None, None) => {}
        },
        _ => {}
    }
    let mut text = Clipped::new(CUSTOM_CELL_BYTES_MAX);
    for (index, value) in found.values.iter().enumerate() {
        text.push(if index > 0 { "," } else { "" });
        text.push_value(value);
    }
    if found.is_cut {
        text.cut();
    }
    Cell::Text(text.finish())
}

fn joined(row: &Row, cells: &[Cell]) -> Row {
    let mut row = row.clone();
    row.cells.extend_from_slice(cells);
    row
}

impl Custom {
    fn of(&self, set: SetId) -> Option<&Printed> {
        self.0.as_ref()?.iter().find(|printed| printed.set == set)
    }

    /// What the row adds to the digest of a view of that set. `None`: its cells aren't read yet.
    pub(super) fn hash_in(&self, set: Option<SetId>, of_row: u64) -> Option<u64> {
        set.map_or(Some(of_row), |set| Some(self.of(set)?.hash))
    }

    /// The row as a view of that set shows it.
    pub(super) fn row_in(&self, set: Option<SetId>, row: &Arc<Row>) -> Option<Arc<Row>> {
        set.map_or_else(|| Some(row.clone()), |set| Some(Arc::new(joined(row, &self.of(set)?.cells))))
    }
}
