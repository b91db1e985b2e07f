//! What is never cut in a table, whatever its width: a name but for its hash, a status, an address, a count, an age.

use anyhow::{Result, ensure};
use testkit::input::{ENTER, ESCAPE};
use testkit::page;

use testkit::browser::Browser;

const KINDS: [&str; 5] = ["pods", "deployments.apps", "nodes", "services", "events"];
/// A board of four, the same with all wide columns, and one of six.
const BOARDS: [(usize, &str); 3] = [(4, ""), (4, ";wide=1"), (6, "")];

/// Opens each kind beside its panel, in a narrow window and on a board, with the wide columns as they come, without
/// them and with all.
pub async fn nothing_that_matters_is_cut(browser: &Browser, origin: &str, cluster: &str) -> Result<()> {
    let mut cut: Vec<String> = Vec::new();
    for kind in KINDS {
        browser.resize(1440, 900, 1).await?;
        browser.open(&format!("{origin}/v/{kind}@{cluster}/{}", namespaces(kind))).await?;
        page::until_pill(browser, "Live").await?;
        browser.until(kind, "rows().length > 0").await?;
        browser.enter_table().await?;
        for wide in ["auto", "wide", "narrow"] {
            cut.extend(found(browser, &format!("{kind} at 1440, {wide}")).await?);
            browser.press(ENTER).await?;
            browser.until("the panel", "deep('.split-open').length === 1").await?;
            cut.extend(found(browser, &format!("{kind} beside the panel, {wide}")).await?);
            browser.press(ESCAPE).await?;
            browser.until("no panel", "deep('.split-open').length === 0").await?;
            for width in [500, 390, 2560] {
                browser.resize(width, 800, 1).await?;
                cut.extend(found(browser, &format!("{kind} at {width}, {wide}")).await?);
            }
            browser.resize(1440, 900, 1).await?;
            browser.press("w").await?;
        }
    }
    for (count, wide) in BOARDS {
        let panes = KINDS.into_iter().chain(["jobs.batch"]).take(count);
        let panes = panes.map(|kind| format!("v={kind}@{cluster}/{}{wide}", namespaces(kind)));
        browser.open(&format!("{origin}/b?{}", panes.collect::<Vec<_>>().join("&"))).await?;
        browser.until("all panes", &format!("deep('.pill-live').length === {count}")).await?;
        cut.extend(found(browser, &format!("a board of {count}{wide}")).await?);
    }
    ensure!(cut.is_empty(), "{}", cut.join("\n"));
    Ok(())
}

fn namespaces(kind: &str) -> &'static str {
    if kind == "nodes" { "-" } else { "*" }
}

/// What is cut, once the table has its width.
async fn found(browser: &Browser, place: &str) -> Result<Vec<String>> {
    browser.run(FRAMES, Vec::new()).await?;
    browser.until(place, "document.body.dataset.frames === 'over'").await?;
    let found = browser.run(&format!("{}{CUT}", page::DEEP), Vec::new()).await?;
    let found: Vec<String> = serde_json::from_value(found)?;
    Ok(found.iter().map(|found| format!("{place}: {found}")).collect())
}

/// One frame for the browser's sizes, one for the page's answer, and one that has drawn it.
const FRAMES: &str = "document.body.dataset.frames = '';
    const wait = (left) => requestAnimationFrame(() => left ? wait(left - 1) : document.body.dataset.frames = 'over');
    wait(3);";
const CUT: &str = include_str!("room/cut.js");
