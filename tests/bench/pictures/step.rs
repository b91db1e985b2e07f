//! What a person does on the way to a picture, and the picture itself.

use anyhow::{Context, Result};
use base64::Engine;
use playground::Playground;
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::dogwatch::Dogwatch;
use testkit::page::DEEP;

/// What a person does, or waits for.
#[derive(Clone, Copy)]
pub enum Step {
    /// `@/` stands for `@CLUSTER/`. The view is Live then.
    Go(&'static str),
    Click(&'static str),
    /// Keys, in the table.
    Keys(&'static str),
    /// Keys, wherever the focus is.
    Type(&'static str),
    Until(&'static str),
    /// Nothing is asked of this gateway any more.
    Kill,
}

/// A gateway before a playground of its own: no picture shows what another one left.
pub struct PictureRig {
    _playground: Playground,
    dogwatch: Option<Dogwatch>,
    origin: String,
}

impl PictureRig {
    pub async fn open() -> Result<Self> {
        let playground = Playground::start(playground::Options::default()).await?;
        let dogwatch = Dogwatch::of_playground(&playground)?;
        let origin = dogwatch.origin();
        Ok(Self { _playground: playground, dogwatch: Some(dogwatch), origin })
    }

    /// With the code that opens it once.
    pub fn url(&self) -> Result<&str> {
        Ok(self.dogwatch.as_ref().context("a gateway")?.url())
    }

    pub async fn take(&mut self, browser: &Browser, step: Step) -> Result<()> {
        match step {
            Step::Go(path) => {
                let path = path.replace("@/", "@playground/");
                browser.open(&format!("{}{path}", self.origin)).await?;
                browser.until("live", "shown('.pill').includes('Live')").await
            }
            Step::Click(expression) => browser.click_on(expression).await,
            Step::Keys(keys) => {
                browser.enter_table().await?;
                browser.press(keys).await
            }
            Step::Type(keys) => browser.press(keys).await,
            Step::Until(expression) => browser.until(expression, expression).await,
            Step::Kill => self.dogwatch.take().context("a gateway")?.kill().map(drop),
        }
    }
}

pub async fn fit(browser: &Browser, look: Look) -> Result<()> {
    browser.resize(look.width, look.height, 1).await?;
    browser.emulate_media("prefers-color-scheme", if look.dark { "dark" } else { "light" }).await
}

/// The smallest box that holds the elements, with a margin, where the window has it; the window, where
/// none are named. As PNG.
pub async fn cut(browser: &Browser, around: &str) -> Result<Vec<u8>> {
    let (elements, margin_px) =
        if around.is_empty() { ("[document.documentElement]", 0) } else { (around, MARGIN_PX) };
    let script = format!(
        "{DEEP} const boxes = ({elements}).map((element) => element.getBoundingClientRect());
         const left = Math.max(0, Math.min(...boxes.map((box) => box.left)) - {margin_px});
         const top = Math.max(0, Math.min(...boxes.map((box) => box.top)) - {margin_px});
         const right = Math.min(innerWidth, Math.max(...boxes.map((box) => box.right)) + {margin_px});
         const bottom = Math.min(innerHeight, Math.max(...boxes.map((box) => box.bottom)) + {margin_px});
         return {{ x: left + scrollX, y: top + scrollY, width: right - left, height: bottom - top, scale: 1 }};"
    );
    let clip = browser.run(&script, Vec::new()).await?;
    let taken = browser.devtools("Page.captureScreenshot", json!({ "format": "png", "clip": clip })).await?;
    let png = taken["data"].as_str().context("a picture")?;
    Ok(base64::engine::general_purpose::STANDARD.decode(png)?)
}

const MARGIN_PX: u32 = 8;
