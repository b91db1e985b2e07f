//! Being told of what is so, as a person asks for it: of a line of what is wrong, by a link, with a tone, and again when the page
//! opens. What counts as told is tested without a browser.

use anyhow::{Context, Result, ensure};
use playground::Playground;
use serde_json::{Value, json};
use testkit::browser::Look;
use testkit::page;

use crate::element::{import, visit};
use crate::rig::{UiRig, playground_of};

/// Counts the tones that this document plays.
const TONES: &str = "
  window.tones = 0;
  const make = AudioContext.prototype.createOscillator;
  AudioContext.prototype.createOscillator = function () { tones += 1; return make.call(this); };
";

async fn failing() -> Result<Playground> {
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop" } });
    playground_of(vec![namespace, pod("web-1", crashing()), pod("cart-1", running())]).await
}

fn pod(name: &str, status: Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": name, "namespace": "shop" },
        "spec": { "containers": [{ "name": "app", "image": "registry.example.com/web:1.0" }] },
        "status": status,
    })
}

fn crashing() -> Value {
    json!({ "phase": "Running", "conditions": [], "containerStatuses": [{
        "name": "app", "image": "registry.example.com/web:1.0", "imageID": "", "ready": false, "restartCount": 3,
        "state": { "waiting": { "reason": "CrashLoopBackOff", "message": "back-off 5m0s" } },
    }] })
}

fn running() -> Value {
    json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": "True" }], "containerStatuses": [{
        "name": "app", "image": "registry.example.com/web:1.0", "imageID": "", "ready": true, "restartCount": 3,
        "state": { "running": { "startedAt": "2026-01-01T10:00:00Z" } },
    }] })
}

