//! How the log of one container is kept up: what is asked for, what of the answers is told, and what is said between the
//! lines. Pure: heads, bytes and ends of answers go in, and what the pod's status says.
//!
//! A log is continued from the second of its last line, because the API server tells a kubelet whole seconds alone. What
//! was told up to that line is dropped, also where several lines have its time. Files that a kubelet has rotated
//! away aren't served, so whether anything is missing can be noticed and not proven: where the last lines aren't there any
//! more, a mark says that lines may be missing.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::line::{LineSplitter, LogLine};

/// The first pause before the pod is looked at again, and the longest.
const PAUSE_MS_MIN: u64 = 250;
const PAUSE_MS_MAX: u64 = 10_000;

/// Lines of one time that are known again, the newest of them. A runtime gives each line a time of its own, so there are
/// few; what is over this may be told twice.
const SAME_TIME_MAX: usize = 1_000;

const NS_PER_S: i128 = 1_000_000_000;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum LogInput<'b> {
    Bytes(&'b [u8]),
    /// The answer is over, as the API server says.
    Ended,
    /// The answer broke off, or there was none.
    Broken,
    /// The API server or the kubelet says that there is no such log now.
    Refused,
    /// What the pod's status says of the container. `None`: there is no such pod any more.
    Looked(Option<Container>),
    /// The pause is over.
    Due,
}

/// A container, as far as its logs are concerned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Container {
    /// The run whose log is given, by its id. `None`: it hasn't begun.
    pub run: Option<Box<str>>,
    pub is_running: bool,
    /// The run before that one.
    pub before: Option<EndedRun>,
    /// When the run began.
    pub began_s: Option<i64>,
    /// How and when the run has ended, if it has.
    pub exit_code: Option<i64>,
    pub ended_s: Option<i64>,
    /// No other run will come.
    pub is_over: bool,
}

/// A run of a container that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct EndedRun {
    pub id: Box<str>,
    pub exit_code: i64,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum LogOutput {
    Ask(LogQuestion),
    /// Look at the pod's status.
    Look,
    /// Say `Due` after so long.
    Wait(u64),
    Tell(LogEntry),
    /// Nothing more comes.
    Over,
}

/// Which part of a log is asked for, with times, and followed to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogQuestion {
    pub previous: bool,
    /// `None`: from its beginning, or by `tail`.
    pub since_s: Option<i64>,
    /// The last lines alone.
    pub tail: Option<u64>,
}

/// What is told to readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogEntry {
    Line(LogLine),
    Mark(LogMark),
}

/// What happened between two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogMark {
    /// Another run begins. `exit_code`: of the one before. `at_s`: by the clock of the node.
    Restarted { exit_code: Option<i64>, at_s: Option<i64> },
    /// Lines may be missing here.
    MayMiss,
    /// The container has ended for good.
    Ended { exit_code: Option<i64>, at_s: Option<i64> },
    /// The pod is gone.
    Deleted,
}

/// The time of the newest line that was told, and the lines that have it, by their hashes.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    at_ns: i128,
    lines: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Looking,
    /// `known`: how many of the lines with the newest time came again, while those are read that were told before.
    Reading {
        previous: bool,
        known: Option<usize>,
    },
    Pausing,
    Over,
}

/// The log of one container, over breaks and restarts. It owns where the log stands: the run that is read, and the time of
/// the last line. [`LogMachine::begin`] says what to do first, and [`LogMachine::handle`] what follows from an input; the
/// rim does it and comes back. An input that isn't waited for changes nothing.
#[derive(Debug)]
pub struct LogMachine {
    state: State,
    splitter: LineSplitter,
    /// The last lines that are asked for at first.
    tail: u64,
    run: Option<Box<str>>,
    /// The run has ended, and what it wrote was read to its end.
    is_read: bool,
    /// The answer that is read was asked for after the run had ended.
    is_last_answer: bool,
    seen: Option<Seen>,
    pause_ms: u64,
    outputs: Vec<LogOutput>,
}

impl LogMachine {
    /// `tail`: how many of the lines that are there already are wanted.
    pub fn begin(tail: u64) -> (Self, Vec<LogOutput>) {
        let machine = Self {
            state: State::Looking,
            splitter: LineSplitter::default(),
            tail,
            run: None,
            is_read: false,
            is_last_answer: false,
            seen: None,
            pause_ms: PAUSE_MS_MIN,
            outputs: Vec::new(),
        };
        (machine, vec![LogOutput::Look])
    }

    pub fn handle(&mut self, input: LogInput<'_>) -> Vec<LogOutput> {
        match (self.state, input) {
            (State::Looking, LogInput::Looked(found)) => self.looked(found),
            (State::Looking, LogInput::Broken) => self.pause(),
            (State::Pausing, LogInput::Due) => self.look(),
            (State::Reading { .. }, LogInput::Bytes(bytes)) => {
                for line in self.splitter.push(bytes) {
                    self.line(line);
                }
            }
            (State::Reading { previous, .. }, LogInput::Ended) => self.ended(previous),
            (State::Reading { .. }, LogInput::Broken) => self.pause(),
            (State::Reading { previous, .. }, LogInput::Refused) => {
                if previous {
                    // The kubelet has removed it.
                    self.tell(LogMark::MayMiss);
                    self.is_read = true;
                }
                self.pause();
            }
            _ => {}
        }
        std::mem::take(&mut self.outputs)
    }

