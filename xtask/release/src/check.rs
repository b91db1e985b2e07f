//! Checks a release by nothing but its folder and the public key.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::artifact::{ALL, Artifact, SIGNATURE, SUMS};
use crate::sums::{Sums, sum};
use crate::{contents, provenance, signature, sums};

/// Returns what it is, in one sentence.
///
/// # Errors
/// It isn't what the owner of the key has signed, or it isn't whole.
pub fn check(folder: &Path, key: &Path) -> Result<String> {
    let text = |name: &str| fs::read_to_string(folder.join(name)).with_context(|| format!("read {name}"));
    let public_key = fs::read_to_string(key).with_context(|| format!("read {}", key.display()))?;
    // Before anything else: what isn't signed isn't looked at.
    let signed = text(SUMS)?;
    let comment = signature::verify(signed.as_bytes(), &text(SIGNATURE)?, &public_key).context(SIGNATURE)?;
    let version = comment.strip_prefix("dogwatch ").context("the signature is of something else")?;
    let sums = sums::read(&signed).context(SUMS)?;
    let expected: Vec<String> = ALL.iter().map(|artifact| artifact.file_name(version)).collect();
    for name in &expected {
        ensure!(sums.contains_key(name), "{SUMS} doesn't name {name}");
    }
    for name in sums.keys() {
        ensure!(expected.contains(name), "{SUMS} names {name}, which is no part of {version}");
    }
    only_known(folder, &sums)?;
    let mut built = sums.clone();
    for artifact in ALL {
        let name = artifact.file_name(version);
        let bytes = fs::read(folder.join(&name)).with_context(|| format!("read {name}"))?;
        ensure!(sums.get(&name) == Some(&sum(&bytes)), "{name} isn't the file that was signed");
        if artifact == Artifact::Provenance {
            built.remove(&name);
        }
        contents::check(artifact, &bytes, version).with_context(|| name)?;
    }
    let provenance = Artifact::Provenance.file_name(version);
    let commit = provenance::check(&text(&provenance)?, &built, version).context(provenance)?;
    Ok(format!("dogwatch {version} of commit {commit}: {} files are as they were signed", sums.len()))
}

/// Neither another file nor a link.
fn only_known(folder: &Path, sums: &Sums) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        ensure!(entry.file_type()?.is_file(), "{name} is no file");
        let is_known = sums.contains_key(&name) || [SUMS, SIGNATURE].contains(&&*name);
        ensure!(is_known, "{name} is no part of the release");
    }
    Ok(())
}
