//! The forms of a question about one object: those of `kubectl wait`
//! (<https://kubernetes.io/docs/reference/kubectl/generated/kubectl_wait/>), in its own words where it refuses one, and
//! the comparisons of the page's filter. Never what became of an object before.

use page::detail::yaml::MASK;
use page::query::{Filter, Reading};
use replica::table::Entry;
use serde_json::Value;
use shared::column::Column;
use shared::duration::UnixSeconds;
use shared::health::Standing;
use shared::json_path::{Effort, JsonPath};
use shared::rollout::{Rollout, Workload};

use crate::waited_for::{has_condition, is_value, rollout};

/// What one `--for` asks.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// As it was given.
    text: Box<str>,
    asks: Asks,
}

#[derive(Clone, Debug)]
pub(super) enum Asks {
    /// The object is there, or was.
    Created,
    Deleted,
    /// As `kubectl rollout status` waits.
    Rollout,
    Condition {
        kind: Box<str>,
        status: Box<str>,
    },
    JsonPath {
        path: JsonPath,
        /// `None`: any value.
        value: Option<Box<str>>,
    },
    /// Comparisons of columns and of `health`, all of which must hold.
    Filter(Box<Filter>),
}

/// What a form says of an object that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    So,
    /// It isn't so now, and goes on: it fails again and again.
    Between,
    NotSo,
    /// kubectl ends with this sentence.
    Refused(&'static str),
    /// The value is behind a mask.
    Masked,
}

impl Form {
    /// Fails with one sentence: kubectl's where it refuses the same.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let asks = match text.to_lowercase().as_str() {
            "create" => Asks::Created,
            "delete" => Asks::Deleted,
            "rollout" => Asks::Rollout,
            _ => match (text.strip_prefix("condition="), text.strip_prefix("jsonpath=")) {
                (Some(condition), _) => {
                    let (kind, status) = condition.split_once('=').unwrap_or((condition, "true"));
                    Asks::Condition { kind: kind.into(), status: status.into() }
                }
                (None, Some(input)) => json_path(input)?,
                (None, None) => comparison(text)?,
            },
        };
        Ok(Self { text: text.into(), asks })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn asks(&self) -> &Asks {
        &self.asks
    }

    /// Whether it reads the object, and not its row.
    pub(super) fn reads_object(&self) -> bool {
        matches!(self.asks, Asks::Condition { .. } | Asks::JsonPath { .. } | Asks::Rollout)
    }

    pub(super) fn reads_row(&self) -> bool {
        matches!(self.asks, Asks::Filter(_))
    }

    /// Looks up the columns of its comparisons. Fails with one sentence: the table has no such column, or the column no
    /// such values.
    pub(super) fn bind(&mut self, columns: &[Column]) -> Result<(), String> {
        let Asks::Filter(filter) = &mut self.asks else { return Ok(()) };
        filter.bind(columns, None);
        match filter.unread() {
            Some((term, why)) => Err(format!("{term}: {why}")),
            None => Ok(()),
        }
    }

    /// `object`: where any form reads it. `now`: by the cluster's clock.
    pub(super) fn of(&self, entry: &Entry, object: Option<&Value>, now: UnixSeconds) -> Truth {
        let is_so = match &self.asks {
            Asks::Created => true,
            Asks::Deleted => false,
            Asks::Rollout => return object.map_or(Truth::NotSo, rolled_out),
            Asks::Filter(filter) => {
                return match filter.standing(entry, now) {
                    Standing::So => Truth::So,
                    Standing::Between => Truth::Between,
                    Standing::Not => Truth::NotSo,
                };
            }
            Asks::Condition { kind, status } => {
                object.is_some_and(|object| has_condition(object, kind, status).is_some())
            }
            Asks::JsonPath { path, value } => {
                return object.map_or(Truth::NotSo, |object| selects(object, path, value.as_deref()));
            }
        };
        if is_so { Truth::So } else { Truth::NotSo }
    }
}

