//! A reader goes back in time with keys and with a link, sees the table as the server printed it then, and can't take it
//! for a live one.

use anyhow::{Result, ensure};
use playground::{Options, Playground};
use serde_json::json;
use testkit::api;
use testkit::dogwatch::Dogwatch;
use testkit::input::ENTER;
use testkit::load::refused;
use testkit::page;

use crate::rig::{TALL, UiRig};

/// The address of the page, with the time that it shows.
const AT: &str = "return new URL(location.href).searchParams.get('at')";

#[tokio::test(flavor = "multi_thread")]
async fn a_past_table_is_what_the_server_printed_then_and_never_looks_live() -> Result<()> {
    let playground = Playground::start(Options::quiet()).await?;
    let file = tempfile::NamedTempFile::new()?;
    playground.write_kubeconfig(file.path())?;
    let client = api::client(file.path()).await?;
    let rig = UiRig::open(Dogwatch::of_playground(&playground)?, TALL).await?;
    let browser = &rig.browser;
    rig.go("/v/pods@/*?wide=1").await?;
    playground.step_fleet(20);
    make(&playground, "before")?;
    browser.until("the first pod", "rows().some((row) => cells(row).includes('before'))").await?;
    let then = api::table(&client, "/api/v1/pods").await?;
    let at = browser.run("return new Date().toISOString()", Vec::new()).await?;
    playground.step_fleet(20);
    make(&playground, "after")?;
    browser.until("the next pod", "rows().some((row) => cells(row).includes('after'))").await?;

    // By a link.
    let path = format!("/v/pods@/*?wide=1&at={}", at.as_str().unwrap_or_default());
    rig.visit(&path).await?;
    page::until_pill(browser, "Past").await?;
    browser.until("the pod of then", "rows().some((row) => cells(row).includes('before'))").await?;
    page::table(browser).await?.compare(&then).map_err(|differences| anyhow::anyhow!("{differences}"))?;
    let title = browser.run("return document.title", Vec::new()).await?;
    ensure!(title.as_str().is_some_and(|title| title.starts_with("(past ")), "{title}");
    browser.until("no live pill", "!shown('.pill').includes('Live')").await?;

    // Back, and by keys to the last change, from change to change, and back again.
    browser.press("h").await?;
    page::until_pill(browser, "Live").await?;
    browser.until("now", "rows().some((row) => cells(row).includes('after'))").await?;
    // The button of a step stays under the pointer, whatever comes beside it.
    browser.click("#clock").await?;
    let left = "deep('.past-step button')[0]?.getBoundingClientRect().left";
    let before = browser.awaited("the bar", left).await?;
    browser.click(".past-step button").await?;
    page::until_pill(browser, "Past").await?;
    ensure!(browser.read(left).await? == before, "it moved from {before}");
    let last = browser.run(AT, Vec::new()).await?;
    browser.enter_table().await?;
    browser.press(",").await?;
    browser
        .until("an earlier change", &format!("new URL(location.href).searchParams.get('at') < {last}"))
        .await?;
    browser.press("h").await?;
    page::until_pill(browser, "Live").await?;
    // On a phone it is reached at once.
    browser.resize(390, 780, 1).await?;
    let is_whole = "(() => {
        const clock = deep('#clock')[0];
        return clock.checkVisibility() && clock.getBoundingClientRect().right <= innerWidth;
    })()";
    browser.until("the clock", is_whole).await?;
    browser.click("#clock").await?;
    browser.until("the bar", "deep('.past-track').length === 1").await?;
    rig.browser.close().await
}

fn make(playground: &Playground, name: &str) -> Result<()> {
    let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name, "namespace": "default" },
        "spec": { "containers": [{ "name": "one", "image": "example.com/one:1" }] } });
    playground.create(pod).map_err(refused).map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_gone_is_opened_by_its_link_and_two_times_are_compared() -> Result<()> {
    let playground = Playground::start(Options::quiet()).await?;
    let rig = UiRig::open(Dogwatch::of_playground(&playground)?, TALL).await?;
    let browser = &rig.browser;
    rig.go("/v/pods@/*").await?;
    make(&playground, "leaves")?;
    browser.until("the pod that leaves", "rows().some((row) => cells(row).includes('leaves'))").await?;
    let at = browser.run("return new Date().toISOString()", Vec::new()).await?;
    make(&playground, "comes")?;
    browser.until("the pod that comes", "rows().some((row) => cells(row).includes('comes'))").await?;
    playground.delete("pods", "default", "leaves").map_err(refused)?;

    // By its name alone.
    rig.visit("/v/pods@/*?o=default/leaves&tab=timeline").await?;
    browser.until("its end", "shown('.panel').includes('Deleted at')").await?;
    browser.until("its beginning", "shown('.panel').includes('Created')").await?;
    browser.press("y").await?;
    browser.until("its last YAML", "shown('.panel').includes('example.com/one:1')").await?;

    // What is different, by a link and by a key.
    let path = format!("/v/pods@/*?at={}&vs=now", at.as_str().unwrap_or_default());
    rig.visit(&path).await?;
    let differs = "shown('.cmpv-came').includes('comes') && shown('.cmpv-went').includes('leaves')";
    browser.until("both of them", differs).await?;
    browser.press("v").await?;
    browser.until("the rows of then", "rows().some((row) => cells(row).includes('leaves'))").await?;
    browser.press("v").await?;
    browser.until("both of them again", differs).await?;
    browser.until("the focus in the list", "deep('.cmpv:focus').length > 0").await?;
    browser.press("j").await?;
    browser.until("the first object", "deep('.cmpv-name:focus').length > 0").await?;
    browser.press(ENTER).await?;
    browser
        .until("the object", "shown('.panel').includes('leaves') || shown('.panel').includes('comes')")
        .await?;
    let link = browser.run("return location.href", Vec::new()).await?;
    ensure!(
        link.as_str().is_some_and(|link| link.contains("vs=now") && link.contains("o=default")),
        "{link}"
    );

    // A word that only the pod that is gone had.
    rig.visit("/v/pods@/*").await?;
    browser.until("rows", "rows().some((row) => cells(row).includes('comes'))").await?;
    browser.press("h").await?;
    browser.until("the bar", "deep('.past-track').length > 0").await?;
    browser.press("f").await?;
    browser.until("the field", "deep('.cmpv-field input:focus').length > 0").await?;
    browser.press("leaves").await?;
    browser.press(ENTER).await?;
    browser.until("its name", "shown('.cmpv-found').includes('leaves')").await?;
    rig.browser.close().await
}
