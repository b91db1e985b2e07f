//! An object that is being deleted. `deletionTimestamp` is when the grace period ends:
//! <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/>.

use shared::health::HealthClass;

use super::conditions::WithConditions;
use super::{MINUTE_S, Subject, Verdict};
use crate::feed::json::part;

/// An object that its finalizers hold for longer than its grace period and this is stuck.
const STUCK_S: i64 = 30;
/// An object that waits for others to go has no grace period of its own, and doesn't say theirs.
const DEPENDENTS_S: i64 = 5 * MINUTE_S;

/// <https://kubernetes.io/docs/concepts/architecture/garbage-collection/#foreground-deletion>
const FOREGROUND: &str = "foregroundDeletion";

/// What a namespace can't delete: `pkg/controller/namespace/deletion/status_condition_utils.go` of Kubernetes.
const NAMESPACE_FAILURES: [&str; 3] = [
    "NamespaceDeletionDiscoveryFailure",
    "NamespaceDeletionGroupVersionParsingFailure",
    "NamespaceDeletionContentFailure",
];

pub(super) fn verdict(subject: &Subject<'_>, is_namespace: bool) -> Option<Verdict> {
    let lifetime = &subject.lifetime;
    let ends = lifetime.deleted?;
    let failure = if is_namespace { namespace_failure(subject) } else { None };
    let reason = match (lifetime.finalizers, &failure) {
        ([], None) => "Terminating".to_owned(),
        ([], Some(failure)) => format!("Terminating, {failure}"),
        (held, _) => format!("Terminating, held by {}", held.join(", ")),
    };
    let waits_for_dependents = match lifetime.finalizers {
        [] => is_namespace && failure.is_none(),
        held => held.iter().all(|finalizer| &**finalizer == FOREGROUND),
    };
    let grace_s = lifetime.grace_s.unwrap_or(0).max(0);
    let stuck_s = if waits_for_dependents { DEPENDENTS_S } else { STUCK_S };
    let stuck = (HealthClass::Failing, grace_s.saturating_add(stuck_s));
    Some(Verdict::changing(reason).since(Some(ends.saturating_sub(grace_s))).then(&[stuck]))
}

/// Why its content can't be deleted.
fn namespace_failure<'a>(subject: &Subject<'a>) -> Option<Box<str>> {
    let status: WithConditions<'a> = part(subject.status)?;
    let mut failures = NAMESPACE_FAILURES.into_iter().filter_map(|kind| status.conditions.find(kind));
    Some(failures.find(|condition| condition.is_true())?.reason())
}
