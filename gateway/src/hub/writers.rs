//! The writers of an object, as its managedFields name them, for the record: it reads those of every version. Never a
//! field, which may hold a value that is masked elsewhere.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::de::IgnoredAny;
use shared::frame::timeline::Writer;

use super::entries::ManagedEntry;

/// The writers' names and times.
#[must_use]
pub fn writers_in(managed_fields: &[u8]) -> Vec<Writer> {
    quickly(managed_fields).unwrap_or_else(|| {
        let entries: Vec<ManagedEntry<IgnoredAny>> =
            serde_json::from_slice(managed_fields).unwrap_or_default();
        entries.into_iter().map(|entry| entry.writer().0).collect()
    })
}

/// Finds the texts by their keys and leaves out `fieldsV1`, which is nearly all of the bytes. Its own keys begin with a
/// character and a colon, and quotes within them are escaped, so no key of an entry can stand there.
/// `None`: it isn't written as API servers write it.
fn quickly(managed_fields: &[u8]) -> Option<Vec<Writer>> {
    let inside = managed_fields.strip_prefix(b"[")?.strip_suffix(b"]")?;
    // Go writes the manager first, and others the keys in their order.
    let head = [&KEYS.manager_first, &KEYS.api_version_first].into_iter();
    let head = head.into_iter().find(|head| inside.starts_with(head.needle()))?;
    let mut begins = head.find_iter(inside).peekable();
    let mut writers = Vec::new();
    while let Some(begin) = begins.next() {
        let end = begins.peek().copied().unwrap_or(inside.len());
        let entry = inside.get(begin..end)?;
        let operation = text(entry, &KEYS.operation)??;
        let time = text(entry, &KEYS.time)?.map(shared::instant::seconds);
        writers.push(Writer {
            manager: text(entry, &KEYS.manager)??.into(),
            operation: operation.into(),
            subresource: text(entry, &KEYS.subresource)?.unwrap_or_default().into(),
            time: time.flatten(),
        });
    }
    Some(writers)
}

/// What an entry may begin with, and the keys of the texts that are wanted.
struct Keys {
    manager_first: Finder<'static>,
    api_version_first: Finder<'static>,
    manager: Finder<'static>,
    operation: Finder<'static>,
    subresource: Finder<'static>,
    time: Finder<'static>,
}

static KEYS: LazyLock<Keys> = LazyLock::new(|| Keys {
    manager_first: Finder::new("{\"manager\":\""),
    api_version_first: Finder::new("{\"apiVersion\":\""),
    manager: Finder::new("\"manager\":\""),
    operation: Finder::new("\"operation\":\""),
    subresource: Finder::new("\"subresource\":\""),
    time: Finder::new("\"time\":\""),
});

/// The text of a key of an entry. `Some(None)`: the entry hasn't the key. `None`: it has it twice, so it is more than one
/// entry, or the text has an escaped character.
fn text<'a>(entry: &'a [u8], key: &Finder<'_>) -> Option<Option<&'a str>> {
    let mut found = key.find_iter(entry);
    let Some(at) = found.next() else { return Some(None) };
    if found.next().is_some() {
        return None;
    }
    let rest = entry.get(at + key.needle().len()..)?;
    let length = memchr::memchr2(b'"', b'\\', rest).filter(|length| rest.get(*length) == Some(&b'"'))?;
    std::str::from_utf8(rest.get(..length)?).ok().map(Some)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn entry(manager: &str, subresource: Option<&str>, time: Option<&str>) -> Value {
        let fields = json!({
            "f:metadata": { "f:annotations": { ".": {}, "f:time": {}, "f:manager": {} } },
            "f:status": { "f:conditions": { "k:{\"manager\":\"x\",\"time\":\"y\"}": { ".": {}, "f:operation": {} } } },
            "f:list": { "v:\"{\\\"manager\\\":\\\"\"": {} },
        });
        let mut entry = json!({
            "manager": manager, "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields,
        });
        if let Some(subresource) = subresource {
            entry["subresource"] = subresource.into();
        }
        if let Some(time) = time {
            entry["time"] = time.into();
        }
        entry
    }

    fn slowly(managed_fields: &[u8]) -> Vec<Writer> {
        let entries: Vec<ManagedEntry<IgnoredAny>> = serde_json::from_slice(managed_fields).expect("entries");
        entries.into_iter().map(|entry| entry.writer().0).collect()
    }

    /// As Go's structure has its keys.
    fn as_go_writes(entries: &[Value]) -> Vec<u8> {
        const ORDER: [&str; 7] =
            ["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"];
        let entry = |entry: &Value| {
            let keys = ORDER.iter().filter_map(|key| Some(format!("\"{key}\":{}", entry.get(key)?)));
            format!("{{{}}}", keys.collect::<Vec<_>>().join(","))
        };
        format!("[{}]", entries.iter().map(entry).collect::<Vec<_>>().join(",")).into_bytes()
    }

    #[test]
    fn what_api_servers_write_is_read_quickly_and_as_a_reader_of_json_does() {
        let time = Some("2026-11-30T07:00:00Z");
        let entries = [
            entry("kubectl-client-side-apply", None, time),
            entry("kubelet", Some("status"), time),
            entry("before-there-were-times", None, None),
        ];
        for text in [serde_json::to_vec(&entries).expect("JSON"), as_go_writes(&entries)] {
            let read = quickly(&text).expect("it is as API servers write it");
            assert_eq!(read, slowly(&text));
            assert_eq!((read.len(), &*read[1].subresource, read[2].time), (3, "status", None));
        }
    }

    #[test]
    fn what_is_written_otherwise_is_read_as_well() {
        let no_manager = json!({ "apiVersion": "v1", "operation": "Apply", "fieldsV1": {} });
        let odd = [
            json!([entry("a \"quoted\" manager", None, None)]),
            json!([entry("kubelet", None, None), no_manager, entry("kubectl", None, None)]),
            json!([{ "operation": "Apply", "manager": "kubectl" }]),
            json!([]),
        ];
        for entries in odd {
            let entries = entries.as_array().expect("entries");
            for text in [serde_json::to_vec(entries).expect("JSON"), as_go_writes(entries)] {
                assert_eq!(writers_in(&text), slowly(&text), "{}", String::from_utf8_lossy(&text));
            }
            let spaced = serde_json::to_vec_pretty(entries).expect("JSON");
            assert_eq!(writers_in(&spaced), slowly(&spaced));
        }
        assert_eq!(writers_in(b""), []);
        assert_eq!(writers_in(b"[{\"manager\":\"cut"), []);
    }
}
