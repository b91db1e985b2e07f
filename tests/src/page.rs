//! Reads the page as a person does: the cells on screen, the pill, the notice line. Through every
//! shadow root, by roles and texts; never through the page's own code.

use anyhow::{Context, Result};
use serde_json::Value;

use crate::browser::Browser;
use crate::kubectl_table::Table;

/// `deep(selector)`: all matches in the document and in every shadow root.
pub const DEEP: &str = r"
const deep = (selector) => {
  const found = [];
  const walk = (root) => {
    root.querySelectorAll(selector).forEach((element) => found.push(element));
    root.querySelectorAll('*').forEach((element) => { if (element.shadowRoot) walk(element.shadowRoot); });
  };
  walk(document);
  return found;
};
const shown = (selector) => deep(selector).map((element) => element.textContent.trim()).join(' | ');
const rows = () => deep('[role=grid] [role=row]')
  .filter((row) => row.querySelector('[role=gridcell],[role=rowheader]') && !row.hasAttribute('data-deleted'))
  .sort((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')));
const cells = (row) => [...row.querySelectorAll('[role=gridcell],[role=rowheader]')].slice(1).map((cell) => cell.textContent);
const rowOf = (name) => rows().find((row) => cells(row).includes(name));
const count = () => Number((deep('[role=grid]')[0]?.getAttribute('aria-rowcount') ?? '0')) - 1;
";

/// The table on screen. The first column is the gutter, which kubectl doesn't have.
///
/// # Errors
/// When there is no table.
pub async fn table(browser: &Browser) -> Result<Table> {
    const READ: &str = r"
      const titles = deep('[role=grid] [role=columnheader]').slice(1).map((title) => title.textContent.trim());
      return [titles, rows().map(cells)];
    ";
    let read = browser.run(&format!("{DEEP}{READ}"), Vec::new()).await?;
    let (columns, rows): (Vec<String>, Vec<Vec<String>>) =
        serde_json::from_value(read).context("the page has titles and cells")?;
    Ok(Table { columns, rows })
}

/// What the pill says, such as `Live · confirmed 2 s ago`.
///
/// # Errors
/// When the page can't be read.
pub async fn pill(browser: &Browser) -> Result<String> {
    let text = browser.run(&format!("{DEEP}return shown('.pill');"), Vec::new()).await?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

/// The wide table of a kind as a link, on the cluster that the page shows; `*` is all namespaces.
///
/// # Errors
/// When the page's address names no cluster.
pub async fn link(browser: &Browser, origin: &str, kind: &str, namespaces: &str) -> Result<String> {
    let path = browser.run("return location.pathname", Vec::new()).await?;
    let cluster =
        path.as_str().and_then(|path| path.split('@').nth(1)).and_then(|rest| rest.split('/').next());
    let cluster = cluster.context("the page's address names the cluster")?;
    Ok(format!("{origin}/v/{kind}@{cluster}/{namespaces}?wide=1"))
}

/// Waits for the pill's word, such as `Live`.
///
/// # Errors
/// When it never says so.
pub async fn until_pill(browser: &Browser, word: &str) -> Result<()> {
    browser.until(&format!("the pill says {word}"), &format!("shown('.pill').includes('{word}')")).await
}

/// How many rows the view has, on screen or not.
///
/// # Errors
/// When there is no table.
pub async fn count(browser: &Browser) -> Result<i64> {
    let count = browser.run(&format!("{DEEP}return count();"), Vec::new()).await?;
    count.as_f64().map(|count| count as i64).context("a number")
}

/// What the browser's console holds of errors: reports of the CSP and panics among them.
///
/// # Errors
/// When the log can't be read.
pub async fn console_errors(browser: &Browser) -> Result<Vec<String>> {
    let script = "return (window.__errors ?? []);";
    let errors = browser.run(script, Vec::new()).await?;
    Ok(errors.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
}
