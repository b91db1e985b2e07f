//! axe-core (WCAG 2.2 AA and its best practices) finds nothing in any state of the page, light and dark;
//! and the keyboard alone reaches everything that the pointer does.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::dogwatch::Dogwatch;
use testkit::input::{DOWN, ENTER, ESCAPE, IN_A_ROW, RIGHT, SPACE, TAB};
use testkit::page;
use testkit::states::STATES;

const AXE: &str = "axe-core@4.14.1";
const RUN: &str = include_str!("accessibility/run_axe.js");
const ALL_RULES: [&str; 6] = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/// The themes differ in their colours alone: the document is the same.
const COLOUR_RULES: [&str; 2] = ["color-contrast", "link-in-text-block"];

/// A cell that flashes while the theme changes keeps the colour of the other theme.
const CANCEL_ANIMATIONS: &str = "
const roots = [document, ...deep('*').map((element) => element.shadowRoot).filter(Boolean)];
roots.flatMap((root) => root.getAnimations()).forEach((animation) => animation.cancel());";

/// R-A11Y-1
#[tokio::test]
async fn axe_finds_nothing_in_any_state_light_and_dark() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let mut found = Vec::new();
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    for state in STATES {
        state.open(&browser, &dogwatch).await?;
        found.extend(violations(&browser, state.name).await?);
    }
    browser.close().await?;
    assert!(found.is_empty(), "{} violations\n{}", found.len(), found.join("\n"));
    Ok(())
}

/// What axe-core finds in what is on the screen, light and dark.
pub async fn violations(browser: &Browser, state: &str) -> Result<Vec<String>> {
    let axe = std::fs::read_to_string(axe()?)?;
    browser.run(&axe, Vec::new()).await?;
    let mut found = Vec::new();
    for (theme, rules) in [("light", &ALL_RULES[..]), ("dark", &COLOUR_RULES[..])] {
        browser.emulate_media("prefers-color-scheme", theme).await?;
        browser.run(&format!("{}{CANCEL_ANIMATIONS}", page::DEEP), Vec::new()).await?;
        let violations = browser.client().execute_async(RUN, vec![json!(rules)]).await?;
        let violations: Vec<String> = serde_json::from_value(violations)?;
        found.extend(violations.iter().map(|what| format!("{state} ({theme}): {what}")));
    }
    Ok(found)
}

/// From a fresh page, with keys alone: what has the focus is always seen, and nothing holds it.
/// R-A11Y-1
#[tokio::test]
async fn the_keyboard_alone_reaches_everything() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    browser.open(&format!("{}/v/pods@playground/*", dogwatch.origin())).await?;
    browser.until("rows", "rows().length > 5").await?;

    browser.until("the keyboard begins in the rows", IN_A_ROW).await?;
    let to_skip_link = "deep('.skip')[0].focus()";
    browser.read(to_skip_link).await?;
    browser.press(ENTER).await?;
    browser.until("the skip link leads to the rows", IN_A_ROW).await?;
    browser.read(to_skip_link).await?;
    let mut reached = Vec::new();
    for _ in 0..120 {
        browser.press(TAB).await?;
        let focus = browser.text(FOCUS).await?;
        if focus.is_empty() || reached.contains(&focus) && focus.starts_with("row ") {
            break;
        }
        ensure!(!focus.ends_with("unseen"), "the focus is on something that isn't seen: {focus}");
        reached.push(focus);
    }
    for needed in [
        "namespaces",
        "find",
        "theme",
        "nav-filter",
        "Wide",
        "look",
        "export",
        "copy-link",
        "beside",
        "pause",
        "filter",
    ] {
        ensure!(
            reached.iter().any(|focus| focus.split(' ').any(|word| word == needed)),
            "{needed} isn't reached: {reached:?}"
        );
    }
    ensure!(reached.iter().any(|focus| focus.starts_with("row ")), "no row is reached: {reached:?}");

    // A grid is one stop; within it arrows move.
    browser.enter_table().await?;
    browser.press(DOWN).await?;
    // Or a later one, where rows came above it at this moment.
    browser
        .until("the second row", "Number(deep('.tr-focus')[0]?.getAttribute('aria-rowindex')) >= 3")
        .await?;
    browser.press(RIGHT).await?;
    browser
        .until(
            "a cell",
            "document.activeElement.shadowRoot?.activeElement?.getAttribute('role') === 'gridcell'",
        )
        .await?;
    browser.press("s").await?;
    browser.until("sorted by it", "deep('[aria-sort]').length === 1").await?;
    browser.press(SPACE).await?;
    browser.until("paused", "shown('.pill').includes('Paused')").await?;
    browser.press(SPACE).await?;
    page::until_pill(&browser, "Live").await?;
    browser.press("/").await?;
    browser.press("kube").await?;
    browser.until("filtered", "shown('#row-count').includes('of')").await?;
    browser.press(ESCAPE).await?;
    browser.until("back in the rows", IN_A_ROW).await?;
    browser.press(":nodes").await?;
    browser.press(ENTER).await?;
    browser.until("nodes", "location.pathname.startsWith('/v/nodes')").await?;

    // Single letters can be switched off; all else stays.
    browser.open(&format!("{}/v/pods@playground/*?keys=off", dogwatch.origin())).await?;
    browser.until("rows", "rows().length > 5").await?;
    browser.enter_table().await?;
    browser.press("/:?bj").await?;
    browser.press(DOWN).await?;
    browser
        .until(
            "the arrow alone did something",
            "Number(deep('.tr-focus')[0]?.getAttribute('aria-rowindex')) >= 3",
        )
        .await?;
    ensure!(
        browser.read("deep('#palette, #help').length + deep('.view-host').length").await?.as_u64() == Some(1),
        "a letter was a key"
    );
    ensure!(browser.text("location.search").await? == "?keys=off", "the link keeps it");
    browser.close().await
}

