//! A key in the filter box: from its `input` event until the frame after the one that shows what it
//! filters. Each word is typed and taken back, in a quiet cluster and in one that changes.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use testkit::browser::Browser;
use testkit::input::BACKSPACE;
use testkit::load::Writer;
use testkit::spread::Spread;

use super::rig::PageBenchRig;

const WORDS: [&str; 4] = ["check", "!0001", "restarts>5", "/07$/"];

pub async fn keystrokes(rig: &PageBenchRig, browser: &Browser, writer: &mut Writer) -> Result<Value> {
    listen(browser).await?;
    browser.click("#filter").await?;
    let quiet = type_words(browser).await?;
    let changing = tokio::select! {
        typed = type_words(browser) => typed?,
        written = writer.write(&rig.playground, usize::MAX) => {
            written?;
            anyhow::bail!("there are no more changes")
        }
    };
    Ok(json!({ "quiet": quiet, "changing": changing }))
}

async fn type_words(browser: &Browser) -> Result<Value> {
    let (mut all, mut words) = (Vec::new(), Vec::new());
    for word in WORDS {
        let mut typed = Vec::new();
        for key in word.chars() {
            typed.push(one(browser, &key.to_string()).await?);
        }
        let rows = browser.run(ROWS, Vec::new()).await?;
        for _ in word.chars() {
            typed.push(one(browser, BACKSPACE).await?);
        }
        words.push(json!({ "word": word, "rows": rows, "ms": Spread::of(typed.clone()).json() }));
        all.extend(typed);
    }
    Ok(json!({ "ms": Spread::of(all).json(), "words": words }))
}

pub async fn listen(browser: &Browser) -> Result<()> {
    browser.run(LISTEN, Vec::new()).await.map(drop)
}

/// Presses a key in the box that has the focus; the milliseconds until its frame.
pub async fn one(browser: &Browser, key: &str) -> Result<f64> {
    browser.press(key).await?;
    let ms = browser.client().execute_async(TAKE, Vec::new()).await?;
    ms.as_f64().context("a key was seen")
}

const LISTEN: &str = r"
document.addEventListener('input', (event) => {
  requestAnimationFrame(() => requestAnimationFrame(() => { window.keystroke_ms = performance.now() - event.timeStamp; }));
}, true);
";

const TAKE: &str = r"
const done = arguments[arguments.length - 1];
const look = () => {
  const ms = window.keystroke_ms;
  if (ms === undefined) return requestAnimationFrame(look);
  delete window.keystroke_ms;
  done(ms);
};
look();
";

/// What the strip says.
const ROWS: &str =
    "return document.querySelector('.view-host').shadowRoot.querySelector('#row-count').textContent";
