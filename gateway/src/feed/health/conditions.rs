//! Conditions, as kinds of any maker have them:
//! <https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties>,
//! and kstatus' `Reconciling` and `Stalled`.

use serde::{Deserialize, Deserializer};
use shared::duration::UnixSeconds;
use shared::health::HealthClass;
use shared::instant;

use super::{SOON_FAILING, Subject, Verdict};
use crate::feed::json::{Text, list, part, text};

/// True is trouble.
const BAD: [&str; 3] = ["Stalled", "Degraded", "Failed"];
/// True is good.
const GOOD: [&str; 9] = [
    "Ready",
    "Available",
    "Healthy",
    "Synced",
    "Succeeded",
    "Accepted",
    "Programmed",
    "Established",
    "NamesAccepted",
];

/// What Strimzi says instead of `Ready` False:
/// <https://github.com/argoproj/argo-cd/tree/master/resource_customizations/kafka.strimzi.io>. It says
/// `ReconciliationPaused` and nothing else where an annotation pauses it.
const NOT_READY: &str = "NotReady";

/// A condition of an object, as `status.conditions` lists it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(in crate::feed) struct Condition<'a> {
    #[serde(rename = "type", borrow, deserialize_with = "text")]
    pub(super) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(super) status: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(super) reason: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    last_transition_time: Text<'a>,
}

/// The conditions of an object.
#[derive(Debug, Default)]
pub(in crate::feed) struct Conditions<'a>(pub(super) Vec<Condition<'a>>);

impl<'a> Conditions<'a> {
    pub(in crate::feed) fn find(&self, kind: &str) -> Option<&Condition<'a>> {
        self.0.iter().find(|condition| condition.is(kind))
    }
}

impl Condition<'_> {
    pub(super) fn is(&self, kind: &str) -> bool {
        self.kind.as_deref() == Some(kind)
    }

    pub(in crate::feed) fn is_true(&self) -> bool {
        self.status.as_deref() == Some("True")
    }

    pub(super) fn is_false(&self) -> bool {
        self.status.as_deref() == Some("False")
    }

    /// False or Unknown, but not an answer that is missing.
    pub(super) fn is_not_true(&self) -> bool {
        matches!(self.status.as_deref(), Some("False" | "Unknown"))
    }

    pub(super) fn since(&self) -> Option<UnixSeconds> {
        instant::seconds(self.last_transition_time.as_deref()?)
    }

    /// Its reason, or its type where it has none: `Ready False` of a pod whose node is silent.
    pub(super) fn reason(&self) -> Box<str> {
        let kind = self.kind.as_deref().unwrap_or_default();
        match (self.reason.as_deref(), self.status.as_deref()) {
            (Some(reason), _) if !reason.is_empty() => reason.into(),
            (_, Some(status)) if status != "True" => format!("{kind} {status}").into(),
            _ => kind.into(),
        }
    }
}

pub(in crate::feed) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Conditions<'de>, D::Error> {
    list(deserializer).map(Conditions)
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WithConditions<'a> {
    #[serde(borrow, deserialize_with = "read")]
    pub(super) conditions: Conditions<'a>,
}

/// The object has no condition that a rule reads.
pub(super) struct NothingSaid;

/// `Ok(None)`: its conditions say that it is fine.
pub(super) fn verdict(subject: &Subject<'_>) -> Result<Option<Verdict>, NothingSaid> {
    let status: WithConditions<'_> = part(subject.status).unwrap_or_default();
    of(&status.conditions)
}

/// A custom kind with a state that no rule reads is unknown.
pub(super) fn or_unknown(subject: &Subject<'_>) -> Option<Verdict> {
    verdict(subject)
        .unwrap_or_else(|NothingSaid| has_state(subject).then(|| Verdict::of(HealthClass::Unknown, "")))
}

fn of(conditions: &Conditions<'_>) -> Result<Option<Verdict>, NothingSaid> {
    let all = &conditions.0;
    let said = |names: &[&str], condition: &&Condition<'_>| names.iter().any(|name| condition.is(name));
    if let Some(bad) = all.iter().find(|it| said(&BAD, it) && it.is_true()) {
        return Ok(Some(failing(bad)));
    }
    if let Some(condition) = all.iter().find(|it| it.is("Reconciling") && it.is_true()) {
        return Ok(Some(Verdict::changing(condition.reason()).since(condition.since())));
    }
    // Which of them stand there is the maker's choice; the first that isn't true decides.
    let is_missing =
        |it: &&Condition<'_>| (said(&GOOD, it) && is_lacking(it)) || (it.is(NOT_READY) && it.is_true());
    let (paused, missing): (Vec<_>, Vec<_>) = all.iter().filter(is_missing).partition(|it| is_paused(it));
    if let Some(condition) = missing.first() {
        return Ok(Some(lacks(condition.reason(), condition)));
    }
    let is_read = |it: &&Condition<'_>| said(&GOOD, it) || said(&BAD, it) || it.is(NOT_READY);
    if let Some(condition) = all.iter().filter(is_read).find(|it| !is_lacking(it) && !it.is_true()) {
        return Ok(Some(Verdict::of(HealthClass::Unknown, condition.reason()).since(condition.since())));
    }
    let strimzi_paused = all.iter().find(|it| it.is("ReconciliationPaused") && it.is_true());
    match paused.first().copied().or(strimzi_paused) {
        Some(paused) => Ok(Some(Verdict::fine(paused.reason()).since(paused.since()))),
        None if !all.iter().any(|it| is_read(&it)) => Err(NothingSaid),
        None => Ok(None),
    }
}

/// Prometheus' operator knows a fourth status:
/// <https://prometheus-operator.dev/docs/api-reference/api/>.
fn is_lacking(condition: &Condition<'_>) -> bool {
    condition.is_not_true() || condition.status.as_deref() == Some("Degraded")
}

/// An annotation tells the controllers of Crossplane to leave the object alone:
/// <https://github.com/crossplane/crossplane-runtime/blob/main/apis/common/condition.go>.
fn is_paused(condition: &Condition<'_>) -> bool {
    condition.is("Synced") && condition.reason.as_deref() == Some("ReconcilePaused")
}

/// The condition says what is missing, which may still come.
pub(super) fn lacks(reason: impl Into<Box<str>>, condition: &Condition<'_>) -> Verdict {
    Verdict::changing(reason).since(condition.since()).then(SOON_FAILING)
}

/// A kind without any state has no `status`, or an empty one.
pub(super) fn has_state(subject: &Subject<'_>) -> bool {
    !matches!(subject.status, b"" | b"{}" | b"null")
}

/// The condition says what is wrong.
pub(super) fn failing(condition: &Condition<'_>) -> Verdict {
    Verdict::of(HealthClass::Failing, condition.reason()).since(condition.since())
}
