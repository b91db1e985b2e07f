//! The preferences of the user's pages: theme, density, pinned kinds, columns, questions. Each printed link opens a page of an
//! origin of its own, so what a browser keeps by origin would be lost with the session; the user's state folder keeps it
//! for the next one. Only the page reads what it means.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::folders;
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

    pub(super) fn write(&self, text: &str) -> std::io::Result<()> {
        let folder = self.0.parent().unwrap_or(Path::new("."));
        folders::make_private(folder).map_err(std::io::Error::other)?;
        folders::write_whole(&self.0, text.as_bytes(), None)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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
