//! A watch that ends, expires, goes back or changes its columns.

use super::script::{check, live};

#[test]
fn a_watch_that_ends_cleanly_goes_on_at_once_from_where_it_was() {
    check(&live(
        "modified a@7  | put a@7
         bookmark 9    | bookmark 9
         + 2 s
         end           | ask watch from 9
         open          | ask proof
         modified a@10 | put a@10",
    ));
}

#[test]
fn a_watch_that_ends_as_soon_as_it_began_is_not_opened_again_at_once() {
    check(&live(
        "end     | ask watch from 5
         open    | ask proof
         end     | drop proof; drop main; = resuming, connection closed, try 1, again
         + pause | ask watch from 5; = resuming, connection closed, try 1
         open    | ask proof
         proof 5 | proven; = live",
    ));
}

#[test]
fn columns_that_change_within_the_list_and_back_leave_a_gap_all_the_same() {
    check(&live(
        "columns Colour | ask watchlist
         open
         added a@7      | columns Colour; list starts; listed a
         end            | list aborted; drop main; = resuming, connection closed, try 1, again
         columns Name
         retry          | ask watchlist; = resuming, connection closed, try 1
         open
         added a@7      | columns Name; list starts; listed a
         mark 8         | list ends 8 gap Unproven 0 ms; proven; = live",
    ));
}

#[test]
fn a_broken_watch_is_resumed_after_a_pause() {
    check(&live(
        "modified a@7 | put a@7
         broken       | drop main; = resuming, connection reset by peer, try 1, again
         + pause      | ask watch from 7; = resuming, connection reset by peer, try 1
         open         | ask proof
         proof 7      | proven; = live",
    ));
}

#[test]
fn a_server_that_was_away_may_be_back_with_another_etcd_and_is_compared() {
    check(&live(
        "modified a@7 | put a@7
         broken       | drop main; = resuming, connection reset by peer, try 1, again
         retry        | ask watch from 7; = resuming, connection reset by peer, try 1
         + 2 s
         open         | ask watchlist
         open
         added a@7    | list starts; listed a
         mark 9       | list ends 9 gap ConnectionReset 2000 ms; proven; = live",
    ));
}

/// It was stopped, its etcd restored, and it was started, all within two seconds; then it refuses until it knows its
/// roles and definitions.
#[test]
fn a_refusal_after_a_server_that_could_not_be_reached_is_no_sign_of_the_same_server() {
    check(&live(
        "modified a@7 | put a@7
         broken       | drop main; = resuming, connection reset by peer, try 1, again
         retry        | ask watch from 7; = resuming, connection reset by peer, try 1
         broken       | drop main; = resuming, connection reset by peer, try 2, again
         + 1 s        | ask watch from 7; = resuming, connection reset by peer, try 2
         status 503   | drop main; = resuming, ServiceUnavailable, try 3, again
         + 1 s
         retry        | ask watch from 7; = resuming, ServiceUnavailable, try 3
         open         | ask watchlist",
    ));
}

/// Nothing says what happened while the connection was silent, timed out, or its value couldn't be read.
#[test]
fn after_more_than_a_moment_without_a_sign_of_the_server_all_objects_are_compared() {
    check(&live(
        "+ 7 s  | ask proof
         broken | drop proof; drop main; = resuming, connection reset by peer, try 1, again
         retry  | ask watch from 5; = resuming, connection reset by peer, try 1
         open   | ask watchlist",
    ));
    check(&live(
        "timed out | drop main; = resuming, timed out, try 1, again
         retry     | ask watch from 5; = resuming, timed out, try 1
         open      | ask watchlist",
    ));
    check(&live(
        "unreadable | drop main; = resuming, unreadable answer, try 1, again
         retry      | ask watch from 5; = resuming, unreadable answer, try 1
         + 2 s
         open       | ask watchlist",
    ));
}

#[test]
fn a_503_in_kubernetes_form_shows_the_same_server_and_a_proxys_503_does_not() {
    let after = |status: &str, ask: &str| {
        let tries: String = (1..=3)
            .map(|n| {
                format!(
                    "+ 700 ms
                     {status} | drop main; = resuming, ServiceUnavailable, try {n}, again
                     retry    | ask watch from 7; = resuming, ServiceUnavailable, try {n}\n"
                )
            })
            .collect();
        check(&live(&format!(
            "modified a@7 | put a@7
             end          | ask watch from 7
             {tries}
             + 700 ms
             open         | {ask}"
        )));
    };
    after("status 503 of no Status", "ask watchlist");
    after("status 503", "ask proof");
}

#[test]
fn a_value_of_a_watch_that_cannot_be_read_is_an_error_of_that_stream() {
    check(&live(
        "modified a@7 | put a@7
         unreadable   | drop main; = resuming, unreadable answer, try 1, again
         + pause      | ask watch from 7; = resuming, unreadable answer, try 1
         open         | ask proof
         unreadable   | drop proof; drop main; = resuming, unreadable answer, try 2, again",
    ));
}

#[test]
fn an_expired_watch_is_listed_and_marked_as_a_gap() {
    check(&live(
        "+ 1 s
         error 410  | error Expired; ask watchlist; = resuming, Expired
         open
         + 500 ms
         added a@99 | list starts; listed a
         mark 100   | list ends 100 gap Expired 1500 ms; proven 500 ms ago; = live",
    ));
    // The same as a status of the next watch.
    check(&live(
        "broken     | drop main; = resuming, connection reset by peer, try 1, again
         + pause    | ask watch from 5; = resuming, connection reset by peer, try 1
         status 410 | ask watchlist; = resuming, Expired, try 1",
    ));
}

#[test]
fn a_watch_that_expires_again_and_again_is_not_listed_again_and_again() {
    check(&live(
        "error 410      | error Expired; ask watchlist; = resuming, Expired
         open
         mark 100       | list starts; list ends 100 gap Expired 0 ms; proven; = live
         error 410      | error Expired; drop main; = resuming, Expired, try 1, again
         + pause        | ask watchlist; = resuming, Expired, try 1
         open
         mark 101       | list starts; list ends 101 gap Expired 618 ms; proven; = live
         modified a@102 | put a@102
         error 410      | error Expired; ask watchlist; = resuming, Expired",
    ));
}

#[test]
fn an_unknown_event_is_an_error_of_its_stream() {
    check(&live(
        "unknown | error NotKubernetes; drop main; = resuming, unreadable answer, try 1, again
         + pause | ask watch from 5; = resuming, unreadable answer, try 1",
    ));
}

#[test]
fn an_event_from_the_past_begins_a_new_epoch() {
    check(&live(
        "modified a@3 | rewound; ask watchlist
         open
         mark 4       | list starts; list ends 4; proven",
    ));
}

#[test]
fn a_watch_list_from_the_past_is_asked_for_once_more() {
    check(&live(
        "error 410 | error Expired; ask watchlist; = resuming, Expired
         open
         added a@2 | list starts; listed a
         mark 3    | list aborted; rewound; ask watchlist
         open
         mark 3    | list starts; list ends 3; proven; = live",
    ));
}

#[test]
fn other_columns_are_listed_before_they_are_shown() {
    check(&live(
        "end           | ask watch from 5
         open          | ask proof
         columns Other | drop proof; ask watchlist
         open
         mark 6        | columns Other; list starts; list ends 6; proven",
    ));
}
