//! The columns of views: the server's, whose hash is part of every resume token, and those that viewers ask for beyond
//! them. The cells of the latter are read from an object's redacted body once per change; cells of objects that were
//! here before are read a few at a time, and only the viewers of these columns wait until all are read. They cost
//! nothing in a hub without such a viewer. A set of columns is kept for a while after its last viewer, because most
//! viewers come back. No object is kept here.

mod cells;

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};
use shared::cell::Cell;
use shared::column::Column;
use shared::custom_column::{CustomColumn, CustomColumns};
use shared::digest;
use shared::json_path::{Clipped, Effort, Outline};
use shared::problem::{Problem, Reason};
use shared::row::{Row, RowId};
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::bodies::Body;
use crate::feed::ObjectBody;
use crate::limits::{
    CUSTOM_BYTES_PER_VALUE, CUSTOM_CELL_BYTES_MAX, CUSTOM_EFFORT_MAX, CUSTOM_EFFORT_PER_TURN,
    CUSTOM_EFFORT_TOTAL_MAX, CUSTOM_LINGER_MS, CUSTOM_SETS_MAX, CUSTOM_UNREPORTED_BYTES_MAX,
};
use cells::{ByteCount, Cells};

/// The columns of a view, and their hash: rows of other columns can't be continued.
#[derive(Clone)]
pub(super) struct Columns {
    pub(super) list: Arc<[Column]>,
    pub(super) hash: Box<str>,
}

impl Columns {
    pub(super) fn new(list: Arc<[Column]>) -> Self {
        let mut hasher = Sha256::new();
        for column in list.iter() {
            // No part contains a NUL, so different lists give different bytes.
            for part in [&column.name, &column.kind, &column.format] {
                hasher.update(part.as_bytes());
                hasher.update([0]);
            }
            hasher.update(column.priority.to_be_bytes());
            if column.is_custom() {
                hasher.update(column.path.as_bytes());
                hasher.update([0]);
            }
        }
        let hash = hasher.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect::<String>();
        Self { list, hash: hash.into() }
    }

    /// Before the server's first answer.
    pub(super) fn unknown() -> Self {
        Self { list: Arc::new([]), hash: "".into() }
    }
}

/// A set of columns. The number is never used again.
pub(super) type SetId = u32;

/// The sets of columns that viewers of one hub ask for, and the objects whose cells are still to be read for them.
///
/// It owns what columns cost and ends those that cost too much. [`super::objects::Objects`] has it print each object,
/// and the hub calls it when a viewer comes or goes, and while it has nothing else to do.
pub(super) struct ColumnSets {
    /// What the cells of all sets may take.
    bytes_max: usize,
    sets: Vec<Set>,
    /// The parts of an object that all sets together need.
    outline: Outline,
    next: SetId,
    /// Sets that were ended, with their costs: a viewer that asks for one again is refused at once.
    costly: VecDeque<(ColumnsAsked, Cost)>,
    /// The effort of this turn.
    spent: usize,
    reported: Reported,
    /// Objects whose cells of other columns are to be read, because they came before the columns were asked for.
    unread: Vec<RowId>,
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

/// One list of columns with its viewers and what it takes. [`ColumnSets`] owns all of a hub.
struct Set {
    id: SetId,
    asked: ColumnsAsked,
    viewers: usize,
    idle_since_ms: UnixMillis,
    /// The most values that it has visited of one object.
    effort: usize,
    /// The bytes of the cells of all its objects.
    bytes: ByteCount,
}

/// What one set takes, or all sets of a hub together.
#[derive(Clone, Copy, Default)]
struct Cost {
    effort: usize,
    bytes: usize,
}

impl Cost {
    fn with(self, other: Self) -> Self {
        Self { effort: self.effort + other.effort, bytes: self.bytes + other.bytes }
    }

