//! A workload in rollout: from which version to which, how many pods are new, and what it waits for.

use page::action::TimelineAction;
use page::detail::history::{Body, Filter, Item};
use page::status::Class;
use page::tab::overview::rollout::{Hold, PodPart, RolloutModel};
use page::testing::PageRig;
use page::{Environment, Host};
use replica::client::Input;
use serde_json::{Value, json};

const REVISION: &str = ".metadata.annotations['deployment.kubernetes.io/revision']";
const USED_BEFORE: &str = ".metadata.annotations['deployment.kubernetes.io/revision-history']";
const IS_READY: &str = ".status.conditions[?(@.type==\"Ready\")].status";
const PHASE: &str = ".status.phase";

fn deployment(replicas: [i64; 3], progressing: [&str; 2]) -> Value {
    let [wanted, all, updated] = replicas;
    let [status, reason] = progressing;
    json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "uid": "d1", "resourceVersion": "10", "generation": 2,
            "annotations": {"deployment.kubernetes.io/revision": "7"}},
        "spec": {"replicas": wanted, "selector": {"matchLabels": {"app": "web"}}, "template": {"spec": {"containers": [{"name": "app", "image": "r.example/shop/web:v2"}]}}},
        "status": {"observedGeneration": 2, "replicas": all, "updatedReplicas": updated, "conditions": [
            {"type": "Progressing", "status": status, "reason": reason, "message": "late", "lastUpdateTime": "2026-01-01T09:59:00Z"}]}})
}

fn field(page: &mut PageRig, path: &str, row: &str, value: &str) {
    page.gateway.fields.insert((path.to_owned(), format!("shop/{row}")), value.to_owned());
}

fn set(page: &mut PageRig, name: &str, revision: &str, pods: u32) {
    page.gateway.owners.insert(format!("shop/{name}"), "Deployment/web".to_owned());
    field(page, REVISION, name, revision);
    let images = if revision == "7" { "r.example/shop/web:v2" } else { "r.example/shop/web:v1" };
    page.put("replicasets.apps", &format!("shop/{name} {pods} {pods} {pods} app {images}"));
}

fn pod(page: &mut PageRig, name: &str, owner: &str, cells: &str, is_ready: &str) {
    page.gateway.owners.insert(format!("shop/{name}"), format!("ReplicaSet/{owner}"));
    field(page, IS_READY, name, is_ready);
    field(page, PHASE, name, "Running");
    page.put("pods", &format!("shop/{name} {cells} 0"));
}

/// Four pods are wanted. The new revision has one that is ready and two that start, the old one has two.
fn rolling() -> PageRig {
    let mut page = PageRig::live("/v/deployments.apps");
    page.object("deployments.apps", "shop/web", deployment([4, 5, 3], ["True", "ReplicaSetUpdated"]));
    for (name, revision, pods) in [("web-a", "5", 0), ("web-b", "6", 2), ("web-c", "7", 3)] {
        set(&mut page, name, revision, pods);
    }
    pod(&mut page, "web-b-1", "web-b", "1/1 Running", "True");
    pod(&mut page, "web-b-2", "web-b", "1/1 Running", "True");
    pod(&mut page, "web-c-1", "web-c", "1/1 Running", "True");
    pod(&mut page, "web-c-2", "web-c", "0/1 ContainerCreating", "False");
    pod(&mut page, "web-c-3", "web-c", "0/1 ContainerCreating", "False");
    page.go("/v/deployments.apps@kind/*?o=shop/web");
    page.seconds(1);
    page
}

fn shown(page: &PageRig) -> RolloutModel {
    page.page.panel().rollout.as_ref().clone().expect("a workload")
}

fn legend(page: &PageRig) -> String {
    let entries = shown(page).legend;
    entries.iter().map(|(_, count, word)| format!("{count} {word}")).collect::<Vec<_>>().join("; ")
}

fn held(page: &PageRig) -> String {
    let Some(Hold { before, pod, after }) = shown(page).hold else { return String::new() };
    let pod = pod.map(|((start, end), href)| format!(" {start}{end} <{}>", href.unwrap_or_default()));
    format!("{before}{}{after}", pod.unwrap_or_default())
}

