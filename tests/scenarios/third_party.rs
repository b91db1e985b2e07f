//! The protocol's document is enough for a third party: `docs/examples/dogwatch_client.py` knows the protocol from
//! `docs/PROTOCOL.md` alone, and holds what the API server lists, whatever happens on the way.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use http::Request;
use http::header::ACCEPT;
use jiff::Timestamp;
use playground::{Options, Playground};
use serde_json::{Value, json};
use testkit::api;
use testkit::dogwatch::Home;
use testkit::python;

/// What the example imports.
const PACKAGES: &str = "websockets==17.4\ncryptography==50.0.2\n";
const PODS: &str = "/api/v1/pods";
/// The client reconnects to a restarted gateway within 5 s.
const TIMEOUT: Duration = Duration::from_secs(60);

/// By `namespace/name`, the cells of each row.
type Rows = BTreeMap<String, Vec<Value>>;

#[tokio::test(flavor = "multi_thread")]
async fn a_client_written_from_the_document_alone_is_exact_whatever_happens() -> Result<()> {
    let playground =
        Playground::start(Options { objects: 200, changes_per_second: 0.0, ..Options::default() }).await?;
    let home = Home::new()?;
    let kubeconfig = home.kubeconfig_of(&playground)?;
    let client = api::client(&kubeconfig).await?;
    let dogwatch = home.serve_cluster(&kubeconfig, 0)?;
    let mut third_party = ThirdParty::start(&dogwatch.fresh_url()?)?;
    third_party.until_it_holds(&listed(&client).await?)?;

    playground.step_fleet(300);
    third_party.until_it_holds(&listed(&client).await?)?;

    // Events that the client didn't see.
    let before = playground.revision();
    playground.step_fleet(100);
    playground.compact(None);
    playground.cut_watches(None);
    playground.step_fleet(100);
    third_party.until_it_holds(&listed(&client).await?)?;

    // Another gateway process, and changes while there was none.
    let (home, port) = dogwatch.kill()?;
    playground.step_fleet(50);
    let _dogwatch = home.serve_cluster(&kubeconfig, port)?;
    third_party.until_it_holds(&listed(&client).await?)?;
    third_party.until_it_says("digest agrees")?;

    // An etcd that was restored: resourceVersions go back, rows begin anew.
    playground.restore(before);
    playground.cut_watches(None);
    third_party.until_it_holds(&listed(&client).await?)?;
    third_party.expect_no_complaint()
}

/// What the API server lists, as cells are sent: times as instants.
async fn listed(client: &kube::Client) -> Result<Rows> {
    let request = Request::get(PODS).header(ACCEPT, api::TABLE).body(Vec::new())?;
    let table: Value = client.request(request).await?;
    let columns = table["columnDefinitions"].as_array().context("columns")?;
    let row = |row: &Value| -> Result<(String, Vec<Value>)> {
        let metadata = &row["object"]["metadata"];
        let text = |field: &str| metadata[field].as_str().with_context(|| field.to_owned());
        let created: Timestamp = text("creationTimestamp")?.parse()?;
        let cells = row["cells"].as_array().context("cells")?.iter().zip(columns);
        let cells = cells.map(|(cell, column)| match column["name"].as_str() {
            Some("Age") => json!({ "age": created.as_second() }),
            _ => cell.clone(),
        });
        Ok((format!("{}/{}", text("namespace")?, text("name")?), cells.collect()))
    };
    table["rows"].as_array().context("rows")?.iter().map(row).collect()
}

/// `3 (5m ago)` is sent as `{"text":"3","at":…}`: what was printed at another moment says as much.
fn is_same(sent: &Value, listed: &Value) -> bool {
    match (sent["text"].as_str(), listed.as_str()) {
        (Some(text), Some(listed)) => listed.starts_with(&format!("{text} (")),
        _ => sent == listed,
    }
}

