//! Segments as SQLite databases: files of a folder, or in memory. The newest is written; each is read through its own
//! connection, one reader at a time.

mod changes;
mod file;
mod listing;
mod purge;
mod read;
mod scan;
mod schema;
mod segment;
mod write;

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use shared::state::UnixMillis;

use crate::bounds::Bounds;
use crate::past::Past;
use crate::store::{Entry, Store, StoreError};
use segment::{Place, Segment};

pub use file::{About, RecordFile, ReplayFile};
pub use purge::purge_folder;

/// The segments of one history, the oldest first.
pub struct Segments {
    folder: Option<Folder>,
    bounds: Bounds,
    list: Arc<RwLock<Vec<Arc<Segment>>>>,
}

/// A folder that this process alone writes to.
struct Folder {
    path: PathBuf,
    lock: File,
}

/// The lock ends here and not with the file: a program that another thread starts has a copy of the open file until it runs.
impl Drop for Folder {
    fn drop(&mut self) {
        drop(self.lock.unlock());
    }
}

impl Segments {
    /// In memory, until the process ends.
    #[must_use]
    pub fn in_memory(bounds: Bounds) -> Self {
        Self { folder: None, bounds, list: Arc::default() }
    }

    /// In a folder, which is made if there is none. `notes` says what of it can't be used, one sentence each.
    ///
    /// # Errors
    /// It can't be written to, or another process has it.
    pub fn open(path: &Path, bounds: Bounds) -> Result<(Self, Vec<StoreError>), StoreError> {
        let folder = Folder::open(path)?;
        purge::remove_unfinished(path)?;
        let (mut segments, mut notes) = (Vec::new(), Vec::new());
        for file in folder.files()? {
            match Segment::open(&file) {
                Ok(segment) => segments.push(Arc::new(segment)),
                Err(why) => notes.push(why),
            }
        }
        segments.sort_by_key(|segment: &Arc<Segment>| segment.from_ms);
        let list = Arc::new(RwLock::new(segments));
        Ok((Self { folder: Some(folder), bounds, list }, notes))
    }

    fn newest(&self) -> Option<Arc<Segment>> {
        self.list.read().unwrap_or_else(PoisonError::into_inner).last().cloned()
    }

    /// Drops the oldest segments as far as the bounds say.
    fn drop_oldest(&self, now_ms: UnixMillis) {
        let mut list = self.list.write().unwrap_or_else(PoisonError::into_inner);
        loop {
            let bytes: u64 = list.iter().map(|segment| segment.byte_count()).sum();
            // A segment is as old as the next one's beginning.
            let Some(next_ms) = list.get(1).map(|next| next.from_ms) else { return };
            if bytes <= self.bounds.bytes && now_ms - next_ms <= self.bounds.age_ms {
                return;
            }
            list.remove(0).drop_file();
        }
    }
}

impl Store for Segments {
    fn commit(&mut self, entries: &[Entry]) -> Result<(), StoreError> {
        match self.newest() {
            Some(segment) => segment.write(entries),
            // The keeper begins one first.
            None => Err(StoreError("there is no segment yet".into())),
        }
    }

    fn is_segment_over(&self, now_ms: UnixMillis) -> bool {
        self.newest().is_none_or(|newest| {
            // What a segment begins with isn't counted, or many objects would begin one after the other.
            let grown = newest.byte_count().saturating_sub(newest.begun_bytes());
            grown >= self.bounds.segment_bytes() || Bounds::is_old(newest.from_ms, now_ms)
        })
    }

    fn begin_segment(&mut self, entries: &[Entry], from_ms: UnixMillis) -> Result<(), StoreError> {
        let segment = match &self.folder {
            Some(folder) => Segment::create(&folder.fresh_path(from_ms), Place::Folder, from_ms)?,
            None => Segment::in_memory(from_ms)?,
        };
        if let Err(error) = segment.write(entries).and_then(|()| segment.note_begun()) {
            segment.drop_file();
            return Err(error);
        }
        self.list.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(segment));
        self.drop_oldest(from_ms);
        Ok(())
    }

    fn bound(&mut self, bytes: u64) {
        self.bounds.bytes = bytes;
        if let Some(newest) = self.newest() {
            // Its age is looked at when a segment begins.
            self.drop_oldest(newest.from_ms);
        }
    }

    fn resume(&mut self) -> Result<Vec<Entry>, StoreError> {
        self.newest().map_or(Ok(Vec::new()), |newest| newest.last_entries())
    }

    fn end(&self) -> (i64, UnixMillis) {
        let newest = self.newest();
        newest.and_then(|newest| newest.end().ok()).unwrap_or_default()
    }

    fn past(&self) -> Arc<dyn Past> {
        Arc::new(read::Reader::new(Arc::clone(&self.list)))
    }

    fn byte_count(&self) -> u64 {
        let list = self.list.read().unwrap_or_else(PoisonError::into_inner);
        list.iter().map(|segment| segment.byte_count()).sum()
    }
}

const SUFFIX: &str = "dwh";

impl Folder {
    fn open(path: &Path) -> Result<Self, StoreError> {
        let fails = |what: &str, error: &std::io::Error| {
            StoreError(format!("the folder {} of the history {what}: {error}", path.display()).into())
        };
        make_folder(path).map_err(|error| fails("can't be made", &error))?;
        let lock = path.join("lock");
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        for_owner(&mut options);
        let lock = options.open(lock);
        let lock = lock.map_err(|error| fails("can't be written to", &error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), lock }),
            Err(fs::TryLockError::WouldBlock) => {
                let message =
                    format!("another process records into {}; give each its own folder", path.display());
                Err(StoreError(message.into()))
            }
            Err(fs::TryLockError::Error(error)) => Err(fails("can't be locked", &error)),
        }
    }

    fn files(&self) -> Result<Vec<PathBuf>, StoreError> {
        let entries = fs::read_dir(&self.path);
        let entries = entries.map_err(|error| {
            StoreError(format!("the folder {} can't be read: {error}", self.path.display()).into())
        })?;
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        Ok(paths.filter(|path| path.extension().is_some_and(|extension| extension == SUFFIX)).collect())
    }

    /// The name of a file says when it begins, for whoever looks into the folder.
    fn fresh_path(&self, from_ms: UnixMillis) -> PathBuf {
        let name = |n: u32| match n {
            0 => format!("{from_ms}.{SUFFIX}"),
            n => format!("{from_ms}-{n}.{SUFFIX}"),
        };
        let mut paths = (0..).map(|n| self.path.join(name(n)));
        paths.find(|path| !path.exists()).unwrap_or_default()
    }
}

/// A file that this user alone may read.
fn for_owner(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

/// For this user alone.
fn make_folder(path: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_was_left_is_free_while_a_program_that_starts_has_a_copy_of_its_lock() {
        let path = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(path.path()).expect("opened");
        let copy = folder.lock.try_clone().expect("copied");
        let beside = Folder::open(path.path()).map(drop);
        assert!(beside.is_err_and(|StoreError(why)| why.starts_with("another process")));
        drop(folder);
        Folder::open(path.path()).expect("opened again");
        drop(copy);
    }
}
