//! The entries of an object's timeline as text: each changed field in one line with its writer, and gaps as
//! entries of their own. Never a judgement: `true → false` is neither good nor bad by itself.

mod field;
mod headline;
mod routine;
#[cfg(test)]
mod tests;

use serde_json::Value;
use shared::frame::timeline::{Area, Entry, EntryType, Writer};
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use crate::cells::shown;
use crate::messages::{self, Zone};

pub use field::{Change, FieldLine, spoken_path};
pub use headline::Headline;
pub use routine::is_routine;

/// Which entries are shown: a change of this area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    #[default]
    All,
    Spec,
    Status,
    Metadata,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// Counted since the log was opened; unique within it.
    pub number: u64,
    /// A line above it: from here downwards it is the past of a deleted object of the same name.
    pub above: Option<&'static str>,
    /// `13:57:45` and `.020`
    pub clock: String,
    pub millis: String,
    pub body: Body,
    /// The version to compare; `None` for a gap.
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
        fields: Vec<FieldLine>,
        /// How many more fields changed, and whether the change was seen in a list.
        more: Option<String>,
    },
    Gap {
        bold: String,
        sentence: String,
    },
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
            Self::All => messages::ALL,
            Self::Spec => messages::SPEC,
            Self::Status => messages::STATUS,
            Self::Metadata => messages::METADATA,
        };
        let is_counted = |entry: &&Entry| match self {
            Self::All => is_change(entry),
            _ => entry.kind == EntryType::Modified && self.passes(entry),
        };
        messages::filter_label(word, entries.filter(is_counted).count())
    }
}

/// A bookmark isn't shown, because the pill shows proofs. An ERROR isn't shown, because its gap follows.
pub fn is_shown(entry: &Entry) -> bool {
    is_change(entry) || entry.kind == EntryType::Gap
}

pub fn is_change(entry: &Entry) -> bool {
    matches!(entry.kind, EntryType::Added | EntryType::Modified | EntryType::Deleted)
}

/// `object`: the version whose list elements give their names to paths. `local_ms` converts the gateway's
/// times to the viewer's clock.
pub fn item(
    number: u64,
    entry: &Entry,
    object: Option<&Value>,
    local_ms: impl Fn(UnixMillis) -> UnixMillis,
    zone: Zone,
) -> Item {
    let at_ms = local_ms(entry.time_ms);
    let body = match entry.kind {
        EntryType::Gap => gap(entry, local_ms, zone),
        kind => change(kind, entry, object),
    };
    Item {
        number,
        above: None,
        clock: messages::clock(at_ms, zone),
        millis: format!(".{:03}", at_ms.rem_euclid(1_000)),
        body,
        resource_version: entry.resource_version.clone().filter(|_| is_change(entry)),
    }
}

fn change(kind: EntryType, entry: &Entry, object: Option<&Value>) -> Body {
    Body::Change {
        kind: messages::event_word(kind),
        headline: headline::headline(entry, object),
        writers: writers(entry),
        fields: field::lines(&entry.fields, object),
        more: more(entry),
    }
}

/// The managers of the fields that changed.
fn writers(entry: &Entry) -> Vec<(String, String)> {
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
    let said: Vec<String> = [rest, listed].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(" "))
}

fn gap(entry: &Entry, local_ms: impl Fn(UnixMillis) -> UnixMillis, zone: Zone) -> Body {
    let Some(gap) = &entry.gap else {
        return Body::Gap {
            bold: messages::GAP_BOLD.to_owned(),
            sentence: messages::entries_lost(entry.lost),
        };
    };
    let (from, to) = (local_ms(gap.from_ms), local_ms(gap.to_ms));
    Body::Gap {
        bold: messages::gap(&messages::clock(from, zone), &messages::clock(to, zone)),
        sentence: messages::not_seen(to.saturating_sub(from), &gap.reason.words()),
    }
}

/// The fields of an entry, first one that isn't a time or a counter.
pub fn fields(entry: &Entry) -> Vec<FieldLine> {
    let mut lines = field::lines(&entry.fields, None);
    let tells = |line: &FieldLine| {
        !["Time", "Timestamp", "eneration", "heartbeat"].iter().any(|end| line.path.ends_with(end))
    };
    if let Some(at) = lines.iter().position(tells) {
        let line = lines.remove(at);
        lines.insert(0, line);
    }
    lines
}
