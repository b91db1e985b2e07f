//! The answers to a question for logs. A client reads one where it shows logs, so that a page has the code for it in a piece
//! that is fetched then.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::client::SubscriptionId;
use crate::json::{self, Malformed, Read, Reader, fields, words};
pub use crate::log_time::LogTime;
use crate::problem::Problem;

/// An answer that isn't read yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogAnswer {
    pub id: SubscriptionId,
    part: Box<RawValue>,
}

/// Sources that are new or have changed, and what they wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPart {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<LogSource>,
    /// In the order in which they are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<LogEntry>,
    /// From here on each line is told when it comes: what was there already has been told, once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub caught_up: bool,
    /// Nothing more comes, and the `id` is free.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over: bool,
}

/// The log of one container of one pod. A pod that comes again under its name is another source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogSource {
    /// What entries name it by, from 0 on.
    pub n: u32,
    pub pod: Box<str>,
    pub container: Box<str>,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub kind: ContainerKind,
    pub state: SourceState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContainerKind {
    #[default]
    Regular,
    /// It runs before the regular ones, or beside them from before on.
    Init,
    /// It was added to look into the pod.
    Ephemeral,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceState {
    /// The container has written nothing yet, or the gateway asks for it.
    Waiting,
    Read,
    /// Nothing more comes of it.
    Ended,
    /// It can't be read. A mark says why.
    Refused,
    /// A state that only a newer gateway knows.
    #[default]
    #[serde(other)]
    Unknown,
}

/// A line, or what happened between two lines of its source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    /// The number of its source.
    pub n: u32,
    /// When a line was written (absent: nothing says so), or when the gateway noticed what a mark says, by its own clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<LogTime>,
    /// The line, with its control characters. Absent: it is a mark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Box<str>>,
    /// So many bytes were cut off its end.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub cut: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<LogMark>,
    /// For `restarted`, of the run before, and for `ended`; absent where it isn't known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// For `skipped`.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub lines: u64,
    /// For `refused`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogMark {
    /// Another run of the container begins.
    Restarted,
    /// Lines may be missing here.
    MayMiss,
    /// The container has ended, and no other run comes.
    Ended,
    /// The pod is gone.
    Deleted,
    /// The client, or the gateway, didn't read so fast: so many `lines` weren't told.
    Skipped,
    /// This source can't be read, or not any longer. The others go on.
    Refused,
    /// A mark that only a newer gateway knows.
    #[default]
    #[serde(other)]
    Unknown,
}

impl LogAnswer {
    /// `None`: it can't be written, which every part can.
    #[must_use]
    pub fn of(id: SubscriptionId, part: &LogPart) -> Option<Self> {
        Some(Self { id, part: serde_json::value::to_raw_value(part).ok()? })
    }

    /// `None`: it isn't an answer that this version knows.
    #[must_use]
    pub fn read(&self) -> Option<LogPart> {
        json::read(self.part.get()).ok()
    }
}

impl PartialEq for LogAnswer {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.part.get() == other.part.get()
    }
}

impl Eq for LogAnswer {}

fields! { LogPart: ; sources, entries, caught_up, over }
fields! { LogSource: n, pod, container, state; kind }
fields! { LogEntry: n; at, text, cut, mark, exit_code, lines, problem }
words! { ContainerKind: "regular" => Regular, "init" => Init, "ephemeral" => Ephemeral }
words! {
    SourceState: "waiting" => Waiting, "read" => Read, "ended" => Ended, "refused" => Refused; else Unknown
}
words! {
    LogMark: "restarted" => Restarted, "may_miss" => MayMiss, "ended" => Ended, "deleted" => Deleted,
    "skipped" => Skipped, "refused" => Refused; else Unknown
}

impl Read for LogAnswer {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        let (mut id, mut part) = (None, None);
        json.object(&mut |json, name| match name {
            "id" => json.field(&mut id),
            "part" => json.field(&mut part),
            _ => json.skip(),
        })?;
        Ok(Self { id: id.ok_or(Malformed)?, part: part.ok_or(Malformed)? })
    }
}
