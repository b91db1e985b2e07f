//! A table that changes a hundred times a second, for those who read it by the keyboard, by ear or without colours.

use std::ops::Range;
use std::time::Duration;

use anyhow::{Result, ensure};
use playground::{Options, Playground};
use testkit::exemplar;
use testkit::load::{Size, fill, refused};

use crate::rig::UiRig;

#[tokio::test(flavor = "multi_thread")]
async fn r_a11y_2_under_a_hundred_changes_a_second_the_focus_stays_and_little_is_said() -> Result<()> {
    let playground = busy().await?;
    let rig = UiRig::of_playground(&playground).await?;
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.enter_table().await?;
    browser.press("jjjjjj").await?;
    browser.until("the seventh row", "deep('.tr-focus')[0]?.getAttribute('aria-rowindex') === '8'").await?;
    let focused = browser.read(FOCUSED).await?;
    ensure!(focused.is_string(), "a row has the focus");
    browser.run(&format!("{}{WATCH}", testkit::page::DEEP), Vec::new()).await?;
    let changing = "window.changes > 300";
    let (written, seen) = tokio::join!(write(&playground, 0..600), browser.until("changes", changing));
    written?;
    seen?;
    ensure!(browser.read(FOCUSED).await? == focused, "the focus moved to another row");
    let said = browser.read("window.said").await?;
    ensure!(said.as_u64().is_some_and(|said| said <= 1), "{said} announcements in six seconds");

    // What was held is counted, so changes came all the while.
    let (paused, written) = tokio::join!(
        async {
            browser.press(" ").await?;
            browser.until("held changes", "/[1-9][0-9]{2}/.test(shown('.pill').replace(/[^0-9]/g, ''))").await
        },
        write(&playground, 600..1_000)
    );
    written?;
    paused?;
    let late = browser.read("window.lastChange - window.frameAfterKey").await?;
    ensure!(
        late.as_f64().is_some_and(|late| late <= 0.0),
        "a row changed {late} ms after the frame of the key"
    );
    ensure!(browser.read(FOCUSED).await? == focused, "the focus moved");
    rig.browser.close().await
}

#[tokio::test(flavor = "multi_thread")]
async fn r_a11y_3_without_colours_each_state_has_its_own_word_and_each_change_its_own_sign() -> Result<()> {
    let playground = busy().await?;
    let rig = UiRig::of_playground(&playground).await?;
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    let pod = |number: usize| {
        let mut pod = exemplar::pod(number);
        pod["status"] = exemplar::status(number, 0)["status"].take();
        pod
    };
    playground.create(pod(PODS)).map_err(refused)?;
    let changed = exemplar::status(1, 1_000);
    playground.patch("pods", exemplar::NAMESPACE, &exemplar::name(1), changed).map_err(refused)?;
    playground.delete("pods", exemplar::NAMESPACE, &exemplar::name(2)).map_err(refused)?;
    let signs = "['.gutter-add', '.gutter-mod', '.gutter-del'].map((sign) => deep(sign)[0]?.firstChild.textContent).join('')";
    browser.until("the three signs", &format!("{signs} === '+~−'")).await?;
    let mut words = vec![browser.text("shown('.pill')").await?];
    browser.enter_table().await?;
    browser.press(" ").await?;
    browser.until("paused", "shown('.pill').includes('Paused')").await?;
    words.push(browser.text("shown('.pill')").await?);
    browser.press(" ").await?;
    drop(rig.dogwatch);
    browser.until("stale", "shown('.pill').includes('Stale')").await?;
    words.push(browser.text("shown('.pill')").await?);
    let starts: Vec<&str> = words.iter().filter_map(|word| word.split_whitespace().next()).collect();
    ensure!(starts == ["Live", "Paused", "Stale"], "{words:?}");
    rig.browser.close().await
}

/// A hundred changes a second. Each is of the status too, which is what would be said of the row with the focus.
async fn write(playground: &Playground, numbers: Range<usize>) -> Result<()> {
    let mut ticks = tokio::time::interval(Duration::from_millis(10));
    for number in numbers {
        ticks.tick().await;
        let mut change = exemplar::status(number % PODS, number as u64);
        change["status"]["reason"] = format!("Turn{}", number / PODS).into();
        playground
            .patch("pods", exemplar::NAMESPACE, &exemplar::name(number % PODS), change)
            .map_err(refused)?;
    }
    Ok(())
}

async fn busy() -> Result<Playground> {
    let playground = Playground::start(Options::empty()).await?;
    fill(&playground, PODS, Size::Small)?;
    Ok(playground)
}

const PODS: usize = 20;
const FOCUSED: &str = "deep('.tr-focus')[0]?.dataset.row ?? null";
/// Counts what is said and what changes in rows, and notes when: also the end of the frame in which the pause's key was
/// pressed.
const WATCH: &str = "
    window.said = 0; window.changes = 0; window.lastChange = 0; window.frameAfterKey = Infinity;
    const observe = (target, heard) => new MutationObserver(heard)
      .observe(target, { subtree: true, childList: true, characterData: true, attributeFilter: ['class', 'style'] });
    observe(deep('#spoken')[0], () => { window.said += 1; });
    observe(deep('.tbody')[0], (records) => { window.changes += records.length; window.lastChange = performance.now(); });
    addEventListener('keydown', (event) => {
      if (event.key !== ' ') return;
      requestAnimationFrame(() => requestAnimationFrame(() => { window.frameAfterKey = performance.now(); }));
    }, true);
";
