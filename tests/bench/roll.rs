//! `cargo xtask bench roll [--viewers 500] [--changes 200] [--pods 1000]`: three replicas behind nginx are replaced one
//! by one under load: how long viewers are away, what coming back costs, and whether anything was lost. Never asserts: it
//! measures.

use anyhow::Result;
use testkit::arguments::{is_given, number};
use testkit::roll::{self, Load};

pub async fn run() -> Result<()> {
    let load = Load {
        viewers: number("viewers", 500)?,
        people: number("people", 10)?,
        pods: number("pods", 1_000)?,
        changes_per_s: number("changes", 200)?,
    };
    let report = roll::run(load).await?.json();
    println!("{}", if is_given("json") { report.to_string() } else { format!("{report:#}") });
    Ok(())
}
