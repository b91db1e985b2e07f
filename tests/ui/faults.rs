//! Every fault of the playground on the page, in Chromium, as docs/BREAK-IT.md tells it: what the
//! document says is posted, and what it says is seen. What it doesn't say isn't asserted here.

mod case;
mod document;

use anyhow::Result;
use case::Rig;
use document::Post;
use playground::{Options, Playground};
use serde_json::json;
use testkit::api;
use testkit::browser::{Browser, Look};

/// All rows are in the window.
const TALL: Look = Look { width: 1440, height: 2600, dark: false };

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

/// Each case has a cluster, a gateway and a window of its own, so that all break at the same time.
async fn show(section: &str) -> Result<()> {
    let browser = Browser::start(TALL).await?;
    let mut rigs = Vec::new();
    for case in document::cases(section)? {
        rigs.push(Rig::open(&browser, case).await?);
    }
    for rig in &mut rigs {
        rig.break_it(&browser).await?;
    }
    let mut wrong = Vec::new();
    for rig in &mut rigs {
        wrong.extend(rig.what_is_wrong_while_broken(&browser).await.err());
    }
    for rig in &mut rigs {
        rig.mend(&browser).await?;
    }
    for rig in &rigs {
        wrong.extend(rig.what_is_wrong_afterwards(&browser).await.err());
    }
    let wrong: Vec<String> = wrong.iter().map(|error| format!("{error:#}")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    browser.close().await
}
