//! The reader's place: the keyboard goes on where it was while columns, the panel and the log come and go,
//! and what came in above the window is named.

use anyhow::{Result, ensure};
use playground::{Fault, Playground, Rule};
use serde_json::{Value, json};
use testkit::input::{ENTER, ESCAPE, IN_A_ROW};
use testkit::load::refused;
use testkit::page;

use crate::rig::{UiRig, playground_of};

fn pods(names: impl Iterator<Item = String>) -> Vec<Value> {
    names
        .map(|name| {
            json!({"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": name, "namespace": "shop", "uid": name},
                "spec": {"containers": [{"name": "c", "image": "i"}]}, "status": {"phase": "Running"}})
        })
        .collect()
}

async fn of_sixty() -> Result<(Playground, UiRig)> {
    let playground = playground_of(pods((0..60).map(|number| format!("pod-{number:02}")))).await?;
    let rig = UiRig::of_playground(&playground).await?;
    rig.go("/v/pods@/*?sort=-name").await?;
    rig.browser.until("all pods", "count() === 60").await?;
    Ok((playground, rig))
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_come_in_above_the_window_are_named_until_they_were_seen() -> Result<()> {
    let (playground, rig) = of_sixty().await?;
    let browser = &rig.browser;
    browser.run(&format!("{} deep('.tbody')[0].scrollTop = 420", page::DEEP), Vec::new()).await?;
    browser.until("the sixteenth row is the first", "shown('.strip').includes('rows 16')").await?;
    let place = "String(rowOf('pod-40').getBoundingClientRect().top)";
    let before = browser.text(place).await?;
    playground.load(pods(["pod-98", "pod-99", "a-pod"].map(str::to_owned).into_iter())).map_err(refused)?;
    browser.until("the two that are above", "shown('.above') === '2 new rows above'").await?;
    browser.until("all", "count() === 63").await?;
    let after = browser.text(place).await?;
    ensure!(after == before, "what is read moved from {before} to {after}");
    browser.click(".above").await?;
    browser.until("the first rows", "shown('.tr-focus').includes('pod-99')").await?;
    browser.until("seen", "deep('.above').length === 0").await?;
    rig.browser.close().await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keyboard_goes_on_at_its_row_when_columns_panel_and_log_come_and_go() -> Result<()> {
    let (_playground, rig) = of_sixty().await?;
    let browser = &rig.browser;
    let at = |row: &'static str| format!("shown('.tr-focus').includes('{row}')");
    browser.enter_table().await?;
    browser.press("j").await?;
    browser.until("the second row", &at("pod-58")).await?;
    browser.press("w").await?;
    browser.until("wide columns", "shown('[role=columnheader]').includes('NODE')").await?;
    until_focused(&rig).await?;
    browser.press("j").await?;
    browser.until("the third row", &at("pod-57")).await?;
    browser.press(ENTER).await?;
    browser.until("the panel", "deep('#panel').length === 1").await?;
    browser.press(ESCAPE).await?;
    browser.until("no panel", "deep('#panel').length === 0").await?;
    browser.press("w").await?;
    browser.until("no wide columns", "!shown('[role=columnheader]').includes('NODE')").await?;
    until_focused(&rig).await?;
    browser.press("j").await?;
    browser.until("the fourth row", &at("pod-56")).await?;
    browser.press("l").await?;
    browser
        .until("the log has the keys", "deep('#log').length === 1 && deep('#log:focus').length === 1")
        .await?;
    browser.press("l").await?;
    browser.until("the table", "deep('#log').length === 0").await?;
    until_focused(&rig).await?;
    browser.press("j").await?;
    browser.until("the fifth row", &at("pod-55")).await?;
    browser.press("s").await?;
    browser.until("the usual order", "deep('[aria-sort]').length === 0").await?;
    until_focused(&rig).await?;
    browser.press("?").await?;
    browser.until("the keys", "deep('#help').length === 1").await?;
    browser.press(ESCAPE).await?;
    until_focused(&rig).await?;
    browser.press("/").await?;
    browser.press(&format!("pod-4{ENTER}")).await?;
    browser.until("what was looked for", "rows().length === 10").await?;
    until_focused(&rig).await?;
    browser.press(":").await?;
    browser.press(&format!("namespaces{ENTER}")).await?;
    browser
        .until("the namespaces", "location.pathname.includes('/v/namespaces@') && rows().length > 1")
        .await?;
    until_focused(&rig).await?;
    rig.browser.close().await
}

/// What had the focus is gone with the rows, and the letters are the view's all the same.
#[tokio::test(flavor = "multi_thread")]
async fn the_keyboard_goes_on_after_rows_left_and_came_back() -> Result<()> {
    let (playground, rig) = of_sixty().await?;
    let browser = &rig.browser;
    browser.enter_table().await?;
    browser.press("j").await?;
    playground.fault(Rule::new(Fault::Forbidden));
    browser.until("no rows", "shown('.pill').includes('Forbidden') && rows().length === 0").await?;
    playground.clear_faults();
    browser.until("the rows", "shown('.pill').includes('Live') && rows().length > 1").await?;
    browser.until("nothing has the focus", "document.activeElement === document.body").await?;
    browser.press("w").await?;
    browser.until("wide columns", "shown('[role=columnheader]').includes('NODE')").await?;
    browser.press("j").await?;
    until_focused(&rig).await?;
    rig.browser.close().await
}

#[tokio::test(flavor = "multi_thread")]
async fn letters_work_at_every_button_and_are_text_in_fields() -> Result<()> {
    let (_playground, rig) = of_sixty().await?;
    let browser = &rig.browser;
    for button in ["#copy-link", "#columns", "button.picker", ".nav-tree a", ".th-btn"] {
        let focused = format!("deep('{button}').some((held) => held.matches(':focus'))");
        let focus = format!("{} deep('{button}')[0].focus()", page::DEEP);
        browser.run(&focus, Vec::new()).await?;
        browser.until(&format!("{button} has the focus"), &focused).await?;
        browser.press("j").await?;
        until_focused(&rig).await?;
    }
    browser.press("/").await?;
    browser.press("j").await?;
    browser.until("a letter", "deep('.filter input')[0].value === 'j'").await?;
    rig.browser.close().await
}

/// Keys reach a row again.
async fn until_focused(rig: &UiRig) -> Result<()> {
    rig.browser.until("a row has the focus", IN_A_ROW).await
}
