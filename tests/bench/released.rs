//! `cargo xtask release --try FOLDER --key PUB`: installs each part of a release from nothing but its folder, as
//! docs/INSTALL.md says it, and prints what was seen of each. Ends with an error if one doesn't work.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use testkit::pod::Image;
use testkit::released::container::{self, Container};
use testkit::released::{Released, chart, package, program};

#[tokio::main]
async fn main() -> Result<()> {
    let folder = std::env::args().nth(1).context("run `cargo xtask release --try FOLDER --key PUB`")?;
    let released = Released::open(Path::new(&folder))?;
    let mut failed = 0;
    let mut report = |what: &str, began: Instant, ended: Result<String>| {
        let (word, said) = match ended {
            Ok(said) => ("ok", said),
            Err(error) => ("FAILED", format!("{error:#}")),
        };
        failed += usize::from(word != "ok");
        println!("{:>8.1} s  {word:6}  {what}: {said}", began.elapsed().as_secs_f64());
    };
    let began = Instant::now();
    let binary = program::unpack(&released)?;
    report(
        "the program",
        began,
        program::works(&released, &binary).await.and_then(|said| is_of(said, &released)),
    );
    let began = Instant::now();
    let unpacked = Container::unpack(&released)?;
    report("the image", began, container::works(&released, &unpacked).await);
    let began = Instant::now();
    report("the chart", began, chart::works(&released, Image::Unpacked(unpacked.root())).await);
    let began = Instant::now();
    report("the npm package", began, package::works(&released, &binary).await);
    ensure!(failed == 0, "{failed} of 4 failed");
    Ok(())
}

/// A release build of the commit that the provenance names.
fn is_of(said: String, released: &Released) -> Result<String> {
    let commit: String = released.commit()?.chars().take(12).collect();
    ensure!(said.contains(&format!("(commit {commit}, release)")), "{said}, and not of {commit}");
    Ok(said)
}
