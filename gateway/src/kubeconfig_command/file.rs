//! Where a kubeconfig is written: whole or not at all, for the user alone. Never over a file that another program wrote.

use std::io;
use std::path::Path;

use shared::problem::{Problem, Reason};

use super::text::MARK;
use crate::access::local::folders::write_whole;
use crate::plain_file;

/// Fails with one sentence that names the file.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Problem> {
    let refused = |why: &str| {
        let message = format!("{} isn't written: {why}", path.display());
        Problem::new(Reason::Configuration, message)
    };
    match plain_file::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(refused(&error.to_string())),
        Ok(found) if found.starts_with(MARK.as_bytes()) => {}
        Ok(_) => {
            return Err(refused(
                "it is there and `dogwatch kubeconfig` didn't write it; name another file with --output, and both in KUBECONFIG",
            ));
        }
    }
    write_whole(path, text.as_bytes(), None).map_err(|error| refused(&error.to_string()))
}
