//! A folder whose files are written anew without what is to be removed. A file takes the place of the former one when it is
//! whole, so a process that ends in between leaves either of the two.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, params};
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::Folder;
use super::read::{Keyframes, model};
use super::segment::{Place, Segment, beside, remove};
use super::write::{NamedKind, named_kinds, object, version_text};
use crate::kind_state::Content;
use crate::pack::unpack;
use crate::purge::{ColumnsOfKind, KindPurge, Plain, Purge, Purged, Tally};
use crate::removed::{Mark, REMOVED, with_marks};
use crate::share::Share;
use crate::store::{Entry, ObjectEntry, StoreError, columns_of};
use crate::version::Op;

/// So many entries are written at once.
const BATCH: usize = 2_000;
/// What the name of a file ends in until it is whole.
const UNFINISHED: &str = "unfinished";

/// Removes it from the folder of a record that no gateway has. With `is_dry` it only counts.
///
/// # Errors
/// A gateway has the folder, or a file of it can't be read: nothing was removed then. If a file can't be written, those
/// before it have been.
pub fn purge_folder(path: &Path, purge: &Purge<'_>, is_dry: bool) -> Result<Purged, StoreError> {
    if !path.is_dir() {
        return Err(StoreError(format!("there is no folder {}", path.display()).into()));
    }
    let of_share = |share: Share| share.folder().map_or(path.to_owned(), |name| path.join(name));
    let paths = Share::ALL.into_iter().map(of_share).filter(|path| path.is_dir());
    let folders = paths.map(|path| held(&path)).collect::<Result<Vec<_>, _>>()?;
    let mut files = Vec::new();
    for folder in &folders {
        remove_unfinished(&folder.path)?;
        let mut segments = Vec::new();
        for file in folder.files()? {
            let segment = Segment::open(&file)?;
            segments.push((segment.from_ms, file));
        }
        segments.sort();
        let next = segments.iter().skip(1).map(|(from_ms, _)| Some(*from_ms)).chain([None]);
        files.extend(segments.iter().map(|(_, file)| file.clone()).zip(next.collect::<Vec<_>>()));
    }
    let mut tally = Tally::default();
    for (file, until_ms) in files {
        purge_file(&file, until_ms, purge, (is_dry, &mut tally))?;
    }
    Ok(tally.purged())
}

/// The folder of a share, which no other process has from now on.
fn held(path: &Path) -> Result<Folder, StoreError> {
    Folder::open(path).map_err(|StoreError(why)| {
        let is_taken = why.starts_with("another process");
        let taken = format!("a gateway records into {}; stop it, and run this again", path.display());
        StoreError(if is_taken { taken.into() } else { why })
    })
}

/// Removes what a process that ended in between had not finished.
pub(super) fn remove_unfinished(path: &Path) -> Result<(), StoreError> {
    let fails =
        |error: std::io::Error| StoreError(format!("{} can't be read: {error}", path.display()).into());
    for entry in fs::read_dir(path).map_err(fails)? {
        let file = entry.map_err(fails)?.path();
        if file.extension().is_some_and(|extension| extension.to_string_lossy().starts_with(UNFINISHED)) {
            remove(&file);
        }
    }
    Ok(())
}

fn purge_file(
    file: &Path,
    until_ms: Option<UnixMillis>,
    purge: &Purge<'_>,
    (is_dry, tally): (bool, &mut Tally),
) -> Result<(), StoreError> {
    let fails =
        |error: std::io::Error| StoreError(format!("{} can't be replaced: {error}", file.display()).into());
    let former = Segment::open(file)?;
    let unfinished: PathBuf = beside(file, &format!(".{UNFINISHED}"));
    let fresh = if is_dry {
        Segment::in_memory(former.from_ms)?
    } else {
        Segment::create(&unfinished, Place::Folder, former.from_ms)?
    };
    let before = tally.removed();
    let copied = copy(&former, &fresh, (purge, until_ms), tally).and_then(|()| {
        mark(&fresh, tally.take_marks(purge))?;
        // What a log has may be in the file twice.
        fresh.seal().and_then(|()| former.seal())
    });
    drop((former, fresh));
    if is_dry {
        return copied;
    }
    if copied.is_err() || tally.removed() == before {
        remove(&unfinished);
        return copied;
    }
    File::open(&unfinished).and_then(|written| written.sync_all()).map_err(fails)?;
    fs::rename(&unfinished, file).map_err(fails)?;
    remove(&unfinished);
    [beside(file, "-wal"), beside(file, "-shm")].iter().for_each(|log| drop(fs::remove_file(log)));
    let folder = file.parent().ok_or_else(|| fails(std::io::ErrorKind::NotFound.into()))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(fails)
}

