//! Parts of an object's JSON, as they stand in its bytes: a member is found and replaced without reading the rest into
//! values, so what a client gets is what the API server wrote.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::feed::masks::MASK;

/// The members of an object, in their order.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

/// A key that is borrowed where it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((key, value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
            members.push((key.0, value));
        }
        Ok(Members(members))
    }
}

/// The member of an object that has this name.
pub(super) fn member<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let Members(members) = serde_json::from_str(json).ok()?;
    members.into_iter().find(|(key, _)| key == name).map(|(_, value)| value.get())
}

/// Where a part of a text stands in it.
fn range_of(whole: &str, part: &str) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
    let range = start..start + part.len();
    (whole.get(range.clone())? == part).then_some(range)
}

fn replaced(whole: &str, part: &str, new: &str) -> Option<String> {
    let range = range_of(whole, part)?;
    let (before, after) = (whole.get(..range.start)?, whole.get(range.end..)?);
    Some([before, new, after].concat())
}

/// With another resourceVersion, as a deleted object has it. As it was where it has none.
pub(super) fn with_resource_version(json: &str, revision: u64) -> String {
    let new = format!("\"{revision}\"");
    let metadata = member(json, "metadata");
    let found = metadata.and_then(|metadata| member(metadata, "resourceVersion"));
    found.and_then(|found| replaced(json, found, &new)).unwrap_or_else(|| json.to_owned())
}

/// `PartialObjectMetadata` of it.
pub(super) fn partial(json: &str) -> String {
    let metadata = member(json, "metadata").unwrap_or("{}");
    format!(
        "{{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{metadata}}}"
    )
}

/// Without its kind and apiVersion, as the API server writes the items of a built-in kind.
pub(super) fn without_head<'a>(json: &'a str, head: &str) -> Cow<'a, str> {
    match json.strip_prefix(head) {
        Some(rest) => Cow::Owned(format!("{{{rest}")),
        None => Cow::Borrowed(json),
    }
}

/// The annotation that names what is masked.
pub(super) const MASKED: &str = "dogwatch.dev/masked";

/// With the annotation that says which of its values are masked.
pub(super) fn with_masks_named(json: &str) -> Cow<'_, str> {
    named(json).map_or(Cow::Borrowed(json), Cow::Owned)
}

fn named(json: &str) -> Option<String> {
    let mut paths = Vec::new();
    masked_in(&serde_json::from_str(json).ok()?, &mut String::new(), &mut paths);
    if paths.is_empty() {
        return None;
    }
    let note = format!("\"{MASKED}\":{}", serde_json::to_string(&paths.join(",")).ok()?);
    let metadata = member(json, "metadata")?;
    match member(metadata, "annotations").filter(|found| found.starts_with('{')) {
        Some(annotations) => {
            let rest = annotations.strip_prefix('{')?;
            let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
            replaced(json, annotations, &format!("{{{note}{comma}{rest}"))
        }
        None => {
            let rest = metadata.strip_prefix('{')?;
            let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
            replaced(json, metadata, &format!("{{\"annotations\":{{{note}}}{comma}{rest}"))
        }
    }
}

/// The paths of the values that hold a mask, as kubectl writes paths.
fn masked_in(value: &serde_json::Value, path: &mut String, into: &mut Vec<String>) {
    let length = path.len();
    match value {
        serde_json::Value::String(text) if text.contains(MASK) => into.push(path.clone()),
        serde_json::Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                path.push_str(&format!("[{at}]"));
                masked_in(item, path, into);
                path.truncate(length);
            }
        }
        serde_json::Value::Object(fields) => {
            for (name, field) in fields {
                let is_plain =
                    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
                path.push_str(&if is_plain { format!(".{name}") } else { format!("['{name}']") });
                masked_in(field, path, into);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: &str = r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7","annotations":{"note":"\"resourceVersion\":\"7\""}},"spec":{"resourceVersion":"7"}}"#;

    #[test]
    fn a_deleted_object_has_the_version_of_its_deletion_and_is_the_same_otherwise() {
        let deleted = with_resource_version(POD, 12);
        let expected = POD.replacen("\"resourceVersion\":\"7\"", "\"resourceVersion\":\"12\"", 1);
        assert_eq!(deleted, expected);
        assert_eq!(with_resource_version("{\"metadata\":{}}", 12), "{\"metadata\":{}}");
    }

    #[test]
    fn metadata_and_items_are_cut_out_as_they_stand() {
        assert!(partial(POD).ends_with(r#""metadata":{"name":"a","resourceVersion":"7","annotations":{"note":"\"resourceVersion\":\"7\""}}}"#));
        let item = without_head(POD, r#"{"kind":"Pod","apiVersion":"v1","#);
        assert!(item.starts_with(r#"{"metadata":{"name":"a""#), "{item}");
        assert_eq!(
            without_head("{\"apiVersion\":\"x/v1\"}", "{\"kind\":\"Pod\","),
            "{\"apiVersion\":\"x/v1\"}"
        );
    }

    #[test]
    fn what_is_masked_is_named_in_an_annotation() {
        let check = |json: &str, expected: &str| {
            let json = json.replace("MASK", MASK);
            assert_eq!(with_masks_named(&json), expected.replace("MASK", MASK), "{json}");
        };
        check(r#"{"metadata":{"name":"a"}}"#, r#"{"metadata":{"name":"a"}}"#);
        check(
            r#"{"metadata":{"name":"a"},"data":{"k.x":"MASK","b":["x","y MASK"]}}"#,
            r#"{"metadata":{"annotations":{"dogwatch.dev/masked":".data.b[1],.data['k.x']"},"name":"a"},"data":{"k.x":"MASK","b":["x","y MASK"]}}"#,
        );
        check(
            r#"{"metadata":{"annotations":{"a":"MASK"}}}"#,
            r#"{"metadata":{"annotations":{"dogwatch.dev/masked":".metadata.annotations.a","a":"MASK"}}}"#,
        );
        check(
            r#"{"metadata":{"annotations":{}},"spec":"MASK"}"#,
            r#"{"metadata":{"annotations":{"dogwatch.dev/masked":".spec"}},"spec":"MASK"}"#,
        );
    }
}
