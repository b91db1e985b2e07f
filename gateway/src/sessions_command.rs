//! `dogwatch sessions`: lists the sessions with their browsers and ends, and ends one of them or all. It reads and
//! deletes files of the user's own state folder, whether a gateway runs or not. One that runs closes the sockets of an
//! ended session within a second.

use std::time::SystemTime;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use shared::problem::{Problem, Reason};

use crate::access::SessionId;
use crate::access::local::folders::Folders;
use crate::access::local::sessions::{Listed, SessionStore};

#[derive(Args, Clone, Debug)]
pub struct SessionsArgs {
    #[command(subcommand)]
    command: Option<SessionsCommand>,
}

#[derive(Subcommand, Clone, Debug)]
enum SessionsCommand {
    /// End sessions: their pages are signed out within a second
    Revoke(Revoked),
}

#[derive(Args, Clone, Debug)]
#[group(required = true, multiple = false)]
struct Revoked {
    /// The first characters of their ids, as listed
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// All of them
    #[arg(long)]
    all: bool,
}

/// What is to be printed.
/// Fails with one sentence, if an id is of no session or of several; then none is ended.
pub fn execute(args: &SessionsArgs) -> Result<String, Problem> {
    let store = SessionStore::of_folder(&Folders::of_environment()?.state);
    let open = store.list(SystemTime::now());
    match &args.command {
        None => Ok(table(&open, &TimeZone::system())),
        Some(SessionsCommand::Revoke(revoked)) => {
            let meant = meant(&open, revoked)?;
            for id in &meant {
                store.revoke(id);
            }
            Ok(match meant.len() {
                0 => "There was no session.\n".to_owned(),
                1 => "1 session ended.\n".to_owned(),
                count => format!("{count} sessions ended.\n"),
            })
        }
    }
}

fn meant(open: &[Listed], revoked: &Revoked) -> Result<Vec<SessionId>, Problem> {
    if revoked.all {
        return Ok(open.iter().map(|listed| listed.id.clone()).collect());
    }
    let one = |start: &String| {
        let mut found = open.iter().filter(|listed| listed.id.as_str().starts_with(start.as_str()));
        match (found.next(), found.next()) {
            (Some(listed), None) if !start.is_empty() => Ok(listed.id.clone()),
            (None, _) => Err(Problem::new(
                Reason::NotFound,
                format!("no session begins with {start:?}; `dogwatch sessions` lists them"),
            )),
            _ => Err(Problem::bad_request(format!("several sessions begin with {start:?}; say more of it"))),
        }
    };
    revoked.ids.iter().map(one).collect()
}

fn table(open: &[Listed], zone: &TimeZone) -> String {
    if open.is_empty() {
        return "Nobody is signed in. `dogwatch url` prints a link.\n".to_owned();
    }
    let at = |time: SystemTime| {
        let time = Timestamp::try_from(time).unwrap_or(Timestamp::MIN).to_zoned(zone.clone());
        time.strftime("%m-%d %H:%M").to_string()
    };
    let header = ["ID", "PAGE", "SIGNED IN", "LAST PROOF", "ENDS", "BROWSER"].map(str::to_owned);
    let rows = open.iter().map(|listed| {
        let Listed { id, session, proved } = listed;
        let page = if session.origin.is_empty() {
            format!("a program, port {}", session.port)
        } else {
            session.origin.to_string()
        };
        let since = Timestamp::from_millisecond(session.since_ms).map(SystemTime::from);
        let id = id.as_str().get(..ID_SHOWN).unwrap_or_default().to_owned();
        let since = since.map_or_else(|_| String::new(), at);
        [id, page, since, at(*proved), at(listed.ends()), session.client.to_string()]
    });
    let lines: Vec<[String; 6]> = std::iter::once(header).chain(rows).collect();
    let mut widths = [0; 6];
    for line in &lines {
        for (cell, width) in line.iter().zip(&mut widths) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for line in lines {
        for (cell, width) in line.iter().zip(widths) {
            text += &format!("{cell:width$}   ");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// The characters shown of an id's 22: they hold 48 bits.
const ID_SHOWN: usize = 8;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use replica::driver::page_key::PageKey;

    use super::*;
    use crate::access::local::sessions::Session;

    fn store() -> (tempfile::TempDir, SessionStore, Vec<Listed>) {
        let folder = tempfile::tempdir().expect("a folder");
        let store = SessionStore::of_folder(folder.path());
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_780_000_000);
        for (n, origin) in ["http://127.0.0.1:8484", ""].into_iter().enumerate() {
            let now = start + Duration::from_secs(60 * u64::try_from(n).expect("few"));
            let key = PageKey::generate().expect("randomness").public();
            let session = Session::new(&key, origin, 8484, "Firefox/140.0", now).expect("a key");
            store.open(&session, now).expect("opened");
        }
        let open = store.list(start + Duration::from_secs(60));
        (folder, store, open)
    }

    #[test]
    fn sessions_are_listed_with_their_page_their_times_and_their_browser() {
        let (_folder, _, open) = store();
        let text = table(&open, &TimeZone::UTC);
        let lines: Vec<&str> = text.lines().collect();
        let id = |at: usize| &open[at].id.as_str()[..ID_SHOWN];
        assert_eq!(
            lines[0],
            "ID         PAGE                    SIGNED IN     LAST PROOF    ENDS          BROWSER"
        );
        assert_eq!(
            lines[1],
            format!(
                "{}   http://127.0.0.1:8484   05-28 20:26   05-28 20:26   05-29 08:26   Firefox/140.0",
                id(0)
            )
        );
        assert!(lines[2].starts_with(&format!("{}   a program, port 8484", id(1))), "{text}");
        assert!(table(&[], &TimeZone::UTC).contains("dogwatch url"));
    }

    #[test]
    fn an_id_may_be_short_and_one_that_fits_none_or_all_ends_nothing() {
        let (_folder, _, open) = store();
        let meant = |ids: &[&str], all: bool| {
            let ids = ids.iter().map(|id| (*id).to_owned()).collect();
            meant(&open, &Revoked { ids, all }).map(|meant| meant.len()).map_err(|problem| problem.message)
        };
        let id = open[1].id.as_str();
        assert_eq!(
            (meant(&[id], false), meant(&[&id[..ID_SHOWN]], false), meant(&[], true)),
            (Ok(1), Ok(1), Ok(2))
        );
        assert!(meant(&["!"], false).expect_err("none").contains("dogwatch sessions"));
        assert!(meant(&[id, ""], false).expect_err("all").contains("several"));
    }
}
