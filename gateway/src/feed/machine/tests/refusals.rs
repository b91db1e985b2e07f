//! Status codes, as a response and within a stream.

use super::script::{Script, check, live};

#[test]
fn a_forbidden_list_is_reported_and_asked_again_slowly() {
    check(
        "start      | ask watchlist; = syncing 0
         status 403 | ask list
         status 403 | drop main; = forbidden, Forbidden, try 1, again
         + 1999 ms
         + 1 ms     | ask watchlist; = forbidden, Forbidden, try 1
         open
         mark 5     | columns Name; list starts; list ends 5; proven; = live",
    );
}

#[test]
fn a_watch_that_ran_and_is_refused_then_leaves_a_gap() {
    for (status, said, words) in [("403", ", Forbidden", "Forbidden"), ("405", "", "MethodNotAllowed")] {
        check(&live(&format!(
            "modified a@7    | put a@7
             end             | ask watch from 7
             status {status} | drop main; = polled 10{said}
             + 10 s          | ask list
             page 9 a@8      | list starts; listed a; list ends 9 gap {words} 10000 ms; proven"
        )));
    }
}

#[test]
fn a_forbidden_watch_makes_a_polled_view_and_is_tried_again() {
    check(
        "start      | ask watchlist; = syncing 0
         status 403 | ask list
         page 5     | columns Name; list starts; list ends 5; proven; ask watch from 5; = live
         status 403 | drop main; = polled 10, Forbidden
         + 10 s     | ask list
         page 5     | list starts; list ends 5; proven
         + 10 s     | ask list
         page 5     | list starts; list ends 5; proven
         + 10 s     | ask watchlist
         open       | = live
         mark 7     | list starts; list ends 7; proven",
    );
}

#[test]
fn a_polled_view_that_was_only_called_stale_so_far_leaves_a_gap() {
    Script::without_watches().check(
        "start      | ask list; = syncing 0
         + 16 s
         page 5 a   | columns Name; list starts; listed a; list ends 5; proven 16000 ms ago; = stale, no proof of freshness
         + 5 s      | ask list
         page 6 b   | list starts; listed b; list ends 6 gap Unproven 5000 ms; proven; = polled 10
         + 10 s     | ask list
         page 7     | list starts; list ends 7; proven",
    );
}

#[test]
fn a_late_list_that_a_watch_follows_at_last_leaves_a_gap() {
    check(&live(
        "end        | ask watch from 5
         + 16 s     | = stale, no proof of freshness
         status 403 | ask list
         + 26 s
         page 6 a   | list starts; listed a; list ends 6 gap Forbidden 42000 ms; proven 26000 ms ago; = stale, no proof of freshness
         + 5 s      | ask watchlist
         open
         mark 8     | list starts; list ends 8 gap Unproven 5000 ms; proven; = live",
    ));
}

#[test]
fn a_resource_that_is_gone_is_looked_for_and_comes_back() {
    check(&live(
        "error 404  | error NotFound; rediscover; drop main; = gone, NotFound, try 1, again
         + 2 s      | ask watchlist; = gone, NotFound, try 1
         status 404 | rediscover; drop main; = gone, NotFound, try 2, again
         + 4 s      | ask watchlist; = gone, NotFound, try 2
         open
         mark 9     | list starts; list ends 9 gap NotFound 6000 ms; proven; = live",
    ));
}

#[test]
fn a_missing_watch_verb_is_found_out_from_405() {
    check(
        "start      | ask watchlist; = syncing 0
         status 405 | ask list
         page 5 a   | columns Name; list starts; listed a; list ends 5; proven; = polled 10
         + 10 s     | ask list",
    );
}

#[test]
fn a_credential_is_refreshed_once_and_then_its_refusal_is_shown() {
    check(
        "start          | ask watchlist; = syncing 0
         status 401     | drop main; refresh; = syncing 0, Unauthorized, try 1
         refreshed      | ask watchlist
         status 401     | drop main; = failed, Unauthorized, try 2, again
         + 2 s          | ask watchlist; = failed, Unauthorized, try 2
         status 401     | drop main; refresh; = failed, Unauthorized, try 3
         refresh failed | drop main; = failed, configuration, try 4, again",
    );
}

