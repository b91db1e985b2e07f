//! The log of one container, as one view tells it: first the lines that are there already, then those that come. What is
//! older than what all readers share is asked for apart and joined with it, so that no line is lost or told twice.

use std::collections::VecDeque;
use std::sync::Arc;

use shared::frame::server::{ContainerKind, LogEntry, LogMark, LogSource, SourceState};
use shared::problem::{Problem, Reason};
use tokio::time::Instant;

use super::super::kept::Wanted;
use super::super::machine::{self, LogEntry as Read};
use super::super::places::LogPlace;
use super::super::streams::{LogEnd, LogKey, LogReader};
use super::super::told::{Passed, Skip};
use super::backlog::{Backlog, BacklogAsked, Ready};
use super::queue::SourceQueue;
use crate::limits::LOG_TRIES_MAX;

/// A container of a pod. A source owns its place among the viewer's logs, and what is read of its log.
pub struct Source {
    key: LogKey,
    queue: SourceQueue,
    /// What is there already, and isn't kept for all readers.
    backlog: Option<Backlog>,
    /// `None`: it isn't followed.
    reader: Option<LogReader>,
    stage: Stage,
    tries: u32,
    is_previous: bool,
    is_late: bool,
    /// The reader may have more than was taken.
    has_more: bool,
    /// The pod has gone; the log is read until then.
    ends_at: Option<Instant>,
    place: Option<LogPlace>,
}

/// How what all readers share follows on what was told.
enum Stage {
    /// It isn't known yet whether a line is missing between the two.
    Apart,
    /// It follows, behind what comes again. Nothing of it was told yet.
    Joined(Skip),
    /// Lines that are missed from now on are skipped.
    Live(Skip),
}

/// What a source is opened with.
pub struct Opening {
    pub n: u32,
    pub key: LogKey,
    pub kind: ContainerKind,
    pub wanted: Wanted,
    pub previous: bool,
    pub reader: Option<LogReader>,
    pub place: LogPlace,
}

/// How a backlog is asked for.
pub type Ask<'a> = &'a dyn Fn(&LogKey, bool, Wanted) -> BacklogAsked;

impl Source {
    fn new(n: u32, key: LogKey, kind: ContainerKind) -> Self {
        Self {
            key,
            queue: SourceQueue::new(n, kind),
            backlog: None,
            reader: None,
            stage: Stage::Apart,
            tries: 0,
            is_previous: false,
            is_late: false,
            has_more: false,
            ends_at: None,
            place: None,
        }
    }

    pub fn open(opening: Opening, ask: Ask<'_>) -> Self {
        let Opening { n, key, kind, wanted, previous, mut reader, place } = opening;
        let kept = reader.as_mut().and_then(|reader| reader.wanted(wanted));
        let mut source =
            Self { reader, is_previous: previous, place: Some(place), ..Self::new(n, key, kind) };
        (source.queue.told, source.queue.is_mute) = (wanted.told, wanted.tail == Some(0));
        match kept {
            Some(kept) => {
                for entry in &kept {
                    source.queue.tell(entry);
                }
                source.stage = Stage::Joined(Skip::default());
            }
            None => {
                let tail = wanted.tail.map(|tail| tail.max(1));
                source.backlog = Some(Backlog::ask(ask(&source.key, previous, Wanted { tail, ..wanted })));
            }
        }
        source
    }

    /// A source that can't be read.
    pub fn refused(n: u32, key: LogKey, kind: ContainerKind, problem: Problem) -> Self {
        let mut source = Self::new(n, key, kind);
        source.refuse(problem);
        source
    }

    pub fn key(&self) -> &LogKey {
        &self.key
    }

    /// Nothing more comes of it.
    pub fn is_over(&self) -> bool {
        self.backlog.is_none() && self.reader.is_none() && self.queue.entries.is_empty()
    }

    /// Whether its backlog is waited for, to be merged with the others'.
    pub fn is_awaited(&self) -> bool {
        self.backlog.is_some() && !self.is_late
    }

    /// Its backlog is told when it comes.
    pub fn tell_later(&mut self) {
        self.is_late = true;
    }

    pub fn front(&self) -> Option<&LogEntry> {
        self.queue.entries.front()
    }

    pub fn pop(&mut self) -> Option<LogEntry> {
        self.queue.entries.pop_front()
    }

    pub fn take_queue(&mut self) -> VecDeque<LogEntry> {
        std::mem::take(&mut self.queue.entries)
    }

    /// What the client is to be told of it.
    pub fn news(&mut self) -> Option<LogSource> {
        self.queue.news(&self.key)
    }

    /// The container is known to have another run now.
    pub fn look_now(&self) {
        self.reader.iter().for_each(LogReader::look_now);
    }

    /// The pod has gone: its log is read until then, unless it ends by itself.
    pub fn end_at(&mut self, at: Instant) {
        self.ends_at.get_or_insert(at);
    }

    pub fn ends_at(&self) -> Option<Instant> {
        self.ends_at.filter(|_| self.reader.is_some())
    }

