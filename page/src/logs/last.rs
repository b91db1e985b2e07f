//! The last lines of one run of a container, with which the overview of its pod begins. They are asked for once a run, and
//! what is refused isn't asked for again. Never followed.

use shared::frame::client::{LogAsked, SubscriptionId};
use shared::frame::server::LogPart;
use shared::problem::{Problem, Reason};
use shared::scope::Scope;

use super::draw::{in_one_row, stamp};
use super::json;
use super::level::Level;
use super::model::RowPiece;
use super::settings::Settings;
use super::shown::LogsShown;
use super::text::Text;
use super::withheld::is_withheld;
use super::words;
use crate::detail::failing::FailedRun;
use crate::limits::LOGS_LAST_LINES;
use crate::table_view::Client;

/// The run whose last lines are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct LastWanted {
    pub(crate) scope: Scope,
    pub(crate) failed: FailedRun,
}

/// The last lines as they are drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastView {
    pub container: String,
    /// Which of its runs wrote them, where it isn't the present one.
    pub run: &'static str,
    pub lines: Vec<LastLine>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastLine {
    /// Its whole time.
    pub time: String,
    pub level: Option<Level>,
    pub pieces: Vec<RowPiece>,
}

#[derive(Debug, Default)]
pub(super) struct Last {
    state: State,
    /// What the state is about.
    of: Option<LastWanted>,
    /// What was told of the run that is asked for.
    told: Vec<LastLine>,
    /// A [`LastView`], also while another run is asked for, or nothing.
    shown: LogsShown,
}

#[derive(Debug, Default, PartialEq)]
enum State {
    #[default]
    NotAsked,
    Asked(SubscriptionId),
    /// Nothing more comes of this run.
    Over,
    /// The reader may not read it.
    Refused,
}

impl Last {
    /// `None`: nothing is wanted now. Returns whether there is something else to draw.
    pub(super) fn follow(&mut self, wanted: Option<&LastWanted>, client: &mut Client) -> bool {
        let Some(wanted) = wanted else {
            self.end(client);
            return false;
        };
        if self.of.as_ref().is_none_or(|of| !of.failed.is_of_run(&wanted.failed)) {
            self.end(client);
            if self.state == State::Over {
                self.state = State::NotAsked;
            }
            self.told.clear();
        }
        // The same run is the previous one once its container waits.
        self.of = Some(wanted.clone());
        match self.state {
            State::NotAsked => self.ask(wanted, client),
            State::Asked(_) if !client.has_reader() => self.end(client),
            State::Asked(id) => {
                let parts: Vec<LogPart> =
                    client.take_logs(id).into_iter().filter_map(|answer| answer.read()).collect();
                return parts.into_iter().fold(false, |is_new, part| self.came(part, id, client) | is_new);
            }
            State::Over | State::Refused => {}
        }
        false
    }

    fn ask(&mut self, wanted: &LastWanted, client: &mut Client) {
        let asked = LogAsked {
            containers: vec![wanted.failed.container.clone()],
            previous: wanted.failed.is_previous,
            once: true,
            tail: Some(LOGS_LAST_LINES),
            ..LogAsked::default()
        };
        self.told.clear();
        if let Some(id) = client.open_logs(wanted.scope.clone(), asked) {
            self.state = State::Asked(id);
        }
    }

    fn end(&mut self, client: &mut Client) {
        if let State::Asked(id) = self.state {
            client.close_logs(id, false);
            self.state = State::NotAsked;
        }
    }

    fn came(&mut self, part: LogPart, id: SubscriptionId, client: &mut Client) -> bool {
        for entry in part.entries {
            let Some(text) = entry.text else { continue };
            let text = Text::read(&text);
            let held = self.told.last().and_then(|line| line.level);
            self.told.push(LastLine {
                time: entry.at.map(stamp).unwrap_or_default(),
                level: Level::of_line(&text.text, held),
                pieces: in_one_row(&text, json::looks_so(&text.text), entry.cut),
            });
        }
        if !part.over {
            return false;
        }
        client.close_logs(id, true);
        self.state = State::Over;
        let lines = std::mem::take(&mut self.told);
        let of = self.of.as_ref().map(|of| &of.failed).filter(|_| !lines.is_empty());
        self.shown = of.map_or_else(LogsShown::default, |of| {
            let run = if of.is_previous { words::OF_PREVIOUS_RUN } else { "" };
            LogsShown::new(LastView { container: of.container.to_string(), run, lines })
        });
        true
    }

    /// Returns whether it was about these lines.
    pub(super) fn failed(&mut self, id: SubscriptionId, problem: &Problem) -> bool {
        if self.state != State::Asked(id) {
            return false;
        }
        self.state = match problem.reason {
            Reason::ConnectionClosed => State::NotAsked,
            _ if is_withheld(problem) => {
                self.shown = LogsShown::default();
                State::Refused
            }
            _ => State::Over,
        };
        true
    }

    pub(super) fn shown(&self) -> LogsShown {
        self.shown.clone()
    }

    /// What the address says of the logs where all lines of the container are read.
    pub(super) fn settings(&self) -> Option<Box<str>> {
        let of = self.of.as_ref().map(|of| &of.failed).filter(|of| !of.is_only)?;
        Settings { containers: vec![of.container.clone()], ..Settings::default() }.write()
    }
}
