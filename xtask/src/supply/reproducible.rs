//! `cargo xtask reproducible`: builds page and gateway twice, each time from a copy of the tracked files in a folder of
//! its own with nothing built in it, and compares every file that is shipped by its SHA-256. Not part of the gate.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::commands::{program, root, say, succeed};

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
    for folder in [one, other] {
        copy_tracked(folder)?;
        name_no_folder(folder)?;
    }
    Ok([build(one, is_quick, has_image)?, build(other, is_quick, has_image)?])
}

/// The hashes of what is shipped, by path.
fn build(folder: &Path, is_quick: bool, has_image: bool) -> Result<BTreeMap<String, String>> {
    say(&format!("building in {}", folder.display()));
    run_xtask(folder, &["build"], is_quick)?;
    let profile = if is_quick { "debug" } else { "release" };
    let mut shipped = vec![folder.join("target").join(profile).join("dogwatch")];
    files_below(&folder.join("dist"), &mut shipped)?;
    if has_image {
        run_xtask(folder, &["image"], false)?;
        files_below(&folder.join("target/image"), &mut shipped)?;
    }
    hashes(folder, &shipped)
}

fn run_xtask(folder: &Path, command: &[&str], is_quick: bool) -> Result<()> {
    let mut build = program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.current_dir(folder).args(["run", "--locked", "--package=xtask", "--"]).args(command);
    build
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS");
    if is_quick {
        build.arg("--quick");
    }
    succeed(&mut build)
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

fn copy_tracked(folder: &Path) -> Result<()> {
    let listed = program("git").args(["ls-files", "-z"]).output().context("run git")?;
    ensure!(listed.status.success(), "git ls-files failed");
    for name in String::from_utf8(listed.stdout).context("names of files")?.split_terminator('\0') {
        let (from, to) = (root().join(name), folder.join(name));
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(&from, &to).with_context(|| format!("copy {name}"))?;
    }
    Ok(())
}

/// 2020-01-01: what C reads as the time of its own compilation, which mimalloc writes into itself.
const COMPILED_AT_S: u32 = 1_577_836_800;

/// Writes into the copy's configuration that neither a path of this machine gets into what is built, which are the
/// folder and that of cargo's sources, nor the time.
fn name_no_folder(folder: &Path) -> Result<()> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let home = home.context("neither CARGO_HOME nor a home folder is known")?;
    let (folder_text, home) = (folder.to_string_lossy().into_owned(), home.to_string_lossy().into_owned());
    if [&folder_text, &home].iter().any(|path| path.contains(['"', '\'', ' ', '\\'])) {
        bail!("{folder_text} and {home} must be plain paths");
    }
    let config = folder.join(".cargo/config.toml");
    let text = fs::read_to_string(&config)?;
    let more = format!(
        "\n[target.'cfg(all())']\nrustflags = [\"--remap-path-prefix={folder_text}=/dogwatch\", \"--remap-path-prefix={home}=/cargo\"]\n\n\
         [env]\nCFLAGS = {{ value = \"-ffile-prefix-map={folder_text}=/dogwatch -ffile-prefix-map={home}=/cargo\", force = true }}\n\
         SOURCE_DATE_EPOCH = {{ value = \"{COMPILED_AT_S}\", force = true }}\n"
    );
    fs::write(&config, text + &more).context("write the copy's configuration")
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
