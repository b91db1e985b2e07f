//! A mock: a folder of plain HTML pages, each state of it chosen by the address; and two pictures laid
//! side by side.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;
use tests::browser::{Browser, Look};

use super::step::{cut, fit};

/// Where a mock has a state: a page and its query, and which element of it; none for all of the window.
#[derive(Clone, Copy)]
pub struct Place {
    pub page: &'static str,
    pub part: &'static str,
}

pub async fn picture(browser: &Browser, folder: &Path, place: Place, look: Look) -> Result<String> {
    fit(browser, look).await?;
    let theme = if look.dark { "dark" } else { "light" };
    let sign = if place.page.contains('?') { '&' } else { '?' };
    let folder = folder.canonicalize().context("the folder of the mock")?;
    browser.open(&format!("file://{}/{}{sign}theme={theme}", folder.display(), place.page)).await?;
    if place.part.is_empty() {
        return cut(browser, "").await;
    }
    browser.read(&format!("deep('{}')[0].scrollIntoView()", place.part)).await?;
    cut(browser, &format!("[deep('{}')[0]]", place.part)).await
}

/// The page's picture, then the mock's: beside it, or below where both are wide. None is scaled.
pub async fn side_by_side(browser: &Browser, ours: &str, mock: &str) -> Result<String> {
    browser.open("about:blank").await?;
    let script = "
        const [ours, mock] = arguments, done = arguments[arguments.length - 1];
        document.body.style.cssText = 'margin:0;display:flex;flex-wrap:wrap;gap:12px;align-items:flex-start;background:#b0a';
        const load = (data) => {
          const image = new Image();
          image.style.flex = 'none';
          image.src = 'data:image/png;base64,' + data;
          document.body.append(image);
          return image.decode().then(() => image);
        };
        Promise.all([load(ours), load(mock)]).then(([one, two]) => done(one.width < 1000
          ? [one.width + 12 + two.width, Math.max(one.height, two.height)]
          : [Math.max(one.width, two.width), one.height + 12 + two.height]));";
    let size = browser.client().execute_async(script, vec![json!(ours), json!(mock)]).await?;
    let (width, height): (u32, u32) = serde_json::from_value(size)?;
    fit(browser, Look { width, height, dark: false }).await?;
    cut(browser, "").await
}