#[test]
fn a_rollout_says_its_versions_its_pods_and_what_it_waits_for() {
    let mut page = rolling();
    let rollout = shown(&page);
    assert_eq!(rollout.status, Some((Class::Busy, "Rolling out".to_owned())));
    assert_eq!((&*rollout.old, &*rollout.new, &*rollout.revisions), ("web:v1", "v2", "revision 6 → 7"));
    assert_eq!(legend(&page), "1 new, ready; 2 new, starting; 2 old");
    let parts: Vec<PodPart> = rollout.parts.iter().map(|(part, ..)| *part).collect();
    use PodPart::{Old, Ready, Starting};
    assert_eq!(parts, [Ready, Starting, Starting, Old, Old], "one for each pod");
    let waits = "Waits for web-c-2 </v/pods@kind/shop?o=shop/web-c-2>: ContainerCreating, and 1 more";
    assert_eq!(held(&page), waits);
    let tree = &page.page.panel().tree[0];
    let names: Vec<String> = tree.rows.iter().map(|row| format!("{}{}", row.name.0, row.name.1)).collect();
    assert_eq!(names, ["web-c", "web-c-1", "web-c-2", "web-c-3", "web-b", "web-b-1", "web-b-2"]);
    assert_eq!(tree.former.len(), 1, "a revision without pods is folded");

    pod(&mut page, "web-c-3", "web-c", "0/1 ImagePullBackOff", "False");
    page.seconds(1);
    assert_eq!(shown(&page).status, Some((Class::Bad, "Stuck".to_owned())));
    assert_eq!(legend(&page), "1 new, ready; 1 new, starting; 1 new, not ready; 2 old");
    assert_eq!(held(&page), "Blocked by web-c-3 </v/pods@kind/shop?o=shop/web-c-3>: ImagePullBackOff");

    field(&mut page, PHASE, "web-c-3", "Failed");
    page.put("pods", "shop/web-c-3 0/1 Evicted 0");
    page.seconds(1);
    assert_eq!(legend(&page), "1 new, ready; 1 new, starting; 2 old", "its controller doesn't count it");
}

fn title(page: &mut PageRig) -> String {
    page.seconds(1);
    let effects = page.effects().into_iter();
    let titles = effects.filter_map(|effect| effect.strip_prefix("title ").map(str::to_owned));
    titles.fold(String::new(), |_, title| title)
}

#[test]
fn the_title_says_how_far_the_rollout_of_the_open_object_is() {
    let mut page = rolling();
    assert_eq!(title(&mut page), "◐ 1/4 web · deployments.apps · kind · Dogwatch (Rollout)");
    pod(&mut page, "web-c-2", "web-c", "1/1 Running", "True");
    assert_eq!(title(&mut page), "◐ 2/4 web · deployments.apps · kind · Dogwatch (Rollout)");
    pod(&mut page, "web-c-3", "web-c", "0/1 ImagePullBackOff", "False");
    assert_eq!(title(&mut page), "✗ 2/4 web · deployments.apps · kind · Dogwatch (Failing)");
    let mut paused = deployment([4, 5, 3], ["Unknown", "DeploymentPaused"]);
    paused["spec"]["paused"] = json!(true);
    page.object("deployments.apps", "shop/web", paused);
    assert_eq!(
        title(&mut page),
        "✗ 1 · web · deployments.apps · kind · Dogwatch (Failing)",
        "it is held on purpose"
    );
}

#[test]
fn a_hidden_page_follows_a_rollout_to_its_end() {
    let mut page = rolling();
    page.seconds(1);
    let now = page.now();
    page.page.handle(Input::Hidden, now);
    page.seconds(120);
    pod(&mut page, "web-c-2", "web-c", "1/1 Running", "True");
    assert_eq!(title(&mut page), "◐ 2/4 web · deployments.apps · kind · Dogwatch (Rollout)");
    for name in ["web-c-3", "web-c-4"] {
        pod(&mut page, name, "web-c", "1/1 Running", "True");
    }
    for gone in ["web-b-1", "web-b-2"] {
        page.delete("pods", &format!("shop/{gone}"));
    }
    page.object("deployments.apps", "shop/web", deployment([4, 4, 4], ["True", "NewReplicaSetAvailable"]));
    assert!(!title(&mut page).contains('◐'), "it ended");
    page.seconds(1);
    assert!(page.gateway.subscriptions().is_empty(), "{:?}", page.gateway.subscriptions());
}

