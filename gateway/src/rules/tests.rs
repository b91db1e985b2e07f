//! What rules of one feed tell, step by step of the proofs' clock.

mod failures;

use std::sync::Arc;

use serde_json::{Value, json};
use shared::frame::server::Gap;
use shared::health::Health;
use shared::name::{ClusterName, Namespace};
use shared::past::Why;
use shared::problem::Reason;
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::row::{Extra, Owner, Row, RowId};
use shared::scope::Namespaces;

use super::feed_rules::NoExpressions;
use super::outbox::{Firing, FiringChange};
use super::{FeedPlace, FeedRules, Form, FormPath, Grouping, Notification, Rule, Scope};
use crate::feed::Proof;
use crate::feed::labels::Labels;
use crate::hub::{Heard, HeardVersion};

/// A row without anything besides its name.
pub(crate) fn row(namespace: &str, name: &str, version: u64) -> Row {
    let hash = name.bytes().fold(7_u64, |hash, byte| hash.wrapping_mul(1_000_003) ^ u64::from(byte));
    Row {
        id: RowId::from_hash(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        resource_version: ResourceVersion::new(&version.to_string()),
        namespace: Some(namespace.into()),
        name: name.into(),
        created: None,
        cells: Vec::new(),
        extra: None,
    }
}

/// A feed of pods with one rule, and what it told.
struct Feed {
    rules: FeedRules,
    version: u64,
}

/// A rule of all pods.
pub(crate) fn rule(when: &str, for_s: i64, grouping: Grouping) -> Rule {
    Rule {
        name: "r".into(),
        scope: Scope {
            clusters: Vec::new(),
            kind: "pods".into(),
            namespaces: Namespaces::All,
            labels: None,
            fields: None,
        },
        form: Form::parse(when).expect(when),
        for_s,
        grouping,
        severity: None,
        tells_resolved: true,
        receivers: Vec::new(),
    }
}

/// The pods of a cluster, or of one namespace of it.
pub(crate) fn place(namespace: Option<&str>) -> FeedPlace {
    let resource = Resource::parse("", "v1", "pods").expect("a resource");
    let cluster = ClusterName::parse("prod").expect("a name");
    FeedPlace { cluster, resource, namespace: namespace.map(|name| Namespace::parse(name).expect("a name")) }
}

impl Feed {
    fn of(rule: Rule) -> Self {
        Self::of_place(place(None), rule)
    }

    fn of_place(place: FeedPlace, rule: Rule) -> Self {
        Self { rules: FeedRules::new(place, vec![Arc::new(rule)]), version: 100 }
    }

    /// One that has listed these.
    fn listed(rule: Rule, objects: &[(&str, Value)]) -> Self {
        let mut feed = Self::of(rule);
        feed.list(objects);
        feed
    }

    fn list(&mut self, objects: &[(&str, Value)]) {
        self.hear(Heard::Begun);
        for (name, object) in objects {
            self.put(name, object.clone());
        }
        self.hear(Heard::Loaded(ResourceVersion::new("1")));
    }

    fn hear(&mut self, heard: Heard) {
        assert!(self.rules.hear(heard, &mut NoExpressions).is_empty(), "only a proof tells");
    }

    fn put(&mut self, name: &str, object: Value) {
        self.version += 1;
        self.put_row(row("shop", name, self.version), object);
    }

    fn put_row(&mut self, row: Row, mut object: Value) {
        let labels =
            object["labels"].as_str().map(|label| vec![("app", label.to_owned())]).unwrap_or_default();
        object["metadata"]["uid"] = format!("uid-{}", row.name).into();
        let mut heard = HeardVersion::of_event(row, &object.to_string());
        heard.labels = Labels::pack(labels.iter().map(|(key, value)| (*key, value.as_str())));
        self.hear(Heard::Version(Box::new(heard)));
    }

    fn put_health(&mut self, name: &str, health: Option<Value>) {
        self.version += 1;
        let health = health.map(|health| serde_json::from_value::<Health>(health).expect("health"));
        let extra = Extra { health, ..Extra::default() };
        let row = Row { extra: Some(Box::new(extra)), ..row("shop", name, self.version) };
        self.put_row(row, json!({}));
    }

    fn delete(&mut self, name: &str) {
        self.version += 1;
        let resource_version = ResourceVersion::new(&self.version.to_string());
        let row = row("shop", name, 0).id;
        self.hear(Heard::Deleted { row, resource_version, relisted: false });
    }

    fn prove(&mut self, at_s: i64) -> Vec<Notification> {
        // The cluster's clock is five seconds ahead.
        let proof = Proof { at_ms: (at_s - 5) * 1_000, cluster_ahead_ms: 5_000 };
        self.rules.hear(Heard::Proof(ResourceVersion::new("1"), proof), &mut NoExpressions)
    }

    /// What a proof at this second tells: `firing shop/a 1 since 100 at 101`.
    fn told(&mut self, at_s: i64) -> Vec<String> {
        let text = |told: &Notification| {
            let version = told.objects[0].resource_version.as_str();
            format!(
                "{} {} {} since {} at {version}",
                told.turn.word(),
                told.group.0,
                told.object_count,
                told.since_s
            )
        };
        self.prove(at_s).iter().map(text).collect()
    }
}

fn phase(phase: &str) -> Value {
    json!({ "status": { "phase": phase } })
}

fn ready(status: &str, since: &str) -> Value {
    let condition =
        json!({ "type": "Ready", "status": status, "lastTransitionTime": since, "reason": "Why" });
    json!({ "status": { "conditions": [condition] } })
}

const FAILED: &str = "jsonpath={.status.phase}=Failed";
const NOTHING: [&str; 0] = [];

#[test]
fn a_state_fires_with_the_proof_after_it_and_is_over_with_the_proof_after_that() {
    let mut feed = Feed::listed(rule(FAILED, 0, Grouping::default()), &[("a", phase("Running"))]);
    assert_eq!(feed.told(100), NOTHING);
    feed.put("a", phase("Failed"));
    let told = feed.prove(105);
    let [told] = told.as_slice() else { panic!("one: {told:?}") };
    assert_eq!((told.since_s, told.proven_ms, &*told.group.0), (105, 105_000, "shop/a"));
    let object = &told.objects[0];
    assert_eq!((&*object.uid, object.resource_version.as_str()), ("uid-a", "102"));
    let change = &object.changed[0];
    assert_eq!(
        (&*change.path, &change.before, &change.after),
        ("{.status.phase}", &Some(json!("Running")), &Some(json!("Failed")))
    );
    let fired = told.id.clone();
    feed.put("a", json!({ "status": { "phase": "Failed", "message": "still" } }));
    assert_eq!(feed.told(110), NOTHING, "it is told once");
    feed.put("a", phase("Running"));
    let told = feed.prove(115);
    assert_eq!((told[0].turn.word(), told[0].since_s), ("resolved", 105));
    assert_eq!(told[0].objects[0].changed[0].after, Some(json!("Running")));
    assert_ne!(told[0].id, fired);
}

#[test]
fn what_was_over_before_a_proof_fires_nothing_and_what_came_back_before_one_goes_on() {
    let mut feed = Feed::listed(rule(FAILED, 0, Grouping::default()), &[("a", phase("Running"))]);
    feed.put("a", phase("Failed"));
    feed.put("a", phase("Running"));
    assert_eq!(feed.told(100), NOTHING);
    feed.put("a", phase("Failed"));
    assert_eq!(feed.told(105), ["firing shop/a 1 since 105 at 104"]);
    feed.put("a", phase("Running"));
    feed.put("a", phase("Failed"));
    assert_eq!(feed.told(110), NOTHING);
}

#[test]
fn it_must_hold_for_as_long_as_the_rule_says_by_the_objects_own_time_where_it_has_one() {
    let mut feed = Feed::listed(rule("condition=Ready=False", 60, Grouping::default()), &[]);
    feed.told(100);
    feed.put("a", ready("False", "1970-01-01T00:01:10Z"));
    assert_eq!(feed.told(125), NOTHING);
    assert_eq!(feed.told(129), NOTHING);
    assert_eq!(feed.told(131), ["firing shop/a 1 since 70 at 101"]);
    let mut feed = Feed::listed(rule(FAILED, 60, Grouping::default()), &[]);
    feed.put("a", phase("Failed"));
    assert_eq!(feed.told(100), NOTHING, "it counts from the first proof of it");
    assert_eq!(feed.told(159), NOTHING);
    assert_eq!(feed.told(160), ["firing shop/a 1 since 100 at 101"]);
    feed.put("b", phase("Failed"));
    feed.told(165);
    feed.put("b", phase("Running"));
    feed.told(170);
    feed.put("b", phase("Failed"));
    feed.told(175);
    assert_eq!(feed.told(230), NOTHING, "it begins anew");
    assert_eq!(feed.told(235), ["firing shop/b 1 since 175 at 104"]);
}

#[test]
fn health_fires_when_its_time_has_come_without_any_change() {
    let mut feed = Feed::listed(rule("health=failing", 0, Grouping::default()), &[]);
    feed.told(100);
    let health = json!({ "class": "changing", "reason": "ContainersNotReady", "since": 100,
        "then": [{ "class": "not-ready", "at": 160 }, { "class": "failing", "at": 700 }] });
    feed.put_health("a", Some(health));
    for at_s in [105, 165, 699] {
        assert_eq!(feed.told(at_s), NOTHING);
    }
    let told = feed.prove(704);
    assert_eq!((told.len(), told[0].since_s), (1, 700));
    let object = &told[0].objects[0];
    assert_eq!(object.reason.as_deref(), Some("ContainersNotReady"));
    assert_eq!(object.changed[0].before, Some(json!("not-ready: ContainersNotReady")));
    assert_eq!(object.changed[0].after, Some(json!("failing: ContainersNotReady")));
    feed.put_health("a", None);
    assert_eq!(feed.told(709), ["resolved shop/a 1 since 700 at 102"]);
}

#[test]
fn a_crash_loop_holds_on_between_its_crashes_until_it_is_fine() {
    let failing = |since: i64| json!({ "class": "failing", "reason": "CrashLoopBackOff", "since": since });
    let again = |since: i64| json!({ "class": "failing", "reason": "CrashLoopBackOff", "since": since, "failed": 100 });
    let between = |since: i64| {
        let later = json!([{ "class": "fine", "at": since + 600 }]);
        json!({ "class": "not-ready", "reason": "Restarted", "since": since, "then": later, "failed": 100 })
    };
    let mut feed = Feed::listed(rule("health=failing", 60, Grouping::default()), &[("a", json!({}))]);
    assert_eq!(feed.told(99), NOTHING);
    feed.put_health("a", Some(failing(100)));
    assert_eq!(feed.told(101), NOTHING);
    for since in [110, 125, 140, 155] {
        feed.put_health("a", Some(between(since)));
        assert_eq!(feed.told(since + 4), NOTHING, "it recovered");
        feed.put_health("a", Some(again(since + 5)));
        feed.put_health("a", Some(between(since + 6)));
        assert_eq!(feed.told(since + 9), NOTHING);
    }
    assert_eq!(feed.told(165), NOTHING, "it doesn't fail now");
    // So short that no proof finds it.
    feed.put_health("a", Some(again(167)));
    feed.put_health("a", Some(between(168)));
    assert_eq!(feed.told(170), ["firing shop/a 1 since 100 at 102"]);
    feed.put_health("a", Some(again(180)));
    assert_eq!(feed.told(181), NOTHING);
    feed.put_health("a", Some(between(190)));
    assert_eq!(feed.told(195), NOTHING, "it isn't over between two crashes");
    assert_eq!(feed.told(789), NOTHING);
    assert_eq!(feed.told(790), ["resolved shop/a 1 since 100 at 118"], "ten minutes without a crash");
}

#[test]
fn a_rollout_is_told_when_it_ends_and_never_one_that_was_over_before() {
    let deployment = |generation: u32, updated: u32, reason: &str| {
        json!({
            "metadata": { "generation": generation }, "spec": { "replicas": 2 },
            "status": {
                "observedGeneration": generation, "replicas": 2, "updatedReplicas": updated,
                "availableReplicas": updated, "conditions": [{ "type": "Progressing", "reason": reason }],
            },
        })
    };
    let mut rule = rule("rollout", 0, Grouping::default());
    rule.scope.kind = "deployments.apps".into();
    let objects = [("a", deployment(1, 2, "")), ("b", deployment(1, 1, ""))];
    let mut feed = Feed::listed(rule, &objects);
    assert_eq!(feed.told(100), NOTHING);
    feed.put("b", deployment(1, 2, ""));
    feed.put("a", deployment(2, 1, ""));
    let ended = |feed: &mut Feed, at_s| {
        let told = feed.prove(at_s);
        let text = |told: &Notification| {
            format!("{} {}", told.objects[0].name, told.objects[0].reason.as_deref().unwrap_or_default())
        };
        told.iter().map(text).collect::<Vec<_>>()
    };
    assert_eq!(ended(&mut feed, 105), ["b complete"]);
    feed.put("a", deployment(2, 1, "ProgressDeadlineExceeded"));
    assert_eq!(ended(&mut feed, 110), ["a ProgressDeadlineExceeded"]);
    feed.put("a", deployment(2, 2, ""));
    assert_eq!(ended(&mut feed, 115), NOTHING, "it was told when it failed");
    let of_revision = |revision: &str, generation: u32, updated: u32| {
        let mut object = deployment(generation, updated, "");
        object["metadata"]["annotations"] = json!({"deployment.kubernetes.io/revision": revision});
        object
    };
    feed.put("b", of_revision("7", 1, 2));
    feed.put("b", of_revision("7", 1, 1));
    assert_eq!(ended(&mut feed, 120), NOTHING);
    feed.put("b", of_revision("7", 1, 2));
    assert_eq!(ended(&mut feed, 125), NOTHING, "a pod that crashed and came back is no rollout");
    feed.put("b", of_revision("8", 2, 1));
    feed.put("b", of_revision("8", 2, 2));
    assert_eq!(ended(&mut feed, 130), ["b complete"]);
}

#[test]
fn other_rules_are_taken_over_and_an_unchanged_one_goes_on_where_it_was() {
    let named = |name: &str, when: &str, for_s| {
        Arc::new(Rule { name: name.into(), ..rule(when, for_s, Grouping::default()) })
    };
    let objects = [("a", phase("Running")), ("b", phase("Running"))];
    let mut feed =
        Feed::listed(Rule { name: "kept".into(), ..rule(FAILED, 60, Grouping::default()) }, &objects);
    let take = |feed: &mut Feed, rules: &[Arc<Rule>]| {
        let told = feed.rules.take_over(rules.to_vec(), &mut NoExpressions);
        told.iter().map(|told| format!("{} {}", told.rule.name, told.turn.word())).collect::<Vec<_>>()
    };
    let proven = |feed: &mut Feed, at_s| {
        let told = feed.prove(at_s);
        told.iter()
            .map(|told| format!("{} {} {}", told.rule.name, told.turn.word(), told.since_s))
            .collect::<Vec<_>>()
    };
    assert_eq!(proven(&mut feed, 100), NOTHING);
    feed.put("a", phase("Failed"));
    assert_eq!(proven(&mut feed, 105), NOTHING, "it waits");
    let kept = Arc::new(Rule { severity: Some("low".into()), ..(*named("kept", FAILED, 60)).clone() });
    let other = named("other", "jsonpath={.status.phase}", 0);
    let changes = named("changes", "changes={.status.phase}", 0);
    assert_eq!(take(&mut feed, &[other.clone(), changes.clone(), Arc::clone(&kept)]), NOTHING);
    assert_eq!(proven(&mut feed, 110), ["other firing 110", "other firing 110"], "of what is there by now");
    let told = feed.prove(165);
    assert_eq!((&*told[0].rule.name, told[0].since_s), ("kept", 105), "it went on waiting");
    assert_eq!(told[0].rule.severity.as_deref(), Some("low"));
    feed.put("b", phase("Failed"));
    assert_eq!(proven(&mut feed, 170), ["changes happened 170"]);
    // It asks otherwise by now: of `a` it still holds, and of `b` nothing was told.
    let quick = named("kept", FAILED, 5);
    assert_eq!(take(&mut feed, &[quick]), ["other resolved", "other resolved"]);
    assert_eq!(proven(&mut feed, 171), NOTHING);
    assert_eq!(proven(&mut feed, 176), ["kept firing 171"], "of b");
    feed.put("a", phase("Running"));
    assert_eq!(proven(&mut feed, 180), ["kept resolved 105"]);
    assert_eq!(take(&mut feed, &[]), ["kept resolved"]);
    assert_eq!(proven(&mut feed, 190), NOTHING);
}

#[test]
fn what_fails_once_and_recovers_before_its_time_is_not_told() {
    let between = json!({
        "class": "not-ready", "reason": "Restarted", "since": 110,
        "then": [{ "class": "fine", "at": 710 }], "failed": 100,
    });
    let mut feed = Feed::listed(rule("health=failing", 60, Grouping::default()), &[("a", json!({}))]);
    assert_eq!(feed.told(99), NOTHING);
    feed.put_health("a", Some(json!({ "class": "failing", "reason": "Error", "since": 100 })));
    assert_eq!(feed.told(101), NOTHING);
    feed.put_health("a", Some(between));
    for at_s in [111, 160, 161, 300, 709, 710, 800] {
        assert_eq!(feed.told(at_s), NOTHING, "at {at_s}");
    }
}

#[test]
fn an_outage_is_silent_and_then_tells_what_is_right() {
    let mut feed = Feed::listed(
        rule(FAILED, 60, Grouping::default()),
        &[("a", phase("Failed")), ("b", phase("Failed"))],
    );
    feed.told(100);
    assert_eq!(feed.told(160).len(), 2);
    feed.put("c", phase("Failed"));
    feed.told(165);
    // No proof comes. What a list shows when the cluster answers again is what counts.
    let gap = Gap { from_ms: 165_000, to_ms: 600_000, reason: Reason::Expired };
    feed.put("a", phase("Running"));
    feed.put("a", phase("Failed"));
    feed.delete("b");
    feed.put("d", phase("Failed"));
    feed.hear(Heard::Missed(gap));
    assert_eq!(
        feed.told(600),
        ["resolved shop/b 1 since 100 at 106"],
        "b is gone, a fires on, nobody saw whether c held"
    );
    assert_eq!(feed.told(659), NOTHING);
    assert_eq!(feed.told(660), ["firing shop/c 1 since 600 at 103", "firing shop/d 1 since 600 at 107"]);
}

#[test]
fn a_hub_that_begins_anew_tells_what_differs_and_nothing_twice() {
    for (when, expected) in [
        (FAILED, vec!["resolved shop/b 1 since 100 at 102", "firing shop/c 1 since 200 at 103"]),
        ("created", vec!["happened shop/c 1 since 200 at 103"]),
        ("deleted", vec!["happened shop/b 1 since 200 at 102"]),
        ("changes={.status.phase}", vec![]),
    ] {
        let both = [("a", phase("Failed")), ("b", phase("Failed"))];
        let mut feed = Feed::listed(rule(when, 0, Grouping::default()), &both);
        feed.told(100);
        feed.hear(Heard::Lost(Why::TooFast));
        feed.hear(Heard::Begun);
        feed.put_row(row("shop", "a", 101), phase("Failed"));
        feed.put_row(row("shop", "c", 103), phase("Failed"));
        assert_eq!(feed.told(150), NOTHING, "the list isn't whole");
        feed.hear(Heard::Loaded(ResourceVersion::new("9")));
        assert_eq!(feed.told(200), expected, "{when}");
        feed.rules.forget_changes();
        feed.list(&[("e", phase("Running"))]);
        let told = feed.told(300);
        assert!(
            told.iter().all(|told| told.starts_with("resolved")),
            "{when}: what is hidden isn't deleted: {told:?}"
        );
    }
}

#[test]
fn what_happens_once_is_told_each_time_and_never_of_what_was_there() {
    let mut feed = Feed::listed(rule("created", 0, Grouping::default()), &[("a", phase("Running"))]);
    assert_eq!(feed.told(100), NOTHING);
    feed.put("b", phase("Running"));
    feed.put("b", phase("Failed"));
    feed.put("c", phase("Running"));
    feed.delete("c");
    assert_eq!(feed.told(105), ["happened shop/b 1 since 105 at 102", "happened shop/c 1 since 105 at 104"]);
    let mut feed = Feed::listed(rule("deleted", 0, Grouping::default()), &[("a", phase("Running"))]);
    feed.delete("a");
    assert_eq!(feed.told(100), ["happened shop/a 1 since 100 at 102"]);
    let mut feed =
        Feed::listed(rule("changes={.status.phase}", 0, Grouping::default()), &[("a", phase("Running"))]);
    feed.put("a", json!({ "status": { "phase": "Running", "message": "other" } }));
    assert_eq!(feed.told(100), NOTHING);
    feed.put("a", phase("Failed"));
    feed.put("a", phase("Running"));
    let told = feed.prove(105);
    let changes: Vec<_> = told.iter().map(|told| &told.objects[0].changed[0]).collect();
    assert_eq!(
        changes.iter().map(|it| it.after.clone()).collect::<Vec<_>>(),
        [Some(json!("Failed")), Some(json!("Running"))]
    );
    assert_eq!(changes[0].before, Some(json!("Running")));
}

#[test]
fn a_thousand_objects_that_fail_in_one_second_are_one_notification_a_group() {
    let by_owner = Grouping { by_owner: true, once_per: None };
    let mut feed = Feed::listed(rule("health=failing", 0, by_owner), &[]);
    feed.told(100);
    let pod = |number: u64, version: u64| {
        let deployment = number % 4;
        // Two ReplicaSets of one Deployment make one rollout.
        let hash = format!("h{}", number % 8);
        let owner =
            Owner { kind: "ReplicaSet".into(), name: format!("d{deployment}-{hash}").into(), row: None };
        let health = serde_json::from_value(json!({ "class": "failing", "reason": "Error", "since": 101 }));
        let extra = Extra {
            owner: Some(owner),
            hash: Some(hash.into()),
            health: health.expect("health"),
            ..Extra::default()
        };
        Row { extra: Some(Box::new(extra)), ..row("shop", &format!("pod-{number}"), version) }
    };
    for number in 0..600 {
        feed.put_row(pod(number, 1_000 + number), json!({}));
    }
    let told = feed.told(102);
    assert_eq!(told.len(), 4, "{told:?}");
    assert_eq!(told[0], "firing Deployment shop/d0 150 since 101 at 1000");
    for number in 600..1_000 {
        feed.put_row(pod(number, 1_000 + number), json!({}));
    }
    assert_eq!(feed.told(107), NOTHING, "a group that fires tells nothing of further members");
    for number in 0..999 {
        let row = Row { extra: None, ..pod(number, 3_000 + number) };
        feed.put_row(row, json!({}));
    }
    let told = feed.told(112);
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told.iter().all(|told| told.starts_with("resolved")), "one of d3 fails still: {told:?}");
}

