//! What stands around the object of a panel, and what happens when the object ends or is made anew.

use page::action::{Action, PanelAction};
use page::location::Tab;
use page::model::{Clip, LinkButton, TreeRow};
use page::testing::PageRig;
use serde_json::json;
use shared::resource::Resource;

use crate::panel::{deployment, of_deployment, pod};

/// The groups' titles and rows, with what is said of them.
fn tree(page: &PageRig) -> Vec<String> {
    let row = |row: &TreeRow| {
        let note = row.note.as_ref().map_or(&row.mark, |note| &note.text);
        format!("{}{} {note}", row.kind, if row.is_here { "*" } else { "" }).trim_end().to_owned()
    };
    let groups = page.page.panel().tree.iter();
    groups.flat_map(|group| [group.title.to_owned()].into_iter().chain(group.rows.iter().map(row))).collect()
}

#[test]
fn an_object_that_is_made_anew_takes_the_place_of_the_deleted_one() {
    for scope in ["/v/pods@kind/shop", "/v/pods@kind/*?l=app%3Dweb"] {
        let mut page = PageRig::live(scope);
        let query = if scope.contains('?') { '&' } else { '?' };
        page.object("pods", "shop/web-1", pod());
        page.go(&format!("{scope}{query}o=shop/web-1&tab=timeline"));
        page.seconds(1);
        page.log(
            "pods",
            "shop/web-1",
            json!({"type": "MODIFIED", "resource_version": "5", "changed": ["status"]}),
        );
        page.log("pods", "shop/web-1", json!({"type": "DELETED", "resource_version": "6"}));
        page.delete("pods", "shop/web-1");
        page.seconds(1);
        assert!(page.page.panel().note.clone().expect("said").strong.starts_with("Deleted at"), "{scope}");
        page.put("pods", "shop/web-1 1/1 Running 0");
        let mut anew = pod();
        anew["metadata"]["uid"] = json!("p2");
        anew["metadata"]["creationTimestamp"] = json!("2026-01-01T10:00:02Z");
        page.object("pods", "shop/web-1", anew);
        page.seconds(2);
        let panel = page.page.panel();
        assert_eq!(panel.note.clone().expect("said").strong, "Recreated at 10:00:02.", "{scope}");
        assert!(panel.top.iter().any(|fact| fact.text == "Running"), "{:?}", panel.top);
        page.log(
            "pods",
            "shop/web-1",
            json!({"type": "MODIFIED", "resource_version": "8", "changed": ["status"]}),
        );
        page.seconds(1);
        let items = page.page.panel().timeline.items.clone();
        let lines: Vec<bool> = items.iter().map(|item| item.above.is_some()).collect();
        assert_eq!(lines, [false, true, false], "the former one's changes are the end of the timeline");
        page.act(PanelAction::Tab(Tab::Overview));
        assert!(
            format!("{:?}", page.page.panel().overview.facts).contains("10:00:02"),
            "the new one's facts"
        );
        page.act(PanelAction::Close);
        assert_eq!(page.gateway.subscriptions().len(), 1, "{:?}", page.gateway.subscriptions());
    }
}

#[test]
fn the_ages_of_a_deleted_object_stop() {
    let mut page = of_deployment("");
    page.delete("deployments.apps", "shop/web");
    page.seconds(1);
    let said = |page: &PageRig| format!("{:?} {:?}", page.page.panel().top, page.page.panel().overview.facts);
    let before = said(&page);
    page.seconds(90);
    assert_eq!(said(&page), before);
}

#[test]
fn an_owner_that_is_deleted_is_shown_as_deleted_and_other_owners_stand_beside_the_controller() {
    let mut page = PageRig::live("/v/pods@kind/*");
    page.object("deployments.apps", "shop/web", deployment("10", 1));
    page.put("configmaps", "shop/parent 1");
    let parent = |uid: &str| {
        json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "parent", "namespace": "shop", "uid": uid, "creationTimestamp": "2026-01-01T09:00:00Z"}})
    };
    page.object("configmaps", "shop/parent", parent("c1"));
    let mut child = pod();
    let owners = child["metadata"]["ownerReferences"].as_array_mut().expect("owners");
    owners.insert(0, json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "parent", "uid": "c1"}));
    page.object("pods", "shop/web-1", child);
    page.go("/v/pods@kind/*?o=shop/web-1");
    page.seconds(1);
    assert_eq!(tree(&page), ["Owners", "Deployment", "ConfigMap not the controller", "Pod*"]);
    assert_eq!(page.page.panel().tree[0].rows[1].age, "60m");
    page.delete("configmaps", "shop/parent");
    page.seconds(1);
    assert_eq!(tree(&page)[2], "ConfigMap deleted at 10:00:01");
    assert_eq!(page.page.panel().tree[0].rows[1].age, "");
    page.put("configmaps", "shop/parent 1");
    page.object("configmaps", "shop/parent", parent("c2"));
    page.seconds(1);
    assert_eq!(tree(&page)[2], "ConfigMap deleted; another object has its name");
    page.act(PanelAction::Close);
    assert_eq!(page.gateway.subscriptions(), ["pods"]);
}