#[test]
fn until_its_controller_has_seen_a_new_template_all_pods_are_old() {
    let mut page = rolling();
    let mut object = deployment([4, 4, 4], ["True", "NewReplicaSetAvailable"]);
    object["metadata"]["generation"] = json!(3);
    object["spec"]["template"]["spec"]["containers"][0]["image"] = json!("r.example/shop/web:v3");
    page.object("deployments.apps", "shop/web", object);
    page.seconds(1);
    let rollout = shown(&page);
    assert_eq!(rollout.status, Some((Class::Busy, "Not begun".to_owned())));
    assert_eq!((&*rollout.old, &*rollout.new), ("web:v2", "v3"));
    assert_eq!(legend(&page), "0 new, ready; 0 new, starting; 5 old");
    assert_eq!(held(&page), "The controller hasn't observed generation 3 yet");
}

#[test]
fn a_rollout_that_ended_says_when_and_keeps_its_versions() {
    let mut page = rolling();
    for pod_name in ["web-c-2", "web-c-3", "web-c-4"] {
        pod(&mut page, pod_name, "web-c", "1/1 Running", "True");
    }
    for gone in ["web-b-1", "web-b-2"] {
        page.delete("pods", &format!("shop/{gone}"));
    }
    set(&mut page, "web-b", "6", 0);
    set(&mut page, "web-c", "7", 4);
    page.put("deployments.apps", "shop/web 4/4");
    page.object("deployments.apps", "shop/web", deployment([4, 4, 4], ["True", "NewReplicaSetAvailable"]));
    page.seconds(1);
    let rollout = shown(&page);
    assert_eq!(rollout.status, Some((Class::Done, "Complete".to_owned())));
    assert_eq!((&*rollout.old, &*rollout.new), ("web:v1", "v2"));
    assert!(rollout.since.starts_with("ended 09:59:00, 62s ago, took 23h"), "{}", rollout.since);
    assert_eq!((legend(&page), held(&page)), ("4 ready".to_owned(), String::new()));
    assert_eq!(page.page.panel().tree[0].former.len(), 2);
    // Its ReplicaSet was made in the second in which it ended, as by a restore.
    let mut ended = deployment([4, 4, 4], ["True", "NewReplicaSetAvailable"]);
    ended["status"]["conditions"][0]["lastUpdateTime"] = json!("2025-12-31T10:00:01Z");
    page.object("deployments.apps", "shop/web", ended);
    page.seconds(1);
    let since = shown(&page).since;
    assert!(since.starts_with("ended 2025-12-31 10:00:01, ") && !since.contains("took"), "{since}");
}

#[test]
fn a_replicaset_that_is_used_again_does_not_say_when_its_rollout_began() {
    let mut page = rolling();
    assert!(shown(&page).since.starts_with("since "), "{}", shown(&page).since);
    field(&mut page, USED_BEFORE, "web-c", "3,5");
    set(&mut page, "web-c", "7", 3);
    page.seconds(1);
    assert!(shown(&page).since.starts_with("first new pod "), "{}", shown(&page).since);
    for gone in ["web-b-1", "web-b-2"] {
        page.delete("pods", &format!("shop/{gone}"));
    }
    page.put("deployments.apps", "shop/web 3/3");
    page.object("deployments.apps", "shop/web", deployment([3, 3, 3], ["True", "NewReplicaSetAvailable"]));
    page.seconds(1);
    let since = shown(&page).since;
    assert!(since.starts_with("ended 09:59:00, ") && !since.contains("took"), "{since}");
}

