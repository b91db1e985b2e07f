//! `dogwatch wait`: waits for what is asked of objects, as `kubectl wait` does, through the same WebSocket and the same
//! replica as the page. It never takes a stale view for an answer and never connects to the cluster itself.
//!
//! Read in this order: [`args`] (the command line), [`waiter`] (the loop), [`crate::question`] (what is decided).

mod args;
mod waiter;

use std::path::PathBuf;
use std::process::ExitCode;

pub use args::Args;

use crate::tail::report;

/// Why it ended; `--help` explains the exit codes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// It is so, or stdout was closed.
    So,
    /// It isn't, or can't be asked: sentences.
    NotSo(Vec<String>),
    /// The view doesn't say: a sentence.
    Unproven(String),
    Interrupted,
}

const NOT_SO: u8 = 1;
const UNPROVEN: u8 = 3;
/// As a shell reports a process that was ended by SIGINT.
const INTERRUPTED: u8 = 130;

/// `gateways` are the Unix sockets of those that run here, by port.
pub async fn run(args: Args, gateways: &[(u16, PathBuf)]) -> ExitCode {
    let end = match start(&args, gateways).await {
        Ok(end) => end,
        Err(sentence) => End::NotSo(vec![sentence]),
    };
    match end {
        End::So => ExitCode::SUCCESS,
        End::NotSo(sentences) => {
            complain(&sentences);
            ExitCode::from(NOT_SO)
        }
        End::Unproven(sentence) => {
            complain(&[sentence]);
            ExitCode::from(UNPROVEN)
        }
        End::Interrupted => ExitCode::from(INTERRUPTED),
    }
}

/// As kubectl does: several sentences stand alone, and the server's say that they are.
fn complain(sentences: &[String]) {
    match sentences {
        [one] if !one.starts_with("Error from server") => report::line(&format!("error: {one}")),
        several => several.iter().for_each(|sentence| report::line(sentence)),
    }
}

async fn start(args: &Args, gateways: &[(u16, PathBuf)]) -> Result<End, String> {
    let request = args.request()?;
    let endpoint = args.gateway.find(gateways)?;
    waiter::wait(request, endpoint, Box::new(std::io::stdout())).await
}
