//! One segment: a database, and how it is opened.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OpenFlags, OptionalExtension};
use shared::state::UnixMillis;

use super::schema::{APPLICATION, TABLES, VERSION};
use crate::store::StoreError;

pub(super) struct Segment {
    pub(super) from_ms: UnixMillis,
    path: Option<PathBuf>,
    /// Its bytes when it had what a segment begins with.
    begun_bytes: AtomicU64,
    connection: Mutex<Connection>,
}

/// The cache of each segment that is open: most are read seldom.
const CACHE_KIB: i64 = 512;

impl Segment {
    pub(super) fn in_memory(from_ms: UnixMillis) -> Result<Self, StoreError> {
        let connection = Connection::open_in_memory().map_err(|error| because("memory", &error))?;
        Self::begin(connection, None, from_ms)
    }

    pub(super) fn create(path: &Path, from_ms: UnixMillis) -> Result<Self, StoreError> {
        let fails = |error| StoreError(format!("{} can't be made: {error}", path.display()).into());
        make_file(path).map_err(fails)?;
        let made = Connection::open(path).map_err(|error| because(&path.display().to_string(), &error));
        let made = made.and_then(|connection| Self::begin(connection, Some(path.to_owned()), from_ms));
        if made.is_err() {
            remove(path);
        }
        made
    }

    fn begin(connection: Connection, path: Option<PathBuf>, from_ms: UnixMillis) -> Result<Self, StoreError> {
        let segment =
            Self { from_ms, path, begun_bytes: AtomicU64::new(0), connection: Mutex::new(connection) };
        segment.set_up(|connection| {
            connection.pragma_update(None, "application_id", APPLICATION)?;
            connection.pragma_update(None, "user_version", VERSION)?;
            connection.execute_batch(TABLES)?;
            connection.execute("INSERT INTO meta VALUES ('from_ms', ?)", [from_ms])?;
            Ok(())
        })?;
        Ok(segment)
    }

    /// One that was written before.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let name = path.display().to_string();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|error| because(&name, &error))?;
        let (path_of_file, connection) = (Some(path.to_owned()), Mutex::new(connection));
        let begun_bytes = AtomicU64::new(0);
        let mut segment = Self { from_ms: 0, path: path_of_file, begun_bytes, connection };
        let number = |pragma: &str| {
            let read =
                |connection: &Connection| connection.pragma_query_value(None, pragma, |row| row.get(0));
            segment.read::<i32>(read)
        };
        if number("application_id")? != APPLICATION {
            let message = format!("{name} isn't a history of Dogwatch; move it out of the folder");
            return Err(StoreError(message.into()));
        }
        let version = number("user_version")?;
        if version != VERSION {
            let message = format!(
                "{name} is a history of version {version}, and this gateway reads version {VERSION}; it is left alone"
            );
            return Err(StoreError(message.into()));
        }
        segment.set_up(|_| Ok(()))?;
        segment.from_ms = segment.meta("from_ms")?.unwrap_or_default();
        let begun_bytes = segment.meta("begun_bytes")?.and_then(|bytes| u64::try_from(bytes).ok());
        segment.begun_bytes = AtomicU64::new(begun_bytes.unwrap_or_default());
        Ok(segment)
    }

    fn meta(&self, key: &str) -> Result<Option<i64>, StoreError> {
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
            connection.pragma_update(None, "journal_mode", "WAL")?;
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
        because(&self.path.as_ref().map_or("memory".into(), |path| path.display().to_string()), error)
    }

    /// With the log that isn't in the database yet.
    pub(super) fn byte_count(&self) -> u64 {
        let Some(path) = &self.path else {
            let pages = |connection: &Connection| {
                let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
                Ok(number("page_count")? * number("page_size")?)
            };
            return self.read(pages).ok().and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or_default();
        };
        let bytes = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
        bytes(path) + bytes(&beside(path, "-wal"))
    }

    /// Its room is free as soon as the last reader is done.
    pub(super) fn drop_file(&self) {
        if let Some(path) = &self.path {
            remove(path);
        }
    }
}

fn remove(path: &Path) {
    for path in [path.to_owned(), beside(path, "-wal"), beside(path, "-shm")] {
        // What is gone already needn't be removed, and what stays counts against the bounds.
        drop(fs::remove_file(path));
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn make_file(path: &Path) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    super::for_owner(&mut options);
    options.open(path).map(drop)
}

fn because(name: &str, error: &rusqlite::Error) -> StoreError {
    use rusqlite::ErrorCode;
    let why = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => format!("the disk with {name} is full"),
        Some(ErrorCode::ReadOnly) => format!("{name} can't be written to: it is read-only"),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => format!("another process has {name}"),
        Some(ErrorCode::NotADatabase) => format!("{name} isn't a database; move it out of the folder"),
        Some(ErrorCode::DatabaseCorrupt) => format!("{name} is damaged; move it out of the folder"),
        Some(ErrorCode::PermissionDenied) => format!("{name} may not be read or written by this user"),
        _ => format!("the history in {name} failed: {error}"),
    };
    StoreError(why.into())
}
