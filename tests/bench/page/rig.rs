//! A playground of so many pods, and a gateway that is warm: a viewer of all of them stays connected.

use anyhow::{Context, Result};
use playground::{Options, Playground};
use serde_json::{Value, json};
use testkit::browser::{Browser, Look};
use testkit::client::all_pods;
use testkit::dogwatch::Dogwatch;
use testkit::load::{Size, Writer, fill};
use testkit::page;
use tokio_util::task::AbortOnDropHandle;

use super::memory::keep_memories;

pub struct PageBenchRig {
    pub playground: Playground,
    pub pods: usize,
    /// The path of the view of all pods.
    view: String,
    dogwatch: Dogwatch,
    _viewer: AbortOnDropHandle<()>,
}

impl PageBenchRig {
    pub async fn start(pods: usize) -> Result<Self> {
        let playground = Playground::start(Options::empty()).await?;
        fill(&playground, pods, Size::Small)?;
        let dogwatch = Dogwatch::of_playground(&playground)?;
        let mut viewer = dogwatch.connect().await?;
        viewer.subscribe(1, all_pods()?, None).await?;
        viewer.until_sync().await?;
        let viewer = tokio::spawn(async move { while viewer.next().await.is_ok() {} });
        let view = view(&dogwatch).await?;
        let viewer = AbortOnDropHandle::new(viewer);
        Ok(Self { playground, pods, view, dogwatch, _viewer: viewer })
    }

    /// The link of the view, of the origin at which this browser is signed in.
    pub async fn link(&self, browser: &Browser) -> Result<String> {
        Ok(format!("{}{}", browser.text("location.origin").await?, self.view))
    }

    /// The link that signs in as well, once. Each has an origin of its own.
    pub fn link_with_code(&self) -> Result<String> {
        let url = self.dogwatch.fresh_url()?;
        let (origin, rest) = url.split_once("/open").context("a link that signs in")?;
        let (_, code) = rest.split_once('#').context("a code")?;
        Ok(format!("{origin}/open{}#{code}", self.view))
    }

    pub fn writer(&self, changes_per_s: usize) -> Writer {
        Writer::new(self.pods, changes_per_s as f64)
    }

    /// A browser that was never here; it notes when a page shows all pods.
    pub async fn browser(&self) -> Result<Browser> {
        let browser = Browser::start(Look::default()).await?;
        let source = NOTE.replace("ROWS", &self.pods.to_string());
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source })).await?;
        keep_memories(&browser).await?;
        Ok(browser)
    }
}

async fn view(dogwatch: &Dogwatch) -> Result<String> {
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    let link = page::link(&browser, &dogwatch.origin(), "pods", "*").await?;
    browser.close().await?;
    let view = link.strip_prefix(&dogwatch.origin()).context("a link of this gateway")?;
    Ok(view.split('?').next().unwrap_or_default().to_owned())
}

/// Opens the link and waits until all pods are there: `paint_ms` for the first paint, `rows_ms` for the first pods,
/// `exact_ms` for all, from the start of the navigation, and the bytes that the socket brought.
pub async fn open(browser: &Browser, link: &str) -> Result<Value> {
    browser.open("about:blank").await?;
    browser.open(link).await?;
    // A script that waits in the page that signs in ends with it.
    browser.until("the view", "!location.pathname.startsWith('/open')").await?;
    Ok(browser.client().execute_async(WAIT, Vec::new()).await?)
}

/// The page that is open, once more.
pub async fn reload(browser: &Browser) -> Result<Value> {
    browser.client().refresh().await?;
    Ok(browser.client().execute_async(WAIT, Vec::new()).await?)
}

/// In each frame before the page's own work: what is noted stood in a frame that was drawn already.
const NOTE: &str = include_str!("rig/note.js");

const WAIT: &str = r"
const done = arguments[arguments.length - 1];
const look = () => (window.seen.exact_ms ? done(window.seen) : requestAnimationFrame(look));
look();
";
