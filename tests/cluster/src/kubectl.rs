//! kubectl as admin of one control plane, without the kubeconfig and the cache of the person who runs it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::binaries::Binaries;
use crate::layout::Layout;

#[derive(Clone, Debug)]
pub(crate) struct Kubectl {
    program: PathBuf,
    kubeconfig: PathBuf,
    cache: PathBuf,
}

impl Kubectl {
    pub(crate) fn new(binaries: &Binaries, layout: &Layout) -> Kubectl {
        Kubectl {
            program: binaries.kubectl.clone(),
            kubeconfig: layout.kubeconfig(),
            cache: layout.folder.join("kubectl-cache"),
        }
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env("KUBECONFIG", &self.kubeconfig).env("KUBECACHEDIR", &self.cache);
        command
    }

    /// What `kubectl ARGUMENTS` prints; what it complains of becomes the error.
    pub(crate) fn output(&self, arguments: &[&str]) -> Result<String> {
        self.with_input(arguments, "")
    }

    pub(crate) fn with_input(&self, arguments: &[&str], input: &str) -> Result<String> {
        let mut child = self
            .command()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("start kubectl")?;
        let mut pipe = child.stdin.take().context("no pipe to kubectl")?;
        // kubectl may end before it has read everything; then its own words are the better error.
        let written = pipe.write_all(input.as_bytes());
        drop(pipe);
        let output = child.wait_with_output().context("wait for kubectl")?;
        ensure!(
            output.status.success(),
            "kubectl {} failed: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr).trim(),
        );
        written.context("write to kubectl")?;
        String::from_utf8(output.stdout).context("kubectl printed something that isn't UTF-8")
    }

    /// Whether it succeeds; nothing is printed.
    pub(crate) fn succeeds(&self, arguments: &[&str]) -> bool {
        let mut command = self.command();
        let quiet = command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    }
}
