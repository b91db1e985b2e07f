//! The fleet over thousands of changes, with a clock that the test moves: nothing is left behind,
//! nothing grows for ever, and the statuses count what is there.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::context::{controller, is_active, is_terminating, is_true, name_of, namespace_of};
use super::driver::apply;
use super::kinds::resource_of;
use super::recorder::EVENTS_MAX;
use super::{Change, Fleet, Mutation, Size};
use crate::cluster::State;
use crate::json::{flag, int, list, text};
use crate::resource::GroupResource;

const START_S: i64 = 1_780_000_000;

struct Run {
    state: State,
    fleet: Fleet,
    steps: i64,
}

impl Run {
    fn new(seed: u64, objects: usize) -> Self {
        let state = State::new(0, crate::limits::HISTORY_BYTES_MAX);
        let mut run = Self { state, fleet: Fleet::new(seed, Size { objects, pod_bytes: 0 }), steps: 0 };
        run.fleet.populate(&mut run.state, START_S);
        run.state.store.compact(None);
        run
    }

    fn now_s(&self) -> i64 {
        START_S + self.steps / 3
    }

    /// The answer: did anything change?
    fn step(&mut self) -> bool {
        self.steps += 1;
        let next = self.fleet.step(&self.state.store, self.now_s());
        let has_next = next.is_some();
        if let Some(mutation) = next {
            self.person(mutation);
        }
        has_next
    }

    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            assert!(self.step(), "the story ended after {} steps", self.steps);
        }
    }

    /// Lets the components finish what is begun, and nothing new begin.
    fn rest(&mut self) {
        let mut last = Vec::new();
        for _ in 0..2_000 {
            self.steps += 1;
            let Some(mutation) = self.fleet.next(&self.state.store, self.now_s(), false) else {
                return;
            };
            last.truncate(20);
            last.insert(0, format!("{mutation:?}"));
            self.person(mutation);
        }
        panic!("the components go on for ever: {last:#?}");
    }

    fn person(&mut self, mutation: Mutation) {
        let now_s = self.now_s();
        apply(&mut self.state, mutation, now_s);
    }

    fn all(&self, resource: &str) -> Vec<Value> {
        self.state
            .store
            .objects(&GroupResource::of(resource), "")
            .iter()
            .map(|object| object.value())
            .collect()
    }

    fn get(&self, resource: &str, namespace: &str, name: &str) -> Option<Value> {
        let key = crate::store::key_of(namespace, name);
        self.state.store.get(&GroupResource::of(resource), &key).map(|object| object.value())
    }

    fn resources(&self) -> Vec<String> {
        let names: BTreeSet<String> = self.state.catalog.all().iter().map(|kind| kind.qualified()).collect();
        names.into_iter().collect()
    }

    fn text(&self) -> String {
        let all = self.resources().into_iter().flat_map(|resource| self.all(&resource));
        all.map(|object| format!("{object}\n")).collect()
    }

    fn check(&self) {
        self.no_object_is_an_orphan();
        self.conditions_name_their_object();
        self.counts_are_true();
        self.endpoints_are_the_pods();
        self.pods_are_where_nodes_are();
    }

    /// The condition of a rollout names what rolls out.
    fn conditions_name_their_object(&self) {
        for object in self.all("deployments.apps") {
            let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
            for condition in conditions.into_iter().flatten() {
                let message = text(condition, "/message");
                assert!(!message.contains("\"\""), "{}: {message}", name_of(&object));
            }
        }
    }

    fn no_object_is_an_orphan(&self) {
        for resource in self.resources() {
            for object in self.all(&resource) {
                let Some(owner) = controller(&object) else { continue };
                let kind = resource_of(text(owner, "/kind")).expect("a known kind");
                let found = self.get(kind, namespace_of(&object), text(owner, "/name"));
                let uid = found.as_ref().map(|found| text(found, "/metadata/uid"));
                assert_eq!(uid, Some(text(owner, "/uid")), "the owner of {resource} {}", name_of(&object));
            }
        }
    }

    fn owned(&self, resource: &str, owner: &Value) -> Vec<Value> {
        let uid = text(owner, "/metadata/uid");
        let mut all = self.all(resource);
        all.retain(|object| controller(object).is_some_and(|found| text(found, "/uid") == uid));
        all
    }

    fn counts_are_true(&self) {
        for set in self.all("replicasets.apps") {
            let mut pods = self.owned("pods", &set);
            pods.retain(is_active);
            let ready = pods.iter().filter(|pod| is_true(pod, "Ready")).count() as i64;
            let count = pods.len() as i64;
            let found = (
                int(&set, "/spec/replicas"),
                int(&set, "/status/replicas"),
                int(&set, "/status/readyReplicas"),
            );
            assert_eq!(found, (count, count, ready), "set {}", name_of(&set));
        }
        for whole in ["deployments.apps", "rollouts.argoproj.io"].iter().flat_map(|kind| self.all(kind)) {
            let sets = self.owned("replicasets.apps", &whole);
            for field in ["/status/replicas", "/status/readyReplicas", "/status/availableReplicas"] {
                let sum: i64 = sets.iter().map(|set| int(set, field)).sum();
                assert_eq!(int(&whole, field), sum, "{field} of {}", name_of(&whole));
            }
        }
        for (resource, field, all) in [
            ("statefulsets.apps", "/status/readyReplicas", "/status/replicas"),
            ("daemonsets.apps", "/status/numberReady", "/status/currentNumberScheduled"),
        ] {
            for whole in self.all(resource) {
                let pods = self.owned("pods", &whole);
                let ready = pods.iter().filter(|pod| is_serving(pod)).count() as i64;
                let found = (int(&whole, field), int(&whole, all));
                assert_eq!(found, (ready, pods.len() as i64), "{}", name_of(&whole));
            }
        }
    }

    fn endpoints_are_the_pods(&self) {
        let mut slices = 0;
        for slice in self.all("endpointslices.discovery.k8s.io") {
            let service = text(&slice, "/metadata/labels/kubernetes.io~1service-name");
            let service = self.get("services", namespace_of(&slice), service).expect("its service");
            let app = text(&service, "/spec/selector/app");
            let mut pods = self.all("pods");
            pods.retain(|pod| {
                namespace_of(pod) == namespace_of(&slice)
                    && text(pod, "/metadata/labels/app") == app
                    && !text(pod, "/status/podIP").is_empty()
                    && (is_active(pod) || is_terminating(pod))
            });
            let expected: BTreeMap<&str, bool> =
                pods.iter().map(|pod| (text(pod, "/status/podIP"), is_serving(pod))).collect();
            let found: BTreeMap<&str, bool> = list(&slice, "/endpoints")
                .iter()
                .map(|found| (text(found, "/addresses/0"), flag(found, "/conditions/ready")))
                .collect();
            assert_eq!(found, expected, "endpoints of {}", name_of(&service));
            let older =
                self.get("endpoints", namespace_of(&service), name_of(&service)).expect("its Endpoints");
            pods.retain(|pod| !is_terminating(pod));
            for (field, is_ready) in [("addresses", true), ("notReadyAddresses", false)] {
                let found: BTreeSet<&str> = list(&older, &format!("/subsets/0/{field}"))
                    .iter()
                    .map(|found| text(found, "/ip"))
                    .collect();
                let pods = pods.iter().filter(|pod| is_true(pod, "Ready") == is_ready);
                let expected: BTreeSet<&str> = pods.map(|pod| text(pod, "/status/podIP")).collect();
                assert_eq!(found, expected, "{field} of {}", name_of(&service));
            }
            slices += 1;
        }
        assert_eq!(slices, self.all("services").len());
        assert_eq!(slices, self.all("endpoints").len());
    }

    fn pods_are_where_nodes_are(&self) {
        let nodes: BTreeSet<String> = self.all("nodes").iter().map(|node| name_of(node).to_owned()).collect();
        for pod in self.all("pods") {
            let node = text(&pod, "/spec/nodeName");
            assert!(node.is_empty() || nodes.contains(node), "{} is on {node}", name_of(&pod));
        }
        for claim in self.all("persistentvolumeclaims") {
            assert!(self.get("persistentvolumes", "", text(&claim, "/spec/volumeName")).is_some());
        }
    }
}

