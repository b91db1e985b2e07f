//! The lines of the changes: one for each event, and one for each other field of an event that is unfolded.

use std::collections::BTreeSet;
use std::sync::Arc;

use replica::timeline::TimelineView;
use shared::frame::timeline::{Entry, EntryType};
use shared::state::UnixMillis;

use crate::detail::history::{self, Body, FieldLine};
use crate::log::Log;
use crate::messages::{self, Zone};
use crate::model::{LogBody, LogLine};
use crate::table_view::Client;

/// Where each shown entry stands among the lines.
pub(super) struct Rows {
    /// The places of the unfolded entries among the shown ones, each with its number of further lines.
    open: Vec<(usize, usize)>,
    entries: usize,
}

impl Rows {
    pub(super) fn of(log: &Log, unfolded: &BTreeSet<u64>, timeline: &TimelineView) -> Self {
        let place = |number: &u64| {
            let at = log.shown.binary_search(number).ok()?;
            Some((at, others(timeline.entry(*number)?)))
        };
        Self { open: unfolded.iter().filter_map(place).collect(), entries: log.shown.len() }
    }

    pub(super) fn count(&self) -> usize {
        self.entries + self.open.iter().map(|(_, lines)| lines).sum::<usize>()
    }

    /// The line of an entry.
    pub(super) fn of_entry(&self, at: usize) -> usize {
        let before = self.open.iter().take_while(|(open, _)| *open < at);
        at + before.map(|(_, lines)| lines).sum::<usize>()
    }

    /// The entry of a line, and which of its lines that is.
    pub(super) fn entry(&self, row: usize) -> (usize, usize) {
        let mut before = 0;
        for (at, lines) in &self.open {
            let first = at + before;
            if row <= first {
                break;
            }
            if row <= first + lines {
                return (*at, row - first);
            }
            before += lines;
        }
        (row - before, 0)
    }
}

/// How many lines an entry has beside the first.
pub(super) fn others(entry: &Entry) -> usize {
    others_of(&history::fields(entry), entry)
}

fn others_of(fields: &[FieldLine], entry: &Entry) -> usize {
    let others = fields.len().saturating_sub(1);
    others + usize::from(others > 0 && entry.fields_more > 0)
}

/// What the lines are made from.
pub(super) struct Lines<'a> {
    pub(super) client: &'a Client,
    pub(super) timeline: &'a TimelineView,
    pub(super) focused: Option<u64>,
    pub(super) unfolded: &'a BTreeSet<u64>,
    /// When the reader opened the changes.
    pub(super) since_ms: UnixMillis,
    pub(super) zone: Zone,
}

impl Lines<'_> {
    pub(super) fn line(&self, number: u64, part: usize) -> Option<Arc<LogLine>> {
        let entry = self.timeline.entry(number)?;
        let fields = history::fields(entry);
        let line = self.first(number, entry, &fields);
        if part == 0 {
            return Some(Arc::new(line));
        }
        let body = match fields.into_iter().nth(part) {
            Some(field) => LogBody::Field(field),
            None => LogBody::Words(messages::more_fields(entry.fields_more)),
        };
        Some(Arc::new(LogLine { part, body, is_unfolded: None, has_focus: false, ..line }))
    }

    fn first(&self, number: u64, entry: &Entry, fields: &[FieldLine]) -> LogLine {
        let Self { client, zone, .. } = *self;
        let item = history::item(number, entry, None, |ms| client.local_ms(ms), zone);
        let is_unfolded = (others_of(fields, entry) > 0).then(|| self.unfolded.contains(&number));
        let (writers, body) = match (entry.kind, item.body) {
            (_, Body::Gap { bold, sentence }) => (String::new(), LogBody::Gap { bold, sentence }),
            (EntryType::Bookmark, _) => (String::new(), LogBody::Words(messages::ALL_SEEN.to_owned())),
            (EntryType::Error, _) => {
                let problem = entry.problem.as_ref();
                let bold = problem.map(|problem| problem.reason.words()).unwrap_or_default();
                let sentence = problem.map(|problem| problem.message.to_string()).unwrap_or_default();
                (String::new(), LogBody::Problem { bold: bold.to_string(), sentence })
            }
            _ if entry.earlier => (String::new(), LogBody::Words(messages::LAST_CHANGE.to_owned())),
            (_, Body::Change { writers, .. }) => {
                let beyond = fields.len().saturating_sub(1) + usize::try_from(entry.fields_more).unwrap_or(0);
                let more = (beyond > 0).then(|| messages::further_fields(beyond));
                let field = fields.first().cloned();
                let names: Vec<String> = writers.into_iter().map(|(name, _)| name).collect();
                (names.join(", "), LogBody::Change { field, more, is_relisted: entry.relisted })
            }
        };
        let object = |text: &Option<Box<str>>| text.as_deref().unwrap_or_default().to_owned();
        let namespace = object(&entry.namespace);
        LogLine {
            number,
            part: 0,
            has_focus: self.focused == Some(number),
            is_unfolded,
            is_before: is_before(client, entry, self.since_ms),
            clock: item.clock,
            millis: item.millis,
            kind: entry.kind,
            namespace: if namespace.is_empty() { namespace } else { format!("{namespace}/") },
            name: object(&entry.name),
            body,
            writers,
            resource_version: entry.resource_version.as_ref().map(ToString::to_string).unwrap_or_default(),
        }
    }
}

/// Whether it happened before the reader opened the changes.
pub(super) fn is_before(client: &Client, entry: &Entry, since_ms: UnixMillis) -> bool {
    entry.earlier || client.local_ms(entry.time_ms) < since_ms
}
