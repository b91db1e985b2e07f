//! What a person does on the way to a picture, and the picture itself.

use anyhow::{Context, Result};
use base64::Engine;
use playground::Playground;
use serde_json::json;
use tests::browser::{Browser, Look};
use tests::dogwatch::{Dogwatch, Home};
use tests::hand::click;
use tests::page::DEEP;

/// What a person does, or waits for.
#[derive(Clone, Copy)]
pub enum Step {
    /// `@/` stands for `@CLUSTER/`. The view is Live then.
    Go(&'static str),
    /// The same; what comes is for the next step to say.
    Visit(&'static str),
    Click(&'static str),
    /// Keys, in the table.
    Keys(&'static str),
    /// Keys, wherever the focus is.
    Type(&'static str),
    Until(&'static str),
    /// A rule of docs/BREAK-IT.md.
    Fault(&'static str),
    /// What happens in the cluster.
    Cluster(fn(&Playground) -> Result<()>),
    /// What no person can do: run in the page.
    Script(&'static str),
    /// Nothing is asked of this gateway any more.
    Kill,
}

/// A gateway before a cluster of its own: none shows what another one left.
pub struct Stage {
    playground: Playground,
    dogwatch: Option<Dogwatch>,
    origin: String,
    _home: Home,
}

const CLUSTER: &str = "playground";

impl Stage {
    pub async fn open(options: playground::Options) -> Result<Self> {
        let playground = Playground::start(options).await?;
        let home = Home::new()?;
        let kubeconfig = home.path().join("kubeconfig");
        playground.write_kubeconfig(&kubeconfig)?;
        let dogwatch =
            home.serve(&["--listen", "127.0.0.1:0", "--kubeconfig", &kubeconfig.to_string_lossy()])?;
        let origin = dogwatch.origin();
        Ok(Self { playground, dogwatch: Some(dogwatch), origin, _home: home })
    }

    pub const fn playground(&self) -> &Playground {
        &self.playground
    }

    /// With the code that opens it once.
    pub fn url(&self) -> Result<&str> {
        Ok(self.dogwatch.as_ref().context("a gateway")?.url())
    }

    pub async fn take(&mut self, browser: &Browser, step: Step) -> Result<()> {
        match step {
            Step::Go(path) => {
                self.visit(browser, path).await?;
                browser.until("live", "shown('.pill').includes('Live')").await
            }
            Step::Visit(path) => self.visit(browser, path).await,
            Step::Click(expression) => click(browser, expression).await,
            Step::Keys(keys) => {
                browser.enter_table().await?;
                browser.press(keys).await
            }
            Step::Type(keys) => browser.press(keys).await,
            Step::Until(expression) => browser.until(expression, expression).await,
            Step::Fault(rule) => {
                self.playground.fault(serde_json::from_str(rule)?);
                Ok(())
            }
            Step::Cluster(happens) => happens(&self.playground),
            Step::Script(script) => browser.run(&format!("{DEEP} {script}"), Vec::new()).await.map(drop),
            Step::Kill => self.dogwatch.take().context("a gateway")?.kill(),
        }
    }

    async fn visit(&self, browser: &Browser, path: &str) -> Result<()> {
        let path = path.replace("@/", &format!("@{CLUSTER}/"));
        browser.open(&format!("{}{path}", self.origin)).await
    }
}

/// A window of Chromium's can't be as narrow as a telephone.
pub async fn fit(browser: &Browser, look: Look) -> Result<()> {
    let size = json!({ "width": look.width, "height": look.height, "deviceScaleFactor": 1, "mobile": false });
    browser.devtools("Emulation.setDeviceMetricsOverride", size).await?;
    let scheme = if look.dark { "dark" } else { "light" };
    let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
    browser.devtools("Emulation.setEmulatedMedia", features).await?;
    Ok(())
}

/// The smallest box that holds the elements, with a margin, where the window has it; the window, where
/// none are named. As base64.
pub async fn cut(browser: &Browser, around: &str) -> Result<String> {
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
    Ok(taken["data"].as_str().context("a picture")?.to_owned())
}

pub fn decode(png: &str) -> Result<Vec<u8>> {
    Ok(base64::engine::general_purpose::STANDARD.decode(png)?)
}

const MARGIN_PX: u32 = 8;
