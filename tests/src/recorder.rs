//! Remembers what a page shows from now on, so that nothing is missed between two looks at it: each word of the pill, each sentence, and whether the table was ever empty.

use anyhow::{Context, Result};
use serde_json::Value;

use crate::browser::{Browser, EVERY_CHANGE};
use crate::page::DEEP;

/// What a person would have seen, in this order, each once in a row.
#[derive(Clone, Debug)]
pub struct Seen {
    pub pills: Vec<String>,
    /// The texts of the notice line, of the empty state in place of rows, and of the bar.
    pub words: Vec<String>,
    pub rows_least: u64,
}

impl Default for Seen {
    /// Nothing yet.
    fn default() -> Self {
        Self { pills: Vec::new(), words: Vec::new(), rows_least: u64::MAX }
    }
}

impl Seen {
    /// What is on screen now.
    pub fn note(&mut self, pill: &str, words: &str, rows: usize) {
        for (list, text) in [(&mut self.pills, pill), (&mut self.words, words)] {
            if !text.is_empty() && list.last().is_none_or(|last| last != text) {
                list.push(text.to_owned());
            }
        }
        self.rows_least = self.rows_least.min(rows as u64);
    }
}

/// `seen` is what there was since the last call of this.
const RECORD: &str = include_str!("recorder/record.js");

pub async fn start(browser: &Browser) -> Result<()> {
    browser.run(&format!("{DEEP}{EVERY_CHANGE}{RECORD}"), Vec::new()).await.map(drop)
}

pub async fn seen(browser: &Browser) -> Result<Seen> {
    let seen = browser.run("return window.seen", Vec::new()).await?;
    let texts = |key: &str| -> Result<Vec<String>> {
        let list = seen.get(key).and_then(Value::as_array).context("a recorder runs in this window")?;
        Ok(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    };
    let rows_least = seen.get("rows").and_then(Value::as_u64).unwrap_or_default();
    Ok(Seen { pills: texts("pills")?, words: texts("words")?, rows_least })
}
