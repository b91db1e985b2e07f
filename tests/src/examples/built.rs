//! An example as it is served. It is built below `target`, where its dependencies stay, and never in the source.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Example;
use crate::process::target;

/// What the examples take of the package, beside which they stand as in the source.
const PACKAGE: [&str; 3] = ["package.json", "dogwatch.js", "dogwatch.d.ts"];
/// What the copy holds and the source doesn't.
const KEPT: &str = "node_modules";
const LOCK: &str = "package-lock.json";

/// The folder of the site. Its dependencies are installed by its lock file.
pub fn built(example: &Example) -> Result<PathBuf> {
    let source = source().join("examples").join(example.name);
    let Some(output) = example.output else { return Ok(source) };
    let package = target()?.join("examples/element");
    let folder = package.join("examples").join(example.name);
    fs::create_dir_all(&folder)?;
    // Tests of one binary run at once, and may want the same example.
    let lock = File::create(package.join("lock"))?;
    lock.lock()?;
    for name in PACKAGE {
        fs::copy(self::source().join(name), package.join(name))?;
    }
    renew(&source, &folder)?;
    let wanted = fs::read(folder.join(LOCK))?;
    let installed = folder.join(KEPT).join(LOCK);
    if fs::read(&installed).ok().as_ref() != Some(&wanted) {
        npm(&folder, &["ci", "--no-audit", "--no-fund", "--ignore-scripts"])?;
        fs::write(installed, wanted)?;
    }
    npm(&folder, &["run", "build"])?;
    Ok(folder.join(output))
}

/// The package as it is published, with its program: `xtask-page` wrote it beside the page that the gateway serves.
pub fn package() -> Result<PathBuf> {
    let folder = target()?.join("package-of-tests");
    ensure!(
        folder.join("inline/program.js").exists(),
        "`cargo xtask build --quick` writes {}",
        folder.display()
    );
    Ok(folder)
}

/// The folder `tests/types` with its dependencies, and in each framework's folder the package as it is published.
pub fn types() -> Result<PathBuf> {
    let package = package()?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("types");
    let folder = target()?.join("types");
    fs::create_dir_all(&folder)?;
    let wanted = fs::read(source.join(LOCK))?;
    let installed = folder.join(KEPT).join(LOCK);
    let is_installed = fs::read(&installed).ok().as_ref() == Some(&wanted);
    clear(&folder, is_installed)?;
    copy(&source, &folder)?;
    if !is_installed {
        npm(&folder, &["ci", "--no-audit", "--no-fund", "--ignore-scripts"])?;
        fs::write(installed, wanted)?;
    }
    for entry in fs::read_dir(&source)? {
        let framework = folder.join(entry?.file_name());
        if framework.join("tsconfig.json").exists() {
            copy(&package, &framework.join(KEPT).join("dogwatch"))?;
        }
    }
    Ok(folder)
}

/// Removes all files, but what is installed only if it isn't kept.
fn clear(folder: &Path, is_kept: bool) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() {
            fs::remove_file(entry.path())?;
        } else if entry.file_name() != KEPT {
            clear(&entry.path(), is_kept)?;
        } else if !is_kept {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

fn npm(folder: &Path, arguments: &[&str]) -> Result<()> {
    let mut npm = Command::new("npm");
    // Angular counts its users only where it is let.
    npm.env("NG_CLI_ANALYTICS", "false");
    let output = npm.args(arguments).current_dir(folder).output();
    let output = output.context("the examples need npm; on Debian: apt-get install npm")?;
    let said = [output.stdout, output.stderr].concat();
    let (said, place) = (String::from_utf8_lossy(&said), folder.display());
    ensure!(output.status.success(), "npm {} in {place}: {}\n{said}", arguments.join(" "), output.status);
    Ok(())
}

/// Makes the copy what the source is, its dependencies aside.
fn renew(source: &Path, folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() == KEPT {
            continue;
        }
        let remove = if entry.file_type()?.is_dir() { fs::remove_dir_all } else { fs::remove_file };
        remove(entry.path())?;
    }
    copy(source, folder)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("read {}", from.display()))? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        if path.is_file() {
            fs::copy(path, to.join(name))?;
        } else if name != "node_modules" && name != "dist" {
            copy(&path, &to.join(name))?;
        }
    }
    Ok(())
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("element")
}
