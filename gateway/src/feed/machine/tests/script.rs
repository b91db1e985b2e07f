//! A scripted API server: a test is a conversation, one step a line. Left of the bar is what comes in, or
//! with `+` the time that passes; right of it is everything that the machine does then. A line that begins
//! with the bar continues the one before it.

use std::sync::Arc;

use bytes::Bytes;
use shared::column::Column;
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::{StateReport, ViewState};

use super::super::*;
use crate::cluster::Refusal;
use crate::feed::event::What;
use crate::feed::{FeedCommand, LeftOut, Object};

pub(super) struct Script {
    pub(super) stands_at: Option<&'static str>,
    pub(super) capabilities: Capabilities,
    pub(super) options: FeedOptions,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            stands_at: None,
            capabilities: Capabilities { watch: true, watch_list: true, custom: false },
            // Round, so that the times of a conversation are.
            options: FeedOptions { proof_interval_ms: 5_000, resume_margin: 0, ..FeedOptions::default() },
        }
    }
}

const START_MS: UnixMillis = 1_000_000;

/// A conversation with a server that can do everything.
pub(super) fn check(conversation: &str) {
    Script::default().check(conversation);
}

/// A conversation that begins with an empty list and its watch.
pub(super) fn live(rest: &str) -> String {
    format!(
        "start  | ask watchlist; = syncing 0
         open
         mark 5 | columns Name; list starts; list ends 5; proven; = live
         {rest}"
    )
}

impl Script {
    pub(super) fn without_watch_lists() -> Self {
        let capabilities = Capabilities { watch: true, watch_list: false, custom: false };
        Self { capabilities, ..Self::default() }
    }

    pub(super) fn without_watches() -> Self {
        let capabilities = Capabilities { watch: false, watch_list: true, custom: false };
        Self { capabilities, ..Self::default() }
    }

    pub(super) fn check(self, conversation: &str) {
        let mut expected: Vec<(&str, String)> = Vec::new();
        for line in conversation.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (input, outputs) = line.split_once('|').unwrap_or((line, ""));
            match expected.last_mut() {
                Some((_, before)) if input.is_empty() => *before = format!("{before}; {}", outputs.trim()),
                _ => expected.push((input.trim(), outputs.trim().to_owned())),
            }
        }
        let mut rig = MachineRig::new(self);
        let found: Vec<String> =
            expected.iter().map(|(input, _)| format!("{input} | {}", rig.step(input).join("; "))).collect();
        let expected: Vec<String> =
            expected.iter().map(|(input, outputs)| format!("{input} | {outputs}")).collect();
        let found = found.join("\n");
        assert_eq!(found, expected.join("\n"), "\nthe conversation was:\n{found}\n");
    }
}

pub(super) struct MachineRig {
    machine: Machine,
    pub(super) now_ms: UnixMillis,
    columns: Arc<[Column]>,
    outputs: Vec<String>,
}

impl MachineRig {
    pub(super) fn new(script: Script) -> Self {
        let cluster = ClusterName::parse("c").expect("a name");
        let key = FeedKey::of(cluster, Resource::parse("", "v1", "pods").expect("a resource"));
        let stands_at = script.stands_at.map(ResourceVersion::new);
        let machine = Machine::new(&key, script.capabilities, script.options, stands_at, 7, START_MS);
        Self { machine, now_ms: START_MS, columns: columns("Name"), outputs: Vec::new() }
    }

    /// How long ago the feed says that it was proven, if it says that it is stale.
    pub(super) fn stale_for_ms(&self) -> Option<i64> {
        let (_, report) = self.machine.reported.as_ref()?;
        let ViewState::Stale { since_ms } = report.state else { return None };
        Some(self.now_ms - since_ms)
    }

    /// What the machine does at this input.
    pub(super) fn step(&mut self, input: &str) -> Vec<String> {
        if let Some(time) = input.strip_prefix('+') {
            self.pass(time.trim());
        } else if let Some(ago) = input.strip_prefix("outage") {
            let proven_ms =
                Some(ago.trim()).filter(|ago| *ago != "over").map(|ago| self.now_ms - milliseconds(ago));
            self.machine.note_outage(proven_ms);
            self.machine.handle(Input::Tick, self.now_ms);
        } else if input != "start" {
            let words: Vec<&str> = input.split_whitespace().collect();
            let input = self.input(&words).unwrap_or_else(|| panic!("not an input of the script: {input}"));
            self.machine.handle(input, self.now_ms);
        }
        self.collect();
        std::mem::take(&mut self.outputs)
    }

