//! Connections to the database, and what its errors say to people.

use std::sync::{Arc, Mutex, PoisonError};

use postgres::error::SqlState;
use postgres::{Client, Error};

use super::schema::VERSION;
use crate::store::StoreError;

/// Makes a connection.
pub type Connect = Arc<dyn Fn() -> Result<Client, StoreError> + Send + Sync>;

/// Connections of readers, which are used again.
pub(super) struct Pool {
    connect: Connect,
    idle: Mutex<Vec<Client>>,
}

/// So many wait for the next question.
const IDLE_MAX: usize = 4;

impl Pool {
    pub(super) fn new(connect: Connect) -> Self {
        Self { connect, idle: Mutex::default() }
    }

    /// Asks a question. A connection that broke while it was idle is replaced.
    pub(super) fn ask<T>(&self, question: impl Fn(&mut Client) -> Result<T, Error>) -> Result<T, StoreError> {
        while let Some(mut client) = self.take() {
            match question(&mut client) {
                Err(_) if client.is_closed() => {}
                answer => return self.put(client, answer),
            }
        }
        let mut client = (self.connect)()?;
        check_version(&mut client)?;
        let answer = question(&mut client);
        self.put(client, answer)
    }

    fn take(&self) -> Option<Client> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn put<T>(&self, client: Client, answer: Result<T, Error>) -> Result<T, StoreError> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if answer.is_ok() && idle.len() < IDLE_MAX {
            idle.push(client);
        }
        answer.map_err(|error| because(&error))
    }
}

/// What another version of Dogwatch wrote isn't read. A database without tables may be used.
pub(super) fn check_version(client: &mut Client) -> Result<(), StoreError> {
    let has_tables = client.query_one("SELECT to_regclass('dogwatch_meta') IS NOT NULL", &[]);
    if !has_tables.map_err(|error| because(&error))?.get::<_, bool>(0) {
        return Ok(());
    }
    let found = client.query_opt("SELECT value FROM dogwatch_meta WHERE key = 'version'", &[]);
    let found = found.map_err(|error| because(&error))?.map(|row| row.get::<_, String>(0));
    match found {
        Some(found) if found != VERSION => {
            let message = format!(
                "the tables in PostgreSQL are of version {found}, and this gateway reads version {VERSION}; they are \
                 left alone, so give it another database or schema"
            );
            Err(StoreError(message.into()))
        }
        _ => Ok(()),
    }
}

/// What failed, in a sentence that says what to do. It holds no password: the server never quotes one.
#[must_use]
pub fn because(error: &Error) -> StoreError {
    let said = error.as_db_error().map_or_else(|| innermost(error), |error| error.message().to_owned());
    let Some(code) = error.code() else {
        return StoreError(format!("PostgreSQL can't be reached: {said}").into());
    };
    let why = match code {
        &SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            format!("PostgreSQL refuses the account or its password: {said}")
        }
        &SqlState::INSUFFICIENT_PRIVILEGE => format!(
            "the account in PostgreSQL may not make or write tables: {said}; let it own the database or a schema"
        ),
        &SqlState::DISK_FULL => format!("the disk of PostgreSQL is full: {said}"),
        &SqlState::READ_ONLY_SQL_TRANSACTION => {
            "PostgreSQL is read-only here; name its primary server".to_owned()
        }
        &SqlState::TOO_MANY_CONNECTIONS => format!("PostgreSQL takes no more connections: {said}"),
        &SqlState::ADMIN_SHUTDOWN | &SqlState::CRASH_SHUTDOWN | &SqlState::CANNOT_CONNECT_NOW => {
            format!("PostgreSQL is going down or coming up: {said}")
        }
        &SqlState::INVALID_CATALOG_NAME => format!("PostgreSQL has no such database: {said}"),
        _ => format!("PostgreSQL failed: {said} ({})", code.code()),
    };
    StoreError(why.into())
}

/// The outer errors say that a connection failed, the innermost why.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    error.source().map_or_else(|| error.to_string(), innermost)
}
