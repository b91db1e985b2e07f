//! A view under random frames, against a hub that is a map and a log. After every cut the order, the filter and
//! the counts are compared with a slow and simple computation.

use std::collections::BTreeMap;

use proptest::prelude::*;
use shared::cell::Cell;
use shared::frame::server::{Patch, Rows, Subscribed};
use shared::health::{Health, HealthClass, Later};
use shared::row::{Extra, Row, RowId};

use super::*;
use crate::query::{Direction, ReaderId, Sort};
use crate::status::RowHealth;
use replica::testing;

#[derive(Clone, Debug)]
enum Step {
    Put(u8, u8),
    Delete(u8),
    /// Deliver at most so many changes: a frame with `more` unless it reaches the head.
    Deliver(u8),
    /// The connection breaks.
    Break,
    /// The gateway restarts: another epoch.
    Restart,
    Filter(u8),
    Sort(u8),
    Hold(bool),
    Expire,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..24_u8, 0..6_u8).prop_map(|(id, value)| Step::Put(id, value)),
        3 => (0..24_u8).prop_map(Step::Delete),
        8 => (1..12_u8).prop_map(Step::Deliver),
        1 => Just(Step::Break),
        1 => Just(Step::Restart),
        1 => (0..5_u8).prop_map(Step::Filter),
        1 => (0..4_u8).prop_map(Step::Sort),
        1 => any::<bool>().prop_map(Step::Hold),
        1 => Just(Step::Expire),
    ]
}

const COLUMNS: [&str; 3] = ["Name", "Status", "Restarts"];
const FILTERS: [&str; 5] = ["", "a/", "!b/ 1", "/[02468]$/", "restarts>3"];

/// The rows by number, and the last change of each by its sequence.
#[derive(Default)]
struct Hub {
    head: u64,
    epoch: u32,
    rows: BTreeMap<u64, Row>,
    log: BTreeMap<u64, (RowId, u64)>,
}

impl Hub {
    fn change(&mut self, number: u64, row: Option<Row>) {
        self.head += 1;
        self.log.retain(|_, (_, logged)| *logged != number);
        self.log.insert(self.head, (testing::id(number), number));
        match row {
            Some(row) => self.rows.insert(number, row),
            None => self.rows.remove(&number),
        };
    }

    fn answer(&self) -> Subscribed {
        testing::subscribed(1, &self.epoch.to_string(), &COLUMNS)
    }

    /// The walk from a position, cut after `limit` changes. Rows that the viewer has come as cells.
    fn frame(&self, from: u64, limit: usize, has: impl Fn(RowId) -> bool) -> Rows {
        let mut frame = Rows { view: 7, from, to: self.head, ..Rows::default() };
        for (taken, (sequence, (id, number))) in self.log.range(from + 1..).enumerate() {
            if taken == limit {
                frame.more = true;
                break;
            }
            frame.to = *sequence;
            match self.rows.get(number) {
                None => frame.delete.push(*id),
                Some(row) if has(*id) && number % 2 == 0 => frame.set.push(Patch {
                    id: *id,
                    cells: (0..).zip(row.cells.iter().cloned()).collect(),
                    resource_version: Some(row.resource_version.clone()),
                }),
                Some(row) => frame.put.push(row.clone()),
            }
        }
        if !frame.more {
            frame.to = self.head;
        }
        frame
    }
}

fn row_of(number: u64, value: u8, version: u64) -> Row {
    let namespace = if number.is_multiple_of(3) { "a" } else { "b-x" };
    let status = ["Running", "Pending", "Error"][usize::from(value) % 3];
    let mut row = testing::row(number, &format!("{namespace}/pod-{number}"), &["n", status]);
    row.cells.push(if value == 5 { Cell::Null } else { Cell::Int(i64::from(value)) });
    row.resource_version = version.to_string().as_str().into();
    let class = [HealthClass::Fine, HealthClass::Changing, HealthClass::Failing][number as usize % 3];
    row.extra = Some(Box::new(Extra { health: Some(health(class)), ..Extra::default() }));
    row
}

fn health(class: HealthClass) -> Health {
    Health { class, reason: "".into(), since: None, then: Vec::new(), failed: None }
}

#[test]
fn rows_are_counted_anew_when_time_alone_makes_them_another() {
    let mut row = row_of(1, 1, 1);
    let later = Later { class: HealthClass::Failing, at: 100 };
    row.extra.get_or_insert_default().health =
        Some(Health { then: vec![later], ..health(HealthClass::Changing) });
    let mut view: View = testing::view();
    testing::table_mut(&mut view).subscribed(&testing::subscribed(1, "e", &["Name", "Status", "Count"]));
    testing::apply(&mut view, Rows { view: 7, to: 1, put: vec![row], ..Rows::default() }, 50_000)
        .expect("applies");
    let reader = view.add_reader();
    view.set_filter(reader, "health=failing");
    let failing = |view: &View| {
        let counts = view.tally().counts().expect("a status");
        (counts[0], view.index(reader).len())
    };
    assert!(!view.grow_old(99_999));
    assert_eq!(failing(&view), ((RowHealth::Failing, 0), 0));
    assert!(view.grow_old(100_000));
    assert_eq!(failing(&view), ((RowHealth::Failing, 1), 1));
    assert!(!view.grow_old(101_000), "once");
}

