//! Every kind that a cluster serves, compared with what kubectl prints: as `dogwatch tail` prints it, and in the
//! page, on boards that stay open while the cluster's fleet lives. There each pane's cells are read from the DOM,
//! scrolled from the first row to the last. Secrets are never served and so never compared.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use cluster::ControlPlane;
use fantoccini::wd::WindowHandle;
use serde_json::{Value, json};

use crate::browser::{Browser, EVERY_CHANGE, Look};
use crate::dogwatch::Dogwatch;
use crate::kubectl_table::Table;
use crate::page::{self, DEEP};

/// Twelve panes with some rows each.
const LARGE: Look = Look { width: 3200, height: 2400, dark: false };
/// The most that a board takes.
const PANES: usize = ::page::address::PANES_MAX;
/// A polled kind is listed twice a minute, and a deleted row stays for some seconds.
const EQUAL_WITHIN: Duration = Duration::from_secs(90);
/// Thousands of rows are read by several scripts, each shorter than WebDriver's timeout.
const SCRIPT_MS: u64 = 20_000;
/// The API server lists the first in another order each time; kubectl prints the second by precedence, while the
/// page orders every kind by name.
const OF_ANOTHER_ORDER: [&str; 2] = ["componentstatuses", "flowschemas.flowcontrol.apiserver.k8s.io"];

/// All kinds but Secrets.
pub fn served(plane: &ControlPlane) -> Result<Vec<String>> {
    let names = plane.kubectl_output(&["api-resources", "--verbs=list", "-o", "name"])?;
    Ok(names.lines().filter(|name| *name != "secrets").map(str::to_owned).collect())
}

/// Kinds in the page, each in a pane of a window that stays open.
pub struct EveryKind {
    browser: Browser,
    cluster: String,
    boards: Vec<Board>,
}

struct Board {
    window: WindowHandle,
    kinds: Vec<String>,
}

/// What was compared.
#[derive(Debug, Default)]
pub struct Compared {
    pub kinds: usize,
    pub empty: Vec<String>,
    pub rows: usize,
    pub cells: usize,
    /// What differs, kind by kind.
    pub differences: Vec<String>,
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kinds, empty, rows, cells, differences } = self;
        writeln!(f, "{kinds} kinds, {rows} rows, {cells} cells compared")?;
        writeln!(f, "without objects: {}", empty.join(", "))?;
        write!(f, "{} kinds differ\n{}", differences.len(), differences.join("\n"))
    }
}

impl Compared {
    fn note(&mut self, kind: &str, compared: Result<Table, String>) {
        self.kinds += 1;
        match compared {
            Ok(table) => {
                self.rows += table.rows.len();
                self.cells += table.rows.len() * table.columns.len();
                if table.rows.is_empty() {
                    self.empty.push(kind.to_owned());
                }
            }
            Err(difference) => self.differences.push(format!("{kind}:\n{difference}")),
        }
    }
}

/// Our table beside kubectl's of now: the same, or what differs.
fn compared(plane: &ControlPlane, kind: &str, mut ours: Table) -> Result<Result<Table, String>> {
    let mut theirs = Table::parse(&plane.kubectl_output(&["get", kind, "-A", "-o", "wide"])?);
    if OF_ANOTHER_ORDER.contains(&kind) {
        theirs.rows.sort();
        ours.rows.sort();
    }
    Ok(ours.compare(&theirs).map(|()| ours).map_err(|difference| difference.to_string()))
}

/// What `dogwatch tail` prints of each kind. The cluster may not be written to any more.
pub fn tails(plane: &ControlPlane, dogwatch: &Dogwatch, kinds: &[String]) -> Result<Compared> {
    let mut all = Compared::default();
    for kind in kinds {
        let output = dogwatch.tail(&[kind, "-o", "wide", "-A", "--once"])?;
        ensure!(output.status.success(), "{kind}: {}", String::from_utf8_lossy(&output.stderr));
        all.note(kind, compared(plane, kind, Table::parse(&String::from_utf8(output.stdout)?))?);
    }
    Ok(all)
}

impl EveryKind {
    /// Returns when every pane has an exact answer.
    pub async fn open(dogwatch: &Dogwatch, kinds: &[String]) -> Result<Self> {
        let browser = page::signed_in(LARGE, dogwatch.url()).await?;
        let cluster = page::cluster(&browser).await?;
        let mut boards = Vec::new();
        for kinds in kinds.chunks(PANES) {
            let window = browser.open_window().await?;
            let panes: Vec<String> = kinds
                .iter()
                .map(|kind| format!("v={kind}@{cluster}/*;{}", page::as_printed(kind).replace('&', ";")))
                .collect();
            browser.open(&format!("{}/b?{}", dogwatch.origin(), panes.join("&"))).await?;
            boards.push(Board { window, kinds: kinds.to_vec() });
        }
        let every_kind = Self { browser, cluster, boards };
        every_kind.until_exact().await?;
        Ok(every_kind)
    }

