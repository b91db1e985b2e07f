//! The page around its views: the top bar, the login, the status bar, and the pill's popover.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use shared::problem::Problem;
use shared::scope::Namespaces;

use super::{bytes, count, counted, span};
use crate::theme::Theme;

/// The health of all views in one phrase: `3 views live`, `2 live, 1 stale`.
/// `refused`: how many namespaces of live views show no rows, by the reason.
pub fn health(live: usize, others: &[(String, usize)], refused: &BTreeMap<&'static str, usize>) -> String {
    let others = others.iter().map(|(word, number)| format!("{number} {}", word.to_lowercase()));
    let refused = refused.iter().map(|(word, number)| {
        format!("{} {}", counted(*number, "namespace", "namespaces"), word.to_lowercase())
    });
    let others: Vec<String> = others.chain(refused).collect();
    match (live, others.as_slice()) {
        (0, []) => "no view".to_owned(),
        (1, []) => "1 view live".to_owned(),
        (live, []) => format!("{live} views live"),
        (0, others) => others.join(", "),
        (live, others) => format!("{live} live, {}", others.join(", ")),
    }
}

/// Beside the pill's word: `1 of 3 namespaces forbidden`.
pub fn refused_of(refused: usize, all: usize, word: &str) -> String {
    format!("{refused} of {all} namespaces {}", word.to_lowercase())
}

pub const COPY_LINK: &str = "Copy link";

/// On the button: a link to this machine is of no use to a colleague.
pub fn copy_link(is_of_this_machine: bool) -> String {
    let said = with_key(COPY_LINK, "L");
    if is_of_this_machine { format!("{said}: it opens on this machine alone") } else { said }
}

/// On a button that copies a text: what is copied.
pub fn copies(label: &str, text: &str) -> String {
    format!("{label}: {text}")
}

/// A button's word with its key: `Pause (Space)`.
pub fn with_key(what: &str, key: &str) -> String {
    format!("{what} ({key})")
}

pub fn theme_is(theme: Theme) -> String {
    format!("Theme: {}", theme.word())
}

pub fn close_view(resource: &str) -> String {
    format!("Close {resource}")
}

pub const ALL_NAMESPACES: &str = "all namespaces";

/// Before the document's title.
pub fn title_state(is_stale: bool, is_paused: bool) -> &'static str {
    match (is_stale, is_paused) {
        (true, _) => "(stale) ",
        (false, true) => "(paused) ",
        (false, false) => "",
    }
}

pub const SKIP_TO_ROWS: &str = "Skip to the rows";

pub const COPIED: &str = "Copied";
pub const COPIED_LOCAL_LINK: &str =
    "Copied. The link opens on this machine alone; Export (K) has a command and files for others.";
pub const NOT_COPIED: &str = "The browser refused the clipboard: select the text and copy it.";

pub const LINK_NO_VIEW: &str = "This link names no view";

pub fn link_no_view(path: &str) -> String {
    format!("{path} can't be read. A view's link is /v/pods@CLUSTER/NAMESPACE.")
}

/// A piece of the program couldn't be fetched.
pub fn piece_failed(again_in_ms: i64) -> String {
    let seconds = again_in_ms.div_euclid(1_000) + i64::from(again_in_ms.rem_euclid(1_000) > 0);
    if seconds <= 0 {
        return "This part of Dogwatch couldn't be fetched. It is asked for again now.".to_owned();
    }
    format!("This part of Dogwatch couldn't be fetched. It is asked for again in {seconds} s.")
}

pub const PIECE_GONE: &str = "A new version of Dogwatch is there, and this part of the page is of the former one. The table stays live.";

pub const OTHER_VERSION: &str = "This page is of another version";

pub const PINNED: &str = "Pinned";
pub const OFTEN: &str = "Often";
pub const BOARDS: &str = "Boards";
/// A kind that can't be opened, for screen readers.
pub const NOT_AVAILABLE: &str = "not available";
pub const KIND_POLLED: &str = "polled";
pub const KINDS_FILTER: &str = "Filter kinds";

pub fn kinds_filter(kinds: usize) -> String {
    format!("Filter {}", counted(kinds, "kind", "kinds"))
}

/// The last line of the navigation: `35 kinds, 1 hidden. Kubernetes v1.36.3`.
pub fn kinds_foot(kinds: usize, hidden: usize, version: &str) -> String {
    let hidden = if hidden == 0 { String::new() } else { format!(", {} hidden", count(hidden)) };
    let version = if version.is_empty() { String::new() } else { format!(" Kubernetes {version}") };
    format!("{}{hidden}.{version}", counted(kinds, "kind", "kinds"))
}

