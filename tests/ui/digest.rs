//! A cell that isn't the gateway's is noticed by the digest, mended without the reader, and counted by the gateway.

use anyhow::{Result, ensure};
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::dogwatch::Home;
use testkit::load::refused;
use testkit::metrics::Metrics;
use testkit::page;

use crate::rig::playground_of;

/// The first changed cell that comes reaches the page as another number.
const ALTERED_ONCE: &str = r#"
const plain = window.WebSocket;
window.WebSocket = class extends plain {
  set onmessage(react) {
    super.onmessage = react && ((event) => {
      const isChange = typeof event.data === 'string' && event.data.startsWith('{"rows"') && event.data.includes('"set"');
      if (!isChange || window.isAltered) return react(event);
      window.isAltered = true;
      const data = event.data.replace(/\{"(\d+)":2\}/, '{"$1":9}');
      react(new MessageEvent('message', { data }));
    });
  }
};"#;

#[tokio::test(flavor = "multi_thread")]
async fn r_rel_8_a_cell_that_is_not_the_gateways_is_noticed_mended_and_counted() -> Result<()> {
    let metadata = json!({ "name": "settings", "namespace": "default" });
    let object =
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": { "a": "x" } });
    let playground = playground_of(vec![object]).await?;
    let home = Home::new()?;
    let kubeconfig = home.kubeconfig_of(&playground)?;
    let metrics = Metrics::at_free_port();
    let (kubeconfig, at) = (kubeconfig.to_string_lossy().into_owned(), metrics.address());
    let flags = ["--kubeconfig", &kubeconfig, "--listen", "127.0.0.1:0", "--metrics-listen", &at];
    let dogwatch = home.serve(&flags)?;
    let browser = Browser::start(Look::default()).await?;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": ALTERED_ONCE })).await?;
    browser.open(dogwatch.url()).await?;
    page::until_pill(&browser, "Live").await?;
    let cluster = page::cluster(&browser).await?;
    browser.open(&format!("{}/v/configmaps@{cluster}/default", dogwatch.origin())).await?;
    page::until_pill(&browser, "Live").await?;
    let data = |number: u8| format!("rows().some((row) => cells(row).includes('{number}'))");
    browser.until("the only row", &data(1)).await?;
    ensure!(metrics.count(MISMATCHES)? == 0, "nothing differs yet");
    let changed = json!({ "data": { "b": "y" } });
    playground.patch("configmaps", "default", "settings", changed).map_err(refused)?;
    browser.until("a cell that isn't the gateway's", &data(9)).await?;
    browser.until("the gateway's cell", &data(2)).await?;
    ensure!(metrics.count(MISMATCHES)? == 1, "it was counted");
    browser.close().await
}

const MISMATCHES: &str = "dogwatch_digest_mismatches_total";
