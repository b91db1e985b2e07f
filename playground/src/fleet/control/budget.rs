//! The disruption controller: how many pods of a budget may be evicted now.

use serde_json::{Value, json};

use crate::fleet::context::{CONTROLLERS, Context, condition_of, is_active, is_true, namespace_of};
use crate::fleet::follow::selects;
use crate::json::{int, int_opt, texts};

const RESOURCE: &str = "poddisruptionbudgets.policy";

pub(super) fn reconcile(context: &mut Context<'_>, budget: &Value) {
    let selector = texts(budget, "/spec/selector/matchLabels");
    let mut pods = context.list("pods", namespace_of(budget), |pod| selects(&selector, pod));
    pods.retain(|pod| is_active(pod));
    let expected = i64::try_from(pods.len()).unwrap_or_default();
    let healthy = i64::try_from(pods.iter().filter(|pod| is_true(pod, "Ready")).count()).unwrap_or_default();
    let desired = match int_opt(budget, "/spec/maxUnavailable") {
        Some(lost) => (expected - lost).max(0),
        None => int(budget, "/spec/minAvailable"),
    };
    let allowed = (healthy - desired).max(0);
    let (status, reason) =
        if allowed > 0 { ("True", "SufficientPods") } else { ("False", "InsufficientPods") };
    let condition = condition_of(budget, "DisruptionAllowed", status, reason, "", context.now);
    let status = json!({
        "currentHealthy": healthy, "desiredHealthy": desired, "disruptionsAllowed": allowed,
        "expectedPods": expected, "observedGeneration": int(budget, "/metadata/generation"), "conditions": [condition],
    });
    context.status(RESOURCE, budget, CONTROLLERS, status);
}
