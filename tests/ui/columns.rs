//! Columns are chosen in the page, against a real kube-apiserver: by keys, by the pointer and by the link,
//! the server's and one's own.

use anyhow::Result;
use fantoccini::key::Key;
use testkit::input::{To, click, drag, press, press_with, type_text};
use testkit::kubectl_table::Table;
use testkit::{page, planes};

use crate::rig::{Rig, WIDE};

const IMAGE: &str = ".spec.containers[*].image";

impl Rig {
    async fn until_titles(&self, titles: &str) -> Result<()> {
        let read = "deep('[role=grid] [role=columnheader]').slice(1).map((title) => title.textContent.trim()).join(' ')";
        self.browser.until(&format!("the columns {titles}"), &format!("{read} === {titles:?}")).await
    }

    async fn until_focused(&self, words: &str) -> Result<()> {
        let focused = "(() => { let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement; return at?.textContent ?? ''; })()";
        self.browser.until(&format!("the focus on {words}"), &format!("{focused}.includes({words:?})")).await
    }
}

/// At all pods of a real cluster.
pub async fn all_pods() -> Result<Rig> {
    let rig = Rig::of_plane(planes::filled()?, WIDE).await?;
    rig.go("/v/pods@/*").await?;
    Ok(rig)
}

const SERVED: &str = "NAMESPACE NAME READY STATUS RESTARTS AGE";

#[tokio::test]
async fn columns_are_hidden_moved_and_added_by_keys_and_the_link_says_so() -> Result<()> {
    let rig = all_pods().await?;
    rig.until_titles(SERVED).await?;
    click(&rig.browser, "rows()[0]").await?;
    type_text(&rig.browser, "c").await?;
    rig.until_focused("NAMESPACE").await?;
    // NAMESPACE goes, NAME stays, AGE goes up by two.
    type_text(&rig.browser, " ").await?;
    rig.until_titles("NAME READY STATUS RESTARTS AGE").await?;
    press(&rig.browser, &[Key::Home]).await?;
    click(&rig.browser, "deep('[data-column=age] [role=checkbox]')[0]").await?;
    rig.until_titles("NAME READY STATUS RESTARTS").await?;
    rig.until_focused("AGE").await?;
    type_text(&rig.browser, " ").await?;
    rig.until_titles("NAME READY STATUS RESTARTS AGE").await?;
    for titles in ["NAME READY STATUS AGE RESTARTS", "NAME READY AGE STATUS RESTARTS"] {
        rig.until_focused("AGE").await?;
        press_with(&rig.browser, Key::Alt, Key::Up).await?;
        rig.until_titles(titles).await?;
    }
    click(&rig.browser, "deep('#column-path')[0]").await?;
    type_text(&rig.browser, "IMAGE:.spec[x]\n").await?;
    rig.browser
        .until(
            "why it can't be read",
            "shown('#column-error').includes('invalid array index x at character 7')",
        )
        .await?;
    click(&rig.browser, "deep('#column-path')[0]").await?;
    press(&rig.browser, &[Key::End]).await?;
    press(&rig.browser, &[Key::Backspace; 3]).await?;
    type_text(&rig.browser, ".containers[*].image\n").await?;
    rig.until_titles("NAME READY AGE STATUS RESTARTS IMAGE").await?;
    let output = format!("custom-columns=NAME:.metadata.name,IMAGE:{IMAGE}");
    let theirs = Table::parse(&planes::filled()?.kubectl_output(&["get", "pods", "-A", "-o", &output])?);
    rig.browser.until("the images", "rows().every((row) => cells(row).at(-1) !== '')").await?;
    let shown = page::table(&rig.browser).await?;
    let ends: Vec<Vec<String>> = shown
        .rows
        .iter()
        .map(|row| [row.first(), row.last()].into_iter().flatten().cloned().collect())
        .collect();
    assert_eq!(ends, theirs.rows);
    assert_eq!(rig.browser.text("deep('#columns')[0].getAttribute('aria-label')").await?, "Columns 6/11");
    // The same link shows the same, to whoever opens it.
    let query = rig.browser.text("location.search").await?;
    assert!(query.contains("cols=name,ready,age,status,restarts,IMAGE:.spec.containers"), "{query}");
    rig.go("/v/pods@/*?cols=status,name").await?;
    rig.until_titles("STATUS NAME").await?;
    rig.go(&format!("/v/pods@/*{query}")).await?;
    rig.until_titles("NAME READY AGE STATUS RESTARTS IMAGE").await?;
    click(&rig.browser, "deep('#columns')[0]").await?;
    rig.until_focused("NAME").await?;
    click(&rig.browser, "deep('.column-reset button')[0]").await?;
    rig.until_titles(SERVED).await?;
    assert!(!rig.browser.text("location.search").await?.contains("cols"));
    rig.browser.close().await
}

#[tokio::test]
async fn columns_are_moved_and_widened_by_the_pointer_and_the_browser_remembers_it() -> Result<()> {
    let rig = all_pods().await?;
    rig.until_titles(SERVED).await?;
    click(&rig.browser, "deep('#columns')[0]").await?;
    rig.until_focused("NAMESPACE").await?;
    drag(&rig.browser, "deep('[data-column=age] .grip')[0]", To::Element("deep('[data-column=name]')[0]"))
        .await?;
    rig.until_titles("NAMESPACE AGE NAME READY STATUS RESTARTS").await?;
    press(&rig.browser, &[Key::Escape]).await?;
    rig.browser.until("the list is closed", "deep('.pop-columns').length === 0").await?;
    let width = "Math.round(deep('[role=columnheader]')[3].getBoundingClientRect().width)";
    let before: f64 = rig.browser.text(&format!("String({width})")).await?.parse()?;
    drag(&rig.browser, "deep('.th-edge')[2]", To::Right(120.0)).await?;
    rig.browser.until("a wider NAME", &format!("{width} === {}", before + 120.0)).await?;
    rig.go("/v/pods@/*").await?;
    rig.until_titles("NAMESPACE AGE NAME READY STATUS RESTARTS").await?;
    rig.browser.until("as wide as before", &format!("{width} === {}", before + 120.0)).await?;
    rig.browser.close().await
}
