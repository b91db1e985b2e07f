//! The page `/embed` in a frame of a portal: live, told of and led by the portal's messages alone, and plain about what it
//! lacks. Which pages may frame what is in `third_party_page.rs`.

use anyhow::{Result, ensure};
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::page;
use testkit::teams::{self, Subject};

use crate::rig::of_bearers_for;
use crate::third_party_page::third_party;

/// `frame(src, attributes)` adds a frame to the portal's page; `told(at, type)`: what that frame told; `say(at, message)`.
const PORTAL: &str = "
  window.heard = [];
  const frames = document.getElementsByTagName('iframe');
  addEventListener('message', ({ source, origin, data }) => {
    heard.push({ at: [...frames].findIndex((frame) => frame.contentWindow === source), origin, data });
    // So that a test that waits looks again.
    document.body.dataset.heard = heard.length;
  });
  window.told = (at, type) => heard.filter((held) => held.at === at && held.data.type === type).map(({ data }) => data);
  window.say = (at, message) => frames[at].contentWindow.postMessage(message, '*');
  window.frame = (src, attributes = {}) => {
    const frame = document.createElement('iframe');
    for (const [name, value] of Object.entries(attributes)) frame.setAttribute(name, value);
    Object.assign(frame.style, { width: '700px', height: '200px' });
    frame.src = src;
    document.body.append(frame);
  };
";

/// Within a frame: counts the messages that came, once the page had them.
const COUNT_MESSAGES: &str = "
  let seen = 0;
  addEventListener('message', () => { document.body.dataset.seen = ++seen; });
";

async fn visit_portal(browser: &Browser, portal: &str) -> Result<()> {
    browser.open(portal).await?;
    browser.run(PORTAL, Vec::new()).await.map(drop)
}

async fn add_frame(browser: &Browser, address: &str, attributes: serde_json::Value) -> Result<()> {
    browser.run("frame(arguments[0], arguments[1]);", vec![json!(address), attributes]).await.map(drop)
}

/// At the plain address, because a frame on the portal's own site shares the session of the gateway's pages.
fn demo_for(portal: &str) -> Result<Dogwatch> {
    let flags = ["--demo", "--plain-address", "--listen", "127.0.0.1:0", "--allowed-origin", portal];
    Home::new()?.serve(&flags)
}

#[tokio::test]
async fn r_brow_8_a_listed_sites_frame_is_live_and_hears_and_tells_its_own_page_alone() -> Result<()> {
    let portal = format!("http://{}", third_party().await?);
    let dogwatch = demo_for(&portal)?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit_portal(&browser, &portal).await?;
    let embed = format!("{}/embed", dogwatch.origin());
    add_frame(&browser, &format!("{embed}?resource=services&namespaces=*"), json!({})).await?;
    browser.until("it is ready and live", "told(0, 'ready').length === 1 && told(0, 'state').at(-1)?.state === 'live' && told(0, 'sync').length > 0").await?;
    let is_exact = browser.run("return heard.every(({ origin, data }) => origin === arguments[0] && data.source === 'dogwatch');", vec![json!(dogwatch.origin())]).await?;
    ensure!(is_exact == json!(true), "each message names the gateway and its source");

    // As high as it says, it shows every row.
    browser.until("a height", "told(0, 'height').at(-1)?.height > 300").await?;
    browser
        .read("document.querySelector('iframe').style.height = `${told(0, 'height').at(-1).height}px`")
        .await?;
    browser.client().enter_frame(0).await?;
    let fits = "rows().length > 5 && rows().length === count() && deep('.tbody').every((box) => box.scrollHeight <= box.clientHeight)";
    browser.until("all its rows", fits).await?;
    browser.run(COUNT_MESSAGES, Vec::new()).await?;
    browser.click_on("deep('[data-row] .td-name')[0]").await?;
    browser.client().enter_parent_frame().await?;
    // A browser draws no frame that is out of sight.
    browser.read("document.querySelector('iframe').style.height = '200px'").await?;
    browser.until("the row that was opened", "told(0, 'row-activate')[0]?.resource === 'services'").await?;

    // What it is asked for, and what means nothing.
    let script = "
      for (const message of [null, 'pause', { type: 'nothing' }, { type: '__proto__' }, { type: 'token', token: 7 }, { type: 'attributes' }]) say(0, message);
      say(0, { type: 'attributes', attributes: { filter: 'api', sort: '-name' } });
      say(0, { type: 'pause' });
    ";
    browser.run(script, Vec::new()).await?;
    browser.until("it is paused", "told(0, 'state').at(-1).paused === true").await?;
    browser
        .run(
            "say(0, { type: 'resume' }); say(0, { type: 'attributes', attributes: { colour: 'red' } });",
            Vec::new(),
        )
        .await?;
    browser.until("it goes on", "told(0, 'state').at(-1).paused === false").await?;
    browser.until("what it doesn't know", "told(0, 'error').at(-1)?.message.includes('\"colour\"')").await?;

    // The same words from another window of the portal, and from another site's.
    let stolen =
        "parent.frames[0].postMessage({ type: 'attributes', attributes: { filter: 'stolen' } }, '*');";
    for (at, origin) in [(1, portal.clone()), (2, format!("http://{}", third_party().await?))] {
        add_frame(&browser, &origin, json!({})).await?;
        browser.client().enter_frame(at).await?;
        browser.until("the other page", "document.title === 'a third party'").await?;
        browser.run(stolen, Vec::new()).await?;
        browser.client().enter_parent_frame().await?;
    }
    browser.client().enter_frame(0).await?;
    browser.until("all messages", "Number(document.body.dataset.seen) === 12").await?;
    browser.until("the portal's filter", "deep('input.filter-input')[0].value === 'api'").await?;
    let asked = browser.text("document.querySelector('dogwatch-table').getAttribute('filter')").await?;
    ensure!(asked == "api", "another page led the frame: {asked}");
    browser.client().enter_parent_frame().await?;

    // A frame that is to speak with another site neither hears nor tells this one.
    let elsewhere = format!("{embed}?resource=services&origin=https://portal.example");
    add_frame(&browser, &elsewhere, json!({})).await?;
    browser.client().enter_frame(3).await?;
    browser.until("it is live", "shown('.pill').includes('Live')").await?;
    browser.run(COUNT_MESSAGES, Vec::new()).await?;
    browser.client().enter_parent_frame().await?;
    browser.run("say(3, { type: 'attributes', attributes: { filter: 'stolen' } });", Vec::new()).await?;
    browser.client().enter_frame(3).await?;
    browser.until("the message", "document.body.dataset.seen === '1'").await?;
    let is_led = browser.read("document.querySelector('dogwatch-table').hasAttribute('filter')").await?;
    ensure!(is_led == json!(false), "it was led by another site than it was told");
    browser.client().enter_parent_frame().await?;
    ensure!(browser.read("heard.some(({ at }) => at === 3)").await? == json!(false), "it told another site");

    // An address that can't be read: nothing is guessed.
    for (at, wrong, said) in [
        (4, "resource=pods&colour=red", "\"colour\""),
        (5, "resource=pods&element=board", "\"board\""),
        (6, "resource=pods&gateway=https://evil.example", "\"gateway\""),
        (7, "resource=pods&resource=nodes", "twice"),
    ] {
        add_frame(&browser, &format!("{embed}?{wrong}"), json!({})).await?;
        browser.until("an error", &format!("told({at}, 'error')[0]?.message.includes('{said}')")).await?;
        browser.client().enter_frame(at).await?;
        browser
            .until(
                "the same in its place",
                &format!("shown('[role=alert]').includes('{said}') && deep('dogwatch-table').length === 0"),
            )
            .await?;
        browser.client().enter_parent_frame().await?;
    }
    let errors = browser.console_errors().await?;
    let is_meant = |error: &String| error.contains("target origin provided");
    ensure!(errors.iter().all(is_meant), "{errors:#?}");
    Ok(browser.client().clone().close().await?)
}

