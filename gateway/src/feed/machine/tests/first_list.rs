//! From nothing to a whole list, by WatchList or page by page.

use super::script::{MachineRig, Script, check};

#[test]
fn a_watch_list_is_shown_as_it_comes_and_goes_on_as_a_watch() {
    check(
        "start        | ask watchlist; = syncing 0
         open
         added a@3    | columns Name; list starts; listed a
         added b@2    | listed b
         mark 5       | list ends 5; proven; = live
         modified a@6 | put a@6
         deleted b@7  | delete @7
         bookmark 9   | bookmark 9",
    );
}

#[test]
fn a_change_before_the_mark_belongs_to_the_list() {
    check(
        "start        | ask watchlist; = syncing 0
         open
         added a@3    | columns Name; list starts; listed a
         modified a@6 | listed a
         deleted a@7  | delete @7
         mark 7       | list ends 7; proven; = live",
    );
}

#[test]
fn progress_is_told_at_a_moderate_rate() {
    check(
        "start     | ask watchlist; = syncing 0
         open
         added a@1 | columns Name; list starts; listed a
         + 250 ms  | = syncing 1
         added b@2 | listed b
         added c@3 | listed c
         + 249 ms
         + 1 ms    | = syncing 3",
    );
}

#[test]
fn a_watch_list_that_is_refused_is_remembered_and_listed_by_pages() {
    check(
        "start                        | ask watchlist; = syncing 0
         status 422                   | remember; ask list
         open
         page 5 a next=t1 remaining=2 | columns Name; list starts; listed a; ask list continue t1
         open
         page 5 b c                   | listed b; listed c; list ends 5; proven; ask watch from 5; = live
         open                         | ask proof
         proof 5                      | proven",
    );
}

#[test]
fn a_watch_list_that_is_ignored_is_given_up_when_it_falls_silent() {
    check(
        "start        | ask watchlist; = syncing 0
         open
         + 4 s
         added a@1    | columns Name; list starts; listed a; = syncing 1
         + 4 s
         added b@2    | listed b; = syncing 2
         + 4999 ms
         + 1 ms       | list aborted; remember; ask list; = syncing 0",
    );
}

#[test]
fn a_watch_list_that_is_ignored_is_given_up_although_changes_keep_coming() {
    for change in ["modified a@2", "deleted a@2"] {
        let mut rig = MachineRig::new(Script::default());
        for input in ["start", "open", "added a@1", "+ 4 s", change, "+ 999 ms"] {
            rig.step(input);
        }
        let outputs = rig.step("+ 1 ms");
        assert!(outputs.contains(&"ask list".to_owned()), "after {change}: {outputs:?}");
    }
}

#[test]
fn an_expired_page_begins_the_list_anew_and_at_last_takes_it_whole() {
    Script::without_watch_lists().check(
        "start                       | ask list; = syncing 0
         page 5 a next=t remaining=9 | columns Name; list starts; listed a; ask list continue t
         + 250 ms                    | = syncing 1 of 10
         status 410                  | list aborted; ask list
         status 410                  | ask list
         status 410                  | ask list whole
         page 9 a b                  | list starts; listed a; listed b; list ends 9; proven; ask watch from 9; = live",
    );
}

#[test]
fn a_kind_without_a_watch_verb_is_polled_and_says_so() {
    Script::without_watches().check(
        "start     | ask list; = syncing 0
         open
         page 5 a  | columns Name; list starts; listed a; list ends 5; proven; = polled 10
         + 9999 ms
         + 1 ms    | ask list
         + 4 s
         page 6 b  | list starts; listed b; list ends 6; proven 4000 ms ago
         + 6 s     | ask list
         + 8 s     | = stale, no proof of freshness
         page 7 b  | list starts; listed b; list ends 7; proven 8000 ms ago; = polled 10
         + 5 s     | ask list
         broken    | drop main; = resuming, connection reset by peer, try 1, again",
    );
}

