//! What the page says of what is wrong.

use super::model::Order;
use crate::messages::{count, counted};

pub const TITLE: &str = "What is wrong now";
/// The address of the list, for the gateway's own cluster.
pub const ADDRESS: &str = "/wrong";
/// In the navigation, and in "go to".
pub const LINK: &str = "What is wrong";
/// Beside the key.
pub const OPEN_BY_KEY: &str = "What is wrong now (0)";
pub const TURN: &str = "Turns the order: the largest first, the newest or the oldest";
pub const BY_HEALTH: &str = "Objects by health";
pub const SINCE_UNSEEN: &str = "It was so before it was watched";
/// In place of how long.
pub const BEFORE: &str = "before watched";
pub const READING: &str = "Reading what is there. Nothing is said before a kind is whole.";
pub const FILTER_HINT: &str = "Filter: cart, !test, Pod, CrashLoopBackOff";
pub const HIDDEN_BY_FILTER: &str = "No object that isn't fine matches the filter.";
pub const NO_COLUMNS: &str = "this list has no columns; words and health=failing are read";

pub fn order(order: Order) -> &'static str {
    match order {
        Order::Largest => "largest first",
        Order::Newest => "newest first",
        Order::Oldest => "oldest first",
    }
}

/// `7 failing`; where none is, `2 not ready`, and else `nothing is wrong`.
pub fn tally(failing: usize, not_ready: usize) -> String {
    match (failing, not_ready) {
        (0, 0) => "nothing is wrong".to_owned(),
        (0, not_ready) => format!("{} not ready", count(not_ready)),
        (failing, _) => format!("{} failing", count(failing)),
    }
}

/// While kinds are read.
pub const READING_NOW: &str = "reading";
pub const UNKNOWN: &str = "unknown";
/// No kind of the place may be listed.
pub const NOT_YOURS: &str = "not yours to see";
pub const TOO_MANY_PLACES: &str = "A page has room for six places of clusters and namespaces.";

/// `7 failing so far`
pub fn so_far(failing: &str) -> String {
    format!("{failing} so far")
}

/// `7 failing, part unknown`
pub fn in_part(failing: &str) -> String {
    format!("{failing}, part unknown")
}

/// `unknown since 14:02:10`
pub fn unknown_from(clock: &str) -> String {
    format!("unknown since {clock}")
}

/// Where all kinds are known.
pub fn nothing(kinds: usize) -> String {
    format!("Nothing is wrong in {}.", counted(kinds, "kind", "kinds"))
}

/// Where some aren't.
pub const NOTHING_KNOWN: &str = "Nothing is wrong in what is known.";

/// `32 kinds are looked at; 3 not yours to list`
pub fn looked(kinds: usize, refused: usize, left_out: usize) -> String {
    let looked = format!("{} looked at", counted(kinds, "kind", "kinds"));
    let refused = (refused > 0).then(|| format!("{} not yours to list", count(refused)));
    let left_out =
        (left_out > 0).then(|| format!("{} not looked at, because there are too many", count(left_out)));
    std::iter::once(looked).chain(refused).chain(left_out).collect::<Vec<_>>().join("; ")
}

/// `reading 4 of 32 kinds`
pub fn reading(waiting: usize, kinds: usize) -> String {
    format!("Reading {} of {}.", count(waiting), counted(kinds, "kind", "kinds"))
}

/// `pods, nodes: unknown since 14:02:10.`
pub fn unknown_since(kinds: &str, clock: &str) -> String {
    format!("{kinds}: unknown since {clock}.")
}

/// `pods: unknown (Failed).`
pub fn unknown(kinds: &str, why: &str) -> String {
    format!("{kinds}: unknown, {why}.")
}

/// `40 pods`, `3 pods, 1 ReplicaSet`
pub fn folded(kinds: &[(String, usize)]) -> String {
    let said = kinds.iter().map(|(kind, number)| match number {
        1 => format!("1 {kind}"),
        number => format!("{} {kind}s", count(*number)),
    });
    said.collect::<Vec<_>>().join(", ")
}

pub fn more(number: usize) -> String {
    format!("{} more. A filter narrows the list.", count(number))
}

/// `began 20s after rollout 5d9c7b8f66`
pub fn after_rollout(age: &str, hash: &str) -> String {
    format!("began {age} after rollout {hash}")
}

pub fn fold(is_open: bool, folded: &str) -> String {
    if is_open { format!("Fold {folded}") } else { format!("Show {folded}") }
}

/// `Unhealthy: Readiness probe failed`
pub fn event(reason: &str, message: &str) -> String {
    match (reason, message) {
        ("", message) => message.to_owned(),
        (reason, "") => reason.to_owned(),
        (reason, message) => format!("{reason}: {message}"),
    }
}