#[test]
fn a_rule_tells_once_for_each_value_of_a_path() {
    let once_per = || Grouping { by_owner: false, once_per: FormPath::parse("{.spec.nodeName}").ok() };
    let on = |node: &str| json!({ "spec": { "nodeName": node }, "status": { "phase": "Failed" } });
    let mut feed = Feed::listed(rule(FAILED, 0, once_per()), &[]);
    for (name, node) in [("a", "n1"), ("b", "n1"), ("c", "n2")] {
        feed.put(name, on(node));
    }
    let expected =
        ["firing {.spec.nodeName}=n1 2 since 100 at 101", "firing {.spec.nodeName}=n2 1 since 100 at 103"];
    assert_eq!(feed.told(100), expected);
    let mut feed = Feed::listed(rule("created", 0, once_per()), &[]);
    feed.put("a", on("n1"));
    feed.put("b", on("n1"));
    assert_eq!(feed.told(100), ["happened {.spec.nodeName}=n1 2 since 100 at 101"]);
    feed.put("c", on("n1"));
    feed.put("d", on("n2"));
    assert_eq!(feed.told(105), ["happened {.spec.nodeName}=n2 1 since 105 at 104"]);
}

#[test]
fn an_object_that_leaves_the_scope_or_the_cluster_is_over() {
    let mut of_cart = rule(FAILED, 0, Grouping::default());
    of_cart.scope.labels = shared::selector::LabelSelector::parse("app=cart").ok();
    of_cart.scope.namespaces =
        Namespaces::these(vec![shared::name::Namespace::parse("shop").expect("a name")]).expect("one");
    let labelled = |app: &str| json!({ "labels": app, "status": { "phase": "Failed" } });
    let mut feed =
        Feed::listed(of_cart, &[("a", labelled("cart")), ("b", labelled("cart")), ("c", labelled("web"))]);
    feed.put_row(row("other", "d", 500), labelled("cart"));
    assert_eq!(feed.told(100), ["firing shop/a 1 since 100 at 101", "firing shop/b 1 since 100 at 102"]);
    feed.put("a", labelled("web"));
    feed.delete("b");
    assert_eq!(feed.told(105), ["resolved shop/a 1 since 100 at 104", "resolved shop/b 1 since 100 at 105"]);
    assert_eq!(feed.rules.firing_count(), 0);
}

