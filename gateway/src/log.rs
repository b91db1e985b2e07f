//! The gateway's own log, on stderr: in text, or as one JSON object a line. Never what is logged.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    #[default]
    Text,
    /// Each line is an object: `timestamp`, `level`, `target`, `message`, and what else the record says.
    Json,
}

/// From now on records of this level and above are written. Those of the `log` crate are dropped, because the
/// WebSocket crate would log whole messages.
pub fn to_stderr(format: LogFormat, level: LevelFilter) {
    let filter = EnvFilter::builder()
        .with_default_directive(level.into())
        .with_env_var("DOGWATCH_LOG")
        .from_env_lossy();
    // A line that is lost is counted. Without a writer of our own its failure would end the task that logs.
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| LossyStderr)
        .log_internal_errors(false);
    match format {
        LogFormat::Text => subscriber.with_ansi(io::stderr().is_terminal()).init(),
        LogFormat::Json => subscriber.json().flatten_event(true).with_current_span(false).init(),
    }
}

/// The lines that couldn't be written since the start: the disk under the log is full, or its reader has gone.
#[must_use]
pub fn lost_lines() -> u64 {
    LOST.load(Ordering::Relaxed)
}

static LOST: AtomicU64 = AtomicU64::new(0);

/// Each write is one line, and always succeeds.
struct LossyStderr;

impl Write for LossyStderr {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if io::stderr().write_all(line).is_err() {
            LOST.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl LogFormat {
    /// What the gateway prints at its start, in the form of its log.
    ///
    /// # Errors
    /// It can't be written.
    pub fn announce(self, out: &mut dyn Write, text: &str) -> io::Result<()> {
        match self {
            Self::Text => out.write_all(text.as_bytes())?,
            Self::Json => {
                let message = text.lines().collect::<Vec<_>>().join(" ");
                let record = json!({ "timestamp": jiff::Timestamp::now().to_string(), "level": "INFO",
                    "target": "gateway::run", "message": message });
                writeln!(out, "{record}")?;
            }
        }
        out.flush()
    }
}
