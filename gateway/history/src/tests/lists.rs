//! Lists that break off, that aren't whole yet, or in which a run was killed: what they told is no state of the cluster.

use std::sync::Arc;

use serde_json::json;
use shared::cell::Cell;
use shared::column::Column;
use shared::past::Why;
use shared::problem::Reason;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;

use super::places::each_place;
use super::world::{World, key};
use super::{ROOMY, live};
use crate::{Keeper, Moment, PastState, Store, Told, Version};

fn row(number: i64) -> RowId {
    RowId::from_number(number).expect("a row")
}

fn columns() -> Told {
    let columns = json!([
        { "name": "Name", "type": "string", "format": "name", "priority": 0 },
        { "name": "Status", "type": "string", "format": "", "priority": 0 },
    ]);
    Told::Columns(Arc::from(serde_json::from_value::<Vec<Column>>(columns).expect("columns")))
}

fn version(number: i64, revision: u64) -> Told {
    Told::Version(Box::new(World::version_of(row(number), &format!("pod-{number}"), revision)))
}

fn gone(number: i64, revision: u64, relisted: bool) -> Told {
    Told::Deleted { row: row(number), resource_version: of(revision), relisted }
}

fn loaded(revision: u64) -> Told {
    Told::Loaded { resource_version: of(revision) }
}

fn proof(revision: u64) -> Told {
    Told::Proof { resource_version: of(revision) }
}

fn of(revision: u64) -> ResourceVersion {
    ResourceVersion::new(&revision.to_string())
}

/// Each is told a second after the former, and committed. The time of the last.
fn tell(keeper: &mut Keeper<impl Store>, from_ms: i64, all: impl IntoIterator<Item = Told>) -> i64 {
    let mut now_ms = from_ms;
    for told in all {
        now_ms += 1_000;
        keeper.tell(&key(), told, now_ms);
        keeper.commit(now_ms);
    }
    now_ms
}

fn moment(keeper: &Keeper<impl Store>, at_ms: i64) -> Moment {
    keeper.past().moment(&key(), at_ms).expect("read").expect("recorded")
}

fn rows(moment: &Moment) -> Vec<RowId> {
    let mut rows: Vec<RowId> = moment.objects.iter().map(|object| object.row).collect();
    rows.sort_unstable();
    rows
}

#[test]
fn what_went_before_a_list_that_broke_off_was_told_anew_stays_gone() {
    each_place(|open| {
        let mut keeper = Keeper::open(open(ROOMY), 1, 1_000);
        let list = [columns(), Told::Begun, version(1, 101), version(2, 102), loaded(102)];
        let ended_ms = tell(&mut keeper, 1_000, list.into_iter().chain([version(1, 110), proof(110)]));
        keeper.end(ended_ms);
        keeper.commit(ended_ms);
        drop(keeper);
        // A list of before the record's end is told in part. By the time of the next one, its objects have gone.
        let mut keeper = Keeper::open(open(ROOMY), 2, ended_ms);
        let first = [columns(), Told::Begun, version(1, 101), version(2, 102)];
        let next = [gone(1, 120, true), gone(2, 120, true), version(3, 119), loaded(120), proof(120)];
        let now_ms = tell(&mut keeper, ended_ms, first.into_iter().chain(next));
        assert_eq!(rows(&moment(&keeper, now_ms)), [row(3)]);
        let versions = keeper.past().versions(&key(), row(1), i64::MAX, 9).expect("read");
        assert!(matches!(versions[0].state, PastState::Deleted { relisted: true }), "{versions:?}");
    });
}

