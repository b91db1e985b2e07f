//! What a path leads to in a body, masked where it stands, and wherever its text stands in the row. Pure.

use std::collections::HashSet;
use std::ops::Range;

use history::Head;
use serde_json::Value;
use serde_json::value::RawValue;
use shared::json_path::{Effort, JsonPath};

use crate::feed::masks::MASK;

/// Above the size of any object.
const EFFORT: usize = 1_000_000;
/// A shorter text stands in many cells by chance: there it must be all of the cell.
const PART_BYTES_MIN: usize = 4;

/// Whether anything was removed.
pub(super) fn remove(path: &JsonPath, head: &mut Head, body: &mut Vec<u8>) -> bool {
    let Ok(text) = std::str::from_utf8(body) else { return false };
    let (Ok(object), Ok(raw)) =
        (serde_json::from_str::<Value>(text), serde_json::from_str::<&RawValue>(text))
    else {
        return false;
    };
    let selected = path.select(&object, &mut Effort(EFFORT)).values;
    let selected: Vec<&Value> = selected.into_iter().filter(|value| value.as_str() != Some(MASK)).collect();
    if selected.is_empty() {
        return false;
    }
    let wanted: HashSet<*const Value> = selected.iter().map(|value| std::ptr::from_ref(*value)).collect();
    let mut ranges = Vec::new();
    find(raw, &object, &wanted, (text, &mut ranges));
    ranges.sort_by_key(|range| range.start);
    let mut texts = Vec::new();
    selected.iter().for_each(|value| texts_of(value, &mut texts));
    let (masked, masks) = replaced(text, &ranges, &head.masks);
    (*body, head.masks) = (masked.into_bytes(), masks);
    hide_in_row(head, &texts);
    true
}

/// Where the wanted values stand in the text.
fn find(
    raw: &RawValue,
    value: &Value,
    wanted: &HashSet<*const Value>,
    (text, ranges): (&str, &mut Vec<Range<usize>>),
) {
    let own = raw.get();
    if wanted.contains(&std::ptr::from_ref(value)) {
        let start = own.as_ptr().addr() - text.as_ptr().addr();
        ranges.push(start..start + own.len());
        return;
    }
    match value {
        Value::Object(fields) => {
            let raws: std::collections::BTreeMap<String, &RawValue> =
                serde_json::from_str(own).unwrap_or_default();
            for (name, value) in fields {
                if let Some(raw) = raws.get(name) {
                    find(raw, value, wanted, (text, ranges));
                }
            }
        }
        Value::Array(items) => {
            let raws: Vec<&RawValue> = serde_json::from_str(own).unwrap_or_default();
            for (raw, value) in raws.into_iter().zip(items) {
                find(raw, value, wanted, (text, ranges));
            }
        }
        _ => {}
    }
}

/// The text with a mask in each place, and the ends of all masks of it with their hashes.
fn replaced(text: &str, ranges: &[Range<usize>], masks: &[(u32, u32)]) -> (String, Box<[(u32, u32)]>) {
    let (mut fresh, mut places) = (String::with_capacity(text.len()), Vec::new());
    let mut masks =
        masks.iter().map(|(end, hash)| (usize::try_from(*end).unwrap_or(usize::MAX), *hash)).peekable();
    let mut at = 0;
    let mut place = |end: usize, hash: u32| places.push((u32::try_from(end).unwrap_or(u32::MAX), hash));
    for range in ranges.iter().cloned().chain(std::iter::once(text.len()..text.len())) {
        // Those before it are moved, those in it are gone.
        while let Some((end, hash)) = masks.next_if(|(end, _)| *end <= range.start) {
            place(fresh.len() + end - at, hash);
        }
        while masks.next_if(|(end, _)| *end <= range.end).is_some() {}
        fresh.push_str(text.get(at..range.start).unwrap_or_default());
        if range.start < text.len() {
            fresh.push('"');
            fresh.push_str(MASK);
            place(fresh.len(), 0);
            fresh.push('"');
        }
        at = range.end;
    }
    (fresh, places.into())
}

/// The texts of all scalars of a value.
fn texts_of(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts_of(item, texts)),
        Value::Object(fields) => fields.values().for_each(|value| texts_of(value, texts)),
        Value::Number(number) => texts.push(number.to_string()),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Hides the texts in cells, labels and what else a row says. The object's own name stays.
fn hide_in_row(head: &mut Head, texts: &[String]) {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(&*head) else { return };
    const OF_IDENTITY: [&str; 3] = ["v", "n", "s"];
    for (_, value) in fields.iter_mut().filter(|(name, _)| !OF_IDENTITY.contains(&name.as_str())) {
        hide(value, texts);
    }
    if let Ok(hidden) = serde_json::from_value(Value::Object(fields)) {
        *head = hidden;
    }
}

fn hide(value: &mut Value, texts: &[String]) {
    match value {
        Value::String(own) => {
            for text in texts.iter().filter(|text| !text.is_empty()) {
                if text.len() >= PART_BYTES_MIN {
                    *own = own.replace(text.as_str(), MASK);
                } else if own == text {
                    MASK.clone_into(own);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| hide(item, texts)),
        Value::Object(fields) => fields.values_mut().for_each(|value| hide(value, texts)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shared::cell::Cell;

    use super::*;

    fn head(cells: &[&str]) -> Head {
        let cells: Vec<Cell> = cells.iter().map(|cell| Cell::text(cell)).collect();
        let mut head: Head =
            serde_json::from_value(json!({ "v": "7", "n": "web", "c": [] })).expect("a head");
        head.cells = cells;
        head.labels = "pin\x004711\0app\0web\0".into();
        head
    }

    #[test]
    fn what_a_path_leads_to_is_masked_in_its_place_and_in_the_row() {
        let text = r#"{"spec":{"b":[{"pin":"4711","n":1},{"pin":"0815"}],"a":"xy"},"z":"••••••••"}"#;
        let path = |text: &str| JsonPath::parse(text).expect("a path");
        let (mut found, mut body) = (head(&["code 4711", "web", "xy"]), text.as_bytes().to_vec());
        let end = u32::try_from(text.len() - 2).expect("short");
        found.masks = Box::new([(end, 9)]);
        assert!(remove(&path(".spec.b[*].pin"), &mut found, &mut body));
        let expected = text.replace("4711", MASK).replace("0815", MASK);
        assert_eq!(String::from_utf8(body.clone()).expect("a text"), expected);
        assert_eq!(found.cells, head(&[&format!("code {MASK}"), "web", "xy"]).cells);
        assert_eq!(&*found.labels, format!("pin\0{MASK}\0app\0web\0"));
        // Each mask ends where it stands.
        assert_eq!(found.masks.iter().map(|(_, hash)| *hash).collect::<Vec<_>>(), [0, 0, 9]);
        for (end, _) in &found.masks {
            let end = usize::try_from(*end).expect("short");
            assert!(expected[..end].ends_with(MASK) && expected[end..].starts_with('"'), "{end}");
        }
        assert!(!remove(&path(".spec.b[*].pin"), &mut found, &mut body), "it is masked already");
        assert!(!remove(&path(".spec.none"), &mut found, &mut body));
        // A whole part, and a short text that is all of a cell.
        let mut body = text.as_bytes().to_vec();
        let mut found = head(&["code 4711", "xy", "xyz"]);
        assert!(remove(&path(".spec"), &mut found, &mut body));
        assert_eq!(body, format!(r#"{{"spec":"{MASK}","z":"{MASK}"}}"#).into_bytes());
        assert_eq!(found.cells, head(&[&format!("code {MASK}"), MASK, "xyz"]).cells);
    }
}
