//! Whether an artifact is what its name says. A hash tells that it is what was signed; this tells that what was signed
//! was right.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::archive::Files;
use crate::artifact::{Architecture, Artifact};
use crate::json::field;
use crate::sums::sum;

pub(crate) fn check(artifact: Artifact, bytes: &[u8], version: &str) -> Result<()> {
    match artifact {
        Artifact::Program(architecture) => program(&Files::of_tar_gz(bytes)?, architecture, version),
        Artifact::Image => image(&Files::of_tar(bytes)?, version),
        Artifact::Chart => chart(&Files::of_tar_gz(bytes)?, version),
        Artifact::Element => {
            let package = Files::of_tar_gz(bytes)?;
            let manifest: Value = serde_json::from_slice(&package.get("package/package.json")?.bytes)?;
            ensure!(
                field(&manifest, "version") == version,
                "it is of version {}",
                field(&manifest, "version")
            );
            package.get("package/program.js").map(drop)
        }
        Artifact::Components(_) => components(&serde_json::from_slice(bytes)?, version),
        Artifact::Notes => {
            let title = format!("# Dogwatch {version}\n");
            ensure!(bytes.starts_with(title.as_bytes()), "they are of another version");
            Ok(())
        }
        // It speaks of all the others, and is looked at when they are known.
        Artifact::Provenance => Ok(()),
    }
}

fn program(files: &Files, architecture: Architecture, version: &str) -> Result<()> {
    let root = architecture.folder(version);
    ensure!(files.0.keys().all(|path| path.starts_with(&format!("{root}/"))), "a file is beside {root}");
    let program = files.get(&format!("{root}/dogwatch"))?;
    ensure!(program.is_program, "dogwatch may not be run");
    elf(&program.bytes, architecture).context("dogwatch")?;
    for path in ["LICENSE", "man/dogwatch.1", "completions/dogwatch.bash"] {
        files.get(&format!("{root}/{path}"))?;
    }
    Ok(())
}

/// A program of the architecture that needs no library: by the ELF specification it names no interpreter.
fn elf(bytes: &[u8], architecture: Architecture) -> Result<()> {
    const IS_ELF_64_LITTLE: [u8; 6] = [0x7f, b'E', b'L', b'F', 2, 1];
    const INTERPRETER: u32 = 3;
    ensure!(bytes.starts_with(&IS_ELF_64_LITTLE), "it is no program of Linux");
    let number = |at: usize, size: usize| {
        let bytes = bytes.get(at..at + size).context("it ends early")?;
        anyhow::Ok(bytes.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)))
    };
    ensure!(number(18, 2)? == u64::from(architecture.machine()), "it is of another architecture");
    let (start, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    for header in 0..count {
        let kind = number(usize::try_from(start + header * size)?, 4)?;
        ensure!(kind != u64::from(INTERPRETER), "it isn't static");
    }
    Ok(())
}

/// Each blob has the hash that is its name, and there is an image of each architecture.
fn image(files: &Files, version: &str) -> Result<()> {
    const BLOBS: &str = "blobs/sha256/";
    files.get("oci-layout")?;
    for (path, file) in &files.0 {
        let Some(name) = path.strip_prefix(BLOBS) else { continue };
        ensure!(sum(&file.bytes) == name, "{path} isn't what its name says");
    }
    let index: Value = serde_json::from_slice(&files.get("index.json")?.bytes)?;
    let blob = |descriptor: &Value| {
        let digest = field(descriptor, "digest").as_str().and_then(|digest| digest.strip_prefix("sha256:"));
        let name = digest.context("a descriptor without a digest")?;
        anyhow::Ok(serde_json::from_slice::<Value>(&files.get(&format!("{BLOBS}{name}"))?.bytes)?)
    };
    let named = field(&index, "manifests").as_array().context("no manifests")?.iter().find(|descriptor| {
        descriptor
            .pointer("/annotations/org.opencontainers.image.ref.name")
            .is_some_and(|name| name == version)
    });
    let all = blob(named.with_context(|| format!("no image is called {version}"))?)?;
    let mut architectures = BTreeSet::new();
    for descriptor in field(&all, "manifests").as_array().context("no images")? {
        let manifest = blob(descriptor)?;
        let configuration = blob(field(&manifest, "config"))?;
        architectures.extend(field(&configuration, "architecture").as_str().map(str::to_owned));
        for layer in field(&manifest, "layers").as_array().context("no layers")? {
            let digest = field(layer, "digest").as_str().unwrap_or_default();
            files.get(&format!("{BLOBS}{}", digest.trim_start_matches("sha256:")))?;
        }
    }
    let expected = Architecture::ALL.map(|architecture| architecture.name().to_owned());
    ensure!(architectures == BTreeSet::from(expected), "it is of {architectures:?}");
    Ok(())
}

fn chart(files: &Files, version: &str) -> Result<()> {
    let about = String::from_utf8_lossy(&files.get("dogwatch/Chart.yaml")?.bytes).into_owned();
    for key in ["version", "appVersion"] {
        let value = about.lines().find_map(|line| line.strip_prefix(&format!("{key}: ")));
        let value = value.map(|value| value.trim().trim_matches('"'));
        ensure!(value == Some(version), "its {key} is {value:?}");
    }
    files.get("dogwatch/values.yaml").map(drop)
}

fn components(list: &Value, version: &str) -> Result<()> {
    ensure!(field(list, "bomFormat") == "CycloneDX", "it is no list of components");
    let of = list.pointer("/metadata/component/version");
    ensure!(of.is_some_and(|of| of == version), "it is of version {of:?}");
    ensure!(
        field(list, "components").as_array().is_some_and(|components| !components.is_empty()),
        "it is empty"
    );
    Ok(())
}
