//! The gateway's own log, on stderr: in text, or as one JSON object a line. A thread writes it, so that a reader who stands
//! still holds up no viewer. Never what is logged.

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::Duration;

use serde_json::json;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::limits::{LOG_END_S, LOG_LINES_QUEUED_MAX};

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
    let (queue, orders) = mpsc::sync_channel(LOG_LINES_QUEUED_MAX);
    if thread::Builder::new().name("log".to_owned()).spawn(move || write_all(&orders)).is_ok() {
        drop(QUEUE.set(queue));
    }
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

/// Waits until what was logged is written, for a moment at most.
pub fn drain() {
    let (written, wait) = mpsc::sync_channel(1);
    if let Some(queue) = QUEUE.get()
        && queue.try_send(Order::Tell(written)).is_ok()
    {
        let _ = wait.recv_timeout(Duration::from_secs(LOG_END_S));
    }
}

/// The lines that couldn't be written since the start: the disk under the log is full, or its reader has gone or stands
/// still.
#[must_use]
pub fn lost_lines() -> u64 {
    LOST.load(Ordering::Relaxed)
}

static LOST: AtomicU64 = AtomicU64::new(0);
static QUEUE: OnceLock<SyncSender<Order>> = OnceLock::new();

enum Order {
    Line(Vec<u8>),
    /// Answered when all before it is written.
    Tell(SyncSender<()>),
}

fn write_all(orders: &Receiver<Order>) {
    for order in orders {
        match order {
            Order::Line(line) => count_lost(io::stderr().write_all(&line).is_ok()),
            Order::Tell(written) => {
                let _ = written.send(());
            }
        }
    }
}

fn count_lost(is_written: bool) {
    if !is_written {
        LOST.fetch_add(1, Ordering::Relaxed);
    }
}

/// Each write is one line, and always succeeds.
struct LossyStderr;

impl Write for LossyStderr {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        count_lost(match QUEUE.get() {
            Some(queue) => queue.try_send(Order::Line(line.to_vec())).is_ok(),
            // The system gave no thread.
            None => io::stderr().write_all(line).is_ok(),
        });
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
