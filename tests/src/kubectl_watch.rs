//! `kubectl get pods --all-namespaces --watch-only`, for a bench to stand beside: each line that it prints
//! is one change, in the order of the changes.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use tokio::sync::mpsc;

pub struct KubectlWatch {
    child: Child,
    lines: mpsc::UnboundedReceiver<Line>,
}

pub struct Line {
    pub at: Instant,
    pub bytes: u64,
}

impl KubectlWatch {
    /// Of the user of that kubeconfig, with nothing of the person's who runs it.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start(program: &Path, kubeconfig: &Path, cache: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .env("KUBECONFIG", kubeconfig)
            .env("KUBECACHEDIR", cache)
            .args(["get", "pods", "--all-namespaces", "--watch-only"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("start kubectl")?;
        let output = child.stdout.take().context("its output is a pipe")?;
        let (seen, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            // The first is the header; an error is the end of the pipe.
            for line in BufReader::new(output).lines().skip(1).map_while(Result::ok) {
                let line = Line { at: Instant::now(), bytes: line.len() as u64 + 1 };
                if seen.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, lines })
    }

    /// `None` when it has ended.
    pub async fn next(&mut self) -> Option<Line> {
        self.lines.recv().await
    }
}

impl Drop for KubectlWatch {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