    /// As the driver does: at every deadline in between.
    fn pass(&mut self, time: &str) {
        let target_ms = match (time, &self.machine.state) {
            ("pause", State::Waiting { until_ms, .. }) => *until_ms,
            ("pause", other) => panic!("nothing is waited for in {other:?}"),
            (time, _) => self.now_ms + milliseconds(time),
        };
        loop {
            self.now_ms = self.machine.deadline_ms().clamp(self.now_ms, target_ms);
            self.machine.handle(Input::Tick, self.now_ms);
            self.collect();
            if self.now_ms >= target_ms {
                return;
            }
            assert!(self.machine.deadline_ms() > self.now_ms, "the machine would spin");
        }
    }

    fn input(&mut self, words: &[&str]) -> Option<Input> {
        Some(match words {
            ["open"] => Input::Opened { slot: RequestSlot::Main, date_ms: None },
            ["columns", name] => {
                self.columns = columns(name);
                self.event(What::Bookmark { ends_initial: false }, "")
            }
            ["added", at] => self.event(What::Put(object(at)), version_of(at)),
            ["modified", at] => self.change(What::Put(object(at)), version_of(at)),
            ["hidden", at] => self.event(What::Hidden, version_of(at)),
            ["deleted", at] => self.change(What::Deleted(id(at)), version_of(at)),
            ["mark", version] => self.event(What::Bookmark { ends_initial: true }, version),
            ["bookmark", version] => self.event(What::Bookmark { ends_initial: false }, version),
            ["unknown"] => self.event(What::Unknown, ""),
            ["error", code] => self.event(What::Error(refusal(code)), ""),
            ["left", "out", name] => {
                let problem = Problem::new(Reason::TooLarge, "too large");
                let left_out = LeftOut { object: (*name).into(), problem };
                // A value that can't be read tells no columns.
                let (columns, resource_version) = (None, ResourceVersion::default());
                let what = What::LeftOut(left_out);
                Input::Event(Event { columns, resource_version, is_change: false, what })
            }
            ["page", version, rest @ ..] => Input::Page(self.page(version, rest)),
            ["end"] => Input::Ended,
            ["proof", "status", code] => failed(RequestSlot::Proof, Failure::Refused(refusal(code))),
            ["proof", "broken"] => failed(RequestSlot::Proof, broken()),
            ["proof", version] => Input::Proof { version: (*version).into(), columns: None },
            ["proof", version, "columns", name] => {
                Input::Proof { version: (*version).into(), columns: Some(columns(name)) }
            }
            ["status", code] => failed(RequestSlot::Main, Failure::Refused(refusal(code))),
            ["status", code, "after", seconds] => {
                let refusal = Refusal { retry_after_s: seconds.parse().ok(), ..refusal(code) };
                failed(RequestSlot::Main, Failure::Refused(refusal))
            }
            ["status", code, "of", "no", "Status"] => {
                let refusal = Refusal { is_status: false, ..refusal(code) };
                failed(RequestSlot::Main, Failure::Refused(refusal))
            }
            ["broken"] => failed(RequestSlot::Main, broken()),
            ["timed", "out"] => {
                let problem = Problem::new(Reason::TimedOut, "timed out");
                failed(RequestSlot::Main, Failure::Broken(problem))
            }
            ["unreadable"] => Input::Unreadable { slot: RequestSlot::Main },
            ["refreshed"] => Input::Refreshed(Ok(())),
            ["refresh", "failed"] => {
                Input::Refreshed(Err(Problem::new(Reason::Configuration, "the plugin failed")))
            }
            ["retry"] => Input::Command(FeedCommand::Retry),
            ["viewers", any] => Input::Command(FeedCommand::Viewers(any.parse().ok()?)),
            ["stands", "at", version] => Input::Command(FeedCommand::StandsAt((*version).into())),
            _ => return None,
        })
    }

    fn event(&self, what: What, version: &str) -> Input {
        Input::Event(self.event_of(what, version, false))
    }

    fn change(&self, what: What, version: &str) -> Input {
        Input::Event(self.event_of(what, version, true))
    }

    fn event_of(&self, what: What, version: &str, is_change: bool) -> Event {
        let columns = Some(Arc::clone(&self.columns));
        Event { columns, resource_version: version.into(), is_change, what }
    }

    fn page(&self, version: &str, rest: &[&str]) -> Page {
        let mut page = Page {
            columns: Arc::clone(&self.columns),
            objects: Vec::new(),
            resource_version: version.into(),
            next: None,
            remaining: None,
        };
        for word in rest {
            match word.split_once('=') {
                Some(("next", token)) => page.next = Some(token.to_owned()),
                Some(("remaining", count)) => page.remaining = count.parse().ok(),
                _ => page.objects.push(Ok(object(word))),
            }
        }
        page
    }

    fn collect(&mut self) {
        while let Some(output) = self.machine.next_output() {
            self.outputs.push(show(&output, self.now_ms));
        }
    }
}