/// What outlives the gateway of what fired.
fn kept(fired: &[Notification]) -> Vec<Firing> {
    let firing = fired.iter().filter_map(Notification::firing_change).map(|change| match change {
        FiringChange::Fires(firing) => firing,
        FiringChange::Over(key) => panic!("{key:?}"),
    });
    firing.collect()
}

#[test]
fn feeds_of_single_namespaces_remember_each_what_fired_there() {
    let once_per = || Grouping { by_owner: false, once_per: FormPath::parse("{.spec.nodeName}").ok() };
    let failed = || json!({ "spec": { "nodeName": "n1" }, "status": { "phase": "Failed" } });
    let feed = |namespace| Feed::of_place(place(Some(namespace)), rule(FAILED, 0, once_per()));
    let mut fired = Vec::new();
    for namespace in ["one", "two"] {
        let mut before = feed(namespace);
        before.list(&[("a", failed())]);
        fired.extend(before.prove(100));
    }
    let kept = kept(&fired);
    assert!(kept.len() == 2 && kept[0].key != kept[1].key, "{kept:?}");
    for (namespace, objects, expected) in [
        ("one", vec![("a", failed())], vec![]),
        ("two", vec![], vec!["resolved"]),
        ("three", vec![("a", failed())], vec!["firing"]),
    ] {
        let mut after = feed(namespace);
        after.rules.remember(&kept);
        after.list(&objects);
        let told: Vec<_> = after.prove(200).iter().map(|told| told.turn.word()).collect();
        assert_eq!(told, expected, "{namespace}");
    }
}

