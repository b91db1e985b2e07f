//! A summary of an object: the facts of its kind that people open `kubectl describe` for, and those of every kind.
//! A kind without facts of its own, as every custom one, has the scalars of its spec and its status.

mod container;
mod facts;
mod fields;
mod in_use;
mod own;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::condition::{self, Condition};
use super::read::{self, Now};
use super::reference::Reference;
use super::words;
use super::yaml::MASK;
use crate::messages;

pub use container::{Container, Role, containers};
pub use fields::{ScalarField, Scalars};
pub use in_use::{Used, in_use};

/// One fact of a summary: a label, its value, and how it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fact {
    /// Empty where it continues the one above.
    pub label: &'static str,
    pub value: String,
    /// The labels of a set, each shown as a chip in place of the value.
    pub chips: Vec<String>,
    /// Shown fainter, after the value.
    pub note: String,
    pub is_mono: bool,
    /// Takes a whole line, which has room for two others.
    pub is_wide: bool,
    pub link: Option<Reference>,
    /// The address of what `link` names, if the cluster serves it.
    pub href: Option<String>,
    /// It changed lately.
    pub is_new: bool,
}

/// The object's current state, in the parts of the tab Overview.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    pub facts: Vec<Fact>,
    pub containers: Vec<Container>,
    /// In the object's order, so that none moves when it flips.
    pub conditions: Vec<ConditionRow>,
    /// Where the kind has no facts of its own.
    pub status: Scalars,
    pub spec: Scalars,
    pub annotations: Vec<(String, String)>,
    pub finalizers: Vec<String>,
    /// The keys of a ConfigMap or a Secret, each with the size of its value.
    pub data: Vec<(String, String)>,
    /// Why values of the data have no size.
    pub data_note: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConditionRow {
    pub condition: Condition,
    /// The time of its last transition.
    pub since: String,
    /// It changed lately.
    pub is_new: bool,
}

/// A fact with more characters takes a whole line.
const HALF_CHARACTERS_MAX: usize = 26;

pub fn overview(object: &Value, now: Now) -> Overview {
    let facts = deletion(object, now).into_iter().chain(in_two_columns(facts::facts(object, now))).collect();
    let with_time = |condition: Condition| {
        let since = condition.since.map(|at| now.clock(at)).unwrap_or_default();
        ConditionRow { condition, since, is_new: false }
    };
    let has_own = facts::are_known(object);
    let scalars = |at| if has_own { Scalars::default() } else { fields::scalars(object, at, now) };
    Overview {
        facts,
        containers: containers(object, now),
        conditions: condition::conditions(object).into_iter().map(with_time).collect(),
        status: scalars("/status"),
        spec: scalars("/spec"),
        annotations: read::pairs(object, "/metadata/annotations"),
        finalizers: read::list(object, "/metadata/finalizers").iter().map(read::scalar).collect(),
        data_note: data_note(object),
        data: data(object),
    }
}

/// First those that take half a line, and of an odd number the last one a whole line: no half stays empty.
fn in_two_columns(mut facts: Vec<Fact>) -> Vec<Fact> {
    for fact in &mut facts {
        fact.is_wide |= fact.value.chars().count() + fact.note.chars().count() > HALF_CHARACTERS_MAX;
    }
    let (mut halves, wide): (Vec<Fact>, Vec<Fact>) = facts.into_iter().partition(|fact| !fact.is_wide);
    if halves.len() % 2 == 1
        && let Some(last) = halves.last_mut()
    {
        last.is_wide = true;
    }
    halves.into_iter().chain(wide).collect()
}

/// An object that is being deleted says so before all else.
fn deletion(object: &Value, now: Now) -> Option<Fact> {
    Some(Fact::of("Deleting", now.clock_and_age(read::deletion_began(object)?)).wide())
}

/// Values aren't shown here: their size says whether there is one, where the gateway doesn't mask them.
fn data(object: &Value) -> Vec<(String, String)> {
    if !matches!(read::group_and_kind(object), Some(("", "ConfigMap" | "Secret"))) {
        return Vec::new();
    }
    let members = |pointer: &str| object.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
    let sized = |(key, value): (&String, &Value)| {
        let value = value.as_str().unwrap_or_default();
        let size =
            if value == MASK { messages::MASKED_VALUE.to_owned() } else { messages::bytes(value.len()) };
        (crate::cells::shown(key).into_owned(), size)
    };
    members("/data").chain(members("/binaryData")).map(sized).collect()
}

fn data_note(object: &Value) -> &'static str {
    let is_masked = data(object).iter().any(|(_, size)| size == messages::MASKED_VALUE);
    match read::group_and_kind(object) {
        Some(("", "ConfigMap")) if is_masked => words::MASKED_CONFIG_MAP,
        _ => "",
    }
}

impl Fact {
    fn of(label: &'static str, value: String) -> Self {
        let note = String::new();
        let chips = Vec::new();
        Self {
            label,
            value,
            chips,
            note,
            is_mono: false,
            is_wide: false,
            link: None,
            href: None,
            is_new: false,
        }
    }

    /// `None` where there is no value.
    fn some(label: &'static str, value: String) -> Option<Self> {
        (!value.is_empty()).then(|| Self::of(label, value))
    }

    fn mono(self) -> Self {
        Self { is_mono: true, ..self }
    }

    fn wide(self) -> Self {
        Self { is_wide: true, ..self }
    }

    fn linked(self, link: Reference) -> Self {
        Self { link: Some(link), ..self }
    }
}
