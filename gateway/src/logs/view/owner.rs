//! Which pods belong to an object, as the object says it. Pure.

use std::collections::BTreeSet;

use serde_json::Value;
use shared::problem::Problem;
use shared::resource::Resource;
use shared::selector::LabelSelector;

use super::pods::Pod;

/// The label that the pods of all Jobs have.
const OF_A_JOB: &str = "job-name";

pub fn is_cron_job(resource: &Resource) -> bool {
    (resource.group.as_str(), resource.resource.as_str()) == ("batch", "cronjobs")
}

/// How the pods of an object are found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PodsOf {
    pub labels: LabelSelector,
    /// The uid of the CronJob whose Jobs own the pods.
    pub cron_job: Option<Box<str>>,
}

/// # Errors
/// The object selects no pods.
pub fn pods_of(resource: &Resource, object: &Value) -> Result<PodsOf, Problem> {
    let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    if is_cron_job(resource) {
        let uid = object.pointer("/metadata/uid").and_then(Value::as_str).map(Into::into);
        return Ok(PodsOf { labels: LabelSelector::parse(OF_A_JOB)?, cron_job: uid });
    }
    let selector = object.pointer("/spec/selector");
    let is_plain = resource.group.as_str().is_empty();
    let labels = selector.map(|selector| if is_plain { plain(selector) } else { structured(selector) });
    match labels.filter(|labels| !labels.is_empty()) {
        Some(labels) => Ok(PodsOf { labels: LabelSelector::parse(&labels)?, cron_job: None }),
        None => Err(Problem::bad_request(format!(
            "{resource}/{name} selects no pods; name the pods by a label selector"
        ))),
    }
}

/// The Jobs of a CronJob, by their uids.
pub fn jobs_of(cron_job: &str, jobs: &Value) -> BTreeSet<Box<str>> {
    let items = jobs.get("items").and_then(Value::as_array).into_iter().flatten();
    let is_owned = |job: &&Value| {
        let owners = job.pointer("/metadata/ownerReferences").and_then(Value::as_array);
        owners.into_iter().flatten().any(|owner| owner.get("uid").and_then(Value::as_str) == Some(cron_job))
    };
    let owned = items.filter(is_owned);
    owned.filter_map(|job| job.pointer("/metadata/uid")?.as_str().map(Into::into)).collect()
}

pub fn is_of_jobs(pod: &Pod, jobs: &BTreeSet<Box<str>>) -> bool {
    pod.owners.iter().any(|owner| jobs.contains(owner))
}

/// The selector of a Service: labels and their values.
fn plain(selector: &Value) -> String {
    let labels = selector.as_object().into_iter().flatten();
    let equal = labels.filter_map(|(key, value)| Some(format!("{key}={}", value.as_str()?)));
    equal.collect::<Vec<_>>().join(",")
}

/// A `LabelSelector` of the API, in words.
fn structured(selector: &Value) -> String {
    let equal = selector.get("matchLabels").map(plain).filter(|labels| !labels.is_empty());
    let expressions = selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten();
    let expressions = expressions.filter_map(|expression| {
        let text = |name: &str| expression.get(name).and_then(Value::as_str);
        let values = expression.get("values").and_then(Value::as_array).into_iter().flatten();
        let values: Vec<&str> = values.filter_map(Value::as_str).collect();
        let (key, values) = (text("key")?, values.join(","));
        Some(match text("operator")? {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "Exists" => key.to_owned(),
            "DoesNotExist" => format!("!{key}"),
            _ => return None,
        })
    });
    equal.into_iter().chain(expressions).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn resource(group: &str, plural: &str) -> Resource {
        Resource::parse(group, "v1", plural).expect("a resource")
    }

    #[test]
    fn an_object_says_by_its_selector_which_pods_it_has() {
        let deployment = json!({"metadata": {"name": "cart"}, "spec": {"selector": {
            "matchLabels": {"app": "cart"},
            "matchExpressions": [
                {"key": "tier", "operator": "In", "values": ["a", "b"]},
                {"key": "old", "operator": "DoesNotExist"},
            ],
        }}});
        let found = pods_of(&resource("apps", "deployments"), &deployment).expect("a selector");
        let matches = |labels: &[(&str, &str)]| {
            found.labels.matches(|key| labels.iter().find(|(own, _)| *own == key).map(|(_, value)| *value))
        };
        assert!(matches(&[("app", "cart"), ("tier", "b")]));
        assert!(!matches(&[("app", "cart"), ("tier", "c")]));
        assert!(!matches(&[("app", "cart"), ("tier", "a"), ("old", "1")]));
        for (group, plural) in [("argoproj.io", "rollouts"), ("apps.kruise.io", "clonesets")] {
            assert_eq!(pods_of(&resource(group, plural), &deployment).expect("a selector"), found);
        }
        let service = json!({"metadata": {"name": "cart"}, "spec": {"selector": {"app": "cart"}}});
        let found = pods_of(&resource("", "services"), &service).expect("a selector");
        assert_eq!(found.labels, LabelSelector::parse("app=cart").expect("labels"));
        let headless = json!({"metadata": {"name": "db"}, "spec": {}});
        let problem = pods_of(&resource("", "services"), &headless).expect_err("none");
        assert!(problem.message.contains("services/db selects no pods"), "{problem}");
    }

    #[test]
    fn the_pods_of_a_cron_job_are_those_of_its_jobs() {
        let of = |uid: &str| json!([{"uid": uid}]);
        let jobs = json!({"items": [
            {"metadata": {"uid": "j1", "ownerReferences": of("c")}},
            {"metadata": {"uid": "j2", "ownerReferences": of("other")}},
            {"metadata": {"uid": "j3"}},
        ]});
        assert_eq!(jobs_of("c", &jobs), BTreeSet::from(["j1".into()]));
    }
}
