//! The panel of one object: by keys, by pointer and by link.

use std::sync::Arc;

use page::action::{ComparisonAction, Key, PanelAction, PanelKey, TimelineAction, YamlAction};
use page::detail::dated::DatedLine;
use page::detail::history::{Body, Filter, Item};
use page::limits::PANEL_RECORDS_MAX;
use page::location::Tab;
use page::model::{Found, OverviewPart};
use page::testing::PageRig;
use serde_json::{Value, json};
use shared::resource_version::ResourceVersion;

pub(crate) fn deployment(version: &str, replicas: u32) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "uid": "d1", "resourceVersion": version, "labels": {"app": "web"},
            "creationTimestamp": "2025-12-31T10:00:00Z", "annotations": {"note": "<b>\u{202e}"}},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}},
            "template": {"spec": {"containers": [{"name": "app", "image": "web:1", "env": [{"name": "TOKEN", "value": null}]}]}}},
        "status": {"conditions": [
            {"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated", "message": "m"},
            {"type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable", "message": "none"}]}})
}

pub(crate) fn pod() -> Value {
    json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "web-1", "namespace": "shop", "uid": "p1", "resourceVersion": "5",
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d1", "controller": true}]},
        "spec": {"nodeName": "node-1", "containers": [{"name": "app", "image": "web:1"}]},
        "status": {"phase": "Running", "containerStatuses": [{"name": "app", "ready": true, "restartCount": 5, "state": {"running": {}}}]}})
}

pub(crate) fn of_deployment(query: &str) -> PageRig {
    let mut page = PageRig::live("/v/deployments.apps");
    page.object("deployments.apps", "shop/web", deployment("10", 1));
    page.go(&format!("/v/deployments.apps@kind/*?o=shop/web{query}"));
    page.act(YamlAction::Resized { height_px: 900.0, row_px: 20.0 });
    page.seconds(1);
    page
}

fn changed(page: &mut PageRig, version: &str, replicas: u32) {
    page.object("deployments.apps", "shop/web", deployment(version, replicas));
    page.log(
        "deployments.apps",
        "shop/web",
        json!({"type": "MODIFIED", "resource_version": version, "changed": ["spec"],
        "fields": [{"path": "/spec/replicas", "old": replicas - 1, "new": replicas, "by": 0}],
        "writers": [{"manager": "kubectl scale", "operation": "Update"}]}),
    );
    page.seconds(1);
}

#[test]
fn a_panel_opens_by_key_follows_its_object_and_closes_step_by_step() {
    let mut page = PageRig::live("/v/deployments.apps");
    page.object("deployments.apps", "shop/web", deployment("10", 1));
    page.keys(&["j", "Enter"]);
    page.seconds(1);
    assert_eq!(page.address, "/v/deployments.apps@kind/*?o=shop/web");
    let panel = page.page.panel();
    let head = panel.head.clone().expect("open");
    assert_eq!(head.kind, "Deployment in shop");
    assert_eq!(head.kubectl, "kubectl --context Kind get deployments.apps web -n shop -o yaml");
    assert!(panel.pill.word == "Live" && panel.focus.0 > 0, "{:?}", panel.pill);
    let opened = page.gateway.subscriptions();
    assert!(opened.iter().any(|open| open.starts_with("replicasets.apps in shop")), "{opened:?}");
    assert!(panel.tree.is_empty(), "it owns nothing yet, and isn't its own child");
    let facts: Vec<String> = panel.overview.facts.iter().map(|fact| format!("{fact:?}")).collect();
    assert!(facts.join(" ").contains("1 desired"), "{facts:?}");
    assert_eq!(panel.overview.conditions[0].condition.kind, "Progressing", "in the object's order");
    assert_eq!(panel.overview.annotations[0].1, "<b>⟨202E⟩", "hostile texts are texts");
    page.object("deployments.apps", "shop/web", deployment("11", 3));
    page.seconds(1);
    let facts = format!("{:?}", page.page.panel().overview.facts);
    assert!(facts.contains("3 desired"), "{facts}");
    let marked = |page: &PageRig| {
        let facts = page.page.panel().overview.facts.iter().filter(|fact| fact.is_new);
        facts.map(|fact| fact.label).collect::<Vec<_>>()
    };
    assert_eq!(marked(&page), ["Replicas"], "what changed is marked");
    page.seconds(10);
    assert!(marked(&page).is_empty());
    page.keys(&["x"]);
    page.key(Key::Back);
    assert!(page.page.panel().head.is_none(), "one step back: the panel first");
    assert_eq!(page.address, "/v/deployments.apps@kind/*");
    assert_eq!(page.model().status_bar.selected, "1 selected");
    page.go("/v/deployments.apps@kind/*?o=shop/web");
    assert!(page.page.panel().head.is_some(), "and forward again");
}

