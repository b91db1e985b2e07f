//! What a rule can ask of an object: the forms of `kubectl wait`, the object's health, and fields that change.

use std::fmt;

use serde_json::Value;
use shared::duration::UnixSeconds;
use shared::health::{Health, HealthClass};
use shared::instant;
use shared::json_path::{Effort, JsonPath};
use shared::problem::Problem;
use shared::row::Row;

use crate::limits::RULE_PATH_EFFORT;
use crate::waited_for::{condition, has_condition, is_value, rollout_paths};

/// What holds of an object, or happens to it.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// As `kubectl wait --for=condition=TYPE[=STATUS]`.
    Condition {
        name: Box<str>,
        status: Box<str>,
        shown: Box<str>,
    },
    /// As `kubectl wait --for=jsonpath='{PATH}'[=VALUE]`.
    Path {
        path: FormPath,
        value: Option<Box<str>>,
    },
    /// It stands in one of these classes.
    Health(Box<[HealthClass]>),
    Created,
    Deleted,
    Changes(FormPath),
    /// A rollout that went on is complete, or failed.
    Rollout,
    /// An expression in CEL. `is_of_change`: it reads the former object, so it is true of a change and not of a state.
    Expression {
        text: Box<str>,
        is_of_change: bool,
        reads_now: bool,
    },
}

/// A JSONPath, as it was written and as it is followed.
#[derive(Clone, Debug, PartialEq)]
pub struct FormPath {
    pub text: Box<str>,
    pub path: JsonPath,
}

/// What a form that asks for a state found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// By the object's own word since then, if it says so.
    Holds(Option<UnixSeconds>),
    /// It doesn't hold now, and what held goes on.
    Between,
    Not,
}

impl Form {
    /// # Errors
    /// It is no form, in one sentence that says what is one.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let wrong = |why: String| Problem::bad_request(why);
        let (word, rest) = text.trim().split_once('=').unwrap_or((text.trim(), ""));
        match (word, rest) {
            ("created", "") => Ok(Self::Created),
            ("deleted", "") => Ok(Self::Deleted),
            ("rollout", "") => Ok(Self::Rollout),
            ("health", classes) => {
                let class = |word: &str| {
                    HealthClass::ALL.into_iter().find(|class| class.word() == word.trim()).ok_or_else(|| {
                        let known: Vec<&str> = HealthClass::ALL.into_iter().map(HealthClass::word).collect();
                        wrong(format!("health={classes} names no class; there are {}", known.join(", ")))
                    })
                };
                Ok(Self::Health(classes.split(',').map(class).collect::<Result<_, _>>()?))
            }
            ("condition", condition) => {
                let (name, status) = condition.split_once('=').unwrap_or((condition, "True"));
                if name.is_empty() || status.is_empty() {
                    return Err(wrong(format!("{text} isn't a condition such as condition=Ready=False")));
                }
                let shown = format!(".status.conditions[?(@.type==\"{name}\")].status").into();
                Ok(Self::Condition { name: name.into(), status: status.into(), shown })
            }
            ("changes", path) => FormPath::parse(path).map(Self::Changes),
            ("jsonpath", rest) => {
                let (path, value) = path_and_value(rest);
                let value = value.map(|value| value.trim_matches(['\'', '"']).into());
                Ok(Self::Path { path: FormPath::parse(path)?, value })
            }
            _ => Err(wrong(format!(
                "{text:?} is no form; there are condition=Ready=False, jsonpath={{.status.phase}}=Failed, \
                 health=failing, changes={{.spec.replicas}}, rollout, created and deleted"
            ))),
        }
    }

    /// Whether it asks for a state, which goes on and ends, and not for what happens once.
    #[must_use]
    pub fn is_of_state(&self) -> bool {
        match self {
            Self::Condition { .. } | Self::Path { .. } | Self::Health(_) => true,
            Self::Expression { is_of_change, .. } => !is_of_change,
            Self::Created | Self::Deleted | Self::Changes(_) | Self::Rollout => false,
        }
    }

    /// The paths that it follows in the object.
    pub(super) fn paths(&self) -> Vec<JsonPath> {
        match self {
            Self::Condition { .. } => {
                [".status.conditions", ".status.observedGeneration", ".metadata.generation"]
                    .iter()
                    .filter_map(|path| JsonPath::parse(path).ok())
                    .collect()
            }
            Self::Path { path, .. } | Self::Changes(path) => vec![path.path.clone()],
            Self::Rollout => rollout_paths(),
            Self::Health(_) | Self::Created | Self::Deleted | Self::Expression { .. } => Vec::new(),
        }
    }

    /// What a form finds that asks for a state, except an expression. `now_s`: by the cluster's clock.
    pub(super) fn look(&self, row: &Row, object: &Value, now_s: UnixSeconds) -> Look {
        match self {
            Self::Health(classes) => look_at_health(row.health(), classes, now_s),
            Self::Condition { name, status, .. } => look_at_condition(object, name, status),
            Self::Path { path, value } => {
                let found = path.select(object);
                let is_it = |found: &&Value| value.as_ref().is_none_or(|value| is_value(found, value));
                if found.iter().any(is_it) { Look::Holds(None) } else { Look::Not }
            }
            Self::Created | Self::Deleted | Self::Changes(_) | Self::Rollout | Self::Expression { .. } => {
                Look::Not
            }
        }
    }

    /// What it looks at, with its value in this version of the object at a time. `None`: it looks at nothing that has a path.
    pub(super) fn shown(
        &self,
        row: &Row,
        object: &Value,
        at_s: UnixSeconds,
    ) -> Option<(&str, Option<Value>)> {
        match self {
            Self::Health(_) => {
                let word = |health: &Health| {
                    let class = health.at(at_s).word();
                    if health.reason.is_empty() {
                        class.into()
                    } else {
                        format!("{class}: {}", health.reason)
                    }
                };
                Some(("health", Some(row.health().map_or_else(|| "fine".into(), word).into())))
            }
            Self::Condition { name, shown, .. } => {
                let status = condition(object, name).and_then(|it| it.get("status").cloned());
                Some((shown, status))
            }
            Self::Path { path, .. } | Self::Changes(path) => {
                let mut found = path.select(object).into_iter().cloned();
                let value = match (found.next(), found.next()) {
                    (first, None) => first,
                    (first, second) => Some(first.into_iter().chain(second).chain(found).collect()),
                };
                Some((&path.text, value))
            }
            Self::Created | Self::Deleted | Self::Rollout | Self::Expression { .. } => None,
        }
    }

    /// Why it holds, in Kubernetes' words.
    pub(super) fn reason(&self, row: &Row, object: &Value) -> Option<Box<str>> {
        match self {
            Self::Condition { name, .. } => {
                let condition = condition(object, name)?;
                let of =
                    |key: &str| condition.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
                match (of("reason"), of("message")) {
                    (Some(reason), Some(message)) => Some(format!("{reason}: {message}").into()),
                    (one, other) => one.or(other).map(Into::into),
                }
            }
            _ => row.health().map(|health| health.reason.clone()).filter(|reason| !reason.is_empty()),
        }
    }
}

