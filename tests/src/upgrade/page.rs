//! A page in Chromium through an upgrade. It is of the release from before, and its gateways become those of the other one
//! while objects change.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;

use super::{Fleet, Mode, PATH, PODS, REPLICAS, Upgrade};
use crate::browser::{Browser, Look};
use crate::exemplar::NAMESPACE;
use crate::input::{ENTER, ESCAPE};
use crate::{api, page, recorder};

/// What the page did when its reader opened a panel after the upgrade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    Opened,
    /// It said that there is a new version.
    NewVersion,
}

/// Whether the page has all pieces of its program before the upgrade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    All,
    /// The panel's couldn't be fetched.
    NoPanel,
}

const TALL: Look = Look { width: 1800, height: 3200, dark: false };
/// A page that isn't equal by then never will be.
const PATIENCE: Duration = Duration::from_secs(60);

/// A page of the pods that are written, at a fleet that knows alice by nginx.
pub struct Visit {
    pub browser: Browser,
    origin: String,
    /// Path and query.
    link: String,
}

/// Fails if the page calls itself live without being so, loses its rows, or can't be loaded anew.
pub async fn run(upgrade: &Upgrade, pieces: Pieces) -> Result<Panel> {
    let mut fleet = Fleet::open(&upgrade.from, Mode::Proxy).await?;
    let visit = Visit::begin(&fleet, pieces).await?;
    let program = visit.program().await?;
    if pieces == Pieces::All {
        ensure!(visit.panel().await? == Panel::Opened, "before the upgrade");
    }
    recorder::start(&visit.browser).await?;
    let writing = fleet.writing();
    for at in 0..REPLICAS {
        fleet.replace(at, &upgrade.to)?;
        writing.until_more(50).await?;
        visit.until_live().await?;
        if pieces == Pieces::All {
            ensure!(visit.panel().await? == Panel::Opened, "{} replicas are replaced", at + 1);
        }
    }
    writing.end().await?;
    visit.equal(&fleet).await?;
    visit.block(&[]).await?;
    let panel = visit.panel().await?;
    visit.equal(&fleet).await?;
    let seen = recorder::seen(&visit.browser).await?;
    ensure!(seen.rows_least as usize == PODS, "rows were gone: {seen:?}");
    ensure!(visit.program().await? == program, "the page was loaded anew by itself");

    visit.browser.run("location.reload()", Vec::new()).await?;
    visit.until_live().await?;
    let path = visit.browser.text("location.pathname + location.search").await?;
    ensure!(path == visit.link, "a reload led to {path}, not {}", visit.link);
    ensure!(visit.program().await? != program, "a reload brought the former page");
    visit.equal(&fleet).await?;
    ensure!(visit.panel().await? == Panel::Opened, "of the page that was loaded anew");
    visit.browser.close().await?;
    Ok(panel)
}

/// What became of pages that were loaded while replicas of both releases stood.
#[derive(Debug, Default)]
pub struct Loaded {
    pub live: usize,
    /// They had nothing that loads them again: one of the releases hasn't got it yet.
    pub stuck: usize,
}

/// Pages are loaded after each replica that is replaced, and looked at when all are.
/// Fails if one that can load itself again isn't live by itself.
pub async fn loaded_meanwhile(upgrade: &Upgrade, times: usize) -> Result<Loaded> {
    const IS_LIVE: &str = "shown('.pill').includes('Live') && deep('.bar-missing').length === 0";
    const IS_STUCK: &str = "document.readyState === 'complete' && deep('#shell').length === 1
        && !performance.getEntriesByType('resource')
          .some(({ name, responseStatus }) => name.endsWith('/missing.js') && responseStatus === 200)";
    let mut fleet = Fleet::open(&upgrade.from, Mode::Proxy).await?;
    let mut browsers = Vec::new();
    for at in 0..REPLICAS {
        fleet.replace(at, &upgrade.to)?;
        for _ in 0..times {
            let browser = Browser::start(TALL).await?;
            browser.open(&format!("{}/v/pods", fleet.origin())).await?;
            browsers.push(browser);
        }
    }
    let mut loaded = Loaded::default();
    for browser in browsers {
        browser.until("a live view", &format!("({IS_LIVE}) || ({IS_STUCK})")).await?;
        let is_live = browser.read(IS_LIVE).await? == json!(true);
        *(if is_live { &mut loaded.live } else { &mut loaded.stuck }) += 1;
        // What it said on the way is no failure.
        browser.console_errors().await?;
        browser.close().await?;
    }
    Ok(loaded)
}

