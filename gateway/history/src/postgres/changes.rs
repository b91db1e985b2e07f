//! The versions of all objects of a kind in their order, over all parts.

use postgres::error::SqlState;
use postgres::{Client, Error, Row};
use shared::state::UnixMillis;

use super::read::{JOINS, Keyframes, Models, OF_VERSION, columns_in, version};
use crate::cells::put_under;
use crate::pack::unpack;
use crate::past::PastChange;
use crate::store::columns_at;
use crate::version::{Head, Op};

/// `after`: the number of the last version that is known, and `limit`: how many are wanted.
pub(super) fn changes(
    client: &mut Client,
    kind: i32,
    (from_ms, to_ms): (UnixMillis, UnixMillis),
    (after, limit): (i64, usize),
) -> Result<Vec<PastChange>, Error> {
    let parts = "SELECT part FROM dogwatch_part WHERE from_ms <= $1 AND
        share = (SELECT share FROM dogwatch_kind WHERE kind = $2) ORDER BY part";
    let parts = client.query(parts, &[&to_ms, &kind])?;
    let mut found: Vec<PastChange> = Vec::new();
    for part in parts.iter().map(|row| row.get(0)) {
        let missing = limit.saturating_sub(found.len());
        if missing == 0 {
            break;
        }
        let after = found.last().map_or(after, |last| last.version.number);
        // The time of a known version is another replica's, maybe: the next one may be before it.
        let from_ms = if after == 0 { from_ms } else { UnixMillis::MIN };
        found.extend(changes_in(client, (part, kind), (from_ms, to_ms), (after, missing))?);
    }
    Ok(found)
}

fn changes_in(
    client: &mut Client,
    (part, kind): (i32, i32),
    (from_ms, to_ms): (UnixMillis, UnixMillis),
    (mut after, limit): (i64, usize),
) -> Result<Vec<PastChange>, Error> {
    let all_columns = columns_in(client, (part, kind))?;
    let mut keyframes = Keyframes::of(Models::read(client, kind, part)?);
    let mut found = Vec::new();
    loop {
        let rows = rows_in(client, (part, kind), (from_ms, to_ms), (after, limit))?;
        for row in &rows {
            after = row.get(2);
            // An end after an end is that of a replica that was away.
            if is_repeated_end(row) {
                continue;
            }
            let Some(version) = version(row, &mut keyframes) else { continue };
            let mut before = head_before(row, &keyframes);
            let columns = columns_at(&all_columns, version.at_ms);
            if let Some(before) = &mut before {
                put_under(&columns, &all_columns, before, None);
            }
            found.push(PastChange { version, before, columns });
        }
        if rows.len() < limit || found.len() >= limit {
            found.truncate(limit);
            return Ok(found);
        }
    }
}

/// The versions after a number, each with the one before it. Bounds that say nothing are left out, and the part's own table
/// is named: a planner that knows nothing yet of the tables would read all of a part because of them.
fn rows_in(
    client: &mut Client,
    (part, kind): (i32, i32),
    (from_ms, to_ms): (UnixMillis, UnixMillis),
    (after, limit): (i64, usize),
) -> Result<Vec<Row>, Error> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let since = if from_ms == UnixMillis::MIN { "" } else { "AND at_ms >= $5" };
    let until = if to_ms == UnixMillis::MAX { "" } else { "AND at_ms <= $6" };
    let statement = format!(
        "WITH v AS MATERIALIZED (
             SELECT * FROM dogwatch_version_{part}
             WHERE kind = $2 AND place > $3 AND op <> 1 {since} {until}
               AND $1::integer IS NOT NULL AND $5::bigint IS NOT NULL AND $6::bigint IS NOT NULL
             ORDER BY place, gone LIMIT $4)
         SELECT {OF_VERSION}, b.op, b.segment, b.keyframe, bk.head, b.head FROM v {JOINS}
         LEFT JOIN LATERAL (
             SELECT op, segment, keyframe, head FROM dogwatch_version
             WHERE part = v.part AND kind = v.kind AND id = v.id AND (place, gone) < (v.place, v.gone)
             ORDER BY place DESC, gone DESC LIMIT 1) b ON true
         LEFT JOIN LATERAL (SELECT head FROM dogwatch_keyframe
             WHERE part = v.part AND segment = b.segment AND number = b.keyframe LIMIT 1) bk ON true
         ORDER BY v.place, v.gone"
    );
    match client.query(&statement, &[&part, &kind, &after, &limit, &from_ms, &to_ms]) {
        // It was dropped meanwhile, as the oldest.
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => Ok(Vec::new()),
        rows => rows,
    }
}

fn is_repeated_end(row: &Row) -> bool {
    const AN_END: i16 = 3;
    let (op, before) = (row.get::<_, i16>(5), row.get::<_, Option<i16>>(13));
    op >= AN_END && before.is_none_or(|before| before >= AN_END)
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
