//! Where a case is looked at: in Chromium, or in the page's own core, which says the same without drawing it.

use std::path::PathBuf;

use anyhow::{Context, Result};
use testkit::browser::{Browser, Look};
use testkit::dogwatch::Dogwatch;
use testkit::kubectl_table::Table;
use testkit::page;
use testkit::recorder::{self, Seen};
use testkit::whole_page::WholePage;

pub enum Screen {
    Browser(Browser),
    Core(Box<WholePage>),
}

/// All rows are in the window.
const TALL: Look = Look { width: 1440, height: 2600, dark: false };

impl Screen {
    /// A kind of all namespaces in the page's core, while the cluster may be out of reach.
    pub async fn open_in_an_outage(dogwatch: &Dogwatch, kind: &str) -> Result<Self> {
        let mut page = WholePage::open_in_an_outage(&dogwatch.socket()?).await?;
        page.visit(&format!("/v/{kind}@/*?wide=1")).await?;
        page.see_anew();
        Ok(Self::Core(Box::new(page)))
    }

    /// The pods of all namespaces.
    pub async fn open(dogwatch: &Dogwatch, is_in_browser: bool) -> Result<Self> {
        if !is_in_browser {
            let mut page = WholePage::open(&dogwatch.socket()?).await?;
            page.visit("/v/pods@/*?wide=1").await?;
            return Ok(Self::Core(Box::new(page)));
        }
        let browser = page::signed_in(TALL, dogwatch.url()).await?;
        browser.open(&page::link(&browser, &dogwatch.origin(), "pods", "*").await?).await?;
        recorder::start(&browser).await?;
        Ok(Self::Browser(browser))
    }

    /// What [`Self::seen`] tells begins here.
    pub async fn see_anew(&mut self) -> Result<()> {
        match self {
            Self::Browser(browser) => recorder::start(browser).await,
            Self::Core(page) => {
                page.see_anew();
                Ok(())
            }
        }
    }

    pub async fn seen(&self) -> Result<Seen> {
        match self {
            Self::Browser(browser) => recorder::seen(browser).await,
            Self::Core(page) => Ok(page.seen().clone()),
        }
    }

    pub async fn table(&self) -> Result<Table> {
        match self {
            Self::Browser(browser) => page::table(browser).await,
            Self::Core(page) => Ok(page.table()),
        }
    }

    /// Waits until anything is different.
    pub async fn until_changed(&mut self) -> Result<()> {
        match self {
            // It is read at once, and then after each change.
            Self::Browser(browser) => {
                browser.until("a change", "(window.looks = (window.looks ?? 0) + 1) % 2 === 0").await
            }
            Self::Core(page) => {
                page.until_changed().await;
                Ok(())
            }
        }
    }

    /// Waits for something else. A browser's page goes on by itself meanwhile, the core's is driven.
    pub async fn live_during<T>(&mut self, other: impl Future<Output = T>) -> T {
        match self {
            Self::Browser(_) => other.await,
            Self::Core(page) => page.live_during(other).await,
        }
    }

    /// In the folder that `DOGWATCH_PICTURES` names.
    pub async fn picture(&self, title: &str) -> Result<()> {
        let (Self::Browser(browser), Some(folder)) = (self, pictures()) else { return Ok(()) };
        let name = title.replace(|character: char| !character.is_alphanumeric(), "-");
        browser.screenshot(&folder.join(format!("{name}.png"))).await.context("a picture")
    }

    pub async fn close(self) -> Result<()> {
        match self {
            Self::Browser(browser) => browser.close().await,
            Self::Core(_) => Ok(()),
        }
    }
}

pub fn pictures() -> Option<PathBuf> {
    std::env::var_os("DOGWATCH_PICTURES").map(PathBuf::from)
}
