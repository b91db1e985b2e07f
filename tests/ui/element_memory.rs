//! Elements that come and go, in two documents of one page of another origin: what they leave, and one that is moved from
//! the one to the other.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::metrics::Metrics;
use testkit::teams::{self, Subject};

use crate::rig::of_bearers_for;
use crate::third_party_page::third_party;

/// In each document: `add(tag)` appends an element, and `come_and_go()` adds ten of each kind, and removes them when
/// they are drawn. `memory` is the program's.
const HELPERS: &str = "
  window.add = (tag, properties) => {
    const what = tag === 'dogwatch-object' ? { namespace: 'team-a', name: 'of-team-a' } : { namespaces: 'team-a' };
    const tokenProvider = () => 'token-of-alice';
    const set = { resource: 'configmaps', ...what, gateway: GATEWAY, tokenProvider, ...properties };
    const element = Object.assign(document.createElement(tag), set);
    document.body.append(element);
    return element;
  };
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  window.come_and_go = async () => {
    const elements = TAGS.flatMap((tag) => Array.from({ length: 10 }, () => add(tag)));
    await frame();
    for (const element of elements) element.remove();
    await frame();
  };
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...all) => {
    const instance = await instantiate(...all);
    window.memory ??= instance.exports.memory;
    return instance;
  };
";
const TAGS: &str = "['dogwatch-table', 'dogwatch-changes', 'dogwatch-object']";
const OF_A_ROUND: u32 = 30;

/// A browser compiles what runs often, and keeps that.
const WARM_UP_ROUNDS: u32 = 25;
const ROUNDS: u32 = 17;
/// The nodes and listeners that all documents may gain per thousand elements. A leaking element leaves at least one
/// of each.
const NODES_AND_LISTENERS: u64 = 200;

/// A program takes memory by pages of 64 KiB. It may need two more for its log of the bookmarks that come meanwhile, and
/// scripts two hundredths more for what was compiled late. Where the machine is busy that is too little: then one of the
/// next thousands must cost no more than half of it. Elements that left 360 bytes each would cost three pages every time.
const PAGE_BYTES: u64 = 65_536;
const PAGES: u64 = 2;
const SCRIPTS_PERCENT: f64 = 2.0;
const FURTHER_THOUSANDS: u8 = 3;

/// What elements that left may not leave: in bytes, but for nodes and listeners.
#[derive(Debug)]
struct Held {
    scripts: f64,
    nodes: u64,
    listeners: u64,
    programs: Vec<u64>,
}

