//! One segment: a database, and how it is opened.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use shared::state::UnixMillis;

use super::schema::{APPLICATION, TABLES, VERSION};
use crate::store::StoreError;

pub(super) struct Segment {
    pub(super) from_ms: UnixMillis,
    path: Option<PathBuf>,
    place: Place,
    /// Its bytes when it had what a segment begins with.
    begun_bytes: AtomicU64,
    /// What it took after it was written last: it is asked for several times a commit.
    bytes: AtomicU64,
    connection: Mutex<Connection>,
}

/// What a segment is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Memory,
    /// A folder of segments, each with the log of what was written last.
    Folder,
    /// One file that is given to others: it has no log beside it once it is written.
    File,
}

impl Place {
    fn journal_mode(self) -> &'static str {
        match self {
            Self::Memory | Self::Folder => "WAL",
            Self::File => "DELETE",
        }
    }

    /// What to do with a file that can't be used.
    fn advice(self) -> &'static str {
        match self {
            Self::Memory | Self::Folder => "move it out of the folder",
            Self::File => "`dogwatch record` writes one that can be replayed",
        }
    }
}

/// The cache of each segment that is open: most are read seldom.
const CACHE_KIB: i64 = 1024;

impl Segment {
    pub(super) fn in_memory(from_ms: UnixMillis) -> Result<Self, StoreError> {
        let connection = Connection::open_in_memory().map_err(|error| because("memory", &error))?;
        Self::begin(connection, (None, Place::Memory), from_ms)
    }

    pub(super) fn create(path: &Path, place: Place, from_ms: UnixMillis) -> Result<Self, StoreError> {
        make_file(path)?;
        let made = Connection::open(path).map_err(|error| because(&path.display().to_string(), &error));
        let made =
            made.and_then(|connection| Self::begin(connection, (Some(path.to_owned()), place), from_ms));
        if made.is_err() {
            remove(path);
        }
        made
    }

    fn begin(
        connection: Connection,
        (path, place): (Option<PathBuf>, Place),
        from_ms: UnixMillis,
    ) -> Result<Self, StoreError> {
        let begun_bytes = AtomicU64::new(0);
        let (bytes, connection) = (AtomicU64::new(0), Mutex::new(connection));
        let segment = Self { from_ms, path, place, begun_bytes, bytes, connection };
        segment.set_up(|connection| {
            connection.pragma_update(None, "application_id", APPLICATION)?;
            connection.pragma_update(None, "user_version", VERSION)?;
            connection.execute_batch(TABLES)?;
            connection.execute("INSERT INTO meta VALUES ('from_ms', ?)", [from_ms])?;
            Ok(())
        })?;
        segment.weigh(&segment.lock());
        Ok(segment)
    }

