//! A list that isn't whole yet, or in which a run was killed: since it began, the rows of a kind mix two times.

use std::sync::Arc;

use rusqlite::{Connection, params};
use shared::past::{Unrecorded, Why};
use shared::state::UnixMillis;

use super::read::{model, of_kind};
use super::segment::Segment;
use crate::kind::KindKey;
use crate::pack::unpack_version;
use crate::store::StoreError;
use crate::version::{Head, Op};

/// What was told of a kind after its last proof.
#[derive(Default)]
struct Told {
    /// The last version that was heard in its order.
    heard_ms: Option<UnixMillis>,
    /// The last version after that, which a list told, or the columns that a list began with.
    listed_ms: Option<UnixMillis>,
}

/// The time since which the kind is listed, as of a time. `None`: it isn't, because a proof follows each list that is whole.
pub(super) fn open_list(
    segments: &[Arc<Segment>],
    key: &KindKey,
    at_ms: UnixMillis,
) -> Result<Option<Unrecorded>, StoreError> {
    let mut proven_ms = None;
    for segment in segments {
        proven_ms = of_kind(segment, key, last_proof)?.max(proven_ms);
    }
    let Some(proven_ms) = proven_ms.filter(|proven_ms| *proven_ms < at_ms) else { return Ok(None) };
    let mut listed_ms = None;
    for segment in segments.iter().rev().filter(|segment| segment.from_ms <= at_ms) {
        let told = of_kind(segment, key, |connection, kind| told(connection, kind, (proven_ms, at_ms)))?;
        let told = told.unwrap_or_default();
        listed_ms = told.listed_ms.max(listed_ms);
        // A segment begins with what the one before had told, so that one knows of a list that runs.
        let is_known = told.heard_ms.is_some() || segment.from_ms <= proven_ms;
        if is_known {
            let from_ms = told.heard_ms.unwrap_or(proven_ms);
            return Ok(listed_ms.map(|to_ms| Unrecorded { from_ms, to_ms, why: Why::Down }));
        }
    }
    Ok(listed_ms.map(|to_ms| Unrecorded { from_ms: proven_ms, to_ms, why: Why::Down }))
}

fn last_proof(connection: &Connection, kind: i64) -> rusqlite::Result<Option<UnixMillis>> {
    let mut last = connection.prepare_cached("SELECT max(at_ms) FROM proof WHERE kind = ?")?;
    last.query_row([kind], |row| row.get(0))
}

fn told(
    connection: &Connection,
    kind: i64,
    (proven_ms, at_ms): (UnixMillis, UnixMillis),
) -> rusqlite::Result<Option<Told>> {
    let time = params![kind, proven_ms, at_ms];
    let mut columns = connection
        .prepare_cached("SELECT max(at_ms) FROM columns WHERE kind = ? AND at_ms > ? AND at_ms <= ?")?;
    let columns_ms: Option<UnixMillis> = columns.query_row(time, |row| row.get(0))?;
    let mut versions = connection.prepare_cached(
        "SELECT v.at_ms, v.op, v.head, k.head FROM version v
         LEFT JOIN version k ON k.object = v.object AND k.number = v.keyframe
         WHERE v.kind = ? AND v.at_ms > ? AND v.at_ms <= ? AND v.op <> 1
         ORDER BY v.at_ms DESC, v.number DESC",
    )?;
    let mut rows = versions.query(time)?;
    let (mut told, mut model_head) = (Told { heard_ms: None, listed_ms: columns_ms }, None);
    while let Some(row) = rows.next()? {
        let version_ms = row.get(0)?;
        let is_listed = match Op::of_number(row.get(1)?, None) {
            Op::Deleted { relisted } => relisted,
            Op::Keyframe { .. } | Op::Patch { .. } => {
                let model_head = match &model_head {
                    Some(head) => head,
                    None => model_head.insert(model(connection, kind)?.0),
                };
                let (own, keyframe): (Vec<u8>, Option<Vec<u8>>) = (row.get(2)?, row.get(3)?);
                let head = match &keyframe {
                    Some(keyframe) => unpack_version(model_head, keyframe, Some(&own)),
                    None => unpack_version(model_head, &own, None),
                };
                let head = head.and_then(|head| serde_json::from_slice::<Head>(&head).ok());
                head.is_some_and(|head| head.relisted)
            }
        };
        // Rows of before stand under other columns until all objects are told with those.
        let is_under_new_columns = columns_ms.is_some_and(|columns_ms| columns_ms <= version_ms);
        if !is_listed && !is_under_new_columns {
            told.heard_ms = Some(version_ms);
            break;
        }
        told.listed_ms = told.listed_ms.max(Some(version_ms));
    }
    Ok(Some(told))
}
