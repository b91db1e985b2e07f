//! Where a record can be kept so that another run finds it: in a folder, or in PostgreSQL.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use postgres::{Config, NoTls};
use postgres_server::PostgresServer;

use crate::{Bounds, Connect, Postgres, Segments, Store, because};

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
