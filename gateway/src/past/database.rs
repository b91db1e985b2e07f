//! How PostgreSQL is reached: over its socket, or with a certificate that is verified.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use history::{Connect, StoreError, because};
use postgres::NoTls;
use postgres::config::{SslMode, TargetSessionAttrs};
use rustls::ClientConfig;
use shared::problem::{Problem, Reason};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::pass_file;
use super::settings::Database;
use crate::access::https::roots;
use crate::limits::{DATABASE_CONNECT_S, DATABASE_STATEMENT_S};
use crate::pem::{certificates, private_key};
use crate::plain_file;

/// # Errors
/// A file can't be used.
pub(crate) fn connect(database: &Database) -> Result<Connect, Problem> {
    let mut config = database.config.clone();
    let timeout = format!("-c statement_timeout={DATABASE_STATEMENT_S}s -c client_min_messages=warning");
    let options = config.get_options().map_or_else(|| timeout.clone(), |own| format!("{timeout} {own}"));
    config.options(&options).application_name("dogwatch");
    config.connect_timeout(Duration::from_secs(DATABASE_CONNECT_S));
    config.tcp_user_timeout(Duration::from_secs(DATABASE_STATEMENT_S));
    // A record is written to the primary of several hosts.
    config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    config.ssl_mode(if database.has_tls { SslMode::Require } else { SslMode::Disable });
    let tls = database.has_tls.then(|| tls(database)).transpose()?.map(MakeRustlsConnect::new);
    let password_file = database.password_file.clone();
    if let Some(path) = &password_file {
        password(path).map_err(|StoreError(why)| wrong(&why))?;
    }
    let pass_file = database.pass_file.clone().filter(|_| password_file.is_none());
    if let Some(Err(why)) = pass_file.as_ref().map(|path| pass_file::password(path, &config)) {
        tracing::warn!("{why}");
    }
    Ok(Arc::new(move || {
        let mut config = config.clone();
        if let Some(path) = &password_file {
            config.password(password(path)?);
        } else if let Some(Ok(Some(found))) =
            pass_file.as_ref().map(|path| pass_file::password(path, &config))
        {
            config.password(found);
        }
        let client = match &tls {
            Some(tls) => config.connect(tls.clone()),
            None => config.connect(NoTls),
        };
        client.map_err(|error| because(&error))
    }))
}

/// A password may have changed since the last connection.
fn password(path: &Path) -> Result<Vec<u8>, StoreError> {
    let told = |why: &dyn std::fmt::Display| {
        StoreError(format!("--history-password-file {}: {why}", path.display()).into())
    };
    let text = plain_file::read(path).map_err(|error| told(&error))?;
    match text.trim_ascii_end() {
        [] => Err(told(&"it holds no password")),
        password => Ok(password.to_vec()),
    }
}

fn tls(database: &Database) -> Result<ClientConfig, Problem> {
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(ring)
        .with_safe_default_protocol_versions()
        .map_err(|error| Problem::new(Reason::InternalError, error.to_string()))?
        .with_root_certificates(roots(database.ca_file.as_deref())?);
    let Some((certificate, key)) = &database.client else { return Ok(config.with_no_client_auth()) };
    let read = |path: &Path| {
        plain_file::read(path).map_err(|error| wrong(&format!("{} can't be read: {error}", path.display())))
    };
    let chain = certificates("--history-cert-file", certificate, &read(certificate)?);
    let key_of = private_key("--history-key-file", key, &read(key)?);
    let (chain, key_of) = (chain.map_err(|why| wrong(&why))?, key_of.map_err(|why| wrong(&why))?);
    let key_error =
        |error: &dyn std::fmt::Display| wrong(&format!("--history-key-file {}: {error}", key.display()));
    config.with_client_auth_cert(chain, key_of).map_err(|error| key_error(&error))
}

fn wrong(why: &str) -> Problem {
    Problem::new(Reason::Configuration, why.to_owned())
}
