//! A running `dogwatch tail`: what it has printed so far, rows and states. It judges nothing.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

pub struct Tail {
    child: Child,
    lines: Receiver<Line>,
    /// The last resourceVersion and cells, by name.
    pub rows: BTreeMap<String, (u64, Value)>,
    /// The last state.
    pub said: String,
    /// Every state so far.
    pub states: Vec<String>,
}

enum Line {
    Row(String),
    Words(String),
}

/// No line that is expected takes this long.
const PATIENCE: Duration = Duration::from_secs(40);

impl Tail {
    /// `tail`: without its format.
    pub fn start(mut tail: Command) -> Result<Self> {
        let mut child = tail.args(["-o", "ndjson"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (sender, lines) = mpsc::channel();
        read(child.stdout.take().context("piped")?, sender.clone(), Line::Row);
        read(child.stderr.take().context("piped")?, sender, Line::Words);
        Ok(Self { child, lines, rows: BTreeMap::new(), said: String::new(), states: Vec::new() })
    }

    /// Reads its lines until they are as expected.
    /// Fails if none comes for a long time, or an object's resourceVersion goes back.
    pub fn until(&mut self, expected: impl Fn(&Self) -> bool) -> Result<()> {
        while !expected(self) {
            self.read()?;
        }
        Ok(())
    }

    pub fn is_live(&self) -> bool {
        self.said.starts_with("Live")
    }

    /// One more line.
    /// Fails as [`Tail::until`] does.
    pub fn read(&mut self) -> Result<()> {
        let line =
            self.lines.recv_timeout(PATIENCE).with_context(|| format!("nothing after {:?}", self.said));
        let line = match line? {
            Line::Words(words) => {
                self.states.push(words.clone());
                self.said = words;
                return Ok(());
            }
            Line::Row(line) => line,
        };
        let row: Value = serde_json::from_str(&line).with_context(|| line.clone())?;
        let name = row["name"].as_str().context("a name")?.to_owned();
        let version =
            row["resourceVersion"].as_str().and_then(|text| text.parse().ok()).context("a number")?;
        if row["type"] == "DELETED" {
            self.rows.remove(&name);
        } else if let Some((former, _)) = self.rows.insert(name, (version, row["cells"].clone())) {
            ensure!(version >= former, "{line} after {former}");
        }
        Ok(())
    }
}

fn read(from: impl Read + Send + 'static, to: Sender<Line>, kind: fn(String) -> Line) {
    thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            // The test may be over.
            if to.send(kind(line)).is_err() {
                return;
            }
        }
    });
}

impl Drop for Tail {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
