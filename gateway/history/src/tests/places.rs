//! Where a record can be kept so that another run finds it: in a folder, or in PostgreSQL.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use postgres::{Config, NoTls};
use postgres_server::PostgresServer;

use shared::state::UnixMillis;

use crate::{Bounds, Connect, Keepers, Postgres, Segments, Share, Store, StoreError, because};

/// Opens a whole record: its budget, and the time.
pub type OpenAll<'a> = dyn Fn(Bounds, UnixMillis) -> Keepers + 'a;

/// Runs a test with whole records, as [`each_place`] does with one share.
pub fn each_record(test: impl Fn(&OpenAll<'_>)) {
    let path = tempfile::tempdir().expect("a folder");
    let of_share =
        |share: Share| share.folder().map_or(path.path().to_owned(), |name| path.path().join(name));
    test(&|bounds, now_ms| {
        let open =
            |share, bounds| Ok::<Box<dyn Store>, StoreError>(Box::new(folder(&of_share(share), bounds)));
        Keepers::open(open, bounds, (1, now_ms)).expect("a record")
    });
    let database = database();
    test(&|bounds, now_ms| {
        let first = Postgres::new(connect(&database), bounds);
        let open = |share, bounds| Ok::<Box<dyn Store>, StoreError>(Box::new(first.of_share(share, bounds)));
        Keepers::open(open, bounds, (1, now_ms)).expect("a record")
    });
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
