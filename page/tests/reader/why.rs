//! A failing object says why before all else, an Event leads to its object, and keys walk from row to row.

use page::action::{Key, PanelAction};
use page::location::Tab;
use page::panel::strip::Strip;
use page::status::Class;
use page::testing::{PageRig, START_MS};
use page::{Environment, Host};
use serde_json::{Value, json};
use shared::frame::timeline::{Entry, EntryType, Field};

use crate::panel::{deployment, pod};

fn crashing() -> Value {
    let mut pod = pod();
    pod["status"] = json!({"phase": "Running", "containerStatuses": [{"name": "app", "ready": false, "restartCount": 5,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"exitCode": 1, "reason": "Error"}}}]});
    pod
}

#[test]
fn a_failing_object_says_why_above_all_tabs_and_what_was_before_until_it_was_read() {
    let mut page = PageRig::live("/v/pods@kind/*");
    page.object("pods", "shop/web-1", crashing());
    page.go("/v/pods@kind/*?o=shop/web-1");
    page.seconds(1);
    let Some(Strip::Now(why)) = page.page.panel().strip.clone() else { panic!("it fails") };
    assert_eq!((why.class, why.reason.as_str()), (Class::Bad, "CrashLoopBackOff"));
    let facts: Vec<&str> = why.facts.iter().map(|fact| fact.strong.as_str()).collect();
    assert_eq!(facts, ["1", "5"]);
    assert_eq!(why.command.as_deref(), Some("kubectl --context Kind logs web-1 -n shop -c app --previous"));
    page.panel_keys(&["y"]);
    assert!(page.page.panel().strip.is_some(), "above all tabs");
    page.put("pods", "shop/web-1 1/1 Running 5");
    page.object("pods", "shop/web-1", pod());
    page.seconds(1);
    let Some(Strip::Before(before)) = page.page.panel().strip.clone() else { panic!("it is over") };
    assert!(before.starts_with("Before: CrashLoopBackOff, "), "{before}");
    page.act(PanelAction::DismissBefore);
    page.seconds(1);
    assert_eq!(page.page.panel().strip, None, "it was read");
    page.go("/v/pods@kind/*?o=shop/cart-1");
    page.seconds(1);
    assert_eq!(page.page.panel().strip, None);
}

#[test]
fn what_crashes_again_and_again_says_since_when() {
    let mut page = PageRig::before("", Host::Dogwatch, Environment::default());
    let now_ms = page.now_ms;
    page.gateway.put("pods", "shop/web-1 0/1 CrashLoopBackOff 5", now_ms);
    page.gateway.record("pods", START_MS);
    page.gateway.object("pods", "shop/web-1", crashing());
    page.start();
    page.seconds(1);
    let row = Some(page.gateway.row("pods", "shop/web-1").id);
    let ready = |(minutes, is_ready): (i64, bool)| Entry {
        row,
        resource_version: Some(format!("{}", 900 - minutes).as_str().into()),
        fields: vec![Field {
            path: "/status/containerStatuses/0/ready".into(),
            old: Some((!is_ready).into()),
            old_bytes: None,
            new: Some(is_ready.into()),
            new_bytes: None,
            by: None,
        }],
        ..Entry::of(EntryType::Modified, START_MS - minutes * 60_000)
    };
    let story = [(1, false), (2, true), (7, false), (8, true), (12, false), (40, true), (41, false)];
    page.gateway.past.versions = story.map(ready).to_vec();
    // The record is asked for more until it is known.
    page.gateway.past.page = 2;
    page.go("/v/pods@kind/*?o=shop/web-1");
    page.seconds(6);
    let said = |page: &PageRig| match page.page.panel().strip.clone() {
        Some(Strip::Now(why)) => why.facts.iter().find_map(|fact| {
            fact.before
                .starts_with("again")
                .then(|| format!("{} {} {}", fact.before, fact.strong, fact.after))
        }),
        other => panic!("it fails: {other:?}"),
    };
    assert_eq!(
        said(&page).as_deref(),
        Some("again and again since 09:48:00 (12m): 3 times, never ready for 10m between")
    );
    page.gateway.past.versions = story.map(ready)[..3].to_vec();
    page.go("/v/pods@kind/*?o=shop/cart-1");
    page.seconds(1);
    page.go("/v/pods@kind/*?o=shop/web-1");
    page.seconds(4);
    assert_eq!(
        said(&page).as_deref(),
        Some("again and again since 09:53:00 or before (7m12s): 2 times, never ready for 10m between")
    );
}

