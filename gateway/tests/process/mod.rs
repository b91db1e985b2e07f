//! A `dogwatch` process with folders of its own, ended with its owner.

pub mod client;
pub mod tail;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit};

/// The folders of a user's environment; a restarted gateway gets the same.
pub struct Home(tempfile::TempDir);

pub struct Served {
    child: Child,
    first_line: String,
    /// Its stderr, once it has ended.
    log: Option<JoinHandle<String>>,
}

impl Home {
    pub fn new() -> Self {
        Self(tempfile::Builder::new().prefix("dogwatch-").tempdir().expect("a folder"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dogwatch"));
        let home = self.0.path();
        command
            .env_clear()
            .env("HOME", home)
            .env("USER", "alice")
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_RUNTIME_DIR", home)
            .stdin(Stdio::null());
        command
    }

    /// Its exit code, and what it wrote to stdout and stderr.
    pub fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.command().args(arguments).output().expect("started");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }

    pub fn serve(&self, arguments: &[&str]) -> Served {
        self.serve_with(arguments, &[])
    }

    pub fn serve_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Served {
        let mut child = self
            .command()
            .arg("serve")
            .args(arguments)
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let mut stderr = child.stderr.take().expect("piped");
        let log = thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).expect("text");
            text
        });
        let mut first_line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut first_line).expect("a line");
        let served = Served { child, first_line, log: Some(log) };
        assert!(served.first_line.contains("#code="), "it printed {:?}", served.first_line);
        served
    }

    pub fn sockets(&self) -> Vec<PathBuf> {
        let folder = std::fs::read_dir(self.0.path().join("dogwatch")).expect("listed");
        folder.map(|entry| entry.expect("an entry").path()).collect()
    }
}

impl Served {
    pub fn first_line(&self) -> &str {
        &self.first_line
    }

    /// `127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        let url = self.first_line.split("http://").nth(1).expect("a URL");
        url.split('/').next().expect("an address").to_owned()
    }

    pub fn code(&self) -> &str {
        self.first_line.trim().rsplit("#code=").next().expect("a code")
    }

    /// The memory that it occupies.
    pub fn resident_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
        let kib: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
        kib * 1024
    }

    /// Sets how many files it may have open, and returns the limit before.
    pub fn allow_open_files(&self, most: u64) -> u64 {
        let pid = Some(Pid::from_child(&self.child));
        let maximum = getrlimit(Resource::Nofile).maximum;
        let now = Rlimit { current: Some(most), maximum };
        prlimit(pid, Resource::Nofile, now).expect("it runs").current.expect("a number")
    }

    pub fn signal(&mut self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }

    pub fn exit_code(&mut self) -> Option<i32> {
        self.child.wait().expect("waited for").code()
    }

    /// Ends it and returns its log.
    pub fn end(mut self, signal: Signal) -> String {
        self.signal(signal);
        self.exit_code();
        self.log.take().expect("not taken").join().expect("read")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // An error means that it has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking()
            && let Some(log) = self.log.take()
        {
            eprintln!("--- dogwatch wrote:\n{}", log.join().unwrap_or_default());
        }
    }
}
