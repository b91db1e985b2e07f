//! After a cut, a silent line and a killed gateway the table is exact again by itself, without a reload and without
//! being empty for a moment; meanwhile the page says what is wrong.

use std::ops::Range;

use anyhow::{Result, anyhow, ensure};
use playground::Playground;
use serde_json::{Value, json};
use testkit::api;
use testkit::browser::Browser;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::load::refused;
use testkit::page;
use testkit::proxy::{Line, Proxy};

use crate::rig::{TALL, playground_of};

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_gateway_is_said_and_the_table_is_exact_again_without_a_reload() -> Result<()> {
    let playground = playground_of(config_maps(0..3)).await?;
    let home = Home::new()?;
    let kubeconfig = home.kubeconfig_of(&playground)?;
    let dogwatch = home.serve_cluster(&kubeconfig, 0)?;
    let proxy = Proxy::to(format!("127.0.0.1:{}", dogwatch.port()).parse()?).await?;
    let browser = signed_in_through(&proxy, &dogwatch).await?;
    let page = Recovered { playground: &playground, browser: &browser };
    page.until_rows(3).await?;
    mark_page(&browser).await?;

    proxy.set(Line::Cut);
    page::until_pill(&browser, "Stale").await?;
    playground.load(config_maps(3..6)).map_err(refused)?;
    proxy.set(Line::Open);
    page.until_exact(6).await?;

    // Nothing is closed now, and nothing passes: only the missing proof can tell.
    proxy.set(Line::Silent);
    page::until_pill(&browser, "Stale").await?;
    proxy.set(Line::Cut);
    proxy.set(Line::Open);
    page.until_exact(6).await?;

    let (home, port) = dogwatch.kill()?;
    page::until_pill(&browser, "Stale").await?;
    browser
        .until("the bar names the gateway", "shown('[role=alert]').includes('No response from the gateway')")
        .await?;
    ensure!(page::table(&browser).await?.rows.len() == 6, "the rows stay");
    playground.load(config_maps(6..7)).map_err(refused)?;
    let _dogwatch = home.serve_cluster(&kubeconfig, port)?;
    page.until_exact(7).await?;
    browser.close().await
}

/// At the config maps of the default namespace.
async fn signed_in_through(proxy: &Proxy, dogwatch: &Dogwatch) -> Result<Browser> {
    let through =
        |url: &str| url.replace(&format!(":{}", dogwatch.port()), &format!(":{}", proxy.address().port()));
    let browser = page::signed_in(TALL, &through(dogwatch.url())).await?;
    let link = page::link(&browser, &through(&dogwatch.origin()), "configmaps", "default").await?;
    browser.open(&link).await?;
    page::until_pill(&browser, "Live").await?;
    Ok(browser)
}

struct Recovered<'a> {
    playground: &'a Playground,
    browser: &'a Browser,
}

impl Recovered<'_> {
    async fn until_rows(&self, expected: usize) -> Result<()> {
        let ready = format!("count() === {expected} && rows().length === {expected}");
        self.browser.until(&format!("{expected} rows"), &ready).await
    }

    /// Live again, with the server's rows, on the page that was marked, and never empty on the way.
    async fn until_exact(&self, rows: usize) -> Result<()> {
        page::until_pill(self.browser, "Live").await?;
        self.until_rows(rows).await?;
        let file = tempfile::NamedTempFile::new()?;
        self.playground.write_kubeconfig(file.path())?;
        let client = api::client(file.path()).await?;
        let theirs = api::table(&client, "/api/v1/namespaces/default/configmaps").await?;
        let ours = page::table(self.browser).await?;
        ours.compare(&theirs.without_first_column()).map_err(|difference| anyhow!("{difference}"))?;
        let seen = "[window.marked === true, window.emptied === true]";
        ensure!(self.browser.read(seen).await? == json!([true, false]), "reloaded, or once empty");
        Ok(())
    }
}

/// A reload would forget the mark; an observer remembers if the table was ever empty.
async fn mark_page(browser: &Browser) -> Result<()> {
    let script = format!(
        "{} window.marked = true; window.emptied = false;
         const look = () => {{ if (rows().length === 0) window.emptied = true; requestAnimationFrame(look); }};
         look();",
        page::DEEP
    );
    browser.run(&script, Vec::new()).await.map(drop)
}

fn config_maps(numbers: Range<usize>) -> Vec<Value> {
    let config_map = |number: usize| {
        let name = format!("settings-{number:03}");
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": { "key": "v" },
            "metadata": { "name": name, "namespace": "default", "uid": name, "creationTimestamp": "2026-01-01T00:00:00Z" },
        })
    };
    numbers.map(config_map).collect()
}