#[test]
fn while_a_list_is_told_nothing_is_known_since_the_last_proof_before_it() {
    each_place(|open| {
        let mut world = World::new(5);
        let mut keeper = Keeper::open(open(ROOMY), 5, world.now_ms());
        live(&mut world, &mut keeper, 60);
        world.prove(&mut keeper);
        let ended_ms = world.now_ms();
        keeper.end(ended_ms);
        keeper.commit(ended_ms);
        drop(keeper);
        let mut keeper = Keeper::open(open(ROOMY), 6, ended_ms);
        let first = [columns(), Told::Begun, version(7, 9_001)];
        let open_ms = tell(&mut keeper, ended_ms + 5_000, first);
        // Killed before the list is whole, or not.
        for run in [7, 8] {
            let unrecorded = moment(&keeper, open_ms).unrecorded.expect("the list isn't whole");
            assert_eq!((unrecorded.from_ms, unrecorded.why), (ended_ms, Why::Down), "run {run}");
            assert_eq!(moment(&keeper, ended_ms).unrecorded, None);
            drop(keeper);
            keeper = Keeper::open(open(ROOMY), run, open_ms);
        }
        let next = [columns(), Told::Begun, version(7, 9_001), loaded(9_002), proof(9_002)];
        let whole_ms = tell(&mut keeper, open_ms, next);
        assert_eq!(moment(&keeper, whole_ms).unrecorded, None);
        assert_eq!(rows(&moment(&keeper, whole_ms)), [row(7)]);
        let gap = moment(&keeper, open_ms).unrecorded.expect("a gap");
        assert_eq!((gap.from_ms, gap.to_ms), (ended_ms, whole_ms - 1_000));
    });
}

#[test]
fn a_list_that_runs_is_a_gap_of_the_record_until_it_is_whole() {
    each_place(|open| {
        let mut keeper = Keeper::open(open(ROOMY), 1, 1_000);
        let list = [columns(), Told::Begun, version(1, 101), version(2, 102), loaded(102), proof(102)];
        let heard_ms = tell(&mut keeper, 1_000, list.into_iter().chain([version(1, 103)]));
        drop(keeper);
        let mut keeper = Keeper::open(open(ROOMY), 2, heard_ms);
        let listed_ms = tell(&mut keeper, heard_ms + 5_000, [columns(), Told::Begun, version(2, 120)]);
        let gaps = |keeper: &Keeper<_>| {
            let extent = keeper.past().extent(&key()).expect("read").expect("recorded");
            let gaps = extent.unrecorded.iter().map(|gap| (gap.from_ms, gap.to_ms, gap.why.clone()));
            (extent.to_ms, gaps.collect::<Vec<_>>())
        };
        assert_eq!(gaps(&keeper), (heard_ms, vec![(heard_ms, listed_ms, Why::Down)]));
        // Another segment begins while the list runs.
        let begun_ms = listed_ms + 25 * 3_600_000;
        keeper.commit(begun_ms);
        assert_eq!(gaps(&keeper).1, [(heard_ms, listed_ms, Why::Down)]);
        assert!(moment(&keeper, begun_ms).unrecorded.is_some(), "the list isn't whole");
        let whole_ms = tell(&mut keeper, begun_ms, [version(1, 121), loaded(121), proof(121)]);
        assert_eq!(gaps(&keeper).1, [(heard_ms, whole_ms - 1_000, Why::Down)]);
        assert_eq!(moment(&keeper, whole_ms).unrecorded, None);
    });
}

#[test]
fn what_a_list_tells_beside_a_watch_is_known_with_the_proof_after_it() {
    each_place(|open| {
        let mut keeper = Keeper::open(open(ROOMY), 1, 1_000);
        let list = [columns(), Told::Begun, version(1, 101), loaded(101), proof(101)];
        let now_ms = tell(&mut keeper, 1_000, list);
        let mut polled = World::version_of(row(1), "pod-1", 105);
        polled.relisted = true;
        let now_ms = tell(&mut keeper, now_ms, [Told::Version(Box::new(polled)), proof(106)]);
        assert_eq!(moment(&keeper, now_ms).unrecorded, None);
    });
}

