//! The settings of the record, and what they mean.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use postgres::config::{Host, SslMode};
use serde::{Deserialize, Serialize};
use shared::problem::Problem;

use super::texts::{count, patterns};
use super::wrong;
use crate::limits::{DEMO_MINUTES_MAX, RECORD_FOLDER_BYTES, RECORD_FOLDER_DAYS, RECORD_MEMORY_BYTES};
use crate::past::{Database, HistorySettings, Place};

#[derive(Args, Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
/// All values are texts; [`of`] says what they mean.
pub(super) struct RecordSettings {
    /// Where what happens is recorded: `memory`, of a kind while it has viewers and until the gateway ends; a folder or a PostgreSQL database such as postgres://dogwatch@db.example.org/dogwatch, which keep it over restarts and without viewers; or `none`
    #[arg(long, env = "DOGWATCH_HISTORY", value_name = "PLACE", default_value = "memory")]
    pub(super) history: String,

    /// How many MiB the record may take; the oldest part makes room [default: 64 in memory, 2048 elsewhere]
    #[arg(long, env = "DOGWATCH_HISTORY_MIB", value_name = "COUNT")]
    pub(super) history_mib: Option<String>,

    /// For how many days the record is kept, if it has the room
    #[arg(long, env = "DOGWATCH_HISTORY_DAYS", value_name = "COUNT", default_value_t = RECORD_FOLDER_DAYS.to_string())]
    pub(super) history_days: String,

    /// A kind to record, such as pods or *.example.org, instead of the usual ones; may be repeated
    #[arg(long, env = "DOGWATCH_HISTORY_KIND", value_name = "KIND", value_delimiter = ',')]
    pub(super) history_kind: Vec<String>,

    /// The password of the account in PostgreSQL: a file, which is read at each connection
    #[arg(long, env = "DOGWATCH_HISTORY_PASSWORD_FILE", value_name = "FILE")]
    pub(super) history_password_file: Option<PathBuf>,

    /// The authorities of PostgreSQL's certificate, in PEM [default: the system's]
    #[arg(long, env = "DOGWATCH_HISTORY_CA_FILE", value_name = "FILE")]
    pub(super) history_ca_file: Option<PathBuf>,

    /// The certificate that the gateway shows PostgreSQL, in PEM
    #[arg(long, env = "DOGWATCH_HISTORY_CERT_FILE", value_name = "FILE")]
    pub(super) history_cert_file: Option<PathBuf>,

    /// The key of --history-cert-file, in PEM
    #[arg(long, env = "DOGWATCH_HISTORY_KEY_FILE", value_name = "FILE")]
    pub(super) history_key_file: Option<PathBuf>,
}