#[test]
fn pods_that_end_stand_below_their_replicaset_though_it_counts_them_no_more() {
    let mut page = rolling();
    set(&mut page, "web-b", "6", 0);
    page.seconds(1);
    let tree = &page.page.panel().tree[0];
    let names: Vec<String> = tree.rows.iter().map(|row| format!("{}{}", row.name.0, row.name.1)).collect();
    assert!(names.ends_with(&["web-b", "web-b-1", "web-b-2"].map(str::to_owned)), "{names:?}");
    assert_eq!(tree.former.len(), 1);
}

#[test]
fn a_stateful_sets_pods_are_old_or_new_by_their_revision_or_else_by_their_images() {
    let mut page = PageRig::before("/v/pods", Host::Dogwatch, Environment::default());
    page.gateway.serves_stateful_sets();
    page.start();
    let set = |update: &str, partition: i64| {
        json!({"apiVersion": "apps/v1", "kind": "StatefulSet",
            "metadata": {"name": "db", "namespace": "shop", "uid": "s1", "resourceVersion": "10", "generation": 2},
            "spec": {"replicas": 2, "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": partition}},
                "template": {"spec": {"containers": [{"name": "db", "image": "pg:17"}]}}},
            "status": {"observedGeneration": 2, "replicas": 2, "readyReplicas": 2, "updatedReplicas": 1,
                "currentRevision": "db-a", "updateRevision": update}})
    };
    page.put("statefulsets.apps", "shop/db 2/2");
    page.object("statefulsets.apps", "shop/db", set("db-b", 1));
    for (name, revision, images) in [("db-0", "db-a", "pg:16,mesh:1"), ("db-1", "db-b", "pg:17,mesh:1")] {
        page.gateway.owners.insert(format!("shop/{name}"), "StatefulSet/db".to_owned());
        field(&mut page, ".metadata.labels['controller-revision-hash']", name, revision);
        field(&mut page, ".spec.containers[*].image", name, images);
        field(&mut page, IS_READY, name, "True");
        page.put("pods", &format!("shop/{name} 1/1 Running 0"));
    }
    page.go("/v/statefulsets.apps@kind/*?o=shop/db");
    page.seconds(1);
    let rollout = shown(&page);
    assert_eq!(rollout.status, Some((Class::Idle, "Held at partition 1".to_owned())));
    assert_eq!((&*rollout.old, &*rollout.new), ("pg:16", "17"));
    assert_eq!(legend(&page), "1 new, ready; 0 new, starting; 1 old");
    assert_eq!(held(&page), "1 pod below the partition keeps the old revision");
    let mut without = set("db-b", 0);
    without["status"].as_object_mut().expect("a status").retain(|key, _| !key.ends_with("Revision"));
    page.object("statefulsets.apps", "shop/db", without);
    page.seconds(1);
    assert_eq!(shown(&page).status, Some((Class::Busy, "Rolling out".to_owned())));
    assert_eq!(legend(&page), "1 new, ready; 0 new, starting; 1 old");
}

#[test]
fn a_rollout_whose_pods_may_not_be_listed_has_the_workloads_own_counts() {
    let mut page = PageRig::live("/v/deployments.apps");
    page.object("deployments.apps", "shop/web", deployment([4, 5, 3], ["True", "ReplicaSetUpdated"]));
    page.gateway.refused.insert(
        "replicasets.apps".to_owned(),
        shared::problem::Problem::new(shared::problem::Reason::Forbidden, "no"),
    );
    page.go("/v/deployments.apps@kind/*?o=shop/web");
    page.seconds(1);
    assert!(shown(&page).parts.is_empty());
    assert_eq!(held(&page), "3 of 4 updated, 0 ready; its pods aren't available");
    page.object("pods", "shop/web-1", crate::panel::pod());
    page.go("/v/pods@kind/*?o=shop/web-1");
    page.seconds(1);
    assert_eq!(**page.page.panel().rollout, None, "a pod doesn't roll out");
}

