//! Where a kubeconfig is written: whole or not at all, for the user alone. Never over a file that another program wrote.

use std::io;
use std::path::Path;

use shared::problem::{Problem, Reason};

use super::text::MARK;
use crate::access::local::folders::write_whole;
use crate::plain_file;

/// The file that is to be replaced, as text. Fails with one sentence that names the file.
pub(super) fn former(path: &Path) -> Result<Option<String>, Problem> {
    match plain_file::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(refused(path, &error.to_string())),
        Ok(found) if found.starts_with(MARK.as_bytes()) => {
            Ok(Some(String::from_utf8_lossy(&found).into_owned()))
        }
        Ok(_) => Err(refused(
            path,
            "it is there and `dogwatch kubeconfig` didn't write it; name another file with --output, and both in KUBECONFIG",
        )),
    }
}

/// Fails with one sentence that names the file.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Problem> {
    write_whole(path, text.as_bytes(), None).map_err(|error| refused(path, &error.to_string()))
}

fn refused(path: &Path, why: &str) -> Problem {
    Problem::new(Reason::Configuration, format!("{} isn't written: {why}", path.display()))
}
