//! The places of an object's masks, and a hash of each hidden value under a key that only this process has. The
//! hashes let two versions be compared as if nothing were masked. No hash ever leaves the gateway.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

use serde_json::Value;

/// What stands in place of a masked value. Its width is constant, so that it doesn't tell the value's length.
pub const MASK: &str = "••••••••";
/// Between a mask and its hash, while two versions are compared; a character that no standard uses.
const SEPARATOR: char = '\u{f8ff}';
const HASH_DIGITS: usize = 8;

/// In the order of the body that they belong to.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Masks(Box<[Mask]>);

#[derive(Clone, Copy, PartialEq, Eq)]
struct Mask {
    /// Where in the body it ends.
    end: u32,
    hash: u32,
}

/// Collects the masks of one body.
#[derive(Default)]
pub(crate) struct MaskWriter(Vec<Mask>);

impl MaskWriter {
    /// Writes a mask at the end of the body.
    pub(crate) fn write(&mut self, body: &mut Vec<u8>, hidden: &[u8], key: &RandomState) {
        body.extend_from_slice(MASK.as_bytes());
        let end = u32::try_from(body.len()).unwrap_or(u32::MAX);
        self.0.push(Mask { end, hash: hash_of(hidden, key) });
    }

    /// Whether one of the masks hides this value.
    pub(super) fn hides(&self, value: &[u8], key: &RandomState) -> bool {
        let hash = if self.0.is_empty() { return false } else { hash_of(value, key) };
        self.0.iter().any(|mask| mask.hash == hash)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn finish(self) -> Masks {
        Masks(self.0.into())
    }
}

/// The lower half: a change is missed once in 4 billion.
fn hash_of(hidden: &[u8], key: &RandomState) -> u32 {
    u32::try_from(key.hash_one(hidden) & u64::from(u32::MAX)).unwrap_or_default()
}

impl Masks {
    /// Whether nothing is masked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The places and hashes, for a record that this process compares alone.
    #[must_use]
    pub fn parts(&self) -> Box<[(u32, u32)]> {
        self.0.iter().map(|mask| (mask.end, mask.hash)).collect()
    }

    #[must_use]
    pub fn of_parts(parts: &[(u32, u32)]) -> Self {
        Self(parts.iter().map(|(end, hash)| Mask { end: *end, hash: *hash }).collect())
    }

    /// The same places, where what another process hid can't be compared.
    #[must_use]
    pub fn without_hashes(parts: &[(u32, u32)]) -> Self {
        Self(parts.iter().map(|(end, _)| Mask { end: *end, hash: 0 }).collect())
    }

    /// Whether what is hidden is the same, wherever in the body it stands.
    pub(crate) fn hide_the_same_as(&self, other: &Self) -> bool {
        self.0.iter().map(|mask| mask.hash).eq(other.0.iter().map(|mask| mask.hash))
    }

    /// The object with each mask told apart by what it hides. [`unmarked`] makes values of it that may be shown.
    pub(crate) fn marked(&self, body: &[u8]) -> Option<Value> {
        if self.0.is_empty() {
            return serde_json::from_slice(body).ok();
        }
        let mut marked = Vec::with_capacity(body.len() + self.0.len() * (HASH_DIGITS + SEPARATOR.len_utf8()));
        let mut copied = 0;
        for mask in &self.0 {
            let end = usize::try_from(mask.end).ok()?;
            marked.extend_from_slice(body.get(copied..end)?);
            marked.extend_from_slice(format!("{SEPARATOR}{:08x}", mask.hash).as_bytes());
            copied = end;
        }
        marked.extend_from_slice(body.get(copied..)?);
        serde_json::from_slice(&marked).ok()
    }
}

/// The value without the hashes beside its masks.
pub(crate) fn unmarked(value: &Value) -> Value {
    match value {
        Value::String(text) if text.contains(SEPARATOR) => without_hashes(text).into(),
        Value::Array(items) => items.iter().map(unmarked).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, value)| (key.clone(), unmarked(value))).collect())
        }
        value => value.clone(),
    }
}

fn without_hashes(text: &str) -> String {
    let mut parts = text.split(SEPARATOR);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if plain.ends_with(MASK) {
            plain.push_str(part.get(HASH_DIGITS..).unwrap_or_default());
        } else {
            plain.push(SEPARATOR);
            plain.push_str(part);
        }
    }
    plain
}

/// Their number alone: even a keyed hash is never printed.
impl fmt::Debug for Masks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Masks({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bodies_whose_masks_hide_other_values_differ_and_nothing_of_that_can_be_shown() {
        let key = RandomState::new();
        let body = |hidden: &str| {
            let (mut body, mut masks) = (b"{\"a\":\"x".to_vec(), MaskWriter::default());
            masks.write(&mut body, hidden.as_bytes(), &key);
            body.extend_from_slice(b"y\"}");
            masks.finish().marked(&body).expect("JSON")
        };
        assert_eq!(body("1"), body("1"));
        assert_ne!(body("1"), body("2"));
        assert_eq!(unmarked(&body("2")), json!({"a": format!("x{MASK}y")}));
        let own = json!(["\u{f8ff}", {"b": "a\u{f8ff}0"}]);
        assert_eq!(unmarked(&own), own);
    }
}
