//! A reader finds rows in the page, against a real kube-apiserver: typed with what is offered, underlined as
//! it is read, and selected by labels and fields where these are evaluated.

use anyhow::{Result, ensure};
use cluster::{ControlPlane, Options};
use fantoccini::key::Key;
use page::query::fields::fields_of;
use shared::resource::Resource;
use tests::hand::{click, press, type_text};
use tests::kubectl_table::Table;

use crate::stage::Stage;

impl Stage {
    async fn until_offered(&self, options: &str) -> Result<()> {
        let read = "deep('[role=option]').map((option) => option.textContent).join('|')";
        self.until(&format!("the list {options}"), &format!("{read} === {options:?}")).await
    }

    async fn until_text(&self, text: &str) -> Result<()> {
        self.until(&format!("the filter {text}"), &format!("deep('#filter')[0].value === {text:?}")).await
    }

    /// The one that is written has the focus.
    async fn until_written(&self, selector: &str) -> Result<()> {
        let focused = "deep('#selector')[0] === deep('#selector')[0]?.getRootNode().activeElement";
        self.until("the editor", &format!("{focused} && deep('#selector')[0].value === {selector:?}")).await
    }

    /// Until the rows are those that `kubectl get pods -A` prints with these arguments.
    async fn until_rows_of(&self, arguments: &[&str]) -> Result<()> {
        let theirs = Table::parse(&self.plane.kubectl_output(&[&["get", "pods", "-A"], arguments].concat())?);
        let names: Vec<&str> = theirs.rows.iter().filter_map(|row| Some(row.get(1)?.as_str())).collect();
        ensure!(!names.is_empty(), "a selector that selects nothing shows nothing");
        let read = "rows().map((row) => cells(row)[1]).join(' ')";
        self.until(&format!("{names:?}"), &format!("{read} === {:?}", names.join(" "))).await
    }
}

#[tokio::test]
async fn a_comparison_is_written_from_what_is_offered_and_underlined_as_it_is_read() -> Result<()> {
    let stage = Stage::start().await?;
    type_text(&stage.browser, "/").await?;
    click(&stage.browser, "deep('#filter')[0]").await?;
    type_text(&stage.browser, "stat").await?;
    stage
        .until(
            "the column",
            "deep('[role=option]').length === 1 && shown('[role=option]').startsWith('status=')",
        )
        .await?;
    press(&stage.browser, &[Key::Down, Key::Enter]).await?;
    stage.until_text("status=").await?;
    stage
        .until(
            "values with their counts",
            "deep('[role=option]').some((option) => /^Running\\d+ rows?$/.test(option.textContent))",
        )
        .await?;
    type_text(&stage.browser, "runn").await?;
    stage.until("one value", "deep('[role=option]').length === 1").await?;
    assert_eq!(stage.text("deep('#filter')[0].getAttribute('aria-expanded')").await?, "true");
    press(&stage.browser, &[Key::Down]).await?;
    stage
        .until(
            "the option is named to who hears it",
            "deep('#filter')[0].getAttribute('aria-activedescendant') === deep('[role=option][aria-selected=true]')[0].id",
        )
        .await?;
    press(&stage.browser, &[Key::Tab]).await?;
    stage.until_text("status=Running ").await?;
    stage
        .until(
            "the running ones alone",
            "rows().length > 0 && rows().every((row) => cells(row)[3] === 'Running')",
        )
        .await?;
    type_text(&stage.browser, "restart>1").await?;
    stage
        .until("why it isn't applied", "shown('#filter-unread').includes('no column restart; restarts?')")
        .await?;
    let marks = "deep('.filter-marks span span').filter((mark) => mark.className).map((mark) => mark.className + ' ' + mark.textContent).join('|')";
    stage
        .until(
            "both are underlined",
            &format!("{marks} === 'mark-typed status=Running|mark-unread restart>1'"),
        )
        .await?;
    assert!(stage.text("location.search").await?.contains("q=status=Running"));
    press(&stage.browser, &[Key::Escape]).await?;
    stage.until("the list is closed", "deep('[role=option]').length === 0").await?;
    press(&stage.browser, &[Key::Escape]).await?;
    stage.until_text("").await?;
    stage.browser.close().await
}

