//! What the page says of questions.

use crate::messages::count;

pub const TITLE: &str = "Tell me when";
pub const OPEN_BY_KEY: &str = "Tell me when (!)";
pub const ASK: &str = "Ask";
pub const CLOSE: &str = "Close";
pub const REMOVE: &str = "Remove";
pub const FORM: &str = "What has to be so";
pub const HOLD: &str = "for";
pub const HOLD_HINT: &str = "10m";
pub const OF: &str = "of";
pub const EACH_TIME: &str = "each time";
pub const FIRST_FORM: &str = "health=failing";
pub const FORM_HINT: &str = "health=failing, restarts>5, condition=Ready, jsonpath={.status.phase}=Running, created, deleted, changes, rollout";
pub const FORM_EXPECTED: &str =
    "What has to be so? health=failing, restarts>5, condition=Ready, created, deleted or changes.";
pub const CONDITION_EXPECTED: &str = "condition=Ready or condition=Ready=False is expected.";
pub const PATH_EXPECTED: &str = "jsonpath={.status.phase}=Running or jsonpath={.spec.nodeName} is expected.";
pub const NO_SUBJECT: &str = "Open a view or an object, or choose a line, and press ! there.";
pub const TOO_MANY: &str = "Twenty questions are asked. Remove one first.";
pub const ASKED: &str = "Asked";
pub const TOLD: &str = "Told";
pub const NOT_YET: &str = "not asked yet";
pub const ALLOW: &str = "Allow notifications";
pub const NOT_ALLOWED: &str = "The browser doesn't allow notifications. What is told stands here.";
pub const NOT_THERE: &str = "This browser has no notifications here. What is told stands in this list.";
pub const NOT_ASKED: &str = "Without notifications, what is told stands here alone.";
pub const KEPT: &str = "Questions stay in this browser, and are asked again when this page opens. What was told is kept nowhere: reloading this page or signing out empties the list.";
/// After a question that is too long to be kept.
pub const OF_THIS_TAB: &str = ", until this tab is closed";
/// What the list of what is wrong is about.
pub const ALL_KINDS: &str = "all kinds";
/// The list of what is wrong has neither columns nor what is fine.
pub const NOT_OF_WRONG: &str = "Of all kinds words and healths that aren't fine can be asked, such as any, health=failing, or none, health=failing,not-ready.";
/// Each looks at all kinds.
pub const TOO_MANY_OF_WRONG: &str = "Three questions about all kinds are asked. Remove one first.";
/// Over the question of a link.
pub const LINKED: &str = "This link asks a question. It is asked when you choose Ask.";
pub const SOUND: &str = "sound";
pub const SOUND_HINT: &str =
    "A short tone when it is told. A browser plays none before a click in this page.";
pub const COPY_LINK: &str = "Copy link of";
/// `waiting since 14:02:10`
pub fn waiting_since(clock: &str) -> String {
    format!("waiting since {clock}")
}

pub fn form_too_long(bytes_max: usize) -> String {
    format!("A question has {bytes_max} bytes at most.")
}

/// Names the bell of a line.
pub fn about(kind: &str, name: &str) -> String {
    format!("{TITLE}: {kind} {name}")
}

pub const NO_ROLLOUTS: &str = "Only a Deployment, a StatefulSet and a DaemonSet have rollouts.";

/// In a link.
pub const TOO_LONG: &str = "it is too long";

/// In a link.
pub fn part_unread(part: &str) -> String {
    format!("{part} is no part of a question")
}

pub fn hold_unread(written: &str) -> String {
    format!("{written:?} is no duration of at most a day, such as 90s, 10m or 2h.")
}

/// `any of pods in shop: health=failing for 10m, each time`
pub fn question(
    subject: &str,
    (which, is_single): (&str, bool),
    form: &str,
    hold: &str,
    (repeats, has_sound): (bool, bool),
) -> String {
    let of = if is_single { subject.to_owned() } else { format!("{which} of {subject}") };
    let hold = if hold.is_empty() { String::new() } else { format!(" for {hold}") };
    let repeats = if repeats { ", each time" } else { "" };
    let sound = if has_sound { ", with a tone" } else { "" };
    format!("{of}: {form}{hold}{repeats}{sound}")
}

pub fn unknown_since(clock: &str) -> String {
    format!("unknown since {clock}")
}

/// `Pod web-1 in shop: health=failing (CrashLoopBackOff)`
pub fn told(subject: &str, form: &str, why: &str) -> String {
    if why.is_empty() { format!("{subject}: {form}") } else { format!("{subject}: {form} ({why})") }
}

/// `resourceVersion 991838, confirmed 14:02:10`
pub fn proof(version: &str, clock: &str) -> String {
    match version {
        "" => format!("confirmed {clock}"),
        version => format!("resourceVersion {version}, confirmed {clock}"),
    }
}

pub fn could_not_look(from: &str, to: &str) -> String {
    format!("This tab couldn't look from {from} to {to}: the browser had stopped it.")
}

/// The button in the top bar.
pub fn bell(unseen: usize) -> String {
    match unseen {
        0 => OPEN_BY_KEY.to_owned(),
        unseen => format!("{} told. {OPEN_BY_KEY}", count(unseen)),
    }
}