#[test]
fn an_object_without_events_leads_to_those_of_its_owners() {
    let mut page = PageRig::live("/v/pods@kind/*");
    page.object("deployments.apps", "shop/web", deployment("10", 1));
    page.object("pods", "shop/web-1", pod());
    page.go("/v/pods@kind/*?o=shop/web-1");
    page.seconds(1);
    let owners = page.page.panel().events.owners.clone();
    assert_eq!(
        owners.iter().map(|(words, _)| words.as_str()).collect::<Vec<_>>(),
        ["Those of Deployment web"]
    );
    assert!(owners[0].1.contains("o=shop/web"), "{owners:?}");
    page.put("events", "shop/web-1.1 Warning BackOff pod/web-1 Back-off");
    page.seconds(1);
    assert!(page.page.panel().events.owners.is_empty());
}

#[test]
fn the_event_of_an_object_that_is_gone_is_read_in_its_panel() {
    let mut page = PageRig::live("/v/events");
    page.put("events", "shop/gone-1.1 Warning BackOff pod/gone-1 Back-off");
    page.put("events", "shop/web-1.1 Warning BackOff pod/web-1 Back-off");
    page.seconds(1);
    let row = page.gateway.row("events", "shop/gone-1.1").id.to_string();
    page.act(PanelAction::Open { row: Some(row), key: None });
    page.seconds(2);
    let panel = page.page.panel();
    assert!(panel.note.clone().expect("said").strong.starts_with("Not found"), "{:?}", panel.note);
    let said: Vec<_> = panel.events.events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(said, ["gone-1.1"]);
}

#[test]
fn what_a_service_a_node_and_a_claim_are_used_by_stands_under_its_own_heading() {
    let mut page = PageRig::live("/v/nodes@kind/-");
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1", "uid": "n1"}});
    page.object("nodes", "node-1", node);
    page.go("/v/nodes@kind/-?o=node-1");
    page.seconds(1);
    assert_eq!(
        tree(&page),
        ["Pods on this node", "Pod", "Pod", "Pod"],
        "the gateway of this test ignores selectors"
    );
    page.go("/v/services@kind/*");
    page.put("services", "shop/web ClusterIP");
    page.object(
        "services",
        "shop/web",
        json!({"apiVersion": "v1", "kind": "Service", "spec": {"selector": {"app": "web"}},
        "metadata": {"name": "web", "namespace": "shop", "uid": "s1"}}),
    );
    page.go("/v/services@kind/*?o=shop/web");
    page.seconds(1);
    assert_eq!(tree(&page), ["Pods of this service", "Pod", "Pod"]);
    let opened = page.gateway.subscriptions();
    assert!(opened.iter().any(|open| open == "pods in shop -l app=web"), "{opened:?}");
    page.go("/v/persistentvolumeclaims@kind/*");
    page.put("persistentvolumeclaims", "shop/disk Bound");
    page.object(
        "persistentvolumeclaims",
        "shop/disk",
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "disk", "namespace": "shop", "uid": "v1"}}),
    );
    let path = ".spec.volumes[*].persistentVolumeClaim.claimName".to_owned();
    page.gateway.fields.insert((path, "shop/web-1".to_owned()), "cache,disk".to_owned());
    page.go("/v/persistentvolumeclaims@kind/*?o=shop/disk");
    page.seconds(1);
    assert_eq!(tree(&page), ["Used by", "Pod"]);
    assert_eq!(page.page.panel().tree[0].rows[0].href.as_deref(), Some("/v/pods@kind/shop?o=shop/web-1"));
    page.put("persistentvolumeclaims", "shop/spare Bound");
    page.object(
        "persistentvolumeclaims",
        "shop/spare",
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "spare", "namespace": "shop", "uid": "v2"}}),
    );
    page.go("/v/persistentvolumeclaims@kind/*?o=shop/spare");
    page.seconds(1);
    let said = page.page.panel().tree.iter().map(|group| (group.title, group.note.as_str()));
    assert_eq!(said.collect::<Vec<_>>(), [("Used by", "No pod or workload of its namespace names it.")]);
}

