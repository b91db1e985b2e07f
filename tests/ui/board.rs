//! Several views side by side.

use anyhow::{Result, ensure};
use testkit::page;

use crate::rig::Rig;

pub async fn two_panes_over_the_same_rows_keep_their_filters_apart(rig: &Rig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.enter_table().await?;
    browser.press("b").await?;
    browser.until("two panes", "deep('.view-host').length === 2 && location.pathname === '/b'").await?;
    browser
        .until("both have rows", "deep('#row-count').every((count) => !count.textContent.startsWith('no'))")
        .await?;
    // The new one has the reader.
    browser.press("/").await?;
    browser.press("nothing-is-called-so").await?;
    browser
        .until(
            "the other one has all its rows",
            "deep('#row-count')[1].textContent.startsWith('0 of') && !deep('#row-count')[0].textContent.includes('of')",
        )
        .await?;
    browser.until("the health of both", "shown('#health').includes('2 views live')").await?;
    browser.click("[data-panes] .pane:nth-child(2) .view-host").await?;
    browser.until("its button", "deep('#close').length === 2").await?;
    browser.run(&format!("{}; deep('#close')[1].click();", page::DEEP), Vec::new()).await?;
    browser
        .until("one view again", "deep('.view-host').length === 1 && location.pathname.startsWith('/v/pods')")
        .await
}

pub async fn a_board_is_one_link_over_one_socket(rig: &Rig) -> Result<()> {
    let browser = &rig.browser;
    let link = "/b?v=pods@/*;q=kube;sort=-age&v=nodes@/-&v=deployments.apps@/*&log=events@/*";
    rig.go(link).await?;
    browser.until("four views live", "shown('#health').includes('4 views live')").await?;
    browser
        .until("each has its rows", "deep('[role=grid]').length === 3 && deep('#log').length === 1")
        .await?;
    let address = browser.text("location.pathname + location.search").await?;
    ensure!(address.replace(&format!("@{}", rig.cluster), "@") == link, "the link became {address}");
    let sockets =
        "performance.getEntriesByType('resource').filter((entry) => entry.name.includes('/api/ws')).length";
    ensure!(browser.read(sockets).await?.as_u64().unwrap_or_default() <= 1, "more than one socket");
    // The link is the state: somebody who gets it sees the same.
    browser.open(&format!("{}{address}", rig.dogwatch.origin())).await?;
    browser
        .until("the same four", "shown('#health').includes('4 views live') && deep('#log').length === 1")
        .await?;
    let filter = browser.text("deep('.pane-query')[0].textContent").await?;
    ensure!(filter == "kube", "the first pane's filter is {filter:?}");
    Ok(())
}