#[test]
fn keys_go_to_tabs_and_parts_and_the_link_says_so() {
    let mut page = of_deployment("");
    page.gateway.owners.insert("shop/web-a".to_owned(), "Deployment/web".to_owned());
    page.put("replicasets.apps", "shop/web-a 2 2 2");
    page.seconds(1);
    page.effects();
    for (key, tab, query) in [
        ("y", Tab::Yaml, "&tab=yaml"),
        ("t", Tab::Timeline, "&tab=timeline"),
        ("e", Tab::Overview, ""),
        ("o", Tab::Overview, ""),
        ("d", Tab::Timeline, "&tab=timeline"),
    ] {
        page.panel_keys(&[key]);
        assert_eq!(page.page.panel().tab, tab, "{key}");
        assert!(page.address.ends_with(&format!("?o=shop/web{query}")), "{key}: {}", page.address);
    }
    assert_eq!(page.page.panel().jump, (2, OverviewPart::OwnerTree));
    assert_eq!(page.effects().iter().filter(|effect| effect.starts_with("push")).count(), 4);
    page.act(PanelAction::Tab(Tab::Yaml));
    page.panel_keys(&["Escape"]);
    assert!(page.address.ends_with("/*"), "{}", page.address);
    page.keys(&["j", "y"]);
    assert_eq!(page.page.panel().tab, Tab::Yaml, "a key of the row opens its tab");
}

#[test]
fn the_timeline_names_the_field_and_its_writer_and_filters_by_area() {
    let mut page = of_deployment("&tab=timeline");
    changed(&mut page, "11", 2);
    page.log(
        "deployments.apps",
        "shop/web",
        json!({"type": "MODIFIED", "resource_version": "12", "changed": ["labels"],
        "fields": [{"path": "/metadata/labels/tier", "new": "api"}]}),
    );
    page.seconds(1);
    let timeline = page.page.panel().timeline.clone();
    assert_eq!((timeline.items.len(), page.page.panel().changes.as_str()), (2, "2"));
    let change = format!("{:?}", timeline.items[1].body);
    assert!(change.contains("spec.replicas") && change.contains("kubectl scale"), "{change}");
    assert!(timeline.opened.starts_with("Recording since "), "{}", timeline.opened);
    for (filter, shown) in [(Filter::Spec, 1), (Filter::Status, 0), (Filter::Metadata, 1), (Filter::All, 2)] {
        page.act(TimelineAction::Filter(filter));
        page.seconds(1);
        assert_eq!(page.page.panel().timeline.items.len(), shown, "{filter:?}");
    }
    page.act(TimelineAction::Older);
    assert!(page.page.panel().status_history.is_some(), "the history of its status");
}

fn said(page: &PageRig) -> Vec<String> {
    let timeline = page.page.panel().timeline.clone();
    let item = |item: &Arc<Item>| match &item.body {
        Body::Change { headline, .. } | Body::Event { headline } => headline.text(),
        Body::Story(story) => story.headline.text(),
        Body::Gap { bold, sentence, dated } => {
            let dated: Vec<String> = dated.iter().map(told).collect();
            format!("{bold} {sentence} [{}]", dated.join("; "))
        }
    };
    timeline.items.iter().map(item).collect()
}

fn told(dated: &DatedLine) -> String {
    format!("{} {}", dated.clock, dated.headline.text())
}

