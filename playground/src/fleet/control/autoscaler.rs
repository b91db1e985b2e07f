//! The HorizontalPodAutoscaler controller: the traffic over the pods there are, and how many that
//! calls for.

use serde_json::{Value, json};

use crate::fleet::context::{CONTROLLERS, Context, condition_of, namespace_of};
use crate::json::{int, int_opt, set, text};

const RESOURCE: &str = "horizontalpodautoscalers.autoscaling";
/// Milli-CPUs that the usual traffic takes in all, and what one pod asks for.
const USUAL_LOAD: i64 = 280;
const REQUEST: i64 = 100;

pub(super) fn reconcile(context: &mut Context<'_>, autoscaler: &Value) {
    let name = text(autoscaler, "/spec/scaleTargetRef/name");
    let Some(target) = context.get("deployments.apps", namespace_of(autoscaler), name) else {
        return;
    };
    let there = int(&target, "/spec/replicas");
    if there <= 0 {
        return;
    }
    let load = USUAL_LOAD * context.memory.traffic / 100;
    let used = (load / there).min(3 * REQUEST);
    let goal = int_opt(autoscaler, "/spec/metrics/0/resource/target/averageUtilization").unwrap_or(80).max(1);
    let (least, most) =
        (int_opt(autoscaler, "/spec/minReplicas").unwrap_or(1), int(autoscaler, "/spec/maxReplicas"));
    let percent = used * 100 / REQUEST;
    // Within a tenth of the goal nothing is done.
    let is_near = (percent - goal).abs() * 10 <= goal;
    let called_for = if is_near { there } else { (there * percent + goal - 1) / goal };
    let desired = called_for.clamp(least, most.max(least));
    let now = context.now;
    let (limited, why, what) = match called_for {
        low if low < least => {
            ("True", "TooFewReplicas", "the desired replica count is less than the minimum replica count")
        }
        high if high > most => {
            ("True", "TooManyReplicas", "the desired replica count is more than the maximum replica count")
        }
        _ => ("False", "DesiredWithinRange", "the desired count is within the acceptable range"),
    };
    let condition =
        |kind, status, reason, message| condition_of(autoscaler, kind, status, reason, message, now);
    let mut status = json!({
        "observedGeneration": 1, "currentReplicas": there, "desiredReplicas": desired,
        "currentMetrics": [{"type": "Resource", "resource": {"name": "cpu", "current": {
            "averageUtilization": percent, "averageValue": format!("{used}m"),
        }}}],
        "conditions": [
            condition("AbleToScale", "True", "ReadyForNewScale", "recommended size matches current size"),
            condition("ScalingActive", "True", "ValidMetricFound", "the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)"),
            condition("ScalingLimited", limited, why, what),
        ],
    });
    if desired != there {
        set(&mut status, &["lastScaleTime"], json!(now));
        context.patch("deployments.apps", &target, CONTROLLERS, json!({"spec": {"replicas": desired}}));
        let reason = if desired > there {
            "cpu resource utilization (percentage of request) above target"
        } else {
            "All metrics below target"
        };
        let message = format!("New size: {desired}; reason: {reason}");
        context.record(RESOURCE, autoscaler, "SuccessfulRescale", &message, "horizontal-pod-autoscaler");
    }
    context.status(RESOURCE, autoscaler, CONTROLLERS, status);
}