#[test]
fn an_object_says_what_fails_among_those_that_it_owns() {
    let mut page = PageRig::live("/v/deployments.apps");
    for (pod, owner) in [("shop/web-1", "ReplicaSet/web-a"), ("shop/web-2", "ReplicaSet/web-a")] {
        page.gateway.owners.insert(pod.to_owned(), owner.to_owned());
    }
    page.gateway.owners.insert("shop/web-a".to_owned(), "Deployment/web".to_owned());
    let unscheduled = ".status.conditions[?(@.type==\"PodScheduled\")].message".to_owned();
    let nodes = "0/8 nodes are available: 7 Insufficient cpu.".to_owned();
    page.gateway.fields.insert((unscheduled, "shop/web-1".to_owned()), nodes.clone());
    page.object("deployments.apps", "shop/web", deployment("10", 2));
    page.put("replicasets.apps", "shop/web-a 2 2 0");
    page.put("pods", "shop/web-2 1/1 Running 0");
    page.put("pods", "shop/web-1 0/1 CrashLoopBackOff 5");
    page.put("pods", "shop/cart-1 0/1 CrashLoopBackOff 5");
    page.go("/v/deployments.apps@kind/*?o=shop/web");
    page.seconds(1);
    let Some(Strip::Now(why)) = page.page.panel().strip.clone() else { panic!("a pod of it fails") };
    assert_eq!((why.reason.as_str(), why.message), ("1 Pod CrashLoopBackOff", nodes), "and no other's");
    page.put("pods", "shop/web-1 1/1 Running 5");
    page.put("deployments.apps", "shop/web 2/2");
    page.seconds(1);
    let strip = page.page.panel().strip.clone();
    assert!(matches!(strip, Some(Strip::Before(_))), "{strip:?}");
}

#[test]
fn the_row_of_an_event_opens_the_object_that_it_is_about() {
    let mut page = PageRig::live("/v/events@kind/*");
    for (row, object) in [("a", "pod/web-1"), ("b", "node/node-1"), ("c", "gadget/x")] {
        page.put("events", &format!("shop/{row} Warning BackOff {object} Back-off_restarting"));
    }
    page.object("pods", "shop/web-1", crashing());
    let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "a", "namespace": "shop", "uid": "e1"},
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": "web-1"}, "type": "Warning",
        "reason": "BackOff", "message": "Back-off restarting", "count": 812, "firstTimestamp": "2026-01-01T09:00:00Z",
        "lastTimestamp": "2026-01-01T09:59:00Z", "source": {"component": "kubelet", "host": "node-1"}});
    page.object("events", "shop/a", event);
    let open = |page: &mut PageRig, row: &str| {
        let row = page.gateway.row("events", row).id.to_string();
        page.act(PanelAction::Open { row: Some(row), key: None });
        page.seconds(1);
    };
    open(&mut page, "shop/a");
    assert_eq!(page.address, "/v/events@kind/*?o=pods/shop/web-1");
    let panel = page.page.panel();
    assert_eq!(panel.head.clone().expect("open").kind, "Pod in shop");
    assert!(panel.strip.is_some());
    let events =
        panel.events.events.iter().map(|event| event.href.clone().expect("a way to the Event itself"));
    assert_eq!(events.take(1).collect::<Vec<_>>(), ["/v/events@kind/shop?o=shop/a"]);
    open(&mut page, "shop/b");
    assert_eq!(page.address, "/v/events@kind/*?o=nodes/-/node-1");
    open(&mut page, "shop/c");
    assert_eq!(page.address, "/v/events@kind/*?o=shop/c", "no kind of that name is served: the Event itself");
    page.go("/v/events@kind/shop?o=shop/a");
    page.seconds(1);
    let panel = page.page.panel();
    let said: Vec<String> =
        panel.overview.facts.iter().map(|fact| format!("{}: {}", fact.label, fact.value)).collect();
    for expected in [
        "Object: Pod web-1 in shop",
        "Message: Back-off restarting",
        "Reason: BackOff",
        "Count: 812",
        "First seen: 09:00:00, 60m ago",
        "Source: kubelet",
        "Source host: node-1",
    ] {
        assert!(said.iter().any(|fact| fact == expected), "{expected} isn't among {said:#?}");
    }
    let object = panel.overview.facts.iter().find(|fact| fact.label == "Object").expect("its object");
    assert_eq!(object.href.as_deref(), Some("/v/pods@kind/shop?o=shop/web-1"));
    assert!(panel.events.note.is_empty() && panel.events.events.is_empty(), "an Event has no Events");
    page.go("/v/events@kind/shop?o=gizmos.example.org/shop/x");
    page.seconds(1);
    assert!(page.page.panel().head.is_some(), "a kind that isn't served is said, not passed over");
}