#[test]
fn a_timeline_is_there_again_when_its_object_is_opened_again_with_the_time_between_as_a_gap() {
    let mut page = of_deployment("&tab=timeline");
    let before: Vec<String> = page.page.panel().timeline.dated.iter().map(told).collect();
    assert_eq!(before, ["2025-12-31 10:00:00 Created"], "what the object itself tells");
    changed(&mut page, "11", 2);
    let opened = page.page.panel().timeline.opened.clone();
    page.go("/v/deployments.apps@kind/*?o=shop/other&tab=timeline");
    page.seconds(60);
    let mut now = deployment("13", 7);
    now["status"]["conditions"][1]["lastTransitionTime"] = json!("2026-01-01T10:00:30Z");
    page.object("deployments.apps", "shop/web", now);
    page.go("/v/deployments.apps@kind/*?o=shop/web&tab=timeline");
    page.seconds(1);
    changed(&mut page, "14", 8);
    let gap = "Gap, 10:00:02 to 10:01:02. This object wasn't open for 60s, and nothing was recorded. The state after it \
               is exact. [10:00:30 Available → False, MinimumReplicasUnavailable]";
    assert_eq!(said(&page), ["Scaled 7 → 8", gap, "Scaled 1 → 2"]);
    let panel = page.page.panel();
    assert_eq!((panel.timeline.opened.as_str(), panel.changes.as_str()), (opened.as_str(), "2"));
    assert_eq!(panel.timeline.dated.iter().map(told).collect::<Vec<_>>(), before);
    let history = panel.status_history.clone().expect("its status");
    let words: Vec<&str> = history.segments.iter().map(|segment| segment.kind.word()).collect();
    assert_eq!(words, ["0/1", "0/1", "not recorded"]);
    let pick = |version: &str| ComparisonAction::Pick(ResourceVersion::from(version));
    page.act(pick("11"));
    page.act(pick("14"));
    let lines = format!("{:?}", page.page.panel().comparison.as_ref().expect("a comparison").lines);
    assert!(lines.contains("replicas: 2") && lines.contains("replicas: 8"), "across the gap: {lines}");
    page.go("/v/events@kind/*?o=deployments.apps/shop/web&tab=timeline");
    page.seconds(1);
    assert_eq!(said(&page).len(), 4, "also beside another table: {:?}", said(&page));
}

#[test]
fn a_timeline_of_before_says_that_its_object_was_another_one() {
    let mut page = of_deployment("&tab=timeline");
    changed(&mut page, "11", 2);
    page.act(PanelAction::Close);
    page.delete("deployments.apps", "shop/web");
    page.put("deployments.apps", "shop/web 0/1");
    let mut other = deployment("20", 1);
    other["metadata"]["uid"] = json!("d2");
    page.object("deployments.apps", "shop/web", other);
    page.go("/v/deployments.apps@kind/*?o=shop/web&tab=timeline");
    page.seconds(1);
    let items = page.page.panel().timeline.items.clone();
    assert_eq!(items.len(), 2, "{:?}", said(&page));
    assert!(items[0].above.is_some(), "the gap and what is below it are of the former object");
}

#[test]
fn so_many_timelines_are_kept_and_no_more() {
    for (others, entries) in [(PANEL_RECORDS_MAX - 1, 2), (PANEL_RECORDS_MAX, 0)] {
        let mut page = of_deployment("&tab=timeline");
        changed(&mut page, "11", 2);
        for number in 0..others {
            let (name, key) = (format!("c{number}"), format!("shop/c{number}"));
            page.put("configmaps", &format!("{key} 1"));
            let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": name, "namespace": "shop", "uid": name, "resourceVersion": "3"}});
            page.object("configmaps", &key, map);
            page.go(&format!("/v/configmaps@kind/*?o={key}"));
            page.seconds(1);
        }
        page.go("/v/deployments.apps@kind/*?o=shop/web&tab=timeline");
        page.seconds(1);
        assert_eq!(said(&page).len(), entries, "after {others} others");
    }
}

