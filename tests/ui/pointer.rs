//! What only a pointer does: the tally's entries, the minimap, a selection over cells, edges of a board, menus of a narrow
//! view. What the page makes of each action is asserted in `page/tests/reader`.

use anyhow::{Result, ensure};
use testkit::input::{CONTROL, IN_A_ROW, To};

use crate::rig::UiRig;

#[tokio::test]
async fn what_only_a_pointer_does_reaches_the_page() -> Result<()> {
    let rig = UiRig::of_demo().await?;
    an_entry_of_the_tally_is_a_filter(&rig).await?;
    a_node_that_is_clicked_marks_its_pods_beside_it(&rig).await?;
    an_overlay_closes_by_a_click_that_does_nothing_else(&rig).await?;
    cells_are_selected_and_copied_for_a_spreadsheet(&rig).await?;
    a_cut_cell_has_its_whole_in_a_tooltip(&rig).await?;
    the_minimap_scrolls_and_names_the_row_under_the_pointer(&rig).await?;
    filter_and_tally_of_a_low_view_share_a_line(&rig).await?;
    the_edge_between_two_views_moves(&rig).await?;
    what_has_no_room_beside_a_long_kind_is_in_the_menu(&rig).await?;
    a_panel_keeps_its_parts_apart_and_its_tabs_in_place(&rig).await?;
    a_narrow_view_is_sorted_from_its_menu(&rig).await?;
    rig.browser.close().await
}

const FILTER: &str = "deep('#filter')[0].value";

async fn an_entry_of_the_tally_is_a_filter(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    let failing = "deep('.tally').find((entry) => entry.textContent.includes('failing'))";
    ensure!(
        browser.text(&format!("getComputedStyle({failing}).cursor")).await? == "pointer",
        "it looks like text"
    );
    browser.click_on(failing).await?;
    browser.until("its filter", &format!("{FILTER} === 'health=failing'")).await?;
    browser.until("it is on", &format!("{failing}.getAttribute('aria-pressed') === 'true'")).await?;
    browser.click_on(failing).await?;
    browser.until("no filter", &format!("{FILTER} === ''")).await
}

async fn an_overlay_closes_by_a_click_that_does_nothing_else(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    let is_open = "deep('.pop-palette').length === 1";
    browser.click(".find").await?;
    browser.until("the palette", is_open).await?;
    browser.click_on("rows()[9].querySelector('.td-ready')").await?;
    browser.until("it is closed", &format!("!({is_open})")).await?;
    ensure!(browser.read("deep('#panel').length").await? == 0, "the closing click opened a row");
    // After a choice with the mouse the keyboard works in the rows.
    browser.click(".find").await?;
    browser.until("its kinds", "deep('.pop-palette [role=option]').length > 3").await?;
    browser.click_on("deep('.pop-palette [role=option]').find((hit) => hit.textContent === 'pods')").await?;
    browser.until("the keyboard in the rows", IN_A_ROW).await
}

async fn cells_are_selected_and_copied_for_a_spreadsheet(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    rig.go("/v/nodes@/-").await?;
    browser.until("nodes", "rows().length > 1").await?;
    let keep = "navigator.clipboard.writeText = async (text) => { window.clipped = text; };";
    browser.run(keep, Vec::new()).await?;
    let cell = |row: usize, class: &str| format!("rows()[{row}].querySelector('{class}')");
    browser.drag(&cell(0, ".td-status"), To::Element(&cell(1, ".td-status"))).await?;
    browser.press_with(CONTROL, "c").await?;
    browser.until("the clipboard", "(window.clipped ?? '') !== ''").await?;
    let copied = browser.text("window.clipped").await?;
    let lines: Vec<usize> = copied.lines().map(|line| line.matches('\t').count()).collect();
    ensure!(matches!(lines.as_slice(), [first, _] if *first > 0), "{copied:?}");
    Ok(())
}

async fn a_cut_cell_has_its_whole_in_a_tooltip(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    rig.go("/v/events@/*").await?;
    let is_cut =
        "[cell, ...cell.querySelectorAll('*')].some((part) => part.scrollWidth > part.clientWidth + 1)";
    let cut = format!("deep('.tbody .td-message').find((cell) => {is_cut})");
    browser.until("a cell that is cut", &format!("window.cut = {cut}")).await?;
    browser.point("window.cut").await?;
    browser
        .until("its whole", "window.cut.title === window.cut.textContent && window.cut.title.length > 20")
        .await
}

async fn the_minimap_scrolls_and_names_the_row_under_the_pointer(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    browser.resize(1280, 480, 1).await?;
    rig.go_to_pods().await?;
    browser.until("more rows than the window has", "deep('.rail').length === 1").await?;
    let top = "deep('.tbody')[0].scrollTop";
    ensure!(browser.read(top).await? == 0, "it begins at the first row");
    browser.drag("deep('.rail')[0]", To::Element("deep('footer.strip')[0]")).await?;
    browser.until("the last rows", &format!("{top} > 100")).await?;
    browser.click(".rail").await?;
    browser.until("the first rows", &format!("{top} < 60")).await?;
    browser.point("rows()[2]").await?;
    browser.point("deep('.rail')[0]").await?;
    browser.until("the row under the pointer", "deep('.rail-tip b')[0]?.textContent.length > 3").await?;
    browser.resize(1440, 900, 1).await
}

async fn the_edge_between_two_views_moves(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    rig.visit("/b?v=pods@/*&v=nodes@/-").await?;
    browser.until("two views", "deep('[role=grid]').length === 2 && deep('.edge-end').length === 1").await?;
    let width = "Math.round(deep('.pane')[0].getBoundingClientRect().width)";
    let before = browser.read(width).await?;
    browser.drag("deep('.edge-end')[0]", To::Right(200.0)).await?;
    browser.until("a wider first view", &format!("{width} > {before} + 100")).await?;
    browser.click("#add-view").await?;
    browser.until("what to show", "deep('.pop-palette').length === 1").await?;
    browser.click_on("deep('.pop-palette [role=option]')[0]").await?;
    browser.until("a third view", "deep('.pane').length === 3").await
}