#[test]
fn a_run_that_was_killed_in_its_first_list_is_gone_on_with() {
    each_place(|open| {
        let mut keeper = Keeper::open(open(ROOMY), 1, 1_000);
        let killed_ms = tell(&mut keeper, 1_000, [columns(), Told::Begun, version(1, 99)]);
        drop(keeper);
        // A viewer stood before that version, so the feed begins there.
        let mut keeper = Keeper::open(open(ROOMY), 2, killed_ms);
        let again = [columns(), Told::Begun, loaded(93), version(1, 99), proof(99), gone(1, 100, false)];
        let now_ms = tell(&mut keeper, killed_ms, again);
        let versions = keeper.past().versions(&key(), row(1), i64::MAX, 9).expect("read");
        let told: Vec<(&str, bool)> = versions
            .iter()
            .map(|it| (it.resource_version.as_str(), matches!(it.state, PastState::Deleted { .. })))
            .collect();
        assert_eq!(told, [("100", true), ("99", false)]);
        assert_eq!(rows(&moment(&keeper, now_ms)), []);
    });
}

fn wider_columns() -> Told {
    let columns = json!([
        { "name": "Name", "type": "string", "format": "name", "priority": 0 },
        { "name": "Ready", "type": "string", "format": "", "priority": 0 },
        { "name": "Status", "type": "string", "format": "", "priority": 0 },
    ]);
    Told::Columns(Arc::from(serde_json::from_value::<Vec<Column>>(columns).expect("columns")))
}

fn wide(number: i64, revision: u64) -> Told {
    let mut version = World::version_of(row(number), &format!("pod-{number}"), revision);
    Arc::make_mut(&mut version.row).cells.insert(1, Cell::text("1/1"));
    Told::Version(Box::new(version))
}

#[test]
fn an_object_that_stood_still_while_columns_changed_stands_under_those_of_each_time() {
    each_place(|open| {
        let mut keeper = Keeper::open(open(ROOMY), 1, 1_000);
        let list = [columns(), Told::Begun, version(1, 101), version(2, 102), loaded(102), proof(102)];
        let narrow_ms = tell(&mut keeper, 1_000, list);
        let relisted = |number, revision| match wide(number, revision) {
            Told::Version(version) => Told::Version(Box::new(Version { relisted: true, ..*version })),
            other => other,
        };
        let other =
            [Told::Ended(Why::Missed(Reason::Expired)), wider_columns(), Told::Begun, relisted(1, 101)];
        let list = [relisted(2, 103), loaded(103), proof(103), gone(1, 104, false), proof(104)];
        let wide_ms = tell(&mut keeper, narrow_ms, other.into_iter().chain(list));
        for (at_ms, of_columns) in [(narrow_ms, 2), (wide_ms - 2_000, 3)] {
            let moment = moment(&keeper, at_ms);
            let last = |cells: &[Cell]| cells.last().cloned();
            let cells: Vec<_> =
                moment.objects.iter().map(|it| (it.head.cells.len(), last(&it.head.cells))).collect();
            assert_eq!(moment.columns.len(), of_columns);
            assert_eq!(cells, vec![(of_columns, Some(Cell::text("Running"))); 2], "as of {at_ms}");
        }
        let changes = keeper.past().changes(&key(), (narrow_ms, wide_ms), 0, 9).expect("read");
        let gone = changes.last().expect("a deletion");
        let before = gone.before.as_ref().map(|before| before.cells.len());
        assert_eq!((gone.columns.len(), before), (3, Some(3)));
    });
}

#[test]
fn objects_of_a_record_that_was_never_proven_are_written_anew_under_its_columns() {
    each_place(|open| {
        let mut keeper = Keeper::open(open(ROOMY), 1, 1_000);
        let mut now_ms = tell(&mut keeper, 1_000, [columns(), Told::Begun, version(1, 99)]);
        // Other columns come, and the next run ends before its list is whole, too.
        for run in [2, 3] {
            keeper.end(now_ms);
            keeper.commit(now_ms);
            drop(keeper);
            keeper = Keeper::open(open(ROOMY), run, now_ms);
            now_ms = tell(&mut keeper, now_ms, [wider_columns(), Told::Begun, wide(1, 99)]);
        }
        let now_ms = tell(&mut keeper, now_ms, [loaded(99), proof(99)]);
        let moment = moment(&keeper, now_ms);
        let [pod] = &moment.objects[..] else { panic!("{moment:?}") };
        assert_eq!((moment.columns.len(), pod.head.cells.len()), (3, 3));
        assert_eq!(keeper.past().versions(&key(), row(1), i64::MAX, 9).expect("read").len(), 1, "no change");
    });
}

