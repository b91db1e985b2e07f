//! What a viewer is told next of one container: its state, and the lines and marks that wait.

use std::collections::VecDeque;

use shared::frame::client::LogTime;
use shared::frame::server::{ContainerKind, LogEntry, LogMark, LogSource, SourceState};
use shared::problem::Problem;

use super::super::machine::{self, LogEntry as Read};
use super::super::streams::LogKey;
use super::super::told::Told;
use super::merge::Timed;
use crate::clock::gateway_ms;

/// What waits to be told of a source. It owns the state that the client knows, and how far the log was told.
pub struct SourceQueue {
    n: u32,
    kind: ContainerKind,
    state: SourceState,
    /// The client knows another state, or none.
    pub is_news: bool,
    pub entries: VecDeque<LogEntry>,
    pub told: Option<Told>,
    /// What is read says where the log stands, and isn't wanted itself.
    pub is_mute: bool,
}

impl Timed for LogEntry {
    fn at_ns(&self) -> Option<i128> {
        // The time of a mark is of another clock than those of the lines: a mark stands where the line before it does.
        self.mark.is_none().then_some(self.at?.nanoseconds())
    }
}

impl SourceQueue {
    pub fn new(n: u32, kind: ContainerKind) -> Self {
        Self {
            n,
            kind,
            state: SourceState::Waiting,
            is_news: true,
            entries: VecDeque::new(),
            told: None,
            is_mute: false,
        }
    }

    /// What the client is to be told of the source.
    pub fn news(&mut self, key: &LogKey) -> Option<LogSource> {
        std::mem::take(&mut self.is_news).then(|| LogSource {
            n: self.n,
            pod: key.pod.as_str().into(),
            container: key.container.clone(),
            kind: self.kind,
            state: self.state,
        })
    }

    pub fn tell(&mut self, entry: &Read) {
        match entry {
            Read::Line(line) => {
                Told::note(&mut self.told, line.at_ns);
                self.set_state(SourceState::Read);
                if !self.is_mute {
                    self.entries.push_back(LogEntry {
                        n: self.n,
                        at: line.at_ns.and_then(LogTime::of_nanoseconds),
                        text: Some(line.text.clone()),
                        cut: line.cut_bytes,
                        ..LogEntry::default()
                    });
                }
            }
            Read::Mark(mark) => {
                let (mark, exit_code, at_s) = match *mark {
                    machine::LogMark::Restarted { exit_code, at_s } => (LogMark::Restarted, exit_code, at_s),
                    machine::LogMark::Ended { exit_code, at_s } => (LogMark::Ended, exit_code, at_s),
                    machine::LogMark::MayMiss => (LogMark::MayMiss, None, None),
                    machine::LogMark::Deleted => (LogMark::Deleted, None, None),
                };
                let told = self.mark(mark);
                let at = at_s.map(|at_s| LogTime { ms: at_s * 1_000, ns: 0 }).or(told.at);
                self.entries.push_back(LogEntry { exit_code, at, ..told });
            }
        }
    }

    fn mark(&self, mark: LogMark) -> LogEntry {
        let at = Some(LogTime { ms: gateway_ms(), ns: 0 });
        LogEntry { n: self.n, at, mark: Some(mark), ..LogEntry::default() }
    }

    pub fn put_mark(&mut self, mark: LogMark) {
        let entry = self.mark(mark);
        self.entries.push_back(entry);
    }

    pub fn put_skipped(&mut self, lines: u64) {
        let entry = LogEntry { lines, ..self.mark(LogMark::Skipped) };
        self.entries.push_back(entry);
    }

    pub fn put_problem(&mut self, problem: Problem) {
        let entry = LogEntry { problem: Some(problem), ..self.mark(LogMark::Refused) };
        self.entries.push_back(entry);
    }

    pub fn set_state(&mut self, state: SourceState) {
        self.is_news |= self.state != state;
        self.state = state;
    }
}
