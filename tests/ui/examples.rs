//! Examples of portals in Chromium, each with the elements in another framework. `cargo xtask examples` has the others,
//! and Firefox.

use anyhow::Result;
use testkit::browser::Engine;
use testkit::examples::{self, Example, accept, of_playground};

async fn accepted(example: &Example) -> Result<()> {
    accept(example, Engine::Chromium, &of_playground(example).await?).await
}

/// R-BROW-10
#[tokio::test(flavor = "multi_thread")]
async fn r_emb_5_a_plain_page_under_a_strict_content_policy_passes_the_script_of_all_portals() -> Result<()> {
    accepted(&examples::PLAIN).await
}

#[tokio::test(flavor = "multi_thread")]
async fn r_emb_5_a_portal_in_react_19_passes_the_same_script() -> Result<()> {
    accepted(&examples::REACT_19).await
}
