//! `cargo xtask chaos [--minutes N] [--seed N]`: every fault on a real control plane while a writer
//! writes. Prints the figures, and ends with an error when something wasn't as promised.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use testkit::chaos::{self, Length, Plan};

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let mut plan = Plan { seed: 1, writes_per_s: 200, length: Length::For(Duration::from_secs(600)) };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--short" {
            plan.length = Length::Short;
            continue;
        }
        let value = arguments.next().with_context(|| format!("{argument} needs a number"))?;
        let number: u64 = value.parse().with_context(|| format!("{argument} {value:?} is no number"))?;
        match argument.as_str() {
            "--minutes" => plan.length = Length::For(Duration::from_secs(60 * number)),
            "--seed" => plan.seed = number,
            "--rate" => plan.writes_per_s = u32::try_from(number)?.max(1),
            _ => bail!("there are --minutes N, --seed N, --rate N and --short, not {argument}"),
        }
    }
    let report = chaos::run(plan).await?;
    println!("{report}");
    Ok(if report.is_broken() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
