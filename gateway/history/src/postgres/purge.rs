//! A database from which something is removed. Each part is written anew in one transaction, and its former tables are
//! emptied, not deleted from: rows that are deleted stay in the server's files for a while.

use std::collections::HashMap;

use postgres::{Client, Error, Transaction};
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::OwnSegment;
use super::link::{Connect, because, check_version};
use super::read::{Keyframes, Models, OF_VERSION};
use super::schema::LOCK_OF_WRITERS;
use super::write::Batch;
use crate::kind::KindKey;
use crate::kind_state::Content;
use crate::purge::{ColumnsOfKind, KindPurge, Plain, Purge, Purged, Tally};
use crate::removed::{Mark, REMOVED, with_marks};
use crate::share::Share;
use crate::store::{ObjectEntry, StoreError, columns_of};
use crate::version::Op;

/// Removes it from the tables, while no gateway writes to them. With `is_dry` it only counts.
///
/// # Errors
/// A gateway writes, or the database can't be reached. A part is purged or as it was.
pub fn purge_tables(connect: &Connect, purge: &Purge<'_>, is_dry: bool) -> Result<Purged, StoreError> {
    let mut client = connect()?;
    check_version(&mut client)?;
    let failed = |error: Error| because(&error);
    if !has_tables(&mut client).map_err(failed)? {
        return Ok(Purged::default());
    }
    // It is held until the connection ends.
    let alone = client.query_one("SELECT pg_try_advisory_lock($1)", &[&LOCK_OF_WRITERS]).map_err(failed)?;
    if !alone.get::<_, bool>(0) {
        let message = "gateways record into this database; stop all of them (in a cluster: scale the deployment to 0), \
                       and run this again";
        return Err(StoreError(message.into()));
    }
    let mut tally = Tally::default();
    let parts = "SELECT part, from_ms, lead(from_ms) OVER (PARTITION BY share ORDER BY part), share
                 FROM dogwatch_part ORDER BY part";
    for row in client.query(parts, &[]).map_err(failed)? {
        let (part, from_ms): (i32, UnixMillis) = (row.get(0), row.get(1));
        let own = |segment: i64| OwnSegment {
            part,
            share: Share::of_number(row.get(3)),
            part_from_ms: from_ms,
            segment,
            kinds: HashMap::new(),
            objects: HashMap::new(),
        };
        purge_part(&mut client, own, (purge, row.get(2)), (is_dry, &mut tally)).map_err(failed)?;
    }
    Ok(tally.purged())
}

fn has_tables(client: &mut Client) -> Result<bool, Error> {
    Ok(client.query_one("SELECT to_regclass('dogwatch_proof_time') IS NOT NULL", &[])?.get(0))
}

