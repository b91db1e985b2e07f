//! A search for a word in the record: which objects had it, and when. A body is searched as it is stored, and read as JSON
//! where the word is in it.

use std::collections::HashMap;

use history::{Found, Head, KindKey, Scanned};
use serde_json::Value;
use shared::cell::Cell;
use shared::frame::server::{self, FoundObject, FoundTime};
use shared::problem::Problem;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::record::{Record, unread};
use super::sees::{NamespaceRows, Sees};
use super::turns::Turn;
use crate::cluster::Cluster;
use crate::feed::labels::Labels;
use crate::feed::masked_again;
use crate::limits::{FOUND_OBJECTS_MAX, FOUND_TEXT_BYTES_MAX, FOUND_TIMES_MAX, SEARCHED_VERSIONS_MAX};

/// The objects that had a word at some time. `is_over`: its client takes no answer any more, so what is found doesn't count.
///
/// # Errors
/// The record can't be read.
pub fn search(
    record: &Record,
    cluster: &Cluster,
    sees: &Sees,
    (from_ms, to_ms): (UnixMillis, UnixMillis),
    (word, is_over, _): (&str, &dyn Fn() -> bool, &Turn),
) -> Result<server::Found, Problem> {
    let key = record.key(cluster, &sees.request.scope.resource);
    let rows = record.rows_for(cluster, sees)?;
    let search = Search { sees, key: &key, rows: &rows, needle: needle(word) };
    let mut hits = Hits::default();
    let moment = record.past().moment(&key, from_ms).map_err(unread)?;
    for object in moment.into_iter().flat_map(|moment| moment.objects) {
        if let Some(body) = object.body.unpack() {
            let hit = search.hit((object.row, &object.head), object.namespace_row, &body);
            hits.note(object.row, from_ms, hit);
        }
    }
    let (mut looked, mut until_ms) = (0, to_ms);
    let is_wanted = |body: &[u8]| has(body, &search.needle);
    let mut hear = |Scanned { at_ms, row, namespace_row, found }: Scanned| {
        looked += 1;
        match found {
            Found::Wanted { head, body } => {
                hits.note(row, at_ms, search.hit((row, &head), namespace_row, &body));
            }
            Found::Nothing => hits.note(row, at_ms, None),
            Found::Damaged => {}
        }
        if looked == SEARCHED_VERSIONS_MAX {
            until_ms = at_ms;
        }
        looked < SEARCHED_VERSIONS_MAX && !is_over()
    };
    record.past().scan(&key, (from_ms, to_ms), &is_wanted, &mut hear).map_err(unread)?;
    let extent = record.past().extent(&key).map_err(unread)?;
    let Hits { objects, more, .. } = hits;
    Ok(server::Found {
        objects,
        more,
        until_ms,
        since_ms: extent.as_ref().map(|extent| extent.from_ms),
        unrecorded: extent.map(|extent| extent.unrecorded).unwrap_or_default(),
        removed: record.removed_in(sees, &key, (from_ms, to_ms))?,
    })
}

/// The word as JSON writes it, in lower case.
fn needle(word: &str) -> String {
    let json = Value::from(word).to_string().to_ascii_lowercase();
    json.get(1..json.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// What is looked for, and what may be seen of it.
struct Search<'a> {
    sees: &'a Sees,
    key: &'a KindKey,
    rows: &'a NamespaceRows,
    needle: String,
}

/// An object that has the word.
struct Hit {
    namespace: Option<Box<str>>,
    name: Box<str>,
    path: String,
    text: String,
}

impl Search<'_> {
    /// `None`: it hasn't the word, or may not be seen.
    fn hit(&self, (row, head): (RowId, &Head), namespace_row: Option<RowId>, body: &[u8]) -> Option<Hit> {
        if !has(body, &self.needle) {
            return None;
        }
        let shown = head.row(row);
        let labels = Labels::of_packed(&head.labels);
        if !self.sees.shows(self.rows, (&shown, &labels), namespace_row) {
            return None;
        }
        let redaction = &self.sees.redaction;
        let object: Value = if head.rules == redaction.digest() {
            serde_json::from_slice(body).ok()?
        } else {
            let (body, _) = masked_again(redaction, &self.key.resource, (&[], &mut [] as &mut [Cell]), body)?;
            serde_json::from_slice(&body).ok()?
        };
        let (path, text) = place_of(&object, &self.needle)?;
        Some(Hit { namespace: shown.namespace, name: shown.name, path, text })
    }
}

fn has(body: &[u8], needle: &str) -> bool {
    memchr::memmem::find(&body.to_ascii_lowercase(), needle.as_bytes()).is_some()
}

