//! `cargo xtask kube`: a real control plane for use by hand and by scripts.

use std::path::PathBuf;

use anyhow::Result;
use cluster::{Fleet, Standing, Version};

use crate::commands::{say, target};

pub(crate) fn up(
    version: Option<&str>,
    dir: Option<PathBuf>,
    port: Option<u16>,
    speed: Option<u32>,
) -> Result<()> {
    let version = version.map(Version::parse).transpose()?;
    let fleet = speed.map(|speed| Fleet { speed, ..Fleet::default() });
    let standing = Standing::up(&folder(dir), version, port, fleet)?;
    say(&format!("{} is ready; end it with: cargo xtask kube down", standing.server()));
    say("use it with: export KUBECONFIG=$(cargo xtask kube up)");
    if standing.fleet().is_some() {
        say("its fleet lives; take a node away (and back: answers) with:");
        say("kubectl label --overwrite node eu1-c-06 fleet.dogwatch.dev/kubelet=silent");
    }
    // For scripts: nothing else is printed on stdout.
    println!("{}", standing.kubeconfig().display());
    Ok(())
}

pub(crate) fn down(dir: Option<PathBuf>) -> Result<()> {
    let folder = folder(dir);
    match Standing::down(&folder)?.as_slice() {
        [] => say(&format!("nothing of {} was running", folder.display())),
        ended => say(&format!("ended {}; the data stays in {}", ended.join(", "), folder.display())),
    }
    Ok(())
}

fn folder(dir: Option<PathBuf>) -> PathBuf {
    dir.unwrap_or_else(|| target().join("kube"))
}
