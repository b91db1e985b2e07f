//! When a silent watch counts as proven.

use super::script::{Script, check, live};

#[test]
fn a_quiet_cluster_is_proven_every_five_seconds() {
    check(&live(
        "+ 5 s   | ask proof
         proof 5 | proven
         + 5 s   | ask proof
         proof 8 | proven",
    ));
}

#[test]
fn without_a_proof_the_view_is_stale_after_fifteen_seconds_and_live_again_with_one() {
    check(&live(
        "+ 14999 ms | ask proof
         + 1 ms     | ask proof; = stale, timed out
         + 10 s     | ask proof
         proof 5    | proven; = live",
    ));
}

#[test]
fn a_proof_that_fails_says_why_the_view_is_stale() {
    check(&live(
        "+ 5 s        | ask proof
         proof broken
         + 5 s        | ask proof
         proof broken
         + 5 s        | ask proof; = stale, connection reset by peer",
    ));
}

#[test]
fn a_list_older_than_what_was_seen_means_that_versions_went_back() {
    check(&live(
        "modified a@900 | put a@900
         + 5 s          | ask proof
         proof 40       | ask list
         page 41 a      | rewound; list starts; listed a; list ends 41; proven; ask watch from 41
         open           | ask proof",
    ));
}

#[test]
fn a_server_that_numbers_its_lists_otherwise_is_doubted_once() {
    check(&live(
        "modified a@900 | put a@900
         + 5 s          | ask proof
         proof 1        | ask list
         page 900 a     | list starts; listed a; list ends 900; proven; ask watch from 900
         open           | ask proof
         proof 1        | proven",
    ));
}

#[test]
fn an_event_that_overtakes_a_proof_is_no_step_back() {
    check(&live(
        "+ 5 s        | ask proof
         modified a@9 | put a@9
         proof 8      | proven",
    ));
}

#[test]
fn a_revoked_right_and_a_deleted_definition_show_in_the_proof() {
    check(&live(
        "+ 5 s            | ask proof
         proof status 403 | drop main; = forbidden, Forbidden, try 1, again",
    ));
    check(&live(
        "+ 5 s            | ask proof
         proof status 404 | rediscover; drop main; = gone, NotFound, try 1, again",
    ));
}

#[test]
fn a_watch_without_bookmarks_is_opened_anew_every_five_minutes() {
    let mut script = Script::default();
    // Proofs are not what this is about.
    script.options.proof_interval_ms = 1_000_000;
    script.options.stale_after_ms = 2_000_000;
    script.check(&live(
        "+ 5 min | ask watch from 5
         open    | ask proof
         proof 5 | proven",
    ));
}

#[test]
fn a_watch_whose_bookmarks_stop_is_not_believed_and_opened_anew() {
    let mut script = Script::default();
    script.options.proof_interval_ms = 50_000;
    script.options.stale_after_ms = 60_000;
    script.check(&live(
        "bookmark 6 | bookmark 6
         bookmark 7 | bookmark 7
         + 50 s     | ask proof
         proof 7    | proven
         + 50 s     | ask proof
         proof 7    | ask watch from 7
         open       | ask proof
         proof 7    | proven",
    ));
}

#[test]
fn a_watch_whose_bookmarks_stay_behind_the_proofs_is_opened_anew() {
    let mut script = Script::default();
    script.options.proof_interval_ms = 50_000;
    script.options.stale_after_ms = 200_000;
    script.check(&live(
        "bookmark 6 | bookmark 6
         bookmark 7 | bookmark 7
         + 50 s     | ask proof
         proof 90   | proven
         + 50 s     | ask proof
         bookmark 8 | bookmark 8
         proof 95   | proven
         + 50 s     | ask proof
         bookmark 9 | bookmark 9
         proof 99   | ask watch from 9
         open       | ask proof",
    ));
}

#[test]
fn other_columns_in_a_proof_are_listed_and_leave_a_gap_even_if_the_list_has_the_old_ones() {
    check(&live(
        "+ 5 s                 | ask proof
         proof 6 columns Name  | proven
         + 5 s                 | ask proof
         proof 6 columns Other | ask watchlist
         open
         mark 6                | list starts; list ends 6 gap Unproven 5000 ms; proven",
    ));
}

#[test]
fn a_viewer_who_retries_gets_a_proof_at_once() {
    check(&live(
        "+ 1 s
         retry   | ask proof
         proof 5 | proven
         retry
         + 599 ms
         retry
         + 1 ms
         retry   | ask proof",
    ));
}
