//! What Chromium's console holds of errors, through chromedriver's own command. It tells the page's
//! errors from those of the network, which a broken cluster is meant to cause.

use anyhow::{Context, Result};
use fantoccini::Client;
use fantoccini::wd::WebDriverCompatibleCommand;
use http::Method;
use serde_json::{Value, json};
use url::{ParseError, Url};

/// Reads the log and empties it.
#[derive(Debug)]
struct ReadLog;

impl WebDriverCompatibleCommand for ReadLog {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(json!({ "type": "browser" }).to_string()))
    }
}

/// Panics, uncaught errors and reports of the content security policy, of all windows.
pub(crate) async fn errors(client: &Client) -> Result<Vec<String>> {
    let log = client.issue_cmd(ReadLog).await?;
    let entries = log.as_array().context("a log is a list")?;
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
    let is_error = |entry: &&Value| text(entry, "level") == "SEVERE" && text(entry, "source") != "network";
    Ok(entries.iter().filter(is_error).map(|entry| text(entry, "message")).collect())
}