#[test]
fn two_versions_are_compared_and_the_link_names_them() {
    let mut page = of_deployment("&tab=timeline");
    changed(&mut page, "11", 2);
    changed(&mut page, "12", 3);
    let pick = |version: &str| ComparisonAction::Pick(ResourceVersion::from(version));
    page.act(pick("12"));
    assert_eq!(page.page.panel().comparison.as_ref().expect("half of one").b, "");
    page.act(pick("10"));
    assert!(page.address.ends_with("&tab=timeline&a=10&b=12"), "the older one is A: {}", page.address);
    let comparison = page.page.panel().comparison.clone().expect("a comparison");
    let lines = format!("{:?}", comparison.lines);
    assert!(lines.contains("replicas: 1") && lines.contains("replicas: 3"), "{lines}");
    page.act(pick("10"));
    assert!(page.address.ends_with("&a=12"), "a second pick takes it back: {}", page.address);
    page.act(ComparisonAction::LastChange);
    assert!(page.address.ends_with("&a=11&b=12"), "{}", page.address);
    page.act(PanelAction::Back);
    assert!(page.page.panel().comparison.is_none());
    assert!(page.address.ends_with("&tab=timeline"), "the panel stays: {}", page.address);
    let mut young = of_deployment("&tab=timeline");
    young.panel_keys(&["d"]);
    let by_key = young.page.panel().comparison.clone().expect("the key says it");
    young.act(ComparisonAction::Close);
    young.act(ComparisonAction::LastChange);
    assert_eq!(young.page.panel().comparison.as_deref(), Some(&*by_key), "and so does the button");
    young.seconds(1);
    let said = format!("{:?}", young.page.panel().comparison.clone().expect("said").lines);
    assert!(said.contains("one version so far"), "{said}");
    changed(&mut young, "11", 2);
    let said = format!("{:?}", young.page.panel().comparison.clone().expect("said").lines);
    assert!(said.contains("Choose two versions"), "there is another by now: {said}");
    page.go("/v/deployments.apps@kind/*?o=shop/web&tab=timeline&a=1&b=2");
    let unknown = format!("{:?}", page.page.panel().comparison.clone().expect("said").lines);
    assert!(unknown.contains("Fold"), "versions that nobody kept: {unknown}");
}

#[test]
fn a_comparison_over_a_gap_counts_only_the_changes_that_were_seen() {
    let mut page = of_deployment("&tab=timeline");
    changed(&mut page, "11", 2);
    let gap = json!({"type": "GAP", "gap": {"from_ms": page.now_ms - 9_000, "to_ms": page.now_ms, "reason": "Expired"}});
    page.log("deployments.apps", "shop/web", gap);
    changed(&mut page, "12", 3);
    changed(&mut page, "13", 4);
    let mut summary = |a: &str, b: &str| {
        page.go(&format!("/v/deployments.apps@kind/*?o=shop/web&tab=timeline&a={a}&b={b}"));
        page.page.panel().comparison.as_ref().expect("a comparison").summary.clone()
    };
    assert_eq!(summary("10", "11"), "1 change, 1 field");
    assert_eq!(summary("11", "12"), "1 change seen, with a gap between; 1 field");
    assert_eq!(summary("10", "12"), "2 changes seen, with a gap between; 1 field");
    assert_eq!(summary("12", "13"), "1 change, 1 field");
}

#[test]
fn yaml_is_searched_folded_held_and_copied() {
    let mut page = of_deployment("&tab=yaml");
    let text = |page: &PageRig| format!("{:?}", page.page.panel().yaml.rows);
    assert!(text(&page).contains("replicas") && page.page.panel().yaml_tools.follows);
    page.act(YamlAction::Search("canary".to_owned()));
    assert_eq!(page.page.panel().yaml_tools.matches, "no match");
    page.act(YamlAction::FoldAll);
    assert!(!text(&page).contains("TOKEN") && page.page.panel().yaml_tools.has_folds);
    page.act(YamlAction::Search("token".to_owned()));
    assert_eq!(page.page.panel().yaml_tools.matches, "1 of 1");
    let here = page.page.panel().yaml.rows.iter().filter(|row| row.found == Found::Here).count();
    assert_eq!((here, text(&page).contains("TOKEN")), (1, true), "a match opens what hides it");
    page.act(YamlAction::Search("web".to_owned()));
    let first = page.page.panel().yaml_tools.matches.clone();
    page.act(YamlAction::NextMatch { forward: true });
    assert_ne!(page.page.panel().yaml_tools.matches, first);
    page.act(YamlAction::NextMatch { forward: false });
    assert_eq!(page.page.panel().yaml_tools.matches, first);
    page.act(YamlAction::FoldAll);
    page.object("deployments.apps", "shop/web", deployment("11", 2));
    page.seconds(1);
    let is_new = |page: &PageRig| page.page.panel().yaml.rows.iter().filter(|row| row.is_new).count();
    assert!(is_new(&page) > 0, "what changed is marked");
    let marked = |page: &PageRig| {
        let rows = page.page.panel().yaml.rows.iter().filter(|row| row.is_new);
        rows.map(|row| row.line.key.trim_end_matches([':', ' ']).to_owned()).collect::<Vec<_>>()
    };
    let mut other = deployment("12", 2);
    other["metadata"]["annotations"]["note"] = json!("new");
    page.object("deployments.apps", "shop/web", other);
    page.seconds(1);
    assert_eq!(marked(&page), ["note", "resourceVersion", "replicas"], "of all versions in the last seconds");
    page.seconds(10);
    assert!(marked(&page).is_empty(), "a mark ends");
    page.act(PanelAction::Tab(Tab::Overview));
    page.object("deployments.apps", "shop/web", deployment("13", 4));
    page.seconds(30);
    page.act(PanelAction::Tab(Tab::Yaml));
    assert_eq!(
        marked(&page),
        ["note", "resourceVersion", "replicas"],
        "what changed while the reader was elsewhere"
    );
    page.object("deployments.apps", "shop/web", deployment("11", 2));
    page.seconds(1);
    page.effects();
    page.act(YamlAction::CopyPath { line: None });
    assert_eq!(page.effects(), ["copy .metadata.labels.app"]);
    page.act(YamlAction::ToggleFollow);
    page.object("deployments.apps", "shop/web", deployment("12", 7));
    page.seconds(1);
    assert_eq!(page.page.panel().yaml_tools.version, "11");
    assert!(!page.page.panel().yaml_tools.follows);
    page.effects();
    page.act(YamlAction::Copy);
    assert!(page.effects()[0].contains("replicas: 2"), "what is held is copied");
    page.act(YamlAction::ToggleFollow);
    page.act(YamlAction::Scrolled { top_px: 40.0 });
    assert_eq!(page.page.panel().yaml_tools.version, "12");
    assert!(page.page.panel().yaml.rows.iter().any(|row| row.fold.is_some()));
}