#[test]
fn what_fired_before_the_gateway_began_is_told_again_by_no_proof_and_resolved_by_the_first() {
    let bad = [("a", phase("Failed")), ("b", phase("Failed"))];
    let mut before = Feed::listed(rule(FAILED, 60, Grouping::default()), &bad);
    before.told(100);
    let fired = before.prove(160);
    let kept = kept(&fired);
    assert_eq!(kept.len(), 2);
    let mut after = Feed::of(rule(FAILED, 60, Grouping::default()));
    after.rules.remember(&kept);
    after.version = 200;
    after.list(&[("a", phase("Failed")), ("b", phase("Running")), ("c", phase("Failed"))]);
    let told = after.prove(300);
    let words: Vec<_> = told
        .iter()
        .map(|told| format!("{} {} since {}", told.turn.word(), told.group.0, told.since_s))
        .collect();
    assert_eq!(words, ["resolved shop/b since 100"], "a fires on, and c has to hold for a minute");
    before.put("b", phase("Running"));
    assert_eq!(before.prove(165)[0].id, told[0].id, "a gateway that went on says the same");
    assert_eq!(after.told(360), ["firing shop/c 1 since 300 at 203"]);
    after.put("a", phase("Running"));
    assert_eq!(after.told(365), ["resolved shop/a 1 since 100 at 204"]);
}
