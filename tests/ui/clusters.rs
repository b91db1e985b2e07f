//! Three clusters in one page, one of which is lost and comes back: its rows are dimmed, the others go on, and the words
//! say which. The picker by its keys, and what axe-core finds in both.

use std::fs;

use anyhow::{Result, ensure};
use playground::{Options, Playground};
use serde_json::{Value, json};
use testkit::browser::{Browser, Look};
use testkit::dogwatch::Home;
use testkit::load::refused;
use testkit::page;
use testkit::proxy::{Line, Proxy};

use crate::accessibility::violations;

/// Two rows in each, of the same uids.
async fn cluster(seed: u64) -> Result<Playground> {
    let playground = Playground::start(Options { seed, ..Options::empty() }).await?;
    playground.load((0..2).map(config_map).collect()).map_err(refused)?;
    Ok(playground)
}

fn config_map(number: usize) -> Value {
    let name = format!("settings-{number}");
    let metadata =
        json!({"name": name, "namespace": "shop", "uid": name, "creationTimestamp": "2026-01-01T00:00:00Z"});
    json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"key": "v"}, "metadata": metadata})
}

const DIMMED: &str = "deep('.tr[data-stale=\"1\"]').map((row) => cells(row)[0])";

#[tokio::test(flavor = "multi_thread")]
async fn one_lost_cluster_dims_its_rows_alone_and_comes_back_by_itself() -> Result<()> {
    let (eu, us, lab) = (cluster(1).await?, cluster(2).await?, cluster(3).await?);
    let proxy = Proxy::to(us.url().trim_start_matches("http://").trim_end_matches('/').parse()?).await?;
    let home = Home::new()?;
    let mut entries = Vec::new();
    for (name, playground) in [("eu", &eu), ("us", &us), ("lab", &lab)] {
        let file = home.path().join(format!("{name}.yaml"));
        let through =
            playground.kubeconfig().replace(us.url().as_str(), &format!("http://{}", proxy.address()));
        fs::write(&file, through)?;
        entries.push(json!({"name": name, "kubeconfig": file}));
    }
    let config = home.path().join("dogwatch.yaml");
    fs::write(&config, json!({"clusters": entries}).to_string())?;
    let dogwatch = home.serve(&["--listen", "127.0.0.1:0", "--config", &config.to_string_lossy()])?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    browser.open(&format!("{}/v/configmaps@*/shop", dogwatch.origin())).await?;
    browser.until("the rows of all", "rows().length === 6").await?;
    page::until_pill(&browser, "Live").await?;
    let clusters = "rows().map((row) => cells(row)[0]).join() === 'eu,eu,lab,lab,us,us'";
    browser.until("each with its cluster", clusters).await?;

    proxy.set(Line::Cut);
    page::until_pill(&browser, "1 of 3 stale").await?;
    browser.until("its rows alone are dimmed", &format!("{DIMMED}.join() === 'us,us'")).await?;
    browser
        .until(
            "what is wrong",
            "/us is stale since .*connection .*eu and lab are live/.test(shown('.notice'))",
        )
        .await?;
    browser.until("the health", "shown('#health').includes('2 live, 1 stale')").await?;
    eu.load(vec![config_map(7)]).map_err(refused)?;
    browser.until("the others go on", "rows().length === 7").await?;
    browser.click("#clusters").await?;
    browser.until("the picker", "deep('.pop-clusters [role=option]').length === 4").await?;
    browser.until("what is not reached says so", "shown('.pop-clusters').includes('Not reached')").await?;
    let found = violations(&browser, "a lost cluster and the picker").await?;
    ensure!(found.is_empty(), "{}", found.join("\n"));
    picture(&browser, "picker").await?;
    browser.press(testkit::input::ESCAPE).await?;
    browser.until("the picker is closed", "deep('.pop-clusters').length === 0").await?;
    picture(&browser, "stale").await?;

    proxy.set(Line::Open);
    page::until_pill(&browser, "Live").await?;
    browser.until("no row is dimmed", &format!("{DIMMED}.length === 0 && rows().length === 7")).await?;
    choose(&browser, "us").await?;
    browser.until("the address", "location.pathname.endsWith('@eu,lab/shop')").await?;
    browser.until("the others' rows", "rows().length === 5").await?;
    browser.close().await
}

/// With keys alone.
async fn choose(browser: &Browser, name: &str) -> Result<()> {
    browser.press("g").await?;
    browser.press("c").await?;
    browser.until("the picker", "deep('.pop-clusters input').length === 1").await?;
    browser.until("its box has the focus", "deep('.pop-clusters input:focus').length === 1").await?;
    ensure!(browser.text("deep('.pop-clusters input')[0].value").await?.is_empty(), "the key is typed in it");
    browser.press(name).await?;
    browser.until("one is left", "deep('.pop-clusters [role=option]').length === 1").await?;
    browser.press(testkit::input::ENTER).await?;
    browser.press(testkit::input::ESCAPE).await?;
    browser.until("the rows have the focus", "deep('[data-row]:focus').length === 1").await
}

/// With `DOGWATCH_PICTURES=FOLDER`: wide and on a telephone, light and dark.
async fn picture(browser: &Browser, name: &str) -> Result<()> {
    let Some(folder) = std::env::var_os("DOGWATCH_PICTURES") else { return Ok(()) };
    for (width, height) in [(390, 780), (1440, 900)] {
        browser.resize(width, height, 1).await?;
        for theme in ["light", "dark"] {
            browser.emulate_media("prefers-color-scheme", theme).await?;
            let file = std::path::Path::new(&folder).join(format!("clusters-{name}-{width}-{theme}.png"));
            browser.screenshot(&file).await?;
        }
    }
    Ok(())
}
