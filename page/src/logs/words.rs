//! What the tab Logs says.

use shared::frame::server::{ContainerKind, SourceState};
use shared::problem::Problem;

use super::beginning::Older;
use super::settings::{From, Times};
use crate::messages::{bytes, clusters_of, count, counted, sentence};

pub const FIND: &str = "Find";
pub const FIND_HINT: &str = "Find in the log: a text, or a /regex/";
pub const FIND_NEXT: &str = "Next hit (n)";
pub const FIND_PREVIOUS: &str = "Previous hit (N)";
pub const FILTER: &str = "Filter lines";
pub const FILTER_HINT: &str =
    "Filter lines: word, !word, /regex/, !/regex/, \"two words\", level>=warn, pod:x2lqp, container:proxy";
pub const SOURCES: &str = "Pods and containers";
pub const FROM: &str = "How far back the log begins";
pub const TIMES: &str = "Times";
pub const WRAP: &str = "Wrap";
pub const WRAP_HINT: &str = "Wrap long lines (w)";
pub const EVENTS: &str = "Events";
pub const EVENTS_HINT: &str = "Events of the pods between the lines";
pub const RAW: &str = "JSON as it was written";
pub const LAST_LINES_OF: &str = "Last lines of";
pub const OF_PREVIOUS_RUN: &str = "previous run";
pub const ALL_LINES: &str = "All lines (i)";
pub const PREVIOUS_RUN: &str = "Previous run";
pub const COPY: &str = "Copy the shown lines";
pub const DOWNLOAD: &str = "Download the shown lines";
pub const PAUSE: &str = "Pause (Space)";
pub const RESUME: &str = "Resume";
pub const FOLLOW: &str = "Follow";
pub const FOLLOW_HINT: &str = "Go to the newest line, and follow (End)";
pub const UNFOLD: &str = "All fields";
pub const LINK_TO_LINE: &str = "Link to this line (a)";
pub const LOG: &str = "Log";
pub const FOLLOWING: &str = "Following";
pub const NOT_FOLLOWING: &str = "Not following";
pub const ENDED: &str = "Ended";
pub const REFUSED: &str = "Not read";
pub const ASKING: &str = "Asking";
pub const PAUSED: &str = "Paused";
/// In the bar below, because no proof says that a log is whole.
pub const AS_GIVEN: &str = "as the kubelet gave it";
pub const AS_GIVEN_WHY: &str = "A kubelet serves no file that it has rotated away, so lines may be missing before the first one. Where the gateway notices it, a mark says so. A log can hold anything, secrets too.";
pub const ALL_PODS: &str = "All pods";
pub const NO_LINES: &str = "No lines yet";
pub const NO_LINES_WHY: &str = "What the containers write appears here.";
pub const NO_LINE_MATCHES: &str = "No line matches";
pub const OLDER: &str = "Older lines aren't shown.";
pub const ASK_ALL: &str = "Show all lines";
pub const NO_PODS: &str = "No pods";
pub const NO_PODS_WHY: &str = "The logs of its pods appear here when there are some.";
pub const ASKED: &str = "Asked for the logs.";
pub const LINE_IS_GONE: &str = "The line of this link isn't in the log any more. This is the next one.";

pub fn no_level(name: &str) -> String {
    format!("level is compared with trace, debug, info, warn, error or fatal, not with \"{name}\"")
}

pub fn not_applied(term: &str, why: &str) -> String {
    format!("{term} isn't applied: {why}")
}

pub fn unread(parts: &[String]) -> String {
    format!("Ignored in this link: {} (unknown).", parts.join(", "))
}

pub fn from(from: From) -> &'static str {
    match from {
        From::Lines100 => "100 lines",
        From::Lines1000 => "1,000 lines",
        From::Lines10000 => "10,000 lines",
        From::Minutes5 => "5 minutes",
        From::Minutes15 => "15 minutes",
        From::Hour => "1 hour",
        From::Hours6 => "6 hours",
        From::Day => "24 hours",
        From::Start => "all lines",
    }
}

pub fn times(times: Times) -> &'static str {
    match times {
        Times::Clock => "time",
        Times::Ago => "time ago",
        Times::Off => "no time",
    }
}

/// `3 of 41`, `41 hits`, `3 of 41 shown`
pub(super) fn hits(at: usize, of: usize, is_looking: bool, older: Older) -> String {
    let hits = match (at, of) {
        _ if is_looking => return format!("{} …", count(of)),
        (_, 0) => "no hit".to_owned(),
        (0, of) => counted(of, "hit", "hits"),
        (at, of) => format!("{} of {}", count(at), count(of)),
    };
    if older == Older::None { hits } else { hits + " shown" }
}

pub(super) fn hits_why(older: Older) -> &'static str {
    match older {
        Older::None => "",
        Older::NotAsked => "Only shown lines are searched. Choose \"all lines\" to search older ones too.",
        Older::Dropped => "Only shown lines are searched. The page has dropped older ones to save memory.",
    }
}

