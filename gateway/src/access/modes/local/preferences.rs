//! The preferences of the user's pages: theme, density, pinned kinds, columns. Each printed link opens a page of an
//! origin of its own, so what a browser keeps by origin would be lost with the session; the user's state folder keeps it
//! for the next one. Only the page reads what it means. Never a namespace, an object or a query.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::folders;
use super::hidden::random_text;
use crate::limits::PREFERENCES_BYTES_MAX;

#[derive(Clone, Debug)]
pub(super) struct PreferencesFile(PathBuf);

const FILE: &str = "preferences";

impl PreferencesFile {
    /// In the user's state folder. Nothing is created before the first change.
    pub(super) fn of_folder(state: &Path) -> Self {
        Self(state.join(FILE))
    }

    /// `None`: there are none, or they can't be read. Opening anything but a plain file never blocks.
    pub(super) fn read(&self) -> Option<String> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(&self.0).ok()?;
        let is_plain = file.metadata().is_ok_and(|metadata| metadata.is_file());
        let mut text = String::new();
        let bytes_max = u64::try_from(PREFERENCES_BYTES_MAX).unwrap_or(u64::MAX);
        (is_plain && file.take(bytes_max).read_to_string(&mut text).is_ok()).then_some(text)
    }

    /// Whole or not at all: the file gets its name when it is written.
    pub(super) fn write(&self, text: &str) -> std::io::Result<()> {
        let folder = self.0.parent().unwrap_or(Path::new("."));
        folders::make_private(folder).map_err(std::io::Error::other)?;
        let name = random_text().map_err(std::io::Error::other)?;
        let draft = folder.join(format!(".{name}"));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        let written = file.write_all(text.as_bytes());
        written.and_then(|()| fs::rename(&draft, &self.0)).inspect_err(|_| {
            // An error means that it is gone already.
            let _ = fs::remove_file(&draft);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences_are_read_as_they_were_written_and_a_fifo_in_their_place_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = PreferencesFile::of_folder(folder.path());
        assert_eq!(file.read(), None);
        file.write("{\"theme\":\"dark\"}").expect("written");
        assert_eq!(file.read().as_deref(), Some("{\"theme\":\"dark\"}"));
        fs::remove_file(folder.path().join(FILE)).expect("removed");
        let made = std::process::Command::new("mkfifo").arg(folder.path().join(FILE)).status();
        assert!(made.expect("started").success());
        assert_eq!(file.read(), None);
    }
}
