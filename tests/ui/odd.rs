//! Objects as a stranger makes them: what is too long, too many or hostile stays in its place, is shown as
//! text, and nothing of it is executed.

use anyhow::{Result, ensure};
use page::location::Tab;
use serde_json::{Value, json};
use shared::cell::Cell;
use testkit::input::{ESCAPE, LEFT, RIGHT};
use testkit::load::refused;

use crate::rig::{UiRig, playground_of};

const LONG: usize = 100 * 1024;
const COLUMNS: usize = 200;

fn namespace(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
}

/// A kind whose columns show these fields of the spec.
pub fn definition(group: &str, plural: &str, columns: &[String]) -> Value {
    let columns: Vec<Value> = columns
        .iter()
        .map(|column| json!({"name": column, "type": "string", "jsonPath": format!(".spec.{column}")}))
        .collect();
    let kind = plural[..1].to_uppercase() + plural.get(1..plural.len() - 1).unwrap_or_default();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {"plural": plural, "singular": plural.trim_end_matches('s'), "kind": kind},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "additionalPrinterColumns": columns,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    })
}

fn letter(name: &str, kind: &str, spec: Value) -> Value {
    json!({"apiVersion": "odd.example.com/v1", "kind": kind,
        "metadata": {"name": name, "namespace": "shop", "uid": name, "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": spec})
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_columns_go_on_beyond_the_edge_and_the_name_stays() -> Result<()> {
    let columns: Vec<String> = (0..COLUMNS).map(|number| format!("c{number:03}")).collect();
    let spec: serde_json::Map<String, Value> =
        columns.iter().map(|column| (column.clone(), json!(format!("value {column}")))).collect();
    let rows = (0..300).map(|number| letter(&format!("row-{number:03}"), "Wide", json!(spec)));
    let objects = [namespace("shop"), definition("odd.example.com", "wides", &columns)];
    let playground = playground_of(objects.into_iter().chain(rows).collect()).await?;
    let rig = UiRig::of_playground(&playground).await?;
    let browser = &rig.browser;
    rig.go("/v/wides.odd.example.com@/*").await?;
    browser
        .until("all its columns", "deep('[role=columnheader]').length === 203 && rows().length > 5")
        .await?;
    let place = |cell: &str| format!("deep('{cell}')[0].getBoundingClientRect()");
    let (first, last) = (place("[data-row] .td-c000"), place("[data-row] .td-c199"));
    browser
        .until(
            "columns that can be read, and have no room in the window",
            &format!("{first}.width > 60 && {last}.left > innerWidth"),
        )
        .await?;
    // By keys into the last cell: it is seen, with its title above it and its row's name beside it.
    browser.enter_table().await?;
    browser.press(&RIGHT.repeat(COLUMNS + 40)).await?;
    browser.until("the last cell is in sight", &format!("{last}.right <= innerWidth")).await?;
    // The whole of it, also where a part of it was seen before the focus came.
    browser.press(LEFT).await?;
    browser.until("the cell before", "deep('.td-c198:focus').length === 1").await?;
    browser.read("deep('.tbody')[0].scrollLeft -= 60").await?;
    browser.press(RIGHT).await?;
    browser.until("the whole of the last one", &format!("{last}.right <= innerWidth")).await?;
    let title = "deep('[role=columnheader]').at(-1).getBoundingClientRect()";
    browser.until("its title stands above it", &format!("Math.abs({title}.left - {last}.left) < 1")).await?;
    let name = place("[data-row] .td-name");
    browser
        .until(
            "the name stays",
            &format!("{name}.left >= 0 && {name}.right < innerWidth && {name}.left < 600"),
        )
        .await?;
    ensure!(browser.text("shown('[data-row] .td-c199').split(' | ')[0]").await? == "value c199");
    browser
        .until("the page itself doesn't scroll", "document.documentElement.scrollWidth <= innerWidth")
        .await?;
    rig.browser.close().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_long_stays_in_its_row_and_its_column() -> Result<()> {
    let (longest, words, line) = ("n".repeat(253), "lorem ipsum ".repeat(LONG / 12), "x".repeat(LONG));
    let metadata = json!({"name": longest, "namespace": "shop", "uid": "1", "labels": {"app": "a".repeat(63)},
        "annotations": {"note": line}, "creationTimestamp": "2026-01-01T00:00:00Z"});
    let objects = vec![
        namespace("shop"),
        definition("odd.example.com", "letters", &["text".to_owned(), "after".to_owned()]),
        letter(&longest, "Letter", json!({"text": words, "after": "seen"})),
        letter("line", "Letter", json!({"text": line, "after": "seen"})),
        letter("short", "Letter", json!({"text": "short", "after": "seen"})),
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata,
            "spec": {"nodeName": line, "containers": [{"name": "c", "image": line}]}, "status": {"reason": line}}),
        json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": line, "message": words,
            "metadata": {"name": "e", "namespace": "shop", "uid": "2", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "involvedObject": {"kind": "Pod", "namespace": "shop", "name": longest, "uid": "1"},
            "lastTimestamp": "2026-01-01T00:00:00Z", "count": 1}),
    ];
    let playground = playground_of(objects).await?;
    let rig = UiRig::of_playground(&playground).await?;
    let browser = &rig.browser;
    for (path, rows) in [
        ("/v/letters.odd.example.com@/*", 3),
        ("/v/pods@/*?wide=1", 1),
        ("/v/events@/*", 1),
        ("/v/pods@/*?cols=name,status,NOTE:.metadata.annotations.note", 1),
    ] {
        rig.go(path).await?;
        browser.until(path, &format!("rows().length === {rows} && {EVERY_ROW_IS_LOW}")).await?;
        browser.until("all of it fits", NOTHING_STICKS_OUT).await?;
    }
    rig.go("/v/letters.odd.example.com@/*").await?;
    browser.until("the other column", "rows().every((row) => cells(row).includes('seen'))").await?;
    let after =
        "deep('[data-row] .td-after').every((cell) => cell.getBoundingClientRect().right <= innerWidth)";
    browser.until("what stands behind it is seen", after).await?;
    // A value that long among those that complete a filter.
    browser.press("/text=").await?;
    browser.until("what may follow", "deep('[role=option]').length > 1").await?;
    browser.until("the list fits", NOTHING_STICKS_OUT).await?;
    // Its panel: the object's name, labels, annotations, Events and YAML.
    // The timeline stays open at the end: its entries hold the change that comes next.
    for tab in Tab::ALL.into_iter().chain([Tab::Timeline]).map(Tab::word) {
        rig.go(&format!("/v/pods@/*?o=shop/{longest}&tab={tab}")).await?;
        browser.until("the panel", &format!("deep('#tab-{tab}[aria-selected=true]').length === 1")).await?;
        browser.until("its contents", "shown('#panel').length > 300").await?;
        browser.until(&format!("{tab} fits"), NOTHING_STICKS_OUT).await?;
    }
    playground
        .patch("pods", "shop", &longest, json!({"metadata": {"annotations": {"note": "y".repeat(LONG)}}}))
        .map_err(refused)?;
    browser.until("the change", "shown('#panel').includes('annotations')").await?;
    browser.until("the change fits", NOTHING_STICKS_OUT).await?;
    rig.go("/log/pods@/*").await?;
    playground
        .patch("pods", "shop", &longest, json!({"metadata": {"annotations": {"note": "z".repeat(LONG)}}}))
        .map_err(refused)?;
    browser.until("its line", "shown('.log-lines').includes('Annotation note')").await?;
    browser.until("the log fits", NOTHING_STICKS_OUT).await?;
    rig.browser.close().await
}

