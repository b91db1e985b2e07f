//! What the notice line, an empty table and the bar over the page say about views.

use shared::problem::{Problem, Reason};

use crate::messages::{count, counted, few_namespaces, listed, ordinal, sentence, so_far, span};

pub fn next_try(tries: u32, in_ms: i64) -> String {
    let try_number = ordinal(tries.saturating_add(1));
    if in_ms < 1_000 {
        format!("{try_number} try now.")
    } else {
        format!("{try_number} try in {}.", span(in_ms))
    }
}

pub fn asked_for(resource: &str, place: &str, age_ms: i64) -> String {
    let tenths = age_ms.max(0) / 100;
    format!("Asked for {resource}{place} {}.{} s ago.", tenths / 10, tenths % 10)
}

pub fn loading(resource: &str, n: u64, of: Option<u64>) -> String {
    let noun = match of {
        Some(_) => format!("{} {resource}", so_far(n, of)),
        None => format!("{} {resource} so far", count(n)),
    };
    format!("{noun}. Rows are in order of arrival until all are here.")
}

pub const RESUMING_BOLD: &str = "Resuming.";

/// `what`: a sentence that says what broke.
pub fn resuming(what: Option<String>, clock: &str) -> String {
    let what = what.map_or_else(String::new, |what| format!("{what} "));
    format!("{what}Continuing from {clock}. If changes in between are lost, a gap is shown.")
}

pub fn connection_was_gone(for_ms: i64) -> String {
    format!("The connection was gone for {}.", span(for_ms))
}

pub fn reconnecting(clock: &str) -> String {
    format!("The connection to the gateway broke at {clock}. Rows as of then; trying again.")
}

pub fn stale_since(clock: &str) -> String {
    format!("Stale since {clock}.")
}

pub fn watch_broke(resource: &str, problem: &Problem) -> String {
    with_own_words(format!("The gateway's watch on {resource} broke: {}.", problem.reason.words()), problem)
}

/// A server in trouble says itself what the cause is.
fn with_own_words(said: String, problem: &Problem) -> String {
    match problem.reason {
        Reason::TooManyRequests | Reason::InternalError | Reason::ServiceUnavailable | Reason::Timeout => {
            format!("{said} {}", sentence(&problem.message))
        }
        _ => said,
    }
}

pub const NOT_LOADED: &str = "Not loaded.";

/// No row has come yet. `clock`: the API server's last good answer, or when it was asked first.
pub fn no_list(resource: &str, clock: &str, problem: Option<&Problem>) -> String {
    let said = format!("The API server has given no list of {resource} since {clock}");
    match problem {
        Some(problem) if problem.reason != Reason::Unproven => {
            with_own_words(format!("{said}: {}.", problem.reason.words()), problem)
        }
        _ => format!("{said}."),
    }
}

pub fn unproven(resource: &str) -> String {
    format!("The API server hasn't confirmed {resource} since then.")
}

pub fn rows_are_of(clock: &str) -> String {
    format!("Rows as of {clock}.")
}

pub const NO_WORD: &str = "No response from the gateway about this view.";
pub const OUT_OF_REACH: &str = "The gateway can't be reached.";
pub const LISTING_AGAIN: &str = "Reloading the list; these rows stay until it is complete.";

pub fn polled(group: &str, every_s: u32) -> String {
    let who = if group.is_empty() { "This resource" } else { group };
    format!("{who} can't be watched. Polled every {every_s} s; what happens between two polls isn't seen.")
}

pub const POLLED_BOLD: &str = "Polled.";

pub fn choose_namespaces(known: &str) -> String {
    format!("You may have access to single namespaces: choose one, for example {known}.")
}

pub fn choose_fewer(most: usize) -> String {
    format!("At most {most} namespaces are asked for one by one: choose fewer.")
}

pub fn asked_again(resource: &str) -> String {
    format!("Ask an administrator for list and watch on {resource}. It opens by itself then.")
}

pub fn hidden_by_gateway(resource: &str) -> String {
    sentence(&format!("{resource} are hidden by this gateway"))
}

pub fn gateway_may_not(resource: &str) -> String {
    format!("The gateway may not read {resource}.")
}

pub const NOT_YOUR_RIGHTS: &str = "Your own rights are not the reason.";

pub fn rows_differed(clock: &str) -> String {
    format!("Rows differed from the gateway's at {clock}.")
}

