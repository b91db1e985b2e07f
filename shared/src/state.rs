//! How fresh a view is: a state with its details. The page and `tail` make their texts from it. Never a colour or a
//! sentence.

use serde::{Deserialize, Serialize};

use crate::json::{self, Malformed, Read, Reader, fields, words};
use crate::past::PastState;
use crate::problem::Problem;

pub use crate::millis::UnixMillis;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewState {
    /// The first list is on its way.
    Syncing {
        /// Objects so far.
        n: u64,
        /// The number of objects in the whole list, if the server gives it (`remainingItemCount`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<u64>,
    },
    Live,
    /// Continuing after a break from where it stopped; shown only while a proof is young enough. `since_ms`: when the last
    /// proof was.
    Resuming {
        since_ms: UnixMillis,
    },
    /// The last proof is too old. `since_ms`: when it was, or when the gateway began to ask, where there was none.
    Stale {
        since_ms: UnixMillis,
    },
    /// No watch verb: listed anew at an interval.
    Polled {
        every_s: u32,
    },
    Forbidden {
        to: Whom,
    },
    /// The cluster no longer serves this resource.
    Gone {
        since_ms: UnixMillis,
    },
    /// The answer as a whole can't be read or is too large.
    Failed {
        since_ms: UnixMillis,
    },
    /// The view is as of a time, and stands still.
    Past(Box<PastState>),
}

/// The account that lacks the right: the viewer's or the gateway's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whom {
    You,
    Gateway,
}

/// A state, its cause, and when the gateway tries again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateReport {
    pub state: ViewState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    /// The number of failed tries in a row.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub tries: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_try_ms: Option<UnixMillis>,
}

impl StateReport {
    pub fn of(state: ViewState) -> Self {
        Self { state, problem: None, tries: 0, next_try_ms: None }
    }

    pub fn because(mut self, problem: Problem) -> Self {
        self.problem = Some(problem);
        self
    }
}

impl ViewState {
    /// Whether its rows may be read as the cluster's present.
    pub fn is_current(&self) -> bool {
        matches!(self, Self::Live | Self::Polled { .. })
    }
}

words! { Whom: "you" => You, "gateway" => Gateway }
fields! { StateReport: state; problem, tries, next_try_ms }

impl Read for ViewState {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        if json.peek() == Some(b'"') {
            return if json.text()? == "live" { Ok(Self::Live) } else { Err(Malformed) };
        }
        let mut state = None;
        json.object(&mut |json, name| {
            let read = match name {
                _ if state.is_some() => return Err(Malformed),
                "past" => Self::Past(Read::read(json)?),
                _ => Details::read(json)?.state(name).ok_or(Malformed)?,
            };
            state = Some(read);
            Ok(())
        })?;
        state.ok_or(Malformed)
    }
}

/// What states have, of whichever it is.
struct Details {
    n: Option<u64>,
    of: Option<u64>,
    since_ms: Option<UnixMillis>,
    every_s: Option<u32>,
    to: Option<Whom>,
}

fields! { Details: ; n, of, since_ms, every_s, to }

impl Details {
    fn state(self, name: &str) -> Option<ViewState> {
        let Self { n, of, since_ms, every_s, to } = self;
        Some(match name {
            "syncing" => ViewState::Syncing { n: n?, of },
            "resuming" => ViewState::Resuming { since_ms: since_ms? },
            "stale" => ViewState::Stale { since_ms: since_ms? },
            "polled" => ViewState::Polled { every_s: every_s? },
            "forbidden" => ViewState::Forbidden { to: to? },
            "gone" => ViewState::Gone { since_ms: since_ms? },
            "failed" => ViewState::Failed { since_ms: since_ms? },
            _ => return None,
        })
    }
}
