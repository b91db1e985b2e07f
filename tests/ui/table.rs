//! One table: the file that is downloaded, the focus, and the rows of the window.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use testkit::browser::Look;
use testkit::input::{IN_A_ROW, To};
use testkit::kubectl_table::Table;
use testkit::{page, planes};

use crate::rig::UiRig;

/// A drag over a name, the browser's own find, and the new tab of a link.
async fn a_name_is_text_and_a_link(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    let name =
        "rows().map((row) => row.querySelector('a.name')).find((name) => name.textContent.length > 12)";
    let of_name = browser
        .awaited(
            "a name",
            &format!("[{name}].map((name) => [name.textContent, name.getAttribute('href')])[0]"),
        )
        .await?;
    let (whole, href): (String, String) = serde_json::from_value(of_name)?;
    ensure!(browser.read(&format!("window.find({whole:?}, true)")).await? == true, "{whole} isn't found");
    ensure!(href.contains("o=") && href.ends_with(&whole), "{href}");
    let at = browser.text("location.href").await?;
    browser.drag(&format!("{name}.querySelector('.name-owner')"), To::Right(50.0)).await?;
    let selected = "(document.activeElement.shadowRoot?.getSelection?.() ?? getSelection()).toString()";
    let text = browser.text(selected).await?;
    ensure!(text.len() > 2 && whole.contains(text.trim()), "{text:?} of {whole} is selected");
    ensure!(browser.text("location.href").await? == at, "the drag opened the panel");
    Ok(())
}

/// Keeps the text of what is downloaded in `window.files`.
const KEEP_FILES: &str = r"
window.files = [];
const make = URL.createObjectURL;
URL.createObjectURL = (blob) => {
  blob.text().then((text) => { window.files.push(text); document.title = 'a file'; });
  return make.call(URL, blob);
};";

#[tokio::test]
async fn the_file_and_the_kubectl_command_hold_what_is_shown() -> Result<()> {
    let plane = planes::filled()?;
    let rig = UiRig::of_plane(plane, Look::default()).await?;
    let browser = &rig.browser;
    rig.go("/v/nodes@/-?wide=1&sort=-name").await?;
    browser.until("nodes", "rows().length > 1").await?;
    browser.enter_table().await?;
    browser.press("K").await?;
    browser.until("the command", "shown('#command').includes(' get nodes ')").await?;
    browser.run(KEEP_FILES, Vec::new()).await?;
    let shown = page::table(browser).await?;
    browser.click(".export-files button:nth-of-type(2)").await?;
    browser.until("a file", "window.files.length === 1").await?;
    let file: Vec<serde_json::Map<String, Value>> =
        serde_json::from_str(&browser.text("window.files[0]").await?)?;
    let mut names: Vec<&str> = shown.rows.iter().filter_map(|row| Some(row.first()?.as_str())).collect();
    let in_file: Vec<&str> = file.iter().filter_map(|row| row.get("NAME")?.as_str()).collect();
    ensure!(in_file == names, "the file has {in_file:?}");
    let columns = file.first().map(|row| row.len()).unwrap_or_default();
    ensure!(columns == shown.columns.len(), "{columns} of {} columns", shown.columns.len());
    let line = browser.text("shown('#command')").await?;
    let arguments: Vec<&str> = line.split(' ').skip(1).filter(|word| *word != "--watch").collect();
    let printed = Table::parse(&plane.kubectl_output(&arguments)?);
    let theirs: Vec<&str> = printed.rows.iter().filter_map(|row| Some(row.first()?.as_str())).collect();
    names.sort();
    ensure!(theirs == names, "the command prints {theirs:?}");
    rig.browser.close().await
}

#[tokio::test]
async fn the_focus_is_a_row_and_rows_of_the_window_are_used_again() -> Result<()> {
    let rig = UiRig::of_demo().await?;
    a_name_is_text_and_a_link(&rig).await?;
    the_focus_is_a_row_and_never_a_place(&rig).await?;
    rows_of_the_window_are_used_again_and_stand_in_order(&rig).await?;
    rig.browser.close().await
}

async fn the_focus_is_a_row_and_never_a_place(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.enter_table().await?;
    browser.press("jj").await?;
    // Or a later one, where rows came above it at this moment.
    let third =
        "deep('.tr-focus').find((row) => Number(row.getAttribute('aria-rowindex')) >= 4)?.dataset.row";
    let row: String = serde_json::from_value(browser.awaited("the third row", third).await?)?;
    browser.click("[role=columnheader]:nth-child(3) button").await?;
    browser.click("[role=columnheader]:nth-child(3) button").await?;
    browser.until("the other order", "deep('[aria-sort=descending]').length === 1").await?;
    let focused = browser.text("deep('.tr-focus')[0]?.dataset.row ?? ''").await?;
    let exists =
        browser.read(&format!("deep('[data-row=\"{row}\"]').length")).await?.as_u64().context("a number")?;
    ensure!(focused == row || exists == 0, "the focus went from {row} to {focused}");
    Ok(())
}

/// Meanwhile the focused row keeps the keyboard.
async fn rows_of_the_window_are_used_again_and_stand_in_order(rig: &UiRig) -> Result<()> {
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
