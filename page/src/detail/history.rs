//! The entries of an object's timeline as text: each changed field in one line with its writer, and gaps as
//! entries of their own. Never a judgement: `true → false` is neither good nor bad by itself.

mod field;
mod headline;
mod routine;
#[cfg(test)]
mod tests;
pub(super) mod words;

use std::sync::Arc;

use shared::frame::timeline::{Area, Entry, EntryType, Writer};
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use crate::cells::shown;
use crate::messages::{self, Zone};

pub use field::{FieldChange, FieldLine, fields, spoken_path};
pub use headline::{Headline, event_headline, headline};

/// Which entries are shown: a change of this area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    #[default]
    All,
    Spec,
    Status,
    Metadata,
}

/// One entry of a timeline, with the texts that the panel shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// Counted since the log was opened; unique within it.
    pub number: u64,
    /// A line above it: from here downwards it is the past of a deleted object of the same name.
    pub above: Option<&'static str>,
    /// `13:57:45` and `.020`
    pub clock: String,
    pub millis: String,
    /// `None`: the object of the panel.
    pub subject: Option<Subject>,
    pub body: Body,
    /// The version to compare; `None` for a gap, and for another object.
    pub resource_version: Option<ResourceVersion>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    Change {
        /// `MODIFIED`
        kind: &'static str,
        headline: Headline,
        /// Field managers, each with its subresource.
        writers: Vec<(String, String)>,
        /// Those that the headline doesn't repeat; fields that always change with others stand last.
        fields: Vec<FieldLine>,
        /// How many more fields changed, and whether the change was seen in a list.
        more: Option<String>,
    },
    Gap {
        bold: String,
        sentence: String,
        /// What the object tells of that time, newest first.
        dated: Vec<DatedLine>,
    },
    /// An Event of Kubernetes.
    Event { headline: Headline },
    /// Several entries that come to one thing, in words.
    Story(Story),
}

/// What several entries come to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Story {
    pub headline: Headline,
    /// `23 changes, 5 Events`
    pub steps: String,
    /// The field managers of the change that began it.
    pub writers: Vec<(String, String)>,
    /// Newest first.
    pub items: Vec<Arc<Item>>,
}

/// Another object than that of the panel: one that it owns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subject {
    /// `Pod`
    pub kind: String,
    /// Without what it shares with its owner: `…-7c9d8f6b54-x2kq8`.
    pub name: String,
    pub whole: String,
    pub href: Option<String>,
}

/// A date that the object carries, as a line of the timeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DatedLine {
    /// `13:57:45`, with the date if that isn't today.
    pub clock: String,
    pub headline: Headline,
}

impl Item {
    /// Equal for an item that looks the same. A story grows; everything else never changes, but for the line above it.
    pub fn key(&self) -> (u64, Option<&'static str>, u64, String) {
        match &self.body {
            Body::Story(Story { headline, steps, items, .. }) => {
                let newest = items.first().map_or(0, |item| item.number);
                (self.number, self.above, newest, format!("{} {steps}", headline.text()))
            }
            _ => (self.number, self.above, 0, String::new()),
        }
    }
}

impl Filter {
    pub const ALL: [Self; 4] = [Self::All, Self::Spec, Self::Status, Self::Metadata];

    /// An entry that adds or deletes the object, or a gap, always passes.
    pub fn passes(self, entry: &Entry) -> bool {
        let has = |areas: &[Area]| entry.changed.iter().any(|area| areas.contains(area));
        entry.kind != EntryType::Modified
            || match self {
                Self::All => true,
                Self::Spec => has(&[Area::Spec, Area::Other]),
                Self::Status => has(&[Area::Status]),
                Self::Metadata => has(&[Area::Labels, Area::Annotations, Area::Metadata]),
            }
    }

    /// `Status 23`: with the number of changes.
    pub fn label<'a>(self, entries: impl Iterator<Item = &'a Entry>) -> String {
        let word = match self {
            Self::All => words::ALL,
            Self::Spec => words::SPEC,
            Self::Status => words::STATUS,
            Self::Metadata => words::METADATA,
        };
        let is_counted = |entry: &&Entry| match self {
            Self::All => is_change(entry),
            _ => entry.kind == EntryType::Modified && self.passes(entry),
        };
        words::filter_label(word, entries.filter(is_counted).count())
    }
}

/// A bookmark isn't shown, because the pill shows proofs. An ERROR isn't shown, because its gap follows.
pub fn is_shown(entry: &Entry) -> bool {
    is_change(entry) || entry.kind == EntryType::Gap
}

pub fn is_change(entry: &Entry) -> bool {
    matches!(entry.kind, EntryType::Added | EntryType::Modified | EntryType::Deleted)
}

/// `local_ms` converts the gateway's times to the viewer's clock.
pub fn item(number: u64, entry: &Entry, local_ms: impl Fn(UnixMillis) -> UnixMillis, zone: Zone) -> Item {
    let (clock, millis) = time(local_ms(entry.time_ms), zone);
    let body = match entry.kind {
        EntryType::Gap => {
            let (bold, sentence) = gap(entry, local_ms, zone);
            Body::Gap { bold, sentence, dated: Vec::new() }
        }
        _ => change(entry),
    };
    Item {
        number,
        above: None,
        clock,
        millis,
        subject: None,
        body,
        resource_version: entry.resource_version.clone().filter(|_| is_change(entry)),
    }
}

/// `13:57:45` and `.020`
pub fn time(at_ms: UnixMillis, zone: Zone) -> (String, String) {
    (messages::clock(at_ms, zone), format!(".{:03}", at_ms.rem_euclid(1_000)))
}

fn change(entry: &Entry) -> Body {
    let headline = headline(entry);
    let said = headline.text();
    Body::Change {
        kind: messages::event_word(entry.kind),
        writers: writers(entry),
        fields: fields(entry).into_iter().filter(|line| line.text() != said).collect(),
        more: more(entry),
        headline,
    }
}

/// The managers of the fields that changed, each with its subresource.
pub fn writers(entry: &Entry) -> Vec<(String, String)> {
    let wrote =
        |place: usize| entry.fields.iter().any(|field| field.by.is_some_and(|by| usize::from(by) == place));
    let mut names: Vec<(String, String)> = Vec::new();
    for (place, Writer { manager, subresource, .. }) in entry.writers.iter().enumerate() {
        let name = (shown(manager).into_owned(), shown(subresource).into_owned());
        if wrote(place) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn more(entry: &Entry) -> Option<String> {
    let rest = (entry.fields_more > 0).then(|| messages::more_fields(entry.fields_more));
    let listed = entry.relisted.then(|| messages::SEEN_IN_A_LIST.to_owned());
    let skipped = (entry.skipped > 0).then(|| words::not_kept(entry.skipped));
    let said: Vec<String> = [rest, listed, skipped].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// A strong word, and a sentence.
pub fn gap(entry: &Entry, local_ms: impl Fn(UnixMillis) -> UnixMillis, zone: Zone) -> (String, String) {
    let Some(gap) = &entry.gap else {
        return (words::GAP_BOLD.to_owned(), words::entries_lost(entry.lost));
    };
    let (from, to) = (local_ms(gap.from_ms), local_ms(gap.to_ms));
    (
        messages::gap(&messages::clock(from, zone), &messages::clock(to, zone)),
        words::not_seen(to.saturating_sub(from), &gap.reason.words()),
    )
}