fn milliseconds(time: &str) -> i64 {
    let (number, unit) = time.split_once(' ').expect("a number and a unit");
    let scale = match unit {
        "ms" => 1,
        "s" => 1_000,
        "min" => 60_000,
        other => panic!("no unit: {other}"),
    };
    number.parse::<i64>().expect("a number") * scale
}

fn columns(name: &str) -> Arc<[Column]> {
    [Column {
        name: name.into(),
        kind: "string".into(),
        format: "name".into(),
        description: Box::default(),
        priority: 0,
        path: "".into(),
    }]
    .into()
}

fn refusal(code: &str) -> Refusal {
    Refusal { code: code.parse().expect("a code"), is_status: true, ..Refusal::default() }
}

fn failed(slot: RequestSlot, failure: Failure) -> Input {
    Input::Failed { slot, failure }
}

fn broken() -> Failure {
    Failure::Broken(Problem::new(Reason::ConnectionReset, "the API server cut the connection"))
}

/// `a@5`: the object a at resourceVersion 5.
fn version_of(at: &str) -> &str {
    at.split_once('@').map_or("", |(_, version)| version)
}

fn name_of(at: &str) -> &str {
    at.split_once('@').map_or(at, |(name, _)| name)
}

fn id(at: &str) -> RowId {
    RowId::from_hash(u64::from(name_of(at).as_bytes()[0]) << 4)
}

fn object(at: &str) -> Object {
    Object {
        row: Row {
            id: id(at),
            resource_version: ResourceVersion::new(version_of(at)),
            namespace: None,
            name: name_of(at).into(),
            created: None,
            cells: Vec::new(),
            extra: None,
        },
        labels: Default::default(),
        body: Bytes::new().into(),
        managed: Default::default(),
        masks: Default::default(),
        verdict: None,
    }
}

fn show(output: &Output, now_ms: UnixMillis) -> String {
    match output {
        Output::Ask { request, .. } => format!("ask {request}"),
        Output::Drop(slot) => format!("drop {slot:?}").to_lowercase(),
        Output::RefreshCredentials => "refresh".to_owned(),
        Output::Rediscover => "rediscover".to_owned(),
        Output::RememberNoWatchList => "remember".to_owned(),
        Output::Tell(FeedOutput::Change(change)) => show_change(change),
        Output::Tell(FeedOutput::State(report)) => show_state(report),
        Output::Tell(FeedOutput::Proof(proof)) if proof.at_ms == now_ms => "proven".to_owned(),
        Output::Tell(FeedOutput::Proof(proof)) => format!("proven {} ms ago", now_ms - proof.at_ms),
    }
}

fn show_change(change: &Change) -> String {
    match change {
        Change::Columns(columns) => format!("columns {}", columns[0].name),
        Change::Rewound => "rewound".to_owned(),
        Change::ListStart => "list starts".to_owned(),
        Change::Listed(object) => format!("listed {}", object.row.name),
        Change::ListEnd { resource_version, gap: None } => format!("list ends {resource_version}"),
        Change::ListEnd { resource_version, gap: Some(gap) } => {
            format!("list ends {resource_version} gap {:?} {} ms", gap.reason, gap.to_ms - gap.from_ms)
        }
        Change::ListAborted => "list aborted".to_owned(),
        Change::Put(object) => format!("put {}@{}", object.row.name, object.row.resource_version),
        Change::Delete { resource_version, .. } => format!("delete @{resource_version}"),
        Change::Error(problem) => format!("error {:?}", problem.reason),
        Change::Bookmark(version) => format!("bookmark {version}"),
        Change::LeftOut(left_out) => format!("left out {}", left_out.object),
    }
}

fn show_state(report: &StateReport) -> String {
    let mut text = match &report.state {
        ViewState::Syncing { n, of: None } => format!("= syncing {n}"),
        ViewState::Syncing { n, of: Some(of) } => format!("= syncing {n} of {of}"),
        ViewState::Live => "= live".to_owned(),
        ViewState::Resuming { .. } => "= resuming".to_owned(),
        ViewState::Stale { .. } => "= stale".to_owned(),
        ViewState::Polled { every_s } => format!("= polled {every_s}"),
        ViewState::Forbidden { .. } => "= forbidden".to_owned(),
        ViewState::Gone { .. } => "= gone".to_owned(),
        ViewState::Failed { .. } => "= failed".to_owned(),
        ViewState::Past(_) => "= past".to_owned(),
    };
    if let Some(problem) = &report.problem {
        text.push_str(&format!(", {}", problem.reason.words()));
    }
    if report.tries > 0 {
        text.push_str(&format!(", try {}", report.tries));
    }
    if report.next_try_ms.is_some() {
        text.push_str(", again");
    }
    text
}