pub fn pin(is_pinned: bool, kind: &str) -> String {
    format!("{} {kind}", if is_pinned { "Unpin" } else { "Pin" })
}

pub const LINK_UNREAD: &str = "Ignored in this link:";

/// The first three problems of a link, and how many more there are: `x=1 (unknown), sort=zzz (no such column).`
pub fn link_unread(problems: &[&str]) -> Option<String> {
    let first: Vec<&str> = problems.iter().take(3).copied().collect();
    let more = problems.len().saturating_sub(first.len());
    let more = if more == 0 { String::new() } else { format!(", and {more} more") };
    (!first.is_empty()).then(|| format!("{}{more}.", first.join(", ")))
}

pub fn location_no_resource(resource: &str) -> String {
    format!("{resource:?} is not valid as a resource: letters, digits, '-' and '.' are allowed")
}

pub fn location_unknown_page(path: &str) -> String {
    format!("{path} (no such page)")
}

pub const NO_SUCH_PART: &str = "unknown";

pub const ELEMENT_WITHOUT_RESOURCE: &str = "give the element a `resource` or a `link`, as resource=\"pods\"";

pub const ELEMENT_WITHOUT_NAME: &str = "give the element the `name` of an object, as name=\"web-1\"";

/// `is_expected`: the kind is namespaced, and the element has no namespace; else the other way round.
pub fn element_namespace(resource: &str, is_expected: bool) -> String {
    match is_expected {
        true => format!("{resource} are in namespaces: give the element a `namespace`"),
        false => format!("{resource} are in no namespace: take the element's `namespace` away"),
    }
}

pub fn element_unread(name: &str, value: &str, why: &str) -> String {
    format!("{name}=\"{}\": {why}", value.chars().take(60).collect::<String>())
}

/// `auto, light or dark is expected`
pub fn element_expected(words: &[&str]) -> String {
    let (last, others) = words.split_last().map_or(("", &[][..]), |(last, others)| (*last, others));
    format!("{} or {last} is expected", others.join(", "))
}

pub fn location_unread(part: &str, value: &str, why: &str) -> String {
    let clip = |text: &str| text.chars().take(60).collect::<String>();
    match value {
        "" => format!("{} ({why})", clip(part)),
        value => format!("{}={} ({why})", clip(part), clip(value)),
    }
}

pub fn location_part_unknown(part: &str, value: &str) -> Problem {
    Problem::bad_request(location_unread(part, value, NO_SUCH_PART))
}

pub fn location_size(part: &str, value: &str, range: &RangeInclusive<u8>) -> Problem {
    let why = format!("a number from {} to {}", range.start(), range.end());
    Problem::bad_request(location_unread(part, value, &why))
}

pub fn board_too_large(panes_max: usize) -> Problem {
    Problem::bad_request(format!("all views after the first {panes_max} (a board has room for {panes_max})"))
}

pub fn namespaces_too_many(max: usize) -> String {
    format!("all namespaces after the first {max} (a link has room for {max})")
}

// A board

pub const BOARD_FULL: &str = "This board is full.";

pub fn board_full(panes_max: usize) -> String {
    format!("It has room for {panes_max} views: close one to add another.")
}

pub const BOARD: &str = "Board";
pub const BOARD_TITLE: &str = "Title of the board";
pub const BOARD_UNTITLED: &str = "Untitled board";
pub const ADD_VIEW: &str = "Add a view";
pub const SPLIT: &str = "Split";
pub const PAUSE_ALL: &str = "Pause all";
pub const RESUME_ALL: &str = "Resume all";
pub const PANE_MOVE: &str = "Drag to move this view (m, M)";

/// The edge of a pane, and its share: `14 of 24`.
pub fn pane_width(columns: u8, of: u8) -> String {
    format!("{columns} of {of}")
}

/// A board without a title: `pods, nodes and 3 more`.
pub fn board_named(resources: &[&str]) -> String {
    let first = resources.get(..2).unwrap_or(resources);
    let more = resources.len().saturating_sub(first.len());
    if more == 0 { first.join(", ") } else { format!("{} and {more} more", first.join(", ")) }
}

/// The namespaces of a pane on a board; empty for a cluster-scoped kind.
pub fn place_of(namespaces: &Namespaces, is_namespaced: bool) -> String {
    match namespaces {
        _ if !is_namespaced => String::new(),
        Namespaces::All => ALL_NAMESPACES.to_owned(),
        Namespaces::These(names) => match names.as_slice() {
            [one] => one.as_str().to_owned(),
            several => format!("{} namespaces", several.len()),
        },
    }
}

