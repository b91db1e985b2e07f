//! The versions of all objects of a kind in their order, over all parts.

use std::sync::Arc;

use postgres::{Client, Error, Row};
use shared::column::Column;
use shared::state::UnixMillis;

use super::read::{JOINS, Keyframes, Models, OF_VERSION, version};
use crate::pack::unpack;
use crate::past::PastChange;
use crate::store::columns_of;
use crate::version::{Head, Op};

/// The clocks of replicas differ by less.
const CLOCKS_MS: i64 = 60_000;

/// `after`: the number of the last version that is known, and `limit`: how many are wanted.
pub(super) fn changes(
    client: &mut Client,
    kind: i32,
    (from_ms, to_ms): (UnixMillis, UnixMillis),
    (after, limit): (i64, usize),
) -> Result<Vec<PastChange>, Error> {
    // The time of a known version is another replica's, maybe: the next one may be before it.
    let since_ms = if after == 0 { from_ms } else { from_ms.saturating_sub(CLOCKS_MS) };
    let parts =
        client.query("SELECT part FROM dogwatch_part WHERE from_ms <= $1 ORDER BY part", &[&to_ms])?;
    let mut found: Vec<PastChange> = Vec::new();
    for part in parts.iter().map(|row| row.get(0)) {
        let missing = limit.saturating_sub(found.len());
        if missing == 0 {
            break;
        }
        let after = found.last().map_or(after, |last| last.version.number);
        found.extend(changes_in(client, (part, kind), (since_ms, to_ms), (after, missing))?);
    }
    Ok(found)
}

fn changes_in(
    client: &mut Client,
    (part, kind): (i32, i32),
    (from_ms, to_ms): (UnixMillis, UnixMillis),
    (after, limit): (i64, usize),
) -> Result<Vec<PastChange>, Error> {
    let columns =
        "SELECT at_ms, definitions FROM dogwatch_columns WHERE part = $1 AND kind = $2 ORDER BY at_ms";
    let columns = client.query(columns, &[&part, &kind])?;
    let columns: Vec<(UnixMillis, Arc<[Column]>)> =
        columns.iter().map(|row| (row.get(0), columns_of(row.get(1)))).collect();
    let mut keyframes = Keyframes::of(Models::read(client, kind, part)?);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    // An end after an end is that of a replica that was away.
    let statement = format!(
        "WITH v AS MATERIALIZED (
             SELECT v.*, b.op AS b_op, b.segment AS b_segment, b.keyframe AS b_keyframe, b.head AS b_head
             FROM dogwatch_version v
             LEFT JOIN LATERAL (
                 SELECT f.op, f.segment, f.keyframe, f.head FROM dogwatch_version f
                 WHERE f.part = v.part AND f.kind = v.kind AND f.id = v.id AND (f.place, f.gone) < (v.place, v.gone)
                 ORDER BY f.place DESC, f.gone DESC LIMIT 1) b ON true
             WHERE v.part = $1 AND v.kind = $2 AND v.at_ms >= $3 AND v.at_ms <= $4 AND v.place > $5 AND v.op <> 1
               AND NOT (v.gone AND coalesce(b.op, 3) >= 3)
             ORDER BY v.place, v.gone LIMIT $6)
         SELECT {OF_VERSION}, v.b_op, v.b_segment, v.b_keyframe, bk.head, v.b_head FROM v {JOINS}
         LEFT JOIN LATERAL (SELECT head FROM dogwatch_keyframe
             WHERE part = v.part AND segment = v.b_segment AND number = v.b_keyframe LIMIT 1) bk ON true
         ORDER BY v.place, v.gone"
    );
    let rows = client.query(&statement, &[&part, &kind, &from_ms, &to_ms, &after, &limit])?;
    let change = |row: &Row| {
        let version = version(row, &mut keyframes)?;
        let before = head_before(row, &keyframes);
        let columns = columns.iter().rev().find(|(at_ms, _)| *at_ms <= version.at_ms).or(columns.first());
        let columns = columns.map(|(_, columns)| Arc::clone(columns)).unwrap_or_default();
        Some(PastChange { version, before, columns })
    };
    Ok(rows.iter().filter_map(change).collect())
}

/// The object as it was before a version. A part begins with all objects, so it knows.
fn head_before(row: &Row, keyframes: &Keyframes) -> Option<Box<Head>> {
    let op = Op::of_number(i64::from(row.get::<_, Option<i16>>(13)?), row.get(15));
    let keyframe = unpack(row.get::<_, Option<&[u8]>>(16)?, &keyframes.models.get(row.get(14)).0)?;
    let head = match op {
        Op::Deleted { .. } => return None,
        Op::Keyframe { .. } => keyframe,
        Op::Patch { .. } => unpack(row.get::<_, Option<&[u8]>>(17)?, &keyframe)?,
    };
    serde_json::from_slice(&head).ok()
}