    /// Opens a segment of a folder that was written before.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags);
        let segment = Self::examine(path, Place::Folder, connection)?;
        segment.set_up(|_| Ok(()))?;
        segment.weigh(&segment.lock());
        Ok(segment)
    }

    /// Opens a segment that is read and never written. What a writer that was killed left beside it is taken up first.
    pub(super) fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        let is_left = ["-wal", "-journal"].iter().any(|suffix| beside(path, suffix).exists());
        let connection = match is_left {
            true => Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE),
            false => {
                // No process writes to the file, so neither a lock nor a log is needed, and it may lie where nothing can be written.
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
                Connection::open_with_flags(uri_of(path), flags)
            }
        };
        let segment = Self::examine(path, Place::File, connection)?;
        segment.check()?;
        Ok(segment)
    }

    /// Fails if a part of it is missing or was written over.
    fn check(&self) -> Result<(), StoreError> {
        let found: String =
            self.read(|connection| connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)))?;
        if found == "ok" {
            return Ok(());
        }
        Err(StoreError(damaged(&self.name(), self.place).into()))
    }

    fn examine(
        path: &Path,
        place: Place,
        connection: rusqlite::Result<Connection>,
    ) -> Result<Self, StoreError> {
        let name = path.display().to_string();
        let connection = connection.map_err(|error| because_in(&name, place, &error))?;
        let (path_of_file, connection) = (Some(path.to_owned()), Mutex::new(connection));
        let begun_bytes = AtomicU64::new(0);
        let bytes = AtomicU64::new(0);
        let mut segment = Self { from_ms: 0, path: path_of_file, place, begun_bytes, bytes, connection };
        let number = |pragma: &str| {
            let read =
                |connection: &Connection| connection.pragma_query_value(None, pragma, |row| row.get(0));
            segment.read::<i32>(read)
        };
        if number("application_id")? != APPLICATION {
            let message = format!("{name} isn't a record of Dogwatch; {}", place.advice());
            return Err(StoreError(message.into()));
        }
        let version = number("user_version")?;
        if version != VERSION {
            let message = format!(
                "{name} is a record of version {version}, and this Dogwatch reads version {VERSION}; it is left alone"
            );
            return Err(StoreError(message.into()));
        }
        segment.from_ms = segment.meta("from_ms")?.unwrap_or_default();
        let begun_bytes = segment.meta::<i64>("begun_bytes")?.and_then(|bytes| u64::try_from(bytes).ok());
        segment.begun_bytes = AtomicU64::new(begun_bytes.unwrap_or_default());
        Ok(segment)
    }

    pub(super) fn meta<T: FromSql>(&self, key: &str) -> Result<Option<T>, StoreError> {
        let value = "SELECT value FROM meta WHERE key = ?";
        self.read(|connection| connection.query_row(value, [key], |row| row.get(0)).optional())
    }

    /// It has now what a segment begins with.
    pub(super) fn note_begun(&self) -> Result<(), StoreError> {
        let bytes = self.byte_count();
        self.begun_bytes.store(bytes, Ordering::Relaxed);
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.read(|connection| {
            connection.execute("INSERT INTO meta VALUES ('begun_bytes', ?)", [bytes]).map(drop)
        })
    }

    pub(super) fn begun_bytes(&self) -> u64 {
        self.begun_bytes.load(Ordering::Relaxed)
    }

    fn set_up(&self, also: impl FnOnce(&Connection) -> rusqlite::Result<()>) -> Result<(), StoreError> {
        self.read(|connection| {
            // Its index is in memory then, so that no other process needs to share it, and no network share has to.
            connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
            connection.pragma_update(None, "journal_mode", self.place.journal_mode())?;
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
            also(connection)
        })
    }

    pub(super) fn read<T>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        question(&self.lock()).map_err(|error| self.because(&error))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn because(&self, error: &rusqlite::Error) -> StoreError {
        because_in(&self.name(), self.place, error)
    }

    fn name(&self) -> String {
        self.path.as_ref().map_or("memory".into(), |path| path.display().to_string())
    }

    /// All that is in its log is in the database then, and the log is gone.
    pub(super) fn seal(&self) -> Result<(), StoreError> {
        if self.path.is_none() {
            return Ok(());
        }
        self.read(|connection| {
            let mode: String =
                connection.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get(0))?;
            let is_sealed = mode.eq_ignore_ascii_case("delete");
            self.weigh(connection);
            is_sealed.then_some(()).ok_or(rusqlite::Error::ExecuteReturnedResults)
        })
    }

    pub(super) fn byte_count(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Something was written: with the log that isn't in the database yet.
    pub(super) fn weigh(&self, connection: &Connection) {
        let bytes = match &self.path {
            None => {
                let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
                let pages = number("page_count").ok().zip(number("page_size").ok());
                pages.and_then(|(count, size)| u64::try_from(count * size).ok()).unwrap_or_default()
            }
            Some(path) => {
                let bytes = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
                bytes(path) + bytes(&beside(path, "-wal"))
            }
        };
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    /// Its room is free as soon as the last reader is done.
    pub(super) fn drop_file(&self) {
        if let Some(path) = &self.path {
            remove(path);
        }
    }
}

pub(super) fn remove(path: &Path) {
    for path in [path.to_owned(), beside(path, "-wal"), beside(path, "-shm")] {
        // What is gone already needn't be removed, and what stays counts against the bounds.
        drop(fs::remove_file(path));
    }
}

pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// A file that isn't there yet, for this user alone.
fn make_file(path: &Path) -> Result<(), StoreError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    super::for_owner(&mut options);
    let made = options.open(path).map(drop);
    made.map_err(|error| StoreError(format!("{} can't be made: {error}", path.display()).into()))
}

/// The URI of a file that doesn't change.
fn uri_of(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                uri.push(char::from(*byte))
            }
            byte => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri + "?immutable=1"
}

fn damaged(name: &str, place: Place) -> String {
    format!("{name} is damaged: a part of it is missing or was written over; {}", place.advice())
}

fn because(name: &str, error: &rusqlite::Error) -> StoreError {
    because_in(name, Place::Folder, error)
}

fn because_in(name: &str, place: Place, error: &rusqlite::Error) -> StoreError {
    use rusqlite::ErrorCode;
    let why = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => format!("the disk with {name} is full"),
        Some(ErrorCode::ReadOnly) => format!("{name} can't be written to: it is read-only"),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => format!("another process has {name}"),
        Some(ErrorCode::NotADatabase) => format!("{name} isn't a database; {}", place.advice()),
        Some(ErrorCode::DatabaseCorrupt) => damaged(name, place),
        Some(ErrorCode::PermissionDenied) => format!("{name} may not be read or written by this user"),
        _ => format!("the history in {name} failed: {error}"),
    };
    StoreError(why.into())
}