async fn a_node_that_is_clicked_marks_its_pods_beside_it(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    rig.visit("/b?v=nodes@/-&v=pods@/*").await?;
    browser.until("two views", "deep('[role=grid]').length === 2 && deep('.pill-live').length === 2").await?;
    let marked = "deep('[data-linked=\"1\"]')";
    ensure!(browser.read(&format!("{marked}.length")).await? == 0, "before anything is chosen");
    let node = "deep('[role=grid]')[0].querySelectorAll('[data-row]')[1]";
    browser.click_on(&format!("{node}.querySelectorAll('[role=gridcell]')[2]")).await?;
    let name = format!("{node}.querySelector('.name').textContent");
    let are_its = format!("{marked}.length > 0 && {marked}.every((row) => row.textContent.includes({name}))");
    browser.until("its pods", &are_its).await?;
    browser.press(testkit::input::ESCAPE).await
}

async fn filter_and_tally_of_a_low_view_share_a_line(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    rig.visit("/b?v=nodes@/-&v=pods@/*&v=events@/*&v=deployments.apps@/*").await?;
    browser
        .until("four views", "deep('.pill-live').length === 4 && deep('.notice-tally').length === 4")
        .await?;
    let lines = "deep('.filter').map((line, at) => \
        deep('.notice')[at].getBoundingClientRect().top - line.getBoundingClientRect().top)";
    browser.until("one line", &format!("{lines}.every((between) => between === 0)")).await?;
    browser.resize(1440, 1300, 1).await?;
    browser.until("two lines", &format!("{lines}.every((between) => between > 20)")).await?;
    browser.resize(1440, 900, 1).await
}

async fn what_has_no_room_beside_a_long_kind_is_in_the_menu(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    let overflows = "(() => {
        const end = deep('.view-head')[0].getBoundingClientRect().right;
        const buttons = deep('.view-actions button').filter((button) => button.checkVisibility());
        return buttons.some((button) => button.getBoundingClientRect().right > end)
            || buttons[0].getBoundingClientRect().left < deep('.pill')[0].getBoundingClientRect().right;
    })()";
    for (kind, width) in [
        ("persistentvolumeclaims", 736),
        ("persistentvolumeclaims", 560),
        ("horizontalpodautoscalers.autoscaling", 680),
        ("pods", 910),
    ] {
        browser.resize(width, 800, 1).await?;
        rig.go(&format!("/v/{kind}@/*")).await?;
        browser.until("rows", "rows().length > 1").await?;
        browser.until(&format!("{kind} at {width}"), &format!("!({overflows})")).await?;
        let offers = "['#beside', '#more'].some((button) => deep(button)[0].checkVisibility())";
        browser.until("a way to split", offers).await?;
    }
    browser.resize(1440, 900, 1).await
}

/// The texts are written into the boxes: how a container ends, and when a strip comes and leaves, is the demo's.
async fn a_panel_keeps_its_parts_apart_and_its_tabs_in_place(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.click_on("rows()[1].querySelector('.td-ready')").await?;
    browser.until("its containers", "deep('.list-containers .status').length > 0").await?;
    let is_apart = "(() => {
        const row = deep('.list-containers > .list-row:not(.list-head)')[0];
        const text = row.querySelector('.status .cut');
        text.textContent = 'Terminated: ContainerStatusUnknown, exit code 137, ran 75s';
        const range = document.createRange();
        range.selectNodeContents(text);
        return range.getBoundingClientRect().right <= row.children[2].getBoundingClientRect().left;
    })()";
    browser.until("the state beside the restarts", is_apart).await?;

    let top = "deep('#panel .tabs')[0].getBoundingClientRect().top";
    let strip = |px: u32| format!("deep('#panel .panel-head')[0].style.paddingBottom = '{px}px'");
    browser.point("rows()[4]").await?;
    let before = browser.read(top).await?;
    browser.read(&strip(90)).await?;
    browser.until("the strip", &format!("{top} > {before} + 70")).await?;
    browser.point("deep('#panel .panel-body')[0]").await?;
    let held = browser.read(top).await?;
    browser.until("the height is kept", "parseInt(deep('.panel-top')[0].style.minHeight) > 90").await?;
    browser.read(&strip(10)).await?;
    ensure!(browser.read(top).await? == held, "the tabs moved under the pointer");
    browser.point("rows()[4]").await?;
    browser.until("they move back", &format!("{top} < {held} - 70")).await
}

async fn a_narrow_view_is_sorted_from_its_menu(rig: &UiRig) -> Result<()> {
    let browser = &rig.browser;
    browser.resize(390, 780, 1).await?;
    rig.go_to_pods().await?;
    browser.click("#more").await?;
    let item = |word: &str| {
        format!("deep('.pop-more [role=menuitem]').find((item) => item.textContent.includes('{word}'))")
    };
    browser.until("its menu", &format!("{} !== undefined", item("AGE"))).await?;
    browser.click_on(&item("AGE")).await?;
    browser.until("its order", "location.search.includes('sort=')").await?;
    let copy = item("Copy link");
    let is_inside = format!(
        "(() => {{ const box = {copy}.getBoundingClientRect(); return box.right <= innerWidth && box.bottom <= innerHeight; }})()"
    );
    ensure!(browser.read(&is_inside).await? == true, "the menu leaves the window");
    browser.resize(1440, 900, 1).await
}
