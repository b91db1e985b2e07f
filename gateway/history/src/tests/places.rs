//! Where a record can be kept so that another run finds it: in a folder, or in PostgreSQL.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use postgres::{Client, Config, NoTls};
use postgres_server::PostgresServer;

use shared::state::UnixMillis;
use tempfile::TempDir;

use crate::{
    Bounds, Connect, Keepers, Postgres, Purge, Purged, Segments, Share, Store, StoreError, because,
    purge_folder, purge_tables,
};

/// Opens a whole record: its budget, and the time.
pub type OpenAll<'a> = dyn Fn(Bounds, UnixMillis) -> Keepers + 'a;

/// Where a whole record is kept.
pub enum Place {
    Folder(TempDir),
    Database(String),
}

impl Place {
    pub fn each() -> [Self; 2] {
        [Self::Folder(tempfile::tempdir().expect("a folder")), Self::Database(database())]
    }

    pub fn open(&self, bounds: Bounds, now_ms: UnixMillis) -> Keepers {
        let opened = (1, now_ms);
        match self {
            Self::Folder(path) => {
                let of = |share: Share| {
                    share.folder().map_or(path.path().to_owned(), |name| path.path().join(name))
                };
                let open =
                    |share, bounds| Ok::<Box<dyn Store>, StoreError>(Box::new(folder(&of(share), bounds)));
                Keepers::open(open, bounds, opened).expect("a record")
            }
            Self::Database(name) => {
                let first = Postgres::new(connect(name), bounds);
                let open =
                    |share, bounds| Ok::<Box<dyn Store>, StoreError>(Box::new(first.of_share(share, bounds)));
                Keepers::open(open, bounds, opened).expect("a record")
            }
        }
    }

    pub fn purge(&self, purge: &Purge<'_>, is_dry: bool) -> Result<Purged, StoreError> {
        match self {
            Self::Folder(path) => purge_folder(path.path(), purge, is_dry),
            Self::Database(name) => purge_tables(&connect(name), purge, is_dry),
        }
    }

    /// Whether a byte of any file has the word, or any column of any table.
    pub fn has(&self, word: &str) -> bool {
        match self {
            Self::Folder(path) => is_in_files(path.path(), word.as_bytes()),
            Self::Database(name) => is_in_tables(&mut connect(name)().expect("connected"), word),
        }
    }
}

fn is_in_files(folder: &Path, word: &[u8]) -> bool {
    let files = std::fs::read_dir(folder).expect("read").map(|file| file.expect("a file").path());
    let mut files = files.collect::<Vec<_>>().into_iter();
    files.any(|file| match file.is_dir() {
        true => is_in_files(&file, word),
        false => std::fs::read(&file).expect("read").windows(word.len()).any(|bytes| bytes == word),
    })
}

fn is_in_tables(client: &mut Client, word: &str) -> bool {
    let tables = "SELECT relname::text FROM pg_class WHERE relname LIKE 'dogwatch_%' AND relkind = 'r'";
    let tables = client.query(tables, &[]).expect("tables");
    let mut names = tables.iter().map(|row| row.get::<_, String>(0));
    names.any(|table| {
        let rows = format!("SELECT count(*) FROM \"{table}\" t WHERE t::text LIKE '%{word}%'");
        client.query_one(&rows, &[]).expect("counted").get::<_, i64>(0) > 0
    })
}

/// Runs a test with whole records, as [`each_place`] does with one share.
pub fn each_record(test: impl Fn(&OpenAll<'_>)) {
    for place in Place::each() {
        test(&|bounds, now_ms| place.open(bounds, now_ms));
    }
}

pub type Open<'a> = dyn Fn(Bounds) -> Box<dyn Store> + 'a;

/// The server of all tests of this process, which ends with the process.
pub static SERVER: LazyLock<PostgresServer> = LazyLock::new(|| PostgresServer::start().expect("PostgreSQL"));
static DATABASES: AtomicU32 = AtomicU32::new(0);

/// Runs a test in a folder of its own and in a database of its own.
pub fn each_place(test: impl Fn(&Open<'_>)) {
    let path = tempfile::tempdir().expect("a folder");
    test(&|bounds| Box::new(folder(path.path(), bounds)));
    let database = database();
    test(&|bounds| Box::new(Postgres::new(connect(&database), bounds)));
}

pub fn folder(path: &Path, bounds: Bounds) -> Segments {
    let (segments, notes) = Segments::open(path, bounds).expect("a folder");
    assert_eq!(notes, []);
    segments
}

/// A database of its own, as a connection string names it.
pub fn database() -> String {
    let name = format!("test_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
    SERVER.create(&name).expect("made");
    SERVER.parameters(&name)
}

pub fn connect(parameters: &str) -> Connect {
    let config: Config = parameters.parse().expect("parameters");
    Arc::new(move || config.connect(NoTls).map_err(|error| because(&error)))
}
