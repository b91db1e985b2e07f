//! Clicks, drags and keys reach the page, and what it answers is drawn: one reader, from one control of the demo to
//! the next. What the page makes of each action is asserted in `page/tests/reader`.

use anyhow::{Result, ensure};
use serde_json::json;
use testkit::input::{ALT, DOWN, ENTER, ESCAPE, TAB, To, UP};
use testkit::page;

use crate::rig::{COUNT_SOCKETS, UiRig};

#[tokio::test]
async fn clicks_drags_and_keys_reach_the_page() -> Result<()> {
    let rig = UiRig::of_demo().await?;
    a_board_has_one_socket_and_its_panes_close(&rig).await?;
    back_and_forward_follow_the_browsers_history(&rig).await?;
    a_log_draws_its_lines_and_is_cleared(&rig).await?;
    a_comparison_is_completed_by_keys(&rig).await?;
    a_selector_is_written_and_taken_back(&rig).await?;
    columns_are_moved_by_keys_and_the_focus_moves_along(&rig).await?;
    columns_are_moved_and_widened_by_the_pointer_and_the_browser_remembers_it(&rig).await?;
    an_owner_tree_is_followed_and_its_panel_widened(&rig).await?;
    rig.browser.close().await
}

async fn a_board_has_one_socket_and_its_panes_close(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": COUNT_SOCKETS })).await?;
    rig.visit("/b?v=pods@/*;q=kube;sort=-age&v=nodes@/-&log=events@/*").await?;
    browser.until("three views live", "shown('#health').includes('3 views live')").await?;
    browser
        .until("each has its rows", "deep('[role=grid]').length === 2 && deep('#log').length === 1")
        .await?;
    ensure!(browser.read("window.sockets").await? == json!(1), "one socket for the board");
    browser.click("[data-panes] .pane:nth-child(2) .view-host").await?;
    browser.click_on("deep('#close')[1]").await?;
    browser.until("two views", "deep('.view-host').length === 2 && deep('[role=grid]').length === 1").await?;
    browser.enter_table().await?;
    browser.press(ENTER).await?;
    let is_beside = "deep('#panel').length === 1 && (() => {
        const edges = (part) => [...deep(part)].map((box) => box.getBoundingClientRect());
        return edges('.pane').every((pane) => pane.width > 300 && pane.right <= edges('#panel')[0].left + 1);
    })()";
    browser.until("the panel beside both", is_beside).await?;
    browser.press(ESCAPE).await?;
    browser.until("no panel", "deep('#panel').length === 0").await
}

async fn back_and_forward_follow_the_browsers_history(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.click("a[href*='/v/services@']").await?;
    browser.until("services", "location.pathname.startsWith('/v/services@')").await?;
    page::until_pill(browser, "Live").await?;
    browser.click("#look").await?;
    browser.until("their log", "location.pathname.startsWith('/log/services@')").await?;
    browser.client().back().await?;
    browser.until("the table", "deep('[role=grid]').length === 1 && deep('#log').length === 0").await?;
    browser.client().forward().await?;
    browser.until("the log", "deep('#log').length === 1").await
}

const LINES: &str = "deep('.log-lines > [role=row]')";

async fn a_log_draws_its_lines_and_is_cleared(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    rig.go("/log/pods@/*").await?;
    browser
        .until(
            "a change with its field, its writer and a resourceVersion",
            &format!(
                "{LINES}.some((row) => row.querySelector('.chg-path') && row.textContent.includes('MODIFIED')
                   && row.children[4]?.textContent && /^\\d+$/.test(row.children[5]?.textContent))"
            ),
        )
        .await?;
    browser.click(".ev-toggle:nth-of-type(2)").await?;
    let no_change = format!("!{LINES}.some((row) => row.textContent.includes('MODIFIED'))");
    browser.until("no change is shown", &no_change).await?;
    browser.click(".ev-toggle:nth-of-type(2)").await?;
    browser.until("changes again", &format!("!({no_change})")).await?;
    // The lines are remembered at the moment of the click, for new ones come at any time.
    let lines = format!("{LINES}.map((row) => row.textContent)");
    browser.read(&format!("(window.before = {lines}, deep('#clear')[0].click())")).await?;
    browser.until("it begins anew", &format!("!{lines}.some((line) => window.before.includes(line))")).await
}

