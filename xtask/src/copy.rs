//! The tracked files in a folder of their own, in which what is built is the same from every folder.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::commands::{cargo_home, git, program, root, succeed};

/// A copy, with what is built of it in `target` below it.
pub(crate) struct Copy {
    folder: PathBuf,
    /// The commit that the files are of; `None` where one differs from it.
    commit: Option<String>,
}

/// 2020-01-01: what C reads as the time of its own compilation, which mimalloc writes into itself.
pub(crate) const COMPILED_AT_S: u32 = 1_577_836_800;

const CONFIGURATION: &str = ".cargo/config.toml";

impl Copy {
    /// Makes the folder what the tracked files are, but for what was built in it. A file that is the same stays as it is,
    /// with its time, so that nothing is compiled anew for it.
    pub(crate) fn of_tracked(folder: &Path) -> Result<Self> {
        let is_changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
        let commit = if is_changed { None } else { Some(git(&["rev-parse", "HEAD"])?) };
        let copy = Self { folder: folder.to_owned(), commit };
        let listed = git(&["ls-files", "-z"])?;
        let names: BTreeSet<&Path> = listed.split_terminator('\0').map(Path::new).collect();
        if folder.exists() {
            copy.clear(Path::new(""), &names)?;
        }
        for name in &names {
            let from = root().join(name);
            let mut content = fs::read(&from).with_context(|| format!("read {}", from.display()))?;
            if *name == Path::new(CONFIGURATION) {
                content.extend(copy.names_no_folder()?.into_bytes());
            }
            copy.put(name, &content, fs::metadata(&from)?.permissions())?;
        }
        Ok(copy)
    }

    fn put(&self, name: &Path, content: &[u8], permissions: Permissions) -> Result<()> {
        let to = self.folder.join(name);
        if fs::read(&to).is_ok_and(|found| found == content) {
            return Ok(());
        }
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        let written = fs::write(&to, content).and_then(|()| fs::set_permissions(&to, permissions));
        written.with_context(|| format!("write {}", to.display()))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn target(&self) -> PathBuf {
        self.folder.join("target")
    }

    /// Runs a command of the copy's own `cargo xtask`.
    pub(crate) fn xtask<A: AsRef<OsStr>>(&self, command: &[A]) -> Result<()> {
        let mut build = program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        build.current_dir(&self.folder).args(["run", "--locked", "--package=xtask", "--"]).args(command);
        build
            .env("CARGO_TARGET_DIR", self.target())
            .env("CARGO_INCREMENTAL", "0")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env_remove("RUSTFLAGS")
            // The copy is in no repository of its own, which `--version` would name.
            .env("DOGWATCH_COMMIT", self.commit.as_deref().unwrap_or_default());
        succeed(&mut build)
    }

    /// Removes what is no tracked file below this folder of the copy, but for what was built.
    fn clear(&self, below: &Path, names: &BTreeSet<&Path>) -> Result<()> {
        for entry in fs::read_dir(self.folder.join(below))? {
            let entry = entry?;
            let name = below.join(entry.file_name());
            let is_folder = entry.file_type()?.is_dir();
            if name == Path::new("target") || names.contains(&*name) && !is_folder {
                continue;
            }
            let holds_files = names.iter().any(|tracked| tracked.starts_with(&name));
            let removed = match (is_folder, holds_files) {
                (true, true) => self.clear(&name, names),
                (true, false) => Ok(fs::remove_dir_all(entry.path())?),
                (false, _) => Ok(fs::remove_file(entry.path())?),
            };
            removed.with_context(|| format!("remove {}", name.display()))?;
        }
        Ok(())
    }

    /// What is added to the copy's configuration, so that neither a path of this machine gets into what is built, which are
    /// the folder and that of cargo's sources, nor the time.
    fn names_no_folder(&self) -> Result<String> {
        let [folder, home] = [&self.folder, &cargo_home()?].map(|path| path.to_string_lossy().into_owned());
        if [&folder, &home].iter().any(|path| path.contains(['"', '\'', ' ', '\\'])) {
            bail!("{folder} and {home} must be plain paths");
        }
        Ok(format!(
            "\n[target.'cfg(all())']\nrustflags = [\"--remap-path-prefix={folder}=/dogwatch\", \"--remap-path-prefix={home}=/cargo\"]\n\n\
             [env]\nCFLAGS = {{ value = \"-ffile-prefix-map={folder}=/dogwatch -ffile-prefix-map={home}=/cargo\", force = true }}\n\
             SOURCE_DATE_EPOCH = {{ value = \"{COMPILED_AT_S}\", force = true }}\n"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_is_made_again_is_the_tracked_files_and_keeps_what_was_built_and_what_is_the_same() {
        let folder = env::temp_dir().join(format!("dogwatch-copy-{}", std::process::id()));
        let copy = Copy::of_tracked(&folder).expect("a copy");
        let at = |name: &str| copy.folder().join(name);
        let time = |name: &str| fs::metadata(at(name)).expect(name).modified().expect("a time");
        assert_eq!(
            fs::read(at("Cargo.lock")).expect("there"),
            fs::read(root().join("Cargo.lock")).expect("ours")
        );
        let settings = fs::read_to_string(at(CONFIGURATION)).expect("there");
        assert!(
            settings.contains("--remap-path-prefix") && settings.contains("SOURCE_DATE_EPOCH"),
            "{settings}"
        );
        let former = time("Cargo.lock").checked_sub(std::time::Duration::from_secs(1000)).expect("a time");
        for name in ["Cargo.lock", CONFIGURATION] {
            let file = fs::File::options().write(true).open(at(name)).expect("opened");
            file.set_modified(former).expect("set");
        }
        fs::write(at("README.md"), "changed").expect("written");
        for untracked in ["target/built", "dist/page.html", "gateway/src/left.rs"] {
            fs::create_dir_all(at(untracked).parent().expect("a folder")).expect("made");
            fs::write(at(untracked), "").expect("written");
        }

        Copy::of_tracked(&folder).expect("again");
        assert_eq!([time("Cargo.lock"), time(CONFIGURATION)], [former; 2], "what is the same was written");
        assert_eq!(
            fs::read(at("README.md")).expect("there"),
            fs::read(root().join("README.md")).expect("ours")
        );
        let left = ["target/built", "dist", "gateway/src/left.rs"].map(|name| at(name).exists());
        fs::remove_dir_all(&folder).expect("removed");
        assert_eq!(left, [true, false, false]);
    }
}