#[test]
fn a_panel_that_opens_beside_a_stale_table_is_stale_at_once() {
    let mut page = PageRig::live("/v/pods@kind/*");
    page.object("pods", "shop/web-1", pod());
    page.gateway.is_silent = true;
    page.seconds(20);
    assert!(page.pill().starts_with("Stale"), "{}", page.pill());
    page.act(PanelAction::Open { row: Some(page.row("shop/web-1")), key: None });
    let panel = page.page.panel();
    assert!(panel.is_stale && panel.pill.word == "Stale", "{:?}", panel.pill);
}

#[test]
fn a_link_in_the_panel_keeps_the_namespaces_and_says_which_it_adds_and_what_back_returns_to() {
    let web = "/v/deployments.apps@kind/shop?o=shop/web";
    let to_pods = "The browser's Back returns to pods.";
    for (from, to, hint) in [
        ("/v/pods?q=1&o=shop/web-1", "/v/deployments.apps@kind/*?sort=trouble&o=shop/web", to_pods),
        (
            "/v/pods@kind/ledger,shop?o=shop/web-1",
            "/v/deployments.apps@kind/ledger,shop?sort=trouble&o=shop/web",
            to_pods,
        ),
        (
            "/v/nodes?o=node-1",
            "/v/deployments.apps@kind/*?sort=trouble&o=shop/web",
            "The browser's Back returns to nodes.",
        ),
        (
            "/v/pods@kind/ledger?o=ledger/db-0",
            "/v/deployments.apps@kind/ledger,shop?sort=trouble&o=shop/web",
            "web is in shop, which was added to your namespaces. The browser's Back returns to pods.",
        ),
        ("/v/deployments?q=web&o=shop/api", "/v/deployments.apps@kind/*?q=web&o=shop/web", ""),
        (
            "/b?v=pods@kind/*;o=shop/web-1&v=nodes@kind/-",
            "/b?v=deployments.apps@kind/*;sort=trouble;o=shop/web&v=nodes@kind/-",
            to_pods,
        ),
    ] {
        let mut page = PageRig::live(from);
        page.act(Action::FollowLink(web.to_owned()));
        assert_eq!((page.address.as_str(), page.page.model().hint.as_str()), (to, hint), "{from}");
        assert_ne!(page.page.panel().focus, (0, 0), "the keyboard stays in the panel");
    }
    let mut page = PageRig::live("/v/pods@kind/shop?o=shop/web-1");
    page.act(Action::FollowLink("/v/nodes@kind/-?o=node-1".to_owned()));
    assert_eq!(
        (page.address.as_str(), page.page.model().hint.as_str()),
        ("/v/nodes@kind/-?sort=trouble&o=node-1", to_pods)
    );
}

#[test]
fn a_key_that_can_do_nothing_says_so_and_the_panel_knows_the_keys_of_its_view() {
    let mut page = PageRig::live("/v/services");
    for (key, hint) in [
        ("d", "Choose a row first: click it, or press j."),
        ("c", "Nothing to do here: this view has no rows now."),
        ("B", "This is the only view: it stays."),
    ] {
        page.keys(&[key]);
        assert_eq!(page.page.model().hint, hint, "{key}");
    }
    page.seconds(7);
    assert_eq!(page.page.model().hint, "", "it is read by then");
    page.act(Action::NoKey("u".to_owned()));
    assert_eq!(page.page.model().hint, "u is no key here. ? shows the keys.");
    let mut page = PageRig::live("/v/services?o=shop/external");
    page.put("services", "shop/external ExternalName");
    page.object(
        "services",
        "shop/external",
        json!({ "kind": "Service", "metadata": { "name": "external" } }),
    );
    page.panel_keys(&["o"]);
    assert_eq!(page.page.model().hint, "This object has no owners and no children.");
    let mut page = PageRig::live("/v/pods?o=shop/web-1");
    page.panel_keys(&["l"]);
    assert_eq!(page.address, "/log/pods@kind/*?o=shop/web-1");
    page.panel_keys(&["L"]);
    let copied = page.page.model().copied.as_ref().map(|copied| copied.clip.clone());
    assert_eq!(copied, Some(Clip::Link(LinkButton::Panel)), "the panel's button has the tick");
    page.keys(&["L"]);
    let copied = page.page.model().copied.as_ref().map(|copied| copied.clip.clone());
    assert_eq!(copied, Some(Clip::Link(LinkButton::Page)));
}