#[test]
fn of_an_object_that_is_not_shown_nothing_is_told_and_a_list_of_such_goes_on() {
    check(
        "start       | ask watchlist; = syncing 0
         open
         + 4 s
         hidden h@3  | columns Name; list starts
         + 4 s
         added a@4   | listed a; = syncing 1
         mark 5      | list ends 5; proven 8000 ms ago; ask proof; = live
         hidden h@6
         hidden h@7",
    );
}

#[test]
fn a_first_list_that_breaks_off_is_aborted_tried_again_and_grows_stale() {
    check(
        "start     | ask watchlist; = syncing 0
         open
         added a@3 | columns Name; list starts; listed a
         broken    | list aborted; drop main; = syncing 0, connection reset by peer, try 1, again
         + pause   | ask watchlist; = syncing 0, connection reset by peer, try 1
         + 20 s    | = stale, connection reset by peer, try 1
         open
         mark 5    | list starts; list ends 5; proven 20000 ms ago; ask proof; = syncing 0 of 0",
    );
}

#[test]
fn a_first_list_in_an_outage_is_as_old_as_the_last_proof_of_the_other_feeds() {
    let mut rig = MachineRig::new(Script::default());
    for (input, stale_for_ms) in [
        ("start", None),
        // Nothing came yet, and nothing needs to.
        ("outage 60 s", None),
        ("+ 4 s", None),
        ("+ 1 s", Some(65_000)),
        // They are well again, and this feed has failed by itself since it began.
        ("outage over", None),
        ("timed out", None),
        ("outage 20 s", Some(20_000)),
        ("outage 4 s", None),
        ("+ 11 s", Some(16_000)),
        ("outage over", Some(16_000)),
        ("retry", Some(16_000)),
        ("open", Some(16_000)),
        ("mark 5", None),
        // Its own proof counts from now on.
        ("broken", None),
        ("outage 60 s", None),
    ] {
        rig.step(input);
        assert_eq!(rig.stale_for_ms(), stale_for_ms, "after {input}");
    }
}

#[test]
fn a_first_list_that_comes_is_no_part_of_an_outage() {
    let mut rig = MachineRig::new(Script::default());
    for input in ["start", "open", "outage 60 s", "+ 4 s", "added a@3", "+ 4 s"] {
        rig.step(input);
        assert_eq!(rig.stale_for_ms(), None, "after {input}");
    }
}

#[test]
fn a_list_that_took_longer_than_a_proof_is_good_for_is_live_with_the_proof_after_it() {
    check(
        "start     | ask watchlist; = syncing 0
         open
         added a@3 | columns Name; list starts; listed a
         + 4 s     | = syncing 1
         added b@2 | listed b
         + 4 s     | = syncing 2
         added c@1 | listed c
         + 4 s     | = syncing 3
         added d@4 | listed d
         + 4 s     | = syncing 4
         mark 5    | list ends 5; proven 16000 ms ago; ask proof
         + 1 s     | = syncing 4 of 4
         proof 5   | proven 1000 ms ago; = live",
    );
}

#[test]
fn columns_that_change_between_two_pages_begin_the_list_anew() {
    Script::without_watch_lists().check(
        "start             | ask list; = syncing 0
         open
         page 5 a@3 next=n | columns Name; list starts; listed a; ask list continue n
         columns Colour
         page 5 b@4        | list aborted; ask list
         open
         page 6 a@3 b@4    | columns Colour; list starts; listed a; listed b; list ends 6; proven
                           | ask watch from 6; = live",
    );
}

#[test]
fn an_object_that_is_left_out_is_named_and_the_list_goes_on() {
    check(
        "start             | ask watchlist; = syncing 0
         open
         added a@3         | columns Name; list starts; listed a
         left out shop/big | left out shop/big
         mark 5            | list ends 5; proven; = live
         left out shop/big | left out shop/big
         modified a@6      | put a@6",
    );
}
