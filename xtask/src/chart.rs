//! `cargo xtask chart`: writes what the chart has from the gateway's own code.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::build::gateway_path;
use crate::commands::{cargo, program, root, say, succeed};

pub(crate) fn write() -> Result<()> {
    succeed(cargo("build").args(["--package=gateway", "--bin=dogwatch"]))?;
    let printed = program(gateway_path(false)).args(["rbac", "--pieces"]).output().context("run dogwatch")?;
    ensure!(printed.status.success(), "dogwatch rbac failed");
    let path = root().join("deploy/chart/files/rbac.yaml");
    fs::write(&path, printed.stdout).with_context(|| format!("write {}", path.display()))?;
    say(&format!("wrote {}", path.display()));
    Ok(())
}
