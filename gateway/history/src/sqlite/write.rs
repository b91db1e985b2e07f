//! How entries are written, and the end of a segment read for the recorder that goes on there.

use std::sync::Arc;

use rusqlite::{Connection, Row, Statement, params};
use shared::resource::{Kind, Resource};
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::segment::Segment;
use crate::kind::KindKey;
use crate::store::{Entry, ObjectEntry, StoreError, VersionEntry, columns_of};
use crate::version::Op;

impl Segment {
    pub(super) fn write(&self, entries: &[Entry]) -> Result<(), StoreError> {
        let mut connection = self.lock();
        let written = connection.transaction().and_then(|transaction| {
            let mut versions = transaction.prepare_cached(INSERT_VERSION)?;
            for entry in entries {
                match entry {
                    // All but few are versions.
                    Entry::Version(version) => write_version(&mut versions, version)?,
                    entry => write(&transaction, entry)?,
                }
            }
            drop(versions);
            transaction.commit()
        });
        self.weigh(&connection);
        drop(connection);
        written.map_err(|error| self.because(&error))
    }

    /// The number after the last version, and its time.
    pub(super) fn end(&self) -> Result<(i64, UnixMillis), StoreError> {
        let last = "SELECT coalesce(max(number), 0), coalesce(max(at_ms), 0) FROM version";
        let (number, at_ms): (i64, _) =
            self.read(|connection| connection.query_row(last, [], |row| Ok((row.get(0)?, row.get(1)?))))?;
        Ok((number + 1, self.from_ms.max(at_ms)))
    }

    /// Every object as the segment left it.
    pub(super) fn last_entries(&self) -> Result<Vec<Entry>, StoreError> {
        self.read(|connection| {
            let mut entries = kinds(connection)?;
            let mut models = connection.prepare("SELECT kind, head, body FROM model")?;
            let model =
                |row: &Row<'_>| Ok(Entry::Model { kind: row.get(0)?, head: row.get(1)?, body: row.get(2)? });
            entries.extend(models.query_map([], model)?.collect::<Result<Vec<_>, _>>()?);
            let mut columns = connection.prepare("SELECT kind, at_ms, definitions FROM columns ORDER BY rowid")?;
            let columns = columns.query_map([], |row| {
                let columns = columns_of(&row.get::<_, String>(2)?);
                Ok(Entry::Columns { kind: row.get(0)?, at_ms: row.get(1)?, columns })
            })?;
            entries.extend(columns.collect::<Result<Vec<_>, _>>()?);
            let mut objects = connection.prepare(
                "SELECT number, kind, row, namespace, namespace_row, name, about FROM object ORDER BY number",
            )?;
            let objects = objects.query_map([], object)?;
            entries.extend(objects.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?);
            // The last version of each object, and the keyframe that it builds on, which comes first.
            let mut versions = connection.prepare(
                "SELECT v.object, v.number, v.kind, v.at_ms, v.rv, v.op, v.keyframe, v.skipped, v.trouble, v.head, v.body
                 FROM version v JOIN (SELECT object, max(number) AS number FROM version GROUP BY object) last
                   ON v.object = last.object
                 JOIN version l ON l.object = last.object AND l.number = last.number
                 WHERE v.number = l.number OR v.number = l.keyframe
                 ORDER BY v.object, v.number",
            )?;
            let versions = versions.query_map([], version)?;
            entries.extend(versions.collect::<Result<Vec<_>, _>>()?);
            let mut proofs = connection.prepare("SELECT kind, at_ms, rv FROM proof ORDER BY at_ms, rowid")?;
            let proofs = proofs.query_map([], |row| {
                let resource_version = version_text(row, 2)?;
                Ok(Entry::Proof { kind: row.get(0)?, at_ms: row.get(1)?, resource_version })
            })?;
            entries.extend(proofs.collect::<Result<Vec<_>, _>>()?);
            Ok(entries)
        })
    }
}

const INSERT_VERSION: &str = "INSERT INTO version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

fn write_version(insert: &mut Statement<'_>, version: &VersionEntry) -> rusqlite::Result<()> {
    let (op, keyframe) = version.op.number();
    let values = params![
        version.object,
        version.number,
        version.kind,
        version.at_ms,
        version.resource_version.as_str(),
        op,
        keyframe,
        version.skipped,
        version.trouble,
        version.head,
        version.body
    ];
    insert.execute(values).map(drop)
}

