//! What `dogwatch credential` keeps of a team's gateway between two starts: the token, and what the next one is asked for
//! with. One file for each gateway, for the user alone, and one process at a time.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use crate::access::local::folders::{make_private, write_whole};
use crate::access::oidc::ask::ClientTokens;
use crate::limits::API_TOKEN_SPARE_S;
use crate::plain_file;
use crate::team_gateway::TeamUrl;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// For a person who looks into the file.
    server: Box<str>,
    /// `None`: the login has ended, and the process that asked was told to run again.
    pub(super) tokens: Option<ClientTokens>,
    /// The process that asked last, by its number.
    asked_by: u32,
}

impl Kept {
    pub(super) fn new(server: &TeamUrl, tokens: Option<ClientTokens>, asks: u32) -> Self {
        Self { server: server.as_str().into(), tokens, asked_by: asks }
    }

    /// Whether this process asked last. A client keeps its token until it ends, so one that asks again before was refused
    /// with it.
    pub(super) fn was_asked_by(&self, asks: u32) -> bool {
        self.asked_by == asks
    }
}

/// Whether the token still counts for a while.
pub(super) fn is_fresh(tokens: &ClientTokens, now_ms: UnixMillis) -> bool {
    tokens.expires_ms - API_TOKEN_SPARE_S * 1_000 > now_ms
}

/// The file, as long as no other process has it.
pub(super) struct KeptFile {
    path: PathBuf,
    /// Closing it lets the next process in.
    _lock: File,
}

const FOLDER: &str = "clients";

impl KeptFile {
    /// Waits until the file is free, which is when another process has signed in. Fails with one sentence that names the
    /// folder or the file.
    pub(super) fn take(state: &Path, server: &TeamUrl) -> Result<Self, Problem> {
        let folder = state.join(FOLDER);
        make_private(&folder)?;
        let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(server.as_str()));
        let path = folder.join(format!("{hash}.json"));
        let lock = path.with_extension("lock");
        let locked = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&lock);
        let locked = locked.and_then(|file| file.lock().map(|()| file));
        let _lock = locked.map_err(|error| unusable(&lock, &error))?;
        Ok(Self { path, _lock })
    }

    /// `None` also if it can't be read: then its person signs in again.
    pub(super) fn read(&self) -> Option<Kept> {
        let text = plain_file::read(&self.path).ok()?;
        serde_json::from_slice(&text).ok()
    }

    pub(super) fn write(&self, kept: &Kept) -> Result<(), Problem> {
        let text = serde_json::to_vec(kept).map_err(|error| unusable(&self.path, &error.into()))?;
        write_whole(&self.path, &text, None).map_err(|error| unusable(&self.path, &error))
    }

    pub(super) fn forget(&self) -> Result<(), Problem> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unusable(&self.path, &error)),
            _ => Ok(()),
        }
    }
}

fn unusable(path: &Path, error: &io::Error) -> Problem {
    Problem::new(Reason::Configuration, format!("the file {} can't be used: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    const NOW_MS: UnixMillis = 1_795_000_000_000;

    fn tokens(name: &str) -> ClientTokens {
        let expires_ms = NOW_MS + 600_000;
        ClientTokens { token: name.to_owned(), expires_ms, renewal: format!("{name}'s") }
    }

    fn server(name: &str) -> TeamUrl {
        TeamUrl::parse(&format!("https://{name}.example")).expect("a URL")
    }

    #[test]
    fn what_is_kept_is_one_file_of_each_gateway_for_the_user_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["one", "two"] {
            let file = KeptFile::take(folder.path(), &server(name)).expect("taken");
            assert_eq!(file.read(), None);
            file.write(&Kept::new(&server(name), Some(tokens(name)), 7)).expect("written");
            assert_eq!(file.path.metadata().expect("there").permissions().mode() & 0o777, 0o600);
        }
        let clients = folder.path().join("clients");
        assert_eq!(clients.metadata().expect("there").permissions().mode() & 0o777, 0o700);
        let file = KeptFile::take(folder.path(), &server("one")).expect("taken");
        let kept = file.read().expect("kept");
        assert_eq!(kept.tokens, Some(tokens("one")));
        assert!(!format!("{kept:?}").contains("one's"));
        for spoiled in ["", "{}", "[1]", "{\"server\":\"a\"}"] {
            fs::write(&file.path, spoiled).expect("written");
            assert_eq!(file.read(), None, "{spoiled}");
        }
        file.forget().expect("forgotten");
        file.forget().expect("it is gone");
        let other = KeptFile::take(folder.path(), &server("two")).expect("taken");
        assert_eq!(other.read().expect("kept").tokens, Some(tokens("two")));
    }

    #[test]
    fn a_second_process_waits_and_finds_what_the_first_has_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = KeptFile::take(folder.path(), &server("one")).expect("taken");
        let (state, (told, hears)) = (folder.path().to_owned(), mpsc::channel());
        let second = thread::spawn(move || {
            told.send(()).expect("heard");
            KeptFile::take(&state, &server("one")).expect("taken").read()
        });
        hears.recv().expect("it runs");
        first.write(&Kept::new(&server("one"), Some(tokens("one")), 7)).expect("written");
        drop(first);
        let found = second.join().expect("it ends").expect("kept");
        assert_eq!(found.tokens, Some(tokens("one")));
    }

    #[test]
    fn a_token_is_given_again_to_another_process_until_shortly_before_its_end() {
        let kept = Kept::new(&server("one"), Some(tokens("one")), 7);
        let tokens = kept.tokens.as_ref().expect("a token");
        assert!(is_fresh(tokens, NOW_MS + 569_999) && !is_fresh(tokens, NOW_MS + 570_000));
        assert!(kept.was_asked_by(7) && !kept.was_asked_by(8));
    }
}
