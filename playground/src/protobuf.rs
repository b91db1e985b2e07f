//! Bodies that kubectl sends as protobuf, read into the JSON that they stand for: the envelope
//! (`k8s`, NUL, `runtime.Unknown`), and messages by the schema in `protobuf/kubernetes.proto`. Pure; it
//! never writes protobuf, for every client takes JSON as well.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

pub const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// A field that isn't in it isn't kept.
const SCHEMA: &str = include_str!("protobuf/kubernetes.proto");

/// Why a body can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It isn't protobuf, or not of its message.
    Malformed,
    /// Its kind isn't in the schema.
    UnknownKind,
}

const MAGIC: &[u8] = b"k8s\0";
/// Messages within messages; Kubernetes' own nest a dozen deep.
const DEPTH_MAX: u32 = 32;

/// The object in an envelope, with its kind and apiVersion.
pub fn read(body: &[u8]) -> Result<Value, Unreadable> {
    let envelope = body.strip_prefix(MAGIC).ok_or(Unreadable::Malformed)?;
    let (mut type_meta, mut raw) = (&[][..], &[][..]);
    for field in fields(envelope) {
        match field? {
            (1, Wire::Bytes(bytes)) => type_meta = bytes,
            (2, Wire::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    let type_meta = message(type_meta, "TypeMeta", DEPTH_MAX)?;
    let kind = type_meta.get("kind").and_then(Value::as_str).unwrap_or_default();
    Field::of(kind, 1).filter(|first| first.name == "metadata").ok_or(Unreadable::UnknownKind)?;
    let mut object = message(raw, kind, DEPTH_MAX)?;
    object.extend(type_meta);
    Ok(Value::Object(object))
}

enum Wire<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, one after the other.
fn fields(mut bytes: &[u8]) -> impl Iterator<Item = Result<(u64, Wire<'_>), Unreadable>> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let read = field(&mut bytes).ok_or(Unreadable::Malformed);
        if read.is_err() {
            bytes = &[];
        }
        Some(read)
    })
}

fn field<'a>(bytes: &mut &'a [u8]) -> Option<(u64, Wire<'a>)> {
    let tag = varint(bytes)?;
    let value = match tag & 7 {
        0 => Wire::Number(varint(bytes)?),
        1 => Wire::Bytes(take(bytes, 8)?),
        2 => {
            let length = usize::try_from(varint(bytes)?).ok()?;
            Wire::Bytes(take(bytes, length)?)
        }
        5 => Wire::Bytes(take(bytes, 4)?),
        _ => return None,
    };
    Some((tag >> 3, value))
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

/// Seven bits a byte, the lowest first.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// A field of a message in the schema.
struct Field {
    name: &'static str,
    /// `optional`, `repeated` or `map<string,`.
    label: &'static str,
    /// `string`, `int32`, …, or the name of a message.
    kind: &'static str,
}

impl Field {
    fn of(message: &str, number: u64) -> Option<Self> {
        let (_, rest) = SCHEMA.split_once(&format!("\nmessage {message} {{\n"))?;
        let (fields, _) = rest.split_once("\n}")?;
        let (declared, _) = fields.lines().find_map(|line| {
            line.trim().strip_suffix(';')?.split_once(" = ").filter(|(_, found)| found.parse() == Ok(number))
        })?;
        let (label, declared) = declared.split_once(' ')?;
        let (kind, name) = declared.split_once(' ')?;
        Some(Self { name, label, kind: kind.trim_end_matches('>') })
    }
}

/// Empty texts are left out, as JSON leaves them out. Fields that the schema lacks are left out too.
fn message(bytes: &[u8], name: &str, depth: u32) -> Result<Map<String, Value>, Unreadable> {
    let depth = depth.checked_sub(1).ok_or(Unreadable::Malformed)?;
    let mut object = Map::new();
    for read in fields(bytes) {
        let (number, wire) = read?;
        let Some(Field { name, label, kind }) = Field::of(name, number) else {
            continue;
        };
        match label {
            "repeated" => {
                let value = value(&wire, kind, depth)?;
                if let Value::Array(list) = object.entry(name).or_insert_with(|| json!([])) {
                    list.push(value);
                }
            }
            "optional" => {
                let value = value(&wire, kind, depth)?;
                if value != json!("") && value != Value::Null {
                    object.insert(name.to_owned(), value);
                }
            }
            _ => {
                let Wire::Bytes(bytes) = wire else { return Err(Unreadable::Malformed) };
                let (key, value) = entry(bytes, kind, depth)?;
                if let Value::Object(map) = object.entry(name).or_insert_with(|| json!({})) {
                    map.insert(key, value);
                }
            }
        }
    }
    Ok(object)
}

fn entry(bytes: &[u8], kind: &str, depth: u32) -> Result<(String, Value), Unreadable> {
    let (mut key, mut found) = (String::new(), json!(""));
    for read in fields(bytes) {
        match read? {
            (1, Wire::Bytes(bytes)) => key = text(bytes)?,
            (2, wire) => found = value(&wire, kind, depth)?,
            _ => {}
        }
    }
    Ok((key, found))
}

fn value(wire: &Wire<'_>, kind: &str, depth: u32) -> Result<Value, Unreadable> {
    Ok(match (kind, wire) {
        ("string", Wire::Bytes(bytes)) => json!(text(bytes)?),
        ("bytes", Wire::Bytes(bytes)) => json!(STANDARD.encode(bytes)),
        ("bool", Wire::Number(number)) => json!(*number != 0),
        ("int32", Wire::Number(number)) => json!(number.cast_signed()),
        // A new object's time is zero: the server sets it.
        ("Time", _) => Value::Null,
        (name, Wire::Bytes(bytes)) => Value::Object(message(bytes, name, depth)?),
        _ => return Err(Unreadable::Malformed),
    })
}

fn text(bytes: &[u8]) -> Result<String, Unreadable> {
    String::from_utf8(bytes.to_vec()).map_err(|_| Unreadable::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length_delimited(number: u8, bytes: &[u8]) -> Vec<u8> {
        let mut field = vec![number << 3 | 2, u8::try_from(bytes.len()).expect("short")];
        field.extend_from_slice(bytes);
        field
    }

    fn envelope(kind: &str, raw: &[u8]) -> Vec<u8> {
        let type_meta = [length_delimited(1, b"v1"), length_delimited(2, kind.as_bytes())].concat();
        [MAGIC.to_vec(), length_delimited(1, &type_meta), length_delimited(2, raw)].concat()
    }

    #[test]
    fn a_config_map_is_read_with_its_maps() {
        let entry =
            |key: &[u8], value: &[u8]| [length_delimited(1, key), length_delimited(2, value)].concat();
        let metadata = [length_delimited(1, b"a"), length_delimited(11, &entry(b"app", b"web"))].concat();
        let raw = [
            length_delimited(1, &metadata),
            length_delimited(2, &entry(b"one", b"1")),
            length_delimited(2, &entry(b"two", b"2")),
        ]
        .concat();
        assert_eq!(
            read(&envelope("ConfigMap", &raw)),
            Ok(json!({
                "kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a", "labels": {"app": "web"}},
                "data": {"one": "1", "two": "2"},
            }))
        );
    }

    #[test]
    fn what_is_cut_or_unknown_is_refused() {
        let whole = envelope("Namespace", &length_delimited(1, &length_delimited(1, b"shop")));
        assert!(read(&whole).is_ok());
        assert!((1..whole.len()).any(|end| read(&whole[..end]) == Err(Unreadable::Malformed)));
        assert_eq!(read(b"{}"), Err(Unreadable::Malformed));
        assert_eq!(read(&envelope("Gizmo", b"")), Err(Unreadable::UnknownKind));
    }
}