/// Where kubectl ends with an error, so does this.
fn rolled_out(object: &Value) -> Truth {
    let of = |kind: &str| match kind {
        "Deployment" => Some(Workload::Deployment),
        "StatefulSet" => Some(Workload::StatefulSet),
        "DaemonSet" => Some(Workload::DaemonSet),
        _ => None,
    };
    match object.get("kind").and_then(Value::as_str).and_then(of) {
        None => Truth::Refused("only a Deployment, a StatefulSet and a DaemonSet have rollouts"),
        Some(workload) => match rollout(workload, object) {
            Rollout::Going => Truth::NotSo,
            Rollout::Complete => Truth::So,
            Rollout::Failed => Truth::Refused("the deployment exceeded its progress deadline"),
            Rollout::ByHand => {
                Truth::Refused("rollout status is only available for RollingUpdate strategy type")
            }
        },
    }
}

/// A word alone is a filter of the page, but more likely a condition's name.
fn comparison(text: &str) -> Result<Asks, String> {
    let unrecognized = || format!("unrecognized condition: {text:?}");
    let filter = Filter::parse(text);
    if let Some((term, why)) = filter.unread() {
        return Err(format!("{}: {term}: {why}", unrecognized()));
    }
    let marks = filter.marks();
    let mut terms = marks.iter().filter(|mark| !mark.text.trim().is_empty()).peekable();
    let is_read = terms.peek().is_some() && terms.all(|mark| mark.reading == Reading::Compared);
    if is_read { Ok(Asks::Filter(Box::new(filter))) } else { Err(unrecognized()) }
}

/// As kubectl reads it: one `=` stands between path and value, and two belong to the path.
fn json_path(input: &str) -> Result<Asks, String> {
    let (path, value) = match split(input).as_slice() {
        [path] => (path.clone(), None),
        [path, value] => (path.clone(), Some(value.trim_matches(['\'', '"']).to_owned())),
        _ => {
            return Err("jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'".to_owned());
        }
    };
    if path.is_empty() {
        return Err("jsonpath expression cannot be empty".to_owned());
    }
    let inner = path.strip_prefix('{').and_then(|path| path.strip_suffix('}')).unwrap_or(&path);
    if inner.is_empty() || inner.contains(['{', '}']) {
        return Err("unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'".to_owned());
    }
    if value.as_deref() == Some("") {
        return Err("jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3".to_owned());
    }
    let path = JsonPath::parse_relaxed(&path).map_err(|error| error.message)?;
    Ok(Asks::JsonPath { path, value: value.map(Into::into) })
}

fn split(input: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut characters = input.chars().peekable();
    while let Some(character) = characters.next() {
        let is_double = character == '=' && characters.next_if_eq(&'=').is_some();
        match (character, parts.last_mut()) {
            ('=', Some(last)) if is_double => last.push_str("=="),
            ('=', _) => parts.push(String::new()),
            (other, Some(last)) => last.push(other),
            (_, None) => {}
        }
    }
    parts
}

fn selects(object: &Value, path: &JsonPath, value: Option<&str>) -> Truth {
    let found = path.select(object, &mut Effort(VALUES_MAX)).values;
    match (found.as_slice(), value) {
        ([], _) => Truth::NotSo,
        ([_, _, ..], _) => Truth::Refused("given jsonpath expression matches more than one value"),
        ([_], None) => Truth::So,
        ([Value::Object(_) | Value::Array(_)], Some(_)) => {
            Truth::Refused("jsonpath leads to a nested object or list which is not supported")
        }
        ([Value::String(text)], Some(_)) if text.contains(MASK) => Truth::Masked,
        ([found], Some(value)) if is_value(found, value) => Truth::So,
        ([_], Some(_)) => Truth::NotSo,
    }
}

/// The values that a path may look at within one object: `..` looks at each of them.
const VALUES_MAX: usize = 1_000_000;
