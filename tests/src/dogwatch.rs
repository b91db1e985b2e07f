//! The `dogwatch` binary as a user runs it: a gateway on a free port with a home of its own, `url`, and
//! `tail`. Each process ends with its owner.

use std::io::{BufRead, BufReader, Read};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, anyhow, bail};
use playground::Playground;
use rustix::process::{Pid, Signal, kill_process};

use crate::client::Client;
use crate::ports::free_address;

/// The folders that a gateway and its `tail`s share; removed with the last of them.
#[derive(Clone)]
pub struct Home {
    folder: Arc<tempfile::TempDir>,
    /// The binary of another release; `None` for the binary of the tests.
    release: Option<PathBuf>,
}

/// A running gateway.
pub struct Dogwatch {
    child: Child,
    /// The line that names the URL.
    first_line: String,
    stderr: Arc<Mutex<String>>,
    /// Reads stderr until it is closed.
    reader: Option<JoinHandle<()>>,
    home: Home,
}

impl Home {
    pub fn new() -> Result<Self> {
        let folder = Arc::new(tempfile::Builder::new().prefix("dogwatch-").tempdir()?);
        Ok(Self { folder, release: None })
    }

    /// One of another release, by the path of its binary.
    pub fn of_release(binary: &Path) -> Result<Self> {
        Ok(Self { release: Some(binary.to_owned()), ..Self::new()? })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    fn binary(&self) -> PathBuf {
        self.release.clone().unwrap_or_else(binary)
    }

    /// `dogwatch` with nothing of the machine's own configuration.
    pub fn command(&self) -> Command {
        let mut command = Command::new(self.binary());
        command
            .env_remove("KUBECONFIG")
            .env("HOME", self.path())
            .env("XDG_STATE_HOME", self.path().join("state"))
            .env("XDG_RUNTIME_DIR", self.path())
            .env("DOGWATCH_DEMO_MINUTES", "0")
            .stdin(Stdio::null());
        command
    }

    /// A gateway of the cluster that a kubeconfig names, on this port; on a free one where it is 0.
    pub fn serve_cluster(&self, kubeconfig: &Path, port: u16) -> Result<Dogwatch> {
        let listen = if port == 0 { free_address() } else { (Ipv4Addr::LOCALHOST, port).into() }.to_string();
        self.serve(&["--listen", &listen, "--kubeconfig", &kubeconfig.to_string_lossy()])
    }

    /// Writes the playground's kubeconfig into this home.
    pub fn kubeconfig_of(&self, playground: &Playground) -> Result<PathBuf> {
        let kubeconfig = self.path().join("kubeconfig");
        playground.write_kubeconfig(&kubeconfig)?;
        Ok(kubeconfig)
    }

    /// Starts `dogwatch serve` and waits until it prints its URL.
    /// Fails with what it wrote to stderr, when it ends before that.
    pub fn serve(&self, arguments: &[&str]) -> Result<Dogwatch> {
        self.serve_with(arguments, &[])
    }

    /// The same, with these environment variables.
    pub fn serve_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Result<Dogwatch> {
        self.start(&[&["serve"], arguments].concat(), variables)
    }

    /// Starts `dogwatch replay` of a file, on a free port.
    pub fn replay(&self, file: &Path) -> Result<Dogwatch> {
        self.start(&["replay", &file.to_string_lossy(), "--listen", "127.0.0.1:0"], &[])
    }

    fn start(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Result<Dogwatch> {
        let mut child = self
            .command()
            .args(arguments)
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("can't start {}", self.binary().display()))?;
        let stderr = Arc::new(Mutex::new(String::new()));
        let written = stderr.clone();
        let errors = child.stderr.take().context("stderr is piped")?;
        let reader = thread::spawn(move || {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                if let Ok(mut written) = written.lock() {
                    written.push_str(&line);
                    written.push('\n');
                }
            }
        });
        let stdout = child.stdout.take().context("stdout is piped")?;
        let home = self.clone();
        let mut dogwatch = Dogwatch { child, first_line: String::new(), stderr, reader: Some(reader), home };
        dogwatch.first_line = dogwatch.read_first_line(stdout)?;
        Ok(dogwatch)
    }
}

impl Dogwatch {
    /// A gateway of the demo's playground.
    pub fn of_demo() -> Result<Self> {
        Home::new()?.serve(&["--demo", "--listen", "127.0.0.1:0"])
    }

    pub fn of_cluster(kubeconfig: &Path) -> Result<Self> {
        Home::new()?.serve_cluster(kubeconfig, 0)
    }

    /// A gateway of a playground that the test holds.
    pub fn of_playground(playground: &Playground) -> Result<Self> {
        let home = Home::new()?;
        home.serve_cluster(&home.kubeconfig_of(playground)?, 0)
    }

