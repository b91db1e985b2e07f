//! The program from its archive: its version, what completes its command line, and its demo.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::{Released, architecture, said};
use crate::browser::Look;
use crate::dogwatch::{Dogwatch, Home};
use crate::page;

/// Unpacks the archive; returns the program.
pub fn unpack(released: &Released) -> Result<PathBuf> {
    let name = format!("dogwatch-{}-linux-{}", released.version, architecture());
    let folder = released.empty("program")?;
    let archive = released.file(&format!("{name}.tar.gz"));
    said("tar", &["-xzf", &archive.to_string_lossy()], &folder)?;
    Ok(folder.join(name).join("dogwatch"))
}

/// Returns what was seen.
pub async fn works(released: &Released, binary: &Path) -> Result<String> {
    let folder = binary.parent().context("a folder")?;
    let version = said(binary, &["--version"], folder)?;
    ensure!(version.starts_with(&format!("dogwatch {} (commit ", released.version)), "{version}");
    said("bash", &["-n", "completions/dogwatch.bash"], folder)?;
    for manual in ["man/dogwatch.1", "man/dogwatch-serve.1"] {
        ensure!(folder.join(manual).is_file(), "{manual} is missing");
    }
    Ok(format!("{}; {}", version.trim(), shows_its_demo(&Home::of_release(binary)?).await?))
}

/// A demo whose printed link opens live rows, and whose rows `tail` prints.
pub(super) async fn shows_its_demo(home: &Home) -> Result<String> {
    let dogwatch = home.serve(&["--demo", "--listen", "127.0.0.1:0"])?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    browser.until("a live page", "shown('.pill').includes('Live') && rows().length > 10").await?;
    browser.close().await?;
    let rows = rows(&dogwatch, "pods")?;
    ensure!(rows > 10, "{rows} rows of pods");
    Ok(format!("its demo is live in a browser, and `tail` prints {rows} pods"))
}

fn rows(dogwatch: &Dogwatch, kind: &str) -> Result<usize> {
    let output = dogwatch.tail(&[kind, "-A", "--once"])?;
    let (printed, complaint) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "dogwatch tail failed: {complaint}");
    ensure!(printed.starts_with("NAMESPACE"), "dogwatch tail printed {printed}");
    Ok(printed.lines().count() - 1)
}