    /// `Some`: all sets of a hub together take more than they may, and this says what `of_set` takes of it.
    fn excess(self, bytes_max: usize, of_set: Self) -> Option<Problem> {
        if self.effort > CUSTOM_EFFORT_TOTAL_MAX {
            Some(too_costly(of_set.effort))
        } else if self.bytes > bytes_max {
            Some(too_large(of_set.bytes, bytes_max))
        } else {
            None
        }
    }
}

/// What the gateway knows of the sets' bytes, for what one person and all together may take.
#[derive(Default)]
struct Reported {
    bytes: usize,
    /// A set has ended since.
    is_outdated: bool,
}

/// One object's cells in each set. `None`: there are no sets.
#[derive(Clone, Default)]
pub(super) struct Custom(Option<Arc<[Printed]>>);

/// Each set's part of a row's digest, without the cells.
pub(super) struct CustomHashes(Box<[(SetId, u64)]>);

#[derive(Clone)]
struct Printed {
    set: SetId,
    cells: Arc<Cells>,
    /// What the row with these cells adds to a digest.
    hash: u64,
}

/// What `kubectl -o custom-columns` prints for a missing value.
const NONE: &str = "<none>";

impl ColumnSets {
    pub(super) fn with_bound(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            sets: Vec::new(),
            outline: Outline::default(),
            next: 0,
            costly: VecDeque::new(),
            spent: 0,
            reported: Reported::default(),
            unread: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The columns of a view: the server's, then its own. None before the server's are known.
    pub(super) fn with_own(&self, server: &Columns, set: Option<SetId>) -> Columns {
        match self.sets.iter().find(|own| Some(own.id) == set) {
            Some(own) if !server.hash.is_empty() => {
                let own = own.asked.columns.iter().map(CustomColumn::column);
                Columns::new(server.list.iter().cloned().chain(own).collect())
            }
            _ => server.clone(),
        }
    }

    /// Counts a viewer of these columns.
    ///
    /// # Errors
    /// `Limit`: there are too many sets, or these columns cost too much.
    pub(super) fn enter(&mut self, asked: ColumnsAsked) -> Result<SetId, Problem> {
        if let Some(set) = self.sets.iter_mut().find(|set| set.asked == asked) {
            set.viewers += 1;
            return Ok(set.id);
        }
        let known = self.costly.iter().find(|(known, _)| *known == asked).map(|(_, cost)| *cost);
        if let Some(problem) = known.and_then(|cost| self.cost().with(cost).excess(self.bytes_max, cost)) {
            return Err(problem);
        }
        if self.sets.len() >= CUSTOM_SETS_MAX {
            let idle = self.sets.iter().position(|set| set.viewers == 0).ok_or_else(too_many_sets)?;
            self.sets.swap_remove(idle);
            self.reported.is_outdated = true;
        }
        let id = self.next;
        self.next += 1;
        let effort = known.unwrap_or_default().effort;
        self.sets.push(Set { id, asked, viewers: 1, idle_since_ms: 0, effort, bytes: ByteCount::default() });
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
            self.reported.is_outdated = true;
        }
        forgot
    }

    fn outline_anew(&mut self) {
        self.outline = Outline::default();
        for column in self.sets.iter().flat_map(|set| set.asked.columns.iter()) {
            self.outline.add(column.json_path());
        }
    }

    /// Ends the costliest sets, until the others may visit and keep what they do: first those without viewers, and
    /// of equal ones the youngest. With what their viewers are told.
    pub(super) fn end_costly(&mut self) -> Vec<(SetId, Problem)> {
        let mut ended = Vec::new();
        loop {
            let all = self.cost();
            if all.excess(self.bytes_max, all).is_none() {
                break;
            }
            let is_by_effort = all.effort > CUSTOM_EFFORT_TOTAL_MAX;
            let order = |set: &&Set| {
                let cost = if is_by_effort { set.effort } else { set.bytes.get() };
                (Reverse(set.viewers.min(1)), cost, set.id)
            };
            let Some(costliest) = self.sets.iter().max_by_key(order) else { break };
            let Some(problem) = all.excess(self.bytes_max, costliest.cost()) else { break };
            let id = costliest.id;
            self.remove(id);
            ended.push((id, problem));
        }
        ended
    }

    /// Ends sets that the gateway has no room for, with what their viewers are told.
    pub(super) fn end_these(&mut self, refused: Vec<(ColumnsAsked, Problem)>) -> Vec<(SetId, Problem)> {
        let mut ended = Vec::new();
        for (asked, problem) in refused {
            if let Some(id) = self.sets.iter().find(|set| set.asked == asked).map(|set| set.id) {
                self.remove(id);
                ended.push((id, problem));
            }
        }
        ended
    }

    fn remove(&mut self, id: SetId) {
        let Some(place) = self.sets.iter().position(|set| set.id == id) else { return };
        let set = self.sets.remove(place);
        self.costly.retain(|(known, _)| *known != set.asked);
        if self.costly.len() >= CUSTOM_SETS_MAX {
            self.costly.pop_front();
        }
        let cost = set.cost();
        self.costly.push_back((set.asked, cost));
        self.outline_anew();
        self.reported.is_outdated = true;
    }

    fn cost(&self) -> Cost {
        self.sets.iter().map(Set::cost).fold(Cost::default(), Cost::with)
    }

    /// The bytes of each set, if they differ from what was reported by enough to tell.
    pub(super) fn sizes_to_report(&mut self) -> Option<Vec<(ColumnsAsked, usize)>> {
        let bytes = self.cost().bytes;
        if !self.reported.is_outdated && bytes.abs_diff(self.reported.bytes) < CUSTOM_UNREPORTED_BYTES_MAX {
            return None;
        }
        self.reported = Reported { bytes, is_outdated: false };
        Some(self.sets.iter().map(|set| (set.asked.clone(), set.bytes.get())).collect())
    }

    /// Whether there is something else to be done before more cells are read.
    pub(super) fn is_turn_full(&self) -> bool {
        self.spent >= CUSTOM_EFFORT_PER_TURN
    }

