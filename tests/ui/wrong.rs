//! What is wrong, and being told of it, as a person sees it in front of a real API server.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use testkit::input::{CONTROL, ENTER};
use testkit::{api, page, planes};

use crate::rig::{TALL, UiRig};

const NAMESPACE: &str = "trouble";
const PODS: [&str; 2] = ["web-5d9f8c7b6-tm4xz", "web-5d9f8c7b6-k2v8q"];

#[tokio::test]
async fn what_is_wrong_comes_by_itself_opens_its_object_and_is_told() -> Result<()> {
    let plane = planes::with_namespace(NAMESPACE)?;
    let client = api::client(&plane.kubeconfig()).await?;
    let rig = UiRig::of_plane(plane, TALL).await?;
    let browser = &rig.browser;
    rig.visit(&format!("/v/pods@/{NAMESPACE}")).await?;
    page::until_pill(browser, "Live").await?;
    browser.click(".brand").await?;
    browser.until("the list of all", "location.pathname.startsWith('/wrong/')").await?;
    rig.visit(&format!("/wrong/@/{NAMESPACE}")).await?;
    browser.until("that nothing is wrong", "shown('.wrong-note').includes('Nothing is wrong in')").await?;

    for pod in PODS {
        let path = format!("/api/v1/namespaces/{NAMESPACE}/pods");
        api::post(&client, &path, &pod_of_web(pod)).await?;
        api::merge(&client, &format!("{path}/{pod}/status"), &crashing()).await?;
    }
    browser.until("one story of both pods", "shown('.wrong-story').includes('2 Pods')").await?;
    let story = browser.awaited("the story", "shown('.wrong-story')").await?;
    let story = story.as_str().context("a text")?;
    ensure!(["Deployment", "web", "CrashLoopBackOff"].iter().all(|part| story.contains(part)), "{story}");
    browser.click(".wrong-fold").await?;
    browser.until("its leaves", "deep('.wrong-leaf').length === 2").await?;
    browser.click(".wrong-leaf .cmpv-name").await?;
    browser.until("the panel of a pod", "shown('#panel').includes('CrashLoopBackOff')").await?;
    browser.until("the list beside it", "deep('.wrong-leaf').length === 2").await?;
    browser.until("the tally in the top bar", "shown('#wrong').includes('2 failing')").await?;

    rig.visit(&format!("/v/pods@/{NAMESPACE}")).await?;
    browser.until("the rows", "rows().length === 2").await?;
    browser.enter_table().await?;
    browser.press("!").await?;
    browser.until("the sheet", "deep('#tell-form').length === 1").await?;
    browser.click_on("deep('.tell-of .seg:last-child button').at(-1)").await?;
    browser.until("the view", "deep('.tell-of .seg').length === 2").await?;
    browser.click("#tell-form").await?;
    browser.press_with(CONTROL, "a").await?;
    browser.press("deleted").await?;
    browser.press(ENTER).await?;
    browser.until("the question", "shown('#tell-sheet').includes(': deleted')").await?;
    let gone = PODS[0];
    plane.kubectl_output(&["-n", NAMESPACE, "delete", "pod", gone, "--grace-period=0", "--force"])?;
    let is_told = format!("shown('.tell-told').includes('{gone} in {NAMESPACE}')");
    browser.until("the answer", &is_told).await?;
    browser.until("its proof", "shown('.tell-told').includes('resourceVersion ')").await?;
    rig.browser.close().await
}

/// Its owner isn't here, so it is known by its name alone.
fn pod_of_web(name: &str) -> Value {
    let owner = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-5d9f8c7b6", "controller": true,
        "uid": "00000000-0000-4000-8000-000000000001",
    });
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": name, "labels": { "pod-template-hash": "5d9f8c7b6" }, "ownerReferences": [owner] },
        "spec": { "containers": [{ "name": "app", "image": "registry.example.com/web:1.0" }] },
    })
}

fn crashing() -> Value {
    json!({ "status": { "phase": "Running", "containerStatuses": [{
        "name": "app", "image": "registry.example.com/web:1.0", "imageID": "", "ready": false, "restartCount": 3,
        "state": { "waiting": { "reason": "CrashLoopBackOff", "message": "back-off 5m0s" } },
    }] } })
}
