//! `cargo xtask reproducible`: builds page and gateway twice, each time from a copy of the tracked files in a folder of
//! its own with nothing built in it, and compares every file that is shipped by its SHA-256. Not part of the gate.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::commands::{program, say};
use crate::copy::Copy;

/// R-SUP-3. Against: the source
/// `is_quick`: as the tests build them, which shows the same of paths, times and order in a quarter of the time.
pub(crate) fn reproducible(is_quick: bool, has_image: bool) -> Result<()> {
    let base = env::temp_dir().join(format!("dogwatch-reproducible-{}", std::process::id()));
    // Names of different length, because a path may move what follows it.
    let folders = ["one", "another-one"].map(|name| base.join(name));
    let built = build_each(&folders, is_quick, has_image);
    let removed = fs::remove_dir_all(&base).with_context(|| format!("remove {}", base.display()));
    let [one, other] = built?;
    removed?;
    for (file, hash) in &one {
        println!("{hash}  {file}");
    }
    let differs = |(file, hash): &(&String, &String)| other.get(*file) != Some(*hash);
    let different: Vec<&str> = one.iter().filter(differs).map(|(file, _)| file.as_str()).collect();
    let only_there = other.keys().filter(|file| !one.contains_key(*file)).map(String::as_str);
    let different: Vec<&str> = different.into_iter().chain(only_there).collect();
    ensure!(different.is_empty(), "the two builds differ in {}", different.join(", "));
    say(&format!("{} files, equal in both builds", one.len()));
    Ok(())
}

/// Both are copied before the first build, during which the tree may change.
fn build_each(
    [one, other]: &[PathBuf; 2],
    is_quick: bool,
    has_image: bool,
) -> Result<[BTreeMap<String, String>; 2]> {
    let [one, other] = [Copy::of_tracked(one)?, Copy::of_tracked(other)?];
    Ok([build(&one, is_quick, has_image)?, build(&other, is_quick, has_image)?])
}

/// The hashes of what is shipped, by path.
fn build(copy: &Copy, is_quick: bool, has_image: bool) -> Result<BTreeMap<String, String>> {
    let folder = copy.folder();
    say(&format!("building in {}", folder.display()));
    copy.xtask(if is_quick { &["build", "--quick"] } else { &["build"] })?;
    let profile = if is_quick { "debug" } else { "release" };
    let mut shipped = vec![folder.join("target").join(profile).join("dogwatch")];
    files_below(&folder.join("dist"), &mut shipped)?;
    if has_image {
        copy.xtask(&["image"])?;
        files_below(&folder.join("target/image"), &mut shipped)?;
    }
    hashes(folder, &shipped)
}

fn hashes(folder: &Path, shipped: &[PathBuf]) -> Result<BTreeMap<String, String>> {
    let mut hash = program("sha256sum");
    let output =
        hash.current_dir(folder).args(relative(shipped, folder)?).output().context("run sha256sum")?;
    ensure!(output.status.success(), "sha256sum failed: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).context("its answer")?;
    let lines = text.lines().filter_map(|line| line.split_once("  "));
    Ok(lines.map(|(hash, file)| (file.to_owned(), hash.to_owned())).collect())
}

fn relative(files: &[PathBuf], folder: &Path) -> Result<Vec<PathBuf>> {
    files.iter().map(|file| Ok(file.strip_prefix(folder)?.to_owned())).collect()
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files_below(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
