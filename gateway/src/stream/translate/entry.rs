//! An entry of a timeline, in the words of all other events.

use shared::frame::timeline::{Entry, EntryType};

use super::parts::Part;
use crate::stream::event::{About, EventType as Said, StreamEvent};

impl Part {
    /// `None`: of a kind that this program doesn't know.
    pub(super) fn entry(&self, entry: Entry) -> Option<StreamEvent> {
        let kind = match entry.kind {
            EntryType::Added => Said::Added,
            EntryType::Modified => Said::Modified,
            EntryType::Deleted => Said::Deleted,
            EntryType::Bookmark => Said::Bookmark,
            EntryType::Error => Said::Problem,
            EntryType::Gap => Said::Gap,
            EntryType::Unknown => return None,
        };
        let about = entry.row.zip(entry.name.clone()).map(|(id, name)| About {
            id,
            place: (entry.namespace.clone(), name),
            version: entry.resource_version.clone().unwrap_or_default(),
        });
        let mut event = if kind.is_of_object() { StreamEvent::of(kind) } else { self.event(kind) };
        event = event.with(&entry);
        for said in ["type", "problem", "gap", "row", "namespace", "name"] {
            event.fields.remove(said);
        }
        if about.is_some() {
            event.fields.remove("resource_version");
        }
        if let Some(problem) = &entry.problem {
            event = event.with(problem);
        }
        if let Some(gap) = &entry.gap {
            event = event.with(gap);
        }
        Some(StreamEvent { about, time_ms: Some(entry.time_ms), ..event })
    }
}
