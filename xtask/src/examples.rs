//! `cargo xtask examples`: each example of `element/examples` in Chromium and in Firefox ESR, by one script, and two of them
//! on a real API server.

use anyhow::Result;

use crate::build;
use crate::commands::{cargo, succeed};
use crate::machine;

pub(crate) fn examples(arguments: &[String]) -> Result<()> {
    machine::tools(&[&machine::BROWSER, &machine::FONT, &machine::FIREFOX])?;
    machine::geckodriver()?;
    build::quick()?;
    let mut run = cargo("run");
    run.args(["--package=tests", "--bin=portals", "--"]).args(arguments);
    succeed(run.env("DOGWATCH_BIN", build::gateway_path(false)).env("RUST_BACKTRACE", "0"))
}