/// The first field whose value has the word, or whose name has it.
fn place_of(value: &Value, needle: &str) -> Option<(String, String)> {
    match value {
        Value::Object(fields) => fields.iter().find_map(|(key, value)| {
            let name = key.replace('~', "~0").replace('/', "~1");
            if let Some((path, text)) = place_of(value, needle) {
                return Some((format!("/{name}{path}"), text));
            }
            let is_named = has(Value::from(key.as_str()).to_string().as_bytes(), needle);
            is_named.then(|| (format!("/{name}"), shortened(&value.to_string())))
        }),
        Value::Array(items) => items.iter().enumerate().find_map(|(at, value)| {
            place_of(value, needle).map(|(path, text)| (format!("/{at}{path}"), text))
        }),
        Value::String(text) => {
            has(value.to_string().as_bytes(), needle).then(|| (String::new(), shortened(text)))
        }
        scalar => has(scalar.to_string().as_bytes(), needle).then(|| (String::new(), scalar.to_string())),
    }
}

fn shortened(text: &str) -> String {
    match text.len() > FOUND_TEXT_BYTES_MAX {
        true => {
            let end = text.floor_char_boundary(FOUND_TEXT_BYTES_MAX);
            format!("{}…", text.get(..end).unwrap_or_default())
        }
        false => text.to_owned(),
    }
}

/// What was found so far.
#[derive(Default)]
struct Hits {
    objects: Vec<FoundObject>,
    places: HashMap<RowId, usize>,
    more: bool,
}

impl Hits {
    /// As of a time an object has the word, or hasn't.
    fn note(&mut self, row: RowId, at_ms: UnixMillis, hit: Option<Hit>) {
        let place = self.places.get(&row).copied();
        let Some(object) = place.and_then(|place| self.objects.get_mut(place)) else {
            let Some(Hit { namespace, name, path, text }) = hit else { return };
            if self.objects.len() >= FOUND_OBJECTS_MAX {
                self.more = true;
                return;
            }
            self.places.insert(row, self.objects.len());
            let times = vec![FoundTime { from_ms: at_ms, to_ms: None }];
            let (path, text) = (path.into(), text.into());
            self.objects.push(FoundObject { row, namespace, name, times, path, text });
            return;
        };
        let is_full = object.times.len() >= FOUND_TIMES_MAX;
        match (object.times.last_mut().filter(|time| time.to_ms.is_none()), hit) {
            (Some(time), None) => time.to_ms = Some(at_ms),
            (None, Some(_)) if !is_full => object.times.push(FoundTime { from_ms: at_ms, to_ms: None }),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_word_is_found_in_values_and_names_whatever_its_case_and_its_signs() {
        let ended = json!({ "terminated": { "reason": "OOMKilled", "exitCode": 137 } });
        let object = json!({ "metadata": { "labels": { "app/tier": "Web" } },
            "status": { "containerStatuses": [{ "state": ended }], "message": "it said \"no\"" } });
        let at = |word: &str| {
            let needle = needle(word);
            let found = place_of(&object, &needle);
            assert_eq!(found.is_some(), has(object.to_string().as_bytes(), &needle), "{word}");
            found.map(|(path, text)| format!("{path} {text}")).unwrap_or_default()
        };
        assert_eq!(at("oomkilled"), "/status/containerStatuses/0/state/terminated/reason OOMKilled");
        assert_eq!(at("137"), "/status/containerStatuses/0/state/terminated/exitCode 137");
        assert_eq!(at("TIER"), "/metadata/labels/app~1tier \"Web\"");
        assert_eq!(at("said \"no"), "/status/message it said \"no\"");
        assert_eq!(at("OOMKillers"), "");
    }

    #[test]
    fn the_times_of_a_word_begin_and_end_with_the_versions_that_have_it() {
        let hit = || Some(Hit { namespace: None, name: "a".into(), path: "/a".into(), text: "x".into() });
        let row = RowId::from_hash(7 << 20);
        let mut hits = Hits::default();
        for (at_ms, has_it) in [(1, false), (2, true), (3, true), (5, false), (6, false), (9, true)] {
            hits.note(row, at_ms, if has_it { hit() } else { None });
        }
        let times = [FoundTime { from_ms: 2, to_ms: Some(5) }, FoundTime { from_ms: 9, to_ms: None }];
        assert_eq!(hits.objects[0].times, times);
        for number in 0..300 {
            hits.note(RowId::from_hash((100 + number) << 20), 10, hit());
        }
        assert!(hits.objects.len() == FOUND_OBJECTS_MAX && hits.more);
    }
}
