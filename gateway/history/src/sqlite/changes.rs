//! The versions of all objects of a kind in the order in which they were told, as one segment has them.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};
use shared::column::Column;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::read::{Keyframes, Texts, model, there};
use super::write::version_text;
use crate::pack::unpack;
use crate::past::{PastChange, PastState, PastVersion};
use crate::store::{columns_at, columns_of};
use crate::version::{Head, Op};

/// A version as it is stored.
struct Found {
    object: i64,
    packed: Texts,
    op: Op,
    /// What is known of it without its content.
    version: PastVersion,
}

/// `after`: the number of the last version that is known, and `limit`: how many are wanted.
pub(super) fn changes_in(
    connection: &Connection,
    kind: i64,
    (from_ms, to_ms): (UnixMillis, UnixMillis),
    (after, limit): (i64, usize),
) -> rusqlite::Result<Vec<PastChange>> {
    // Times never go back from one number to the next, so the index has them in the order of the numbers.
    let mut versions = connection.prepare_cached(
        "SELECT v.object, o.row, o.namespace_row, v.number, v.at_ms, v.rv, v.op, v.keyframe, v.skipped, v.head, v.body
         FROM version v JOIN object o ON o.number = v.object
         WHERE v.kind = ? AND v.at_ms >= ? AND v.at_ms <= ? AND v.number > ? AND v.op <> 1
         ORDER BY v.at_ms, v.number LIMIT ?",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let found = versions.query_map(params![kind, from_ms, to_ms, after, limit], |row| {
        let Some(id) = RowId::from_number(row.get(1)?) else { return Ok(None) };
        let version = PastVersion {
            number: row.get(3)?,
            at_ms: row.get(4)?,
            row: id,
            namespace_row: row.get::<_, Option<i64>>(2)?.and_then(RowId::from_number),
            resource_version: version_text(row, 5)?,
            skipped: row.get(8)?,
            state: PastState::Damaged,
        };
        let (op, packed) = (Op::of_number(row.get(6)?, row.get(7)?), (row.get(9)?, row.get(10)?));
        Ok(Some(Found { object: row.get(0)?, packed, op, version }))
    })?;
    let found: Vec<Found> = found.filter_map(Result::transpose).collect::<Result<_, _>>()?;
    let columns = columns_in(connection, kind)?;
    let (model_head, model_body) = model(connection, kind)?;
    let model = (&*model_head, &*model_body);
    let mut keyframes: HashMap<i64, Keyframes<'_>> = HashMap::new();
    let mut changes = Vec::with_capacity(found.len());
    for Found { object, packed, op, mut version } in found {
        let of_object = keyframes.entry(object).or_insert_with(|| Keyframes::of(connection, object, model));
        let state = match op {
            Op::Deleted { relisted } => Some(PastState::Deleted { relisted }),
            Op::Keyframe { .. } => there(&packed, model),
            Op::Patch { keyframe } => {
                of_object.get(keyframe)?.and_then(|(head, body)| there(&packed, (head, body)))
            }
        };
        version.state = state.unwrap_or(PastState::Damaged);
        let before = head_before(connection, (object, version.number), of_object, model.0)?;
        let columns = columns_at(&columns, version.at_ms);
        changes.push(PastChange { version, before, columns });
    }
    Ok(changes)
}

/// The object as it was before a version. A segment begins with all objects, so it knows.
fn head_before(
    connection: &Connection,
    (object, number): (i64, i64),
    keyframes: &mut Keyframes<'_>,
    model: &[u8],
) -> rusqlite::Result<Option<Box<Head>>> {
    let mut before = connection.prepare_cached(
        "SELECT op, keyframe, head FROM version WHERE object = ? AND number < ? ORDER BY number DESC LIMIT 1",
    )?;
    let before = before.query_row(params![object, number], |row| {
        Ok((Op::of_number(row.get(0)?, row.get(1)?), row.get::<_, Vec<u8>>(2)?))
    });
    let head = match before.optional()? {
        None | Some((Op::Deleted { .. }, _)) => None,
        Some((Op::Keyframe { .. }, packed)) => unpack(&packed, model),
        Some((Op::Patch { keyframe }, packed)) => {
            keyframes.get(keyframe)?.and_then(|(head, _)| unpack(&packed, head))
        }
    };
    Ok(head.and_then(|head| serde_json::from_slice(&head).ok()))
}

/// The columns of a kind, each with the time since when: the oldest first.
fn columns_in(connection: &Connection, kind: i64) -> rusqlite::Result<Vec<(UnixMillis, Arc<[Column]>)>> {
    let mut columns =
        connection.prepare_cached("SELECT at_ms, definitions FROM columns WHERE kind = ? ORDER BY rowid")?;
    let columns =
        columns.query_map([kind], |row| Ok((row.get(0)?, columns_of(&row.get::<_, String>(1)?))))?;
    columns.collect()
}