#[test]
fn with_the_panel_open_keys_walk_from_object_to_object() {
    let mut page = PageRig::live("/v/pods@kind/*");
    page.go("/v/pods@kind/*?o=ledger/db-0&tab=yaml");
    page.seconds(1);
    page.effects();
    page.panel_keys(&["j"]);
    assert_eq!(page.address, "/v/pods@kind/*?o=shop/cart-1&tab=yaml", "the tab stays");
    let (head, focus) = (page.page.panel().head.clone().expect("open"), page.page.panel().focus);
    assert_eq!(focus.1, head.generation, "the new panel takes the focus that the former one had");
    page.panel_keys(&["ArrowDown"]);
    page.panel_keys(&["j"]);
    assert_eq!(page.address, "/v/pods@kind/*?o=shop/web-1&tab=yaml", "the last row is the last");
    assert!(
        page.effects().iter().all(|effect| !effect.starts_with("push")),
        "no entry of the history for each"
    );
    page.panel_keys(&["k"]);
    page.seconds(1);
    assert_eq!(page.page.panel().tab, Tab::Yaml);
    page.key(Key::Up);
    assert_eq!(page.address, "/v/pods@kind/*?o=ledger/db-0&tab=yaml", "in the rows too");
    page.gateway.take_asked();
    page.keys(&["j", "j"]);
    page.keys(&["k", "j"]);
    assert_eq!(
        page.gateway.take_asked(),
        Vec::<String>::new(),
        "nothing is asked for while keys follow quickly"
    );
    page.seconds(1);
    assert!(page.gateway.take_asked().iter().any(|asked| asked.starts_with("object of pods")));
    page.act(PanelAction::Close);
    page.keys(&["k"]);
    assert!(page.page.panel().head.is_none(), "without a panel a key opens none");
}

#[test]
fn escape_closes_the_panel_also_before_the_object_that_a_key_walked_to_was_asked_for() {
    let mut page = PageRig::live("/v/pods@kind/*");
    page.go("/v/pods@kind/*?o=ledger/db-0&tab=timeline");
    page.object("pods", "ledger/db-0", pod());
    page.panel_keys(&["d"]);
    assert!(page.page.panel().comparison.is_some());
    page.panel_keys(&["j"]);
    assert_eq!(page.address, "/v/pods@kind/*?o=shop/cart-1&tab=timeline");
    page.panel_keys(&["Escape"]);
    assert_eq!(page.address, "/v/pods@kind/*", "the comparison was the former object's");
}