#[test]
fn a_deleted_object_keeps_its_last_state_and_a_missing_one_appears() {
    let mut page = of_deployment("");
    page.delete("deployments.apps", "shop/web");
    page.seconds(1);
    let note = page.page.panel().note.clone().expect("it is said");
    assert!(note.strong.starts_with("Deleted at") && note.has_body, "{note:?}");
    assert!(page.page.panel().is_stale, "nothing of it is green");
    page.go("/v/configmaps@kind/*?o=shop/later");
    page.seconds(1);
    let note = page.page.panel().note.clone().expect("it is said");
    assert_eq!((note.strong.as_str(), note.has_body), ("Not found.", false));
    page.put("configmaps", "shop/later 1");
    page.object("configmaps", "shop/later", json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "later", "namespace": "shop", "uid": "c1", "resourceVersion": "3"}, "data": {"a": "b"}}));
    page.seconds(1);
    assert_eq!((page.page.panel().note.clone(), page.page.panel().overview.data.len()), (None, 1));
}

#[test]
fn a_pod_shows_its_owners_its_node_and_that_there_are_no_events() {
    let mut page = PageRig::live("/v/deployments.apps");
    page.object("deployments.apps", "shop/web", deployment("10", 1));
    page.go("/v/pods@kind/*");
    page.object("pods", "shop/web-1", pod());
    page.act(PanelAction::Open { row: Some(page.row("shop/web-1")), key: Some(PanelKey::Owners) });
    page.seconds(2);
    let panel = page.page.panel();
    assert_eq!(panel.tree[0].rows[0].href.as_deref(), Some("/v/deployments.apps@kind/shop?o=shop/web"));
    let links: Vec<&str> = panel.overview.facts.iter().filter_map(|fact| fact.href.as_deref()).collect();
    assert!(links.contains(&"/v/nodes@kind/-?o=node-1"), "{links:?}");
    assert_eq!(panel.overview.containers.len(), 1);
    assert!(!panel.events.note.is_empty(), "{:?}", panel.events);
    let opened = page.gateway.subscriptions();
    assert!(opened.iter().any(|open| open.starts_with("events in shop")), "{opened:?}");
    page.act(PanelAction::Close);
    assert_eq!(page.gateway.subscriptions(), ["pods"], "all of it is given back");
}

#[test]
fn the_panel_is_widened_by_pointer_and_key_and_remembered() {
    let mut page = of_deployment("");
    let before = page.page.panel().width_px;
    page.act(PanelAction::Width(before + 100.0));
    page.effects();
    page.act(PanelAction::KeepWidth);
    page.panel_keys(&["["]);
    assert_eq!(page.page.panel().width_px, before + 140.0);
    assert_eq!(page.effects(), ["keep PanelWidth(580)", "keep PanelWidth(620)"]);
    page.act(PanelAction::Width(10_000.0));
    assert_eq!(page.page.panel().width_px, 840.0, "at most six tenths of the page");
    page.panel_keys(&["]"]);
    assert_eq!(page.page.panel().width_px, 800.0);
}