pub fn equal_again(within_ms: i64) -> String {
    let tenths = within_ms.max(0) / 100;
    format!("Reloaded in {}.{} s; matches again.", tenths / 10, tenths % 10)
}

pub const LOADED_ANEW: &str = "Reloading them.";

pub fn none_here(resource: &str, place: &str) -> String {
    format!("No {resource}{place}.")
}

pub fn none_selected(resource: &str, place: &str, selector: &str) -> String {
    format!("No {resource}{place} match the selector {selector}.")
}

pub const FIRST_APPEARS: &str = "New ones will appear here.";

pub fn none_match(resource: &str, filter: &str) -> String {
    format!("No {resource} match \"{filter}\".")
}

pub fn here_and_live(n: usize) -> String {
    let are = if n == 1 { "is" } else { "are" };
    format!("{} {are} live; matches will appear here.", counted(n, "row", "rows"))
}

/// ` in payments and shop`, ` in 6 namespaces`, nothing for all.
pub fn place(namespaces: &[&str]) -> String {
    if namespaces.is_empty() { String::new() } else { format!(" in {}", few_namespaces(namespaces)) }
}

/// `Stale since 12:04:31 in ledger.`: a sentence that is true of these namespaces alone.
pub fn only_in(bold: &str, namespaces: &[&str]) -> String {
    match namespaces {
        [] => bold.to_owned(),
        names => format!("{} in {}.", bold.trim_end_matches('.'), listed(names)),
    }
}

pub fn no_word_since(clock: &str) -> String {
    format!("No response from the gateway since {clock}.")
}

pub fn views_are_stale(views: usize) -> String {
    match views {
        0 => String::new(),
        1 => "The view is stale.".to_owned(),
        views => format!("All {views} views are stale."),
    }
}

pub fn trying_again(in_ms: i64) -> String {
    if in_ms < 1_000 { "Trying now.".to_owned() } else { format!("Trying again in {}.", span(in_ms)) }
}

pub fn rows_stopped(clock: &str) -> String {
    format!("Rows stopped at {clock}.")
}

/// In the notice line, on the button that puts them in order: how many rows aren't at their place.
pub fn out_of_order(rows: usize) -> String {
    format!("{} out of order", counted(rows, "row", "rows"))
}

pub const RE_SORT: &str = "Rows stay where they are while you look at them. Put them in order.";
pub const OPEN_SERVED: &str = "Open this view here";

/// `why`: the authorizer's reason, if it gave one.
pub fn review_said_no(access: &str, why: &str) -> String {
    let why = if why.is_empty() { String::new() } else { format!(": {}", why.trim_end_matches('.')) };
    format!("The API server's review of {access} said no{why}.")
}

pub const CHECK_YOURSELF: &str = "Check it yourself, with your own kubectl:";

/// `Access to ledger was withdrawn 14:02:11.`
pub fn withdrawn(namespaces: &[&str], clock: &str) -> String {
    if namespaces.is_empty() {
        return String::new();
    }
    format!("Access to {} was withdrawn {clock}.", few_namespaces(namespaces))
}

/// `Its 14 rows were removed from this view.`
pub fn rows_removed(namespaces: usize, rows: usize) -> String {
    let whose = if namespaces == 1 { "Its" } else { "Their" };
    match rows {
        0 => "No row of this view was there.".to_owned(),
        1 => format!("{whose} 1 row was removed from this view."),
        rows => format!("{whose} {} were removed from this view.", counted(rows, "row", "rows")),
    }
}

pub const SHOW_CHANGES: &str = "Show changes";
/// The rows that came or changed during a pause.
pub const ONLY_MEANWHILE: &str = "Only these rows";
pub const ALL_ROWS: &str = "All rows";
/// In their place, if all of them were deleted or no longer match the filter.
pub const NONE_LEFT: &str = "None of the rows that changed while paused is left";

pub fn others_live(rows: usize) -> String {
    let are = if rows == 1 { "is" } else { "are" };
    format!("{} {are} live.", counted(rows, "other row", "other rows"))
}

pub const LOOK_EVERYWHERE: &str = "Show all namespaces";
pub const ROWS_BY_HEALTH: &str = "Rows by health";
pub const TROUBLE_FIRST: &str = "Trouble first";

/// In a view of the past: no row is there, or none matches the filter.
pub fn none_then(resource: &str, place: &str) -> String {
    format!("No {resource}{place} at that time.")
}

pub fn here_then(rows: usize) -> String {
    format!("{} there at that time.", counted(rows, "row was", "rows were"))
}
