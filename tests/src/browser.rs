//! Chromium or Firefox through WebDriver. It waits for what the page does (mutations, frames), never for time.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use fantoccini::error::CmdError;
use fantoccini::wd::WindowHandle;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use crate::driver::Driver;

pub use crate::driver::Engine;

pub struct Browser {
    client: Client,
    engine: Engine,
    _driver: Driver,
    /// The browser's profile: gone with the browser.
    profile: tempfile::TempDir,
}

#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub width: u32,
    pub height: u32,
    pub dark: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { width: 1440, height: 900, dark: false }
    }
}

/// The longest wait for anything: long, because test machines are shared.
pub const WAIT: Duration = Duration::from_secs(90);

/// `deep(selector)`: all matches in the document and in every shadow root.
pub const DEEP: &str = include_str!("browser/deep.js");

impl Browser {
    pub async fn start(look: Look) -> Result<Self> {
        Self::start_as(Engine::Chromium, look).await
    }

    pub async fn start_as(engine: Engine, look: Look) -> Result<Self> {
        let profile = tempfile::Builder::new().prefix("dogwatch-browser-").tempdir()?;
        let driver = Driver::start(engine, profile.path())?;
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let wanted = match engine {
            Engine::Chromium => capabilities(look, profile.path()),
            Engine::Firefox => firefox_capabilities(look),
        };
        if let Value::Object(wanted) = wanted {
            builder.capabilities(wanted);
        }
        let client =
            builder.connect(driver.url()).await.with_context(|| format!("{engine:?} can't be started"))?;
        let timeouts = fantoccini::wd::TimeoutConfiguration::new(Some(WAIT), Some(WAIT), None);
        client.update_timeouts(timeouts).await?;
        Ok(Self { client, engine, _driver: driver, profile })
    }

    /// Opens an address. A printed link leads to another document, in which the next script is to run.
    pub async fn open(&self, url: &str) -> Result<()> {
        self.client.goto(url).await?;
        let started = Instant::now();
        while self.client.current_url().await?.path().split('/').any(|part| part == "open") {
            ensure!(started.elapsed() < WAIT, "{url} leads nowhere");
        }
        Ok(())
    }

    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The folder of Chromium's profile.
    pub fn profile(&self) -> &Path {
        self.profile.path()
    }

    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Runs a script's body in the page; `return` gives the value.
    pub async fn run(&self, script: &str, arguments: Vec<Value>) -> Result<Value> {
        Ok(self.client.execute(script, arguments).await?)
    }

    /// Waits until the expression is true: it is read again after every change of the document and
    /// of its shadow roots, so nothing is missed between two looks. If another document takes the place of this one
    /// meanwhile, the expression is read there.
    /// Fails with `what` and the page's text when it never becomes true.
    pub async fn until(&self, what: &str, expression: &str) -> Result<()> {
        self.awaited(what, &format!("Boolean({expression})")).await.map(drop)
    }

    /// Waits as [`Browser::until`] does, and returns the value that made the expression true. What an element has that
    /// comes and goes is read by it, because the element may have gone before a second call.
    pub async fn awaited(&self, what: &str, expression: &str) -> Result<Value> {
        let script =
            format!("{}{EVERY_CHANGE}{}", DEEP, UNTIL.replace("EXPRESSION", &format!("({expression})")));
        let started = Instant::now();
        loop {
            let left = WAIT.saturating_sub(started.elapsed() + Duration::from_secs(5));
            let bound = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
            match self.client.execute_async(&script, vec![json!(bound)]).await {
                Ok(Value::Array(mut found)) if found.len() == 1 => return Ok(found.remove(0)),
                Ok(answer) => {
                    bail!("the page never showed: {what}\n{}", answer.as_str().unwrap_or_default())
                }
                Err(error) if !left.is_zero() && is_of_another_document(&error) => {}
                Err(error) => return Err(error).context(what.to_owned()),
            }
        }
    }

    pub async fn screenshot(&self, file: &Path) -> Result<()> {
        let picture = self.client.screenshot().await?;
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        Ok(std::fs::write(file, picture)?)
    }

    /// Opens one more window and switches to it.
    pub async fn open_window(&self) -> Result<WindowHandle> {
        let handle = self.client.new_window(false).await?.handle;
        self.look_at(&handle).await?;
        Ok(handle)
    }

    pub async fn look_at(&self, window: &WindowHandle) -> Result<()> {
        Ok(self.client.switch_to_window(window.clone()).await?)
    }

    /// Ends the browser; its driver ends with `self`.
    /// Fails when the console holds errors of the page itself: panics, reports of the content security
    /// policy. Connections that failed are none.
    pub async fn close(self) -> Result<()> {
        let errors = self.console_errors().await?;
        self.client.clone().close().await?;
        ensure!(errors.is_empty(), "the console holds errors:\n{}", errors.join("\n"));
        Ok(())
    }
}

/// Whether a script didn't end because the browser went to another document. chromedriver says of some of these that
/// the script's time was over, long before it was.
fn is_of_another_document(error: &CmdError) -> bool {
    let said = error.to_string();
    let ends = [
        "document unloaded",
        "Document was unloaded",
        "aborted by navigation",
        "execution context",
        "script timeout",
    ];
    ends.iter().any(|part| said.contains(part))
}

fn capabilities(look: Look, profile: &Path) -> Value {
    let mut arguments: Vec<String> = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
    ]
    .map(str::to_owned)
    .into();
    arguments.push(format!("--user-data-dir={}", profile.display()));
    arguments.push(format!("--window-size={},{}", look.width, look.height));
    json!({
        "browserName": "chrome",
        // A test's own provider has a certificate of its own authority.
        "acceptInsecureCerts": true,
        "goog:chromeOptions": { "args": arguments },
        "goog:loggingPrefs": { "browser": "ALL" },
    })
}

fn firefox_capabilities(look: Look) -> Value {
    let arguments =
        ["-headless".to_owned(), format!("--width={}", look.width), format!("--height={}", look.height)];
    json!({
        "browserName": "firefox",
        "acceptInsecureCerts": true,
        "moz:firefoxOptions": { "binary": "/usr/bin/firefox-esr", "args": arguments },
    })
}

/// `everyChange(call)`: a MutationObserver on the document and on every shadow root, old and new;
/// gives a function that ends it.
pub(crate) const EVERY_CHANGE: &str = include_str!("browser/every_change.js");

/// A timer for the bound alone.
const UNTIL: &str = include_str!("browser/until.js");
