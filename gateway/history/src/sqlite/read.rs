//! What is asked of segments.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use rusqlite::{Connection, OptionalExtension, Row, params};
use shared::past::{Removed, Unrecorded};
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::changes::changes_in;
use super::listing::open_list;
use super::scan::scan_in;
use super::segment::Segment;
use super::write::version_text;
use crate::kind::KindKey;
use crate::pack::{unpack, unpack_version};
use crate::past::{
    Activity, Extent, Moment, PackedBody, Past, PastChange, PastObject, PastState, PastVersion, Scanned,
    Within,
};
use crate::removed::{REMOVED, removed_of};
use crate::store::{StoreError, columns_of};
use crate::version::Op;

pub(super) struct Reader {
    list: Arc<RwLock<Vec<Arc<Segment>>>>,
}

impl Reader {
    pub(super) fn new(list: Arc<RwLock<Vec<Arc<Segment>>>>) -> Self {
        Self { list }
    }

    /// The oldest first.
    fn segments(&self) -> Vec<Arc<Segment>> {
        self.list.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Past for Reader {
    fn extent(&self, key: &KindKey) -> Result<Option<Extent>, StoreError> {
        let mut extent: Option<Extent> = None;
        let segments = self.segments();
        for segment in &segments {
            let Some(part) = of_kind(segment, key, extent_in)? else { continue };
            // A segment begins with the last proof before it.
            let part = Extent { from_ms: part.from_ms.max(segment.from_ms), ..part };
            match &mut extent {
                None => extent = Some(part),
                Some(extent) => {
                    extent.to_ms = extent.to_ms.max(part.to_ms);
                    extent.unrecorded.extend(part.unrecorded);
                }
            }
        }
        if let Some(extent) = &mut extent
            && let Some(open) = open_list(&segments, key, UnixMillis::MAX)?
        {
            extent.to_ms = extent.to_ms.min(open.from_ms);
            extent.unrecorded.push(open);
        }
        Ok(extent)
    }

    fn removed(&self, key: &KindKey) -> Result<Vec<Removed>, StoreError> {
        let segments = self.segments();
        let texts = segments.iter().map(|segment| segment.meta::<String>(REMOVED));
        let texts: Vec<Option<String>> = texts.collect::<Result<_, _>>()?;
        Ok(removed_of(texts.iter().flatten().map(String::as_str), key))
    }

    fn moment(&self, key: &KindKey, at_ms: UnixMillis) -> Result<Option<Moment>, StoreError> {
        let segments = self.segments();
        let (mut moment, mut unrecorded) = (None, None);
        let open = open_list(&segments, key, at_ms)?;
        let mut after_ms: Option<UnixMillis> = None;
        for (place, segment) in segments.iter().enumerate().rev() {
            let gap = of_kind(segment, key, |connection, kind| unrecorded_at(connection, kind, at_ms))?;
            unrecorded = gap.or(unrecorded);
            if segment.from_ms > at_ms {
                let next = of_kind(segment, key, |connection, kind| changed_after(connection, kind, at_ms))?;
                after_ms = next.or(after_ms);
                continue;
            }
            moment = of_kind(segment, key, |connection, kind| moment_in(connection, kind, at_ms))?;
            if let Some(moment) = &mut moment
                && moment.before_ms.is_none()
            {
                // What led here is in a segment before.
                let mut former = segments.iter().take(place).rev();
                let last = |segment: &Arc<Segment>| {
                    of_kind(segment, key, |connection, kind| changed_until(connection, kind, at_ms)).ok()?
                };
                let mut changes = former.find_map(last).into_iter();
                moment.changed_ms = moment.changed_ms.or_else(|| changes.next());
                moment.before_ms = changes.next();
            }
            break;
        }
        Ok(moment.map(|moment| {
            let after_ms = moment.after_ms.or(after_ms);
            let open = open.map(|open| Unrecorded { to_ms: open.to_ms.max(at_ms), ..open });
            Moment { unrecorded: unrecorded.or(open), after_ms, ..moment }
        }))
    }

    fn versions(
        &self,
        key: &KindKey,
        row: RowId,
        before: i64,
        limit: usize,
    ) -> Result<Vec<PastVersion>, StoreError> {
        let object = |connection: &Connection, kind: i64| {
            let object = "SELECT number FROM object WHERE kind = ? AND row = ?";
            let number =
                connection.query_row(object, params![kind, row.number()], |row| row.get::<_, i64>(0));
            Ok(number.optional()?.into_iter().collect())
        };
        self.versions_of(key, object, before, limit)
    }

    fn named(&self, key: &KindKey, namespace: Option<&str>, name: &str) -> Result<Option<RowId>, StoreError> {
        for segment in self.segments().iter().rev() {
            // Objects are numbered in the order in which they were told.
            let last = of_kind(segment, key, |connection, kind| {
                let mut last = connection.prepare_cached(
                    "SELECT row FROM object WHERE kind = ? AND name = ? AND namespace IS ?
                     ORDER BY number DESC LIMIT 1",
                )?;
                last.query_row(params![kind, name, namespace], |row| row.get::<_, i64>(0)).optional()
            })?;
            if let Some(row) = last {
                return Ok(RowId::from_number(row));
            }
        }
        Ok(None)
    }

    fn about(
        &self,
        key: &KindKey,
        row: RowId,
        before: i64,
        limit: usize,
    ) -> Result<Vec<PastVersion>, StoreError> {
        let objects = |connection: &Connection, kind: i64| {
            let mut objects =
                connection.prepare_cached("SELECT number FROM object WHERE about = ? AND kind = ?")?;
            objects.query_map(params![row.number(), kind], |row| row.get(0))?.collect()
        };
        self.versions_of(key, objects, before, limit)
    }

    fn changes(
        &self,
        key: &KindKey,
        time: (UnixMillis, UnixMillis),
        after: i64,
        limit: usize,
    ) -> Result<Vec<PastChange>, StoreError> {
        let segments = self.segments();
        let mut found = Vec::new();
        for (place, segment) in segments.iter().enumerate() {
            // A segment ends where the next one begins.
            let is_before = segments.get(place + 1).is_some_and(|next| next.from_ms < time.0);
            let missing = limit - found.len();
            if is_before || segment.from_ms > time.1 || missing == 0 {
                continue;
            }
            let part = of_kind(segment, key, |connection, kind| {
                changes_in(connection, kind, time, (after, missing)).map(Some)
            })?;
            found.extend(part.into_iter().flatten());
        }
        Ok(found)
    }

    fn scan(
        &self,
        key: &KindKey,
        time: (UnixMillis, UnixMillis),
        is_wanted: &dyn Fn(&[u8]) -> bool,
        hear: &mut dyn FnMut(Scanned) -> bool,
    ) -> Result<(), StoreError> {
        let segments = self.segments();
        for (place, segment) in segments.iter().enumerate() {
            // A segment ends where the next one begins.
            let is_before = segments.get(place + 1).is_some_and(|next| next.from_ms < time.0);
            if is_before || segment.from_ms > time.1 {
                continue;
            }
            if !scan_in(segment, key, time, is_wanted, hear)? {
                break;
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
        for segment in self.segments() {
            if segment.from_ms > to_ms {
                continue;
            }
            of_kind(&segment, key, |connection, kind| {
                let counted = objects_within(connection, kind, within)?;
                let mut changes = connection.prepare_cached(
                    "SELECT at_ms, trouble, object FROM version
                     WHERE kind = ? AND at_ms >= ? AND at_ms <= ? AND op <> 1",
                )?;
                let mut rows = changes.query(params![kind, from_ms, to_ms])?;
                while let Some(row) = rows.next()? {
                    if counted
                        .as_ref()
                        .is_some_and(|counted| !row.get(2).is_ok_and(|it| counted.contains(&it)))
                    {
                        continue;
                    }
                    let place = (row.get::<_, i64>(0)? - from_ms) / slot_ms;
                    let slot = usize::try_from(place).ok().and_then(|place| activity.slots.get_mut(place));
                    if let Some(slot) = slot {
                        slot.changes = slot.changes.saturating_add(1);
                        slot.trouble = slot.trouble.saturating_add(u32::from(row.get::<_, bool>(1)?));
                    }
                }
                Ok(Some(()))
            })?;
        }
        Ok(activity)
    }
}

/// `None`: all of them.
fn objects_within(
    connection: &Connection,
    kind: i64,
    within: &Within,
) -> rusqlite::Result<Option<HashSet<i64>>> {
    if *within == Within::All {
        return Ok(None);
    }
    let mut objects =
        connection.prepare_cached("SELECT number, namespace, namespace_row FROM object WHERE kind = ?")?;
    let mut rows = objects.query([kind])?;
    let mut counted = HashSet::new();
    while let Some(row) = rows.next()? {
        let is_counted = match within {
            Within::All => true,
            Within::Named(names) => match row.get_ref(1)?.as_str_or_null()? {
                Some(namespace) => names.iter().any(|name| **name == *namespace),
                None => true,
            },
            Within::Rows(wanted) => {
                let of = row.get::<_, Option<i64>>(2)?.and_then(RowId::from_number);
                of.is_some_and(|of| wanted.contains(&of))
            }
        };
        if is_counted {
            counted.insert(row.get(0)?);
        }
    }
    Ok(Some(counted))
}

impl Reader {
    /// Versions of the objects that `objects` finds in a segment, over all segments, the newest first.
    fn versions_of(
        &self,
        key: &KindKey,
        objects: impl Fn(&Connection, i64) -> rusqlite::Result<Vec<i64>>,
        before: i64,
        limit: usize,
    ) -> Result<Vec<PastVersion>, StoreError> {
        let mut found = Vec::new();
        for segment in self.segments().iter().rev() {
            if found.len() >= limit {
                break;
            }
            let part = of_kind(segment, key, |connection, kind| {
                let mut found = Vec::new();
                for object in objects(connection, kind)? {
                    found.extend(versions_in(connection, (kind, object), before, limit)?);
                }
                Ok(Some(found))
            })?;
            found.extend(part.into_iter().flatten());
        }
        found.sort_by_key(|version| std::cmp::Reverse(version.number));
        found.truncate(limit);
        Ok(found)
    }
}

/// What a segment answers of a kind. `None`: it has none of it.
pub(super) fn of_kind<T>(
    segment: &Segment,
    key: &KindKey,
    question: impl FnOnce(&Connection, i64) -> rusqlite::Result<Option<T>>,
) -> Result<Option<T>, StoreError> {
    segment.read(|connection| match kind_in(connection, key)? {
        Some(kind) => question(connection, kind),
        None => Ok(None),
    })
}

pub(super) fn kind_in(connection: &Connection, key: &KindKey) -> rusqlite::Result<Option<i64>> {
    let mut kind = connection.prepare_cached(
        "SELECT number FROM kind WHERE cluster = ? AND grp = ? AND version = ? AND resource = ?",
    )?;
    let resource = &key.resource;
    let names =
        params![key.cluster, resource.group.as_str(), resource.version.as_str(), resource.resource.as_str()];
    kind.query_row(names, |row| row.get(0)).optional()
}

fn extent_in(connection: &Connection, kind: i64) -> rusqlite::Result<Option<Extent>> {
    let time = |sql: &str| {
        let mut time = connection.prepare_cached(sql)?;
        time.query_row([kind], |row| row.get::<_, Option<i64>>(0))
    };
    // Before its first proof a kind was listed in part.
    let first = time("SELECT min(at_ms) FROM proof WHERE kind = ?")?;
    let last = [
        time("SELECT max(at_ms) FROM version WHERE kind = ?")?,
        time("SELECT max(at_ms) FROM proof WHERE kind = ?")?,
    ];
    let (Some(from_ms), Some(to_ms)) = (first, last.into_iter().flatten().max()) else {
        return Ok(None);
    };
    let mut unrecorded = connection
        .prepare_cached("SELECT from_ms, to_ms, why FROM unrecorded WHERE kind = ? ORDER BY from_ms")?;
    let unrecorded = unrecorded.query_map([kind], unrecorded_of)?;
    let unrecorded = unrecorded.filter_map(Result::transpose).collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(Some(Extent { from_ms, to_ms, unrecorded }))
}

pub(super) fn unrecorded_of(row: &Row<'_>) -> rusqlite::Result<Option<Unrecorded>> {
    let why = serde_json::from_str(&row.get::<_, String>(2)?).ok();
    let (from_ms, to_ms) = (row.get(0)?, row.get(1)?);
    Ok(why.map(|why| Unrecorded { from_ms, to_ms, why }))
}

fn unrecorded_at(
    connection: &Connection,
    kind: i64,
    at_ms: UnixMillis,
) -> rusqlite::Result<Option<Unrecorded>> {
    let mut unrecorded = connection.prepare_cached(
        "SELECT from_ms, to_ms, why FROM unrecorded WHERE kind = ?1 AND from_ms < ?2 AND to_ms > ?2 LIMIT 1",
    )?;
    Ok(unrecorded.query_row(params![kind, at_ms], unrecorded_of).optional()?.flatten())
}

fn changed_after(
    connection: &Connection,
    kind: i64,
    at_ms: UnixMillis,
) -> rusqlite::Result<Option<UnixMillis>> {
    let mut next = connection
        .prepare_cached("SELECT min(at_ms) FROM version WHERE kind = ? AND at_ms > ? AND op <> 1")?;
    next.query_row(params![kind, at_ms], |row| row.get(0))
}

fn changed_until(
    connection: &Connection,
    kind: i64,
    at_ms: UnixMillis,
) -> rusqlite::Result<Option<UnixMillis>> {
    let mut last = connection
        .prepare_cached("SELECT max(at_ms) FROM version WHERE kind = ? AND at_ms <= ? AND op <> 1")?;
    last.query_row(params![kind, at_ms], |row| row.get(0))
}

struct Found {
    row: RowId,
    namespace_row: Option<RowId>,
    at_ms: UnixMillis,
    head: (Vec<u8>, Option<Vec<u8>>),
    body: (Vec<u8>, Option<Vec<u8>>),
}

fn moment_in(connection: &Connection, kind: i64, at_ms: UnixMillis) -> rusqlite::Result<Option<Moment>> {
    let mut columns = connection.prepare_cached(
        "SELECT definitions FROM columns WHERE kind = ? AND at_ms <= ? ORDER BY rowid DESC LIMIT 1",
    )?;
    let columns = columns.query_row(params![kind, at_ms], |row| row.get::<_, String>(0));
    // Without columns there is no table: the record of the kind begins later.
    let Some(columns) = columns.optional()? else { return Ok(None) };
    let mut proof = connection.prepare_cached(
        "SELECT at_ms, rv FROM proof WHERE kind = ? AND at_ms <= ? ORDER BY at_ms DESC LIMIT 1",
    )?;
    let proof = proof.query_row(params![kind, at_ms], |row| Ok((row.get(0)?, version_text(row, 1)?)));
    let proof: Option<(UnixMillis, _)> = proof.optional()?;
    let Some((proven_ms, proven)) = proof else { return Ok(None) };
    let mut last = connection.prepare_cached(
        "SELECT number, at_ms, rv FROM version WHERE kind = ? AND at_ms <= ?
         ORDER BY at_ms DESC, number DESC LIMIT 1",
    )?;
    let last =
        last.query_row(params![kind, at_ms], |row| Ok((row.get(0)?, row.get(1)?, version_text(row, 2)?)));
    let last: Option<(i64, UnixMillis, ResourceVersion)> = last.optional()?;
    let found = match &last {
        Some((number, ..)) => objects_until(connection, kind, *number)?,
        None => Vec::new(),
    };
    let (model_head, model_body) = model(connection, kind)?;
    let model_body: Arc<[u8]> = model_body.into();
    let objects = found.into_iter().filter_map(|found| {
        let Found { row, namespace_row, at_ms, head: packed, body: (keyframe, patch) } = found;
        let head = unpack_version(&model_head, &packed.0, packed.1.as_deref())?;
        let head = serde_json::from_slice(&head).ok()?;
        let body = PackedBody { model: Arc::clone(&model_body), keyframe, patch };
        Some(PastObject { row, namespace_row, at_ms, head, body: Arc::new(body) })
    });
    let objects: Vec<PastObject> = objects.collect();
    let changed_ms = changed_until(connection, kind, at_ms)?;
    let before_ms = match changed_ms {
        Some(changed_ms) => changed_until(connection, kind, changed_ms - 1)?,
        None => None,
    };
    let (recorded_ms, resource_version) = match last {
        Some((_, last_ms, version)) if last_ms >= proven_ms => (last_ms, version),
        _ => (proven_ms, proven),
    };
    Ok(Some(Moment {
        at_ms,
        recorded_ms,
        columns: columns_of(&columns),
        objects,
        resource_version,
        unrecorded: None,
        changed_ms,
        before_ms,
        after_ms: changed_after(connection, kind, at_ms)?,
    }))
}

/// Each object that is there at that number, with its version and the keyframe below it.
fn objects_until(connection: &Connection, kind: i64, number: i64) -> rusqlite::Result<Vec<Found>> {
    let mut objects = connection.prepare_cached(
        "SELECT o.row, o.namespace_row, v.at_ms, v.op, v.head, v.body, k.head, k.body
         FROM object o
         JOIN version v ON v.object = o.number AND v.number =
             (SELECT number FROM version WHERE object = o.number AND number <= ?2 ORDER BY number DESC LIMIT 1)
         LEFT JOIN version k ON k.object = v.object AND k.number = v.keyframe
         WHERE o.kind = ?1",
    )?;
    let found = objects.query_map(params![kind, number], |row| {
        let (Some(id), op) = (RowId::from_number(row.get(0)?), row.get::<_, i64>(3)?) else {
            return Ok(None);
        };
        let (head, body) = match op {
            0 | 1 => ((row.get(4)?, None), (row.get(5)?, None)),
            2 => ((row.get(6)?, Some(row.get(4)?)), (row.get(7)?, Some(row.get(5)?))),
            _ => return Ok(None),
        };
        let namespace_row = row.get::<_, Option<i64>>(1)?.and_then(RowId::from_number);
        Ok(Some(Found { row: id, namespace_row, at_ms: row.get(2)?, head, body }))
    })?;
    found.filter_map(Result::transpose).collect()
}

pub(super) fn model(connection: &Connection, kind: i64) -> rusqlite::Result<(Vec<u8>, Vec<u8>)> {
    let mut model = connection.prepare_cached("SELECT head, body FROM model WHERE kind = ?")?;
    let packed = model.query_row([kind], |row| Ok((row.get(0)?, row.get(1)?)));
    let packed: Option<(Vec<u8>, Vec<u8>)> = packed.optional()?;
    let unpacked = packed.and_then(|(head, body)| Some((unpack(&head, &[])?, unpack(&body, &[])?)));
    Ok(unpacked.unwrap_or_default())
}

fn versions_in(
    connection: &Connection,
    (kind, object): (i64, i64),
    before: i64,
    limit: usize,
) -> rusqlite::Result<Vec<PastVersion>> {
    let (model_head, model_body) = model(connection, kind)?;
    let mut ids = connection.prepare_cached("SELECT row, namespace_row FROM object WHERE number = ?")?;
    let ids: (Option<i64>, Option<i64>) = ids.query_row([object], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let Some(id) = ids.0.and_then(RowId::from_number) else { return Ok(Vec::new()) };
    let namespace_row = ids.1.and_then(RowId::from_number);
    let mut versions = connection.prepare_cached(
        "SELECT number, at_ms, rv, op, keyframe, skipped, head, body FROM version
         WHERE object = ? AND number < ? AND op <> 1 ORDER BY number DESC LIMIT ?",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut keyframes = Keyframes::of(connection, object, (&model_head, &model_body));
    let versions = versions.query_map(params![object, before, limit], |row| {
        let packed: (Vec<u8>, Vec<u8>) = (row.get(6)?, row.get(7)?);
        let state = match Op::of_number(row.get(3)?, row.get(4)?) {
            Op::Deleted { relisted } => Some(PastState::Deleted { relisted }),
            Op::Keyframe { .. } => there(&packed, (&model_head, &model_body)),
            Op::Patch { keyframe } => {
                keyframes.get(keyframe)?.and_then(|(head, body)| there(&packed, (head, body)))
            }
        };
        Ok(PastVersion {
            number: row.get(0)?,
            at_ms: row.get(1)?,
            row: id,
            namespace_row,
            resource_version: version_text(row, 2)?,
            skipped: row.get(5)?,
            state: state.unwrap_or(PastState::Damaged),
        })
    })?;
    versions.collect()
}

pub(super) fn there(packed: &(Vec<u8>, Vec<u8>), (head, body): (&[u8], &[u8])) -> Option<PastState> {
    let (head, body) = (unpack(&packed.0, head)?, unpack(&packed.1, body)?);
    Some(PastState::There { head: Box::new(serde_json::from_slice(&head).ok()?), body })
}

/// A head and a body.
pub(super) type Texts = (Vec<u8>, Vec<u8>);

/// The keyframes of one object, each unpacked once.
pub(super) struct Keyframes<'a> {
    connection: &'a Connection,
    object: i64,
    model: (&'a [u8], &'a [u8]),
    unpacked: HashMap<i64, Option<Texts>>,
}

impl<'a> Keyframes<'a> {
    pub(super) fn of(connection: &'a Connection, object: i64, model: (&'a [u8], &'a [u8])) -> Self {
        Self { connection, object, model, unpacked: HashMap::new() }
    }

    pub(super) fn get(&mut self, number: i64) -> rusqlite::Result<Option<(&[u8], &[u8])>> {
        if !self.unpacked.contains_key(&number) {
            let sql = "SELECT head, body FROM version WHERE object = ? AND number = ?";
            let mut keyframe = self.connection.prepare_cached(sql)?;
            let packed =
                keyframe.query_row(params![self.object, number], |row| Ok((row.get(0)?, row.get(1)?)));
            let packed: Option<(Vec<u8>, Vec<u8>)> = packed.optional()?;
            let texts = packed
                .and_then(|(head, body)| Some((unpack(&head, self.model.0)?, unpack(&body, self.model.1)?)));
            self.unpacked.insert(number, texts);
        }
        let texts = self.unpacked.get(&number).and_then(Option::as_ref);
        Ok(texts.map(|(head, body)| (head.as_slice(), body.as_slice())))
    }
}