fn copy(
    former: &Segment,
    fresh: &Segment,
    (purge, until_ms): (&Purge<'_>, Option<UnixMillis>),
    tally: &mut Tally,
) -> Result<(), StoreError> {
    former.read(copy_meta)?.into_iter().try_for_each(|(key, value)| {
        let set = "INSERT OR REPLACE INTO meta VALUES (?, ?)";
        fresh.read(|connection| connection.execute(set, params![key, value]).map(drop))
    })?;
    let columns = former.read(columns_of_kinds)?;
    for NamedKind { number, key, named } in former.read(named_kinds)? {
        let of_kind = columns.get(&number).cloned().unwrap_or_default();
        let mut kept = vec![Entry::Kind { number, key: key.clone() }];
        kept.extend(named.map(|named| Entry::Named { kind: number, named: Arc::new(named) }));
        kept.extend(of_kind.iter().map(|(at_ms, columns)| Entry::Columns {
            kind: number,
            at_ms: *at_ms,
            columns: columns.clone(),
        }));
        let mut state = KindPurge::new(purge, (number, key.clone()), of_kind);
        let is_dropped = purge.drops(&key);
        kept.extend(former.read(|connection| times(connection, number, (purge, &key), until_ms))?);
        if !is_dropped {
            fresh.write(&kept)?;
        }
        let mut batch = Vec::new();
        for object in former.read(|connection| objects(connection, number))? {
            let versions = former.read(|connection| versions(connection, &object))?;
            batch.extend(state.object(&object, versions, until_ms, tally));
            if batch.len() >= BATCH {
                fresh.write(&std::mem::take(&mut batch))?;
            }
        }
        fresh.write(&batch)?;
    }
    Ok(())
}

/// Says in the segment what was removed from it.
fn mark(fresh: &Segment, marks: Vec<Mark>) -> Result<(), StoreError> {
    if marks.is_empty() {
        return Ok(());
    }
    let text = with_marks(fresh.meta::<String>(REMOVED)?.as_deref(), marks);
    let set = "INSERT OR REPLACE INTO meta VALUES (?, ?)";
    fresh.read(|connection| connection.execute(set, params![REMOVED, text]).map(drop))
}

fn copy_meta(connection: &Connection) -> rusqlite::Result<Vec<(String, Value)>> {
    let mut meta = connection.prepare("SELECT key, value FROM meta WHERE key <> 'from_ms'")?;
    meta.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn columns_of_kinds(connection: &Connection) -> rusqlite::Result<HashMap<i64, ColumnsOfKind>> {
    let mut columns = connection.prepare("SELECT kind, at_ms, definitions FROM columns ORDER BY rowid")?;
    let mut rows = columns.query([])?;
    let mut of_kinds: HashMap<i64, ColumnsOfKind> = HashMap::new();
    while let Some(row) = rows.next()? {
        let columns = columns_of(&row.get::<_, String>(2)?);
        of_kinds.entry(row.get(0)?).or_default().push((row.get(1)?, columns));
    }
    Ok(of_kinds)
}

/// What the segment says of the times at which the kind was recorded.
fn times(
    connection: &Connection,
    kind: i64,
    (purge, key): (&Purge<'_>, &crate::KindKey),
    until_ms: Option<UnixMillis>,
) -> rusqlite::Result<Vec<Entry>> {
    let begins_ms = purge.begins_at(key).unwrap_or(UnixMillis::MIN);
    let mut proofs =
        connection.prepare("SELECT at_ms, rv FROM proof WHERE kind = ? ORDER BY at_ms, rowid")?;
    let proofs = proofs.query_map([kind], |row| Ok((row.get::<_, UnixMillis>(0)?, version_text(row, 1)?)))?;
    let mut proofs: Vec<_> = proofs.collect::<rusqlite::Result<_>>()?;
    // The last one says where the feed goes on, or as of when the rest of the segment is known.
    let is_over = until_ms.is_some_and(|until_ms| until_ms <= begins_ms);
    let last = if is_over { proofs.len() } else { proofs.len().saturating_sub(1) };
    let first = proofs.iter().position(|(at_ms, _)| *at_ms >= begins_ms).unwrap_or(last);
    let proofs = proofs.drain(first..).map(|(at_ms, known)| {
        let resource_version = if purge.loses_objects_of(key) { ResourceVersion::default() } else { known };
        Entry::Proof { kind, at_ms, resource_version }
    });
    let mut entries: Vec<Entry> = proofs.collect();
    let mut missing = connection.prepare("SELECT from_ms, to_ms, why FROM unrecorded WHERE kind = ?")?;
    let missing = missing.query_map([kind], super::read::unrecorded_of)?;
    for unrecorded in missing.filter_map(Result::transpose) {
        entries.push(Entry::Unrecorded { kind, unrecorded: unrecorded? });
    }
    Ok(entries)
}

fn objects(connection: &Connection, kind: i64) -> rusqlite::Result<Vec<ObjectEntry>> {
    let mut objects = connection.prepare_cached(
        "SELECT number, kind, row, namespace, namespace_row, name, about FROM object WHERE kind = ? ORDER BY number",
    )?;
    let objects = objects.query_map([kind], object)?;
    let objects = objects.filter_map(Result::transpose).map(|entry| match entry? {
        Entry::Object(object) => Ok(Some(object)),
        _ => Ok(None),
    });
    objects.filter_map(Result::transpose).collect()
}

fn versions(connection: &Connection, object: &ObjectEntry) -> rusqlite::Result<Vec<Plain>> {
    let (model_head, model_body) = model(connection, object.kind)?;
    let mut keyframes = Keyframes::of(connection, object.number, (&model_head, &model_body));
    let mut versions = connection.prepare_cached(
        "SELECT number, at_ms, rv, op, keyframe, skipped, trouble, head, body FROM version
         WHERE object = ? ORDER BY number",
    )?;
    let versions = versions.query_map([object.number], |row| {
        let op = Op::of_number(row.get(3)?, row.get(4)?);
        let packed: (Vec<u8>, Vec<u8>) = (row.get(7)?, row.get(8)?);
        let against = match op {
            Op::Patch { keyframe } => keyframes.get(keyframe)?,
            _ => Some((&*model_head, &*model_body)),
        };
        let content = against.and_then(|(head, body)| {
            Some(Content { head: unpack(&packed.0, head)?, body: unpack(&packed.1, body)? })
        });
        Ok(Plain {
            number: row.get(0)?,
            at_ms: row.get(1)?,
            resource_version: version_text(row, 2)?,
            op,
            skipped: row.get(5)?,
            trouble: row.get(6)?,
            content,
        })
    })?;
    versions.collect()
}
