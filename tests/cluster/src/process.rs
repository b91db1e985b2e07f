//! A server process that can't outlive its owner.
//!
//! Between us and the server stands a small shell that reads a pipe whose other end only we hold.
//! The kernel closes our end however we end (return, panic, SIGKILL), the shell reads the end of
//! the pipe and kills the server. The folder goes the same way, after the last server.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

/// What is run: a program, its arguments, and the file that takes what it prints.
#[derive(Debug)]
pub(crate) struct Invocation {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) log: PathBuf,
}

/// A running server; dropping it kills the server and waits until it is gone.
#[derive(Debug)]
pub(crate) struct Supervised {
    supervisor: Child,
    pid: Pid,
    log: PathBuf,
}

/// A folder that is removed when its owner and all servers started in it are gone.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    remover: Child,
}

impl Supervised {
    pub(crate) fn start(invocation: &Invocation, folder: &Folder) -> Result<Supervised> {
        let mut supervisor = Command::new("sh")
            .args(["-c", SUPERVISE, "dogwatch-supervisor"])
            .arg(&invocation.log)
            .arg(&invocation.program)
            .args(&invocation.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::from(folder.hold()?))
            // Ctrl-C in the terminal is for us alone; the pipe tells the rest.
            .process_group(0)
            .spawn()
            .context("start sh, which supervises the control plane")?;
        let answer = supervisor.stdout.take().context("no pipe from sh")?;
        let mut line = String::new();
        BufReader::new(answer).read_line(&mut line)?;
        let Some(pid) = line.trim().parse().ok().and_then(Pid::from_raw) else {
            bail!("sh could not start {}", invocation.program.display());
        };
        Ok(Supervised { supervisor, pid, log: invocation.log.clone() })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// An error with the end of the log, if the server ended by itself.
    pub(crate) fn check(&mut self) -> Result<()> {
        match self.supervisor.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("it ended by itself ({status})\n{}", last_lines(&self.log)),
        }
    }

    /// SIGKILL, and wait until it is gone.
    pub(crate) fn kill(mut self) -> Result<ExitStatus> {
        // `wait` closes our end of the pipe first; that is the order to kill.
        self.supervisor.wait().context("wait for the supervisor")
    }

    pub(crate) fn signal(&self, signal: Signal) -> Result<()> {
        kill_process(self.pid, signal).with_context(|| format!("signal process {}", self.pid()))
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        // An error can't be reported here. After `kill`, `wait` answers at once.
        let _ = self.supervisor.wait();
    }
}

impl Folder {
    pub(crate) fn new() -> Result<Folder> {
        let path = tempfile::Builder::new()
            .prefix("dogwatch-cluster-")
            .tempdir()
            .context("create a folder for the control plane")?
            .keep();
        let remover = Command::new("sh")
            .args(["-c", "cat >/dev/null; exec rm -rf -- \"$1\"", "dogwatch-remover"])
            .arg(&path)
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()
            .context("start sh, which removes the folder of the control plane")?;
        Ok(Folder { path, remover })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// One more end of the remover's pipe: it waits until all of them are closed.
    fn hold(&self) -> Result<OwnedFd> {
        let pipe = self.remover.stdin.as_ref().context("no pipe to the remover")?;
        pipe.as_fd().try_clone_to_owned().context("copy the remover's pipe")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = self.remover.wait();
    }
}

/// The end of a log, for the error of a server that didn't come up.
pub(crate) fn last_lines(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.len().saturating_sub(LOG_LINES_SHOWN);
    let shown: Vec<&str> = lines.into_iter().skip(start).collect();
    format!("the end of {}:\n{}", log.display(), shown.join("\n"))
}

const LOG_LINES_SHOWN: usize = 20;

/// Prints the server's pid, then lives as long as the server. The server gets neither pipe: the
/// watcher alone reads ours, and the remover's (stderr) ends with this shell, after the server.
const SUPERVISE: &str = r#"
log=$1; shift
exec 3<&0
"$@" </dev/null >>"$log" 2>&1 3<&- &
server=$!
{ read -r _ <&3; kill -KILL "$server"; } >/dev/null 2>&1 &
watcher=$!
echo "$server"
exec >&- 3<&-
wait "$server"
code=$?
kill -KILL "$watcher" 2>/dev/null
exit "$code"
"#;

#[cfg(test)]
mod tests {
    use std::panic;

    use super::*;

    fn endless(folder: &Folder) -> Supervised {
        let invocation = Invocation {
            program: "tail".into(),
            arguments: vec!["-f".into(), "/dev/null".into()],
            log: folder.path().join("log"),
        };
        Supervised::start(&invocation, folder).unwrap()
    }

    fn runs(pid: u32) -> bool {
        Path::new(&format!("/proc/{pid}")).exists()
    }

    #[test]
    fn a_panic_takes_the_server_and_its_folder_along() {
        let folder = Folder::new().unwrap();
        let (path, server) = (folder.path().to_owned(), endless(&folder));
        let pid = server.pid();
        assert!(runs(pid));
        let outcome = panic::catch_unwind(panic::AssertUnwindSafe(move || {
            let _owned = (server, folder);
            panic!("on purpose");
        }));
        assert!(outcome.is_err());
        assert!(!runs(pid));
        assert!(!path.exists());
    }

    #[test]
    fn a_stopped_server_can_be_killed() {
        let folder = Folder::new().unwrap();
        let server = endless(&folder);
        let pid = server.pid();
        server.signal(Signal::STOP).unwrap();
        server.kill().unwrap();
        assert!(!runs(pid));
    }

    #[test]
    fn a_server_that_ends_by_itself_is_told_with_its_log() {
        let folder = Folder::new().unwrap();
        let invocation = Invocation {
            program: "sh".into(),
            arguments: vec!["-c".into(), "echo so it is; exit 3".into()],
            log: folder.path().join("log"),
        };
        let mut server = Supervised::start(&invocation, &folder).unwrap();
        // Its own end, not ours: with our end of the pipe still open.
        let lifeline = server.supervisor.stdin.take();
        server.supervisor.wait().unwrap();
        let error = server.check().unwrap_err().to_string();
        drop(lifeline);
        assert!(error.contains("exit status: 3"), "{error}");
        assert!(error.contains("so it is"), "{error}");
    }
}