/// A line for each row that differs.
fn differences(held: &Rows, listed: &Rows) -> Vec<String> {
    let keys = held.keys().chain(listed.keys().filter(|key| !held.contains_key(*key)));
    let is_equal = |held: &Vec<Value>, listed: &Vec<Value>| {
        held.len() == listed.len() && held.iter().zip(listed).all(|(sent, listed)| is_same(sent, listed))
    };
    keys.filter_map(|key| match (held.get(key), listed.get(key)) {
        (Some(held), Some(listed)) if is_equal(held, listed) => None,
        (held, listed) => Some(format!("{key}: {}, listed {}", json!(held), json!(listed))),
    })
    .collect()
}

/// The client as a process: what it printed, put together again.
struct ThirdParty {
    child: Child,
    lines: Receiver<String>,
    rows: Rows,
    /// What it wrote to stderr.
    said: Vec<String>,
}

impl ThirdParty {
    fn start(url: &str) -> Result<Self> {
        let script = root().join("docs/examples/dogwatch_client.py");
        ensure!(std::fs::read_to_string(&script)?.lines().count() < 120, "an example is short");
        let mut child = Command::new(python::environment("example", PACKAGES)?)
            .args([script.as_os_str(), url.as_ref(), "pods".as_ref()])
            .env("WEBSOCKETS_BACKOFF_INITIAL_DELAY", "0.2")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (sender, lines) = channel();
        read_lines(child.stdout.take().context("stdout is piped")?, sender.clone());
        read_lines(child.stderr.take().context("stderr is piped")?, sender);
        Ok(Self { child, lines, rows: Rows::new(), said: Vec::new() })
    }

    fn until_it_holds(&mut self, listed: &Rows) -> Result<()> {
        ensure!(!listed.is_empty(), "an empty list proves nothing");
        let until = Instant::now() + TIMEOUT;
        loop {
            let differences = differences(&self.rows, listed);
            if differences.is_empty() {
                return Ok(());
            }
            let first = differences.iter().take(5).map(String::as_str).collect::<Vec<_>>().join("\n");
            self.read(until).context(first)?;
        }
    }

    fn until_it_says(&mut self, words: &str) -> Result<()> {
        let (until, from) = (Instant::now() + TIMEOUT, self.said.len());
        while !self.said.iter().skip(from).any(|line| line.contains(words)) {
            self.read(until).with_context(|| format!("it never said {words:?}"))?;
        }
        Ok(())
    }

    /// The next line: `+ KEY CELLS`, `~ KEY CELLS`, `- KEY CELLS`, or a word on the side.
    fn read(&mut self, until: Instant) -> Result<()> {
        let left = until.saturating_duration_since(Instant::now());
        let line = self.lines.recv_timeout(left).with_context(|| self.said.join("\n"))?;
        let mut words = line.splitn(3, ' ');
        match (words.next(), words.next(), words.next()) {
            (Some(sign @ ("+" | "~")), Some(key), Some(cells)) => {
                let before = self.rows.insert(key.to_owned(), serde_json::from_str(cells)?);
                ensure!(before.is_some() == (sign == "~"), "{line}");
            }
            (Some("-"), Some(key), Some(_)) => ensure!(self.rows.remove(key).is_some(), "{line}"),
            _ => self.said.push(line),
        }
        Ok(())
    }

    fn expect_no_complaint(&self) -> Result<()> {
        let complaints = ["subscribing anew", "Traceback", "# {\"problem\""];
        let is_complaint = |line: &&String| complaints.iter().any(|words| line.contains(words));
        match self.said.iter().find(is_complaint) {
            Some(line) => bail!("{line}"),
            None => Ok(()),
        }
    }
}

impl Drop for ThirdParty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_lines(from: impl Read + Send + 'static, to: Sender<String>) {
    thread::spawn(move || {
        let lines = BufReader::new(from).lines().map_while(Result::ok);
        lines.take_while(|line| to.send(line.clone()).is_ok()).for_each(drop);
    });
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(1).map(Path::to_owned).unwrap_or_default()
}
