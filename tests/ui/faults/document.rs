//! Reads the tables of docs/BREAK-IT.md. It knows their columns and nothing of what is in them.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use testkit::recorder::Seen;

const DOCUMENT: &str = include_str!("../../../docs/BREAK-IT.md");
const COLUMNS: &str = "| fault | command | pill | words | rows | then |";

/// One row: what a person does and what they see.
#[derive(Clone, Debug)]
pub struct Case {
    pub title: String,
    pub posts: Vec<Post>,
    /// The pill's words, in this order.
    pub pills: Vec<String>,
    /// Parts of what the notice line says, or of what stands in place of the rows.
    pub words: Vec<String>,
    pub rows: Rows,
    /// Parts of what it says once it is mended, where something was lost.
    pub then: Vec<String>,
}

/// What a command sends to the playground's admin API.
#[derive(Clone, Debug)]
pub struct Post {
    pub path: String,
    pub body: Value,
}

/// What becomes of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    Stay,
    Leave,
    /// The page is opened after the fault.
    Come,
}

impl Case {
    /// The pill's words in their order, and the sentences.
    pub fn is_said(&self, seen: &Seen) -> bool {
        let mut pills = seen.pills.iter();
        self.pills.iter().all(|wanted| pills.any(|pill| pill == wanted))
            && self.words.iter().all(|part| seen.words.iter().any(|text| text.contains(part)))
    }

    /// Whether the server answers no request until the fault is taken away, so that every kind is stale. A credential that
    /// isn't taken has words of its own where nothing is held.
    pub fn is_of_whole_server(&self) -> bool {
        let is_of_some = |post: &Post| {
            let has = |field: &str| post.body.get(field).is_some();
            has("verb") || has("resource") || has("action") || post.name() == "unauthorized"
        };
        self.pills.last().is_some_and(|pill| pill == "Stale") && !self.posts.iter().any(is_of_some)
    }
}

impl Post {
    /// The fault's or the action's name.
    pub fn name(&self) -> String {
        let named = self.body.get("fault").or(self.body.get("action"));
        let key = |named: &Value| named.as_object()?.keys().next().cloned();
        named.and_then(|named| named.as_str().map(str::to_owned).or(key(named))).unwrap_or_default()
    }
}

/// The table below a heading.
pub fn cases(heading: &str) -> Result<Vec<Case>> {
    let mut lines = DOCUMENT.lines().skip_while(|line| *line != format!("## {heading}"));
    lines.next().with_context(|| format!("docs/BREAK-IT.md has no section {heading:?}"))?;
    let mut table = lines.take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with('|'));
    ensure!(table.next() == Some(COLUMNS), "the columns of {heading:?} are {COLUMNS}");
    // The rule below the titles.
    table.next();
    let cases: Vec<Case> =
        table.map(|line| case(line).with_context(|| line.to_owned())).collect::<Result<_>>()?;
    ensure!(!cases.is_empty(), "{heading:?} has rows");
    Ok(cases)
}

fn case(line: &str) -> Result<Case> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [title, command, pill, words, rows, then] = cells.as_slice() else { bail!("a row has six cells") };
    Ok(Case {
        title: (*title).to_owned(),
        posts: command.split(" and ").map(post).collect::<Result<_>>()?,
        pills: pill.split(", ").map(str::to_owned).collect(),
        words: parts(words),
        rows: match *rows {
            "stay" => Rows::Stay,
            "leave" => Rows::Leave,
            "come" => Rows::Come,
            other => bail!("rows stay, leave or come: {other:?}"),
        },
        then: if *then == "nothing was lost" { Vec::new() } else { parts(then) },
    })
}

fn post(command: &str) -> Result<Post> {
    let read = || {
        let (place, rest) = command.strip_prefix("`curl $ADMIN/")?.split_once(" --json '")?;
        Some((format!("/_playground/{place}"), rest.strip_suffix("'`")?))
    };
    let (path, body) = read().context("a command is `curl $ADMIN/… --json '…'`")?;
    Ok(Post { path, body: serde_json::from_str(body)? })
}

/// `…` stands for whatever is different each time.
fn parts(cell: &str) -> Vec<String> {
    cell.split('…').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
