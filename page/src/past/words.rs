//! What the page says of the past: the pill, the notice line, the bar of the slider, and what stands in place of rows.

use shared::past::{Removed, Why};
use shared::state::UnixMillis;

use crate::messages::span;

/// `Past 14:02:10`: the pill's word.
pub fn past(clock: &str) -> String {
    format!("Past {clock}")
}

/// Beside the pill's word: `recorded 3 s before`.
pub fn recorded_before(age_ms: i64) -> String {
    format!("recorded {} before", span(age_ms))
}

pub const READING: &str = "reading the record";
pub const NOT_RECORDED: &str = "not recorded";
pub const CANNOT_BE_READ: &str = "can't be read";

/// Before the document's title: `(past 14:02:10) `.
pub fn title(clock: &str) -> String {
    format!("(past {clock}) ")
}

/// In the top bar, where every view is of the past.
pub const NOTHING_LIVE: &str = "Past, nothing live";
pub const REPLAY: &str = "Replay of a record, nothing live";

/// The bold part of the notice line.
pub fn reading_of(clock: &str) -> String {
    format!("Reading the record of {clock}.")
}

pub fn asked_ago(waited_ms: i64) -> String {
    format!(
        "Asked {}.{} s ago. Rows appear all at once.",
        waited_ms.max(0) / 1_000,
        waited_ms.max(0) % 1_000 / 100
    )
}

/// `Not recorded since 14:02:00: the disk is full.`
pub fn not_recorded_since(clock: &str, why: &str) -> String {
    format!("Not recorded since {clock}: {why}")
}

pub fn not_recorded(why: &str) -> String {
    format!("Not recorded: {why}")
}

/// The time that is shown is after the end of the record.
pub fn rows_of(clock: &str) -> String {
    format!("These are the rows of {clock}.")
}

pub const RECORD_STAYS: &str = "What was recorded before stays; the live view isn't affected.";

/// `Nothing was recorded from 13:40:02 to 13:52:10: the recorder was down.`
pub fn nothing_from_to(from: &str, to: &str, why: &Why) -> String {
    format!("Nothing was recorded from {from} to {to}: {}.", why_missing(why))
}

/// `.spec.badge was removed from what was recorded of pods in shop from 13:40:02 to 13:52:10.` `at`: a time as text.
pub fn removed(resource: &str, removed: &Removed, at: impl Fn(UnixMillis) -> String) -> String {
    let Removed { from_ms, to_ms, namespace, path, masked, .. } = removed;
    let what = match path {
        Some(path) => format!("{path} was"),
        None if *masked => "What was to be masked was".to_owned(),
        None => "Versions were".to_owned(),
    };
    let within = namespace.as_ref().map(|namespace| format!(" in {namespace}")).unwrap_or_default();
    let (from, to) = (at(*from_ms), at(*to_ms));
    format!("{what} removed from what was recorded of {resource}{within} from {from} to {to}.")
}

/// `Removed at 15:00:00 with dogwatch history purge.`
pub fn removed_at(clock: &str) -> String {
    format!("Removed at {clock} with dogwatch history purge.")
}

fn why_missing(why: &Why) -> String {
    match why {
        Why::Missed(reason) => format!("events were lost ({})", reason.words()),
        Why::Down => "the recorder was down".to_owned(),
        Why::NoViewers => "no page showed this kind".to_owned(),
        Why::NotInFile => "the replayed file doesn't have it".to_owned(),
        Why::Failed(sentence) => sentence.trim_end_matches('.').to_owned(),
        Why::TooFast => "more happened than could be stored".to_owned(),
    }
}

/// `What pods did in these 12m8s is unknown. Rows before and after are exact.`
pub fn unknown_for(resource: &str, length: &str) -> String {
    format!("What {resource} did in these {length} is unknown. Rows before and after are exact.")
}

/// Nothing was recorded as of then.
pub fn nothing_at(resource: &str, clock: &str) -> String {
    format!("Nothing of {resource} is recorded at {clock}")
}

pub fn record_cannot_be_read(clock: &str) -> String {
    format!("The record of {clock} can't be read")
}