fn is_serving(pod: &Value) -> bool {
    is_true(pod, "Ready") && !is_terminating(pod)
}

#[test]
fn the_same_seed_and_clock_tell_the_same_story_byte_for_byte() {
    let tell = |seed| {
        let mut run = Run::new(seed, 300);
        run.run(500);
        run.text()
    };
    let first = tell(3);
    assert!(first == tell(3), "two runs differ");
    assert!(first != tell(4), "two seeds tell the same");
}

#[test]
fn a_fleet_that_comes_to_rest_is_consistent_whenever_it_does() {
    let mut run = Run::new(7, 300);
    run.rest();
    run.check();
    for steps in [100, 37, 500, 211, 803] {
        run.run(steps);
        run.rest();
        run.check();
    }
}

#[test]
fn nothing_grows_over_20_000_steps_and_everything_still_happens_at_the_end() {
    let mut run = Run::new(5, 300);
    let mut counts = Vec::new();
    let mut reasons = BTreeSet::new();
    for _ in 0..200 {
        run.run(100);
        counts.push(run.state.store.count_all());
        let events = run.all("events");
        assert!(events.len() <= EVENTS_MAX + 1, "{} events", events.len());
        reasons.extend(events.iter().map(|event| text(event, "/reason").to_owned()));
        if run.steps == 10_000 {
            reasons.clear();
        }
    }
    let (least, most) = (counts.iter().min().expect("some"), counts.iter().max().expect("some"));
    assert!(*least >= 300 && *most <= 440, "{least} to {most} objects");
    run.rest();
    run.check();
    let expected = "BackOff Completed Failed Issuing Killing NodeNotReady NodeReady RolloutCompleted \
                    ScalingReplicaSet Scheduled SuccessfulRescale TaintManagerEviction";
    for reason in expected.split(' ') {
        assert!(reasons.contains(reason), "{reason} in {reasons:?}");
    }
}

