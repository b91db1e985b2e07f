//! A stream of what containers write: what is asked of it, and the events that its parts are. Pure.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::json;
use shared::frame::client::{LogAsked, LogTime};
use shared::frame::server::{ContainerKind, LogEntry, LogPart};

use super::event::{EventType, StreamEvent};

/// The parameters that are for logs alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogParameters {
    pub containers: Vec<Box<str>>,
    pub previous: Option<bool>,
    pub tail: Option<u32>,
    pub follow: Option<bool>,
}

impl LogParameters {
    pub fn are_given(&self) -> bool {
        *self != Self::default()
    }

    pub fn asked(&self, since: Option<LogTime>) -> LogAsked {
        LogAsked {
            containers: self.containers.clone(),
            previous: self.previous.unwrap_or_default(),
            once: self.follow == Some(false),
            since,
            tail: self.tail,
            ..LogAsked::default()
        }
    }
}

/// The names of the sources that were told. A reader of the stream keeps none, so each event has them.
#[derive(Debug, Default)]
pub struct LogEvents {
    names: BTreeMap<u32, (Box<str>, Box<str>)>,
}

impl LogEvents {
    /// The events that a part is, in its order.
    pub fn of(&mut self, part: LogPart) -> Vec<StreamEvent> {
        let mut events = Vec::with_capacity(part.sources.len() + part.entries.len() + 1);
        for source in part.sources {
            let names = json!({"pod": source.pod, "container": source.container});
            let mut event =
                StreamEvent::of(EventType::Source).with(&names).with(&json!({"state": source.state}));
            if source.kind != ContainerKind::Regular {
                event = event.with(&json!({"kind": source.kind}));
            }
            events.push(event);
            self.names.insert(source.n, (source.pod, source.container));
        }
        for entry in part.entries {
            events.extend(self.entry(entry));
        }
        if part.caught_up {
            events.push(StreamEvent::of(EventType::Sync));
        }
        events
    }

    fn entry(&self, entry: LogEntry) -> Option<StreamEvent> {
        let (pod, container) = self.names.get(&entry.n)?;
        let kind = if entry.text.is_some() { EventType::Line } else { EventType::Mark };
        let mut event = StreamEvent::of(kind).with(&json!({"pod": pod, "container": container}));
        if let Some(time) = entry.at.and_then(time_of) {
            event = event.with(&json!({"time": time}));
        }
        // What else it has is there under the names of the protocol.
        let LogEntry { text, cut, mark, exit_code, lines, problem, .. } = entry;
        let rest = LogEntry { text, cut, mark, exit_code, lines, problem, ..LogEntry::default() };
        event = event.with(&rest);
        event.fields.remove("n");
        Some(event)
    }
}

fn time_of(at: LogTime) -> Option<String> {
    let time = Timestamp::from_nanosecond(at.nanoseconds()).ok()?;
    Some(time.strftime("%Y-%m-%dT%H:%M:%S%.9fZ").to_string())
}
