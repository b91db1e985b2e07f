//! The event log of a view.

use anyhow::{Result, ensure};
use testkit::input::{BACKSPACE, SPACE};

use crate::rig::Rig;

const LINES: &str = "deep('.log-lines > [role=row]')";
/// How many events there are, in the strip's words.
const TOLD: &str = "Number(deep('#row-count b')[0].textContent.replaceAll(',', ''))";

pub async fn every_event_is_a_line(rig: &Rig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.click("#look").await?;
    browser.until("the address says so", "location.pathname.startsWith('/log/pods@')").await?;
    let changes = format!("{LINES}.filter((row) => row.querySelector('.chg-path'))");
    browser
        .until(
            "a change with its field, which is MODIFIED",
            &format!(
                "{changes}.length > 0 && {changes}.every((row) => row.textContent.includes('MODIFIED'))"
            ),
        )
        .await?;
    browser
        .until(
            "a writer and a resourceVersion",
            &format!("{LINES}.some((row) => row.children[4]?.textContent && /^\\d+$/.test(row.children[5]?.textContent))"),
        )
        .await?;
    // Only the lines of the window exist, and it stands at the end.
    let last = format!("Number(deep('.log-lines')[0].dataset.first) + {LINES}.length");
    browser.until("as many as are told", &format!("{TOLD} === {last}")).await
}

pub async fn a_log_is_filtered_paused_and_cleared(rig: &Rig) -> Result<()> {
    let browser = &rig.browser;
    rig.go("/log/pods@/*").await?;
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
    // What was there is gone, however much comes meanwhile: the lines are taken at the moment of the click.
    let clear = format!(
        "(window.before = {LINES}.map((row) => row.textContent), window.told = {TOLD}, deep('#clear')[0].click())"
    );
    browser.read(&clear).await?;
    let is_new = format!("!{LINES}.some((row) => window.before.includes(row.textContent))");
    browser.until("it begins anew", &format!("{is_new} && {TOLD} < window.told")).await
}
