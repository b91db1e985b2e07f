//! The files of the page under names that change with their content, so that a browser may keep
//! them for ever.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// What will stand in `dist/`, by path.
#[derive(Default)]
pub(crate) struct Assets {
    files: BTreeMap<String, Vec<u8>>,
}

impl Assets {
    /// Takes a file in and returns its hashed name, without a folder.
    pub(crate) fn add(&mut self, name: &str, content: Vec<u8>) -> Result<String> {
        let (stem, extension) = name
            .rsplit_once('.')
            .with_context(|| format!("{name} has no extension, so nobody knows its type"))?;
        let hashed = format!("{stem}-{}.{extension}", hash(&content));
        self.files.insert(format!("{FOLDER}/{hashed}"), content);
        Ok(hashed)
    }

    /// Takes a file of the clone in and returns its URL.
    pub(crate) fn add_file(&mut self, root: &Path, path: &str) -> Result<String> {
        let content = fs::read(root.join(path)).with_context(|| format!("read {path}"))?;
        let name = path.rsplit('/').next().unwrap_or(path);
        Ok(url(&self.add(name, content)?))
    }

    /// Under a name that stays: what others link to.
    pub(crate) fn named(&mut self, name: &str, content: String) {
        self.files.insert(name.to_owned(), content.into_bytes());
    }

    /// Makes `out` hold exactly these files, unless it does already.
    pub(crate) fn write(&self, out: &Path) -> Result<()> {
        let held = self
            .files
            .iter()
            .all(|(path, content)| fs::read(out.join(path)).is_ok_and(|held| held == *content));
        if held && count(out) == self.files.len() {
            return Ok(());
        }
        if out.exists() {
            fs::remove_dir_all(out).with_context(|| format!("empty {}", out.display()))?;
        }
        fs::create_dir_all(out.join(FOLDER)).with_context(|| format!("create {}", out.display()))?;
        for (path, content) in &self.files {
            let path = out.join(path);
            fs::write(&path, content).with_context(|| format!("write {}", path.display()))?;
        }
        Ok(())
    }

    /// The wasm and JavaScript files with their hashed names.
    pub(crate) fn program(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let named = self.files.iter().filter_map(|(path, content)| {
            Some((path.strip_prefix(FOLDER)?.strip_prefix('/')?, content.as_slice()))
        });
        named.filter(|(name, _)| name.ends_with(".wasm") || name.ends_with(".js"))
    }

    /// The content of a file by its path.
    pub(crate) fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    pub(crate) fn summary(&self, out: &Path) -> String {
        let mut summary = format!("{}:", out.display());
        for (path, content) in &self.files {
            let kib = content.len().div_ceil(1024);
            let _ = write!(summary, "\n  {kib:>6} KiB  {path}");
        }
        summary
    }
}

pub(crate) fn url(name: &str) -> String {
    format!("/{FOLDER}/{name}")
}

/// What a name changes with.
fn hash(content: &[u8]) -> String {
    Sha256::digest(content).iter().take(HASH_BYTES).fold(String::new(), |mut hash, byte| {
        let _ = write!(hash, "{byte:02x}");
        hash
    })
}

fn count(out: &Path) -> usize {
    let entries = |folder: &Path| fs::read_dir(folder).map_or(0, Iterator::count);
    // `assets` itself is an entry of the first.
    (entries(out) + entries(&out.join(FOLDER))).saturating_sub(1)
}

pub(crate) const FOLDER: &str = "assets";

/// 40 bits: enough to tell the builds of one file apart.
const HASH_BYTES: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_changes_with_the_content_alone() {
        let mut assets = Assets::default();
        let first = assets.add("a.css", b"one".to_vec()).unwrap();
        assert_eq!(assets.add("a.css", b"one".to_vec()).unwrap(), first);
        assert_ne!(assets.add("a.css", b"two".to_vec()).unwrap(), first);
        assert!(assets.add("noextension", Vec::new()).is_err());
    }

    #[test]
    fn a_folder_that_holds_the_same_is_not_touched() {
        let out = tempfile::tempdir().unwrap();
        let mut assets = Assets::default();
        assets.add("a.css", b"one".to_vec()).unwrap();
        assets.named("index.html", "page".to_owned());
        assets.write(out.path()).unwrap();
        let written = || fs::metadata(out.path().join("index.html")).unwrap().modified().unwrap();
        let before = written();
        assets.write(out.path()).unwrap();
        assert_eq!(written(), before);
        fs::write(out.path().join("assets/stale.css"), "").unwrap();
        assets.write(out.path()).unwrap();
        assert!(!out.path().join("assets/stale.css").exists());
    }
}
