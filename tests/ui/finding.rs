//! Rows are found in the page, against a real kube-apiserver: a filter is typed with what is offered and
//! underlined as it is read, and selectors are evaluated where they say.

use anyhow::{Result, ensure};
use fantoccini::key::Key;
use testkit::input::{click, press, type_text};
use testkit::kubectl_table::Table;
use testkit::planes;

use crate::columns::all_pods;
use crate::rig::Rig;

impl Rig {
    async fn until_offered(&self, options: &str) -> Result<()> {
        let read = "deep('[role=option]').map((option) => option.textContent).join('|')";
        self.browser.until(&format!("the list {options}"), &format!("{read} === {options:?}")).await
    }

    async fn until_text(&self, text: &str) -> Result<()> {
        self.browser
            .until(&format!("the filter {text}"), &format!("deep('#filter')[0].value === {text:?}"))
            .await
    }

    /// The one that is written has the focus.
    async fn until_written(&self, selector: &str) -> Result<()> {
        let focused = "deep('#selector')[0] === deep('#selector')[0]?.getRootNode().activeElement";
        self.browser
            .until("the editor", &format!("{focused} && deep('#selector')[0].value === {selector:?}"))
            .await
    }

    /// Until the rows are those that `kubectl get pods -A` prints with these arguments.
    async fn until_rows_of(&self, arguments: &[&str]) -> Result<()> {
        let theirs =
            Table::parse(&planes::filled()?.kubectl_output(&[&["get", "pods", "-A"], arguments].concat())?);
        let names: Vec<&str> = theirs.rows.iter().filter_map(|row| Some(row.get(1)?.as_str())).collect();
        ensure!(!names.is_empty(), "a selector that selects nothing shows nothing");
        let read = "rows().map((row) => cells(row)[1]).join(' ')";
        self.browser.until(&format!("{names:?}"), &format!("{read} === {:?}", names.join(" "))).await
    }
}

#[tokio::test]
async fn a_comparison_is_written_from_what_is_offered_and_underlined_as_it_is_read() -> Result<()> {
    let rig = all_pods().await?;
    type_text(&rig.browser, "/").await?;
    click(&rig.browser, "deep('#filter')[0]").await?;
    type_text(&rig.browser, "stat").await?;
    rig.browser
        .until(
            "the column",
            "deep('[role=option]').length === 1 && shown('[role=option]').startsWith('status=')",
        )
        .await?;
    press(&rig.browser, &[Key::Down, Key::Enter]).await?;
    rig.until_text("status=").await?;
    rig.browser
        .until(
            "values with their counts",
            "deep('[role=option]').some((option) => /^Running\\d+ rows?$/.test(option.textContent))",
        )
        .await?;
    type_text(&rig.browser, "runn").await?;
    rig.browser.until("one value", "deep('[role=option]').length === 1").await?;
    assert_eq!(rig.browser.text("deep('#filter')[0].getAttribute('aria-expanded')").await?, "true");
    press(&rig.browser, &[Key::Down]).await?;
    rig.browser
        .until(
            "the option is named to who hears it",
            "deep('#filter')[0].getAttribute('aria-activedescendant') === deep('[role=option][aria-selected=true]')[0].id",
        )
        .await?;
    press(&rig.browser, &[Key::Tab]).await?;
    rig.until_text("status=Running ").await?;
    rig.browser
        .until(
            "the running ones alone",
            "rows().length > 0 && rows().every((row) => cells(row)[3] === 'Running')",
        )
        .await?;
    type_text(&rig.browser, "restart>1").await?;
    rig.browser
        .until("why it isn't applied", "shown('#filter-unread').includes('no column restart; restarts?')")
        .await?;
    let marks = "deep('.filter-marks span span').filter((mark) => mark.className).map((mark) => mark.className + ' ' + mark.textContent).join('|')";
    rig.browser
        .until(
            "both are underlined",
            &format!("{marks} === 'mark-typed status=Running|mark-unread restart>1'"),
        )
        .await?;
    assert!(rig.browser.text("location.search").await?.contains("q=status=Running"));
    press(&rig.browser, &[Key::Escape]).await?;
    rig.browser.until("the list is closed", "deep('[role=option]').length === 0").await?;
    press(&rig.browser, &[Key::Escape]).await?;
    rig.until_text("").await?;
    rig.browser.close().await
}

#[tokio::test]
async fn selectors_are_written_from_what_was_seen_and_evaluated_where_they_say() -> Result<()> {
    let rig = all_pods().await?;
    click(&rig.browser, "deep('#add-selector')[0]").await?;
    rig.until_written("").await?;
    type_text(&rig.browser, "ti").await?;
    rig.browser
        .until(
            "a label that was seen",
            "deep('[role=option]').some((option) => option.textContent.startsWith('tier'))",
        )
        .await?;
    press(&rig.browser, &[Key::Down, Key::Enter]).await?;
    rig.browser.until("the key", "deep('#selector')[0].value === 'tier'").await?;
    type_text(&rig.browser, " in api\n").await?;
    rig.browser.until("what can't be read", "shown('#selector-error').includes('tier in api')").await?;
    press(&rig.browser, &[Key::Backspace; 3]).await?;
    type_text(&rig.browser, "(api)\n").await?;
    rig.until_rows_of(&["-l", "tier in (api)"]).await?;
    let chips = "deep('.chip').map((chip) => chip.textContent).join('|')";
    rig.browser.until("the chip", &format!("{chips} === 'labelstier=apievaluated by the gateway'")).await?;
    click(&rig.browser, "deep('#add-selector')[0]").await?;
    rig.until_written("").await?;
    type_text(&rig.browser, "phase").await?;
    rig.until_offered("status.phase=").await?;
    press(&rig.browser, &[Key::Down, Key::Enter]).await?;
    type_text(&rig.browser, "Running\n").await?;
    rig.until_rows_of(&["-l", "tier in (api)", "--field-selector", "status.phase=Running"]).await?;
    let query = rig.browser.text("location.search").await?;
    assert!(query.contains("l=tier=api") && query.contains("f=status.phase=Running"), "{query}");
    click(&rig.browser, "deep('[data-selector=labels] .chip-close')[0]").await?;
    rig.until_rows_of(&["--field-selector", "status.phase=Running"]).await?;
    click(&rig.browser, "deep('[data-selector=fields] .chip-text')[0]").await?;
    rig.until_written("status.phase=Running").await?;
    press(&rig.browser, &[Key::Backspace; 7]).await?;
    type_text(&rig.browser, "Pending\n").await?;
    rig.until_rows_of(&["--field-selector", "status.phase=Pending"]).await?;
    // The definition of a custom kind says by which fields it can be selected.
    rig.go("/v/widgets.example.com@/*").await?;
    rig.browser.until("both", "rows().length === 2").await?;
    click(&rig.browser, "deep('#add-selector')[0]").await?;
    rig.until_written("").await?;
    click(&rig.browser, "deep('.chip-edit .chip-kind')[0]").await?;
    rig.browser.until("of fields", "deep('[data-selector=fields] #selector').length === 1").await?;
    rig.until_written("").await?;
    type_text(&rig.browser, "spec").await?;
    rig.until_offered("spec.color=").await?;
    press(&rig.browser, &[Key::Down, Key::Enter]).await?;
    type_text(&rig.browser, "blue\n").await?;
    rig.browser.until("the blue one", "rows().length === 1 && rowOf('one')").await?;
    rig.browser.close().await
}