/// Each item of the timeline in one line, with the steps of a story below it.
fn timeline(page: &PageRig) -> Vec<String> {
    fn lines(items: &[std::sync::Arc<Item>], indent: &str, into: &mut Vec<String>) {
        for item in items {
            let of =
                item.subject.as_ref().map_or_else(String::new, |of| format!("{} {}: ", of.kind, of.name));
            match &item.body {
                Body::Change { headline, .. } => into.push(format!("{indent}{of}{}", headline.text())),
                Body::Event { headline } => into.push(format!("{indent}{of}Event {}", headline.text())),
                Body::Gap { bold, .. } => into.push(format!("{indent}{bold}")),
                Body::Story(story) => {
                    into.push(format!("{indent}{of}{} ({})", story.headline.text(), story.steps));
                    lines(&story.items, "  ", into);
                }
            }
        }
    }
    let mut said = Vec::new();
    let timeline = page.page.panel().timeline.clone();
    lines(&timeline.items, "", &mut said);
    lines(&timeline.before, "before: ", &mut said);
    said
}

fn change(version: &str, fields: Value) -> Value {
    let path = fields[0]["path"].as_str().unwrap_or_default();
    let area = path.split('/').nth(1).expect("an area").to_owned();
    json!({"type": "MODIFIED", "resource_version": version, "changed": [area], "fields": fields,
        "context": {"/status/conditions/0/type": "Progressing"},
        "writers": [{"manager": "kubectl-set", "operation": "Update"}]})
}

/// The Deployment's next version, and its entry.
fn write(page: &mut PageRig, version: &str, mut object: Value, fields: Value) {
    object["metadata"]["resourceVersion"] = json!(version);
    page.object("deployments.apps", "shop/web", object);
    page.log("deployments.apps", "shop/web", change(version, fields));
}

const IMAGE: &str = "/spec/template/spec/containers/0/image";
const REASON: &str = "/status/conditions/0/reason";

fn became(path: &str, old: &str, new: &str) -> Value {
    json!([{"path": path, "old": old, "new": new, "by": 0}])
}

#[test]
fn a_rollout_is_one_entry_in_words_with_all_that_happened_below_it() {
    let mut page = rolling();
    page.go("/v/deployments.apps@kind/*?o=shop/web&tab=timeline");
    page.seconds(1);
    assert_eq!(timeline(&page), Vec::<String>::new(), "it went on before, and nothing was seen of it");
    let rolls = || deployment([4, 4, 1], ["True", "ReplicaSetUpdated"]);
    write(&mut page, "11", rolls(), became(IMAGE, "r.example/shop/web:v1", "r.example/shop/web:v2"));
    page.log("replicasets.apps", "shop/web-c", json!({"type": "ADDED", "resource_version": "12"}));
    page.log("pods", "shop/web-c-1", json!({"type": "ADDED", "resource_version": "13"}));
    page.log("pods", "shop/cart-1", json!({"type": "ADDED", "resource_version": "13"}));
    page.seconds(3);
    assert_eq!(timeline(&page)[0], "Rollout to web:v2, 1 of 4 so far (3 changes)");
    page.put("events", "shop/a Normal Created pod/web-c-1 Created_container");
    page.log(
        "pods",
        "shop/web-b-1",
        change("14", json!([{"path": "/metadata/deletionTimestamp", "new": "2026-01-01T10:00:00Z"}])),
    );
    page.seconds(1);
    let label = json!({"type": "MODIFIED", "resource_version": "14", "changed": ["spec"],
        "fields": [{"path": "/spec/minReadySeconds", "old": 0, "new": 5}]});
    page.log("deployments.apps", "shop/web", label);
    page.seconds(10);
    let ended = || {
        let mut object = deployment([4, 4, 4], ["True", "NewReplicaSetAvailable"]);
        object["status"]["readyReplicas"] = json!(4);
        object
    };
    write(&mut page, "15", ended(), became(REASON, "ReplicaSetUpdated", "NewReplicaSetAvailable"));
    page.seconds(5);
    // An old pod that ends after the rollout belongs to it; a new one that fails doesn't.
    page.log("pods", "shop/web-b-1", json!({"type": "DELETED", "resource_version": "16"}));
    page.log("pods", "shop/web-c-1", change("17", became("/status/phase", "Running", "Failed")));
    page.seconds(1);
    let mut scaled = ended();
    scaled["spec"]["replicas"] = json!(5);
    write(&mut page, "18", scaled, json!([{"path": "/spec/replicas", "old": 4, "new": 5, "by": 0}]));
    page.seconds(1);
    let expected = [
        "Scaled 4 → 5",
        "Pod …-c-1: Running → Failed",
        "Rollout to web:v2, 14s, 4 of 4 (6 changes)",
        "  Pod …-b-1: Deleted",
        "  Progressing ReplicaSetUpdated → NewReplicaSetAvailable",
        "  Pod …-b-1: Deletion began",
        "  Pod …-c-1: Created",
        "  ReplicaSet …-c: Created",
        "  Image r.example/shop/web:v1 → r.example/shop/web:v2",
        "spec.minReadySeconds 0 → 5",
    ];
    let said = timeline(&page);
    assert_eq!(
        said.iter().filter(|line| !line.contains("Event ")).collect::<Vec<_>>(),
        expected.iter().collect::<Vec<_>>()
    );
    assert!(
        said.iter().any(|line| line == "before: Pod …-c-1: Event Created Created container"),
        "{said:#?}"
    );
    page.act(TimelineAction::Filter(Filter::Spec));
    page.seconds(1);
    assert_eq!(timeline(&page).len(), 3, "a filter has the object's own changes, each by itself");
    page.act(TimelineAction::Filter(Filter::All));
    page.act(TimelineAction::Words);
    page.seconds(1);
    assert_eq!(timeline(&page).len(), 4);
}

