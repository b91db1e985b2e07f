//! The lines of the changes: one for each event, and below an unfolded one its fields. Those that always change with
//! others are behind one line more.

use std::collections::BTreeMap;
use std::sync::Arc;

use replica::timeline::TimelineView;
use shared::frame::timeline::{Entry, EntryType};
use shared::state::UnixMillis;

use super::entries::Log;
use super::model::{LogBody, LogLine};
use super::words;
use crate::detail::history::{self, FieldLine, Headline};
use crate::messages::{self, Zone};
use crate::table_view::Client;

/// How much of an event is below its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfolded {
    /// All but the fields that always change with others.
    Telling,
    All,
}

/// Where each shown entry stands among the lines.
pub(super) struct Rows {
    /// The places of the unfolded entries among the shown ones, each with its number of further lines.
    open: Vec<(usize, usize)>,
    entries: usize,
}

impl Rows {
    pub(super) fn of(log: &Log, unfolded: &BTreeMap<u64, Unfolded>, timeline: &TimelineView) -> Self {
        let place = |(number, how): (&u64, &Unfolded)| {
            let at = log.shown.binary_search(number).ok()?;
            Some((at, Fields::of(timeline.entry(*number)?).below(*how).len()))
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

/// A change in its lines: its headline, unless that would only repeat the first field; the field beside it; the
/// fields below.
pub(super) struct Fields {
    headline: Option<Headline>,
    /// Beside the headline, or in its place.
    beside: Option<FieldLine>,
    /// What the headline doesn't say; those that always change with others stand last.
    others: Vec<FieldLine>,
    /// How many more the gateway didn't send.
    not_sent: u32,
}

impl Fields {
    /// An object also enters or leaves a view when its labels change, so ADDED and DELETED get no headline. An Event has
    /// one, because its name says nothing.
    pub(super) fn of(entry: &Entry) -> Self {
        let not_sent = entry.fields_more;
        let none = Self { headline: None, beside: None, others: Vec::new(), not_sent };
        let mut fields = history::fields(entry);
        if let Some(headline) = history::event_headline(entry) {
            return Self { headline: Some(headline), others: fields, ..none };
        }
        if entry.kind != EntryType::Modified || fields.is_empty() {
            return none;
        }
        let headline = history::headline(entry);
        let said = headline.says.as_ref().and_then(|path| fields.iter().position(|line| line.path == *path));
        let said = said.map(|at| fields.remove(at));
        match said {
            Some(line) if line.path == headline.strong => Self { beside: Some(line), others: fields, ..none },
            _ => {
                let beside = fields.first().filter(|line| !line.is_routine).cloned();
                Self { headline: Some(headline), beside, others: fields, ..none }
            }
        }
    }

    /// `+9 fields`
    fn more(&self) -> Option<String> {
        let not_sent = usize::try_from(self.not_sent).unwrap_or_default();
        let more = self.others.len() + not_sent;
        (more > 0).then(|| messages::further_fields(more))
    }

    /// What the reader's next step unfolds; `None`: all is there.
    pub(super) fn next(&self, now: Option<Unfolded>) -> Option<Unfolded> {
        let ends = self.others.first().zip(self.others.last());
        let is_mixed = ends.is_some_and(|(first, last)| first.is_routine != last.is_routine);
        match now {
            None if self.more().is_none() => None,
            None if is_mixed => Some(Unfolded::Telling),
            None | Some(Unfolded::Telling) => Some(Unfolded::All),
            Some(Unfolded::All) => None,
        }
    }

    fn below(&self, how: Unfolded) -> Vec<LogBody> {
        let is_shown = |line: &&FieldLine| how == Unfolded::All || !line.is_routine;
        let mut below: Vec<LogBody> =
            self.others.iter().filter(is_shown).cloned().map(LogBody::Field).collect();
        match self.others.len() - below.len() {
            0 => {}
            rest => below.push(LogBody::Routine(messages::routine_fields(rest))),
        }
        if self.not_sent > 0 {
            below.push(LogBody::Words(messages::more_fields(self.not_sent)));
        }
        below
    }
}

/// What the lines are made from.
pub(super) struct Lines<'a> {
    pub(super) client: &'a Client,
    pub(super) timeline: &'a TimelineView,
    pub(super) focused: Option<u64>,
    pub(super) unfolded: &'a BTreeMap<u64, Unfolded>,
    /// When the reader opened the changes.
    pub(super) since_ms: UnixMillis,
    pub(super) zone: Zone,
}

impl Lines<'_> {
    pub(super) fn line(&self, number: u64, part: usize) -> Option<Arc<LogLine>> {
        let entry = self.timeline.entry(number)?;
        let fields = Fields::of(entry);
        let how = self.unfolded.get(&number).copied();
        let line = self.first(number, entry, &fields, how);
        if part == 0 {
            return Some(Arc::new(line));
        }
        let body = fields.below(how?).into_iter().nth(part - 1)?;
        Some(Arc::new(LogLine { part, body, is_unfolded: None, has_focus: false, ..line }))
    }

    fn first(&self, number: u64, entry: &Entry, fields: &Fields, how: Option<Unfolded>) -> LogLine {
        let Self { client, zone, .. } = *self;
        let (clock, millis) = history::time(client.local_ms(entry.time_ms), zone);
        let more = fields.more();
        let is_unfolded = more.is_some().then_some(how.is_some());
        let (writers, body) = match entry.kind {
            EntryType::Gap => {
                let (bold, sentence) = history::gap(entry, |ms| client.local_ms(ms), zone);
                (String::new(), LogBody::Gap { bold, sentence })
            }
            EntryType::Bookmark => (String::new(), LogBody::Words(words::ALL_SEEN.to_owned())),
            EntryType::Error => {
                let problem = entry.problem.as_ref();
                let bold = problem.map(|problem| problem.reason.words()).unwrap_or_default();
                let sentence = problem.map(|problem| problem.message.to_string()).unwrap_or_default();
                (String::new(), LogBody::Problem { bold: bold.to_string(), sentence })
            }
            _ if entry.earlier && fields.headline.is_none() => {
                (String::new(), LogBody::Words(words::LAST_CHANGE.to_owned()))
            }
            _ => {
                let names: Vec<String> = history::writers(entry).into_iter().map(|(name, _)| name).collect();
                (
                    names.join(", "),
                    LogBody::Change {
                        headline: fields.headline.clone(),
                        field: fields.beside.clone(),
                        more,
                        is_relisted: entry.relisted,
                    },
                )
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
            clock,
            millis,
            kind: entry.kind,
            namespace: match self.timeline.cluster_of(number) {
                Some(cluster) if namespace.is_empty() => format!("{cluster}/"),
                Some(cluster) => format!("{cluster}/{namespace}/"),
                None if namespace.is_empty() => namespace,
                None => format!("{namespace}/"),
            },
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