    fn read_first_line(&mut self, stdout: impl Read + Send + 'static) -> Result<String> {
        let mut lines = BufReader::new(stdout).lines();
        let found = lines.by_ref().map_while(Result::ok).find(|line| first_url(line).is_some());
        // Later lines are read as well, so that the pipe never fills.
        thread::spawn(move || lines.for_each(drop));
        if let Some(line) = found {
            return Ok(line);
        }
        let (status, stderr) = self.wait()?;
        bail!("dogwatch ended with {status} before it printed a URL:\n{stderr}")
    }

    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The name of the home cluster, as links have it.
    pub fn cluster_name(&self) -> &str {
        self.first_line.split(' ').nth(2).unwrap_or_default()
    }

    /// The printed URL, with the code that opens it once.
    pub fn url(&self) -> &str {
        first_url(&self.first_line).unwrap_or_default()
    }

    pub fn first_line(&self) -> &str {
        &self.first_line
    }

    /// The code in the printed URL.
    pub fn code(&self) -> &str {
        self.url().rsplit("#code=").next().unwrap_or_default()
    }

    /// The origin of the page that the printed URL opens: `http://NAME.localhost:PORT`.
    pub fn origin(&self) -> String {
        self.url().split('/').take(3).collect::<Vec<_>>().join("/")
    }

    /// Host and port as that page names them.
    pub fn host(&self) -> String {
        self.url().split('/').nth(2).unwrap_or_default().to_owned()
    }

    /// Where a program connects: `127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        let host = self.host();
        match host.rsplit_once(':') {
            Some((name, port)) if name.ends_with(".localhost") => format!("127.0.0.1:{port}"),
            _ => host,
        }
    }

    pub fn port(&self) -> u16 {
        self.origin().rsplit(':').next().and_then(|port| port.parse().ok()).unwrap_or_default()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The Unix socket for `tail`, which asks for no credential.
    pub fn socket(&self) -> Result<PathBuf> {
        let name = format!("{}.sock", self.port());
        let mut left = vec![self.home.path().to_owned()];
        while let Some(folder) = left.pop() {
            for path in std::fs::read_dir(&folder)?.flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    left.push(path);
                } else if path.file_name().is_some_and(|found| found.to_string_lossy() == *name) {
                    return Ok(path);
                }
            }
        }
        bail!("no socket {name} below {}", self.home.path().display())
    }

    /// A client of its Unix socket.
    pub async fn connect(&self) -> Result<Client> {
        Client::connect(&self.socket()?).await
    }

    /// A fresh URL, as `dogwatch url` prints it.
    pub fn fresh_url(&self) -> Result<String> {
        let output = self.home.command().args(["url", "--port", &self.port().to_string()]).output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        first_url(&text).map(str::to_owned).with_context(|| {
            format!("dogwatch url printed no URL: {text:?}, {}", String::from_utf8_lossy(&output.stderr))
        })
    }

    pub fn tail(&self, arguments: &[&str]) -> Result<Output> {
        Ok(self.tail_command(arguments).output()?)
    }

    pub fn tail_command(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.command();
        command.arg("tail").args(arguments).args(["--server", &self.origin()]);
        command
    }

    pub fn wait_command(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.command();
        command.arg("wait").args(arguments).args(["--server", &self.origin()]);
        command
    }

    pub fn logs_command(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.command();
        command.arg("logs").args(arguments).args(["--server", &self.origin()]);
        command
    }

    pub fn stderr(&self) -> String {
        self.stderr.lock().map(|text| text.clone()).unwrap_or_default()
    }

    pub fn signal(&self, signal: Signal) -> Result<()> {
        Ok(kill_process(Pid::from_child(&self.child), signal)?)
    }

    /// Waits until the process has ended: its status, and all that it wrote to stderr.
    pub fn wait(&mut self) -> Result<(ExitStatus, String)> {
        let status = self.child.wait()?;
        if let Some(reader) = self.reader.take() {
            reader.join().map_err(|_| anyhow!("the reader of stderr panicked"))?;
        }
        Ok((status, self.stderr()))
    }

    /// As `kill -9` does. The home and the port are for the next gateway.
    pub fn kill(mut self) -> Result<(Home, u16)> {
        self.child.kill()?;
        self.child.wait()?;
        Ok((self.home.clone(), self.port()))
    }
}

impl Drop for Dogwatch {
    fn drop(&mut self) {
        // It may have ended by itself; either way it must be gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            eprintln!("--- dogwatch wrote:\n{}", self.stderr());
        }
    }
}

fn first_url(text: &str) -> Option<&str> {
    text.split_whitespace().find(|word| word.starts_with("http://") || word.starts_with("https://"))
}

/// `DOGWATCH_BIN`, or the binary beside the test's own (`target/debug/dogwatch`).
/// Panics when there is none: a test that can't run must fail.
pub fn binary() -> PathBuf {
    if let Some(path) = std::env::var_os("DOGWATCH_BIN") {
        return path.into();
    }
    let own = std::env::current_exe().unwrap_or_default();
    let folders = own.ancestors().skip(1).take(2);
    let found = folders.map(|folder| folder.join("dogwatch")).find(|path| path.is_file());
    assert!(found.is_some(), "no dogwatch binary: run `cargo build -p dogwatch`, or `cargo xtask test`");
    found.unwrap_or_default()
}
