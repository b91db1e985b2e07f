//! `cargo xtask deny` and `advisories`: cargo-deny, built from crates.io into a cache outside of the clone, with the
//! rules of `deny.toml`. The first fetches the crates of every platform, and is part of the gate; the second needs the RustSec database,
//! and fails where that can't be had.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::commands::{cargo, program, root, say, succeed};
use crate::machine;

/// 80 s of computing without optimisations, and a check takes 3 s.
const VERSION: &str = "0.20.2";

/// Licences, sources, and crates in two versions: R-SUP-1. Against: the source
pub(crate) fn deny() -> Result<()> {
    say("dependencies: licences, sources, duplicates");
    let expired = expired(&fs::read_to_string(rules()).context("read deny.toml")?, &today()?);
    ensure!(
        expired.is_empty(),
        "look again at these, and give each a reason and another day:\n{}",
        expired.join("\n")
    );
    machine::crates()?;
    let mut check = program(tool()?);
    check.args(["--offline", "--locked", "--workspace", "check", "-D", "warnings"]);
    succeed(check.args(["bans", "licenses", "sources"]))
}

/// Known vulnerabilities, and crates that were yanked.
pub(crate) fn advisories() -> Result<()> {
    say("dependencies: known vulnerabilities, from https://github.com/RustSec/advisory-db");
    let mut check = program(tool()?);
    check.args(["--locked", "--workspace", "check", "-D", "warnings", "advisories"]);
    succeed(&mut check)
        .context("a dependency has an advisory, or the RustSec database can't be had from here")
}

/// The program, built first if the cache hasn't this version.
fn tool() -> Result<PathBuf> {
    let folder = cache()?.join(format!("cargo-deny-{VERSION}"));
    let path = folder.join("bin/cargo-deny");
    if path.is_file() {
        return Ok(path);
    }
    say(&format!("building cargo-deny {VERSION} into {}", folder.display()));
    // Two at once build beside each other, and cargo moves a finished program into its place.
    let build = folder.join(format!("build-{}", std::process::id()));
    let mut install = program(cargo("install").get_program());
    install.args(["install", "--locked", "--debug", "--force", "--root"]).arg(&folder);
    install.arg(format!("cargo-deny@{VERSION}"));
    install.env("CARGO_TARGET_DIR", &build).env("CARGO_PROFILE_DEV_DEBUG", "false");
    let built = succeed(&mut install);
    // The program alone is of use.
    let removed = fs::remove_dir_all(&build);
    built.and_then(|()| removed.with_context(|| format!("remove {}", build.display())))?;
    Ok(path)
}

fn cache() -> Result<PathBuf> {
    let given = env::var_os("XDG_CACHE_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let base = given.or_else(|| Some(env::home_dir()?.join(".cache")));
    Ok(base.context("neither XDG_CACHE_HOME nor a home folder is known")?.join("dogwatch"))
}

fn today() -> Result<String> {
    let output = program("date").arg("+%Y-%m-%d").output().context("run date")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The rules.
fn rules() -> PathBuf {
    root().join("deny.toml")
}

/// The exceptions of the rules without a reason, or whose day has come.
fn expired(rules: &str, today: &str) -> Vec<String> {
    let year_ahead = today
        .split_once('-')
        .and_then(|(year, rest)| Some(format!("{}-{rest}", year.parse::<u32>().ok()? + 1)));
    let lines =
        rules.lines().map(str::trim).filter(|line| line.starts_with('{') || line.starts_with("\"RUSTSEC-"));
    let holds = |line: &&str| {
        let until = line.rsplit_once("until ").and_then(|(_, rest)| rest.get(..10)).filter(|day| is_day(day));
        until.is_some_and(|day| day > today && year_ahead.as_deref().is_some_and(|latest| day <= latest))
    };
    lines.filter(|line| !holds(line)).map(str::to_owned).collect()
}

fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    parts.iter().map(|part| part.len()).eq([4, 2, 2]) && parts.iter().all(is_number)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn r_sup_1_an_exception_ends_on_its_day() {
        let rule = |until: &str| format!("  {{ crate = \"a@1.0.0\", reason = \"b; until {until}\" }},\n");
        let holds = |until: &str| expired(&rule(until), "2026-11-24").is_empty();
        assert!(holds("2026-11-25") && holds("2027-11-24"));
        assert!(!holds("2026-11-24") && !holds("2027-11-25") && !holds("some day") && !holds("2027-1-1"));
        assert_eq!(expired("  { crate = \"a@1.0.0\" },\n", "2026-11-24").len(), 1, "without a reason");
        assert_eq!(expired("  \"RUSTSEC-2026-0001\",\n", "2026-11-24").len(), 1, "without a reason");
    }

    /// Each in a workspace of its own, with the rules of this one.
    #[test]
    fn r_sup_1_a_licence_that_is_not_allowed_and_a_duplicate_fail() {
        let tool = tool().expect("cargo-deny");
        let check = |what: &str, files: &[(&str, &str)], words: &str| {
            let folder = env::temp_dir().join(format!("dogwatch-deny-{}-{what}", std::process::id()));
            for (name, text) in files {
                let file = folder.join(name);
                fs::create_dir_all(file.parent().expect("a folder")).expect("made");
                fs::write(file, text).expect("written");
            }
            let mut check = Command::new(&tool);
            check.current_dir(&folder).args(["--offline", "--config"]).arg(rules());
            let output = check.args(["check", what]).output().expect("it runs");
            fs::remove_dir_all(&folder).expect("removed");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success() && said.contains(words), "{what}: {said}");
        };
        let package = |name: &str, more: &str| {
            format!(
                "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n{more}"
            )
        };
        let main = package("main", "license = \"MIT\"\n[dependencies]\nother = { path = \"other\" }\n");
        let strict = package("other", "license = \"GPL-3.0-only\"\n");
        let files = [
            ("Cargo.toml", &*main),
            ("src/lib.rs", ""),
            ("other/Cargo.toml", &*strict),
            ("other/src/lib.rs", ""),
        ];
        check("licenses", &files, "GPL-3.0");
        let main = package(
            "main",
            "license = \"MIT\"\n[dependencies]\none = { path = \"one\", package = \"a\" }\ntwo = { path = \"two\", package = \"a\" }\n",
        );
        let (one, two) = (package("a", ""), package("a", "").replace("0.1.0", "0.2.0"));
        let files = [
            ("Cargo.toml", &*main),
            ("src/lib.rs", ""),
            ("one/Cargo.toml", &*one),
            ("one/src/lib.rs", ""),
            ("two/Cargo.toml", &*two),
            ("two/src/lib.rs", ""),
        ];
        check("bans", &files, "duplicate");
    }

    #[test]
    fn r_sup_1_every_dependency_comes_from_crates_io_and_is_locked_with_its_hash() {
        let lock = fs::read_to_string(root().join("Cargo.lock")).expect("the lock file");
        for package in lock.split("[[package]]").skip(1) {
            let source = package.lines().find_map(|line| line.strip_prefix("source = "));
            let Some(source) = source else { continue };
            assert_eq!(source, "\"registry+https://github.com/rust-lang/crates.io-index\"", "{package}");
            assert!(package.contains("checksum = "), "{package}");
        }
    }
}
