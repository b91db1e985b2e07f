//! One table: pause, selection, files, focus.

use anyhow::{Context, Result, ensure};
use cluster::ControlPlane;
use serde_json::Value;
use testkit::input::{ESCAPE, IN_A_ROW, SPACE};
use testkit::kubectl_table::Table;
use testkit::page;

use crate::rig::Rig;

/// Hands what is downloaded to the test.
const KEEP_FILES: &str = r"
window.files = [];
const make = URL.createObjectURL;
URL.createObjectURL = (blob) => {
  blob.text().then((text) => { window.files.push(text); document.title = 'a file'; });
  return make.call(URL, blob);
};";

pub async fn what_is_paused_stands_still(rig: &Rig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.enter_table().await?;
    browser.press(&SPACE.to_string()).await?;
    browser.until("the pill says so", "shown('.pill').includes('Paused')").await?;
    let before = page::table(browser).await?;
    browser.until("changes wait", "/[1-9]\\d* changes? waiting/.test(shown('.pill'))").await?;
    let told = browser.text("shown('.notice')").await?;
    ensure!(told.contains("Paused at") && told.contains("modified"), "the notice says what waits: {told}");
    // Ages stand still as well: nothing of a paused table moves.
    page::table(browser).await?.compare(&before).map_err(anyhow::Error::msg)?;
    browser.press(&SPACE.to_string()).await?;
    page::until_pill(browser, "Live").await
}

pub async fn rows_that_were_selected_stay_selected(rig: &Rig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.enter_table().await?;
    browser.press("xjjX").await?;
    // Three, unless one comes or goes between them at this moment.
    browser.until("some are chosen", "/([2-9]|\\d\\d) selected/.test(shown('.strip'))").await?;
    let chosen =
        "JSON.stringify(deep('[role=row][aria-selected=true]').map((row) => row.dataset.row).sort())";
    let before = browser.text(chosen).await?;
    // By name, and round again: other places, the same rows.
    browser.click("[role=columnheader]:nth-child(3) button").await?;
    browser.click("[role=columnheader]:nth-child(3) button").await?;
    browser.until("the other order", "deep('[aria-sort=descending]').length === 1").await?;
    browser.press("/").await?;
    browser.press("nothing-is-called-so").await?;
    browser
        .until("they are hidden", "/[1-9]\\d* selected, hidden by the filter/.test(shown('.strip'))")
        .await?;
    browser.press(&ESCAPE.to_string()).await?;
    browser.until("all rows", "rows().length > 5").await?;
    browser.click("[role=columnheader]:nth-child(3) button").await?;
    browser.until("the first order", "deep('[aria-sort]').length === 0").await?;
    let after = browser.text(chosen).await?;
    // A chosen one may have been deleted meanwhile; no other one is ever chosen.
    let (before, after): (Vec<String>, Vec<String>) =
        (serde_json::from_str(&before)?, serde_json::from_str(&after)?);
    let is_kept = !after.is_empty() && after.iter().all(|row| before.contains(row));
    ensure!(is_kept, "{after:?} instead of {before:?}");
    browser.enter_table().await?;
    browser.press(&ESCAPE.to_string()).await?;
    browser.until("none is chosen", "!shown('.strip').includes('selected')").await
}

pub async fn what_is_exported_is_what_is_shown(rig: &Rig, plane: Option<&ControlPlane>) -> Result<()> {
    let browser = &rig.browser;
    rig.go("/v/nodes@/-?wide=1&sort=-name").await?;
    browser.until("nodes", "rows().length > 2").await?;
    browser.enter_table().await?;
    browser.press("K").await?;
    browser.until("the command", "shown('#command').includes('kubectl get nodes')").await?;
    browser.run(KEEP_FILES, Vec::new()).await?;
    let shown = page::table(browser).await?;
    browser.click(".take-files button:nth-of-type(2)").await?;
    browser.until("a file", "window.files.length === 1").await?;
    let file: Vec<serde_json::Map<String, Value>> =
        serde_json::from_str(&browser.text("window.files[0]").await?)?;
    let names = |column: usize| shown.rows.iter().filter_map(move |row| row.get(column)).collect::<Vec<_>>();
    let told: Vec<&str> = file.iter().filter_map(|row| row.get("NAME")?.as_str()).collect();
    ensure!(told == names(0), "the file has {told:?}");
    let columns = file.first().map(|row| row.len()).unwrap_or_default();
    ensure!(columns == shown.columns.len(), "{columns} of {} columns", shown.columns.len());
    if let Some(plane) = plane {
        let line = browser.text("shown('#command')").await?;
        let words: Vec<&str> = line.split(' ').skip(1).filter(|word| *word != "--watch").collect();
        let printed = Table::parse(&plane.kubectl_output(&words)?);
        let theirs: Vec<&String> = printed.rows.iter().filter_map(|row| row.first()).collect();
        let mut ours = names(0);
        ours.sort();
        ensure!(theirs == ours, "the command prints {theirs:?}");
    }
    browser.press(&ESCAPE.to_string()).await?;
    browser.until("it is closed", "deep('.pop-kubectl').length === 0").await
}

pub async fn the_focus_is_a_row_and_never_a_place(rig: &Rig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.enter_table().await?;
    browser.press("jj").await?;
    // Or a later one, where rows came above it at this moment.
    browser
        .until("the third row", "Number(deep('.tr-focus')[0]?.getAttribute('aria-rowindex')) >= 4")
        .await?;
    let row = browser.text("deep('.tr-focus')[0].dataset.row").await?;
    browser.click("[role=columnheader]:nth-child(3) button").await?;
    browser.click("[role=columnheader]:nth-child(3) button").await?;
    browser.until("the other order", "deep('[aria-sort=descending]').length === 1").await?;
    let focused = browser.text("deep('.tr-focus')[0]?.dataset.row ?? ''").await?;
    let exists =
        browser.read(&format!("deep('[data-row=\"{row}\"]').length")).await?.as_u64().context("a number")?;
    ensure!(focused == row || exists == 0, "the focus went from {row} to {focused}");
    Ok(())
}

/// A reader's row keeps the keyboard meanwhile.
pub async fn rows_of_the_window_are_used_again_and_stand_in_order(rig: &Rig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.enter_table().await?;
    let scroll = |to: &str| {
        format!("{} const body = deep('.tbody')[0]; body.scrollTop = {to}; {MARK_ROWS}", page::DEEP)
    };
    let last = "rows().some((row) => Number(row.getAttribute('aria-rowindex')) === count() + 1)";
    browser.run(&scroll("(body.scrollHeight - body.clientHeight) / 2"), Vec::new()).await?;
    browser.until("in order", IN_ORDER).await?;
    browser.run(&scroll("body.scrollHeight"), Vec::new()).await?;
    browser.until("the last row", last).await?;
    browser.until("in order at the end", IN_ORDER).await?;
    let again = "deep('.tspace > .tr').filter((row) => row.wasSeen).length > 1";
    ensure!(browser.read(again).await? == true, "every row was made anew");
    browser.until("the keyboard is where it was", IN_A_ROW).await?;
    browser.run(&scroll("0"), Vec::new()).await?;
    browser.until("the first row, in order", &format!("{IN_ORDER} && rows()[0].ariaRowIndex === '2'")).await
}

const MARK_ROWS: &str = "for (const row of deep('.tspace > .tr')) row.wasSeen = true;";

/// By the document.
const IN_ORDER: &str = "deep('.tspace > .tr').map((row) => Number(row.getAttribute('aria-rowindex')))\
     .every((place, at, all) => at === 0 || place > all[at - 1])";
