//! A scan of the versions of a kind over all parts. Versions come without the keyframes that they build on, because most
//! have one in common with others: each of those is fetched once.

use std::collections::{BTreeSet, HashMap};

use postgres::error::SqlState;
use postgres::{Client, Error, Row};
use shared::row::RowId;
use shared::state::UnixMillis;

use super::read::Models;
use crate::past::{Found, Scanned};
use crate::scan::{PAGE, ScannedKeyframes};
use crate::version::Op;

/// One part on its way to a reader.
pub(super) struct Scan {
    part: i32,
    kind: i32,
    models: Models,
    keyframes: ScannedKeyframes,
    /// The number of the last version that was read.
    after: i64,
    pub(super) is_over: bool,
}

/// The parts that may have something of a time, the oldest first.
pub(super) fn parts(client: &mut Client, kind: i32, to_ms: UnixMillis) -> Result<Vec<i32>, Error> {
    let parts = "SELECT part FROM dogwatch_part
        WHERE from_ms <= $1 AND share = (SELECT share FROM dogwatch_kind WHERE kind = $2) ORDER BY part";
    Ok(client.query(parts, &[&to_ms, &kind])?.iter().map(|row| row.get(0)).collect())
}

impl Scan {
    pub(super) fn begin(client: &mut Client, (part, kind): (i32, i32)) -> Result<Self, Error> {
        let models = Models::read(client, kind, part)?;
        Ok(Self { part, kind, models, keyframes: ScannedKeyframes::default(), after: 0, is_over: false })
    }

    /// The next versions. If it fails, the same are read again.
    pub(super) fn page(
        &mut self,
        client: &mut Client,
        (from_ms, to_ms): (UnixMillis, UnixMillis),
        is_wanted: &dyn Fn(&[u8]) -> bool,
    ) -> Result<Vec<Scanned>, Error> {
        // A planner that knows nothing yet of the tables reads all of a part for each page and sorts it, by the index of its
        // times or of its objects. The sums and the name of the part's own table leave it the index of places.
        let statement = format!(
            "SELECT id, place, at_ms, op, segment, keyframe, head, body FROM dogwatch_version_{}
             WHERE kind = $1 AND place > $2 AND op <> 1 AND at_ms + 0 >= $3 AND at_ms + 0 <= $4
             ORDER BY place, gone LIMIT $5",
            self.part
        );
        let limit = i64::try_from(PAGE).unwrap_or(i64::MAX);
        let rows = match client.query(&statement, &[&self.kind, &self.after, &from_ms, &to_ms, &limit]) {
            // It was dropped meanwhile, as the oldest.
            Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => Vec::new(),
            rows => rows?,
        };
        self.fetch(client, &rows)?;
        let found: Vec<Found> = rows.iter().map(|row| self.find(row, is_wanted)).collect();
        let with_word = rows.iter().zip(&found).filter(|(_, found)| matches!(found, Found::Wanted { .. }));
        let namespaces = self.namespaces(client, with_word.map(|(row, _)| row.get(0)).collect())?;
        (self.after, self.is_over) = (rows.last().map_or(self.after, |row| row.get(1)), rows.len() < PAGE);
        let scanned = rows.iter().zip(found).filter_map(|(row, found)| {
            let id: i64 = row.get(0);
            let namespace_row = namespaces.get(&id).copied().flatten().and_then(RowId::from_number);
            Some(Scanned { at_ms: row.get(2), row: RowId::from_number(id)?, namespace_row, found })
        });
        Ok(scanned.collect())
    }

    /// Fetches the keyframes of these versions that aren't known yet.
    fn fetch(&mut self, client: &mut Client, rows: &[Row]) -> Result<(), Error> {
        let keys = rows.iter().filter(|row| row.get::<_, i16>(3) < A_DELETION).map(key_of);
        let missing: BTreeSet<(i64, i64)> = keys.filter(|key| !self.keyframes.has(*key)).collect();
        let (segments, numbers): (Vec<i64>, Vec<i64>) = missing.into_iter().unzip();
        if segments.is_empty() {
            return Ok(());
        }
        let keyframes = client.query(
            "SELECT w.segment, w.number, k.head, k.body FROM unnest($2::bigint[], $3::bigint[]) AS w (segment, number)
             CROSS JOIN LATERAL (SELECT head, body FROM dogwatch_keyframe
                 WHERE part = $1 AND segment = w.segment AND number = w.number LIMIT 1) k",
            &[&self.part, &segments, &numbers],
        )?;
        for row in keyframes {
            self.keyframes.add((row.get(0), row.get(1)), (row.get(2), row.get(3)));
        }
        Ok(())
    }

    fn find(&mut self, row: &Row, is_wanted: &dyn Fn(&[u8]) -> bool) -> Found {
        let key = key_of(row);
        let patch = match Op::of_number(i64::from(row.get::<_, i16>(3)), Some(key.1)) {
            Op::Deleted { .. } => return Found::Nothing,
            Op::Keyframe { .. } => None,
            Op::Patch { .. } => match (row.get::<_, Option<&[u8]>>(6), row.get::<_, Option<&[u8]>>(7)) {
                (Some(head), Some(body)) => Some((head, body)),
                _ => return Found::Damaged,
            },
        };
        let (head, body) = self.models.get(key.0);
        self.keyframes.find(key, patch, (&head, &body), is_wanted)
    }

    /// The rows of the namespaces of these objects.
    fn namespaces(&self, client: &mut Client, ids: Vec<i64>) -> Result<HashMap<i64, Option<i64>>, Error> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let namespaces =
            "SELECT id, namespace_id FROM dogwatch_object WHERE part = $1 AND kind = $2 AND id = ANY($3)";
        let rows = client.query(namespaces, &[&self.part, &self.kind, &ids])?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }
}

/// Ops from here on are ends, as `Op::number` has them.
const A_DELETION: i16 = 3;

/// The segment and the number of the keyframe that a version builds on, or is.
fn key_of(row: &Row) -> (i64, i64) {
    (row.get(4), row.get(5))
}
