//! Three namespaces under random frames, refusals and breaks: at every step the table is exactly what the
//! parts hold that may be shown, in order.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Put(usize, u64, u8),
    Delete(usize, u64),
    /// Whether the namespace may be listed.
    Allow(usize, bool),
    /// The gateway has other columns for it, and sends everything anew.
    Columns(usize, bool),
    /// The connection breaks and comes back; every part continues from where it was.
    Break,
    /// Hidden for so long that all subscriptions are given back.
    Hide,
    Show,
}

fn step() -> impl Strategy<Value = Step> {
    let part = 0..3_usize;
    prop_oneof![
        6 => (part.clone(), 0..6_u64, 0..4_u8).prop_map(|(part, id, value)| Step::Put(part, id, value)),
        3 => (part.clone(), 0..6_u64).prop_map(|(part, id)| Step::Delete(part, id)),
        4 => (part.clone(), any::<bool>()).prop_map(|(part, is_allowed)| Step::Allow(part, is_allowed)),
        1 => (part, any::<bool>()).prop_map(|(part, wide)| Step::Columns(part, wide)),
        1 => Just(Step::Break),
        1 => Just(Step::Hide),
        1 => Just(Step::Show),
    ]
}

/// What the gateway has of one namespace.
#[derive(Default)]
struct Hub {
    id: u32,
    head: u64,
    epoch: u32,
    wide: bool,
    is_refused: bool,
    rows: BTreeMap<u64, Row>,
}

impl Hub {
    fn columns(&self) -> &'static [&'static str] {
        if self.wide { &["Name", "Size"] } else { &["Name"] }
    }

    fn row(&self, part: usize, number: u64, value: u8) -> Row {
        let value = value.to_string();
        let id = u64::try_from(part).expect("small") * 100 + number + 1;
        row(id, &format!("{}/{number}", NAMES[part]), &vec![&*value; self.columns().len()])
    }

    fn report(&self) -> StateReport {
        if self.is_refused { forbidden() } else { StateReport::of(ViewState::Live) }
    }

    /// The answer to a subscription, and everything anew where its token is of another epoch.
    fn answer(&self, rig: &mut ClientRig, token_epoch: Option<u32>, now_ms: i64) {
        let at = token_epoch.filter(|epoch| *epoch == self.epoch).map(|_| self.head);
        let answer = Subscribed {
            view: self.id * 10,
            at,
            state: self.report(),
            ..subscribed(self.id, &self.epoch.to_string(), self.columns())
        };
        rig.frame(ServerFrame::Subscribed(Box::new(answer)), now_ms);
        if at.is_none() && !self.is_refused {
            rig.put(self.id, 0, self.head, self.rows.values().cloned().collect(), now_ms);
        }
    }
}

struct World {
    rig: ClientRig,
    hubs: [Hub; 3],
    next_id: u32,
    is_hidden: bool,
    now_ms: i64,
}

impl World {
    fn new() -> Self {
        let mut hubs: [Hub; 3] = Default::default();
        let mut rig = split();
        for (hub, id) in hubs.iter_mut().zip(2..) {
            (hub.id, hub.head) = (id, 1);
            hub.answer(&mut rig, None, 900);
        }
        Self { rig, hubs, next_id: 5, is_hidden: false, now_ms: 1_000 }
    }

    fn take(&mut self, step: Step) {
        self.now_ms += 100;
        match step {
            Step::Show => {
                if std::mem::take(&mut self.is_hidden) {
                    self.rig.client.handle(Input::Visible, at(self.now_ms));
                    self.return_all();
                }
            }
            Step::Break => {
                self.rig.client.handle(Input::Closed { code: None }, at(self.now_ms));
                if !self.is_hidden {
                    self.return_all();
                }
            }
            // A hidden page has no subscriptions, so the gateway says nothing.
            _ if self.is_hidden => {}
            Step::Hide => {
                self.rig.client.handle(Input::Hidden, at(self.now_ms));
                self.now_ms += 60_000;
                self.rig.client.handle(Input::Timer, at(self.now_ms));
                self.is_hidden = true;
            }
            Step::Put(part, number, value) => self.change(part, number, Some(value)),
            Step::Delete(part, number) => self.change(part, number, None),
            Step::Allow(part, is_allowed) => {
                let hub = &mut self.hubs[part];
                hub.is_refused = !is_allowed;
                self.rig.is(hub.id, hub.report(), self.now_ms);
            }
            Step::Columns(part, wide) => self.columns(part, wide),
        }
    }

    fn change(&mut self, part: usize, number: u64, value: Option<u8>) {
        let hub = &mut self.hubs[part];
        if hub.is_refused {
            return;
        }
        let mut frame = Rows { view: hub.id * 10, from: hub.head, to: hub.head + 1, ..Rows::default() };
        hub.head += 1;
        match value.map(|value| hub.row(part, number, value)) {
            Some(row) => {
                frame.put = vec![row.clone()];
                hub.rows.insert(number, row);
            }
            None => frame.delete = hub.rows.remove(&number).map(|row| row.id).into_iter().collect(),
        }
        self.rig.moved(frame, self.now_ms);
    }

    fn columns(&mut self, part: usize, wide: bool) {
        let hub = &mut self.hubs[part];
        if hub.is_refused || hub.wide == wide {
            return;
        }
        (hub.wide, hub.epoch) = (wide, hub.epoch + 1);
        let rows = hub.rows.keys().map(|number| (*number, hub.row(part, *number, 9)));
        hub.rows = rows.collect();
        hub.answer(&mut self.rig, None, self.now_ms);
    }

    fn return_all(&mut self) {
        self.rig.connect(self.now_ms);
        let asked = self.rig.said().iter().filter(|word| word.starts_with("subscribe ")).count();
        assert_eq!(asked, 3, "each part and nothing else asks again");
        for hub in &mut self.hubs {
            hub.id = self.next_id;
            self.next_id += 1;
            hub.answer(&mut self.rig, Some(hub.epoch), self.now_ms);
        }
    }

    fn check(&self) {
        let shown = self.rig.keys();
        let columns = self.rig.view().table().columns().len();
        let hubs = self.hubs.iter().filter(|hub| !hub.is_refused && hub.columns().len() == columns);
        let expected: Vec<String> = hubs.flat_map(|hub| hub.rows.values().map(Row::order_key)).collect();
        assert_eq!(shown, expected, "namespaces and numbers are in order");
        let cells = |row: &Row| row.cells.len() == columns;
        assert!(self.rig.view().table().rows().all(cells));
        let any = self.hubs.iter().any(|hub| !hub.is_refused);
        assert!(!any || self.hubs.iter().any(|hub| !hub.is_refused && hub.columns().len() == columns));
    }
}

proptest! {
    #[test]
    fn the_table_is_what_the_parts_hold_that_may_be_shown(steps in prop::collection::vec(step(), 1..60)) {
        let mut world = World::new();
        for step in steps {
            world.take(step);
            world.check();
        }
    }
}
