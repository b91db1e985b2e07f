//! The sentences that several features of the page, or the page and `tail`, say alike. What one feature alone says stands
//! in `words.rs` beside it. A message names what happened, since when, and what comes next, in Kubernetes' words.

use replica::freshness::LeftOut;
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

/// `Forbidden: m.okafor has neither …`, or the message alone where it says the reason itself. It keeps its first letter,
/// because it may begin a name.
pub fn with_reason(problem: &Problem) -> String {
    let (reason, message) = (problem.reason.words(), problem.message.trim_end_matches('.'));
    if message.to_lowercase().contains(&reason.to_lowercase()) {
        return format!("{message}.");
    }
    format!("{reason}: {message}.")
}

// The pill

pub const SYNCING: &str = "Syncing";
pub const FORBIDDEN: &str = "Forbidden";
pub const GONE: &str = "Gone";
pub const FAILED: &str = "Failed";

pub const ASKING: &str = "asking for the list";

pub fn so_far(n: u64, of: Option<u64>) -> String {
    of.map_or_else(|| format!("{} so far", count(n)), |of| format!("{} of {}", count(n), count(of.max(n))))
}

pub fn since(clock: &str) -> String {
    format!("since {clock}")
}

// The notice line: its bold part, then its sentence

pub const FIRST_LOAD: &str = "First load.";

pub fn gap(from: &str, to: &str) -> String {
    format!("Gap, {from} to {to}.")
}

pub fn listed_anew(reason: &str) -> String {
    format!("Relisted after {reason}; rows are exact, changes in between are unknown.")
}

pub const NOT_ALL_SHOWN: &str = "Not everything is shown.";

/// `Left out: shop/catalog-snapshot: it is over 16 MiB.`
pub fn left_out(left_out: &LeftOut<'_>) -> String {
    let message = &left_out.problem.message;
    match left_out.cluster {
        Some(cluster) => sentence(&format!("in {cluster} {message}")),
        None => sentence(message),
    }
}

pub fn may_not_list(resource: &str, place: &str) -> String {
    format!("You may not list {resource}{place}.")
}

/// What was never served, and why, in the gateway's words: a link may name anything.
pub fn not_served(problem: &Problem) -> (String, String) {
    let (what, why) = problem.message.split_once(": ").unwrap_or((&problem.message, ""));
    (sentence(what), sentence(why))
}

pub fn no_longer_serves(resource: &str) -> String {
    format!("This cluster no longer serves {resource}.")
}

pub fn cannot_be_shown(resource: &str) -> String {
    format!("{resource} can't be shown.")
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

// The link

pub const TRY_NOW: &str = "Try now";
pub const RELOAD: &str = "Reload the page";
pub const DISMISS: &str = "Dismiss";
pub const CLEAR_FILTER: &str = "Clear the filter";

// A login that ended or was refused

pub const LOGIN_REFUSED: &str = "The gateway rejected this login";
pub const SIGNED_OUT: &str = "Signed out";

/// In the notice line of a view, also in another page, which signs in itself.
pub const ROWS_UNTIL_SIGNED_IN: &str = "The login ended. Rows as of then, until the page is signed in again.";

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
