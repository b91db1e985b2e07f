//! `dogwatch tail`: a subscription in a terminal, through the same WebSocket and the same replica as
//! the page. It never stops silently and never asks the cluster anything itself.
//!
//! Read in this order: [`args`] (what was asked), [`endpoint`] (where the gateway is), [`follow`]
//! (the loop), [`print`] (what goes to stdout), [`report`] (what goes to stderr).

mod args;
mod endpoint;
mod follow;
mod print;
mod report;
mod tabwriter;
mod wanted;

#[cfg(test)]
mod testing;

use std::path::PathBuf;
use std::process::ExitCode;

pub use args::Args;

/// Why it ended, as the exit code says and `--help` explains.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// What was asked for was printed, or nobody reads stdout any more.
    Done,
    /// A sentence that says what to do.
    Problem(String),
    /// `--timeout` passed before the rows were exact.
    NotExact(String),
    Interrupted,
}

/// As a shell reports a process that SIGINT ended.
const INTERRUPTED: u8 = 130;
const PROBLEM: u8 = 1;
/// Not 2, which says that the command line couldn't be read.
const NOT_EXACT: u8 = 3;

/// `gateways` are the Unix sockets of those that run here, by port.
pub async fn run(args: Args, gateways: &[(u16, PathBuf)]) -> ExitCode {
    let end = match start(&args, gateways).await {
        Ok(end) => end,
        Err(sentence) => End::Problem(sentence),
    };
    match end {
        End::Done => ExitCode::SUCCESS,
        End::Problem(sentence) => {
            report::line(&sentence);
            ExitCode::from(PROBLEM)
        }
        End::NotExact(sentence) => {
            report::line(&sentence);
            ExitCode::from(NOT_EXACT)
        }
        End::Interrupted => ExitCode::from(INTERRUPTED),
    }
}

async fn start(args: &Args, gateways: &[(u16, PathBuf)]) -> Result<End, String> {
    let request = args.request()?;
    let endpoint = endpoint::find(args.server.as_deref(), args.token_file.as_deref(), gateways)?;
    follow::follow(request, endpoint, Box::new(std::io::stdout())).await
}