impl Visit {
    pub async fn begin(fleet: &Fleet, pieces: Pieces) -> Result<Self> {
        let (browser, origin) = (Browser::start(TALL).await?, fleet.origin());
        browser.open(&format!("{origin}/v/pods")).await?;
        page::until_pill(&browser, "Live").await?;
        let link = page::link(&browser, &origin, "pods", NAMESPACE).await?;
        let link = link.trim_start_matches(&origin).to_owned();
        let visit = Self { browser, origin, link };
        visit.browser.devtools("Network.enable", json!({})).await?;
        // Nothing is kept, so that what is blocked must be fetched.
        visit.browser.devtools("Network.setCacheDisabled", json!({ "cacheDisabled": true })).await?;
        visit.block(if pieces == Pieces::All { &[] } else { &["*panel*"] }).await?;
        visit.browser.open(&format!("{}{}", visit.origin, visit.link)).await?;
        visit.browser.until("all pods", &format!("rows().length === {PODS}")).await?;
        visit.until_live().await?;
        Ok(visit)
    }

    async fn block(&self, urls: &[&str]) -> Result<()> {
        self.browser.devtools("Network.setBlockedURLs", json!({ "urls": urls })).await.map(drop)
    }

    pub async fn until_live(&self) -> Result<()> {
        page::until_pill(&self.browser, "Live").await
    }

    /// The files that the document names: each release has its own.
    async fn program(&self) -> Result<String> {
        const FILES: &str = "[...document.querySelectorAll('link[href], script[src]')]
            .map((it) => it.href || it.src).sort().join(' ')";
        self.browser.text(FILES).await
    }

    /// Opens the panel of the first row, and closes what came.
    async fn panel(&self) -> Result<Panel> {
        self.browser.enter_table().await?;
        self.browser.press(ENTER).await?;
        let opened = "shown('#panel').includes('Conditions')";
        let said = "/new version/i.test(shown('.piece-missing'))";
        self.browser.until("a panel, or why there is none", &format!("{opened} || {said}")).await?;
        let is_opened = self.browser.read(opened).await? == json!(true);
        self.browser.press(ESCAPE).await?;
        let closed = "deep('#panel').length === 0 && deep('.piece-missing').length === 0";
        self.browser.until("it is closed", closed).await?;
        Ok(if is_opened { Panel::Opened } else { Panel::NewVersion })
    }

    /// Nothing is written any more. Returns when the page shows the API server's list, and says that it is live.
    pub async fn equal(&self, fleet: &Fleet) -> Result<()> {
        let client = api::client(fleet.kubeconfig()).await?;
        let mut looks = tokio::time::interval(Duration::from_millis(250));
        let began = Instant::now();
        loop {
            looks.tick().await;
            let theirs = api::table(&client, PATH).await?.without_first_column();
            let Err(difference) = page::table(&self.browser).await?.compare(&theirs) else { break };
            ensure!(began.elapsed() < PATIENCE, "the page isn't a fresh list:\n{difference}");
        }
        self.until_live().await
    }

    /// The first row's object in the panel, whole, and then what happens to it.
    pub async fn shows_object_and_changes(&self) -> Result<()> {
        self.browser.enter_table().await?;
        self.browser.press("y").await?;
        self.browser.until("the object", "shown('#panel').includes('apiVersion')").await?;
        self.browser.click("#tab-timeline").await?;
        let is_chosen = "deep('#tab-timeline[aria-selected=true]').length === 1";
        self.browser.until("its changes", is_chosen).await?;
        self.browser.until("they are live", "shown('#panel .pill').includes('Live')").await
    }

    /// What alice may see.
    pub async fn shows_rights(&self) -> Result<()> {
        self.browser.click("#who").await?;
        self.browser.until("who it is", "deep('#what-may-i-see').length === 1").await?;
        self.browser.click("#what-may-i-see").await?;
        let is_answered = "shown('#rights').includes('list and watch')";
        self.browser.until("the rights", is_answered).await
    }
}