const EVERY_ROW_IS_LOW: &str = "deep('[data-row]').every((row) => row.getBoundingClientRect().height < 30
    && (row.clientWidth <= innerWidth || row.closest('.table-across')))";

/// No box that is painted ends outside the window, and nothing in the page can be scrolled sideways but what
/// is meant to.
const NOTHING_STICKS_OUT: &str = "document.documentElement.scrollWidth <= innerWidth && \
    deep('.pop, #panel').every((box) => box.scrollWidth <= box.clientWidth + 1) && \
    deep('.pop, .panel, #panel, .view, .table, .strip, .filter, .notice, .top').every((box) => { \
      const at = box.getBoundingClientRect(); \
      return at.width === 0 || (at.left >= -1 && at.right <= innerWidth + 1 && at.bottom <= innerHeight + 1); })";

/// Texts that some page somewhere has executed or obeyed.
const HOSTILE: [&str; 8] = [
    "<img src=x onerror=\"document.title='owned'\">",
    "<script>document.title='owned'</script>",
    "'\"><svg onload=\"document.title='owned'\">",
    "javascript:document.title='owned'",
    "{{constructor.constructor('document.title=1')()}}",
    "safe\u{202e}txt.exe",
    "\u{1b}[31mred\u{1b}]8;;http://evil.example\u{7}link",
    "nul\u{0}bell\u{7}delete\u{7f}",
];

