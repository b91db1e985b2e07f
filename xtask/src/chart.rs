//! `cargo xtask chart`: writes what the chart has from the gateway's own code, and the table of its values.

mod values;

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::build::gateway_path;
use crate::commands::{cargo, program, root, say, succeed};

pub(crate) fn write() -> Result<()> {
    save(values::TABLE, values::page()?.as_bytes())?;
    succeed(cargo("build").args(["--package=dogwatch"]))?;
    let printed = program(gateway_path(false)).args(["rbac", "--pieces"]).output().context("run dogwatch")?;
    ensure!(printed.status.success(), "dogwatch rbac failed");
    save("deploy/chart/files/rbac.yaml", &printed.stdout)
}

fn save(file: &str, content: &[u8]) -> Result<()> {
    fs::write(root().join(file), content).with_context(|| format!("write {file}"))?;
    say(&format!("wrote {file}"));
    Ok(())
}
