//! Programs of others that read a cluster (`tests/clients`): how they are installed and started, and what they have seen.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use cluster::Binaries;
use kube::core::ObjectMeta;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::net::unix::pipe;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, timeout_at};

use crate::process::target;
use crate::python;

/// The resourceVersion of each object, by `namespace/name`.
pub type Held = BTreeMap<String, String>;

/// A program that runs, and what it has printed of each kind.
pub struct Program {
    pub name: String,
    /// `None`: it is a task of this process.
    process: Option<(Child, ChildStdin)>,
    lines: UnboundedReceiver<Line>,
    held: BTreeMap<String, Held>,
    told: BTreeMap<String, Vec<Told>>,
}

enum Line {
    Printed(String),
    /// On stderr.
    Said(String),
}

/// Where a task prints what it sees.
#[derive(Clone)]
pub struct Printer(UnboundedSender<Line>);

impl Printer {
    /// An event, and the metadata of the object that it is about.
    pub fn saw(&self, event: &str, kind: &str, metadata: &ObjectMeta) {
        let text = |of: &Option<String>| of.clone().unwrap_or_default();
        let key = format!("{}/{}", text(&metadata.namespace), text(&metadata.name));
        let version = text(&metadata.resource_version);
        self.print(&json!({"event": event, "kind": kind, "key": key, "version": version}));
    }

    /// An event of a whole kind.
    pub fn said(&self, event: &str, kind: &str) {
        self.print(&json!({"event": event, "kind": kind}));
    }

    fn print(&self, line: &Value) {
        drop(self.0.send(Line::Printed(line.to_string())));
    }
}

/// What happened to which object, and its resourceVersion then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub event: String,
    pub key: String,
    pub version: String,
}

/// The folder with the programs.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clients")
}

/// One of the ways of the program in Go.
pub fn in_go(way: &str, kubeconfig: &Path, namespace: &str) -> Result<Command> {
    let mut command = Command::new(Binaries::ensure_clients(&target()?)?);
    command.arg(way).arg(kubeconfig).arg(namespace);
    Ok(command)
}

/// One of the programs in Python.
pub fn in_python(script: &str, kubeconfig: &Path, namespace: &str) -> Result<Command> {
    let mut command = Command::new(python()?);
    command.arg(folder().join("python").join(script)).arg(kubeconfig).arg(namespace);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(command)
}

/// A Python with what the programs import.
fn python() -> Result<PathBuf> {
    python::environment("clients", &std::fs::read_to_string(folder().join("python/requirements.txt"))?)
}

impl Program {
    /// `name`: for messages.
    pub fn start(name: &str, mut command: Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("start {command:?}"))?;
        let input = child.stdin.take().context("stdin is piped")?;
        let printed = child.stdout.take().context("stdout is piped")?;
        let said = child.stderr.take().context("stderr is piped")?;
        let (sender, lines) = unbounded_channel();
        pass(pipe::Receiver::from_owned_fd(printed.into())?, Line::Printed, sender.clone());
        pass(pipe::Receiver::from_owned_fd(said.into())?, Line::Said, sender);
        let (held, told) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self { name: name.to_owned(), process: Some((child, input)), lines, held, told })
    }

    /// One that is written in Rust and runs as a task, with where it prints to.
    pub fn as_task<F: Future<Output = Result<()>> + Send + 'static>(
        name: &str,
        run: impl FnOnce(Printer) -> F,
    ) -> Self {
        let (sender, lines) = unbounded_channel();
        let task = run(Printer(sender.clone()));
        tokio::spawn(async move {
            if let Err(error) = task.await {
                drop(sender.send(Line::Said(format!("{error:#}"))));
            }
        });
        Self { name: name.to_owned(), process: None, lines, held: BTreeMap::new(), told: BTreeMap::new() }
    }

    /// It begins where these are known already.
    pub fn knows(&mut self, kind: &str, held: Held) {
        self.held.insert(kind.to_owned(), held);
    }

    /// `None`: it is a task of this process.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(|(child, _)| child.id())
    }

    /// What it told since the last call, by kind.
    pub fn take_told(&mut self) -> BTreeMap<String, Vec<Told>> {
        std::mem::take(&mut self.told)
    }

    /// Reads on until it holds just this of a kind.
    pub async fn until_it_holds(&mut self, kind: &str, wanted: &Held) -> Result<()> {
        let until = Instant::now() + WITHIN;
        loop {
            let held = self.held.get(kind).cloned().unwrap_or_default();
            if held == *wanted {
                return Ok(());
            }
            let differs = || format!("{} holds of {kind}\n{held:?} and not\n{wanted:?}", self.name);
            let differs = differs();
            let line = self.line(until).await.context(differs)?;
            self.read(&line).with_context(|| line.to_string())?;
        }
    }

    /// Asks it by a line of its input, and returns its answer.
    pub async fn ask(&mut self) -> Result<Value> {
        let (_, input) = self.process.as_mut().context("it is a task")?;
        input.write_all(b"\n").with_context(|| format!("ask {}", self.name))?;
        self.line(Instant::now() + WITHIN).await
    }

    /// The next line that it prints.
    pub async fn line(&mut self, until: Instant) -> Result<Value> {
        let mut said = Vec::new();
        loop {
            match timeout_at(until, self.lines.recv()).await {
                Ok(Some(Line::Printed(line))) => {
                    return serde_json::from_str(&line).with_context(|| format!("{}: {line}", self.name));
                }
                Ok(Some(Line::Said(line))) => said.push(line),
                Ok(None) => bail!("{} has ended: {}", self.name, said.join("\n")),
                Err(_) => bail!("{} printed nothing more: {}", self.name, said.join("\n")),
            }
        }
    }

    fn read(&mut self, line: &Value) -> Result<()> {
        let text = |of: &Value| of.as_str().map(str::to_owned).with_context(|| of.to_string());
        // curl prints the events themselves.
        let raw = line.get("object").map(|object| &object["metadata"]);
        let (event, kind, about) = match raw {
            Some(metadata) => {
                let key = format!("{}/{}", text(&metadata["namespace"])?, text(&metadata["name"])?);
                (text(&line["type"])?, "configmaps".to_owned(), Some((key, &metadata["resourceVersion"])))
            }
            None => {
                let key = line["key"].as_str().map(|key| (key.to_owned(), &line["version"]));
                (text(&line["event"])?, text(&line["kind"])?, key)
            }
        };
        let held = self.held.entry(kind.clone()).or_default();
        let Some((key, version)) = about else {
            if event == "LISTING" {
                held.clear();
            }
            return Ok(());
        };
        match &*event {
            "GONE" | "DELETED" => drop(held.remove(&key)),
            _ => drop(held.insert(key.clone(), text(version)?)),
        }
        let version = version.as_str().unwrap_or_default().to_owned();
        self.told.entry(kind).or_default().push(Told { event, key, version });
        Ok(())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.process {
            // It may have ended by itself; either way it must be gone.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn pass(from: impl AsyncRead + Send + Unpin + 'static, of: fn(String) -> Line, to: UnboundedSender<Line>) {
    tokio::spawn(async move {
        let mut lines = BufReader::new(from).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if to.send(of(line)).is_err() {
                return;
            }
        }
    });
}

/// A machine under load takes seconds to start a Python, and an informer waits up to 30 s after a failure.
const WITHIN: Duration = Duration::from_secs(90);
