//! `SHA256SUMS`, as `sha256sum --check` reads it.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

/// Hashes in hexadecimal by the names of files.
pub(crate) type Sums = BTreeMap<String, String>;

pub(crate) fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn to_text(sums: &Sums) -> String {
    sums.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect()
}

pub(crate) fn read(text: &str) -> Result<Sums> {
    let mut sums = Sums::new();
    for line in text.lines() {
        let (sum, name) = line.split_once("  ").with_context(|| format!("{line:?} is no hash and name"))?;
        let is_sum = sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
        ensure!(is_sum, "{sum:?} is no SHA-256");
        let is_name = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\']);
        ensure!(is_name, "{name:?} is no name of a file");
        ensure!(sums.insert(name.to_owned(), sum.to_lowercase()).is_none(), "{name} is there twice");
    }
    Ok(sums)
}
