//! The event log of a view.

use anyhow::{Result, ensure};
use tests::hand::{BACKSPACE, SPACE};

use crate::Scene;

const LINES: &str = "deep('.log-lines > [role=row]')";

pub async fn every_event_is_a_line(scene: &Scene) -> Result<()> {
    let browser = &scene.browser;
    scene.go_to_pods().await?;
    browser.click("#look").await?;
    browser.until("the address says so", "location.pathname.startsWith('/log/pods@')").await?;
    browser
        .until("a change with its field", &format!("{LINES}.some((row) => row.querySelector('.chg-path'))"))
        .await?;
    let line =
        browser.text(&format!("{LINES}.find((row) => row.querySelector('.chg-path')).textContent")).await?;
    ensure!(line.contains("MODIFIED"), "a change is MODIFIED: {line}");
    browser
        .until(
            "a writer and a resourceVersion",
            &format!("{LINES}.some((row) => row.children[4]?.textContent && /^\\d+$/.test(row.children[5]?.textContent))"),
        )
        .await?;
    // The counts of the types are those of the lines.
    browser
        .until("as many as are told", &format!("shown('#row-count').startsWith(String({LINES}.length))"))
        .await
}

pub async fn a_log_is_filtered_paused_and_cleared(scene: &Scene) -> Result<()> {
    let browser = &scene.browser;
    scene.go("/log/pods@/*").await?;
    browser.until("events", &format!("{LINES}.length > 1")).await?;
    browser.press("/").await?;
    browser.press("no-field-is-called-so").await?;
    browser.until("none matches", "shown('.log').includes('No event matches')").await?;
    for _ in 0.."no-field-is-called-so".len() {
        browser.press(&BACKSPACE.to_string()).await?;
    }
    browser.until("all again", &format!("{LINES}.length > 1")).await?;
    // What isn't asked for isn't shown, and its count stays.
    browser.click(".ev-toggle:nth-of-type(2)").await?;
    browser
        .until("no change is shown", &format!("!{LINES}.some((row) => row.textContent.includes('MODIFIED'))"))
        .await?;
    browser.click(".ev-toggle:nth-of-type(2)").await?;
    browser
        .until("changes again", &format!("{LINES}.some((row) => row.textContent.includes('MODIFIED'))"))
        .await?;
    browser.click("#log").await?;
    browser.press(&SPACE.to_string()).await?;
    browser.until("it is paused", "shown('.pill').includes('Paused')").await?;
    let before = browser.text(&format!("{LINES}.map((row) => row.textContent).join()")).await?;
    browser.until("events wait", "/[1-9]\\d* events? waiting/.test(shown('.pill'))").await?;
    let after = browser.text(&format!("{LINES}.map((row) => row.textContent).join()")).await?;
    ensure!(before == after, "a paused log stands still");
    browser.press(&SPACE.to_string()).await?;
    browser.until("it goes on", "shown('.pill').includes('Live')").await?;
    browser.click("#clear").await?;
    browser.until("it is empty, or begins anew", &format!("{LINES}.length < 3")).await
}
