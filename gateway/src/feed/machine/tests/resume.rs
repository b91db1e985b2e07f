//! A feed that begins for viewers that were served before: its first list is of where they stand.

use super::script::Script;
use crate::feed::machine::Capabilities;

fn check(conversation: &str) {
    Script { stands_at: Some("107"), ..Script::default() }.check(conversation);
}

#[test]
fn viewers_are_gathered_and_the_first_list_is_of_where_the_last_of_them_stands() {
    check(
        "= syncing 0
         < stands at 105
         + 199 ms
         < stands at 1000
         + 1 ms
         ask list of 105
         < open
         < page 105 a@3
         columns Name
         list starts
         listed a
         list ends 105
         ask watch from 105
         = resuming
         < stands at 99
         < open
         ask proof
         < modified a@106
         put a@106
         < proof 200
         proven
         = live",
    );
}

#[test]
fn a_list_of_a_former_time_has_pages() {
    check(
        "= syncing 0
         + 200 ms
         ask list of 107
         < open
         < page 107 a@3 next=t remaining=1
         columns Name
         list starts
         listed a
         ask list continue t
         < open
         < page 107 b@4
         listed b
         list ends 107
         ask watch from 107
         = resuming",
    );
}

#[test]
fn what_the_cluster_has_forgotten_is_skipped_and_then_it_begins_as_ever() {
    check(
        "= syncing 0
         < stands at 108
         < stands at 109
         + 200 ms
         ask list of 107
         < status 410
         ask list of 109
         < status 410
         ask watchlist
         < open
         < mark 200
         columns Name
         list starts
         list ends 200
         proven
         = live",
    );
}

#[test]
fn pages_of_a_former_time_that_expire_are_void() {
    check(
        "= syncing 0
         < stands at 108
         + 200 ms
         ask list of 107
         < open
         < page 107 a@3 next=t
         columns Name
         list starts
         listed a
         ask list continue t
         < status 410
         list aborted
         ask list of 108",
    );
}

#[test]
fn a_time_that_is_still_to_come_or_is_not_understood_begins_as_ever() {
    for status in ["504", "400", "422"] {
        check(&format!(
            "= syncing 0
             < stands at 108
             + 200 ms
             ask list of 107
             < status {status}
             ask watchlist"
        ));
    }
}

#[test]
fn a_server_that_is_busy_is_asked_for_that_time_again_but_not_for_ever() {
    check(
        "= syncing 0
         + 200 ms
         ask list of 107
         < status 429 after 1
         drop main
         = syncing 0, TooManyRequests, try 1, again
         + 1 s
         ask list of 107
         = syncing 0, TooManyRequests, try 1
         < status 429 after 1
         drop main
         = syncing 0, TooManyRequests, try 2, again
         + 1 s
         ask list of 107
         = syncing 0, TooManyRequests, try 2
         < status 429 after 1
         drop main
         = syncing 0, TooManyRequests, try 3, again
         + 1 s
         ask list of 107
         = syncing 0, TooManyRequests, try 3
         < status 429 after 1
         drop main
         = syncing 0, TooManyRequests, try 4, again
         + 1 s
         ask watchlist
         = syncing 0, TooManyRequests, try 4",
    );
}

#[test]
fn what_lies_too_far_back_for_the_watch_is_listed_and_compared() {
    check(
        "= syncing 0
         + 200 ms
         ask list of 107
         < open
         < page 107 a@3
         columns Name
         list starts
         listed a
         list ends 107
         ask watch from 107
         = resuming
         < open
         ask proof
         < error 410
         error Expired
         drop proof
         ask watchlist
         = resuming, Expired",
    );
}

#[test]
fn a_kind_that_is_not_watched_is_listed_as_it_is_now() {
    let capabilities = Capabilities { watch: false, watch_list: true, custom: false };
    Script { stands_at: Some("107"), capabilities, ..Script::default() }.check(
        "= syncing 0
         + 200 ms
         ask list",
    );
}
