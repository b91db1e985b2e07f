//! Conditions, as kinds of any maker have them:
//! <https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties>,
//! and kstatus' `Reconciling` and `Stalled`.

use serde::Deserialize;
use shared::health::HealthClass;

use super::json::{Condition, Conditions, conditions, part};
use super::{SOON_FAILING, Subject, Verdict};

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

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WithConditions<'a> {
    #[serde(borrow, deserialize_with = "conditions")]
    pub(super) conditions: Conditions<'a>,
}

/// The object has no condition that a rule reads.
pub(super) struct NothingSaid;

/// `Ok(None)`: its conditions say that it is fine.
pub(super) fn verdict(subject: &Subject<'_>) -> Result<Option<Verdict>, NothingSaid> {
    let status: WithConditions<'_> = part(subject.status).unwrap_or_default();
    of(&status.conditions)
}

pub(super) fn of(conditions: &Conditions<'_>) -> Result<Option<Verdict>, NothingSaid> {
    let all = &conditions.0;
    let said = |names: &[&str], condition: &&Condition<'_>| names.iter().any(|name| condition.is(name));
    if let Some(bad) = all.iter().find(|it| said(&BAD, it) && it.is_true()) {
        return Ok(Some(failing(bad)));
    }
    if let Some(condition) = all.iter().find(|it| it.is("Reconciling") && it.is_true()) {
        return Ok(Some(Verdict::changing(condition.reason()).since(condition.since())));
    }
    // Which of them stand there is the maker's choice; the first that isn't true decides.
    let mut good = all.iter().filter(|it| said(&GOOD, it)).peekable();
    let is_silent = good.peek().is_none() && !all.iter().any(|it| said(&BAD, &it));
    match good.find(|it| it.is_not_true()) {
        Some(condition) => {
            Ok(Some(Verdict::changing(condition.reason()).since(condition.since()).then(SOON_FAILING)))
        }
        None if is_silent => Err(NothingSaid),
        None => Ok(None),
    }
}

/// A kind without any state has no `status`, or an empty one.
pub(super) fn has_state(subject: &Subject<'_>) -> bool {
    !matches!(subject.status, b"" | b"{}" | b"null")
}

/// The condition says what is wrong.
pub(super) fn failing(condition: &Condition<'_>) -> Verdict {
    Verdict::of(HealthClass::Failing, condition.reason()).since(condition.since())
}
