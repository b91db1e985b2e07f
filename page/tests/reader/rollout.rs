//! A workload in rollout: from which version to which, how many pods are new, and what it waits for.

use page::status::Class;
use page::tab::overview::rollout::{Hold, PodPart, RolloutModel};
use page::testing::PageRig;
use serde_json::{Value, json};

const REVISION: &str = ".metadata.annotations['deployment.kubernetes.io/revision']";
const IS_READY: &str = ".status.conditions[?(@.type==\"Ready\")].status";
const PHASE: &str = ".status.phase";

fn deployment(replicas: [i64; 3], progressing: [&str; 2]) -> Value {
    let [wanted, all, updated] = replicas;
    let [status, reason] = progressing;
    json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "uid": "d1", "resourceVersion": "10", "generation": 2,
            "annotations": {"deployment.kubernetes.io/revision": "7"}},
        "spec": {"replicas": wanted, "template": {"spec": {"containers": [{"name": "app", "image": "r.example/shop/web:v2"}]}}},
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

/// Four pods are wanted. Of the new revision one is ready and two start, of the old one two are there.
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
    page.put("deployments.apps", "shop/web 4/4");
    page.object("deployments.apps", "shop/web", deployment([4, 4, 4], ["True", "NewReplicaSetAvailable"]));
    page.seconds(1);
    let rollout = shown(&page);
    assert_eq!(rollout.status, Some((Class::Done, "Complete".to_owned())));
    assert_eq!((&*rollout.old, &*rollout.new), ("web:v1", "v2"));
    assert!(rollout.since.starts_with("ended 09:59:00, "), "{}", rollout.since);
    assert_eq!((legend(&page), held(&page)), ("4 ready".to_owned(), String::new()));
    assert_eq!(page.page.panel().tree[0].former.len(), 2);
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