impl Held {
    /// In the first thousand elements, or in a further one, whose part is half.
    fn has_grown(&self, before: &Self, is_first: bool) -> bool {
        let (pages, percent) =
            if is_first { (PAGES, SCRIPTS_PERCENT) } else { (PAGES / 2, SCRIPTS_PERCENT / 2.0) };
        let mut programs = self.programs.iter().zip(&before.programs);
        programs.any(|(after, before)| *after > before + pages * PAGE_BYTES)
            || self.scripts >= before.scripts * (1.0 + percent / 100.0)
            || self.nodes >= before.nodes + NODES_AND_LISTENERS
            || self.listeners >= before.listeners + NODES_AND_LISTENERS
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r_emb_2_a_thousand_elements_that_came_and_went_in_two_documents_leave_no_memory_behind() -> Result<()>
{
    let portal = format!("http://{}", third_party().await?);
    let metrics = Metrics::at_free_port();
    let flags = ["--allowed-origin", &portal, "--metrics-listen", &metrics.address()];
    let (playground, dogwatch) = of_bearers_for(&flags).await?;
    teams::allow(&playground, "team-a", Subject::User("alice"))?;
    let browser = Browser::start(Look::default()).await?;
    browser.open(&portal).await?;
    let helpers = HELPERS.replace("GATEWAY", &format!("'{}'", dogwatch.origin())).replace("TAGS", TAGS);
    let documents = format!(
        "window.inner = document.createElement('iframe');
         inner.src = '/inner';
         const done = arguments[arguments.length - 1];
         inner.onload = () => {{
           for (const view of [window, inner.contentWindow]) view.eval(arguments[0]);
           const script = `import('{0}/element.js').then(() => {{ for (const tag of {TAGS}) add(tag); }})`;
           for (const view of [window, inner.contentWindow]) view.eval(script);
           done(true);
         }};
         document.body.append(inner);",
        dogwatch.origin()
    );
    browser.client().execute_async(&documents, vec![json!(helpers)]).await?;
    let are_live = format!(
        "[document, inner.contentDocument].every((within) =>
           {TAGS}.slice(0, 2).every((tag) => within.querySelector(tag)?.matches(':state(live)')))"
    );
    browser.until("all are live", &are_live).await?;
    ensure!(metrics.count("dogwatch_sessions")? == 2, "a socket for each document");

    come_and_go(&browser, WARM_UP_ROUNDS).await?;
    let mut before = held(&browser).await?;
    let count = 2 * ROUNDS * OF_A_ROUND;
    ensure!(count >= 1_000 && before.programs.len() == 2, "{count} elements: {before:?}");
    for further in 0..=FURTHER_THOUSANDS {
        come_and_go(&browser, ROUNDS).await?;
        let after = held(&browser).await?;
        let said = format!("{count} elements, {} times: {before:?}, then {after:?}", further + 1);
        println!("{said}");
        if !after.has_grown(&before, further == 0) {
            break;
        }
        ensure!(further < FURTHER_THOUSANDS, "each thousand leaves something: {said}");
        before = after;
    }
    browser.until("all are live still", &are_live).await?;

    // From one document to the other: what was set counts there, with the style sheets of that one.
    let moved = "
      window.moved = add('dogwatch-table', { density: 'compact' });
      const place = inner.contentDocument.body;
      place.append(moved);
      moved.style.height = '300px';";
    browser.run(moved, Vec::new()).await?;
    let is_drawn = "moved.matches(':state(live)') && moved.shadowRoot.adoptedStyleSheets.length === 1
      && moved.shadowRoot.querySelector('[data-density=compact]') !== null
      && moved.shadowRoot.querySelectorAll('[data-row]').length === 1";
    browser.until("it is drawn in the other document", is_drawn).await?;
    ensure!(metrics.count("dogwatch_sessions")? == 2, "no other socket");

    browser.run("inner.remove();", Vec::new()).await?;
    browser.until("it leaves with its document", "moved.connection === undefined").await?;
    browser.close().await
}

/// WebDriver limits how long a script may run, so each round is a script of its own.
async fn come_and_go(browser: &Browser, rounds: u32) -> Result<()> {
    let script = "
      const done = arguments[arguments.length - 1];
      const both = [window, inner.contentWindow].map((view) => view.come_and_go());
      Promise.all(both).then(() => done(true), (error) => done(String(error)));";
    for _ in 0..rounds {
        let done = browser.client().execute_async(script, Vec::new()).await?;
        ensure!(done == json!(true), "{done}");
    }
    Ok(())
}

/// What is still held after garbage collection.
async fn held(browser: &Browser) -> Result<Held> {
    for _ in 0..3 {
        browser.devtools("HeapProfiler.collectGarbage", json!({})).await?;
    }
    let heap = browser.devtools("Runtime.getHeapUsage", json!({})).await?;
    let counters = browser.devtools("Memory.getDOMCounters", json!({})).await?;
    let count = |name: &str| counters[name].as_u64().with_context(|| counters.to_string());
    let programs = "[window, inner.contentWindow].map((view) => view.memory.buffer.byteLength)";
    Ok(Held {
        scripts: heap["usedSize"].as_f64().with_context(|| heap.to_string())?,
        nodes: count("nodes")?,
        listeners: count("jsEventListeners")?,
        programs: serde_json::from_value(browser.read(programs).await?)?,
    })
}