fn purge_part(
    client: &mut Client,
    own: impl Fn(i64) -> OwnSegment,
    (purge, until_ms): (&Purge<'_>, Option<UnixMillis>),
    (is_dry, tally): (bool, &mut Tally),
) -> Result<(), Error> {
    let mut transaction = client.transaction()?;
    let part = own(0).part;
    let segment = "SELECT min(segment) FROM dogwatch_segment WHERE part = $1";
    let Some(segment) = transaction.query_one(segment, &[&part])?.get(0) else { return Ok(()) };
    let mut own = own(segment);
    let before = tally.removed();
    let kinds = kinds_of(&mut transaction, part)?;
    let mut left = Vec::new();
    let mut number = 0;
    for (kind, key) in &kinds {
        own.kinds.insert(i64::from(*kind), *kind);
        let columns = columns_of_kind(&mut transaction, (part, *kind))?;
        let mut state = KindPurge::new(purge, (i64::from(*kind), key.clone()), columns);
        each_object(&mut transaction, (part, *kind), &mut number, |object, versions| {
            left.extend(state.object(&object, versions, until_ms, tally));
        })?;
    }
    let marks = tally.take_marks(purge);
    if is_dry || tally.removed() == before {
        return Ok(());
    }
    mark(&mut transaction, marks)?;
    for table in ["model", "object", "keyframe", "version"] {
        transaction.batch_execute(&format!("TRUNCATE dogwatch_{table}_{part}"))?;
    }
    for entries in left.chunks(BATCH) {
        let mut batch = Batch::of(entries, &mut own, &mut transaction)?;
        // Which segment heard of it is said already.
        batch.forget_heard();
        batch.write(&own, &mut transaction)?;
    }
    for (kind, key) in kinds {
        purge_times(&mut transaction, (part, kind), (purge, &key), until_ms)?;
    }
    transaction.commit()
}

/// Says what was removed. There is one text for all parts.
fn mark(transaction: &mut Transaction<'_>, marks: Vec<Mark>) -> Result<(), Error> {
    let held = transaction.query_opt("SELECT value FROM dogwatch_meta WHERE key = $1", &[&REMOVED])?;
    let text = with_marks(held.as_ref().map(|row| row.get::<_, &str>(0)), marks);
    let set =
        "INSERT INTO dogwatch_meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
    transaction.execute(set, &[&REMOVED, &text]).map(drop)
}

/// So many entries are written at once.
const BATCH: usize = 5_000;

/// What the part says of the times at which the kind was recorded.
fn purge_times(
    transaction: &mut Transaction<'_>,
    (part, kind): (i32, i32),
    (purge, key): (&Purge<'_>, &KindKey),
    until_ms: Option<UnixMillis>,
) -> Result<(), Error> {
    if purge.drops(key) {
        for table in ["columns", "proof", "heard", "unrecorded"] {
            let statement = format!("DELETE FROM dogwatch_{table} WHERE part = $1 AND kind = $2");
            transaction.execute(&statement, &[&part, &kind])?;
        }
        return Ok(());
    }
    if let Some(begins_ms) = purge.begins_at(key) {
        let proofs = "DELETE FROM dogwatch_proof WHERE part = $1 AND kind = $2 AND at_ms < $3
                      AND ($4 OR at_ms < (SELECT max(at_ms) FROM dogwatch_proof WHERE part = $1 AND kind = $2))";
        // The last one says where the feed goes on, or as of when the rest of the part is known.
        let is_over = until_ms.is_some_and(|until_ms| until_ms <= begins_ms);
        transaction.execute(proofs, &[&part, &kind, &begins_ms, &is_over])?;
    }
    if purge.loses_objects_of(key) {
        let proofs = "UPDATE dogwatch_proof SET rv = '' WHERE part = $1 AND kind = $2";
        transaction.execute(proofs, &[&part, &kind])?;
    }
    Ok(())
}

fn kinds_of(transaction: &mut Transaction<'_>, part: i32) -> Result<Vec<(i32, KindKey)>, Error> {
    let kinds = transaction.query(
        "SELECT kind, cluster, grp, version, resource FROM dogwatch_kind k
         WHERE EXISTS (SELECT 1 FROM dogwatch_object o WHERE o.part = $1 AND o.kind = k.kind)
            OR EXISTS (SELECT 1 FROM dogwatch_proof p WHERE p.part = $1 AND p.kind = k.kind)
         ORDER BY kind",
        &[&part],
    )?;
    let kinds = kinds.iter().filter_map(|row| {
        let resource = Resource::parse(row.get(2), row.get(3), row.get(4)).ok()?;
        Some((row.get(0), KindKey { cluster: row.get::<_, &str>(1).into(), resource }))
    });
    Ok(kinds.collect())
}

fn columns_of_kind(
    transaction: &mut Transaction<'_>,
    (part, kind): (i32, i32),
) -> Result<ColumnsOfKind, Error> {
    let columns =
        "SELECT at_ms, definitions FROM dogwatch_columns WHERE part = $1 AND kind = $2 ORDER BY at_ms";
    let columns = transaction.query(columns, &[&part, &kind])?;
    Ok(columns.iter().map(|row| (row.get(0), columns_of(row.get(1)))).collect())
}

/// Hands on each object of a part with its versions, in their order. `number` counts them: keyframes are named by it.
fn each_object(
    transaction: &mut Transaction<'_>,
    (part, kind): (i32, i32),
    number: &mut i64,
    mut hand_on: impl FnMut(ObjectEntry, Vec<Plain>),
) -> Result<(), Error> {
    let mut keyframes = Keyframes::of(Models::read(transaction, kind, part)?);
    let named =
        "SELECT id, namespace, namespace_id, name, about FROM dogwatch_object WHERE part = $1 AND kind = $2";
    for row in transaction.query(named, &[&part, &kind])? {
        let id = |at: usize| row.get::<_, Option<i64>>(at).and_then(RowId::from_number);
        let Some(own) = id(0) else { continue };
        *number += 1;
        let object = ObjectEntry {
            number: *number,
            kind: i64::from(kind),
            row: own,
            namespace: row.get::<_, Option<&str>>(1).map(Box::from),
            namespace_row: id(2),
            name: row.get::<_, &str>(3).into(),
            about: id(4),
        };
        let versions = transaction.query(
            &format!(
                "SELECT {OF_VERSION}, v.trouble FROM dogwatch_version v
                 CROSS JOIN (SELECT $3::bigint AS namespace_id) o
                 LEFT JOIN dogwatch_keyframe k
                     ON k.part = v.part AND k.segment = v.segment AND k.number = v.keyframe
                 WHERE v.part = $1 AND v.kind = $2 AND v.id = $4 ORDER BY v.place, v.gone"
            ),
            &[&part, &kind, &row.get::<_, Option<i64>>(2), &own.number()],
        )?;
        let mut plain = Vec::with_capacity(versions.len());
        for row in &versions {
            *number += 1;
            let content = keyframes.content(row).map(|(head, body)| Content { head, body });
            plain.push(Plain {
                number: *number,
                at_ms: row.get(3),
                resource_version: ResourceVersion::new(row.get(4)),
                op: Op::of_number(i64::from(row.get::<_, i16>(5)), Some(row.get(8))),
                skipped: u32::try_from(row.get::<_, i64>(6)).unwrap_or(u32::MAX),
                trouble: row.get(13),
                content,
            });
        }
        // Those of a whole part would take a gigabyte.
        keyframes.forget();
        hand_on(object, plain);
    }
    Ok(())
}