impl RecordSettings {
    /// The files by which PostgreSQL is reached.
    pub(super) fn paths(&mut self) -> [(&'static str, Option<&mut PathBuf>); 4] {
        [
            ("history-password-file", self.history_password_file.as_mut()),
            ("history-ca-file", self.history_ca_file.as_mut()),
            ("history-cert-file", self.history_cert_file.as_mut()),
            ("history-key-file", self.history_key_file.as_mut()),
        ]
    }
}

const MIB: u64 = 1024 * 1024;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// With less, a segment couldn't hold the objects of a small cluster.
const MIB_MIN: u64 = 8;

/// `is_demo`: the kinds of a demo are recorded before its first viewer comes.
pub(super) fn of(
    settings: &RecordSettings,
    is_demo: bool,
    demo_minutes: &str,
) -> Result<HistorySettings, Problem> {
    let place = place(settings)?;
    let usual = match &place {
        Place::Folder(_) | Place::Postgres(_) => RECORD_FOLDER_BYTES,
        Place::Nowhere | Place::File | Place::Memory => RECORD_MEMORY_BYTES,
    };
    let bytes = match &settings.history_mib {
        Some(text) => u64::try_from(count("--history-mib", text)?).unwrap_or(u64::MAX).saturating_mul(MIB),
        None => usual,
    };
    if bytes < MIB_MIN * MIB {
        return Err(wrong(format!("--history-mib is at least {MIB_MIN}")));
    }
    let minutes = demo_minutes.parse::<u32>().ok().filter(|minutes| *minutes <= DEMO_MINUTES_MAX);
    let minutes =
        minutes.ok_or_else(|| wrong(format!("--demo-minutes is a number from 0 to {DEMO_MINUTES_MAX}")))?;
    // A record that is kept has its own past.
    let has_lead = is_demo && matches!(place, Place::Memory);
    let lead = if has_lead { Duration::from_secs(u64::from(minutes) * 60) } else { Duration::ZERO };
    let days = i64::try_from(count("--history-days", &settings.history_days)?).unwrap_or(i64::MAX);
    Ok(HistorySettings {
        place,
        bytes,
        age_ms: days.saturating_mul(DAY_MS),
        kinds: patterns("--history-kind", &settings.history_kind)?,
        namespace: None,
        keeps_in_memory: is_demo,
        lead,
    })
}

const PLACES: &str = "memory, none, a folder, or postgres://user@host/database";

fn place(settings: &RecordSettings) -> Result<Place, Problem> {
    let text = &*settings.history;
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    if matches!(scheme, Some("postgres" | "postgresql")) {
        return database(settings).map(|database| Place::Postgres(Box::new(database)));
    }
    if let Some((key, _)) = settings.clone().paths().into_iter().find(|(_, file)| file.is_some()) {
        return Err(wrong(format!("--{key} is of use with a PostgreSQL database as --history alone")));
    }
    match text {
        "none" => Ok(Place::Nowhere),
        "memory" => Ok(Place::Memory),
        "" => Err(wrong(format!("--history names no place; it is {PLACES}"))),
        // What is wrong isn't quoted: a URL may hold a credential.
        _ if scheme.is_some() => Err(wrong(format!("--history can't be a URL of that kind; it is {PLACES}"))),
        // A word is more likely a place that was mistyped than a folder of here.
        _ if !text.contains('/') => {
            Err(wrong(format!("--history {text} is no place; it is {PLACES}. A folder of here is ./{text}")))
        }
        _ => Ok(Place::Folder(PathBuf::from(text))),
    }
}

/// Where PostgreSQL is, and by which files it is reached. No message quotes the URL.
fn database(settings: &RecordSettings) -> Result<Database, Problem> {
    // As libpq names what is done here anyway: the certificate is verified, and its host.
    let url = settings.history.replace("sslmode=verify-full", "sslmode=require");
    let config: postgres::Config = url.parse().map_err(|error| {
        wrong(format!("--history isn't a URL of PostgreSQL such as postgres://user@host/database: {error}"))
    })?;
    if config.get_password().is_some() {
        return Err(wrong(
            "--history holds a password, which others may read; leave it out, and name a file with it by --history-password-file, or have it in ~/.pgpass",
        ));
    }
    if config.get_dbname().is_none() || config.get_user().is_none() {
        return Err(wrong(
            "--history names no user or no database; it is such as postgres://user@host/database",
        ));
    }
    let client = match (&settings.history_cert_file, &settings.history_key_file) {
        (None, None) => None,
        (Some(certificate), Some(key)) => Some((certificate.clone(), key.clone())),
        (Some(_), None) => {
            return Err(wrong("--history-cert-file needs --history-key-file, the file of its key"));
        }
        (None, Some(_)) => {
            return Err(wrong("--history-key-file needs --history-cert-file, the file of its certificate"));
        }
    };
    let is_near = !config.get_hosts().is_empty() && config.get_hosts().iter().all(is_of_this_machine);
    let has_tls = !is_near || config.get_ssl_mode() == SslMode::Require;
    if !is_near && config.get_ssl_mode() == SslMode::Disable {
        return Err(wrong(
            "--history says sslmode=disable, and what is recorded must not cross a network in plain text; leave it out",
        ));
    }
    let (password_file, ca_file) = (settings.history_password_file.clone(), settings.history_ca_file.clone());
    Ok(Database { config, password_file, pass_file: pass_file(), ca_file, client, has_tls })
}

/// Where libpq looks for passwords.
fn pass_file() -> Option<PathBuf> {
    let named = std::env::var_os("PGPASSFILE").filter(|path| !path.is_empty()).map(PathBuf::from);
    named.or_else(|| std::env::home_dir().map(|home| home.join(".pgpass")))
}

fn is_of_this_machine(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        Host::Unix(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::tests::settings;
    use super::*;

    fn place_of(flags: &[&str]) -> Result<Place, String> {
        place(&settings(flags, "").expect("read").record).map_err(|problem| problem.message)
    }

    #[test]
    fn a_place_is_memory_a_folder_or_a_database_and_anything_else_is_refused() {
        assert!(matches!(place_of(&["--history=none"]), Ok(Place::Nowhere)));
        assert!(matches!(place_of(&["--history=memory"]), Ok(Place::Memory)));
        let folder = place_of(&["--history=./past"]);
        assert!(matches!(folder, Ok(Place::Folder(path)) if path.ends_with("past")));
        for (text, says) in [
            ("", "names no place"),
            ("disk", "is no place"),
            ("mysql://u:secret@db/dogwatch", "can't be a URL of that kind"),
            ("postgres://u:secret@db/dogwatch", "--history-password-file"),
            ("postgres://db.example.org", "names no user or no database"),
            ("postgres://u@db:port/dogwatch", "isn't a URL of PostgreSQL"),
            ("postgres://u@db/dogwatch?sslmode=disable", "plain text"),
        ] {
            let problem = place_of(&["--history", text]).expect_err(text);
            assert!(problem.contains(says) && !problem.contains("secret"), "{problem}");
        }
        let said = |flags: &[&str]| place_of(flags).expect_err("refused");
        assert!(said(&["--history-ca-file=c"]).contains("with a PostgreSQL database"));
        let database = "--history=postgres://u@db/d";
        assert!(said(&[database, "--history-key-file=k"]).contains("needs --history-cert-file"));
        assert!(said(&[database, "--history-cert-file=k"]).contains("needs --history-key-file"));
    }

    #[test]
    fn only_a_database_of_this_machine_is_reached_without_tls() {
        let has_tls = |url: &str| match place_of(&["--history", url]) {
            Ok(Place::Postgres(database)) => database.has_tls,
            other => panic!("{url}: {other:?}"),
        };
        for (url, expected) in [
            ("postgres://u@db.example.org/d", true),
            ("postgresql://u@db.example.org/d?sslmode=verify-full", true),
            ("postgres://u@10.0.0.7:6432/d", true),
            ("postgres://u@localhost/d", false),
            ("postgres://u@127.0.0.1/d", false),
            ("postgres://u@[::1]/d", false),
            ("postgres://u@localhost/d?sslmode=require", true),
            ("postgres://u@%2Frun%2Fpostgresql/d", false),
            ("postgres://u@localhost,db.example.org/d", true),
        ] {
            assert_eq!(has_tls(url), expected, "{url}");
        }
    }
}