async fn a_comparison_is_completed_by_keys(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.click("#filter").await?;
    browser.press("stat").await?;
    browser.until("the column", "shown('[role=option]').startsWith('status=')").await?;
    browser.press(&format!("{DOWN}{ENTER}")).await?;
    browser.until("it is taken", "deep('#filter')[0].value === 'status='").await?;
    browser.press("runn").await?;
    browser.until("one value", "deep('[role=option]').length === 1").await?;
    let is_expanded = "deep('#filter')[0].getAttribute('aria-expanded') === 'true'";
    browser.until("the list is named as open", is_expanded).await?;
    browser.press(DOWN).await?;
    let is_named = "deep('#filter')[0].getAttribute('aria-activedescendant') === deep('[role=option][aria-selected=true]')[0].id";
    browser.until("a screen reader is told the option", is_named).await?;
    browser.press(&format!("{TAB}restart>1")).await?;
    let marks = "deep('.filter-marks span span').filter((mark) => mark.className)
        .map((mark) => `${mark.className} ${mark.textContent}`).join('|')";
    browser
        .until(
            "both are underlined",
            &format!("{marks} === 'mark-typed status=Running|mark-unread restart>1'"),
        )
        .await?;
    browser.press(ESCAPE).await?;
    browser.until("the list is closed", "deep('[role=option]').length === 0").await?;
    browser.press(ESCAPE).await?;
    browser.until("the filter is empty", "deep('#filter')[0].value === ''").await
}

async fn a_selector_is_written_and_taken_back(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    browser.click("#add-labels").await?;
    let has_focus =
        "deep('#selector')[0] && deep('#selector')[0] === deep('#selector')[0].getRootNode().activeElement";
    browser.until("the editor has the focus", has_focus).await?;
    browser.press(&format!("app in cart{ENTER}")).await?;
    browser.until("what can't be read", "shown('#selector-error').includes('app in cart')").await?;
    browser.press(&format!("{}(cart){ENTER}", testkit::input::BACKSPACE.repeat(4))).await?;
    browser.until("the chip", "shown('.chip').includes('app=cart')").await?;
    browser.click("[data-selector=labels] .chip-close").await?;
    browser.until("no chip", "deep('.chip').length === 0").await?;
    browser.enter_table().await?;
    browser.press("gl").await?;
    browser.until("the editor by its keys", has_focus).await?;
    browser.press("app=catal").await?;
    browser.until("the only value", "deep('#selector-list [role=option]').length === 1").await?;
    browser.press(ENTER).await?;
    browser.until("its chip", "shown('.chip').includes('app=catalog')").await?;
    browser.click("[data-selector=labels] .chip-close").await?;
    browser.until("no chip again", "deep('.chip').length === 0").await
}

impl UiRig {
    async fn until_titles(&self, titles: &str) -> Result<()> {
        let read = "deep('[role=grid] [role=columnheader]').slice(1).map((title) => title.textContent.trim()).join(' ')";
        self.browser.until(&format!("the columns {titles}"), &format!("{read} === {titles:?}")).await
    }

    async fn until_focused(&self, words: &str) -> Result<()> {
        let focused = "(() => { let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement; return at?.textContent ?? ''; })()";
        self.browser.until(&format!("the focus on {words}"), &format!("{focused}.includes({words:?})")).await
    }
}

