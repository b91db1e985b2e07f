//! Finds the gateways that run here: one Unix socket each, named by its port. For `tail` and `url`;
//! knows nothing of the server's side.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use super::folders::Folders;
use crate::same_user;

/// The extension of a socket that listens.
const EXTENSION: &str = "sock";

/// The ports of the gateways that run here as this user, with their sockets, lowest first. Removes the
/// sockets of gateways that were killed.
pub fn sockets() -> Vec<(u16, PathBuf)> {
    Folders::of_environment().map(|folders| living(&folders.runtime)).unwrap_or_default()
}

/// Where the gateway of this port has its socket.
pub fn path(folder: &Path, port: u16) -> PathBuf {
    folder.join(format!("{port}.{EXTENSION}"))
}

fn living(folders: &[PathBuf]) -> Vec<(u16, PathBuf)> {
    let mut found: Vec<(u16, PathBuf)> = Vec::new();
    for folder in folders {
        // Another user's folder holds no gateway of this one, whatever answers there.
        if !std::fs::metadata(folder).is_ok_and(|found| found.uid() == same_user::own_uid()) {
            continue;
        }
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let Some(port) = port_of(&path) else { continue };
            if answers(&path) && !found.iter().any(|(known, _)| *known == port) {
                found.push((port, path));
            }
        }
    }
    found.sort();
    found
}

fn port_of(path: &Path) -> Option<u16> {
    let name = path.file_name()?.to_str()?;
    name.strip_suffix(EXTENSION)?.strip_suffix('.')?.parse().ok()
}

/// Whether a gateway listens. A socket gets its name only when its gateway listens, so a refusal means
/// that the gateway is gone.
pub(super) fn answers(path: &Path) -> bool {
    match UnixStream::connect(path) {
        Ok(_) => true,
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            // An error means that another process removed it first.
            let _ = std::fs::remove_file(path);
            false
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn another_users_folder_holds_no_gateway_of_this_user() {
        let folder = tempfile::tempdir().expect("a folder");
        let _listening = UnixListener::bind(path(folder.path(), 8484)).expect("bound");
        let folders = [folder.path().to_owned()];
        assert_eq!(living(&folders).len(), 1);
        // Only root may give a folder away.
        if std::os::unix::fs::chown(folder.path(), Some(65_534), None).is_ok() {
            assert_eq!(living(&folders), vec![]);
        }
    }

    #[test]
    fn the_living_are_found_in_every_folder_and_the_dead_are_taken_away() {
        let (one, two) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let folders = [one.path().to_owned(), two.path().to_owned(), "/nonexistent".into()];
        let _listening = UnixListener::bind(path(one.path(), 9000)).expect("bound");
        let _also = UnixListener::bind(path(two.path(), 8484)).expect("bound");
        drop(UnixListener::bind(path(two.path(), 8485)).expect("bound"));
        std::fs::write(two.path().join("notes.sock"), "").expect("written");
        let expected = vec![(8484, path(two.path(), 8484)), (9000, path(one.path(), 9000))];
        assert_eq!(living(&folders), expected);
        assert!(!path(two.path(), 8485).exists());
    }
}
