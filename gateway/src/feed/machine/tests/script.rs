//! A scripted API server: a test is the whole conversation, line by line. Lines with `<` are what
//! comes in, with `+` the time that passes; every other line is what the machine does, and all of
//! it must be there.

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
use crate::feed::{FeedCommand, Object};

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
            options: FeedOptions::default(),
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
        "ask watchlist
         = syncing 0
         < open
         < mark 5
         columns Name
         list starts
         list ends 5
         proven
         = live
         {rest}"
    )
}

impl Script {
    pub(super) fn check(self, conversation: &str) {
        let mut stage = Stage::new(self);
        let lines = conversation.lines().map(str::trim).filter(|line| !line.is_empty());
        let mut said = stage.take_outputs();
        let mut transcript = said.clone();
        let mut expected = Vec::new();
        for line in lines {
            expected.push(line.to_owned());
            if line.starts_with(['<', '+']) {
                stage.feed(line);
                said = stage.take_outputs();
                transcript.push(line.to_owned());
                transcript.append(&mut said);
            }
        }
        assert_eq!(
            transcript.join("\n"),
            expected.join("\n"),
            "\nthe conversation was:\n{}\n",
            transcript.join("\n")
        );
    }
}

struct Stage {
    machine: Machine,
    now_ms: UnixMillis,
    columns: Arc<[Column]>,
    outputs: Vec<String>,
}

impl Stage {
    fn new(script: Script) -> Self {
        let cluster = ClusterName::parse("c").expect("a name");
        let key = FeedKey::of(cluster, Resource::parse("", "v1", "pods").expect("a resource"));
        let machine = {
            let stands_at = script.stands_at.map(ResourceVersion::new);
            Machine::new(&key, script.capabilities, script.options, stands_at, 7, START_MS)
        };
        Self { machine, now_ms: START_MS, columns: columns("Name"), outputs: Vec::new() }
    }

    fn feed(&mut self, line: &str) {
        if let Some(time) = line.strip_prefix('+') {
            return self.pass(time.trim());
        }
        let words: Vec<&str> = line.trim_start_matches('<').split_whitespace().collect();
        let input = self.input(&words).unwrap_or_else(|| panic!("not a line of the script: {line}"));
        self.machine.handle(input, self.now_ms);
        self.collect();
    }

    /// As the driver does: at every deadline in between.
    fn pass(&mut self, time: &str) {
        let target_ms = match (time, &self.machine.state) {
            ("pause", State::Waiting { until_ms, .. }) => *until_ms,
            ("pause", other) => panic!("nothing is waited for in {other:?}"),
            (time, _) => self.now_ms + milliseconds(time),
        };
        loop {
            let deadline_ms = self.machine.deadline_ms();
            assert!(deadline_ms > self.now_ms || deadline_ms == i64::MAX || target_ms >= self.now_ms);
            let next_ms = deadline_ms.clamp(self.now_ms, target_ms);
            self.now_ms = next_ms;
            self.machine.handle(Input::Tick, self.now_ms);
            self.collect();
            if next_ms >= target_ms {
                return;
            }
            assert!(self.machine.deadline_ms() > self.now_ms, "the machine would spin");
        }
    }

    fn input(&mut self, words: &[&str]) -> Option<Input> {
        let main = RequestSlot::Main;
        Some(match words {
            ["open"] => Input::Opened { slot: main, date_ms: None },
            ["columns", name] => {
                self.columns = columns(name);
                return Some(Input::Event(self.event(What::Bookmark { ends_initial: false }, "", true)));
            }
            ["added", at] => Input::Event(self.event(What::Added(object(at)), version_of(at), true)),
            ["modified", at] => Input::Event(self.event(What::Modified(object(at)), version_of(at), false)),
            ["deleted", at] => Input::Event(self.event(What::Deleted(id(at)), version_of(at), false)),
            ["mark", version] => {
                Input::Event(self.event(What::Bookmark { ends_initial: true }, version, true))
            }
            ["bookmark", version] => {
                Input::Event(self.event(What::Bookmark { ends_initial: false }, version, false))
            }
            ["unknown"] => Input::Event(self.event(What::Unknown, "", false)),
            ["error", code] => Input::Event(self.event(What::Error(refusal(code, None)), "", false)),
            ["left", "out", name] => Input::Event(self.event(
                What::LeftOut(crate::feed::event::LeftOut {
                    object: (*name).into(),
                    problem: Problem::new(Reason::TooLarge, "too large"),
                }),
                "",
                false,
            )),
            ["page", version, rest @ ..] => Input::Page(self.page(version, rest)),
            ["end"] => Input::Ended,
            ["status", code] => Input::Failed { slot: main, failure: Failure::Refused(refusal(code, None)) },
            ["status", code, "after", seconds] => {
                let seconds = seconds.parse().ok();
                Input::Failed { slot: main, failure: Failure::Refused(refusal(code, seconds)) }
            }
            ["status", code, "of", "no", "Status"] => {
                let refusal = Refusal { is_status: false, ..refusal(code, None) };
                Input::Failed { slot: main, failure: Failure::Refused(refusal) }
            }
            ["broken"] => Input::Failed { slot: main, failure: broken() },
            ["timed", "out"] => Input::Failed { slot: main, failure: timed_out() },
            ["unreadable"] => Input::Unreadable { slot: main },
            ["proof", "status", code] => {
                Input::Failed { slot: RequestSlot::Proof, failure: Failure::Refused(refusal(code, None)) }
            }
            ["proof", "broken"] => Input::Failed { slot: RequestSlot::Proof, failure: broken() },
            ["proof", version] => Input::Proof { version: (*version).into(), columns: None },
            ["proof", version, "columns", name] => {
                Input::Proof { version: (*version).into(), columns: Some(columns(name)) }
            }
            ["refreshed"] => Input::Refreshed(Ok(())),
            ["refresh", "failed"] => {
                Input::Refreshed(Err(Problem::new(Reason::Configuration, "the plugin failed")))
            }
            ["retry"] => Input::Command(FeedCommand::Retry),
            ["stands", "at", version] => Input::Command(FeedCommand::StandsAt((*version).into())),
            _ => return None,
        })
    }

    fn event(&self, what: What, version: &str, says_columns: bool) -> Event {
        Event {
            columns: says_columns.then(|| Arc::clone(&self.columns)),
            resource_version: version.into(),
            what,
        }
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

    fn take_outputs(&mut self) -> Vec<String> {
        self.collect();
        std::mem::take(&mut self.outputs)
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

fn refusal(code: &str, retry_after_s: Option<u64>) -> Refusal {
    Refusal { code: code.parse().expect("a code"), retry_after_s, is_status: true }
}

fn timed_out() -> Failure {
    Failure::Broken(Problem::new(Reason::TimedOut, "timed out"))
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
        labels: Arc::from([]),
        body: Bytes::new(),
        managed: Default::default(),
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
        Change::LeftOut { object, .. } => format!("left out {object}"),
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