impl FormPath {
    /// # Errors
    /// It can't be read.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let path = JsonPath::parse_relaxed(text)
            .map_err(|error| Problem::bad_request(format!("the path {text} can't be read: {error}")))?;
        Ok(Self { text: text.into(), path })
    }

    pub(super) fn select<'v>(&self, object: &'v Value) -> Vec<&'v Value> {
        self.path.select(object, &mut Effort(RULE_PATH_EFFORT)).values
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Condition { name, status, .. } => write!(f, "condition={name}={status}"),
            Self::Path { path, value: Some(value) } => write!(f, "jsonpath={}={value}", path.text),
            Self::Path { path, value: None } => write!(f, "jsonpath={}", path.text),
            Self::Health(classes) => {
                let classes: Vec<&str> = classes.iter().copied().map(HealthClass::word).collect();
                write!(f, "health={}", classes.join(","))
            }
            Self::Created => f.write_str("created"),
            Self::Deleted => f.write_str("deleted"),
            Self::Rollout => f.write_str("rollout"),
            Self::Changes(path) => write!(f, "changes={}", path.text),
            Self::Expression { text, .. } => f.write_str(text),
        }
    }
}

/// The path, which may hold an equals sign in a filter, and the value behind it.
fn path_and_value(text: &str) -> (&str, Option<&str>) {
    if let Some(end) = text.starts_with('{').then(|| text.rfind('}')).flatten() {
        let (path, rest) = text.split_at(end + 1);
        return (path, rest.strip_prefix('='));
    }
    match text.split_once('=') {
        Some((path, value)) => (path, Some(value)),
        None => (text, None),
    }
}

/// As `kubectl wait`: one of a former generation says nothing of this one.
fn look_at_condition(object: &Value, name: &str, status: &str) -> Look {
    let Some(condition) = has_condition(object, name, status) else { return Look::Not };
    Look::Holds(condition.get("lastTransitionTime").and_then(Value::as_str).and_then(instant::seconds))
}

