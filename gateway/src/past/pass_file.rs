//! PostgreSQL's own file of passwords, as libpq reads it: lines of host, port, database, user and password. See the page "The
//! Password File" of PostgreSQL's documentation. No message quotes a line of it.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use postgres::Config;
use postgres::config::Host;

use crate::plain_file;

const PORT: u16 = 5432;
/// Folders in which PostgreSQL's socket usually is: in the file it goes by `localhost` there.
const SOCKET_FOLDERS: [&str; 3] = ["/tmp", "/run/postgresql", "/var/run/postgresql"];
const OF_OTHERS: u32 = 0o077;

/// The password for the first host that has one. A file that isn't there has none.
///
/// # Errors
/// Why the file isn't used, as a sentence: libpq ignores it then, with a warning.
pub(super) fn password(path: &Path, config: &Config) -> Result<Option<Vec<u8>>, String> {
    let ignored =
        |why: &dyn std::fmt::Display| format!("the password file {} is ignored: {why}", path.display());
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ignored(&error)),
    };
    if metadata.is_file() && metadata.mode() & OF_OTHERS != 0 {
        let shown = metadata.mode() & 0o777;
        return Err(ignored(&format!(
            "others may read it (its mode is {shown:04o}); `chmod 600` makes it its user's alone"
        )));
    }
    let text = plain_file::read(path).map_err(|error| ignored(&error))?;
    Ok(found(&text, config))
}

fn found(text: &[u8], config: &Config) -> Option<Vec<u8>> {
    let (Some(database), Some(user)) = (config.get_dbname(), config.get_user()) else { return None };
    let lines: Vec<Vec<Vec<u8>>> = text.split(|byte| *byte == b'\n').filter_map(fields).collect();
    config.get_hosts().iter().enumerate().find_map(|(place, host)| {
        let ports = config.get_ports();
        let port = ports.get(place).or(ports.first()).copied().unwrap_or(PORT).to_string();
        let host = name_of(host);
        let line = lines.iter().find(|fields| {
            let wanted = [host.as_bytes(), port.as_bytes(), database.as_bytes(), user.as_bytes()];
            fields.iter().zip(wanted).all(|(field, wanted)| field == b"*" || field == wanted)
        })?;
        line.get(4).filter(|password| !password.is_empty()).cloned()
    })
}

fn name_of(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) if SOCKET_FOLDERS.iter().any(|folder| path == Path::new(folder)) => {
            "localhost".to_owned()
        }
        Host::Unix(path) => path.display().to_string(),
    }
}

/// The five fields of a line, without their backslashes. A colon within the password needs none.
fn fields(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() || line.starts_with(b"#") {
        return None;
    }
    let mut fields = vec![Vec::new()];
    let mut bytes = line.iter();
    while let Some(byte) = bytes.next() {
        let is_last = fields.len() == 5;
        match byte {
            b'\\' => {
                let escaped = bytes.next()?;
                fields.last_mut()?.push(*escaped);
            }
            b':' if !is_last => fields.push(Vec::new()),
            byte => fields.last_mut()?.push(*byte),
        }
    }
    (fields.len() == 5).then_some(fields)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn password_in(lines: &str, url: &str) -> Option<String> {
        let found = found(lines.as_bytes(), &url.parse().expect("a URL"));
        found.map(|password| String::from_utf8(password).expect("a text"))
    }

    #[test]
    fn the_first_line_that_names_host_port_database_and_user_has_the_password() {
        let url = "postgres://dogwatch@db.example.org/past";
        for (lines, expected) in [
            ("db.example.org:5432:past:dogwatch:s3cret", Some("s3cret")),
            (
                "# db.example.org:5432:past:dogwatch:old\n\ndb.example.org:*:*:dogwatch:s3cret\r\n",
                Some("s3cret"),
            ),
            ("db.example.org:5433:past:dogwatch:a\n*:*:*:*:b\n*:*:*:*:c\n", Some("b")),
            ("db.example.org:5432:past:other:a", None),
            ("db.example.org:5432:past:dogwatch", None),
            ("db.example.org:5432:past:dogwatch:", None),
            ("DB.example.org:5432:past:dogwatch:a", None),
            // A backslash stands before a colon or a backslash; in the password a colon may stand alone.
            (r"db.example.org:5432:past:dogwatch:a\:b\\c:d", Some(r"a:b\c:d")),
        ] {
            assert_eq!(password_in(lines, url).as_deref(), expected, "{lines}");
        }
        assert_eq!(
            password_in(r"\:\:1:5432:past:dogwatch:a", "postgres://dogwatch@[::1]/past").as_deref(),
            Some("a")
        );
        let lines = "one:1:*:*:a\ntwo:2:*:*:b\nlocalhost:5432:*:*:c\n/srv/sockets:5432:*:*:d";
        for (url, expected) in [
            ("postgres://u@one:1/d", Some("a")),
            ("postgres://u@none:1,two:2/d", Some("b")),
            ("postgres://u@%2Fvar%2Frun%2Fpostgresql/d", Some("c")),
            ("postgres://u@%2Fsrv%2Fsockets/d", Some("d")),
            ("postgres://u@%2Felsewhere/d", None),
        ] {
            assert_eq!(password_in(lines, url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn a_file_that_others_may_read_is_ignored_and_the_sentence_says_what_to_do() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pgpass");
        let config: Config = "postgres://u@one/d".parse().expect("a URL");
        assert_eq!(password(&path, &config), Ok(None), "there is none");
        std::fs::write(&path, "*:*:*:*:s3cret\n").expect("written");
        for mode in [0o644, 0o640, 0o604, 0o660] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("set");
            let said = password(&path, &config).expect_err("ignored");
            assert!(said.contains("chmod 600") && said.contains(&format!("{mode:04o}")), "{said}");
            assert!(!said.contains("s3cret"));
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("set");
        assert_eq!(password(&path, &config), Ok(Some(b"s3cret".to_vec())));
        let said = password(folder.path(), &config).expect_err("a folder");
        assert!(said.contains("is ignored"), "{said}");
    }
}
