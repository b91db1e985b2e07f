//! Writes the folder of a release.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::archive::Files;
use crate::artifact::{ALL, Architecture, Artifact, SIGNATURE, SUMS};
use crate::signature::Signer;
use crate::sums::{Sums, sum, to_text};
use crate::{notes, provenance};

/// What a release is made of.
#[derive(Clone, Debug, Args)]
pub struct Parts {
    #[arg(long)]
    pub version: String,
    /// The commit that all of it was built from
    #[arg(long)]
    pub commit: String,
    /// A file of `minisign -G -W`
    #[arg(long)]
    pub key: PathBuf,
    /// The source
    #[arg(long)]
    pub source: PathBuf,
    /// The static programs
    #[arg(long)]
    pub amd64: PathBuf,
    #[arg(long)]
    pub arm64: PathBuf,
    /// A folder of manual pages, and one of completions
    #[arg(long)]
    pub manual: PathBuf,
    #[arg(long)]
    pub completions: PathBuf,
    /// An OCI layout
    #[arg(long)]
    pub image: PathBuf,
    /// The npm package
    #[arg(long)]
    pub element: PathBuf,
    /// The lists of components
    #[arg(long)]
    pub components: PathBuf,
}

/// Makes the folder, which mustn't be there. Returns what it did, in one sentence.
///
/// # Errors
/// A part can't be read, or the folder can't be written.
pub fn write(folder: &Path, parts: &Parts) -> Result<String> {
    ensure!(!folder.exists(), "{} is there already; name a folder that isn't", folder.display());
    let key = fs::read_to_string(&parts.key).with_context(|| format!("read {}", parts.key.display()))?;
    let signer = Signer::read(&key).with_context(|| format!("{}", parts.key.display()))?;
    let mut built = Sums::new();
    let mut files = Vec::new();
    for artifact in ALL.into_iter().filter(|artifact| *artifact != Artifact::Provenance) {
        let name = artifact.file_name(&parts.version);
        let bytes = parts.artifact(artifact).with_context(|| format!("make {name}"))?;
        built.insert(name.clone(), sum(&bytes));
        files.push((name, bytes));
    }
    let lock = sum(&read(&parts.source.join("Cargo.lock"))?);
    let provenance = provenance::statement(&built, &parts.version, &parts.commit, &lock).into_bytes();
    let mut sums = built;
    let name = Artifact::Provenance.file_name(&parts.version);
    sums.insert(name.clone(), sum(&provenance));
    files.push((name, provenance));
    let sums = to_text(&sums);
    let signature = signer.sign(sums.as_bytes(), &format!("dogwatch {}", parts.version));
    files.extend([(SUMS.to_owned(), sums.into_bytes()), (SIGNATURE.to_owned(), signature.into_bytes())]);
    fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    for (name, bytes) in &files {
        fs::write(folder.join(name), bytes).with_context(|| format!("write {name}"))?;
    }
    Ok(format!("wrote {}: {} files of dogwatch {}", folder.display(), files.len(), parts.version))
}

impl Parts {
    fn artifact(&self, artifact: Artifact) -> Result<Vec<u8>> {
        match artifact {
            Artifact::Program(architecture) => self.program(architecture),
            Artifact::Image => folder("", &self.image)?.tar(),
            Artifact::Chart => {
                let mut files = folder("dogwatch", &self.source.join("deploy/chart"))?;
                files.0.retain(|path, _| !path.ends_with("/.helmignore"));
                let readme = files.0.get_mut("dogwatch/README.md").context("the chart has a page")?;
                readme.bytes =
                    notes::of_chart(&String::from_utf8_lossy(&readme.bytes), &self.commit).into_bytes();
                files.tar_gz()
            }
            Artifact::Element => folder("package", &self.element)?.tar_gz(),
            Artifact::Components(of) => read(&self.components.join(format!("{of}.cdx.json"))),
            Artifact::Notes => {
                let changelog = fs::read_to_string(self.source.join("CHANGELOG.md"))?;
                Ok(notes::of(&changelog, &self.version, &self.commit)?.into_bytes())
            }
            Artifact::Provenance => anyhow::bail!("it speaks of the others"),
        }
    }

    fn program(&self, architecture: Architecture) -> Result<Vec<u8>> {
        let program = match architecture {
            Architecture::Amd64 => &self.amd64,
            Architecture::Arm64 => &self.arm64,
        };
        let root = architecture.folder(&self.version);
        let mut files = Files::default();
        files.add_program(format!("{root}/dogwatch"), read(program)?);
        files.add(format!("{root}/LICENSE"), read(&self.source.join("LICENSE"))?);
        files.add_folder(&format!("{root}/man"), &self.manual)?;
        files.add_folder(&format!("{root}/completions"), &self.completions)?;
        files.tar_gz()
    }
}

fn folder(path: &str, folder: &Path) -> Result<Files> {
    let mut files = Files::default();
    files.add_folder(path, folder)?;
    Ok(files)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("read {}", path.display()))
}