#[test]
fn a_credential_that_ends_under_a_live_view_lets_it_grow_stale() {
    check(&live(
        "error 401  | error Unauthorized; drop main; refresh; = resuming, Unauthorized, try 1
         refreshed  | ask watch from 5
         status 401 | drop main; = resuming, Unauthorized, try 2, again
         + 2 s      | ask watchlist; = resuming, Unauthorized, try 2
         + 13 s     | = stale, Unauthorized, try 2",
    ));
}

#[test]
fn retry_after_sets_the_pause_up_to_a_minute() {
    check(
        "start                   | ask watchlist; = syncing 0
         status 429 after 3      | drop main; = syncing 0, TooManyRequests, try 1, again
         retry
         + 2999 ms
         retry
         + 1 ms                  | ask watchlist; = syncing 0, TooManyRequests, try 1
         status 503 after 100000 | drop main; = syncing 0, ServiceUnavailable, try 2, again
         + 60 s                  | = stale, ServiceUnavailable, try 2, again; ask watchlist
                                 | = stale, ServiceUnavailable, try 2",
    );
    // "At once" would be an endless loop, so the machine pauses as it does without the header.
    check(
        "start              | ask watchlist; = syncing 0
         status 429 after 0 | drop main; = syncing 0, TooManyRequests, try 1, again",
    );
}

#[test]
fn a_server_error_keeps_the_place_in_the_watch() {
    for code in ["500", "502", "504"] {
        let reason = if code == "504" { "Timeout" } else { "InternalError" };
        check(&live(&format!(
            "error {code} | error {reason}; drop main; = resuming, {reason}, try 1, again
             + pause      | ask watch from 5; = resuming, {reason}, try 1"
        )));
    }
}

#[test]
fn a_refused_field_selector_fails_the_view() {
    check(
        "start      | ask watchlist; = syncing 0
         status 400 | ask list
         status 400 | drop main; = failed, BadRequest, try 1, again",
    );
}

#[test]
fn an_unreadable_list_fails_the_view_and_is_asked_for_again() {
    Script::without_watch_lists().check(
        "start      | ask list; = syncing 0
         unreadable | drop main; = failed, unreadable answer, try 1, again
         + 2 s      | ask list; = failed, unreadable answer, try 1",
    );
}

#[test]
fn what_a_server_refuses_while_it_starts_is_asked_again_before_it_is_believed() {
    let starting = |rest: &str| {
        check(&live(&format!(
            "broken  | drop main; = resuming, connection reset by peer, try 1, again
             + pause | ask watch from 5; = resuming, connection reset by peer, try 1
             broken  | drop main; = resuming, connection reset by peer, try 2, again
             + pause | ask watch from 5; = resuming, connection reset by peer, try 2
             {rest}"
        )));
    };
    starting(
        "status 404 | drop main; = resuming, NotFound, try 3, again
         + 1999 ms
         + 1 ms     | ask watch from 5; = resuming, NotFound, try 3
         status 403 | drop main; = resuming, Forbidden, try 4, again
         + 2 s      | ask watch from 5; = resuming, Forbidden, try 4
         open       | ask watchlist
         mark 5     | list starts; list ends 5; proven; = live
         error 404  | error NotFound; rediscover; drop main; = gone, NotFound, try 1, again",
    );
    starting(
        "status 403 | drop main; = resuming, Forbidden, try 3, again
         + 2 s      | ask watch from 5; = resuming, Forbidden, try 3
         + 8 s
         status 403 | ask list
         status 403 | drop main; = forbidden, Forbidden, try 4, again
         + 1999 ms
         + 1 ms     | ask list; = forbidden, Forbidden, try 4",
    );
}