    fn looked(&mut self, found: Option<Container>) {
        let Some(container) = found else {
            self.tell(LogMark::Deleted);
            return self.over();
        };
        match (self.run.take(), container.run.clone()) {
            (_, None) if container.is_over => {
                self.tell(LogMark::Ended { exit_code: container.exit_code, at_s: container.ended_s });
                self.over();
            }
            (run, None) => {
                self.run = run;
                self.pause();
            }
            (None, Some(first)) => {
                self.run = Some(first);
                self.is_last_answer = !container.is_running;
                self.ask(LogQuestion { previous: false, since_s: None, tail: Some(self.tail) }, None);
            }
            (Some(known), Some(now)) if known == now => {
                self.run = Some(now);
                self.same_run(&container);
            }
            (Some(known), Some(now)) => self.another_run(known, now, &container),
        }
    }

    fn same_run(&mut self, container: &Container) {
        if !self.is_read {
            self.is_last_answer = !container.is_running;
            return self.go_on(false);
        }
        if container.is_over {
            self.tell(LogMark::Ended { exit_code: container.exit_code, at_s: container.ended_s });
            return self.over();
        }
        self.pause();
    }

    fn another_run(&mut self, known: Box<str>, now: Box<str>, container: &Container) {
        let before = container.before.as_ref().filter(|before| before.id == known);
        if !self.is_read && before.is_some() {
            self.run = Some(known);
            return self.go_on(true);
        }
        if before.is_none() {
            // There was a run between them.
            self.tell(LogMark::MayMiss);
        }
        self.tell(LogMark::Restarted {
            exit_code: before.map(|before| before.exit_code),
            at_s: container.began_s,
        });
        (self.run, self.seen, self.is_read) = (Some(now), None, false);
        self.is_last_answer = !container.is_running;
        self.ask(LogQuestion { previous: false, since_s: None, tail: None }, None);
    }

    /// Asks for what follows the last line.
    fn go_on(&mut self, previous: bool) {
        let since_s = self.seen.as_ref().and_then(|seen| i64::try_from(seen.at_ns.div_euclid(NS_PER_S)).ok());
        let tail = since_s.is_none().then_some(self.tail);
        self.ask(LogQuestion { previous, since_s, tail }, since_s.map(|_| 0));
    }

    fn ask(&mut self, question: LogQuestion, known: Option<usize>) {
        self.splitter.forget();
        self.state = State::Reading { previous: question.previous, known };
        self.outputs.push(LogOutput::Ask(question));
    }

    fn ended(&mut self, previous: bool) {
        if let Some(line) = self.splitter.finish() {
            self.line(line);
        }
        if previous || self.is_last_answer {
            self.is_read = true;
            return self.look();
        }
        if self.pause_ms > PAUSE_MS_MIN {
            // The answer before this one ended without a line as well.
            return self.pause();
        }
        self.pause_ms *= 2;
        self.look();
    }

    fn line(&mut self, line: LogLine) {
        let State::Reading { previous, known } = self.state else { return };
        let hash = hash_of(&line);
        if let (Some(known), Some(seen)) = (known, &self.seen) {
            let rest = seen.lines.get(known..).unwrap_or_default();
            match line.at_ns {
                Some(at_ns) if at_ns >= seen.at_ns => {
                    let place = rest.iter().position(|one| *one == hash).filter(|_| at_ns == seen.at_ns);
                    self.state = State::Reading { previous, known: place.map(|place| known + place + 1) };
                    if place.is_some() {
                        return;
                    }
                    if known == 0 {
                        // None of the lines is there any more after which the log goes on.
                        self.tell(LogMark::MayMiss);
                    }
                }
                _ => return,
            }
        }
        if let Some(at_ns) = line.at_ns {
            match &mut self.seen {
                Some(seen) if seen.at_ns == at_ns => {
                    if seen.lines.len() >= SAME_TIME_MAX {
                        seen.lines.remove(0);
                    }
                    seen.lines.push(hash);
                }
                // A line that comes late doesn't move where the log goes on.
                Some(seen) if seen.at_ns > at_ns => {}
                seen => *seen = Some(Seen { at_ns, lines: vec![hash] }),
            }
        }
        self.pause_ms = PAUSE_MS_MIN;
        self.outputs.push(LogOutput::Tell(LogEntry::Line(line)));
    }

    fn tell(&mut self, mark: LogMark) {
        self.outputs.push(LogOutput::Tell(LogEntry::Mark(mark)));
    }

    fn look(&mut self) {
        self.state = State::Looking;
        self.outputs.push(LogOutput::Look);
    }

    fn pause(&mut self) {
        self.splitter.forget();
        self.state = State::Pausing;
        self.outputs.push(LogOutput::Wait(self.pause_ms));
        self.pause_ms = (self.pause_ms * 2).min(PAUSE_MS_MAX);
    }

    fn over(&mut self) {
        self.state = State::Over;
        self.outputs.push(LogOutput::Over);
    }
}

fn hash_of(line: &LogLine) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&line.text, line.cut_bytes).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
