//! Kinds of other makers whose conditions mean something else than their names say elsewhere. A kind that isn't here is
//! read by its conditions alone.

use serde::Deserialize;

use super::conditions::{self, WithConditions, failing, lacks};
use super::{Subject, Verdict};
use crate::feed::json::{part, truth};

/// `Succeeded` is Unknown from the start of a run to its end, which may be an hour away:
/// <https://tekton.dev/docs/pipelines/pipelineruns/#monitoring-execution-status>.
pub(super) fn tekton_run(subject: &Subject<'_>) -> Option<Verdict> {
    let status: WithConditions<'_> = part(subject.status)?;
    let running = status.conditions.find("Succeeded").filter(|it| it.status.as_deref() == Some("Unknown"))?;
    Some(Verdict::changing(running.reason()).since(running.since()))
}

/// A rollout in its steps isn't `Healthy`, with the reason RolloutHealthy, and one that waits in a step is `Paused`:
/// <https://github.com/argoproj/argo-rollouts/blob/master/utils/conditions/conditions.go>. `Progressing` says what it
/// does, and is False after its deadline.
pub(super) fn argo_rollout(subject: &Subject<'_>) -> Option<Verdict> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Spec {
        #[serde(deserialize_with = "truth")]
        paused: Option<bool>,
    }
    let status: WithConditions<'_> = part(subject.status).unwrap_or_default();
    let all = &status.conditions;
    let (progressing, paused) = (all.find("Progressing"), all.find("Paused").filter(|it| it.is_true()));
    let invalid = all.find("InvalidSpec").filter(|it| it.is_true());
    if let Some(condition) = invalid.or(progressing.filter(|it| it.is_false())) {
        return Some(failing(condition));
    }
    if let Some(condition) = all.find("Available").filter(|it| it.is_not_true()) {
        return Some(lacks("Available False", condition));
    }
    let spec: Spec = part(subject.spec).unwrap_or_default();
    if paused.is_some() || spec.paused == Some(true) {
        return Some(Verdict::fine("Paused").since(paused.and_then(|it| it.since())));
    }
    let Some(unhealthy) = all.find("Healthy").filter(|it| it.is_not_true()) else {
        return conditions::or_unknown(subject);
    };
    let is_over = |reason: &str| reason == "NewReplicaSetAvailable";
    match progressing.filter(|it| !it.reason.as_deref().is_none_or(is_over)) {
        Some(progressing) => Some(Verdict::changing(progressing.reason()).since(progressing.since())),
        None => Some(lacks("Healthy False", unhealthy)),
    }
}