pub const GO_THERE: &str = "Go there";
pub const BACK_TO_LIVE: &str = "Back to the newest";

/// Why an action does nothing in the past.
pub const STANDS_STILL: &str = "The past stands still; h leads back to live";
pub const NOT_RECORDED_HERE: &str = "This gateway doesn't record the past";
pub const NO_EARLIER: &str = "No earlier change is recorded";
pub const NO_LATER_THAN_NOW: &str = "This is the present; , goes to the last change";
pub const NO_LATER: &str = "No later change is recorded; h leads back to live";

// The bar

pub const TIME: &str = "Time";
pub const AS_OF: &str = "As of";
pub const AS_OF_SHORT: &str = "as of";
pub const NOW: &str = "now";
pub const LIVE: &str = "Live";
/// The button that leads to the end of a record that is replayed.
pub const END: &str = "End";
pub const CHANGE: &str = "change";
pub const CHANGES: &str = "changes";
pub const FAILING: &str = "failing";
pub const SPAN_EXPECTED: &str = "The link's span can't be read: 15m, 30m, 1h, 3h, 6h, 24h or 7d is expected.";
pub const SPAN: &str = "Span of the slider";
pub const STEP_BY_CHANGE: &str = "Step by change";
pub const PREVIOUS: &str = "Previous change (,)";
pub const NEXT: &str = "Next change (.)";
pub const BACK_BY_KEY: &str = "Back to the newest (h)";
pub const TO_THE_END_BY_KEY: &str = "To the end of the record (h)";
pub const SHOW_EARLIER_BY_KEY: &str = "As of now. Show an earlier time (h)";
pub const SLIDER: &str = "Changes above, failing rows below; drag, or use arrow keys";
pub const TYPE_A_TIME: &str = "As of: a time such as 14:02, 8m, 2h ago, yesterday 14:02";
/// Below the field while it has the focus.
pub const TIMES_TAKEN: &str = "14:02, 14:02:10.5, 8m, 2h ago, yesterday 14:02";
pub const NO_TIME: &str = "Not a time of the past. Type one such as 14:02, 8m, 2h ago or yesterday 14:02.";

pub fn failing(rows: usize) -> String {
    format!("{} failing", crate::messages::count(rows))
}

pub const NOTHING_YET: &str = "Nothing recorded yet";

pub fn nothing_since(clock: &str) -> String {
    format!("{NOTHING_YET}, only since {clock}")
}

// Two times

/// In a record that is replayed there is no now.
pub const COMPARE_END: &str = "Compare with the end";
pub const COMPARE_END_SHORT: &str = "vs end";
pub const COMPARE_NOW: &str = "Compare with now";
pub const COMPARE_NOW_SHORT: &str = "vs now";
pub const COMPARE_NOW_BY_KEY: &str = "What came, went and changed until then (v)";
pub const COMPARED_WITH: &str = "compared with";
pub const COMPARED_WITH_A_TIME: &str = "Compare with: a time such as 14:02, 8m, 2h ago, yesterday 14:02, now";
pub const UNTIL: &str = "until";
pub const ROWS: &str = "Rows";
pub const AGAIN: &str = "Refresh";
pub const COMPARE_AGAIN: &str = "More changed since. Compare with now again (r)";
pub const END_COMPARISON: &str = "Back to the rows (v)";
pub const NEEDS_A_TIME: &str = "Two times are compared: go to an earlier one first (h)";
pub const SAME_TIME: &str = "These are the same time";
pub const CAME: &str = "Came";
pub const WENT: &str = "Went";
pub const CHANGED: &str = "Changed";
pub const RECREATED: &str = "recreated";
pub const LOADING_NOW: &str = "Loading the rows of now.";
pub const NOW_IS_NOT_SHOWN: &str = "The rows of now can't be shown.";

/// `now, 14:30:05`: what is compared with now stands still.
pub fn now_at(clock: &str) -> String {
    format!("{NOW}, {clock}")
}

/// `pods from 14:02:10 to now, 14:30:05`
pub fn compared(resource: &str, from: &str, to: &str) -> String {
    format!("{resource} from {from} to {to}")
}

