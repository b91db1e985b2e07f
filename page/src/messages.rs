//! Every sentence of the page and of `tail` in one module, so that both say the same. A message names what
//! happened, since when, and what comes next, in Kubernetes' words.

use shared::problem::Problem;

mod clusters;
mod detail;
mod find;
mod page;
mod palette;
mod rights;
mod table;

pub use crate::numbers::*;
pub use clusters::*;
pub use detail::*;
pub use find::*;
pub use page::*;
pub use palette::*;
pub use rights::*;
pub use table::*;

/// Tests name these words of the login here.
#[cfg(any(test, feature = "testing"))]
pub use crate::login::words::{
    LOGIN_IS_RENEWED, LOGIN_PROVIDER, LOGIN_PROVIDER_WHY, SIGN_IN_AGAIN, SIGN_OUT_FAILED, TRY_AGAIN,
};

pub fn next_try(tries: u32, in_ms: i64) -> String {
    let try_number = ordinal(tries.saturating_add(1));
    if in_ms < 1_000 {
        format!("{try_number} try now.")
    } else {
        format!("{try_number} try in {}.", span(in_ms))
    }
}

/// A `Problem`'s message (lower case, no full stop) as a sentence.
pub fn sentence(message: &str) -> String {
    let mut characters = message.chars();
    let Some(first) = characters.next() else { return String::new() };
    let mut text: String = first.to_uppercase().chain(characters).collect();
    if !text.ends_with(['.', '?', '…']) {
        text.push('.');
    }
    text
}

/// `Forbidden: m.okafor has neither …`. The message keeps its first letter, because it may begin a name.
pub fn with_reason(problem: &Problem) -> String {
    format!("{}: {}.", problem.reason.words(), problem.message.trim_end_matches('.'))
}

// The pill

pub const LIVE: &str = "Live";
pub const SYNCING: &str = "Syncing";
pub const RESUMING: &str = "Resuming";
pub const STALE: &str = "Stale";
pub const POLLED: &str = "Polled";
pub const FORBIDDEN: &str = "Forbidden";
pub const GONE: &str = "Gone";
pub const FAILED: &str = "Failed";

pub fn confirmed(age_ms: i64) -> String {
    format!("confirmed {}", ago(age_ms))
}

pub const ASKING: &str = "asking for the list";

pub fn so_far(n: u64, of: Option<u64>) -> String {
    of.map_or_else(|| format!("{} so far", count(n)), |of| format!("{} of {}", count(n), count(of.max(n))))
}

pub fn since(clock: &str) -> String {
    format!("since {clock}")
}

pub fn from(clock: &str) -> String {
    format!("from {clock}")
}

pub fn every(seconds: u32) -> String {
    format!("every {seconds} s")
}

pub fn polled_ago(age_ms: i64) -> String {
    format!("{POLLED} {}", ago(age_ms))
}

pub fn list(resource: &str) -> String {
    format!("list {resource}")
}

pub const FOR_THE_GATEWAY: &str = "for the gateway";

// The notice line: its bold part, then its sentence

pub const FIRST_LOAD: &str = "First load.";

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

pub fn watch_broke(resource: &str, why: &str) -> String {
    format!("The gateway's watch on {resource} broke: {why}.")
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

pub fn gap(from: &str, to: &str) -> String {
    format!("Gap, {from} to {to}.")
}

pub fn listed_anew(reason: &str) -> String {
    format!("Relisted after {reason}; rows are exact, changes in between are unknown.")
}

pub fn may_not_list(resource: &str, place: &str) -> String {
    format!("You may not list {resource}{place}.")
}

pub fn choose_namespaces(known: &str) -> String {
    format!("You may have access to single namespaces: choose one, for example {known}.")
}

pub fn choose_fewer(most: usize) -> String {
    format!("At most {most} namespaces are asked for one by one: choose fewer.")
}

pub fn asked_again(resource: &str) -> String {
    format!("Ask an administrator for list and watch on {resource}. Retrying every 30 s.")
}

pub fn hidden_by_gateway(resource: &str) -> String {
    sentence(&format!("{resource} are hidden by this gateway"))
}

pub fn gateway_may_not(resource: &str) -> String {
    format!("The gateway may not read {resource}.")
}

pub const NOT_YOUR_RIGHTS: &str = "Your own rights are not the reason.";

pub fn no_longer_serves(resource: &str) -> String {
    format!("This cluster no longer serves {resource}.")
}

pub fn cannot_be_shown(resource: &str) -> String {
    format!("{resource} can't be shown.")
}

pub fn rows_differed(clock: &str) -> String {
    format!("Rows differed from the gateway's at {clock}.")
}

pub fn equal_again(within_ms: i64) -> String {
    let tenths = within_ms.max(0) / 100;
    format!("Reloaded in {}.{} s; matches again.", tenths / 10, tenths % 10)
}

pub const NOT_ALL_SHOWN: &str = "Not everything is shown.";

pub const LOADED_ANEW: &str = "Reloading them.";

pub fn none_here(resource: &str, place: &str) -> String {
    format!("No {resource}{place}.")
}

pub fn no_namespace(names: &[&str]) -> String {
    match names {
        [one] => format!("There is no namespace {one}"),
        several => format!("There are no namespaces {}", several.join(", ")),
    }
}

/// Where no namespace of a view exists.
pub fn appear_with_namespace(resource: &str, namespaces: usize) -> String {
    let are = if namespaces == 1 { "If it is created, its" } else { "If they are created, their" };
    format!("{are} {resource} will appear here.")
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

/// `ledger, payments and shop`, `6 namespaces`
pub(crate) fn few_namespaces(namespaces: &[&str]) -> String {
    if namespaces.len() <= 3 { listed(namespaces) } else { format!("{} namespaces", namespaces.len()) }
}

/// `a, b and c`
pub(crate) fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `Stale since 12:04:31 in ledger.`: a sentence that is true of these namespaces alone.
pub fn only_in(bold: &str, namespaces: &[&str]) -> String {
    match namespaces {
        [] => bold.to_owned(),
        names => format!("{} in {}.", bold.trim_end_matches('.'), listed(names)),
    }
}

// The link

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

pub const TRY_NOW: &str = "Try now";
pub const RELOAD: &str = "Reload the page";
pub const DISMISS: &str = "Dismiss";
pub const CLEAR_FILTER: &str = "Clear the filter";

pub fn rows_stopped(clock: &str) -> String {
    format!("Rows stopped at {clock}.")
}

// A login that ended or was refused

pub const LOGIN_REFUSED: &str = "The gateway rejected this login";
pub const SIGNED_OUT: &str = "Signed out";

/// In the notice line of a view, also in another page, which signs in itself.
pub const ROWS_UNTIL_SIGNED_IN: &str = "The login ended. Rows as of then, until the page is signed in again.";

pub const ELEMENT_SIGNED_OUT: &str = "Not signed in";
pub const ELEMENT_SIGNED_OUT_WHY: &str =
    "This table waits for its page, and shows rows once that is signed in to Dogwatch.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_as_a_sentence() {
        assert_eq!(sentence("the port is taken"), "The port is taken.");
        assert_eq!(sentence(""), "");
    }
}
