//! What a team gave its gateway to show to everybody.

use anyhow::Result;
use testkit::browser::Look;
use testkit::dogwatch::Home;
use testkit::input::ENTER;
use testkit::page;

const CONFIGURATION: &str = "pinned: [nodes, unicorns.example.com]
boards: [{name: On call, link: '/b?v=pods@playground/shop&v=nodes@playground/-'}]
";

#[tokio::test]
async fn a_teams_pins_and_boards_stand_in_everybodys_navigation() -> Result<()> {
    let home = Home::new()?;
    let file = home.path().join("team.yaml");
    std::fs::write(&file, CONFIGURATION)?;
    let dogwatch = home.serve(&["--demo", "--listen", "127.0.0.1:0", "--config", &file.to_string_lossy()])?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    // A kind that isn't served isn't shown.
    let pinned = "deep('.nav-tree [role=group]').find((group) => group.textContent.startsWith('Pinned'))";
    browser
        .until("the team's pins", &format!("{pinned}?.querySelectorAll('.nav-item').length === 1"))
        .await?;
    browser.click("a[href^='/b?v=pods']").await?;
    browser.until("the board", "location.pathname === '/b' && deep('.view-host').length === 2").await?;
    browser.until("both views are live", "shown('#health').includes('2 views live')").await?;
    browser.press(":no").await?;
    browser.press(&ENTER.to_string()).await?;
    browser.until("nodes in the first pane", "deep('[data-resource=nodes]').length === 2").await?;
    browser.press(":call").await?;
    browser.press(&ENTER.to_string()).await?;
    browser.until("the board again", "deep('[data-resource=pods]').length === 1").await?;
    browser.close().await
}
