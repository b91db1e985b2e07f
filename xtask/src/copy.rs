//! The tracked files in a folder of their own, in which what is built is the same from every folder.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::commands::{cargo_home, git, program, root, succeed};

/// A copy, with what is built of it in `target` below it.
pub(crate) struct Copy {
    folder: PathBuf,
    /// The commit that the files are of; `None` where one differs from it.
    commit: Option<String>,
}

/// 2020-01-01: what C reads as the time of its own compilation, which mimalloc writes into itself.
pub(crate) const COMPILED_AT_S: u32 = 1_577_836_800;

impl Copy {
    /// Makes the folder anew, but for what was built in it.
    pub(crate) fn of_tracked(folder: &Path) -> Result<Self> {
        let is_changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
        let commit = if is_changed { None } else { Some(git(&["rev-parse", "HEAD"])?) };
        let copy = Self { folder: folder.to_owned(), commit };
        copy.clear()?;
        let listed = program("git").args(["ls-files", "-z"]).output().context("run git")?;
        ensure!(listed.status.success(), "git ls-files failed");
        for name in String::from_utf8(listed.stdout).context("names of files")?.split_terminator('\0') {
            let (from, to) = (root().join(name), folder.join(name));
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::copy(&from, &to).with_context(|| format!("copy {name}"))?;
        }
        copy.name_no_folder()?;
        Ok(copy)
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

    fn clear(&self) -> Result<()> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Ok(()) };
        for entry in entries {
            let (path, name) =
                (entry.as_ref().map(fs::DirEntry::path), entry.as_ref().map(fs::DirEntry::file_name));
            let (Ok(path), Ok(name)) = (path, name) else { continue };
            if name == "target" {
                continue;
            }
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.with_context(|| format!("remove {}", path.display()))?;
        }
        Ok(())
    }

    /// Writes into the copy's configuration that neither a path of this machine gets into what is built, which are the
    /// folder and that of cargo's sources, nor the time.
    fn name_no_folder(&self) -> Result<()> {
        let [folder, home] = [&self.folder, &cargo_home()?].map(|path| path.to_string_lossy().into_owned());
        if [&folder, &home].iter().any(|path| path.contains(['"', '\'', ' ', '\\'])) {
            bail!("{folder} and {home} must be plain paths");
        }
        let config = self.folder.join(".cargo/config.toml");
        let text = fs::read_to_string(&config)?;
        let more = format!(
            "\n[target.'cfg(all())']\nrustflags = [\"--remap-path-prefix={folder}=/dogwatch\", \"--remap-path-prefix={home}=/cargo\"]\n\n\
             [env]\nCFLAGS = {{ value = \"-ffile-prefix-map={folder}=/dogwatch -ffile-prefix-map={home}=/cargo\", force = true }}\n\
             SOURCE_DATE_EPOCH = {{ value = \"{COMPILED_AT_S}\", force = true }}\n"
        );
        fs::write(&config, text + &more).context("write the copy's configuration")
    }
}
