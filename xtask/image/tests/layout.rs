//! The image as others read it, by skopeo and umoci. Its binary is here the program that writes it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use serde_json::Value;

fn run(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).output().with_context(|| program.to_owned())?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{program} {}: {complaint}", arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?)
}

fn written(folder: &Path, name: &str) -> Result<PathBuf> {
    let image = folder.join(name);
    // As `cargo xtask image` calls it in a release. The architecture is what it is told.
    let mut write = Command::new(WRITER);
    write.arg(&image).args([VERSION, &format!("amd64={WRITER}")]).env("DOGWATCH_COMMIT", COMMIT);
    ensure!(write.status()?.success(), "the image can't be written");
    Ok(image)
}

/// Below a folder, with the folders.
fn files(folder: &Path, found: &mut BTreeSet<String>, root: &Path) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        found.insert(path.strip_prefix(root)?.to_string_lossy().into_owned());
        if path.is_dir() && !path.is_symlink() {
            files(&path, found, root)?;
        }
    }
    Ok(())
}

const WRITER: &str = env!("CARGO_BIN_EXE_xtask-image");
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn an_image_is_the_binary_and_public_certificates_for_a_user_who_is_nobody() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let image = written(folder.path(), "image")?;
    let name = format!("oci:{}:{VERSION}", image.display());
    let amd64 = ["--override-arch", "amd64"];
    let inspected: Value =
        serde_json::from_str(&run("skopeo", &[&amd64[..], &["inspect", &name]].concat())?)?;
    for (label, text) in [
        ("title", "Dogwatch"),
        ("licenses", "Apache-2.0"),
        ("version", VERSION),
        ("source", "https://"),
        ("revision", COMMIT),
    ] {
        let label = &inspected["Labels"][format!("org.opencontainers.image.{label}")];
        ensure!(label.as_str().is_some_and(|found| found.contains(text)), "{label}");
    }
    let config: Value =
        serde_json::from_str(&run("skopeo", &[&amd64[..], &["inspect", "--config", &name]].concat())?)?;
    let config = &config["config"];
    ensure!(config["User"] == "65532:65532" && config["Entrypoint"][0] == "/dogwatch", "{config}");

    let architecture = inspected["Architecture"].as_str().context("an architecture")?;
    let one = format!("{}:{VERSION}-{architecture}", image.display());
    let bundle = folder.path().join("bundle");
    run("umoci", &["unpack", "--rootless", "--image", &one, &bundle.to_string_lossy()])?;
    let (root, mut found) = (bundle.join("rootfs"), BTreeSet::new());
    files(&root, &mut found, &root)?;
    let expected = ["dogwatch", "etc", "etc/ssl", "etc/ssl/certs", "etc/ssl/certs/ca-certificates.crt"];
    ensure!(found.iter().eq(expected), "{found:?}");
    ensure!(std::fs::read(root.join("dogwatch"))? == std::fs::read(WRITER)?, "another binary");
    let (mut roots, text) = (RootCertStore::empty(), std::fs::read(root.join(expected[4]))?);
    for certificate in CertificateDer::pem_slice_iter(&text) {
        roots.add(certificate?)?;
    }
    ensure!(roots.len() > 100, "{} certificates", roots.len());
    Ok(())
}

/// R-SUP-3
#[test]
fn the_same_binary_makes_the_same_image_wherever_it_is_written() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let [one, other] = [written(folder.path(), "one")?, written(folder.path(), "another-one")?];
    let (mut names, mut others) = (BTreeSet::new(), BTreeSet::new());
    files(&one, &mut names, &one)?;
    files(&other, &mut others, &other)?;
    // Blobs are called by their digests.
    ensure!(names == others, "{names:?}\n{others:?}");
    let index = |image: &Path| std::fs::read(image.join("index.json"));
    ensure!(index(&one)? == index(&other)?, "two indexes");
    Ok(())
}