fn set(playground: &Playground, name: &str, status: Value) -> Result<()> {
    let patched = playground.patch("pods", "shop", name, json!({ "status": status }));
    patched.map(drop).map_err(testkit::load::refused)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_is_asked_of_with_a_tone_and_asked_again_by_the_next_document() -> Result<()> {
    let playground = failing().await?;
    let rig = UiRig::of_playground(&playground).await?;
    let browser = &rig.browser;
    rig.visit("/wrong/@/*").await?;
    browser.until("the line", "deep('.wrong-line').length === 1").await?;
    browser.run(TONES, Vec::new()).await?;
    browser.press("j").await?;
    browser.press("!").await?;
    browser.until("the sheet", "deep('#tell-form')[0]?.value === 'health=fine'").await?;
    browser.until("its object", "shown('.tell-of').includes('Pod web-1 in shop')").await?;
    browser.click("#tell-sheet .help-head .btn-icon").await?;
    browser.until("it closes", "deep('#tell-sheet').length === 0").await?;
    browser.click(".wrong-tell").await?;
    browser.until("the same by a click", "shown('.tell-of').includes('Pod web-1 in shop')").await?;
    browser.click(".tell-sound").await?;
    browser.until("it is heard what was chosen", "window.tones === 1").await?;
    browser.click(".tell-send").await?;
    browser.until("the question", "shown('#tell-sheet').includes('waiting since')").await?;
    let kept = browser.read("localStorage.getItem('dogwatch.1')").await?;
    let kept = kept.as_str().context("preferences")?.to_owned();
    ensure!(kept.contains("o=pods/shop/web-1&tell=health=fine;sound=1"), "{kept}");

    // Another document, in which its reader does nothing but press a key.
    rig.go("/v/namespaces@/-").await?;
    browser.run(TONES, Vec::new()).await?;
    browser.enter_table().await?;
    browser.press("!").await?;
    browser.until("it is asked again", "shown('#tell-sheet').includes('web-1 in shop: health=fine')").await?;
    set(&playground, "web-1", running())?;
    browser.until("it is told", "shown('.tell-told').includes('Pod web-1 in shop: health=fine')").await?;
    browser.until("with a tone", "window.tones === 1").await?;
    browser.until("once", "!localStorage.getItem('dogwatch.1').includes('web-1')").await?;
    rig.browser.close().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_brings_a_question_that_waits_for_a_click() -> Result<()> {
    let playground = failing().await?;
    let rig = UiRig::of_playground(&playground).await?;
    let browser = &rig.browser;
    rig.visit("/v/pods@/shop?tell=health=failing;for=1s").await?;
    browser.until("the draft", "deep('#tell-form')[0]?.value === 'health=failing'").await?;
    browser.until("what it is", "shown('.tell-linked').includes('It is asked when you choose Ask')").await?;
    ensure!(browser.read("deep('.tell-line').length").await? == json!(0), "nothing is asked by a link");
    ensure!(browser.read("Notification.permission").await? != json!("granted"), "nor is the browser");
    browser.click(".tell-send").await?;
    browser
        .until("the question", "shown('.tell-line').includes('any of pods shop: health=failing for 1s')")
        .await?;
    browser.until("the address of the view alone", "!location.search.includes('tell=')").await?;
    set(&playground, "cart-1", crashing())?;
    browser.until("it is told", "shown('.tell-told').includes('cart-1 in shop')").await?;

    rig.visit("/v/pods@/shop?tell=condition=").await?;
    browser
        .until("why not", "document.body.innerText.includes('condition=Ready or condition=Ready=False')")
        .await?;
    browser.until("the view all the same", "rows().length === 2").await?;
    ensure!(browser.read("deep('#tell-sheet').length").await? == json!(0), "there is nothing to ask");
    rig.browser.close().await
}

#[tokio::test(flavor = "multi_thread")]
async fn r_emb_2_a_chip_says_how_much_is_wrong_and_never_that_nothing_is_without_a_proof() -> Result<()> {
    let playground = failing().await?;
    let dogwatch = testkit::dogwatch::Dogwatch::of_playground(&playground)?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    import(&browser, "/element.js").await?;
    browser
        .run(
            "window.heard = [];
             window.chip = document.createElement('dogwatch-tally');
             chip.addEventListener('state', ({ detail }) => heard.push(detail));
             chip.addEventListener('tally-activate', (event) => { window.activated = event.detail; event.preventDefault(); });
             document.body.append(chip);",
            Vec::new(),
        )
        .await?;
    browser.until("what fails", "shown('.wrong-chip') === '1 failing'").await?;
    browser.until("its page hears it", "heard.at(-1).failing === 1 && heard.at(-1).state === 'live'").await?;
    browser.until("its state", "chip.matches(':state(live)')").await?;
    browser.click(".wrong-chip").await?;
    browser.until("the click", "activated.failing === 1 && activated.link.startsWith('/wrong/@')").await?;
    browser.run("chip.toList = true;", Vec::new()).await?;
    browser.until("a link", "deep('a.wrong-chip')[0]?.pathname.startsWith('/wrong/@')").await?;
    browser.click(".wrong-chip").await?;
    ensure!(browser.read("location.pathname").await? == json!("/healthz"), "its page kept it from leading");

    set(&playground, "web-1", running())?;
    browser.until("nothing fails", "shown('.wrong-chip') === 'nothing is wrong'").await?;
    browser.run("chip.namespaces = 'Shop';", Vec::new()).await?;
    browser.until("why not", "shown('[part=error]').includes('namespaces=\"Shop\"')").await?;
    browser.run("chip.namespaces = 'shop';", Vec::new()).await?;
    browser.until("it is back", "shown('.wrong-chip') === 'nothing is wrong'").await?;
    drop(dogwatch);
    browser.until("no proof", "shown('.wrong-chip').startsWith('unknown since ')").await?;
    browser
        .until("its page hears it", "heard.at(-1).state === 'stale' && heard.at(-1).failing === undefined")
        .await?;
    ensure!(browser.read("violations").await? == json!(0), "the content policy was broken");
    browser.close().await
}