#[tokio::test]
async fn a_frame_that_is_not_signed_in_leads_to_the_gateway_and_is_live_after_that() -> Result<()> {
    let portal = format!("http://{}", third_party().await?);
    let dogwatch = demo_for(&portal)?;
    let browser = Browser::start(Look::default()).await?;
    visit_portal(&browser, &portal).await?;
    let embed = format!("{}/embed?resource=services", dogwatch.origin());
    add_frame(&browser, &embed, json!({})).await?;
    browser.until("what it wants", "told(0, 'auth-required')[0]?.wants === 'login'").await?;
    browser.client().enter_frame(0).await?;
    browser.until("a sentence", "shown('[role=alert]').includes('You are not signed in')").await?;
    let link = "(({ href, target, rel }) => [href, target, rel].join(' '))(document.querySelector('[role=alert] a'))";
    ensure!(
        browser.text(link).await? == format!("{}/ _blank noopener", dogwatch.origin()),
        "where to sign in"
    );
    browser.client().enter_parent_frame().await?;
    let portals = browser.client().window().await?;
    browser.open_window().await?;
    browser.open(dogwatch.url()).await?;
    page::until_pill(&browser, "Live").await?;
    browser.look_at(&portals).await?;
    browser
        .until(
            "it goes on by itself",
            "told(0, 'ready').length > 1 && told(0, 'state').at(-1)?.state === 'live'",
        )
        .await?;

    // Without an origin it can neither sign in nor load its program: it says which words are missing.
    add_frame(&browser, &embed, json!({ "sandbox": "allow-scripts" })).await?;
    browser.client().enter_frame(1).await?;
    let sentence = "getComputedStyle(deep('#not-started')[0]).visibility === 'visible' && shown('#not-started').includes('allow-same-origin')";
    browser.until("what is missing", sentence).await?;
    browser.client().enter_parent_frame().await?;
    add_frame(&browser, &embed, json!({ "sandbox": "allow-scripts allow-same-origin" })).await?;
    browser.until("with both it is live", "told(2, 'state').at(-1)?.state === 'live'").await?;
    let errors = browser.console_errors().await?;
    let is_refused_file = |error: &String| error.contains("CORS policy");
    ensure!(errors.iter().all(is_refused_file), "{errors:#?}");
    Ok(browser.client().clone().close().await?)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frames_token_comes_from_its_portal_when_it_asks() -> Result<()> {
    let portal = format!("http://{}", third_party().await?);
    let (playground, dogwatch) = of_bearers_for(&["--allowed-origin", &portal]).await?;
    teams::allow(&playground, "team-a", Subject::User("alice"))?;
    let browser = Browser::start(Look::default()).await?;
    visit_portal(&browser, &portal).await?;
    let embed = format!("{}/embed?element=changes&resource=configmaps&namespaces=team-a", dogwatch.origin());
    let script = "
      const answers = ['wrong', 'token-of-alice'];
      addEventListener('message', ({ data }) => {
        if (data.type === 'auth-required') say(0, { type: 'token', token: answers.shift() });
      });
    ";
    browser.run(script, Vec::new()).await?;
    add_frame(&browser, &embed, json!({})).await?;
    browser.until("it is live", "told(0, 'state').at(-1)?.state === 'live'").await?;
    let asked = browser.read("told(0, 'auth-required').map(({ wants }) => wants).join()").await?;
    ensure!(asked == json!("token,token"), "asked once for each token: {asked}");
    browser.close().await
}
