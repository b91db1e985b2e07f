//! The panel of one object against a real kube-apiserver: what the server and the gateway decide, as it is drawn.

use anyhow::{Result, ensure};
use testkit::browser::Look;
use testkit::{page, planes};

use crate::rig::UiRig;

const NAMESPACE: &str = "panel";
const OBJECTS: &str = r#"
apiVersion: apps/v1
kind: Deployment
metadata: {name: cart, labels: {app: cart}}
spec:
  replicas: 1
  selector: {matchLabels: {app: cart}}
  template:
    metadata: {labels: {app: cart}}
    spec:
      containers:
      - name: app
        image: registry.example.com/cart:1.0
        env: [{name: TOKEN, value: canary-4711}]
---
apiVersion: v1
kind: Secret
metadata: {name: hidden}
stringData: {key: canary-0815}
"#;

#[tokio::test]
async fn a_panel_names_writers_masks_values_and_shows_no_secret() -> Result<()> {
    let plane = planes::with_namespace(NAMESPACE)?;
    plane.kubectl_with_input(&["apply", "-n", NAMESPACE, "-f", "-"], OBJECTS)?;
    let rig = UiRig::of_plane(plane, Look::default()).await?;
    let browser = &rig.browser;
    let of_cart = |tab: &str| format!("/v/deployments.apps@/{NAMESPACE}?o={NAMESPACE}/cart&tab={tab}");

    rig.visit(&of_cart("timeline")).await?;
    browser.until("it is live", "shown('#panel .pill').includes('Live')").await?;
    browser.until("nothing yet", "shown('#panel').includes('no change since')").await?;
    plane.kubectl_output(&["-n", NAMESPACE, "scale", "deployment", "cart", "--replicas=3"])?;
    let change = "deep('.chg').some((line) => {
        const text = (selector) => line.querySelector(selector)?.textContent;
        return text('.chg-path') === 'spec.replicas' && text('.chg-was') === '1' && text('.chg-now') === '3';
      })";
    browser.until("the field that changed", change).await?;
    let writer = "deep('.tl-item').some((entry) => entry.textContent.includes('spec.replicas')
        && entry.querySelector('.tl-writer').textContent === 'kubectl scale')";
    browser.until("its writer", writer).await?;
    browser.click(".tl-note .tl-pick").await?;
    browser.click(".tl-item .tl-pick").await?;
    let compared = "shown('.diff-del').includes('replicas: 1') && shown('.diff-add').includes('replicas: 3')";
    browser.until("both versions compared", compared).await?;

    rig.visit(&of_cart("yaml")).await?;
    browser.until("what is masked", "shown('#panel').includes('Masked: 1 env value.')").await?;
    // The value stands below the window of the YAML: a match brings it into sight.
    browser.click("#yaml-find").await?;
    browser.press("token").await?;
    let mask = "deep('.masked').some((mask) => mask.textContent === '••••••••'
        && mask.getAttribute('aria-label') === 'masked by the gateway')";
    browser.until("a mask in place of the value", mask).await?;
    ensure_absent(&rig, "canary-4711").await?;

    rig.visit(&format!("/v/secrets@/{NAMESPACE}?o={NAMESPACE}/hidden&tab=yaml")).await?;
    browser.until("a refusal", "shown('#panel').includes('hidden by this gateway')").await?;
    browser.until("no YAML", "deep('.y').length === 0").await?;
    ensure_absent(&rig, "canary-0815").await?;
    rig.browser.close().await
}

async fn ensure_absent(rig: &UiRig, value: &str) -> Result<()> {
    let everything = format!(
        "{} return document.documentElement.outerHTML
           + deep('*').filter((e) => e.shadowRoot).map((e) => e.shadowRoot.innerHTML).join('')",
        page::DEEP
    );
    let everything = rig.browser.run(&everything, Vec::new()).await?;
    ensure!(!everything.to_string().contains(value), "{value} is on the page");
    Ok(())
}
