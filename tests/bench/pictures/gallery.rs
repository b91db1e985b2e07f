//! Every state of the page, light and dark, each before a cluster of its own.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;
use tests::browser::{Browser, Look};
use tests::page;

use super::mock;
use super::states::{ALL, State};
use super::step::{Stage, cut, decode, fit};

pub async fn take(folder: &Path, mock: Option<&Path>, only: Option<&str>) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut failed = Vec::new();
    for state in
        ALL.iter().copied().flatten().filter(|state| only.is_none_or(|name| state.name.starts_with(name)))
    {
        match both(state, folder, mock).await {
            Ok(()) => println!("{}", state.name),
            Err(error) => failed.push(format!("{}: {error:#}", state.name)),
        }
    }
    anyhow::ensure!(failed.is_empty(), "{} states weren't seen\n{}", failed.len(), failed.join("\n"));
    Ok(())
}

/// What the page's socket hands on can be changed on its way, as another gateway would have said it.
const LISTEN: &str = "
window.WebSocket = class extends WebSocket {
  constructor(...all) {
    super(...all);
    window.socket = this;
  }
  set onmessage(handler) {
    super.onmessage = (event) =>
      handler(new MessageEvent('message', { data: window.heard ? window.heard(event.data) : event.data }));
  }
};";

/// Light, then dark, without a step between: it is the same state.
async fn both(state: &State, folder: &Path, mock: Option<&Path>) -> Result<()> {
    let browser = Browser::start(state.look).await?;
    let mut stage = Stage::open((state.cluster)()).await?;
    (state.prepare)(stage.playground())?;
    fit(&browser, state.look).await?;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": LISTEN })).await?;
    browser.open(stage.url()?).await?;
    page::until_pill(&browser, "").await?;
    for step in state.begin.iter().chain(state.steps) {
        stage.take(&browser, *step).await?;
    }
    let mut pictures = Vec::new();
    for dark in [false, true] {
        let look = Look { dark, ..state.look };
        fit(&browser, look).await?;
        let theme = format!("matchMedia('(prefers-color-scheme: dark)').matches === {dark}");
        browser.until("the theme", &theme).await?;
        pictures.push((look, cut(&browser, state.around).await?));
    }
    for (look, picture) in pictures {
        let picture = match mock.zip(state.mock) {
            Some((folder, place)) => {
                let theirs = mock::picture(&browser, folder, place, look).await.context("the mock")?;
                mock::side_by_side(&browser, &picture, &theirs).await?
            }
            None => picture,
        };
        let theme = if look.dark { "dark" } else { "light" };
        std::fs::write(folder.join(format!("{}-{theme}.png", state.name)), decode(&picture)?)?;
    }
    browser.close().await
}