/// The name of a view on a board: `pods all namespaces status!=Running`.
pub fn view_of(resource: &str, place: &str, query: &str) -> String {
    [resource, place, query].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

pub fn filter_of(resource: &str, place: &str, query: &str) -> String {
    format!("Filter {}", view_of(resource, place, query))
}

/// In the popover of the pill: `18 changes/s in this view`.
pub fn changes_a_second(changes: u32) -> String {
    format!("{} in this view", changes_per_second(changes))
}

pub fn changes_per_second(changes: u32) -> String {
    counted(usize::try_from(changes).unwrap_or(usize::MAX), "change/s", "changes/s")
}

/// The bars in the status bar, for a screen reader.
pub fn changes_of_a_minute(now: &str) -> String {
    format!("Changes per second over the last minute, now {now}")
}

/// Before a resourceVersion.
pub const RESOURCE_VERSION: &str = "resourceVersion ";

/// After a number that stands in strong letters.
pub fn changes_unit(number: &str) -> &'static str {
    if number == "1" { "change/s" } else { "changes/s" }
}

/// Over the page's one socket: `5.3 kB received, 1.2 kB/s`.
pub fn received_in_all(all: u64, per_second: u64) -> String {
    format!("{} received, {}/s", bytes(all), bytes(per_second))
}

/// A change of the focused row, for a screen reader: `STATUS CrashLoopBackOff, was Running`.
pub fn became(column: &str, now: &str, was: &str) -> String {
    format!("{column} {now}, was {was}")
}

pub fn board_of(panes: usize) -> String {
    format!("{panes} views")
}

pub fn unknown_resource(resource: &str) -> String {
    format!("This cluster serves no {resource}")
}

// The status bar

pub fn rows_of(shown: usize, all: usize) -> (String, String) {
    match all {
        0 => (String::new(), "no rows".to_owned()),
        1 if shown == 1 => ("1".to_owned(), " row".to_owned()),
        all if shown == all => (count(all), " rows".to_owned()),
        all => (count(shown), format!(" of {} rows", count(all))),
    }
}

/// While the first list comes: `60 of 4,200 so far`.
pub fn rows_so_far(here: usize, n: u64) -> (String, String) {
    (count(here), format!(" of {} so far", count(n)))
}

/// `rows 1–25`: the first and the last that are seen, counted from 1.
pub fn rows_seen(first: usize, last: usize) -> String {
    format!("rows {}–{}", count(first), count(last))
}

/// Rows that were added above the window: `8 new rows above`.
pub fn rows_above(rows: usize) -> String {
    format!("{} above", counted(rows, "new row", "new rows"))
}

/// In the notice line, on the button that puts them in order: how many rows aren't at their place.
pub fn out_of_order(rows: usize) -> String {
    format!("{} out of order", counted(rows, "row", "rows"))
}

pub const RE_SORT: &str = "Rows stay where they are while you look at them. Put them in order.";

pub fn no_change_since(clock: &str) -> String {
    format!("no change since {clock}")
}

pub fn received(per_second: u64) -> String {
    format!(" received, {}/s", bytes(per_second))
}

// The popover of the pill

pub const HOW_FRESH: &str = "How fresh is this?";
pub const WHY_STALE: &str = "Why is this stale?";
pub const LAST_PROOF: &str = "The API server confirmed this view";
pub const NO_PROOF: &str = "The API server hasn't confirmed this view yet";
pub const LAST_SYNC: &str = "Last heartbeat";
pub const GATEWAY: &str = "Dogwatch gateway";
pub const THIS_PAGE: &str = "This page";
pub const NO_GATEWAY: &str = "No connection";

pub fn digest_over(rows: u64) -> String {
    format!("Checksum of {} matches the gateway's", counted(rows, "row", "rows"))
}

pub fn proof_foot() -> String {
    format!(
        "Quiet is normal: the API server is asked every 5 s. If it is silent for {}, or the gateway for {}, \
         the view turns stale.",
        span(crate::limits::PROOF_MISSING_MS),
        span(crate::limits::SYNC_MISSING_MS)
    )
}

// A link to another cluster

pub fn cluster_not_served(named: &str) -> String {
    format!("This gateway doesn't serve {named}")
}

pub fn cluster_served(served: &str) -> String {
    format!("It serves {served}. The link asks for another cluster; nothing else is shown in its place.")
}

pub fn no_kinds_of(named: &str) -> String {
    format!("No kinds: {named} isn't served here.")
}

pub const OPEN_SERVED: &str = "Open this view here";

pub const NOT_SERVED_PILL: &str = "Not served";
