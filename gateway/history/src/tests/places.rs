//! Where a record can be kept so that another run finds it: in a folder, or in PostgreSQL.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use postgres::{Client, Config, NoTls};
use postgres_server::PostgresServer;

use shared::state::UnixMillis;
use tempfile::TempDir;

use crate::pack::unpack;
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

    /// Whether a byte of any file has the word, or any column of any table, also in what is packed.
    pub fn has(&self, word: &str) -> bool {
        match self {
            Self::Folder(path) => is_in_files(path.path(), word),
            Self::Database(name) => {
                let mut client = connect(name)().expect("connected");
                is_in_tables(&mut client, word) || is_packed_in_tables(&mut client, word)
            }
        }
    }
}

fn is_in_files(folder: &Path, word: &str) -> bool {
    let files = std::fs::read_dir(folder).expect("read").map(|file| file.expect("a file").path());
    let mut files = files.collect::<Vec<_>>().into_iter();
    files.any(|file| match file.is_dir() {
        true => is_in_files(&file, word),
        false => {
            is_in(&std::fs::read(&file).expect("read"), word.as_bytes()) || is_packed_in_file(&file, word)
        }
    })
}

fn is_in(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|bytes| bytes == word)
}

/// Whether a model has the word, or what is packed against one: a keyframe, whoever refers to it.
fn is_packed(models: &[Vec<u8>], keyframes: &[Vec<u8>], word: &str) -> bool {
    let models: Vec<Vec<u8>> = models.iter().filter_map(|model| unpack(model, &[])).collect();
    let texts = keyframes.iter().flat_map(|packed| models.iter().filter_map(|model| unpack(packed, model)));
    texts.chain(models.clone()).any(|text| is_in(&text, word.as_bytes()))
}

fn is_packed_in_file(file: &Path, word: &str) -> bool {
    if file.extension().is_none_or(|extension| extension != "dwh") {
        return false;
    }
    let connection = rusqlite::Connection::open(file).expect("opened");
    let all = |sql: &str| -> Vec<Vec<u8>> {
        let mut rows = connection.prepare(sql).expect("prepared");
        rows.query_map([], |row| row.get(0)).expect("asked").map(|it| it.expect("read")).collect()
    };
    let models = all("SELECT head FROM model UNION ALL SELECT body FROM model");
    let keyframes = "SELECT head FROM version WHERE op < 2 UNION ALL SELECT body FROM version WHERE op < 2";
    is_packed(&models, &all(keyframes), word)
}

fn is_packed_in_tables(client: &mut Client, word: &str) -> bool {
    let mut all = |sql: &str| -> Vec<Vec<u8>> {
        client.query(sql, &[]).expect("asked").iter().map(|row| row.get(0)).collect()
    };
    let models = all("SELECT head FROM dogwatch_model UNION ALL SELECT body FROM dogwatch_model");
    let keyframes = all("SELECT head FROM dogwatch_keyframe UNION ALL SELECT body FROM dogwatch_keyframe");
    is_packed(&models, &keyframes, word)
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