pub fn nothing_differs(same: usize, resource: &str) -> String {
    format!("Nothing differs: {} {resource} are the same at both times.", crate::messages::count(same))
}

pub fn cannot_compare(clock: &str, why: &str) -> String {
    format!("{clock} can't be compared: {why}")
}

/// Below the rows that differ.
pub fn compared_foot(unseen: usize, same: usize) -> String {
    let count = crate::messages::count;
    match (unseen, same) {
        (0, 0) => String::new(),
        (0, same) => format!("{} are the same.", count(same)),
        (unseen, 0) => format!("{} changed in what no column shows.", count(unseen)),
        (unseen, same) => {
            format!("{} changed in what no column shows, {} are the same.", count(unseen), count(same))
        }
    }
}

pub fn and_more_rows(rows: usize) -> String {
    format!("and {} more; the filter leaves fewer", crate::messages::count(rows))
}

// The changes until a time

pub const CHANGES_UNTIL: &str = "Changes until";
pub const CHANGES_OF_THE_PAST: &str = "Recorded changes, the newest first";
pub const TO_ROWS: &str = "Back to the rows (l)";
pub const UNSEEN: &str = "in what no column shows";

/// `relisted; 3 before it weren't kept`
pub fn of_change(is_unseen: bool, is_relisted: bool, skipped: u32) -> String {
    let unseen = is_unseen.then(|| UNSEEN.to_owned());
    let relisted = is_relisted.then(|| "seen by a list, some time later".to_owned());
    let skipped = (skipped > 0).then(|| format!("{skipped} before it weren't kept"));
    [unseen, relisted, skipped].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

pub fn nothing_changed(resource: &str, from: &str, to: &str) -> String {
    format!("Nothing of {resource} changed from {from} to {to}.")
}

pub fn changes_from(clock: &str) -> String {
    format!("These are all since {clock}; an earlier time shows earlier ones.")
}

pub fn changes_until(clock: &str) -> String {
    format!("Only until {clock}: more happened than one list has.")
}

// A word

pub const FIND: &str = "Find in the past";
pub const FIND_BY_KEY: &str = "Find a word in the past (f)";
pub const FIND_WHAT: &str = "A word, such as OOMKilled or an image";
pub const FIND_LABEL: &str = "Which objects had this word in the time of the slider";
pub const SEARCHING: &str = "Searching the record.";
pub const BEFORE: &str = "before";
pub const MORE_OBJECTS: &str = "More objects had it than are shown.";
pub const END_SEARCH: &str = "Back to the rows (f)";

pub fn nothing_had(word: &str, from: &str, to: &str) -> String {
    format!("Nothing had \"{word}\" from {from} to {to}.")
}

pub fn from_to(from: &str, to: &str) -> String {
    format!("{from} to {to}")
}

/// `from 14:02:10`; `all the time`
pub fn from_on(from: &str, begins_before: bool) -> String {
    if begins_before { "all the time".to_owned() } else { format!("from {from}") }
}

pub fn searched(from: &str, to: &str) -> String {
    format!("Searched from {from} to {to}; the span of the slider says how far back.")
}

pub fn searched_until(clock: &str) -> String {
    format!("Only until {clock}: more happened than one search goes through.")
}

pub fn recorded_only_since(clock: &str) -> String {
    format!("Recorded since {clock}.")
}

pub fn found_in(word: &str, objects: usize) -> String {
    format!("{} had \"{word}\"", crate::messages::count(objects))
}

// The panel

pub fn not_there_at(clock: &str) -> String {
    format!("There was no such object at {clock}.")
}

pub const EXACT_AFTER: &str = "The state after it is exact.";

// The popover of the pill

pub const HOW_RECORDED: &str = "How was this recorded?";
pub const LAST_SEEN: &str = "The gateway last saw a change or a proof";
pub const LAST_CHANGE: &str = "The last change of this kind";
pub const RECORD_FOOT: &str = "Rows are as they were then, and stand still. The gateway shows what you may see now, with the masks of now.";

pub fn before(age_ms: i64) -> String {
    format!("{} before", span(age_ms))
}