#[test]
fn a_rollout_that_another_one_replaces_says_so_and_a_stuck_one_too() {
    let mut page = rolling();
    page.go("/v/deployments.apps@kind/*?o=shop/web&tab=timeline");
    page.seconds(1);
    let rolls = || deployment([4, 5, 1], ["True", "ReplicaSetUpdated"]);
    write(&mut page, "11", rolls(), became(IMAGE, "web:v1", "web:v2"));
    page.seconds(30);
    write(&mut page, "12", rolls(), became(IMAGE, "web:v2", "web:v3"));
    page.seconds(1);
    write(
        &mut page,
        "13",
        deployment([4, 5, 1], ["False", "ProgressDeadlineExceeded"]),
        became(REASON, "ReplicaSetUpdated", "ProgressDeadlineExceeded"),
    );
    page.seconds(1);
    let said: Vec<String> = timeline(&page).into_iter().filter(|line| line.starts_with("Rollout")).collect();
    let expected = [
        "Rollout to web:v3, stuck at 1 of 4 (2 changes)",
        "Rollout to web:v2, replaced by another after 30s (1 change)",
    ];
    assert_eq!(said, expected);
}

#[test]
fn what_becomes_of_one_pod_in_a_minute_is_one_entry_named_after_the_worst_of_it() {
    let mut page = rolling();
    let settled = deployment([4, 4, 4], ["True", "NewReplicaSetAvailable"]);
    page.object("deployments.apps", "shop/web", settled);
    page.go("/v/deployments.apps@kind/*?o=shop/web&tab=timeline");
    page.seconds(1);
    let fails =
        json!([{"path": "/status/containerStatuses/0/state/waiting", "new": {"reason": "CrashLoopBackOff"}}]);
    for (fields, seconds) in [
        (
            json!([{"path": "/status/containerStatuses/0/state/terminated", "new": {"exitCode": 137, "reason": "OOMKilled"}}]),
            10,
        ),
        (fails, 10),
        (json!([{"path": "/status/containerStatuses/0/state/running", "new": {"startedAt": "x"}}]), 61),
        (json!([{"path": "/metadata/labels/a", "new": "b"}]), 1),
    ] {
        page.log("pods", "shop/web-c-1", change("20", fields));
        page.seconds(seconds);
    }
    let said = timeline(&page);
    assert_eq!(
        said[..2],
        ["Pod …-c-1: Label a set to b", "Pod …-c-1: CrashLoopBackOff (3 changes)"],
        "{said:#?}"
    );
}