fn write(connection: &Connection, entry: &Entry) -> rusqlite::Result<()> {
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| -> rusqlite::Result<()> {
        connection.prepare_cached(sql)?.execute(values).map(drop)
    };
    match entry {
        Entry::Kind { number, key } => {
            let Resource { group, version, resource } = &key.resource;
            run(
                "INSERT INTO kind VALUES (?, ?, ?, ?, ?, NULL)",
                params![number, key.cluster, group.as_str(), version.as_str(), resource.as_str()],
            )
        }
        Entry::Named { kind, named } => {
            let named = serde_json::to_string(&**named).unwrap_or_default();
            run("UPDATE kind SET named = ? WHERE number = ?", params![named, kind])
        }
        Entry::Model { kind, head, body } => {
            run("INSERT INTO model VALUES (?, ?, ?)", params![kind, head, body])
        }
        Entry::Columns { kind, at_ms, columns } => {
            let definitions = serde_json::to_string(&**columns).unwrap_or_default();
            run("INSERT INTO columns VALUES (?, ?, ?)", params![kind, at_ms, definitions])
        }
        Entry::Object(object) => run(
            "INSERT OR REPLACE INTO object VALUES (?, ?, ?, ?, ?, ?, ?)",
            params![
                object.number,
                object.kind,
                object.row.number(),
                object.namespace,
                object.namespace_row.map(RowId::number),
                object.name,
                object.about.map(RowId::number)
            ],
        ),
        Entry::Version(version) => {
            let mut insert = connection.prepare_cached(INSERT_VERSION)?;
            write_version(&mut insert, version)
        }
        Entry::Unrecorded { kind, unrecorded } => {
            let why = serde_json::to_string(&unrecorded.why).unwrap_or_default();
            run(
                "INSERT INTO unrecorded VALUES (?, ?, ?, ?)",
                params![kind, unrecorded.from_ms, unrecorded.to_ms, why],
            )
        }
        Entry::Proof { kind, at_ms, resource_version } => {
            run("INSERT INTO proof VALUES (?, ?, ?)", params![kind, at_ms, resource_version.as_str()])
        }
    }
}

fn kinds(connection: &Connection) -> rusqlite::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for NamedKind { number, key, named } in named_kinds(connection)? {
        entries.push(Entry::Kind { number, key });
        entries.extend(named.map(|named| Entry::Named { kind: number, named: Arc::new(named) }));
    }
    Ok(entries)
}

/// A kind of a segment, and how discovery described it.
pub(super) struct NamedKind {
    pub(super) number: i64,
    pub(super) key: KindKey,
    pub(super) named: Option<Kind>,
}

pub(super) fn named_kinds(connection: &Connection) -> rusqlite::Result<Vec<NamedKind>> {
    let mut kinds = connection.prepare("SELECT number, cluster, grp, version, resource, named FROM kind")?;
    let kind = |row: &Row<'_>| {
        let texts: [String; 4] = [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
        let [cluster, group, version, resource] = &texts;
        let resource = Resource::parse(group, version, resource).ok();
        let key = resource.map(|resource| KindKey { cluster: cluster.as_str().into(), resource });
        let (number, named) = (row.get(0)?, row.get::<_, Option<String>>(5)?);
        let named = named.and_then(|named| serde_json::from_str(&named).ok());
        Ok(key.map(|key| NamedKind { number, key, named }))
    };
    kinds.query_map([], kind)?.filter_map(Result::transpose).collect()
}

pub(super) fn object(row: &Row<'_>) -> rusqlite::Result<Option<Entry>> {
    let id =
        |at: usize| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.and_then(RowId::from_number));
    let text = |at: usize| Ok::<_, rusqlite::Error>(row.get::<_, Option<String>>(at)?.map(Box::from));
    let Some(own) = id(2)? else { return Ok(None) };
    Ok(Some(Entry::Object(ObjectEntry {
        number: row.get(0)?,
        kind: row.get(1)?,
        row: own,
        namespace: text(3)?,
        namespace_row: id(4)?,
        name: text(5)?.unwrap_or_default(),
        about: id(6)?,
    })))
}

fn version(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry::Version(VersionEntry {
        object: row.get(0)?,
        number: row.get(1)?,
        kind: row.get(2)?,
        at_ms: row.get(3)?,
        resource_version: version_text(row, 4)?,
        op: Op::of_number(row.get(5)?, row.get(6)?),
        skipped: row.get(7)?,
        trouble: row.get(8)?,
        listed: true,
        head: row.get(9)?,
        body: row.get(10)?,
    }))
}

pub(super) fn version_text(row: &Row<'_>, at: usize) -> rusqlite::Result<ResourceVersion> {
    row.get::<_, String>(at).map(|text| ResourceVersion::new(&text))
}
