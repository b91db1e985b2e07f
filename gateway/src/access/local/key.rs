//! The key that signs the secrets of pages: a file of mode 0600 in the user's state folder, created once. Whoever
//! reads it can log in as the user, so a key that other users can read is refused.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use hmac::{Hmac, KeyInit};
use sha2::Sha256;
use shared::problem::{Problem, Reason};

use super::hidden::random_text;

/// One block of SHA-256: HMAC uses a key of this length as it is.
const KEY_BYTES: usize = 64;
const FILE: &str = "signing.key";

/// `Debug` hides the key.
#[derive(Clone)]
pub struct SigningKey([u8; KEY_BYTES]);

impl SigningKey {
    pub fn from_bytes(bytes: [u8; KEY_BYTES]) -> Self {
        Self(bytes)
    }

    /// The key of this folder; the first call creates it.
    /// Fails with one sentence that names the file, if it can't be read, written or trusted.
    pub fn of_folder(folder: &Path) -> Result<Self, Problem> {
        let path = folder.join(FILE);
        match read(&path) {
            Err(Unreadable::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                create(folder, &path).map_err(|error| broken(&path, &error.to_string()))?;
                read(&path).map_err(|error| broken(&path, &error.to_string()))
            }
            known => known.map_err(|error| broken(&path, &error.to_string())),
        }
    }

    pub(super) fn mac(&self) -> Hmac<Sha256> {
        Hmac::new(&self.0.into())
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(hidden)")
    }
}

#[derive(Debug, thiserror::Error)]
enum Unreadable {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("others may read it; run chmod 600 on it, or delete it to sign every page out")]
    Open,
    #[error("it belongs to another user")]
    Foreign,
    #[error("it is damaged; delete it to sign every page out")]
    Damaged,
}

fn broken(path: &Path, why: &str) -> Problem {
    Problem::new(Reason::Configuration, format!("the key {} can't be used: {why}", path.display()))
}

fn read(path: &Path) -> Result<SigningKey, Unreadable> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.uid() != crate::same_user::own_uid() {
        return Err(Unreadable::Foreign);
    }
    if !metadata.is_file() {
        return Err(Unreadable::Damaged);
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        return Err(Unreadable::Open);
    }
    let bytes = fs::read(path)?;
    bytes.try_into().map(SigningKey).map_err(|_| Unreadable::Damaged)
}

/// Two gateways that start at once both get the key that was linked first.
fn create(folder: &Path, path: &Path) -> io::Result<()> {
    let mut bytes = [0; KEY_BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    let name = random_text().map_err(io::Error::other)?;
    let draft = folder.join(format!(".{FILE}.{name}"));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    let linked = file.write_all(&bytes).and_then(|()| file.sync_all()).and_then(|()| {
        match fs::hard_link(&draft, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        }
    });
    fs::remove_file(&draft)?;
    linked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_for_the_user_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = SigningKey::of_folder(folder.path()).expect("made");
        let again = SigningKey::of_folder(folder.path()).expect("read");
        assert_eq!(first.0, again.0);
        let mode = fs::metadata(folder.path().join(FILE)).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1, "no draft stays");
    }

    #[test]
    fn a_key_that_others_can_read_or_that_is_cut_is_refused_with_a_way_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE);
        SigningKey::of_folder(folder.path()).expect("made");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("opened");
        let problem = SigningKey::of_folder(folder.path()).expect_err("open to others");
        assert!(problem.message.contains("chmod 600"), "{problem}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("closed");
        fs::write(&path, b"short").expect("written");
        let problem = SigningKey::of_folder(folder.path()).expect_err("damaged");
        assert!(problem.message.contains("delete it"), "{problem}");
    }
}