    /// Returns when there may be more of it. Pending forever once it is over.
    pub async fn changed(&mut self) {
        match (&mut self.backlog, &mut self.reader) {
            _ if !self.queue.entries.is_empty() || self.queue.is_news || self.has_more => {}
            (Some(backlog), _) => backlog.changed().await,
            (None, Some(reader)) => reader.changed().await,
            (None, None) => std::future::pending().await,
        }
    }

    /// Reads the backlog on until there is an entry, if more of it is there now.
    pub fn fill_from_backlog(&mut self) {
        while self.queue.entries.is_empty() {
            let Some(backlog) = &mut self.backlog else { return };
            match backlog.take() {
                Ready::Entry(entry) => self.queue.tell(&entry),
                Ready::Waiting => return,
                Ready::Over(problem) => self.end_backlog(problem),
            }
        }
    }

    /// Reads on, of so many bytes at most.
    pub fn fill(&mut self, bytes_max: usize, now: Instant, ask: Ask<'_>) {
        self.fill_from_backlog();
        if self.backlog.is_some() || !self.queue.entries.is_empty() || !self.is_joined(ask) {
            return;
        }
        let Some(reader) = &mut self.reader else { return };
        let (part, end) = reader.take(bytes_max);
        self.has_more = !part.entries.is_empty();
        if part.skipped > 0 {
            match &self.stage {
                // What was missed is there still, at the kubelet.
                Stage::Joined(_) if self.queue.told.is_some() && self.tries < LOG_TRIES_MAX => {
                    return self.ask_again(ask);
                }
                Stage::Live(skip) if skip.is_over() => self.queue.put_skipped(part.skipped),
                _ => self.queue.put_mark(LogMark::MayMiss),
            }
        }
        for entry in &part.entries {
            self.pass(entry);
        }
        match end {
            Some(LogEnd { refused: Some(problem) }) => self.refuse(problem),
            Some(LogEnd { refused: None }) => self.end(),
            None if part.entries.is_empty() && self.ends_at.is_some_and(|at| at <= now) => {
                self.queue.put_mark(LogMark::Deleted);
                self.end();
            }
            None => {}
        }
    }

    /// Whether what all readers share follows on what was told. What is missing between is asked for.
    fn is_joined(&mut self, ask: Ask<'_>) -> bool {
        let Some(reader) = &self.reader else { return false };
        if !matches!(self.stage, Stage::Apart) {
            return true;
        }
        let covers = match self.queue.told {
            Some(told) => reader.covers(told.at_ns),
            // There was no line at all before.
            None => reader.covers(i128::MIN),
        };
        if covers == Some(false) && self.tries < LOG_TRIES_MAX {
            self.ask_again(ask);
            return false;
        }
        // Without a line there is nothing to join, but it may have ended.
        if covers.is_some() {
            self.stage = Stage::Joined(Skip::of(self.queue.told));
        }
        true
    }

    /// Asks for all that was written since the last line that was told.
    fn ask_again(&mut self, ask: Ask<'_>) {
        self.tries += 1;
        self.has_more = false;
        self.stage = Stage::Apart;
        let wanted = Wanted { told: self.queue.told, tail: None };
        self.backlog = Some(Backlog::ask(ask(&self.key, self.is_previous, wanted)));
    }

    fn end_backlog(&mut self, problem: Option<Problem>) {
        self.backlog = None;
        self.queue.is_mute = false;
        match (problem, &self.reader) {
            (Some(problem), None) => self.refuse(problem),
            (Some(problem), Some(_)) if problem.reason == Reason::Forbidden => self.refuse(problem),
            // There is no log yet, or the pod has gone, which the reader is told.
            (Some(Problem { reason: Reason::BadRequest | Reason::NotFound, .. }), Some(_)) => {}
            (Some(_), Some(_)) => self.queue.put_mark(LogMark::MayMiss),
            (None, Some(_)) => {}
            (None, None) => self.end(),
        }
    }

    /// An entry that all readers are told.
    fn pass(&mut self, entry: &Arc<Read>) {
        let (Stage::Joined(skip) | Stage::Live(skip)) = &mut self.stage else { return };
        match &**entry {
            Read::Line(line) => {
                let passed = skip.pass(line.at_ns);
                match passed {
                    Passed::Again => return,
                    Passed::New => {}
                    Passed::NewBehindAGap => self.queue.put_mark(LogMark::MayMiss),
                }
            }
            Read::Mark(machine::LogMark::Ended { .. } | machine::LogMark::Deleted) => {}
            Read::Mark(_) if !skip.is_at_end() => return,
            Read::Mark(_) => {}
        }
        if let Stage::Joined(skip) = self.stage {
            self.stage = Stage::Live(skip);
        }
        self.queue.tell(entry);
    }

    fn refuse(&mut self, problem: Problem) {
        self.queue.put_problem(problem);
        self.leave(SourceState::Refused);
    }

    fn end(&mut self) {
        self.leave(SourceState::Ended);
    }

    fn leave(&mut self, state: SourceState) {
        (self.backlog, self.reader, self.place) = (None, None, None);
        self.has_more = false;
        self.queue.set_state(state);
    }
}
