//! What is asked of the database. A version is read with the keyframe and the model of the segment that wrote it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use postgres::error::SqlState;
use postgres::{Client, Error, GenericClient, Row};
use shared::past::{Removed, Unrecorded, Why};
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::changes::changes;
use super::coverage::{Span, covered, holes};
use super::link::Pool;
use super::scan::{Scan, parts};
use crate::cells::{ColumnsSince, put_under};
use crate::kind::KindKey;
use crate::pack::{unpack, unpack_version};
use crate::past::{
    Activity, Extent, Moment, PackedBody, Past, PastChange, PastObject, PastState, PastVersion, Scanned,
    Slot, Within,
};
use crate::removed::{REMOVED, removed_of};
use crate::store::{StoreError, columns_of};
use crate::version::Op;

pub(super) struct Reader {
    pool: Arc<Pool>,
}

impl Reader {
    pub(super) fn new(pool: Arc<Pool>) -> Self {
        Self { pool }
    }

    /// What is answered of a kind. `None`: nothing of it was recorded.
    fn of_kind<T>(
        &self,
        key: &KindKey,
        question: impl Fn(&mut Client, i32) -> Result<Option<T>, Error>,
    ) -> Result<Option<T>, StoreError> {
        self.pool.ask(|client| match kind_in(client, key)? {
            Some(kind) => question(client, kind),
            None => Ok(None),
        })
    }
}

/// A replica begins its segment of a part within this time, so what went just before isn't in the part for sure.
const JOINING_MS: i64 = 600_000;

impl Past for Reader {
    fn extent(&self, key: &KindKey) -> Result<Option<Extent>, StoreError> {
        self.of_kind(key, |client, kind| {
            let spans = spans(client, kind)?;
            let covered = covered(&spans);
            let (Some((from_ms, _)), Some((_, to_ms))) = (covered.first(), covered.last()) else {
                return Ok(None);
            };
            // A segment begins with the last proof before it.
            let oldest = "SELECT coalesce(min(from_ms), 0) FROM dogwatch_part
                WHERE share = (SELECT share FROM dogwatch_kind WHERE kind = $1)";
            let oldest = client.query_one(oldest, &[&kind])?;
            let from_ms = (*from_ms).max(oldest.get(0));
            let open = open_list(client, kind, (&covered, UnixMillis::MAX))?;
            let unrecorded = holes(&spans).into_iter().chain(open).collect();
            Ok(Some(Extent { from_ms, to_ms: *to_ms, unrecorded }))
        })
    }