/// Since when it has stood in one of the classes, over the steps that its health has made by itself. Where it is asked
/// whether it fails: since its first failure, until it was fine.
fn look_at_health(health: Option<&Health>, classes: &[HealthClass], now_s: UnixSeconds) -> Look {
    let Some(health) = health else {
        return if classes.contains(&HealthClass::Fine) { Look::Holds(None) } else { Look::Not };
    };
    let mut found = Look::Not;
    for (class, since) in health.steps(now_s) {
        match (classes.contains(&class), &found) {
            (true, Look::Holds(_)) => {}
            (true, _) => found = Look::Holds(since),
            (false, _) => found = Look::Not,
        }
    }
    let failing_since = health.failing_since(now_s).filter(|_| classes.contains(&HealthClass::Failing));
    match (found, failing_since) {
        (Look::Holds(since), Some(failed)) => Look::Holds(since.into_iter().chain([failed]).min()),
        (Look::Not, Some(_)) => Look::Between,
        (found, _) => found,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(text: &str) -> Form {
        Form::parse(text).expect(text)
    }

    #[test]
    fn a_form_reads_as_kubectl_wait_has_it_and_prints_as_it_was_written() {
        for text in [
            "condition=Ready=False",
            "jsonpath={.status.phase}=Failed",
            "jsonpath={.status.conditions[?(@.type==\"Ready\")].status}=False",
            "jsonpath={.status.loadBalancer.ingress}",
            "health=failing,not-ready",
            "changes={.spec.replicas}",
            "created",
            "deleted",
            "rollout",
        ] {
            assert_eq!(form(text).to_string(), text);
        }
        assert_eq!(form("condition=Ready").to_string(), "condition=Ready=True");
        for (text, says) in [
            ("ready", "condition=Ready=False"),
            ("created=1", "is no form"),
            ("health=ill", "there are failing"),
            ("condition=", "isn't a condition"),
            ("jsonpath={.a[}", "can't be read"),
            ("changes=", "can't be read"),
        ] {
            let said = Form::parse(text).expect_err(text).message;
            assert!(said.contains(says), "{text}: {said}");
        }
    }

    #[test]
    fn a_condition_and_a_path_hold_as_kubectl_wait_says() {
        let object = json!({
            "metadata": { "generation": 3 },
            "spec": { "replicas": 2 },
            "status": { "phase": "Failed", "conditions": [
                { "type": "Ready", "status": "False", "lastTransitionTime": "1970-01-01T00:01:40Z" },
                { "type": "Synced", "status": "True", "observedGeneration": 2 },
                { "type": "Known", "status": "True", "observedGeneration": 3 },
            ] },
        });
        let row = super::super::tests::row("shop", "a", 1);
        for (text, expected) in [
            ("condition=Ready=False", Look::Holds(Some(100))),
            ("condition=ready=false", Look::Holds(Some(100))),
            ("condition=Ready", Look::Not),
            ("condition=Synced", Look::Not),
            ("condition=Known", Look::Holds(None)),
            ("condition=Other=Unknown", Look::Not),
            ("jsonpath={.status.phase}=Failed", Look::Holds(None)),
            ("jsonpath=.status.phase=Running", Look::Not),
            ("jsonpath={.spec.replicas}=2", Look::Holds(None)),
            ("jsonpath={.spec.replicas}", Look::Holds(None)),
            ("jsonpath={.spec.paused}", Look::Not),
            ("jsonpath={.status.conditions[?(@.type==\"Ready\")].status}=False", Look::Holds(None)),
        ] {
            assert_eq!(form(text).look(&row, &object, 200), expected, "{text}");
        }
    }

    #[test]
    fn health_counts_from_when_it_entered_one_of_the_classes() {
        let health: Health = serde_json::from_value(json!({
            "class": "changing", "reason": "ContainersNotReady", "since": 100,
            "then": [{ "class": "not-ready", "at": 160 }, { "class": "failing", "at": 700 }],
        }))
        .expect("health");
        let check = |classes: &[HealthClass], now_s, expected| {
            assert_eq!(look_at_health(Some(&health), classes, now_s), expected, "{classes:?} at {now_s}");
        };
        let both = [HealthClass::NotReady, HealthClass::Failing];
        check(&[HealthClass::Failing], 699, Look::Not);
        check(&[HealthClass::Failing], 700, Look::Holds(Some(700)));
        check(&both, 159, Look::Not);
        check(&both, 900, Look::Holds(Some(160)));
        check(&[HealthClass::NotReady], 900, Look::Not);
        check(&[HealthClass::Changing], 120, Look::Holds(Some(100)));
        assert_eq!(look_at_health(None, &both, 1), Look::Not);
        let loops: Health = serde_json::from_value(json!({
            "class": "failing", "since": 100, "then": [{ "class": "not-ready", "at": 160 }], "failed": 40,
        }))
        .expect("health");
        let check = |classes: &[HealthClass], now_s, expected| {
            assert_eq!(look_at_health(Some(&loops), classes, now_s), expected, "{classes:?} at {now_s}");
        };
        check(&[HealthClass::Failing], 120, Look::Holds(Some(40)));
        check(&[HealthClass::Failing], 160, Look::Between);
        check(&both, 160, Look::Holds(Some(40)));
        check(&[HealthClass::NotReady], 160, Look::Holds(Some(160)));
    }
}
