//! The page for every eye and every screen, from a telephone to 4K, twice as large, and from right to
//! left: boxes are measured, not pixels. Nothing is cut off, nothing covers another, all can be reached.

use anyhow::{Result, ensure};
use serde_json::json;
use testkit::input::{LEFT, RIGHT};
use testkit::page;
use testkit::states::STATES;

use crate::rig::UiRig;
use crate::room::nothing_that_matters_is_cut;

/// Width, height and device pixels a CSS pixel: half of a window at twice the scale is a zoom of 200 %.
type Size = (u32, u32, u32);

const SIZES: [Size; 6] =
    [(390, 780, 1), (1440, 900, 1), (720, 450, 2), (768, 1024, 1), (1100, 800, 1), (3840, 2160, 1)];

/// All sizes with `DOGWATCH_SIZES=all`, else the first: the gate has no minutes for all.
fn sizes(first: usize) -> &'static [Size] {
    if is_all() { &SIZES } else { &SIZES[..first] }
}

fn is_all() -> bool {
    std::env::var_os("DOGWATCH_SIZES").is_some_and(|sizes| sizes == "all")
}

#[tokio::test]
async fn at_every_size_nothing_is_cut_off_or_covered() -> Result<()> {
    let rig = UiRig::of_demo().await?;
    let wrong = problems_at(&rig, sizes(4)).await?;
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    // `every_kind` asks the same of a real cluster's kinds.
    if is_all() {
        nothing_that_matters_is_cut(&rig.browser, &rig.dogwatch.origin(), &rig.cluster).await?;
    }
    rig.browser.close().await
}

#[tokio::test]
async fn on_a_telephone_a_row_has_two_lines_and_kinds_are_a_drawer() -> Result<()> {
    let rig = UiRig::of_demo().await?;
    let browser = &rig.browser;
    browser.resize(390, 780, 1).await?;
    rig.go_to("/v/pods@/*", "", "rows().length > 5").await?;
    let two_lines = "(() => {
        const top = (part) => rows()[0].querySelector(part).getBoundingClientRect().top;
        return [rows()[0].getBoundingClientRect().height, top('.td-age') - top('.td-name'),
                top('.td-status') - top('.td-name'), top('.td-ready') - top('.td-status')].join() === '52,0,22,0';
    })()";
    browser.until("two lines of 52 px", two_lines).await?;
    browser.click(".brand-menu").await?;
    browser.until("the drawer", "deep('.nav')[0].getBoundingClientRect().width > 200").await?;
    browser.click(".nav-item[href*='deployments']").await?;
    browser.until("deployments", "location.pathname.startsWith('/v/deployments')").await?;
    browser.until("the drawer has gone", "deep('.nav')[0].getBoundingClientRect().width === 0").await?;
    browser.click("#tell").await?;
    let sheet = "(() => {
        const box = deep('#tell-sheet #tell-form')[0] && deep('#tell-sheet')[0].getBoundingClientRect();
        return box && box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight;
    })()";
    browser.until("the sheet of what is told", sheet).await?;
    rig.browser.close().await
}

#[tokio::test]
async fn from_right_to_left_the_page_is_mirrored_and_names_stay_as_they_are() -> Result<()> {
    let rig = UiRig::of_demo().await?;
    let browser = &rig.browser;
    let agent = browser.text("navigator.userAgent").await?;
    let arabic = json!({ "userAgent": agent, "acceptLanguage": "ar-EG" });
    browser.devtools("Emulation.setUserAgentOverride", arabic).await?;
    let wrong = problems_at(&rig, sizes(2)).await?;
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));

    browser.resize(1440, 900, 1).await?;
    rig.go_to("/v/pods@/*", "", "rows().length > 5").await?;
    browser.until("from right to left", "document.documentElement.dir === 'rtl'").await?;
    let mirrored = "(() => {
        const left = (part) => deep(part)[0].getBoundingClientRect().left;
        const spans = [...rows().find((row) => row.querySelector('.name-mid')).querySelectorAll('.name > span')];
        const places = spans.map((span) => span.getBoundingClientRect().left);
        return [left('.nav') > left('.tbody'), left('.tbody .td-name') > left('.tbody .td-status'),
                left('.rail') < left('.tbody .td-age'), left('.view-title') > left('.pill'),
                places.every((place, at) => at === 0 || place >= places[at - 1]),
                deep('.tbody .name-owner').every((owner) => owner.scrollWidth <= owner.clientWidth + 1)];
    })()";
    let expected = json!([true, true, true, true, true, true]);
    ensure!(browser.read(mirrored).await? == expected, "{}", browser.read(mirrored).await?);

    // The arrow at the right goes where the reader came from.
    browser.enter_table().await?;
    browser.press(&LEFT.repeat(3)).await?;
    browser.until("the third cell", "deep('.td-ready:focus').length === 1").await?;
    browser.press(RIGHT).await?;
    browser.until("the cell at its right", "deep('.td-name:focus').length === 1").await?;
    rig.browser.close().await
}

