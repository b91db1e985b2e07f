//! docs/CLIENT-PROGRAMS.md shows the programs that these tests run, word for word. `DOGWATCH_BLESS=1` writes them there.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use testkit::clients::folder;

const DOCUMENT: &str = "docs/CLIENT-PROGRAMS.md";
/// What isn't a way to read: how lines are printed, and what only the tests need.
const NOT_SHOWN: [&str; 4] = ["main.go", "held.go", "many.go", "saw.py"];

/// What of a program stands in the document, without its imports, and the name of its language there.
fn shown<'a>(path: &str, text: &'a str) -> Result<(&'static str, &'a str)> {
    let after = |mark: &str| text.split_once(mark).map(|(_, rest)| rest).context(mark.to_owned());
    let shown = match path.rsplit('.').next() {
        Some("go") => ("go", after("\n)\n\n")?),
        Some("py") => ("python", after("\"\"\"\n")?),
        Some("rs") => (
            "rust",
            after("\n\n/// ").and_then(|rest| rest.split_once('\n').map(|(_, code)| code).context("code"))?,
        ),
        Some("sh") => ("sh", after("#!/bin/sh\n")?),
        _ => anyhow::bail!("what is {path}?"),
    };
    Ok(shown)
}

/// The document with the programs behind their marks, whatever stands there now.
fn written(root: &Path, document: &str) -> Result<String> {
    let mut parts = document.split("<!-- ");
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (path, rest) = part.split_once(" -->\n").context("a mark ends")?;
        let program = fs::read_to_string(root.join(path)).context(path.to_owned())?;
        let (language, code) = shown(path, &program)?;
        let rest = match rest.strip_prefix("```") {
            Some(former) => former.split_once("\n```\n").context("a block ends")?.1,
            None => rest,
        };
        written += &format!("<!-- {path} -->\n```{language}\n{code}```\n{rest}");
    }
    Ok(written)
}

#[test]
fn the_document_shows_the_programs_that_run_here() -> Result<()> {
    let root = folder().ancestors().nth(2).context("a root")?.to_owned();
    let document = fs::read_to_string(root.join(DOCUMENT))?;
    let written = written(&root, &document)?;
    if std::env::var_os("DOGWATCH_BLESS").is_some() {
        fs::write(root.join(DOCUMENT), &written)?;
    }
    ensure!(document == written, "{DOCUMENT} shows other programs; DOGWATCH_BLESS=1 writes it anew");
    let programs = ["go", "python"].map(|language| fs::read_dir(folder().join(language)));
    for entry in programs.into_iter().flatten().flatten() {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let is_program = [".go", ".py"].iter().any(|ending| name.ends_with(ending));
        let is_due = is_program && !NOT_SHOWN.contains(&&*name);
        ensure!(!is_due || document.contains(&format!("/{name} -->")), "{DOCUMENT} doesn't show {name}");
    }
    Ok(())
}
