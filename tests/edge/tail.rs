//! A running `dogwatch tail`: what it has printed so far, rows and states.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use testkit::dogwatch::Dogwatch;

pub struct Tail {
    child: Child,
    lines: Receiver<Line>,
    /// The last resourceVersion and cells, by name.
    pub rows: BTreeMap<String, (u64, Value)>,
    /// The last state.
    pub said: String,
}

enum Line {
    Row(String),
    Words(String),
}

/// A test fails if no line comes for this long.
const PATIENCE: Duration = Duration::from_secs(40);

impl Tail {
    pub fn of(gateway: &Dogwatch, arguments: &[&str]) -> Self {
        let mut child = gateway
            .tail_command(&[arguments, &["-o", "ndjson"]].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let (sender, lines) = mpsc::channel();
        read(child.stdout.take().expect("piped"), sender.clone(), Line::Row);
        read(child.stderr.take().expect("piped"), sender, Line::Words);
        Self { child, lines, rows: BTreeMap::new(), said: String::new() }
    }

    /// Reads its lines until they are as expected.
    pub fn until(&mut self, expected: impl Fn(&Self) -> bool) {
        while !expected(self) {
            self.take();
        }
    }

    pub fn is_live(&self) -> bool {
        self.said.starts_with("Live")
    }

    /// Reads one line, and asserts that no object's resourceVersion goes back.
    fn take(&mut self) {
        let line = match self
            .lines
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|_| panic!("nothing after {:?}", self.said))
        {
            Line::Words(words) => {
                self.said = words;
                return;
            }
            Line::Row(line) => line,
        };
        let row: Value = serde_json::from_str(&line).expect("JSON");
        let name = row["name"].as_str().expect("a name").to_owned();
        let version = row["resourceVersion"].as_str().and_then(|text| text.parse().ok()).expect("a number");
        if row["type"] == "DELETED" {
            self.rows.remove(&name);
        } else if let Some((former, _)) = self.rows.insert(name, (version, row["cells"].clone())) {
            assert!(version >= former, "{line} after {former}");
        }
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