/// What has the focus, through shadow roots: its role or name, and whether a part of it is on screen.
const FOCUS: &str = r"(() => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  if (!element || element === document.body) return '';
  const box = element.getBoundingClientRect();
  const seen = box.width > 0 && box.height > 0 && box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight;
  const role = element.getAttribute('role') ?? element.tagName.toLowerCase();
  return `${role} ${element.id || element.textContent.trim().slice(0, 30)}${seen ? '' : ' unseen'}`;
})()";

/// The accessibility tree as Chromium computes it: what a screen reader is told.
/// R-A11Y-1
#[tokio::test]
async fn a_screen_reader_is_told_every_row_cell_and_state() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    browser.open(&format!("{}/v/nodes@playground/-", dogwatch.origin())).await?;
    browser.until("nodes", "rows().length > 2").await?;
    let tree = browser.accessibility_tree().await?;
    // The demo's nodes change: a paused view is the same in the table and in the tree.
    browser.enter_table().await?;
    browser.press(" ").await?;
    browser.until("a pause", "shown('.pill').includes('Paused')").await?;
    let paused = browser.accessibility_tree().await?;
    let shown = page::table(&browser).await?;
    for row in &shown.rows {
        for cell in row.iter().filter(|cell| !cell.is_empty()) {
            ensure!(paused.iter().any(|node| node.1.contains(cell.as_str())), "{cell} isn't told");
        }
    }
    for (role, name) in
        [("grid", "nodes"), ("columnheader", "STATUS"), ("navigation", "Kinds"), ("button", "Pause")]
    {
        let told = tree.iter().any(|node| node.0 == role && node.1.contains(name));
        ensure!(told, "no {role} is called {name}");
    }
    let nameless: Vec<&(String, String)> = tree
        .iter()
        .filter(|node| {
            matches!(node.0.as_str(), "button" | "link" | "textbox" | "combobox" | "switch" | "grid")
        })
        .filter(|node| node.1.is_empty())
        .collect();
    ensure!(nameless.is_empty(), "without a name: {nameless:?}");
    browser.close().await
}

/// The script of axe-core, installed once.
fn axe() -> Result<PathBuf> {
    const NEEDED: &str = "axe-core needs npm; on Debian: apt-get install npm";
    let own = std::env::current_exe()?;
    let target = own.ancestors().nth(3).context("tests run below target")?;
    let folder = target.join(AXE.replace('@', "-"));
    let script = folder.join("node_modules/axe-core/axe.min.js");
    if !script.is_file() {
        std::fs::create_dir_all(&folder)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]);
        let status = npm.arg(&folder).arg(AXE).status().context(NEEDED)?;
        ensure!(status.success(), "npm couldn't install {AXE} ({status}); {NEEDED}");
    }
    Ok(script)
}