    fn removed(&self, key: &KindKey) -> Result<Vec<Removed>, StoreError> {
        let found = self.of_kind(key, |client, kind| {
            let held = "SELECT value, (SELECT min(from_ms) FROM dogwatch_part
                    WHERE share = (SELECT share FROM dogwatch_kind WHERE kind = $2))
                FROM dogwatch_meta WHERE key = $1";
            let Some(row) = client.query_opt(held, &[&REMOVED, &kind])? else { return Ok(None) };
            let mut removed = removed_of([row.get::<_, &str>(0)], key);
            // What was recorded before is dropped by now, so nothing is missing of it.
            let oldest_ms = row.get::<_, Option<UnixMillis>>(1).unwrap_or(UnixMillis::MAX);
            removed.retain(|removed| removed.to_ms > oldest_ms);
            Ok(Some(removed))
        });
        Ok(found?.unwrap_or_default())
    }

    fn moment(&self, key: &KindKey, at_ms: UnixMillis) -> Result<Option<Moment>, StoreError> {
        self.of_kind(key, |client, kind| moment(client, kind, at_ms))
    }

    fn versions(
        &self,
        key: &KindKey,
        row: RowId,
        before: i64,
        limit: usize,
    ) -> Result<Vec<PastVersion>, StoreError> {
        let ids = |_: &mut Client, _| Ok(vec![row.number()]);
        let found = self.of_kind(key, |client, kind| versions(client, kind, ids, (before, limit)).map(Some));
        Ok(found?.unwrap_or_default())
    }

    fn named(&self, key: &KindKey, namespace: Option<&str>, name: &str) -> Result<Option<RowId>, StoreError> {
        let found = self.of_kind(key, |client, kind| {
            client.query_opt(
                "SELECT o.id FROM dogwatch_object o
                 WHERE o.kind = $1 AND o.name = $2 AND o.namespace IS NOT DISTINCT FROM $3
                 ORDER BY o.part DESC, (SELECT max(v.place) FROM dogwatch_version v
                     WHERE v.part = o.part AND v.kind = o.kind AND v.id = o.id) DESC LIMIT 1",
                &[&kind, &name, &namespace],
            )
        })?;
        Ok(found.and_then(|row| RowId::from_number(row.get(0))))
    }

    fn about(
        &self,
        key: &KindKey,
        row: RowId,
        before: i64,
        limit: usize,
    ) -> Result<Vec<PastVersion>, StoreError> {
        let ids = |client: &mut Client, kind: i32| {
            let ids = "SELECT DISTINCT id FROM dogwatch_object WHERE about = $1 AND kind = $2";
            Ok(client.query(ids, &[&row.number(), &kind])?.iter().map(|row| row.get(0)).collect())
        };
        let found = self.of_kind(key, |client, kind| versions(client, kind, ids, (before, limit)).map(Some));
        Ok(found?.unwrap_or_default())
    }

    fn changes(
        &self,
        key: &KindKey,
        time: (UnixMillis, UnixMillis),
        after: i64,
        limit: usize,
    ) -> Result<Vec<PastChange>, StoreError> {
        let found = self.of_kind(key, |client, kind| changes(client, kind, time, (after, limit)).map(Some));
        Ok(found?.unwrap_or_default())
    }

    fn scan(
        &self,
        key: &KindKey,
        time: (UnixMillis, UnixMillis),
        is_wanted: &dyn Fn(&[u8]) -> bool,
        hear: &mut dyn FnMut(Scanned) -> bool,
    ) -> Result<(), StoreError> {
        let known = self.of_kind(key, |client, kind| Ok(Some((kind, parts(client, kind, time.1)?))))?;
        let Some((kind, parts)) = known else { return Ok(()) };
        for part in parts {
            let scan = RefCell::new(self.pool.ask(|client| Scan::begin(client, (part, kind)))?);
            while !scan.borrow().is_over {
                let page = self.pool.ask(|client| scan.borrow_mut().page(client, time, is_wanted))?;
                for scanned in page {
                    if !hear(scanned) {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn activity(
        &self,
        key: &KindKey,
        (from_ms, to_ms): (UnixMillis, UnixMillis),
        slots: usize,
        within: &Within,
    ) -> Result<Activity, StoreError> {
        let mut activity = Activity::over((from_ms, to_ms), slots);
        let slot_ms = activity.slot_ms;
        let (names, ids): (Option<Vec<&str>>, Option<Vec<i64>>) = match within {
            Within::All => (None, None),
            Within::Named(names) => (Some(names.iter().map(|name| &**name).collect()), None),
            Within::Rows(rows) => (None, Some(rows.iter().map(|row| row.number()).collect())),
        };
        let counted = self.of_kind(key, |client, kind| {
            client
                .query(
                    "SELECT (v.at_ms - $2) / $4, count(*), count(*) FILTER (WHERE v.trouble)
                     FROM dogwatch_version v
                     WHERE v.kind = $1 AND v.at_ms >= $2 AND v.at_ms <= $3 AND v.op <> 1
                       AND ($5::text[] IS NULL AND $6::bigint[] IS NULL OR EXISTS (
                           SELECT 1 FROM dogwatch_object o WHERE o.part = v.part AND o.kind = v.kind AND o.id = v.id
                             AND (o.namespace = ANY($5) OR o.namespace IS NULL AND $5 IS NOT NULL
                                  OR o.namespace_id = ANY($6))))
                     GROUP BY 1",
                    &[&kind, &from_ms, &to_ms, &slot_ms, &names, &ids],
                )
                .map(Some)
        })?;
        for row in counted.unwrap_or_default() {
            let place = usize::try_from(row.get::<_, i64>(0)).ok();
            let count = |at: usize| u32::try_from(row.get::<_, i64>(at)).unwrap_or(u32::MAX);
            if let Some(slot) = place.and_then(|place| activity.slots.get_mut(place)) {
                *slot = Slot { changes: count(1), trouble: count(2) };
            }
        }
        Ok(activity)
    }
}

fn kind_in(client: &mut Client, key: &KindKey) -> Result<Option<i32>, Error> {
    let (cluster, resource) = (&*key.cluster, &key.resource);
    let found = client.query_opt(
        "SELECT kind FROM dogwatch_kind WHERE cluster = $1 AND grp = $2 AND version = $3 AND resource = $4",
        &[&cluster, &resource.group.as_str(), &resource.version.as_str(), &resource.resource.as_str()],
    );
    match found {
        Ok(found) => Ok(found.map(|row| row.get(0))),
        // Before the first writer came there are no tables.
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What each segment has of a kind.
fn spans(client: &mut Client, kind: i32) -> Result<Vec<Span>, Error> {
    let mut missed: HashMap<i64, Vec<Unrecorded>> = HashMap::new();
    let unrecorded = "SELECT segment, from_ms, to_ms, why FROM dogwatch_unrecorded WHERE kind = $1";
    for row in client.query(unrecorded, &[&kind])? {
        if let Ok(why) = serde_json::from_str(row.get(3)) {
            let unrecorded = Unrecorded { from_ms: row.get(1), to_ms: row.get(2), why };
            missed.entry(row.get(0)).or_default().push(unrecorded);
        }
    }
    let rows = client.query(
        "SELECT p.segment, p.from_ms, greatest(p.to_ms, h.at_ms)
         FROM (SELECT part, segment, min(at_ms) AS from_ms, max(at_ms) AS to_ms
               FROM dogwatch_proof WHERE kind = $1 GROUP BY part, segment) p
         LEFT JOIN dogwatch_heard h ON h.part = p.part AND h.segment = p.segment AND h.kind = $1",
        &[&kind],
    )?;
    let span = |row: &Row| {
        let unrecorded = missed.remove(&row.get(0)).unwrap_or_default();
        Span { from_ms: row.get(1), to_ms: row.get(2), unrecorded }
    };
    Ok(rows.iter().map(span).collect())
}

/// The texts of a head and of a body.
pub(super) type Model = (Arc<[u8]>, Arc<[u8]>);

/// The models of a kind, by the segment that they are of.
pub(super) struct Models {
    of: HashMap<i64, Model>,
}

impl Models {
    pub(super) fn read(client: &mut impl GenericClient, kind: i32, part: i32) -> Result<Self, Error> {
        let models = "SELECT segment, head, body FROM dogwatch_model WHERE part = $1 AND kind = $2";
        let rows = client.query(models, &[&part, &kind])?;
        let model = |row: &Row| {
            let text = |at: usize| Some(Arc::from(unpack(row.get::<_, &[u8]>(at), &[])?));
            Some((row.get(0), (text(1)?, text(2)?)))
        };
        Ok(Self { of: rows.iter().filter_map(model).collect() })
    }

    pub(super) fn get(&self, segment: i64) -> Model {
        self.of.get(&segment).cloned().unwrap_or_default()
    }
}

/// An object as it was in a part at a time, with what a recorder needs to go on with it.
pub(super) struct Found {
    pub(super) row: RowId,
    pub(super) about: Option<RowId>,
    pub(super) namespace_row: Option<RowId>,
    place: i64,
    pub(super) at_ms: UnixMillis,
    pub(super) resource_version: ResourceVersion,
    pub(super) trouble: bool,
    is_moved: bool,
    /// The head's text.
    pub(super) head: Vec<u8>,
    pub(super) body: PackedBody,
}

/// Each object that was there.
pub(super) fn objects(
    client: &mut impl GenericClient,
    (part, kind): (i32, i32),
    at_ms: UnixMillis,
) -> Result<Vec<Found>, Error> {
    let models = Models::read(client, kind, part)?;
    let rows = client.query(
        "SELECT o.id, o.namespace_id, v.place, v.at_ms, v.op, v.segment, k.head, k.body, v.head, v.body,
                o.about, v.rv, v.trouble
         FROM dogwatch_object o
         CROSS JOIN LATERAL (
             SELECT place, at_ms, op, segment, keyframe, head, body, rv, trouble FROM dogwatch_version
             WHERE part = $1 AND kind = $2 AND id = o.id AND at_ms <= $3
             ORDER BY place DESC, gone DESC LIMIT 1) v
         JOIN dogwatch_keyframe k ON k.part = $1 AND k.segment = v.segment AND k.number = v.keyframe
         WHERE o.part = $1 AND o.kind = $2 AND v.op < 3",
        &[&part, &kind, &at_ms],
    )?;
    let found = |row: &Row| {
        let (model_head, model) = models.get(row.get(5));
        let (keyframe, patch) = (row.get::<_, &[u8]>(6), row.get::<_, Option<&[u8]>>(8));
        let head = unpack_version(&model_head, keyframe, patch)?;
        let id = |at: usize| row.get::<_, Option<i64>>(at).and_then(RowId::from_number);
        let body = PackedBody { model, keyframe: row.get(7), patch: row.get(9) };
        Some(Found {
            row: RowId::from_number(row.get(0))?,
            about: id(10),
            namespace_row: id(1),
            place: row.get(2),
            at_ms: row.get(3),
            resource_version: ResourceVersion::new(row.get(11)),
            trouble: row.get(12),
            is_moved: row.get::<_, i16>(4) == 1,
            head,
            body,
        })
    };
    Ok(rows.iter().filter_map(found).collect())
}

pub(super) fn columns_in(client: &mut Client, (part, kind): (i32, i32)) -> Result<ColumnsSince, Error> {
    let columns =
        "SELECT at_ms, definitions FROM dogwatch_columns WHERE part = $1 AND kind = $2 ORDER BY at_ms";
    let columns = client.query(columns, &[&part, &kind])?;
    Ok(columns.iter().map(|row| (row.get(0), columns_of(row.get(1)))).collect())
}

fn moment(client: &mut Client, kind: i32, at_ms: UnixMillis) -> Result<Option<Moment>, Error> {
    let parts = "SELECT part, from_ms FROM dogwatch_part
        WHERE from_ms <= $1 AND share = (SELECT share FROM dogwatch_kind WHERE kind = $2)
        ORDER BY part DESC LIMIT 2";
    let parts = client.query(parts, &[&at_ms, &kind])?;
    let Some(part) = parts.first() else { return Ok(None) };
    let (part, part_from_ms): (i32, UnixMillis) = (part.get(0), part.get(1));
    let mut all_columns = columns_in(client, (part, kind))?;
    all_columns.retain(|(since_ms, _)| *since_ms <= at_ms);
    // Without columns there is no table: the record of the kind begins later.
    let Some((_, columns)) = all_columns.last().cloned() else { return Ok(None) };
    let proof = client.query_opt(
        "SELECT at_ms, rv FROM dogwatch_proof WHERE part = $1 AND kind = $2 AND at_ms <= $3
         ORDER BY at_ms DESC LIMIT 1",
        &[&part, &kind, &at_ms],
    )?;
    let last = client.query_opt(
        "SELECT at_ms, rv FROM dogwatch_version WHERE part = $1 AND kind = $2 AND at_ms <= $3
         ORDER BY at_ms DESC, place DESC LIMIT 1",
        &[&part, &kind, &at_ms],
    )?;
    // Before its first proof a kind was listed in part.
    if proof.is_none() {
        return Ok(None);
    }
    let told = |row: &Row| (row.get::<_, UnixMillis>(0), ResourceVersion::new(row.get(1)));
    let told = [proof.as_ref().map(told), last.as_ref().map(told)];
    let Some((recorded_ms, resource_version)) = told.into_iter().flatten().max_by_key(|(at_ms, _)| *at_ms)
    else {
        return Ok(None);
    };
    let mut found = objects(client, (part, kind), at_ms)?;
    if let Some(former) = parts.get(1) {
        let gone = gone_before(client, (former.get(0), kind), (part_from_ms, at_ms))?;
        found.retain(|it| !it.is_moved || gone.get(&it.row.number()).is_none_or(|place| *place < it.place));
    }
    let objects = found.into_iter().filter_map(|found| {
        let Found { row, namespace_row, at_ms, head, body, .. } = found;
        let (mut head, body) = (serde_json::from_slice(&head).ok()?, Arc::new(body));
        put_under(&columns, &all_columns, &mut head, Some(at_ms));
        Some(PastObject { row, namespace_row, at_ms, head, body })
    });
    let objects: Vec<PastObject> = objects.collect();
    let changed_ms = changed_until(client, kind, at_ms)?;
    let before_ms = match changed_ms {
        Some(changed_ms) => changed_until(client, kind, changed_ms - 1)?,
        None => None,
    };
    let after = "SELECT min(at_ms) FROM dogwatch_version WHERE kind = $1 AND at_ms > $2 AND op <> 1";
    let after_ms = client.query_one(after, &[&kind, &at_ms])?.get(0);
    let spans = spans(client, kind)?;
    let hole = holes(&spans).into_iter().find(|hole| hole.from_ms < at_ms && hole.to_ms > at_ms);
    let open = open_list(client, kind, (&covered(&spans), at_ms))?;
    let open = open.map(|open| Unrecorded { to_ms: open.to_ms.max(at_ms), ..open });
    Ok(Some(Moment {
        at_ms,
        recorded_ms,
        columns,
        objects,
        resource_version,
        unrecorded: hole.or(open),
        changed_ms,
        before_ms,
        after_ms,
    }))
}

/// The time since which the kind is listed, as of a time: what no replica heard in its order a list told, and its end isn't
/// told yet, so the rows mix two times. So they do under columns that a list began with.
fn open_list(
    client: &mut Client,
    kind: i32,
    (covered, at_ms): (&[(UnixMillis, UnixMillis)], UnixMillis),
) -> Result<Option<Unrecorded>, Error> {
    let Some((_, heard_ms)) = covered.last().copied() else { return Ok(None) };
    let told = "SELECT greatest(
            (SELECT max(at_ms) FROM dogwatch_version WHERE kind = $1 AND at_ms > $2 AND at_ms <= $3 AND op <> 1),
            (SELECT max(at_ms) FROM dogwatch_columns WHERE kind = $1 AND at_ms > $2 AND at_ms <= $3))";
    let told_ms: Option<UnixMillis> = client.query_one(told, &[&kind, &heard_ms, &at_ms])?.get(0);
    Ok(told_ms.map(|to_ms| Unrecorded { from_ms: heard_ms, to_ms, why: Why::Down }))
}

/// What went at the end of the part before. A replica that hadn't heard of it yet may have brought it along.
fn gone_before(
    client: &mut Client,
    (part, kind): (i32, i32),
    (from_ms, at_ms): (UnixMillis, UnixMillis),
) -> Result<HashMap<i64, i64>, Error> {
    let since_ms = from_ms - JOINING_MS;
    let gone = client.query(
        "SELECT id, max(place) FROM dogwatch_version
         WHERE part = $1 AND kind = $2 AND gone AND at_ms >= $3 AND at_ms <= $4 GROUP BY id",
        &[&part, &kind, &since_ms, &at_ms],
    )?;
    Ok(gone.iter().map(|row| (row.get(0), row.get(1))).collect())
}

fn changed_until(client: &mut Client, kind: i32, at_ms: UnixMillis) -> Result<Option<UnixMillis>, Error> {
    let last = "SELECT max(at_ms) FROM dogwatch_version WHERE kind = $1 AND at_ms <= $2 AND op <> 1";
    Ok(client.query_one(last, &[&kind, &at_ms])?.get(0))
}

/// Versions of the objects that `ids` finds, over all parts, the newest first.
fn versions(
    client: &mut Client,
    kind: i32,
    ids: impl Fn(&mut Client, i32) -> Result<Vec<i64>, Error>,
    (before, limit): (i64, usize),
) -> Result<Vec<PastVersion>, Error> {
    let ids = ids(client, kind)?;
    let parts = "SELECT part FROM dogwatch_part
        WHERE share = (SELECT share FROM dogwatch_kind WHERE kind = $1) ORDER BY part DESC";
    let parts = client.query(parts, &[&kind])?;
    let mut found: Vec<PastVersion> = Vec::new();
    for part in parts.iter().map(|row| row.get(0)) {
        if found.len() >= limit {
            break;
        }
        found.extend(versions_in(client, (part, kind), &ids, (before, limit))?);
    }
    // The first of two is kept, where two replicas brought one version in two parts.
    let key = |it: &PastVersion| {
        let is_gone = matches!(it.state, PastState::Deleted { .. });
        (std::cmp::Reverse((it.number, is_gone)), it.row)
    };
    found.sort_by_key(|version| (key(version), version.at_ms));
    found.dedup_by_key(|version| key(version));
    drop_repeated_ends(&mut found);
    found.truncate(limit);
    Ok(found)
}

/// Replicas that were away when an object went see it missing later, each at its own time. It went once.
fn drop_repeated_ends(newest_first: &mut Vec<PastVersion>) {
    let mut gone: HashMap<RowId, bool> = HashMap::new();
    newest_first.reverse();
    newest_first.retain(|version| {
        let is_end = matches!(version.state, PastState::Deleted { .. });
        !(gone.insert(version.row, is_end) == Some(true) && is_end)
    });
    newest_first.reverse();
}

fn versions_in(
    client: &mut Client,
    (part, kind): (i32, i32),
    ids: &[i64],
    (before, limit): (i64, usize),
) -> Result<Vec<PastVersion>, Error> {
    let models = Models::read(client, kind, part)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let statement = format!(
        "WITH v AS MATERIALIZED (
             SELECT * FROM dogwatch_version
             WHERE part = $1 AND kind = $2 AND id = ANY($3) AND place < $4 AND op <> 1
             ORDER BY place DESC, gone DESC LIMIT $5)
         SELECT {OF_VERSION} FROM v {JOINS} ORDER BY v.place DESC, v.gone DESC"
    );
    let rows = client.query(&statement, &[&part, &kind, &ids, &before, &limit])?;
    let mut keyframes = Keyframes::of(models);
    Ok(rows.iter().filter_map(|row| version(row, &mut keyframes)).collect())
}

/// What [`version`] reads of a version `v`, its object `o` and its keyframe `k`.
pub(super) const OF_VERSION: &str = "v.id, o.namespace_id, v.place, v.at_ms, v.rv, v.op, v.skipped, v.segment, \
                                     v.keyframe, k.head, k.body, v.head, v.body";

/// What stands beside a version `v`. A planner that knows nothing yet of the tables would read all keyframes.
pub(super) const JOINS: &str = "
    JOIN LATERAL (SELECT namespace_id FROM dogwatch_object
        WHERE part = v.part AND kind = v.kind AND id = v.id LIMIT 1) o ON true
    LEFT JOIN LATERAL (SELECT head, body FROM dogwatch_keyframe
        WHERE part = v.part AND segment = v.segment AND number = v.keyframe LIMIT 1) k ON true";

pub(super) fn version(row: &Row, keyframes: &mut Keyframes) -> Option<PastVersion> {
    let op = Op::of_number(i64::from(row.get::<_, i16>(5)), Some(row.get(8)));
    let state = match op {
        Op::Deleted { relisted } => Some(PastState::Deleted { relisted }),
        Op::Keyframe { .. } | Op::Patch { .. } => {
            keyframes.content(row).and_then(|(head, body)| there(head, body))
        }
    };
    Some(PastVersion {
        number: row.get(2),
        at_ms: row.get(3),
        row: RowId::from_number(row.get(0))?,
        namespace_row: row.get::<_, Option<i64>>(1).and_then(RowId::from_number),
        resource_version: ResourceVersion::new(row.get(4)),
        skipped: u32::try_from(row.get::<_, i64>(6)).unwrap_or(u32::MAX),
        state: state.unwrap_or(PastState::Damaged),
    })
}

fn there(head: Vec<u8>, body: Vec<u8>) -> Option<PastState> {
    Some(PastState::There { head: Box::new(serde_json::from_slice(&head).ok()?), body })
}

/// A head and a body.
type Texts = (Vec<u8>, Vec<u8>);

/// The keyframes of some versions, by segment and number, each unpacked once.
pub(super) struct Keyframes {
    pub(super) models: Models,
    unpacked: HashMap<(i64, i64), Option<Texts>>,
}

impl Keyframes {
    pub(super) fn of(models: Models) -> Self {
        Self { models, unpacked: HashMap::new() }
    }

    pub(super) fn forget(&mut self) {
        self.unpacked.clear();
    }

    /// The texts of a version, which has no content if it is an end or damaged.
    pub(super) fn content(&mut self, row: &Row) -> Option<Texts> {
        let op = Op::of_number(i64::from(row.get::<_, i16>(5)), Some(row.get(8)));
        let (head, body) = self.get(row)?;
        match op {
            Op::Deleted { .. } => None,
            Op::Keyframe { .. } => Some((head.clone(), body.clone())),
            Op::Patch { .. } => {
                Some((unpack(row.get::<_, &[u8]>(11), head)?, unpack(row.get::<_, &[u8]>(12), body)?))
            }
        }
    }

    fn get(&mut self, row: &Row) -> Option<&Texts> {
        let key: (i64, i64) = (row.get(7), row.get(8));
        let models = &self.models;
        let texts = self.unpacked.entry(key).or_insert_with(|| {
            let (head, body) = models.get(key.0);
            let packed = |at: usize| row.get::<_, Option<&[u8]>>(at);
            Some((unpack(packed(9)?, &head)?, unpack(packed(10)?, &body)?))
        });
        texts.as_ref()
    }
}