    /// For another look at the same cluster, with its name in links.
    pub fn browser(&self) -> (&Browser, &str) {
        (&self.browser, &self.cluster)
    }

    async fn until_exact(&self) -> Result<()> {
        for Board { window, kinds } in &self.boards {
            self.browser.look_at(window).await?;
            let exact = format!(
                "deep('.view-host').length === {} &&
                 deep('.view-host').every((host) => ['live', 'polled'].includes(host.dataset.state))",
                kinds.len()
            );
            if let Err(error) = self.browser.until("an exact answer in each pane", &exact).await {
                let states = "deep('.view-host').map((host) => `${host.dataset.resource} ${host.dataset.state}`).join('\\n')";
                return Err(error.context(self.browser.text(states).await?));
            }
        }
        Ok(())
    }

    /// Until the cluster was written to so many times more, as one of the panes has seen.
    pub async fn until_written(&self, times: u64) -> Result<()> {
        let now = self.revision().await?;
        let further = format!("{REVISION} >= {}", now + times);
        self.browser.until(&format!("{times} writes"), &further).await
    }

    /// The resourceVersion that the pods' pane has a proof of.
    pub async fn revision(&self) -> Result<u64> {
        self.look_at_pods().await?;
        self.browser.read(REVISION).await?.as_u64().context("a resourceVersion")
    }

    async fn look_at_pods(&self) -> Result<()> {
        let board = self.boards.iter().find(|board| board.kinds.iter().any(|kind| kind == "pods"));
        self.browser.look_at(&board.context("pods are served")?.window).await
    }

    /// The cluster may not be written to any more.
    pub async fn compare(&self, plane: &ControlPlane) -> Result<Compared> {
        let mut compared = Compared::default();
        self.until_exact().await?;
        for Board { window, kinds } in &self.boards {
            self.browser.look_at(window).await?;
            for (place, kind) in kinds.iter().enumerate() {
                compared.note(kind, self.compare_one(plane, place, kind).await?);
            }
        }
        Ok(compared)
    }

    /// Compares again after each change of the page while there are differences: the last changes may be on their
    /// way, and a deleted row stays for some seconds.
    async fn compare_one(
        &self,
        plane: &ControlPlane,
        place: usize,
        kind: &str,
    ) -> Result<Result<Table, String>> {
        let until = Instant::now() + EQUAL_WITHIN;
        loop {
            match compared(plane, kind, self.pane(place, kind).await?)? {
                Ok(ours) => return Ok(Ok(ours)),
                Err(difference) if Instant::now() > until => return Ok(Err(difference)),
                Err(_) => {
                    let pill = format!("deep('.pill')[{place}].textContent");
                    let said = json!(self.browser.text(&pill).await?);
                    self.browser.until("a later moment", &format!("{pill} !== {said}")).await?;
                }
            }
        }
    }

    /// All rows of a pane, one screen of them after the other.
    async fn pane(&self, place: usize, kind: &str) -> Result<Table> {
        let script = format!("{DEEP}{EVERY_CHANGE}{READ_ALL}");
        let read = loop {
            let arguments = vec![json!(place), json!(SCRIPT_MS)];
            let read: Value = self.browser.client().execute_async(&script, arguments).await?;
            if !read.is_null() {
                break read;
            }
        };
        let (resource, columns, rows): (String, Vec<String>, Vec<Vec<String>>) =
            serde_json::from_value(read.clone()).with_context(|| format!("{kind} isn't read: {read}"))?;
        ensure!(kind.split('.').next() == Some(&*resource), "pane {place} shows {resource}, not {kind}");
        Ok(Table { columns, rows })
    }

    pub async fn close(self) -> Result<()> {
        self.browser.close().await
    }
}

const REVISION: &str =
    "Number(deep('.view-host').find((host) => host.dataset.resource === 'pods').dataset.rv)";

/// Scrolls to the first row that wasn't seen yet until all were; gives resource, titles and cells, or nothing
/// when another turn is needed. A view without rows has no titles either, as kubectl prints none.
const READ_ALL: &str = include_str!("every_kind/read_all.js");
