//! A scan of the versions of a kind in one segment, page by page: its writer waits for no more than one.

use rusqlite::{Connection, OptionalExtension, params};
use shared::row::RowId;
use shared::state::UnixMillis;

use super::read::{kind_in, model};
use super::segment::Segment;
use crate::kind::KindKey;
use crate::past::{Found, Scanned};
use crate::scan::{PAGE, ScannedKeyframes};
use crate::store::StoreError;
use crate::version::Op;

/// Whether more is wanted.
pub(super) fn scan_in(
    segment: &Segment,
    key: &KindKey,
    time: (UnixMillis, UnixMillis),
    is_wanted: &dyn Fn(&[u8]) -> bool,
    hear: &mut dyn FnMut(Scanned) -> bool,
) -> Result<bool, StoreError> {
    let known = segment.read(|connection| {
        let kind = kind_in(connection, key)?;
        kind.map(|kind| Ok((kind, model(connection, kind)?))).transpose()
    })?;
    let Some((kind, (model_head, model_body))) = known else { return Ok(true) };
    let mut scan = Scan { kind, model: (&model_head, &model_body), keyframes: ScannedKeyframes::default() };
    let (mut from_ms, mut after) = (time.0, 0);
    loop {
        let page = segment.read(|connection| scan.page(connection, (from_ms, time.1), after, is_wanted))?;
        let is_last = page.len() < PAGE;
        for (number, scanned) in page {
            (from_ms, after) = (scanned.at_ms, number);
            if !hear(scanned) {
                return Ok(false);
            }
        }
        if is_last {
            return Ok(true);
        }
    }
}

struct Scan<'a> {
    kind: i64,
    model: (&'a [u8], &'a [u8]),
    keyframes: ScannedKeyframes,
}

impl Scan<'_> {
    fn page(
        &mut self,
        connection: &Connection,
        (from_ms, to_ms): (UnixMillis, UnixMillis),
        after: i64,
        is_wanted: &dyn Fn(&[u8]) -> bool,
    ) -> rusqlite::Result<Vec<(i64, Scanned)>> {
        // Times never go back from one number to the next, so the index has them in the order of the numbers.
        let mut versions = connection.prepare_cached(
            "SELECT v.object, o.row, o.namespace_row, v.number, v.at_ms, v.op, v.keyframe, v.head, v.body
             FROM version v JOIN object o ON o.number = v.object
             WHERE v.kind = ? AND v.at_ms >= ? AND v.at_ms <= ? AND v.number > ? AND v.op <> 1
             ORDER BY v.at_ms, v.number LIMIT ?",
        )?;
        let limit = i64::try_from(PAGE).unwrap_or(i64::MAX);
        let mut rows = versions.query(params![self.kind, from_ms, to_ms, after, limit])?;
        let mut page = Vec::new();
        while let Some(row) = rows.next()? {
            let Some(id) = RowId::from_number(row.get(1)?) else { continue };
            let (object, number): (i64, i64) = (row.get(0)?, row.get(3)?);
            let found = match Op::of_number(row.get(5)?, row.get(6)?) {
                Op::Deleted { .. } => Found::Nothing,
                Op::Keyframe { .. } => {
                    self.keyframes.add((object, number), (row.get(7)?, row.get(8)?));
                    self.keyframes.find((object, number), None, self.model, is_wanted)
                }
                Op::Patch { keyframe } => {
                    let key = (object, keyframe);
                    if !self.keyframes.has(key) {
                        self.fetch(connection, key)?;
                    }
                    let patch = (row.get_ref(7)?.as_blob()?, row.get_ref(8)?.as_blob()?);
                    self.keyframes.find(key, Some(patch), self.model, is_wanted)
                }
            };
            let namespace_row = row.get::<_, Option<i64>>(2)?.and_then(RowId::from_number);
            page.push((number, Scanned { at_ms: row.get(4)?, row: id, namespace_row, found }));
        }
        Ok(page)
    }

    fn fetch(&mut self, connection: &Connection, (object, number): (i64, i64)) -> rusqlite::Result<()> {
        let sql = "SELECT head, body FROM version WHERE object = ? AND number = ?";
        let mut keyframe = connection.prepare_cached(sql)?;
        let found = keyframe.query_row(params![object, number], |row| Ok((row.get(0)?, row.get(1)?)));
        if let Some(packed) = found.optional()? {
            self.keyframes.add((object, number), packed);
        }
        Ok(())
    }
}
