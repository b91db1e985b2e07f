//! The programs in Go that read a cluster as others do (`tests/clients/go`): one binary below cargo's target folder, built
//! again where its sources changed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::binaries::{Binaries, lock};
use crate::module::{NO_GO, go, try_again};

impl Binaries {
    /// `target`: cargo's.
    pub fn ensure_clients(target: &Path) -> Result<PathBuf> {
        let module = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("clients").join("go");
        let folder = target.join("clients");
        fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
        let _lock = lock(&folder.join("lock"))?;
        let (binary, built_from) = (folder.join("clients"), folder.join("sources"));
        let sources = sources(&module)?;
        if binary.is_file() && fs::read_to_string(&built_from).is_ok_and(|built| built == sources) {
            return Ok(binary);
        }
        eprintln!("building {} from Go modules (a minute without a cache)", binary.display());
        // A program that runs keeps the file that it was started from.
        let unfinished = folder.join("unfinished");
        try_again(|| {
            let mut build = go(&module);
            build.args(["build", "-trimpath", "-ldflags", "-s -w", "-o"]).arg(&unfinished).arg(".");
            let status = build.status().context(NO_GO)?;
            ensure!(status.success(), "go build of {} failed ({status})", module.display());
            Ok(())
        })?;
        fs::rename(&unfinished, &binary).with_context(|| format!("put {} in place", binary.display()))?;
        fs::write(&built_from, sources).with_context(|| format!("write {}", built_from.display()))?;
        Ok(binary)
    }
}

/// The text of all its files.
fn sources(module: &Path) -> Result<String> {
    let entries = fs::read_dir(module).with_context(|| format!("read {}", module.display()))?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    files
        .iter()
        .map(|file| fs::read_to_string(file).with_context(|| format!("read {}", file.display())))
        .collect()
}
