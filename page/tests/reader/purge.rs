//! A gateway shows less than before: nothing of what it showed is left in the page, paused, held or open before.

use page::action::{Key, YamlAction};
use page::testing::{PageRig, rows_of};
use serde_json::{Value, json};

fn map(version: &str, value: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": value},
        "metadata": {"name": "web-1", "namespace": "shop", "uid": "p1", "resourceVersion": version}})
}

fn change(version: &str, old: &str, new: &str) -> Value {
    json!({"type": "MODIFIED", "resource_version": version, "changed": ["other"],
        "fields": [{"path": "/data/a", "old": old, "new": new, "by": 0}],
        "writers": [{"manager": "kubectl", "operation": "Update"}]})
}

fn shown(page: &PageRig) -> String {
    format!("{:?} {:?}", page.page.panel(), page.model())
}

fn reload(page: &mut PageRig, rules: &str) {
    let frames = page.gateway.reload(rules, page.now().now_ms);
    page.receive(frames);
    page.seconds(1);
}

#[test]
fn r_data_3_the_panel_forgets_versions_entries_and_what_it_held() {
    for tab in ["", "&tab=yaml", "&tab=timeline"] {
        let mut page = PageRig::live("/v/pods");
        page.object("pods", "shop/web-1", map("10", "canary-1"));
        page.go(&format!("/v/pods@kind/*?o=shop/web-1{tab}"));
        page.act(YamlAction::Resized { height_px: 900.0, row_px: 20.0 });
        page.seconds(1);
        page.object("pods", "shop/web-1", map("11", "canary-2"));
        page.log("pods", "shop/web-1", change("11", "canary-1", "canary-2"));
        page.act(YamlAction::ToggleFollow);
        page.seconds(1);
        if !tab.is_empty() {
            assert!(shown(&page).contains("canary"), "{tab}: {}", shown(&page));
        }
        // What comes anew is masked.
        page.object("pods", "shop/web-1", map("11", "mask"));
        reload(&mut page, "r1");
        assert!(!shown(&page).contains("canary"), "{tab}: {}", shown(&page));
        if tab == "&tab=yaml" {
            assert!(shown(&page).contains("mask"), "{}", shown(&page));
        }
        page.go("/v/pods@kind/*?o=shop/web-2");
        page.seconds(1);
        page.go(&format!("/v/pods@kind/*?o=shop/web-1{tab}"));
        page.seconds(1);
        assert!(!shown(&page).contains("canary"), "no record is left: {}", shown(&page));
    }
}

#[test]
fn r_data_3_a_paused_table_and_its_log_go_on_with_what_may_be_shown() {
    let mut page = PageRig::live("/v/pods");
    page.put("pods", "shop/web-1 1/1 canary 0");
    page.key(Key::Pause);
    page.put("pods", "shop/web-1 1/1 masked 0");
    page.seconds(1);
    assert!(shown(&page).contains("canary"), "it is paused");
    reload(&mut page, "r1");
    assert!(page.rows().concat().contains("masked"), "{:?}", page.rows());
    assert!(!shown(&page).contains("canary") && page.pill().starts_with("Live"), "{}", page.pill());

    let mut page = PageRig::live("/log/pods");
    page.log("pods", "shop/web-1", change("8", "canary-1", "canary-2"));
    page.key(Key::Pause);
    page.seconds(1);
    assert_eq!(page.model().log.lines.len(), 1);
    reload(&mut page, "r1");
    assert!(page.model().log.lines.is_empty() && !shown(&page).contains("canary"));
    page.log("pods", "shop/web-1", change("9", "mask", "mask"));
    page.seconds(1);
    assert_eq!(page.model().log.lines.len(), 1, "it isn't paused any more");
}

#[test]
fn a_right_that_ends_in_one_view_leaves_the_panel_of_another_as_it_is() {
    let mut page = PageRig::live("/v/pods@kind/ledger");
    page.object("pods", "shop/web-1", map("10", "kept"));
    page.go("/b?v=pods@kind/shop;o=shop/web-1;tab=yaml&v=configmaps@kind/ledger");
    page.act(YamlAction::Resized { height_px: 900.0, row_px: 20.0 });
    page.put("configmaps", "ledger/settings 2");
    page.seconds(1);
    assert!(shown(&page).contains("kept"), "{}", shown(&page));
    assert_eq!(rows_of(page.pane(1)).len(), 1);
    page.gateway.take_asked();
    let frames = page.gateway.deny("configmaps", &["ledger"], page.now_ms);
    page.receive(frames);
    page.seconds(1);
    assert_eq!(rows_of(page.pane(1)).len(), 0, "they left with the right");
    assert_eq!(page.gateway.take_asked(), ["configmaps in ledger"], "the object isn't asked for anew");
    assert!(shown(&page).contains("kept"));
    let frames = page.gateway.deny("pods", &["shop"], page.now_ms);
    page.receive(frames);
    page.seconds(1);
    let asked = page.gateway.take_asked();
    assert!(asked.iter().any(|asked| asked.starts_with("object of")), "its own view: {asked:?}");
}

#[test]
fn r_data_3_a_paused_table_shows_nothing_of_a_namespace_whose_right_ended() {
    let mut page = PageRig::live("/v/pods");
    page.key(Key::Pause);
    assert!(page.rows().concat().contains("db-0"), "{:?}", page.rows());
    let frames = page.gateway.grant("pods", &["shop"], page.now_ms);
    page.receive(frames);
    page.seconds(1);
    assert!(!page.rows().concat().contains("db-0") && !page.model().is_paused, "{:?}", page.rows());
}
