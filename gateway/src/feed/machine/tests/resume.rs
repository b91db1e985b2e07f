//! A feed that begins for viewers that were served before: its first list is of where they stand.

use super::script::Script;

fn check(conversation: &str) {
    Script { stands_at: Some("107"), ..Script::default() }.check(conversation);
}

#[test]
fn viewers_are_gathered_and_the_first_list_is_of_where_the_last_of_them_stands() {
    check(
        "start                           | = syncing 0
         stands at 105
         + 199 ms
         stands at 1000
         + 1 ms                          | ask list of 105
         open
         page 105 a@3 next=t remaining=1 | columns Name; list starts; listed a; ask list continue t
         page 105 b@4                    | listed b; list ends 105; ask watch from 105; = resuming
         stands at 99
         open                            | ask proof
         modified a@106                  | put a@106
         proof 200                       | proven; = live",
    );
}

#[test]
fn the_first_list_is_before_all_who_came_so_that_one_who_comes_later_is_continued_too() {
    let mut script = Script { stands_at: Some("107"), ..Script::default() };
    script.options.resume_margin = 64;
    script.check(
        "start        | = syncing 0
         + 200 ms     | ask list of 43
         stands at 105
         open
         page 43 a@3  | columns Name; list starts; listed a; list ends 43; ask watch from 43; = resuming",
    );
    let mut script = Script { stands_at: Some("107"), ..Script::default() };
    script.options.resume_margin = 64;
    script.check(
        "start        | = syncing 0
         + 200 ms     | ask list of 43
         status 410   | ask list of 107",
    );
}

#[test]
fn expired_positions_are_skipped_and_then_the_present_is_listed() {
    check(
        "start         | = syncing 0
         stands at 108
         stands at 109
         + 200 ms      | ask list of 107
         status 410    | ask list of 109
         status 410    | ask watchlist
         open
         mark 200      | columns Name; list starts; list ends 200; proven; = live",
    );
}

#[test]
fn a_list_of_a_position_whose_page_expires_is_aborted() {
    check(
        "start               | = syncing 0
         stands at 108
         + 200 ms            | ask list of 107
         open
         page 107 a@3 next=t | columns Name; list starts; listed a; ask list continue t
         status 410          | list aborted; ask list of 108",
    );
}

#[test]
fn a_position_that_is_still_to_come_or_not_understood_is_not_listed() {
    for status in ["504", "400", "422"] {
        check(&format!(
            "start           | = syncing 0
             stands at 108
             + 200 ms        | ask list of 107
             status {status} | ask watchlist"
        ));
    }
}

#[test]
fn a_busy_server_is_asked_for_a_position_four_times() {
    let tries: String = (1..=4)
        .map(|n| {
            let next = if n < 4 { "list of 107" } else { "watchlist" };
            format!(
                "status 429 after 1 | drop main; = syncing 0, TooManyRequests, try {n}, again
                 + 1 s              | ask {next}; = syncing 0, TooManyRequests, try {n}\n"
            )
        })
        .collect();
    check(&format!(
        "start    | = syncing 0
         + 200 ms | ask list of 107
         {tries}"
    ));
}

#[test]
fn a_position_too_old_for_the_watch_is_listed_and_compared() {
    check(
        "start        | = syncing 0
         + 200 ms     | ask list of 107
         open
         page 107 a@3 | columns Name; list starts; listed a; list ends 107; ask watch from 107; = resuming
         open         | ask proof
         error 410    | error Expired; drop proof; ask watchlist; = resuming, Expired",
    );
}

#[test]
fn a_kind_that_is_not_watched_is_listed_as_it_is_now() {
    Script { stands_at: Some("107"), ..Script::without_watches() }.check(
        "start    | = syncing 0
         + 200 ms | ask list",
    );
}

#[test]
fn a_list_of_a_position_that_no_watch_may_follow_is_followed_by_one_of_the_present_at_once() {
    check(
        "start        | = syncing 0
         + 200 ms     | ask list of 107
         open
         page 107 a@3 | columns Name; list starts; listed a; list ends 107; ask watch from 107; = resuming
         status 403   | ask list
         page 200 b@9 | list starts; listed b; list ends 200 gap Unproven 200 ms; proven; = polled 10, Forbidden",
    );
}