#[test]
fn a_docked_panel_keeps_its_object_while_its_reader_looks_through_other_kinds() {
    let kind = |group: &str, version: &str, plural: &str| {
        Action::OpenKind(Resource::parse(group, version, plural).expect("a resource"))
    };
    let mut page = PageRig::live("/v/pods@kind/*?o=shop/web-1");
    page.object("pods", "shop/web-1", pod());
    page.page.set_width(1_680.0);
    for (action, address) in [
        (kind("", "v1", "nodes"), "/v/nodes@kind/-?sort=trouble&o=pods/shop/web-1"),
        (kind("apps", "v1", "deployments"), "/v/deployments.apps@kind/*?sort=trouble&o=pods/shop/web-1"),
        (kind("", "v1", "pods"), "/v/pods@kind/*?o=shop/web-1"),
    ] {
        page.act(action);
        page.seconds(1);
        assert_eq!(page.address, address);
        assert!(page.page.panel_model().head.as_ref().is_some_and(|head| head.name == "web-1"), "{address}");
    }
    page.page.set_width(1_679.0);
    page.act(kind("", "v1", "nodes"));
    assert_eq!(
        (page.address.as_str(), &page.page.panel_model().head),
        ("/v/nodes@kind/-?sort=trouble", &None)
    );
}

#[test]
fn a_custom_kind_shows_its_children_of_the_kinds_that_the_gateway_names_and_their_pods() {
    let mut page = PageRig::live("/v/widgets.example.com@kind/*");
    let resource = |group: &str, plural: &str| Resource::parse(group, "v1", plural).expect("a resource");
    let kinds = vec![resource("apps", "replicasets"), resource("", "configmaps")];
    page.gateway.children.insert("widgets.example.com".to_owned(), (kinds, 64, 212));
    page.put("widgets.example.com", "shop/gear 1m");
    let owners = ".metadata.ownerReferences[*].uid".to_owned();
    for set in ["shop/gear-1 1 1 1", "shop/other-1 1 1 1"] {
        page.put("replicasets.apps", set);
    }
    page.put("configmaps", "shop/gear-settings 1");
    for (child, uids) in [("shop/gear-1", "w1,x"), ("shop/other-1", "w2"), ("shop/gear-settings", "w1")] {
        page.gateway.fields.insert((owners.clone(), child.to_owned()), uids.to_owned());
    }
    page.gateway.owners.insert("shop/web-1".to_owned(), "ReplicaSet/gear-1".to_owned());
    page.put("pods", "shop/web-1 0/1 CrashLoopBackOff 5");
    let widget = json!({"apiVersion": "example.com/v1", "kind": "Widget",
        "metadata": {"name": "gear", "namespace": "shop", "uid": "w1"}, "spec": {"teeth": 12}});
    page.object("widgets.example.com", "shop/gear", widget);
    page.go("/v/widgets.example.com@kind/*?o=shop/gear");
    page.seconds(2);
    assert_eq!(tree(&page), ["Children", "ReplicaSet", "Pod", "ConfigMap"]);
    let group = &page.page.panel().tree[0];
    assert_eq!(group.note, "64 of 212 kinds looked at");
    let depths: Vec<usize> = group.rows.iter().map(|row| row.depth).collect();
    assert_eq!(depths, [0, 1, 0]);
    let asked = |page: &mut PageRig| {
        let asked = page.gateway.take_asked().into_iter();
        asked.filter(|asked| asked.starts_with("children")).collect::<Vec<_>>()
    };
    assert_eq!(asked(&mut page), ["children of widgets.example.com in shop"]);
    page.seconds(50);
    assert!(asked(&mut page).is_empty(), "an answer holds for a minute");
    page.seconds(20);
    assert_eq!(asked(&mut page).len(), 1);
}

#[test]
fn a_panel_whose_link_names_what_was_never_served_says_so() {
    let mut page = PageRig::live("/v/pods@kind/*");
    page.gateway.lacks.insert("kind".to_owned(), vec!["podz".to_owned()]);
    page.go("/v/pods@kind/*?o=podz/shop/web-1");
    page.seconds(1);
    let note = page.page.panel().note.clone().expect("said");
    assert_eq!(note.strong, "The cluster serves no resource \"podz\".");
}
