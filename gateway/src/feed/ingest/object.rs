//! From a row of a table to an [`Object`]: redacted, with its id, its cells and its labels.

use bytes::Bytes;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use shared::cell::Cell;
use shared::instant;
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId, order_key};

use super::cells::{Plan, Source};
use super::metadata::Metadata;
use super::redact::Redacted;
use super::role::AskedKind;
use crate::feed::redaction::Rules;
use crate::feed::{LeftOut, Managed, Object};

/// A namespaced object has one uid in its lifetime; an API without uids goes by the name.
pub(super) fn row_id(metadata: &Metadata<'_>) -> RowId {
    let hash = if metadata.uid.is_empty() {
        hash_of(&[order_key(metadata.namespace(), &metadata.name).as_bytes()])
    } else {
        hash_of(&[metadata.uid.as_bytes()])
    };
    RowId::from_hash(hash)
}

/// The upper 64 bits of SHA-256.
fn hash_of(parts: &[&[u8]]) -> u64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().iter().take(8).fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// `cells`: as the server printed them. If it prints none, the name is the first cell. `whole`: the bytes that
/// contain the object.
pub(super) fn build(
    plan: &Plan,
    (rules, kind): (&Rules, AskedKind),
    cells: Option<&[&RawValue]>,
    object: &RawValue,
    whole: &Bytes,
) -> Result<Object, LeftOut> {
    let redacted = Redacted::of(object.get(), rules, kind).ok_or_else(|| unreadable("an object"))?;
    let metadata: Metadata =
        serde_json::from_slice(redacted.metadata()).map_err(|_| unreadable("an object"))?;
    if metadata.name.is_empty() {
        return Err(unreadable("an object without a name"));
    }
    let source = Source { metadata: &metadata, redacted: &redacted };
    let mut filled = plan.cells(cells.unwrap_or_default(), &source);
    if let (None, Some(first)) = (cells, filled.first_mut()) {
        *first = Cell::text(&metadata.name);
    }
    let row = Row {
        id: row_id(&metadata),
        resource_version: resource_version(&source),
        namespace: metadata.namespace().map(Into::into),
        name: metadata.name.as_ref().into(),
        created: metadata.creation_timestamp.as_deref().and_then(instant::seconds),
        cells: filled,
        extra: metadata.extra(),
    };
    let labels = metadata.labels.iter().flatten().map(|(key, value)| (key.clone(), value.clone())).collect();
    let managed = object.get().as_bytes().get(redacted.managed_range()).unwrap_or_default();
    let managed = match kind {
        // Copied, because a slice would keep the whole answer with its values in memory.
        AskedKind::Secret => Managed(Bytes::copy_from_slice(managed)),
        AskedKind::ConfigMap | AskedKind::Other => Managed(whole.slice_ref(managed)),
    };
    let (body, masks) = redacted.finish();
    Ok(Object { row, labels, managed, body: Bytes::from(body), masks })
}

/// If the API has no resourceVersion (metrics.k8s.io), a hash of the content without the metadata, whose
/// creationTimestamp is the time of the request.
fn resource_version(source: &Source<'_>) -> ResourceVersion {
    if !source.metadata.resource_version.is_empty() {
        return ResourceVersion::new(&source.metadata.resource_version);
    }
    let whole = source.redacted.bytes.as_slice();
    let metadata = source.redacted.metadata_range();
    let before = whole.get(..metadata.start).unwrap_or_default();
    let after = whole.get(metadata.end..).unwrap_or_default();
    let labels = serde_json::to_vec(&source.metadata.labels).unwrap_or_default();
    ResourceVersion::new(&format!("h{:016x}", hash_of(&[before, after, &labels])))
}

pub(super) fn unreadable(what: &str) -> LeftOut {
    LeftOut {
        object: what.into(),
        problem: Problem::new(Reason::InternalError, "the API server sent an object that can't be read"),
    }
}

/// Names a value that was too large from its first bytes, for the object's metadata stands near the
/// beginning.
pub(super) fn name_in(head: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(head);
    let after_rows = text.split_once("\"rows\":").map_or(&*text, |(_, rows)| rows);
    let after_object = after_rows.split_once("\"object\":").map_or(after_rows, |(_, object)| object);
    let (_, metadata) = after_object.split_once("\"metadata\":")?;
    let member = |key: &str| {
        let (_, rest) = metadata.split_once(&format!("\"{key}\":\""))?;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let name = member("name")?;
    Some(order_key(member("namespace").as_deref(), &name))
}