/// Names that a link has to escape.
const NAMES: [&str; 3] = ["Read only?", r"a#b\c&d,e=f+g", "größe"];

/// R-BROW-9
#[tokio::test(flavor = "multi_thread")]
async fn hostile_texts_are_texts_wherever_they_stand() -> Result<()> {
    let all: Vec<Value> = HOSTILE.iter().map(|text| json!(text)).collect();
    let as_map = |prefix: &str| -> Value {
        let pairs = HOSTILE.iter().enumerate().map(|(at, text)| (format!("{prefix}{at}{text}"), json!(text)));
        pairs.collect::<serde_json::Map<_, _>>().into()
    };
    let pods = HOSTILE.iter().enumerate().map(|(at, text)| {
        json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": format!("p{at}"), "namespace": "shop", "uid": format!("u{at}"),
                "labels": as_map("l"), "annotations": as_map("a"), "creationTimestamp": "2026-01-01T00:00:00Z",
                "finalizers": all.clone(),
                "ownerReferences": [{"apiVersion": "v1", "kind": text, "name": text, "uid": "0"}]},
            "spec": {"nodeName": text, "containers": [{"name": text, "image": text, "args": all.clone()}]},
            "status": {"reason": text, "conditions": [
                {"type": text, "status": "False", "reason": text, "message": text}]}})
    });
    let event = |(at, text): (usize, &&str)| {
        json!({"apiVersion": "v1", "kind": "Event", "type": text, "reason": text, "message": text,
            "metadata": {"name": format!("e{at}"), "namespace": "shop", "uid": format!("e{at}"),
                "creationTimestamp": "2026-01-01T00:00:00Z"},
            "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "p0", "uid": "u0"},
            "source": {"component": text}, "lastTimestamp": "2026-01-01T00:00:00Z", "count": 1})
    };
    // Only the kinds of RBAC take almost any name, among the built-in kinds.
    let role = |text: &&str| {
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": text, "uid": text, "creationTimestamp": "2026-01-01T00:00:00Z"}})
    };
    let others = HOSTILE.iter().enumerate().map(event).chain(HOSTILE.iter().chain(&NAMES).map(role));
    let objects = [namespace("shop")].into_iter().chain(pods).chain(others);
    let playground = playground_of(objects.collect()).await?;
    let rig = UiRig::of_playground(&playground).await?;
    let browser = &rig.browser;
    let nothing_ran = "document.title !== 'owned' && document.title !== '1' && \
        deep('img, iframe, object, embed, form, base, meta[http-equiv]').length === 0 && \
        deep('script').every((script) => script.src || script.type === 'importmap') && \
        deep('a[href]').every((link) => new URL(link.href).origin === location.origin) && \
        deep('*').every((element) => [...element.attributes].every((held) => !held.name.startsWith('on')))";
    let as_shown = |text: &str| page::cells::shown(text).into_owned();
    rig.go("/v/pods@/*?wide=1").await?;
    browser.until("all rows", &format!("rows().length === {}", HOSTILE.len())).await?;
    for text in HOSTILE {
        let status = json!(page::cells::text(&Cell::text(text), 0));
        browser.until(text, &format!("rows().some((row) => cells(row).includes({status}))")).await?;
    }
    browser.until("texts alone in the table", nothing_ran).await?;
    rig.go("/v/events@/*").await?;
    browser.until("all events", &format!("rows().length === {}", HOSTILE.len())).await?;
    browser.until("texts alone in the events", nothing_ran).await?;
    rig.go("/v/clusterroles.rbac.authorization.k8s.io@/-").await?;
    for text in HOSTILE {
        let name = json!(page::cells::text(&Cell::text(text), 0));
        browser.until(text, &format!("rows().some((row) => cells(row)[0] === {name})")).await?;
    }
    browser.until("texts alone in the names", nothing_ran).await?;
    // What Kubernetes takes for a name opens as any other, by its row and by its link.
    let is_name = |text: &&&str| !text.contains(|c: char| c == '/' || c.is_control());
    for text in HOSTILE.iter().chain(&NAMES).filter(is_name) {
        let shown = json!(as_shown(text));
        let row = format!("rows().find((row) => cells(row)[0] === {shown})");
        // The last ones stand below the window.
        browser.read(&format!("({row}).scrollIntoView({{block: 'nearest'}})")).await?;
        let is_seen = format!("({row})?.getBoundingClientRect().bottom < innerHeight");
        browser.until("the row in the window", &is_seen).await?;
        browser.click_on(&row).await?;
        let is_open = format!("shown('#panel').includes('ClusterRole') && shown('#panel').includes({shown})");
        browser.until(text, &is_open).await?;
        browser.run("location.reload()", Vec::new()).await?;
        browser.until(text, &is_open).await?;
        browser.until("texts alone in its panel", nothing_ran).await?;
    }
    // The panel of each pod, one after the other.
    rig.go("/v/pods@/*").await?;
    for (tab, contents) in [("overview", "Conditions"), ("yaml", "apiVersion")] {
        for (at, text) in HOSTILE.iter().enumerate() {
            browser.click_on(&format!("rowOf('p{at}')")).await?;
            let is_of_it = format!("shown('#panel .panel-name').includes('p{at}')");
            browser.until(&format!("the panel of p{at}"), &is_of_it).await?;
            // The tabs stand where they stay once the object is there.
            browser.until("its contents", "/Conditions|apiVersion/.test(shown('#panel'))").await?;
            browser.click(&format!("#tab-{tab}")).await?;
            let is_open = format!("{is_of_it} && shown('#panel').includes('{contents}')");
            browser.until(&format!("{tab} of p{at}"), &is_open).await?;
            if tab == "overview" {
                let condition = json!(as_shown(text));
                browser.until(text, &format!("shown('#panel').includes({condition})")).await?;
            }
            browser.until("texts alone in the panel", nothing_ran).await?;
        }
    }
    browser.press(ESCAPE).await?;
    browser.enter_table().await?;
    browser.press(":p0").await?;
    browser.until("the palette names them", "deep('[role=option]').length > 0").await?;
    browser.until("texts alone in the palette", nothing_ran).await?;
    browser.press(ESCAPE).await?;
    for link in [
        "/v/pods@/*?q=%22%3E%3Cimg+src%3Dx+onerror%3Dalert(1)%3E&x=<script>",
        "/v/pods@/*,%3Csvg%20onload%3Dalert(1)%3E?cols=name,%3Cb%3E:.metadata.name",
    ] {
        rig.go(link).await?;
        browser.until("what can't be read is named", "deep('#bar').length === 1").await?;
        browser.until("texts alone in the bar", nothing_ran).await?;
        browser.click("#bar button").await?;
        browser.until("the bar is gone", "deep('#bar').length === 0").await?;
    }
    rig.go("/log/pods@/*").await?;
    let mut pods = playground.list_whole("pods");
    for pod in &mut pods {
        pod["metadata"]["annotations"]["changed"] = json!(HOSTILE[0]);
        pod["status"]["reason"] = json!(HOSTILE[1]);
    }
    playground.load(pods).map_err(refused)?;
    browser.until("the log has them", "deep('.log-lines > [role=row]').length >= 8").await?;
    browser.until("texts alone in the log", nothing_ran).await?;
    ensure!(browser.text("document.title").await?.contains("Dogwatch"));
    rig.browser.close().await
}
