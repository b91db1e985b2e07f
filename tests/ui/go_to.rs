//! "Go to", and the navigation's pins.

use anyhow::Result;
use testkit::input::ENTER;
use testkit::page;

use crate::rig::Rig;

pub async fn a_few_letters_lead_to_a_kind_and_a_namespace(rig: &Rig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.enter_table().await?;
    browser.press(":").await?;
    browser.until("it is open", "deep('#palette').length === 1").await?;
    browser.press("deploy shop").await?;
    browser.until("it was found", "shown('[role=option][aria-selected=true]').includes('in shop')").await?;
    browser.press(&ENTER.to_string()).await?;
    let there = format!("location.pathname === '/v/deployments.apps@{}/shop'", rig.cluster);
    browser.until("deployments of shop", &there).await?;
    page::until_pill(browser, "Live").await?;
    browser.until("the palette is closed", "deep('#palette').length === 0").await?;
    // An object of an open view gets the focus.
    browser.until("rows", "rows().length > 0").await?;
    let name = browser.text("cells(rows()[rows().length - 1])[0]").await?;
    browser.click("#find").await?;
    browser.press(&name).await?;
    let object =
        format!("deep('[role=option]').findIndex((option) => option.textContent.includes('shop/{name}'))");
    browser.until("the object", &format!("{object} >= 0")).await?;
    let place = browser.read(&object).await?.as_u64().unwrap_or_default();
    for _ in 0..place {
        browser.press(&testkit::input::DOWN.to_string()).await?;
    }
    browser.press(&ENTER.to_string()).await?;
    browser
        .until("its row has the focus", &format!("deep('.tr-focus')[0]?.textContent.includes('{name}')"))
        .await
}

pub async fn a_pinned_kind_stays_at_the_top(rig: &Rig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.click("[aria-label='Pin nodes'], [aria-label='Pin services']").await?;
    browser.until("it is pinned", "shown('.nav-group').startsWith('Pinned')").await?;
    rig.go_to_pods().await?;
    browser.until("it still is", "shown('.nav-group').startsWith('Pinned')").await?;
    browser.click("[aria-label^='Unpin']").await?;
    browser.until("it isn't any more", "!shown('.nav-group').includes('Pinned')").await
}