struct ViewRig {
    hub: Hub,
    view: View,
    now_ms: i64,
    held: bool,
}

impl ViewRig {
    fn subscribe(&mut self) {
        testing::table_mut(&mut self.view).detach();
        let token = self.view.table().token().cloned();
        let mut answer = self.hub.answer();
        answer.at = token.filter(|token| token.epoch == answer.epoch).and_then(|token| token.sequence());
        testing::table_mut(&mut self.view).subscribed(&answer);
    }

    fn deliver(&mut self, limit: usize) {
        let Some(from) = self.view.table().position() else { return };
        let shown = self.view.table();
        // What is being replaced aside gets whole rows only.
        let direct = shown.incoming_count().is_none();
        let has = |id| {
            let entry = shown.slot_of(id).and_then(|slot| shown.entry(slot));
            direct && entry.is_some_and(|entry| !entry.is_tombstone())
        };
        let frame = self.hub.frame(from, limit, has);
        let delta = testing::apply(&mut self.view, frame, self.now_ms).expect("a chained frame");
        if delta.cut {
            self.check();
        }
    }

    fn check(&self) {
        let table = self.view.table();
        let mut shown: Vec<&Row> = table.rows().collect();
        shown.sort_by_key(|row| row.id);
        let expected: Vec<&Row> = self.hub.rows.values().collect();
        assert_eq!(shown, expected);
        self.check_order();
        self.check_tally();
    }

    fn check_order(&self) {
        let (table, index) = (self.view.table(), self.view.index(ReaderId::FIRST));
        let mut expected: Vec<(Slot, &replica::table::Entry)> =
            table.iter().filter(|(_, entry)| index.filter().matches(entry, 0)).collect();
        let restarts = |entry: &replica::table::Entry| match entry.row().cells.get(2) {
            Some(Cell::Int(value)) => Some(*value),
            _ => None,
        };
        expected.sort_by(|(_, a), (_, b)| {
            let by_key = a.key().cmp(b.key());
            match index.sort().map(|sort| (sort.column.as_ref(), sort.direction)) {
                Some(("restarts", direction)) => match (restarts(a), restarts(b)) {
                    (Some(a), Some(b)) if direction == Direction::Descending => b.cmp(&a),
                    (Some(a), Some(b)) => a.cmp(&b),
                    (a, b) => b.is_some().cmp(&a.is_some()),
                },
                _ => std::cmp::Ordering::Equal,
            }
            .then(by_key)
        });
        let mut slots: Vec<Slot> = expected.iter().map(|(slot, _)| *slot).collect();
        let mut shown = index.slots().to_vec();
        if self.held {
            // Rows that wait may stand anywhere, but none is lost or shown twice.
            slots.sort();
            shown.sort();
        }
        assert_eq!(shown, slots);
        for (place, slot) in index.slots().iter().enumerate() {
            assert_eq!(index.position(table, *slot), Some(place));
        }
    }

    fn check_tally(&self) {
        let tally = self.view.tally();
        let health = |row: &Row| Some(RowHealth::of(row, 0));
        for (health_of, counted) in tally.counts().into_iter().flatten() {
            let rows = self.hub.rows.values().filter(|row| health(row) == Some(health_of));
            assert_eq!(counted, rows.count(), "{health_of:?}");
        }
    }

    fn step(&mut self, step: Step) {
        self.now_ms += 700;
        match step {
            Step::Put(id, value) => {
                let row = row_of(u64::from(id), value, self.hub.head + 1);
                self.hub.change(u64::from(id), Some(row));
            }
            Step::Delete(id) => self.hub.change(u64::from(id), None),
            Step::Deliver(limit) => self.deliver(usize::from(limit)),
            Step::Break => self.subscribe(),
            Step::Restart => {
                self.hub.epoch += 1;
                self.subscribe();
            }
            Step::Filter(which) => {
                self.view.set_filter(ReaderId::FIRST, FILTERS[usize::from(which)]);
            }
            Step::Sort(which) => {
                let direction = if which % 2 == 0 { Direction::Ascending } else { Direction::Descending };
                let sort = (which > 1).then(|| Sort { column: "restarts".into(), direction });
                self.view.set_sort(ReaderId::FIRST, sort);
            }
            Step::Hold(held) => {
                self.held = held;
                self.view.hold(ReaderId::FIRST, held);
                if !held {
                    self.view.settle(ReaderId::FIRST);
                }
            }
            Step::Expire => {
                self.view.expire(&[], self.now_ms);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_view_equals_the_hub_at_every_cut(steps in proptest::collection::vec(step(), 1..120)) {
        let mut rig = ViewRig { hub: Hub::default(), view: testing::view(), now_ms: 0, held: false };
        rig.subscribe();
        for step in steps {
            rig.step(step);
        }
        rig.view.hold(ReaderId::FIRST, false);
        rig.view.settle(ReaderId::FIRST);
        rig.held = false;
        rig.deliver(usize::MAX);
        rig.check();
    }
}
