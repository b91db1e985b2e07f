//! The file that remembers which sessions were ended. It is sealed under the session keys: it shows no name, and only a
//! gateway of the team can write it. A program that may write in its folder can delete it, so the folder is the user's own.

use std::io;
use std::path::{Path, PathBuf};

use shared::problem::{Problem, Reason};

use super::revoked::List;
use super::seal::{Purpose, SealingKeys};
use crate::access::modes::local::folders::{make_private, write_whole};
use crate::plain_file;

#[derive(Clone, Debug)]
pub(super) struct EndedFile(PathBuf);

const CONTEXT: &str = "the sessions that were ended";

impl EndedFile {
    /// Each gateway of a user has its own: its port is in the name. Makes the folder.
    /// Fails with one sentence that names the folder.
    pub(super) fn of_folder(state: &Path, port: u16) -> Result<Self, Problem> {
        make_private(state).map_err(|problem| {
            let hint = "set XDG_STATE_HOME to a folder in which this gateway may write";
            Problem::new(problem.reason, format!("{}; {hint}", problem.message))
        })?;
        Ok(Self(state.join(format!("ended-sessions-{port}"))))
    }

    /// Empty, if it isn't there. Fails with one sentence that names the file.
    pub(super) fn read(&self, keys: &SealingKeys) -> Result<List, Problem> {
        let wrong = |why: &str| {
            let message = format!("{} can't be read, and is written anew: {why}", self.0.display());
            Problem::new(Reason::Configuration, message)
        };
        let sealed = match plain_file::read_to_string(&self.0) {
            Ok(sealed) => sealed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(List::new()),
            Err(error) => return Err(wrong(&error.to_string())),
        };
        let plain = keys.open(Purpose::Ended, CONTEXT, &sealed);
        let plain = plain.ok_or_else(|| wrong("no session key of this gateway sealed it"))?;
        serde_json::from_slice(&plain).map_err(|error| wrong(&error.to_string()))
    }

    /// What [`Self::write`] takes. Fails if the system has no randomness.
    pub(super) fn sealed(keys: &SealingKeys, list: &List) -> Result<String, Problem> {
        let plain = serde_json::to_vec(list)
            .map_err(|error| Problem::new(Reason::InternalError, error.to_string()))?;
        keys.seal(Purpose::Ended, CONTEXT, &plain)
    }

    /// Says in the log what went wrong. Waits for the disk.
    pub(super) fn write(&self, sealed: &str) {
        if let Err(error) = write_whole(&self.0, sealed.as_bytes(), None) {
            tracing::warn!(
                "{} can't be written, and a restart forgets which sessions were ended since: {error}",
                self.0.display()
            );
        }
    }
}
