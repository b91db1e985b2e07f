//! What `cargo xtask release --try` does, with a folder that is written here of what the tests have: of the program as the
//! tests run it, and without an image, which holds a static one.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ring::signature::{Ed25519KeyPair, KeyPair};
use testkit::dogwatch::binary;
use testkit::examples;
use testkit::pod::Image;
use testkit::released::{Released, chart, package, program};
use xtask_release::{Parts, write};

/// A secret key as `minisign -G -W` writes one.
fn key() -> Result<String> {
    let seed = [7; 32];
    let pair = Ed25519KeyPair::from_seed_unchecked(&seed).ok().context("a key")?;
    let bytes = [b"Ed\0\0B2".as_slice(), &[0; 48], &[7; 8], &seed, pair.public_key().as_ref(), &[0; 32]];
    Ok(format!("untrusted comment: a key\n{}\n", BASE64_STANDARD.encode(bytes.concat())))
}

/// Completions and manual pages, as `cargo xtask release` has them written.
fn describe(binary: &Path, manual: &Path, completions: &Path) -> Result<()> {
    ensure!(Command::new(binary).arg("manual").arg(manual).status()?.success(), "no manual pages");
    fs::create_dir(completions)?;
    let printed = Command::new(binary).args(["completion", "bash"]).output()?;
    Ok(fs::write(completions.join("dogwatch.bash"), printed.stdout)?)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_is_installed_from_its_folder_alone_and_shows_rows() -> Result<()> {
    let home = tempfile::tempdir()?;
    let at = |name: &str| home.path().join(name);
    fs::write(at("key"), key()?)?;
    describe(&binary(), &at("man"), &at("completions"))?;
    for folder in ["image", "components"] {
        fs::create_dir(at(folder))?;
    }
    for list in ["dogwatch", "page"] {
        fs::write(at("components").join(format!("{list}.cdx.json")), "{}")?;
    }
    let parts = Parts {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: "0123456789abcdef0123456789abcdef01234567".to_owned(),
        key: at("key"),
        source: Path::new(env!("CARGO_MANIFEST_DIR")).join(".."),
        amd64: binary(),
        arm64: binary(),
        manual: at("man"),
        completions: at("completions"),
        image: at("image"),
        element: examples::package()?,
        components: at("components"),
    };
    write(&at("release"), &parts)?;
    let released = Released::open(&at("release"))?;
    ensure!(released.commit()? == parts.commit, "it is of {}", released.commit()?);
    ensure!(released.version() == parts.version, "it is of {}", released.version());
    let unpacked = program::unpack(&released)?;
    let seen = program::works(&released, &unpacked).await?;
    ensure!(seen.contains(if cfg!(debug_assertions) { ", debug)" } else { ", release)" }), "{seen}");
    chart::works(&released, Image::Binary(&unpacked)).await?;
    package::works(&released, &unpacked).await.map(drop)
}