/// What no line matches.
pub(super) fn passed(filter: &str, older: Older) -> String {
    if older == Older::None { filter.to_owned() } else { format!("{filter} · {OLDER}") }
}

pub const CLUSTERS: &str = "Clusters";
pub const OWN_CLUSTER: &str = "this object's";

/// On the button that opens the choice of pods: `3 pods · app, proxy`, or `2 clusters · 3 pods`
pub fn chosen(clusters: usize, pods: usize, containers: &[&str]) -> String {
    if clusters > 1 {
        return format!("{} · {}", clusters_of(clusters), counted(pods, "pod", "pods"));
    }
    let containers = match containers {
        [] => String::new(),
        [one] => format!(" · {one}"),
        [one, other] => format!(" · {one}, {other}"),
        many => format!(" · {} containers", many.len()),
    };
    format!("{}{containers}", counted(pods, "pod", "pods"))
}

pub fn kind(kind: ContainerKind) -> &'static str {
    match kind {
        ContainerKind::Regular => "",
        ContainerKind::Init => "init",
        ContainerKind::Ephemeral => "ephemeral",
    }
}

pub fn state(state: SourceState, is_gone: bool) -> &'static str {
    match state {
        _ if is_gone => "deleted",
        SourceState::Waiting => "waiting for lines",
        SourceState::Read => "",
        SourceState::Ended => "ended",
        SourceState::Refused => "not read",
        SourceState::Unknown => "unknown",
    }
}

pub fn restarted(what: &str, exit_code: Option<i64>) -> String {
    format!("{what} restarted{}.", exit(exit_code))
}

pub fn ended(what: &str, exit_code: Option<i64>) -> String {
    format!("{what} ended{}.", exit(exit_code))
}

/// `Event BackOff: Back-off restarting failed container (61 times)`
pub fn event(reason: &str, message: &str, pod: Option<&str>, count: u64) -> String {
    let pod = pod.map(|pod| format!(" of {pod}")).unwrap_or_default();
    let times = if count > 1 { format!(" ({})", counted(count, "time", "times")) } else { String::new() };
    format!("Event {reason}{pod}: {message}{times}")
}

fn exit(code: Option<i64>) -> String {
    code.map(|code| format!(" (exit {code})")).unwrap_or_default()
}

pub fn may_miss(what: &str) -> String {
    format!("Lines of {what} may be missing here.")
}

pub fn deleted(pod: &str) -> String {
    format!("Pod {pod} was deleted.")
}

pub fn skipped(lines: u64, what: &str) -> String {
    format!("{} of {what} were skipped: they came too fast.", counted(lines, "line", "lines"))
}

/// What a mark is about that is of no source alone.
pub const THESE_LOGS: &str = "these logs";

pub fn refused(what: &str, problem: Option<&Problem>) -> String {
    let why = problem.map_or("no reason was given", |problem| &problem.message);
    format!("{what} isn't read: {}", sentence(why).trim_end_matches('.')) + "."
}

pub fn unknown_mark(what: &str) -> String {
    format!("Something happened to {what} that only a newer page knows.")
}

/// In the bar below: `1,204 of 41,302 lines · 3 pods · 310 older ones dropped`
pub fn lines(shown: usize, all: usize, pods: usize, dropped: u64) -> String {
    let of = if shown == all { String::new() } else { format!("{} of ", count(shown)) };
    let gone = if dropped == 0 { String::new() } else { format!(", {} older dropped", count(dropped)) };
    format!("{of}{} · {}{gone}", counted(all, "line", "lines"), counted(pods, "pod", "pods"))
}

/// Beside "Paused".
pub fn wait(lines: usize, dropped: u64) -> String {
    match (lines, dropped) {
        (0, _) => "nothing new".to_owned(),
        (lines, 0) => format!("{} pending", counted(lines, "line", "lines")),
        (lines, dropped) => {
            format!("{} pending, {} older dropped", counted(lines, "line", "lines"), count(dropped))
        }
    }
}

pub fn announced(lines: u64) -> String {
    format!("{}.", counted(lines, "new line", "new lines"))
}

pub fn cut_line(more: u64) -> String {
    format!(" … {} cut off by the gateway", bytes(more))
}

/// At the end of a line that isn't wrapped and has no room in any window.
pub fn more_of_line(more: usize) -> String {
    format!(" … {} more: wrap the lines to see them", bytes(more))
}

pub fn asked_again(in_s: i64) -> String {
    format!("Asked again in {in_s} s.")
}

/// The end of a long name tells it from the others.
pub(super) fn cut_start(text: String, characters_max: usize) -> String {
    let more = text.chars().count().saturating_sub(characters_max);
    if more == 0 {
        return text;
    }
    std::iter::once('…').chain(text.chars().skip(more + 1)).collect()
}