#[test]
fn what_a_person_changes_is_followed() {
    let mut run = Run::new(7, 300);
    run.rest();
    let pod =
        run.all("pods").into_iter().find(|pod| text(pod, "/metadata/labels/app") == "cart").expect("a pod");
    let by_hand = |resource, namespace: &str, name: &str, change| {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        Mutation { resource, namespace, name, manager: "kubectl", change }
    };
    let gone = || Change::Delete { grace_s: 0 };
    run.person(by_hand("pods", "shop", name_of(&pod), gone()));
    let six = Change::Patch(json!({"spec": {"replicas": 6}}));
    run.person(by_hand("deployments.apps", "shop", "catalog", six));
    run.person(by_hand("deployments.apps", "payments", "psp-gateway", gone()));
    run.person(by_hand("services", "payments", "psp-gateway", gone()));
    run.person(by_hand("endpoints", "shop", "cart", gone()));
    run.run(400);
    run.rest();
    run.check();
    // As `kubectl delete --cascade=orphan` leaves them: the next set adopts them, but for one that is ending already.
    let set = run
        .all("replicasets.apps")
        .into_iter()
        .find(|set| text(set, "/metadata/labels/app") == "cart" && int(set, "/spec/replicas") > 0);
    let set = set.expect("a set");
    let orphans: Vec<Value> = run.owned("pods", &set).into_iter().filter(is_active).collect();
    run.person(by_hand("replicasets.apps", "shop", name_of(&set), gone()));
    for pod in &orphans {
        let alone = Change::Patch(json!({"metadata": {"ownerReferences": null}}));
        run.person(by_hand("pods", "shop", name_of(pod), alone));
    }
    run.run(400);
    run.rest();
    run.check();
    let uids = |pods: &[Value]| {
        pods.iter().map(|pod| text(pod, "/metadata/uid").to_owned()).collect::<BTreeSet<String>>()
    };
    let set = run.get("replicasets.apps", "shop", name_of(&set)).expect("the deployment makes it again");
    assert_eq!(uids(&run.owned("pods", &set)), uids(&orphans));
    let pods = |app: &str| {
        let all = run.all("pods");
        all.iter().filter(|pod| text(pod, "/metadata/labels/app") == app && is_active(pod)).count()
    };
    assert_eq!((pods("cart"), pods("catalog"), pods("psp-gateway")), (2, 6, 0));
    assert_eq!(int(&run.get("deployments.apps", "shop", "catalog").expect("it"), "/status/readyReplicas"), 6);
}

#[test]
fn a_large_fleet_is_as_consistent_as_a_small_one() {
    let mut run = Run::new(7, 2_000);
    let count = run.state.store.count_all();
    assert!((2_000..2_300).contains(&count), "{count}");
    let is_running = |pod: &Value| is_true(pod, "Ready") && text(pod, "/status/phase") == "Running";
    let running = run.all("pods").iter().filter(|pod| is_running(pod)).count();
    assert!(running > 1_600, "{running}");
    run.run(1_000);
    run.rest();
    run.check();
}
