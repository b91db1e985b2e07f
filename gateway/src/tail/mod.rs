//! `dogwatch tail`: a subscription in a terminal, through the same WebSocket and the same replica as
//! the page. It never stops silently and never connects to the cluster itself.
//!
//! Read in this order: [`args`] (the command line), [`endpoint`] (where the gateway is), [`follow`] (the
//! loop), [`since`] (what it reads of the past), [`until`] (when it ends), [`print`] (what goes to stdout), [`report`] (what goes to stderr).

pub(crate) mod args;
pub(crate) mod endpoint;
mod follow;
mod print;
pub(crate) mod report;
mod since;
mod tabwriter;
pub(crate) mod target;
mod until;

#[cfg(test)]
mod testing;

use std::path::PathBuf;
use std::process::ExitCode;

pub use args::Args;
use args::Request;
pub(crate) use endpoint::is_loopback;
pub use report::line as to_stderr;

/// Why it ended; `--help` explains the exit codes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// The rows were printed, or stdout was closed.
    Done,
    /// A sentence that says what to do.
    Problem(String),
    /// `--timeout` passed before the rows were exact.
    NotExact(String),
    Interrupted,
}

/// As a shell reports a process that was ended by SIGINT.
const INTERRUPTED: u8 = 130;
const PROBLEM: u8 = 1;
/// As clap returns for a command line that can't be read.
const USAGE: u8 = 2;
const NOT_EXACT: u8 = 3;

/// `gateways` are the Unix sockets of those that run here, by port.
pub async fn run(args: Args, gateways: &[(u16, PathBuf)]) -> ExitCode {
    let request = match args.request() {
        Ok(request) => request,
        Err(sentence) => {
            report::line(&sentence);
            return ExitCode::from(USAGE);
        }
    };
    let end = match start(&args, request, gateways).await {
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

async fn start(args: &Args, request: Request, gateways: &[(u16, PathBuf)]) -> Result<End, String> {
    let endpoint = args.gateway.find(gateways)?;
    follow::follow(request, endpoint, Box::new(std::io::stdout())).await
}
