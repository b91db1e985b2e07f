//! What WebDriver has no command for, through chromedriver: Chromium's own protocol, and the console.

use anyhow::{Context, Result};
use fantoccini::wd::WebDriverCompatibleCommand;
use http::Method;
use serde_json::{Value, json};
use url::{ParseError, Url};

use crate::browser::{Browser, Engine};

/// A command of chromedriver's own.
#[derive(Debug)]
struct ChromedriverCommand {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for ChromedriverCommand {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}

impl Browser {
    /// A command of the Chrome DevTools Protocol, such as `Performance.getMetrics`.
    pub async fn devtools(&self, command: &'static str, parameters: Value) -> Result<Value> {
        let body = json!({ "cmd": command, "params": parameters });
        Ok(self.client().issue_cmd(ChromedriverCommand { path: "goog/cdp/execute", body }).await?)
    }

    /// The console's errors in all windows since the last call: panics, uncaught errors and reports of the content
    /// security policy. Those of the network are left out, because a broken cluster is meant to cause them. Firefox
    /// tells of none.
    pub async fn console_errors(&self) -> Result<Vec<String>> {
        if self.engine() == Engine::Firefox {
            return Ok(Vec::new());
        }
        let command = ChromedriverCommand { path: "se/log", body: json!({ "type": "browser" }) };
        let log = self.client().issue_cmd(command).await?;
        let entries = log.as_array().context("a log is a list")?;
        let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let is_error =
            |entry: &&Value| text(entry, "level") == "SEVERE" && text(entry, "source") != "network";
        Ok(entries.iter().filter(is_error).map(|entry| text(entry, "message")).collect())
    }

    /// A CSS feature of media, such as `prefers-color-scheme`, with a value that the page is to see.
    pub async fn emulate_media(&self, name: &str, value: &str) -> Result<()> {
        let features = json!({ "features": [{ "name": name, "value": value }] });
        self.devtools("Emulation.setEmulatedMedia", features).await.map(drop)
    }

    /// Gives the page another size, in CSS pixels, and returns when it has drawn itself again. A window can't be as
    /// narrow as a telephone.
    pub async fn resize(&self, width: u32, height: u32, scale: u32) -> Result<()> {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        self.client().execute_async(THREE_FRAMES, Vec::new()).await?;
        Ok(())
    }

    /// Role and name of every node that a screen reader is told of.
    pub async fn accessibility_tree(&self) -> Result<Vec<(String, String)>> {
        self.devtools("Accessibility.enable", json!({})).await?;
        let tree = self.devtools("Accessibility.getFullAXTree", json!({})).await?;
        let nodes = tree["nodes"].as_array().context("a tree has nodes")?;
        let text = |node: &Value, key: &str| node[key]["value"].as_str().unwrap_or_default().to_owned();
        let told = nodes.iter().filter(|node| node["ignored"] != json!(true));
        Ok(told.map(|node| (text(node, "role"), text(node, "name"))).collect())
    }
}

/// The page notes its size in the first, and draws its rows in the second.
const THREE_FRAMES: &str = "
const done = arguments[0];
requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done(null))));";
