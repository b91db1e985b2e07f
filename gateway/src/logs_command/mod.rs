//! `dogwatch logs`: what containers write, in a terminal, as `kubectl logs` prints it, through the same WebSocket as the page.
//! It never connects to the cluster itself.
//!
//! Read in this order: [`args`] (the command line), [`follower`] (the loop), [`merge`] (the order of what
//! several clusters tell), [`print`] (what goes to stdout and to stderr).

mod args;
mod follower;
mod merge;
mod print;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

pub use args::Args;

use crate::tail::report;

/// Why it ended; `--help` explains the exit codes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// All was printed, or stdout was closed.
    Done,
    /// A sentence that says what to do.
    Problem(String),
    /// Some logs can't be read; stderr says which.
    NotAll,
    Interrupted,
}

const PROBLEM: u8 = 1;
/// As a shell reports a process that was ended by SIGINT.
const INTERRUPTED: u8 = 130;

/// `gateways` are the Unix sockets of those that run here, by port.
pub async fn run(args: Args, gateways: &[(u16, PathBuf)]) -> ExitCode {
    let end = match start(&args, gateways).await {
        Ok(end) => end,
        Err(sentence) => End::Problem(sentence),
    };
    match end {
        End::Done => ExitCode::SUCCESS,
        End::Problem(sentence) => {
            report::line(&format!("error: {sentence}"));
            ExitCode::from(PROBLEM)
        }
        End::NotAll => ExitCode::from(PROBLEM),
        End::Interrupted => ExitCode::from(INTERRUPTED),
    }
}

async fn start(args: &Args, gateways: &[(u16, PathBuf)]) -> Result<End, String> {
    let request = args.request()?;
    let endpoint = args.gateway.find(gateways)?;
    let stdout = std::io::stdout();
    let is_terminal = stdout.is_terminal();
    follower::follow(request, endpoint, Box::new(stdout), is_terminal).await
}