    /// The effort of the turn that ends with it.
    pub(super) fn end_turn(&mut self) -> usize {
        std::mem::take(&mut self.spent)
    }

    /// Looks for the objects that lack cells, among all.
    pub(super) fn look_for_unread<'a>(
        &mut self,
        objects: impl Iterator<Item = (RowId, &'a Custom, &'a Row)>,
    ) {
        let lacking = objects.filter(|(_, cells, row)| !self.is_complete(cells, row));
        self.unread = lacking.map(|(id, ..)| id).collect();
    }

    /// An object is new or has changed. Whether it lacks cells, as if other columns were asked for while its list was
    /// put aside.
    pub(super) fn note(&mut self, id: RowId, cells: &Custom, row: &Row) -> bool {
        let is_lacking = !self.is_complete(cells, row);
        if is_lacking {
            self.unread.push(id);
        }
        is_lacking
    }

    pub(super) fn unread(&self) -> &[RowId] {
        &self.unread
    }

    /// The next object whose cells are to be read: [`ColumnSets::complete`], and [`ColumnSets::drop_unread`] when it
    /// has all.
    pub(super) fn next_unread(&self) -> Option<RowId> {
        self.unread.last().copied()
    }

    pub(super) fn drop_unread(&mut self) {
        self.unread.pop();
    }

    /// The cells of an object that is new or has changed.
    pub(super) fn print(&mut self, row: &Row, body: &ObjectBody) -> Custom {
        let mut custom = Custom::default();
        // A body of the past is unpacked for a view with such columns alone.
        if !self.is_complete(&custom, row)
            && let Some(json) = body.json()
        {
            self.print_missing(&mut custom, row, &json, false);
        }
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

    fn is_complete(&self, custom: &Custom, row: &Row) -> bool {
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
        let cells: Vec<Cell> =
            self.asked.columns.iter().map(|column| cell(column, object, &mut effort)).collect();
        let hash = digest::row_hash(&joined(row, cells.iter().cloned()));
        let used = CUSTOM_EFFORT_MAX - effort.0;
        self.effort = self.effort.max(used);
        (Printed { set: self.id, cells: Arc::new(Cells::new(cells, &self.bytes)), hash }, used)
    }

    fn cost(&self) -> Cost {
        Cost { effort: self.effort, bytes: self.bytes.get() }
    }
}

fn too_many_sets() -> Problem {
    let message = format!(
        "{CUSTOM_SETS_MAX} different sets of columns of this resource are shown already; ask for one of them, or for none"
    );
    Problem::new(Reason::Limit, message)
}

fn too_costly(cost: usize) -> Problem {
    let message = format!(
        "these columns visit {cost} values of an object, and all columns of a resource together may visit {CUSTOM_EFFORT_TOTAL_MAX}; name fields instead of `..` and `[*]`"
    );
    Problem::new(Reason::Limit, message)
}

fn too_large(bytes: usize, bytes_max: usize) -> Problem {
    let message = format!(
        "the cells of these columns take {}, and those of all columns of a resource together may take {}; ask for fewer or shorter values, or for fewer objects",
        mebibytes(bytes),
        mebibytes(bytes_max)
    );
    Problem::new(Reason::Limit, message)
}

/// Rounded up, so that what takes anything takes something.
pub(super) fn mebibytes(bytes: usize) -> String {
    format!("{} MiB", bytes.div_ceil(1024 * 1024))
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

fn joined(row: &Row, cells: impl Iterator<Item = Cell>) -> Row {
    let mut row = row.clone();
    row.cells.extend(cells);
    row
}

impl Custom {
    fn of(&self, set: SetId) -> Option<&Printed> {
        self.0.as_ref()?.iter().find(|printed| printed.set == set)
    }

    /// For a history that keeps no cells.
    pub(super) fn hashes(&self) -> CustomHashes {
        let printed = self.0.iter().flat_map(|all| all.iter());
        CustomHashes(printed.map(|printed| (printed.set, printed.hash)).collect())
    }

    /// What the row adds to the digest of a view of that set. `None`: its cells aren't read yet.
    pub(super) fn hash_in(&self, set: Option<SetId>, of_row: u64) -> Option<u64> {
        set.map_or(Some(of_row), |set| Some(self.of(set)?.hash))
    }

    /// The row as a view of that set shows it.
    pub(super) fn row_in(&self, set: Option<SetId>, row: &Arc<Row>) -> Option<Arc<Row>> {
        set.map_or_else(|| Some(row.clone()), |set| Some(Arc::new(joined(row, self.of(set)?.cells.iter()))))
    }
}

impl CustomHashes {
    /// As [`Custom::hash_in`].
    pub(super) fn hash_in(&self, set: Option<SetId>, of_row: u64) -> Option<u64> {
        let of = |set| self.0.iter().find(|(known, _)| *known == set).map(|(_, hash)| *hash);
        set.map_or(Some(of_row), of)
    }
}
