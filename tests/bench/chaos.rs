//! `cargo xtask chaos [--minutes=N] [--seed=N]`: every fault on a real control plane while a writer
//! writes; `cargo xtask soak`: no fault, and viewers that come and go. Prints the figures, and ends with an error when
//! something wasn't as promised.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use testkit::chaos::{self, Length, Plan, Soak};

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let (mut minutes, mut seed, mut rate, mut is_short, mut is_soak) = (None, 1, None, false, false);
    let given: Vec<String> = std::env::args().skip(1).collect();
    let mut arguments = given.iter().flat_map(|argument| argument.split('='));
    while let Some(argument) = arguments.next() {
        let mut number = || -> Result<u64> {
            let text = arguments.next().with_context(|| format!("{argument} needs a number"))?;
            text.parse().with_context(|| format!("{argument} {text:?} is no number"))
        };
        match argument {
            "--minutes" => minutes = Some(number()?),
            "--seed" => seed = number()?,
            "--rate" => rate = Some(u32::try_from(number()?)?.max(1)),
            "--short" => is_short = true,
            "--soak" => is_soak = true,
            _ => bail!("there are --minutes=N, --seed=N, --rate=N and --short, not {argument}"),
        }
    }
    let length = |default| Duration::from_secs(60 * minutes.unwrap_or(default));
    let is_broken = if is_soak {
        let soak = Soak { seed, writes_per_s: rate.unwrap_or(100), visitors: 50, length: length(60) };
        let report = chaos::soak(soak).await?;
        println!("{report}");
        report.is_broken()
    } else {
        let length = if is_short { Length::Short } else { Length::For(length(10)) };
        let report = chaos::run(Plan { seed, writes_per_s: rate.unwrap_or(200), length }).await?;
        println!("{report}");
        report.is_broken()
    };
    Ok(if is_broken { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
