//! A reader chooses columns in the page, against a real kube-apiserver: by keys, by the pointer and by the
//! link, the server's and those of one's own.

use anyhow::Result;
use fantoccini::key::Key;
use tests::hand::{To, click, drag, press, press_with, type_text};
use tests::kubectl_table::Table;
use tests::page;

use crate::stage::Stage;

const IMAGE: &str = ".spec.containers[*].image";

impl Stage {
    async fn until_titles(&self, titles: &str) -> Result<()> {
        let read = "deep('[role=grid] [role=columnheader]').slice(1).map((title) => title.textContent.trim()).join(' ')";
        self.until(&format!("the columns {titles}"), &format!("{read} === {titles:?}")).await
    }

    async fn until_focused(&self, words: &str) -> Result<()> {
        let focused = "(() => { let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement; return at?.textContent ?? ''; })()";
        self.until(&format!("the focus on {words}"), &format!("{focused}.includes({words:?})")).await
    }
}

const SERVED: &str = "NAMESPACE NAME READY STATUS RESTARTS AGE";

#[tokio::test]
async fn columns_are_hidden_moved_and_added_by_keys_and_the_link_says_so() -> Result<()> {
    let stage = Stage::start().await?;
    stage.until_titles(SERVED).await?;
    click(&stage.browser, "rows()[0]").await?;
    type_text(&stage.browser, "c").await?;
    stage.until_focused("NAMESPACE").await?;
    // NAMESPACE goes, NAME stays, AGE goes up by two.
    type_text(&stage.browser, " ").await?;
    stage.until_titles("NAME READY STATUS RESTARTS AGE").await?;
    press(&stage.browser, &[Key::Home]).await?;
    click(&stage.browser, "deep('[data-column=age] [role=checkbox]')[0]").await?;
    stage.until_titles("NAME READY STATUS RESTARTS").await?;
    stage.until_focused("AGE").await?;
    type_text(&stage.browser, " ").await?;
    stage.until_titles("NAME READY STATUS RESTARTS AGE").await?;
    for titles in ["NAME READY STATUS AGE RESTARTS", "NAME READY AGE STATUS RESTARTS"] {
        stage.until_focused("AGE").await?;
        press_with(&stage.browser, Key::Alt, Key::Up).await?;
        stage.until_titles(titles).await?;
    }
    click(&stage.browser, "deep('#column-path')[0]").await?;
    type_text(&stage.browser, "IMAGE:.spec[x]\n").await?;
    stage
        .until(
            "why it can't be read",
            "shown('#column-error').includes('invalid array index x at character 7')",
        )
        .await?;
    click(&stage.browser, "deep('#column-path')[0]").await?;
    press(&stage.browser, &[Key::End]).await?;
    press(&stage.browser, &[Key::Backspace; 3]).await?;
    type_text(&stage.browser, ".containers[*].image\n").await?;
    stage.until_titles("NAME READY AGE STATUS RESTARTS IMAGE").await?;
    let output = format!("custom-columns=NAME:.metadata.name,IMAGE:{IMAGE}");
    let theirs = Table::parse(&stage.plane.kubectl_output(&["get", "pods", "-A", "-o", &output])?);
    stage.until("the images", "rows().every((row) => cells(row).at(-1) !== '')").await?;
    let shown = page::table(&stage.browser).await?;
    let ends: Vec<Vec<String>> = shown
        .rows
        .iter()
        .map(|row| [row.first(), row.last()].into_iter().flatten().cloned().collect())
        .collect();
    assert_eq!(ends, theirs.rows);
    assert_eq!(stage.text("deep('#columns')[0].getAttribute('aria-label')").await?, "Columns 6/11");
    // The same link shows the same, to whoever opens it.
    let query = stage.text("location.search").await?;
    assert!(query.contains("cols=name,ready,age,status,restarts,IMAGE:.spec.containers"), "{query}");
    stage.go("?cols=status,name").await?;
    stage.until_titles("STATUS NAME").await?;
    stage.go(&query).await?;
    stage.until_titles("NAME READY AGE STATUS RESTARTS IMAGE").await?;
    click(&stage.browser, "deep('#columns')[0]").await?;
    stage.until_focused("NAME").await?;
    click(&stage.browser, "deep('.column-reset button')[0]").await?;
    stage.until_titles(SERVED).await?;
    assert!(!stage.text("location.search").await?.contains("cols"));
    stage.browser.close().await
}

#[tokio::test]
async fn columns_are_moved_and_widened_by_the_pointer_and_the_browser_remembers_it() -> Result<()> {
    let stage = Stage::start().await?;
    stage.until_titles(SERVED).await?;
    click(&stage.browser, "deep('#columns')[0]").await?;
    stage.until_focused("NAMESPACE").await?;
    drag(&stage.browser, "deep('[data-column=age] .grip')[0]", To::Element("deep('[data-column=name]')[0]"))
        .await?;
    stage.until_titles("NAMESPACE AGE NAME READY STATUS RESTARTS").await?;
    press(&stage.browser, &[Key::Escape]).await?;
    stage.until("the list is closed", "deep('.pop-columns').length === 0").await?;
    let width = "Math.round(deep('[role=columnheader]')[3].getBoundingClientRect().width)";
    let before: f64 = stage.text(width).await?.parse()?;
    drag(&stage.browser, "deep('.th-edge')[2]", To::Right(120.0)).await?;
    stage.until("a wider NAME", &format!("{width} === {}", before + 120.0)).await?;
    stage.go("").await?;
    stage.until_titles("NAMESPACE AGE NAME READY STATUS RESTARTS").await?;
    stage.until("as wide as before", &format!("{width} === {}", before + 120.0)).await?;
    stage.browser.close().await
}

#[tokio::test]
async fn a_link_of_a_stranger_is_used_as_far_as_it_can_be_read() -> Result<()> {
    let stage = Stage::start().await?;
    stage.go("?cols=name,A:.spec[x],gone,%3Cb%3E:.metadata.name,name").await?;
    stage.until_titles("NAME <b>").await?;
    stage
        .until("what couldn't be read", "shown('.bar, [role=status]').includes('invalid array index x')")
        .await?;
    stage.browser.close().await
}
