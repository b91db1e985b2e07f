//! Archives whose entries have neither a time nor an owner of this machine, in the order of their names.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use tar::{Archive, Builder, EntryType, Header};

/// The files of an archive by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Files(pub(crate) BTreeMap<String, File>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_program: bool,
}

impl Files {
    pub(crate) fn add(&mut self, path: String, bytes: Vec<u8>) {
        self.0.insert(path, File { bytes, is_program: false });
    }

    pub(crate) fn add_program(&mut self, path: String, bytes: Vec<u8>) {
        self.0.insert(path, File { bytes, is_program: true });
    }

    /// Adds all files below a folder, under a path.
    pub(crate) fn add_folder(&mut self, path: &str, folder: &Path) -> Result<()> {
        let entries = fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().into_string().ok().context("a name that isn't text")?;
            let path = if path.is_empty() { name } else { format!("{path}/{name}") };
            if entry.file_type()?.is_dir() {
                self.add_folder(&path, &entry.path())?;
            } else {
                let bytes =
                    fs::read(entry.path()).with_context(|| format!("read {}", entry.path().display()))?;
                self.add(path, bytes);
            }
        }
        Ok(())
    }

    pub(crate) fn get(&self, path: &str) -> Result<&File> {
        self.0.get(path).with_context(|| format!("{path} is missing"))
    }

    pub(crate) fn tar(&self) -> Result<Vec<u8>> {
        let mut archive = Builder::new(Vec::new());
        for (path, File { bytes, is_program }) in &self.0 {
            let mut header = Header::new_ustar();
            header.set_entry_type(EntryType::Regular);
            header.set_mode(if *is_program { 0o755 } else { 0o644 });
            header.set_size(bytes.len() as u64);
            header.set_mtime(0);
            header.set_uid(0);
            header.set_gid(0);
            archive.append_data(&mut header, path, &**bytes).with_context(|| format!("add {path}"))?;
        }
        archive.into_inner().context("end the archive")
    }

    /// Without a time or a name in its head.
    pub(crate) fn tar_gz(&self) -> Result<Vec<u8>> {
        let mut packed = GzBuilder::new().write(Vec::new(), Compression::best());
        packed.write_all(&self.tar()?)?;
        packed.finish().context("end the compression")
    }

    pub(crate) fn of_tar(bytes: impl Read) -> Result<Self> {
        let mut files = Self::default();
        for entry in Archive::new(bytes).entries()? {
            let mut entry = entry?;
            let path = entry.path()?.to_str().context("a path that isn't text")?.to_owned();
            ensure!(entry.header().entry_type() == EntryType::Regular, "{path} is no file");
            let is_plain = path.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
            ensure!(is_plain, "{path} leads out of the archive");
            let is_program = entry.header().mode()? & 0o111 != 0;
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            let again = files.0.insert(path.clone(), File { bytes, is_program });
            ensure!(again.is_none(), "{path} is there twice");
        }
        Ok(files)
    }

    pub(crate) fn of_tar_gz(bytes: &[u8]) -> Result<Self> {
        Self::of_tar(GzDecoder::new(bytes))
    }
}