#[tokio::test]
async fn selectors_are_written_from_what_was_seen_and_evaluated_where_they_say() -> Result<()> {
    let stage = Stage::start().await?;
    click(&stage.browser, "deep('#add-selector')[0]").await?;
    stage.until_written("").await?;
    type_text(&stage.browser, "ti").await?;
    stage
        .until(
            "a label that was seen",
            "deep('[role=option]').some((option) => option.textContent.startsWith('tier'))",
        )
        .await?;
    press(&stage.browser, &[Key::Down, Key::Enter]).await?;
    stage.until("the key", "deep('#selector')[0].value === 'tier'").await?;
    type_text(&stage.browser, " in api\n").await?;
    stage.until("what can't be read", "shown('#selector-error').includes('tier in api')").await?;
    press(&stage.browser, &[Key::Backspace; 3]).await?;
    type_text(&stage.browser, "(api)\n").await?;
    stage.until_rows_of(&["-l", "tier in (api)"]).await?;
    let chips = "deep('.chip').map((chip) => chip.textContent).join('|')";
    stage.until("the chip", &format!("{chips} === 'labelstier=apievaluated by the gateway'")).await?;
    click(&stage.browser, "deep('#add-selector')[0]").await?;
    stage.until_written("").await?;
    type_text(&stage.browser, "phase").await?;
    stage.until_offered("status.phase=").await?;
    press(&stage.browser, &[Key::Down, Key::Enter]).await?;
    type_text(&stage.browser, "Running\n").await?;
    stage.until_rows_of(&["-l", "tier in (api)", "--field-selector", "status.phase=Running"]).await?;
    let query = stage.text("location.search").await?;
    assert!(query.contains("l=tier=api") && query.contains("f=status.phase=Running"), "{query}");
    click(&stage.browser, "deep('[data-selector=labels] .chip-close')[0]").await?;
    stage.until_rows_of(&["--field-selector", "status.phase=Running"]).await?;
    click(&stage.browser, "deep('[data-selector=fields] .chip-text')[0]").await?;
    stage.until_written("status.phase=Running").await?;
    press(&stage.browser, &[Key::Backspace; 7]).await?;
    type_text(&stage.browser, "Pending\n").await?;
    stage.until_rows_of(&["--field-selector", "status.phase=Pending"]).await?;
    // Of a custom kind its definition says by which fields: asked when somebody writes a selector.
    stage.plane.apply(WIDGETS)?;
    stage.plane.kubectl_output(&["wait", "--for=condition=Established", "crd/widgets.example.com"])?;
    stage.plane.apply(TWO_WIDGETS)?;
    stage.go_to("widgets.example.com", "").await?;
    stage.until("both", "rows().length === 2").await?;
    click(&stage.browser, "deep('#add-selector')[0]").await?;
    stage.until_written("").await?;
    click(&stage.browser, "deep('.chip-edit .chip-kind')[0]").await?;
    stage.until("of fields", "deep('[data-selector=fields] #selector').length === 1").await?;
    stage.until_written("").await?;
    type_text(&stage.browser, "spec").await?;
    stage.until_offered("spec.color=").await?;
    press(&stage.browser, &[Key::Down, Key::Enter]).await?;
    type_text(&stage.browser, "blue\n").await?;
    stage.until("the blue one", "rows().length === 1 && rowOf('one')").await?;
    stage.browser.close().await
}

const WIDGETS: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    selectableFields: [{jsonPath: .spec.color}]
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}}}}}}
";
const TWO_WIDGETS: &str = "
apiVersion: example.com/v1
kind: Widget
metadata: {name: one, namespace: default}
spec: {color: blue}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: two, namespace: default}
spec: {color: red}
";

#[test]
fn the_api_server_selects_by_every_field_that_is_offered() -> Result<()> {
    let plane = ControlPlane::start(Options::default())?;
    let kinds = [
        ("", "pods", true),
        ("", "nodes", false),
        ("", "namespaces", false),
        ("", "services", true),
        ("", "secrets", true),
        ("", "replicationcontrollers", true),
        ("", "events", true),
        ("events.k8s.io", "events", true),
        ("", "configmaps", true),
        ("apps", "deployments", true),
        ("apps", "replicasets", true),
        ("batch", "jobs", true),
        ("certificates.k8s.io", "certificatesigningrequests", false),
    ];
    let mut refused = Vec::new();
    for (group, plural, is_namespaced) in kinds {
        let resource =
            Resource::parse(group, "v1", plural).map_err(|problem| anyhow::anyhow!("{problem}"))?;
        for field in fields_of(&resource, is_namespaced) {
            let value =
                if matches!(field, "spec.hostNetwork" | "spec.unschedulable") { "false" } else { "0" };
            let name =
                if group.is_empty() { format!("{plural}.v1.") } else { format!("{plural}.v1.{group}") };
            let asked = ["get", &name, "-A", "--field-selector", &format!("{field}={value}")];
            if let Err(why) = plane.kubectl_output(&asked) {
                refused.push(format!("{name} {field}: {why}"));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    Ok(())
}
