//! A row: an object's cells, and the part of its metadata that a view needs. The object itself only where a client asks for it. On the wire rows are
//! written column by column: see `frame::rows`.

use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::cell::Cell;
use crate::duration::UnixSeconds;
use crate::health::Health;
use crate::json::{self, Malformed, Read, Reader, fields};
use crate::resource_version::ResourceVersion;

/// 60 bits of a hash of the uid, written as 10 characters of base64url; the same on every gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(u64);

/// One row of a table, as the gateway sends it and the replica keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub id: RowId,
    /// Empty where the API has none; the gateway then writes a hash of the content.
    pub resource_version: ResourceVersion,
    /// `None` for a cluster-scoped object.
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    pub created: Option<UnixSeconds>,
    /// One a column, in the order of the columns of `subscribed`.
    pub cells: Vec<Cell>,
    pub extra: Option<Box<Extra>>,
}

/// Metadata that most rows don't have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extra {
    /// `metadata.deletionTimestamp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<UnixSeconds>,
    /// The controller among the owner references.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
    /// The label `pod-template-hash`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<Box<str>>,
    /// How the object stands, if not simply fine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<Health>,
    /// The whole object, where the client asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<WholeObject>,
}

/// An object's JSON as it stands, masked as everything that the gateway shows.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WholeObject(Box<RawValue>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub kind: Box<str>,
    pub name: Box<str>,
    /// The id of its row, from its uid: kinds of several groups may have one name. A former gateway doesn't say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<RowId>,
}

impl WholeObject {
    /// `None` if it isn't JSON.
    #[must_use]
    pub fn from_json(json: Vec<u8>) -> Option<Self> {
        RawValue::from_string(String::from_utf8(json).ok()?).ok().map(Self)
    }

    #[must_use]
    pub fn json(&self) -> &str {
        self.0.get()
    }
}

impl PartialEq for WholeObject {
    fn eq(&self, other: &Self) -> bool {
        self.json() == other.json()
    }
}

impl Eq for WholeObject {}

/// Never its content.
impl fmt::Debug for WholeObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WholeObject({} bytes)", self.json().len())
    }
}

impl Row {
    /// `None`: it is fine.
    pub fn health(&self) -> Option<&Health> {
        self.extra.as_ref()?.health.as_ref()
    }

    /// Its namespace and its name.
    pub fn place(&self) -> (Option<&str>, &str) {
        (self.namespace.as_deref(), &self.name)
    }

    /// kubectl's order without a sort: `namespace/name` as one string, as etcd's keys are.
    pub fn order_key(&self) -> String {
        order_key(self.namespace.as_deref(), &self.name)
    }
}

/// See [`Row::order_key`].
pub fn order_key(namespace: Option<&str>, name: &str) -> String {
    match namespace {
        Some(namespace) => format!("{namespace}/{name}"),
        None => name.to_owned(),
    }
}

const BITS_PER_CHARACTER: usize = 6;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl RowId {
    /// The characters of an id as text.
    pub const CHARACTERS: usize = 10;

    /// Takes the upper 60 bits of a 64-bit hash.
    pub fn from_hash(hash: u64) -> Self {
        Self(hash >> (u64::BITS as usize - Self::CHARACTERS * BITS_PER_CHARACTER))
    }

    /// As a number of 60 bits, which a database keeps in a column of integers.
    #[must_use]
    pub fn number(self) -> i64 {
        i64::try_from(self.0).unwrap_or(i64::MAX)
    }

    /// The id of a [number](Self::number). `None` unless it has at most 60 bits.
    #[must_use]
    pub fn from_number(number: i64) -> Option<Self> {
        let number = u64::try_from(number).ok()?;
        (number >> (Self::CHARACTERS * BITS_PER_CHARACTER) == 0).then_some(Self(number))
    }

    /// Another id, made with a hash. Applied twice it is this id again.
    #[must_use]
    pub fn mixed(self, hash: u64) -> Self {
        Self(self.0 ^ Self::from_hash(hash).0)
    }

    /// The id as text.
    pub(crate) fn characters(self) -> [u8; Self::CHARACTERS] {
        let mut text = [b'A'; Self::CHARACTERS];
        for (place, character) in text.iter_mut().rev().enumerate() {
            let index = (self.0 >> (place * BITS_PER_CHARACTER)) & 63;
            *character = usize::try_from(index).ok().and_then(|at| ALPHABET.get(at)).copied().unwrap_or(b'A');
        }
        text
    }

    /// `None` unless it is 10 characters of base64url.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != Self::CHARACTERS {
            return None;
        }
        text.bytes().try_fold(0, |id, byte| Some(id << BITS_PER_CHARACTER | value_of(byte)?)).map(Self)
    }
}

fn value_of(character: u8) -> Option<u64> {
    let value = match character {
        b'A'..=b'Z' => character - b'A',
        b'a'..=b'z' => character - b'a' + 26,
        b'0'..=b'9' => character - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    };
    Some(u64::from(value))
}

impl fmt::Display for RowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In one piece: a serializer escapes each piece by itself.
        f.write_str(str::from_utf8(&self.characters()).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for RowId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RowId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IdVisitor;
        impl Visitor<'_> for IdVisitor {
            type Value = RowId;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a row id: 10 characters of base64url")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<RowId, E> {
                RowId::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_str(IdVisitor)
    }
}

fields! { Extra: ; deleted, owner, hash, health, object }
fields! { Owner: kind, name; row }

impl Read for WholeObject {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        Read::read(json).map(Self)
    }
}

impl Read for RowId {
    #[inline(never)]
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        Self::parse(&json.text()?).ok_or(Malformed)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_id_reads_back_as_it_was_written(hash: u64) {
            let id = RowId::from_hash(hash);
            prop_assert_eq!(RowId::parse(&id.to_string()), Some(id));
        }
    }
}