#[test]
fn a_list_that_follows_one_of_before_the_end_tells_no_version_of_before_it() {
    each_place(|open| {
        let mut keeper = Keeper::open(open(ROOMY), 1, 1_000);
        let list = [columns(), Told::Begun, version(1, 101), version(2, 102), loaded(102), proof(102)];
        let ended_ms = tell(&mut keeper, 1_000, list.into_iter().chain([version(1, 110), version(2, 111)]));
        drop(keeper);
        let mut keeper = Keeper::open(open(ROOMY), 2, ended_ms);
        // The feed begins where a viewer stood, its watch has expired, and the next list is told as what differs from that.
        let again = [columns(), Told::Begun, version(1, 105), version(2, 102), loaded(105)];
        let from_ms = tell(&mut keeper, ended_ms, again);
        let mut listed = World::version_of(row(1), "pod-1", 120);
        listed.relisted = true;
        let missed = Told::Missed { from_ms, to_ms: from_ms, reason: Reason::Expired };
        let relisted = [gone(2, 121, true), Told::Version(Box::new(listed)), missed, proof(121)];
        let now_ms = tell(&mut keeper, from_ms, relisted);
        let told: Vec<String> = [1, 2]
            .into_iter()
            .flat_map(|number| keeper.past().versions(&key(), row(number), i64::MAX, 9).expect("read"))
            .map(|it| it.resource_version.to_string())
            .collect();
        assert_eq!(told, ["120", "110", "101", "121", "111", "102"]);
        assert_eq!(rows(&moment(&keeper, now_ms)), [row(1)]);
        let gap = moment(&keeper, now_ms - 2_000).unrecorded.expect("a gap");
        assert_eq!((gap.from_ms, gap.to_ms), (ended_ms, now_ms - 1_000));
    });
}

#[test]
fn a_segment_that_begins_while_a_kind_is_listed_for_the_first_time_forgets_nothing_of_it() {
    const DAY_MS: i64 = 25 * 3_600_000;
    for told in 1..=3 {
        each_place(|open| {
            let mut keeper = Keeper::open(open(ROOMY), 1, 1_000);
            let killed_ms = tell(&mut keeper, 1_000, [columns(), Told::Begun, version(1, 99)]);
            drop(keeper);
            let mut keeper = Keeper::open(open(ROOMY), 2, killed_ms);
            let list = || [columns(), Told::Begun, version(1, 99), loaded(99), proof(99)];
            let now_ms = tell(&mut keeper, killed_ms, list().into_iter().take(told));
            keeper.commit(now_ms + DAY_MS);
            let now_ms = tell(&mut keeper, now_ms + DAY_MS, list().into_iter().skip(told));
            assert_eq!(rows(&moment(&keeper, now_ms)), [row(1)], "{told} were told before");
        });
    }
}

#[test]
fn the_record_of_a_kind_begins_after_what_a_list_told_that_broke_off() {
    // The next list begins anew, or goes on with what the one before told.
    for is_anew in [true, false] {
        each_place(|open| {
            let mut keeper = Keeper::open(open(ROOMY), 1, 1_000);
            let list = [columns(), Told::Begun, version(1, 101), version(2, 102)];
            let ends = is_anew.then_some(Told::Ended(Why::TooFast));
            let ended_ms = tell(&mut keeper, 1_000, list.into_iter().chain(ends));
            // The clock was set back, so the record's time stands still.
            let gone = (!is_anew).then(|| gone(2, 120, true));
            let list = is_anew.then_some(Told::Begun).into_iter().chain([version(1, 110)]).chain(gone);
            for told in list.chain([loaded(120)]) {
                keeper.tell(&key(), told, 2_000);
            }
            keeper.commit(2_000);
            let extent = keeper.past().extent(&key()).expect("read").expect("recorded");
            assert!(extent.from_ms > ended_ms, "what changed between the lists is in no gap of the record");
            assert!(keeper.past().moment(&key(), ended_ms).expect("read").is_none());
            assert_eq!(rows(&moment(&keeper, extent.from_ms)), [row(1)]);
        });
    }
}