/// Colours that the system chose: shapes and frames have to say it all.
#[tokio::test]
async fn r_a11y_3_with_forced_colours_marks_focus_and_states_are_told_apart() -> Result<()> {
    let rig = UiRig::of_demo().await?;
    let browser = &rig.browser;
    browser.emulate_media("forced-colors", "active").await?;
    rig.go_to("/v/pods@/*?sort=age", "xj", "deep('.tr-focus').length === 1").await?;
    // Rows and marks come and go, so what is waited for is read at once.
    let outline =
        "(row) => { const style = getComputedStyle(row); return style.outlineStyle + style.outlineWidth; }";
    let rows = format!(
        "[deep('.tr-focus')[0], deep('.tbody [aria-selected=true]')[0], \
          rows().find((row) => !row.matches('.tr-focus, [aria-selected=true]'))].map({outline})"
    );
    let outlines = browser.awaited("a focused, a selected and another row", &rows).await?;
    let outlines: Vec<String> = serde_json::from_value(outlines)?;
    let [focused, selected, plain] = outlines.as_slice() else { anyhow::bail!("{outlines:?}") };
    ensure!(focused != selected && focused != plain && selected != plain, "{outlines:?}");

    let mark = "(() => {
        const cell = deep('.cell-seen, .cell-new')[0];
        return cell && [getComputedStyle(cell, '::after').borderTopColor, getComputedStyle(document.body).backgroundColor];
    })()";
    let colours: Vec<String> = serde_json::from_value(browser.awaited("a mark", mark).await?)?;
    ensure!(colours[0] != colours[1], "the mark isn't seen: {colours:?}");

    let pill = "(() => {
        const style = getComputedStyle(deep('.pill')[0]);
        return [style.backgroundColor, style.borderTopStyle, style.borderTopWidth];
    })()";
    let live = browser.read(pill).await?;
    ensure!(live[2] == "1px", "a pill has a frame: {live}");
    drop(rig.dogwatch);
    browser.until("stale", "shown('.pill').includes('Stale')").await?;
    let stale = browser.read(pill).await?;
    ensure!(stale[0] != live[0], "stale is the only one that is filled: {stale} and {live}");
    rig.browser.close().await
}

#[tokio::test]
async fn r_a11y_3_with_reduced_motion_marks_come_without_flashes() -> Result<()> {
    let rig = UiRig::of_demo().await?;
    let browser = &rig.browser;
    rig.go_to("/v/pods@/*?sort=age", "", "rows().length > 5").await?;
    browser.until("a cell flashes", &format!("{RUNNING} > 0")).await?;
    browser.emulate_media("prefers-reduced-motion", "reduce").await?;
    rig.go_to("/v/pods@/*?sort=age", "", "rows().length > 5").await?;
    browser.run("window.most = 0;", Vec::new()).await?;
    browser
        .until(
            "a cell changed",
            &format!("(window.most = Math.max(window.most, {RUNNING}), deep('.cell-new').length > 0)"),
        )
        .await?;
    browser
        .until(
            "it keeps its mark",
            &format!("(window.most = Math.max(window.most, {RUNNING}), deep('.cell-seen').length > 0)"),
        )
        .await?;
    ensure!(browser.read("window.most").await? == json!(0), "something moved");
    rig.browser.close().await
}

/// Animations and transitions, in the page and in every shadow root.
const RUNNING: &str = "[document, ...deep('*').map((element) => element.shadowRoot).filter(Boolean)]
    .flatMap((root) => root.getAnimations()).length";

impl UiRig {
    async fn go_to(&self, path: &str, keys: &str, shows: &str) -> Result<()> {
        self.go(path).await?;
        if !keys.is_empty() {
            self.browser.enter_table().await?;
            self.browser.press(keys).await?;
        }
        self.browser.until(path, shows).await
    }
}

/// What is wrong in each measured state, which is opened once and brought to each size.
async fn problems_at(rig: &UiRig, sizes: &[Size]) -> Result<Vec<String>> {
    let browser = &rig.browser;
    let mut wrong = Vec::new();
    for state in STATES.iter().filter(|state| state.is_measured) {
        state.open(browser, &rig.dogwatch).await?;
        for &(width, height, scale) in sizes {
            browser.resize(width, height, scale).await?;
            let found = browser.run(&format!("{}{PROBLEMS}", page::DEEP), Vec::new()).await?;
            let found: Vec<String> = serde_json::from_value(found)?;
            wrong.extend(found.iter().map(|found| format!("{width}x{height} {}: {found}", state.name)));
        }
    }
    Ok(wrong)
}

/// What is wrong with the boxes of all that can be pressed or read in a band.
const PROBLEMS: &str = include_str!("sizes/problems.js");
