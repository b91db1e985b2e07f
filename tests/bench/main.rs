//! `cargo xtask bench NAME`: what is measured beside something else. One program, so that it is linked once. A
//! bench measures and never asserts.

use std::process::ExitCode;

use anyhow::{Result, bail};

mod capacity;
mod cells;
mod clients;
mod clusters;
mod lateness;
mod logs;
mod page;
mod past;
mod pictures;
mod rights;
mod roll;
mod rules;
mod spine;
mod viewers;

#[tokio::main]
async fn main() -> Result<ExitCode> {
    match std::env::args().nth(1).as_deref() {
        Some("capacity") => capacity::run().await?,
        Some("cells") => return cells::run().await,
        Some("clients") => clients::run().await?,
        Some("clusters") => clusters::run().await?,
        Some("logs") => logs::run().await?,
        Some("page") => page::run().await?,
        Some("past") => past::run().await?,
        Some("pictures") => pictures::run().await?,
        Some("rights") => rights::run().await?,
        Some("roll") => roll::run().await?,
        Some("rules") => rules::run().await?,
        Some("spine") => spine::run().await?,
        Some("viewers") => viewers::run().await?,
        other => bail!("the first argument names the bench, and there is none {other:?}"),
    }
    Ok(ExitCode::SUCCESS)
}
