//! Every fault of the playground on the page, as docs/BREAK-IT.md tells it: what the document says is posted, and what
//! it says is seen. What it doesn't say isn't asserted here. A case of each sort is drawn by Chromium; with
//! `DOGWATCH_PICTURES=FOLDER` all are, and a picture of each is kept.

mod case;
mod document;
mod screen;

use anyhow::{Context, Result};
use document::Post;
use futures_util::future::join_all;
use playground::{Options, Playground};
use serde_json::json;
use testkit::api;
use tokio::runtime::Handle;

/// Rows that stay and are stale, rows that leave, rows that are listed anew, and rows with other columns.
const IN_CHROMIUM: [&str; 4] = [
    "Every connection is cut",
    "403: the right was taken away",
    "410 in the stream: its history is gone",
    "No server-side printing: NAME and AGE are all there is",
];

const SECTIONS: [&str; 5] = [
    "The connection breaks",
    "The server refuses",
    "The answer is odd",
    "The cluster moves",
    "What you don't see",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_connection_is_said_and_rows_stay() -> Result<()> {
    show(SECTIONS[0]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_said_in_kubernetes_words() -> Result<()> {
    show(SECTIONS[1]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_odd_answer_costs_at_most_a_gap() -> Result<()> {
    show(SECTIONS[2]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_moves_is_followed() -> Result<()> {
    show(SECTIONS[3]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_or_slow_server_is_not_seen() -> Result<()> {
    show(SECTIONS[4]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_shows_every_fault_and_every_action() -> Result<()> {
    let playground = Playground::start(Options::empty()).await?;
    let client = case::admin_api(&playground).await?;
    let mut shown = Vec::new();
    for section in SECTIONS {
        shown.extend(document::cases(section)?.iter().flat_map(|case| &case.posts).map(Post::name));
    }
    for (path, unknown) in [("faults", json!({ "fault": "?" })), ("actions", json!({ "action": "?" }))] {
        // The admin API answers with all that it knows.
        let refusal = api::answer(&client, &format!("/_playground/{path}"), &unknown).await?;
        let known: Vec<&str> = refusal.split('`').skip(3).step_by(2).collect();
        assert!(known.len() > 2, "{refusal}");
        let missing: Vec<_> = known.iter().filter(|name| !shown.iter().any(|shown| shown == *name)).collect();
        assert!(missing.is_empty(), "docs/BREAK-IT.md doesn't show {missing:?}");
    }
    Ok(())
}

/// Each case has a cluster, a gateway and a page of its own, so that all break at the same time.
async fn show(section: &str) -> Result<()> {
    let runtime = Handle::current();
    let shown = document::cases(section)?.into_iter().map(|case| {
        let runtime = runtime.clone();
        tokio::task::spawn_blocking(move || {
            let is_in_browser = IN_CHROMIUM.contains(&case.title.as_str()) || screen::pictures().is_some();
            runtime.block_on(case::show(&case, is_in_browser)).with_context(|| case.title.clone())
        })
    });
    let mut wrong = Vec::new();
    for shown in join_all(shown).await {
        wrong.extend(shown?.err());
    }
    let wrong: Vec<String> = wrong.iter().map(|error| format!("{error:#}")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    Ok(())
}
