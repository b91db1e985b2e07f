//! A feed that begins before the end of the record, because a viewer stood there or because the gateway was killed after its
//! last proof: what is told once more is no change, and no time is missing.

use shared::past::Why;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;

use super::ROOMY;
use super::places::{Open, each_place, folder};
use super::world::{World, key};
use crate::{Keeper, PastState, Store, Told, Version};

/// A name and a version.
type Named<'a> = (&'a str, u64);

struct Rig<'a> {
    open: &'a Open<'a>,
    keeper: Keeper<Box<dyn Store>>,
    now_ms: i64,
}

impl<'a> Rig<'a> {
    fn new(open: &'a Open<'a>) -> Self {
        Self { open, keeper: Keeper::open(open(ROOMY), 1, 1_000), now_ms: 1_000 }
    }

    fn tell(&mut self, told: Told) {
        self.now_ms += 1_000;
        self.keeper.tell(&key(), told, self.now_ms);
        self.keeper.commit(self.now_ms);
    }

    fn list(&mut self, objects: &[Named<'_>], at: u64) {
        self.tell(Told::Columns(Vec::new().into()));
        self.tell(Told::Begun);
        objects.iter().for_each(|object| self.put(*object));
        self.tell(Told::Loaded { resource_version: version(at) });
    }

    fn put(&mut self, (name, at): Named<'_>) {
        self.tell(Told::Version(Box::new(object(name, at))));
    }

    fn delete(&mut self, name: &str, at: u64) {
        self.tell(Told::Deleted { row: row(name), resource_version: version(at), relisted: false });
    }

    fn prove(&mut self, at: u64) {
        self.tell(Told::Proof { resource_version: version(at) });
    }

    /// The process is killed, and another one goes on.
    fn kill(self) -> Self {
        let Self { open, keeper, now_ms } = self;
        drop(keeper);
        Self { open, keeper: Keeper::open(open(ROOMY), 2, now_ms), now_ms }
    }

    /// The changes of all objects, and why times are missing.
    fn said(&self) -> (Vec<String>, Vec<Why>) {
        let past = self.keeper.past();
        let changes = past.changes(&key(), (0, i64::MAX), 0, 100).expect("read");
        let said = changes.iter().map(|change| match &change.version.state {
            PastState::There { head, .. } => format!("{}@{}", head.name, head.resource_version),
            PastState::Deleted { .. } => format!("deleted@{}", change.version.resource_version),
            PastState::Damaged => "damaged".to_owned(),
        });
        let extent = past.extent(&key()).expect("read").expect("recorded");
        (said.collect(), extent.unrecorded.into_iter().map(|unrecorded| unrecorded.why).collect())
    }
}

/// The order of PostgreSQL is that of versions, so it shows a restore otherwise.
fn in_a_folder(test: impl Fn(&Open<'_>)) {
    let path = tempfile::tempdir().expect("a folder");
    test(&|bounds| Box::new(folder(path.path(), bounds)));
}

fn version(at: u64) -> ResourceVersion {
    ResourceVersion::new(&at.to_string())
}

fn row(name: &str) -> RowId {
    let byte = name.bytes().next().unwrap_or_default();
    RowId::from_hash(u64::from(byte).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn object(name: &str, at: u64) -> Version {
    World::version_of(row(name), name, at)
}

#[test]
fn a_kill_after_the_last_proof_loses_nothing_and_tells_nothing_twice() {
    each_place(|open| {
        let mut rig = Rig::new(open);
        rig.list(&[("a", 100), ("b", 101)], 101);
        rig.put(("a", 103));
        rig.delete("b", 104);
        rig.put(("c", 105));
        let mut rig = rig.kill();
        assert_eq!(rig.keeper.positions()[&key()], version(105), "all until there was told");
        // A viewer stood at 102.
        rig.list(&[("a", 100), ("b", 101)], 102);
        rig.prove(102);
        rig.put(("a", 103));
        rig.delete("b", 104);
        rig.put(("c", 105));
        rig.put(("a", 107));
        rig.prove(107);
        let all = ["a@100", "b@101", "a@103", "deleted@104", "c@105", "a@107"].map(str::to_owned);
        assert_eq!(rig.said(), (all.to_vec(), Vec::new()));
    });
}

#[test]
fn a_kill_while_a_list_runs_leaves_the_time_before_it_missing() {
    each_place(|open| {
        let mut rig = Rig::new(open);
        rig.list(&[("a", 100), ("b", 101)], 101);
        let proven_ms = rig.now_ms;
        let mut rig = rig.kill();
        // What happened up to 120 is seen in a list alone, of which a part was told.
        rig.tell(Told::Columns(Vec::new().into()));
        rig.tell(Told::Begun);
        rig.put(("a", 110));
        let mut rig = rig.kill();
        assert_eq!(
            rig.keeper.positions()[&key()],
            version(101),
            "what a part of a list tells proves nothing"
        );
        rig.list(&[("a", 110), ("c", 118)], 120);
        let again_ms = rig.now_ms;
        let extent = rig.keeper.past().extent(&key()).expect("read").expect("recorded");
        let missing: i64 = extent.unrecorded.iter().map(|gap| gap.to_ms - gap.from_ms).sum();
        let all = again_ms - proven_ms;
        assert_eq!(
            (missing, rig.said().1.len()),
            (all, 1),
            "{:?} of {proven_ms} to {again_ms}",
            extent.unrecorded
        );
        assert_eq!(rig.said().0, ["a@100", "b@101", "a@110", "c@118", "deleted@120"].map(str::to_owned));
    });
}

#[test]
fn a_list_of_before_a_torn_one_ends_nothing_that_came_after_it() {
    each_place(|open| {
        let mut rig = Rig::new(open);
        rig.list(&[("a", 100)], 101);
        let mut rig = rig.kill();
        rig.tell(Told::Columns(Vec::new().into()));
        rig.tell(Told::Begun);
        rig.put(("c", 118));
        // The next run's list is older than that, and what happened since follows it.
        let mut rig = rig.kill();
        rig.list(&[("a", 100)], 110);
        rig.put(("c", 118));
        rig.put(("c", 121));
        assert_eq!(rig.said().0, ["a@100", "c@118", "c@121"].map(str::to_owned));
    });
}

#[test]
fn a_cluster_that_is_before_the_record_is_another_history_and_the_time_between_is_missing() {
    in_a_folder(|open| {
        let mut rig = Rig::new(open);
        rig.list(&[("a", 100)], 100);
        rig.put(("b", 103));
        let mut rig = rig.kill();
        rig.list(&[("a", 100)], 101);
        for _ in 0..3 {
            rig.prove(101);
        }
        let all = ["a@100", "b@103", "deleted@101"].map(str::to_owned);
        assert_eq!(rig.said(), (all.to_vec(), vec![Why::Down]));
    });
    in_a_folder(|open| {
        // So it is where the other history has passed the record's end.
        let mut rig = Rig::new(open);
        rig.list(&[("a", 100)], 100);
        rig.put(("b", 103));
        let mut rig = rig.kill();
        rig.list(&[("a", 100)], 101);
        rig.put(("c", 104));
        let all = ["a@100", "b@103", "deleted@101", "c@104"].map(str::to_owned);
        assert_eq!(rig.said(), (all.to_vec(), vec![Why::Down]));
    });
}

#[test]
fn an_object_that_went_and_came_back_is_known_to_the_next_run() {
    each_place(|open| {
        let mut rig = Rig::new(open);
        rig.list(&[("a", 100)], 100);
        rig.delete("a", 101);
        rig.put(("a", 102));
        let mut rig = rig.kill();
        rig.list(&[("a", 102)], 102);
        let moment = rig.keeper.past().moment(&key(), i64::MAX).expect("read").expect("recorded");
        assert_eq!(moment.objects.len(), 1);
    });
}
