//! Every failure that Kubernetes' own sources name, as `tests/cluster/failures` writes them: each has its class at once
//! and after its time.

use serde::Deserialize;
use serde_json::{Value, json};
use shared::health::{Health, HealthClass};

use super::{T, verdict, words};

const LIST: &str = include_str!("../../../../../tests/fixtures/failures.json");

#[derive(Deserialize)]
struct List {
    sections: Vec<Section>,
}

#[derive(Deserialize)]
struct Section {
    name: String,
    resource: String,
    says: String,
    object: Value,
    failures: Vec<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    word: String,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    reason: String,
    health: String,
}

impl List {
    fn read() -> Self {
        serde_json::from_str(LIST).expect("the list")
    }
}

impl Failure {
    fn fill(&self, template: &str) -> String {
        let parts = [("TYPE", &*self.kind), ("STATUS", &self.status), ("REASON", &self.reason)];
        parts.iter().fold(template.to_owned(), |text, (place, word)| text.replace(place, word))
    }

    fn object(&self, section: &Section) -> Value {
        let object = self.fill(&section.object.to_string()).replace("TIME", "2026-11-01T12:00:00Z");
        let mut object: Value = serde_json::from_str(&object).expect("an object");
        object["metadata"]["creationTimestamp"] = json!("2026-11-01T12:00:00Z");
        object
    }

    /// What the verdict says: a condition without a reason has its type for one.
    fn says(&self, section: &Section) -> String {
        let reason = if self.reason.is_empty() { &self.kind } else { &self.reason };
        self.fill(&section.says.replace("REASON", reason))
    }

    /// `not-ready 60`: what it is at once, and what it becomes after so many seconds.
    fn steps(&self) -> Vec<(HealthClass, i64)> {
        let step = |text: &str| {
            let (class, after) = text.split_once(' ').unwrap_or((text, "0"));
            let class = serde_json::from_value(json!(class)).expect("a class");
            (class, after.parse().expect("seconds"))
        };
        self.health.split(", ").map(step).collect()
    }
}

/// A failure of the list, which begins at `T`.
pub(crate) struct Begins {
    pub(crate) name: String,
    pub(crate) health: Health,
    /// What it is after so many seconds.
    pub(crate) steps: Vec<(HealthClass, i64)>,
}

/// All of the list that have a class at all.
pub(crate) fn all() -> Vec<Begins> {
    let begins = |section: &Section, failure: &Failure| {
        let health = verdict(&section.resource, &failure.object(section))?.seen(None, true, T)?;
        let name = format!("{}, {}", section.name, failure.word);
        Some(Begins { name, health, steps: failure.steps() })
    };
    let list = List::read();
    let of = |section: &Section| -> Vec<_> {
        section.failures.iter().filter_map(|failure| begins(section, failure)).collect()
    };
    list.sections.iter().flat_map(of).collect()
}

#[test]
fn each_failure_that_kubernetes_names_has_its_class_within_its_time() {
    let mut wrong = Vec::new();
    let list = List::read();
    let all = list
        .sections
        .iter()
        .flat_map(|section| section.failures.iter().map(move |failure| (section, failure)));
    for (section, failure) in all {
        let health = verdict(&section.resource, &failure.object(section))
            .and_then(|verdict| verdict.seen(None, true, T));
        let said = health.as_ref().map_or("fine".to_owned(), words).replace(" since 0", "");
        let (class, later) = failure.health.split_once(", ").unwrap_or((&failure.health, ""));
        let mut expected = format!("{class} {}", failure.says(section));
        if !later.is_empty() {
            expected += &format!(", {later}");
        }
        if said != expected {
            wrong.push(format!("{}, {}: {said}, not {expected}", section.name, failure.word));
            continue;
        }
        let mut before = None;
        for (class, after_s) in failure.steps() {
            let at = |time_s| health.as_ref().map(|health| health.at(T + time_s));
            if at(after_s) != Some(class) || before.is_some_and(|before| at(after_s - 1) != Some(before)) {
                wrong.push(format!("{}, {}: not {class:?} after {after_s} s", section.name, failure.word));
            }
            before = Some(class);
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn each_reason_by_which_a_container_is_stuck_is_one_of_kubernetes() {
    let list = List::read();
    let waits = list.sections.iter().find(|section| section.name == "container waits").expect("a section");
    let failing = waits.failures.iter().filter(|failure| failure.health == "failing");
    let mut failing: Vec<&str> = failing.map(|failure| &*failure.reason).collect();
    let mut stuck = super::super::pod::STUCK.to_vec();
    failing.sort_unstable();
    stuck.sort_unstable();
    assert_eq!(stuck, failing);
}