async fn columns_are_moved_by_keys_and_the_focus_moves_along(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.enter_table().await?;
    browser.press("c").await?;
    rig.until_focused("NAMESPACE").await?;
    browser.press(" ").await?;
    rig.until_titles("NAME READY STATUS RESTARTS AGE CPU MEM").await?;
    browser.click("[data-column=age] [role=checkbox]").await?;
    rig.until_titles("NAME READY STATUS RESTARTS CPU MEM").await?;
    rig.until_focused("AGE").await?;
    browser.press(" ").await?;
    rig.until_titles("NAME READY STATUS RESTARTS CPU MEM AGE").await?;
    for titles in ["NAME READY STATUS RESTARTS CPU AGE MEM", "NAME READY STATUS RESTARTS AGE CPU MEM"] {
        rig.until_focused("AGE").await?;
        browser.press_with(ALT, UP).await?;
        rig.until_titles(titles).await?;
    }
    browser.click(".column-reset button").await?;
    rig.until_titles("NAMESPACE NAME READY STATUS RESTARTS AGE CPU MEM").await?;
    let polled = "deep('.th-polled svg').length === 2
        && deep('.th-polled')[0].title.includes('last at')
        && deep('.td-polled').some((cell) => /^[0-9]+m$/.test(cell.textContent))
        && deep('.td-polled').some((cell) => /^[0-9]+Mi$/.test(cell.textContent))";
    browser.until("what the pods use, polled", polled).await
}

async fn columns_are_moved_and_widened_by_the_pointer_and_the_browser_remembers_it(
    rig: &UiRig,
) -> Result<()> {
    let browser = &rig.browser;
    browser.drag("deep('[data-column=age] .grip')[0]", To::Element("deep('[data-column=name]')[0]")).await?;
    rig.until_titles("NAMESPACE AGE NAME READY STATUS RESTARTS CPU MEM").await?;
    browser.press(ESCAPE).await?;
    browser.until("the list is closed", "deep('.pop-columns').length === 0").await?;
    let width = "Math.round(deep('[role=columnheader]')[3].getBoundingClientRect().width)";
    let before: f64 = browser.text(&format!("String({width})")).await?.parse()?;
    browser.drag("deep('.th-edge')[2]", To::Right(120.0)).await?;
    browser.until("a wider NAME", &format!("{width} === {}", before + 120.0)).await?;
    rig.go_to_pods().await?;
    rig.until_titles("NAMESPACE AGE NAME READY STATUS RESTARTS CPU MEM").await?;
    browser.until("as wide as before", &format!("{width} === {}", before + 120.0)).await
}

async fn an_owner_tree_is_followed_and_its_panel_widened(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    rig.go("/v/deployments.apps@/*").await?;
    browser.until("rows", "rows().length > 3").await?;
    browser.click_on("rows()[2]").await?;
    browser
        .until(
            "its ReplicaSets and their Pods",
            "['ReplicaSet', 'Pod'].every((kind) => shown('.tree-kind').includes(kind))",
        )
        .await?;
    let pod = "deep('.tree-row').find((row) => row.textContent.startsWith('Pod')).querySelector('a')";
    // The rows of a large rollout stand below the window.
    let scrolled = format!("({pod}.scrollIntoView({{block: 'center'}}), window.stays = true)");
    browser.until("a pod of the tree", &scrolled).await?;
    // The whole row is the link.
    browser.click_on(&format!("{pod}.closest('.tree-row').lastElementChild")).await?;
    browser.until("the pod", "shown('.panel-kind').startsWith('Pod in')").await?;
    let is_same_page =
        "window.stays && location.pathname.startsWith('/v/pods@') && location.pathname.endsWith('/*')";
    browser.until("the same page and namespaces", is_same_page).await?;
    browser.until("its owners", "shown('.tree-kind').startsWith('Deployment | ReplicaSet | Pod')").await?;
    let width = "Math.round(deep('#panel')[0].getBoundingClientRect().width)";
    let before = browser.read(width).await?;
    browser.drag("deep('.panel-grip')[0]", To::Right(-100.0)).await?;
    browser.until("a wider panel", &format!("{width} > {before} + 80")).await?;
    let dragged = browser.read(width).await?;
    browser.read("deep('.panel-grip')[0].focus()").await?;
    browser.press("[").await?;
    browser.until("wider still", &format!("{width} > {dragged}")).await?;
    let wide = browser.read(width).await?;
    browser.run("location.reload()", Vec::new()).await?;
    browser.until("the panel, as wide as it was", &format!("{width} === {wide}")).await
}
