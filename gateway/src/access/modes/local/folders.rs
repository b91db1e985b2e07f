//! The two folders of mode `local`: one for files that outlive the gateway, one for its sockets. Both are the
//! user's own, of mode 0700. Their paths come from the environment, which is an argument here.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use shared::problem::{Problem, Reason};

use super::hidden::random_text;

/// The paths of the folders, whether they exist or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// For the sessions.
    pub state: PathBuf,
    /// For the sockets, best first. A gateway uses the first. `url` and `tail` look in all: the gateway may have
    /// been started with another environment (a cron job has no runtime folder).
    pub runtime: Vec<PathBuf>,
}

impl Folders {
    /// Fails if the environment names neither a state folder nor a home.
    pub fn of_environment() -> Result<Self, Problem> {
        Self::find(|name| std::env::var_os(name))
    }

    fn find(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, Problem> {
        // The base directory specification: a relative path is to be ignored.
        let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let state = folder("XDG_STATE_HOME")
            .or_else(|| folder("HOME").map(|home| home.join(".local/state")))
            .ok_or_else(|| {
                Problem::new(
                    Reason::Configuration,
                    "there is no folder for the gateway's sessions: set HOME or XDG_STATE_HOME",
                )
            })?
            .join("dogwatch");
        let runtime = folder("XDG_RUNTIME_DIR").map(|folder| folder.join("dogwatch"));
        let runtime = runtime.into_iter().chain([state.join("sockets")]).collect();
        Ok(Self { state, runtime })
    }
}

/// Makes the folder, or closes it to other users when it exists.
/// Fails with one sentence that names it, if it can't be made or isn't the user's own.
pub fn make_private(folder: &Path) -> Result<(), Problem> {
    let broken = |why: &str| {
        Problem::new(Reason::Configuration, format!("the folder {} can't be used: {why}", folder.display()))
    };
    let made = (|| -> io::Result<fs::Metadata> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        fs::metadata(folder)
    })();
    let metadata = made.map_err(|error| broken(&error.to_string()))?;
    if metadata.uid() != crate::same_user::own_uid() {
        return Err(broken("it belongs to another user"));
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(folder, Permissions::from_mode(0o700))
            .map_err(|error| broken(&error.to_string()))?;
    }
    Ok(())
}

/// Whole or not at all, for the user alone: the file gets its name when it is written. `modified`: its time, where that
/// isn't now.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], modified: Option<SystemTime>) -> io::Result<()> {
    named_when_written(path, bytes, modified, |draft| fs::rename(draft, path))
}

/// As [`write_whole`], and never over another file: then it fails with `AlreadyExists`.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    named_when_written(path, bytes, None, |draft| {
        fs::hard_link(draft, path)?;
        fs::remove_file(draft)
    })
}

fn named_when_written(
    path: &Path,
    bytes: &[u8],
    modified: Option<SystemTime>,
    name_it: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let name = random_text().map_err(io::Error::other)?;
    let draft = path.with_file_name(format!(".{name}"));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    let written = file.write_all(bytes);
    let written = written.and_then(|()| modified.map_or(Ok(()), |modified| file.set_modified(modified)));
    written.and_then(|()| name_it(&draft)).inspect_err(|_| {
        // An error means that it is gone already.
        let _ = fs::remove_file(&draft);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_follow_the_base_directory_specification() {
        let find = |variables: &[(&str, &str)]| {
            let found = Folders::find(|name| {
                let known = variables.iter().find(|(known, _)| *known == name);
                known.map(|(_, value)| OsString::from(value))
            });
            found.ok().map(|folders| {
                let runtime = folders.runtime.iter().map(|path| path.display().to_string());
                (folders.state.display().to_string(), runtime.collect::<Vec<_>>())
            })
        };
        let expected = |state: &str, runtime: &[&str]| {
            Some((state.to_owned(), runtime.iter().map(|path| (*path).to_owned()).collect()))
        };
        let home = "/h/.local/state/dogwatch";
        assert_eq!(
            find(&[("HOME", "/h"), ("XDG_RUNTIME_DIR", "/run/user/7")]),
            expected(home, &["/run/user/7/dogwatch", "/h/.local/state/dogwatch/sockets"])
        );
        assert_eq!(
            find(&[("HOME", "/h"), ("XDG_STATE_HOME", "/s"), ("XDG_RUNTIME_DIR", "relative")]),
            expected("/s/dogwatch", &["/s/dogwatch/sockets"])
        );
        assert_eq!(find(&[]), None);
    }

    #[test]
    fn a_folder_is_closed_to_other_users() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path().join("a/b");
        make_private(&folder).expect("made");
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).expect("opened");
        make_private(&folder).expect("closed");
        let mode = fs::metadata(&folder).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
