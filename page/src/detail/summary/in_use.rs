//! What a node or a pod uses, against what it has: a share says more than an amount. The amounts are those of the
//! metrics, which the object itself doesn't have.

use serde_json::Value;

use super::super::{read, words};
use super::Fact;
use crate::query::value::quantity;

/// As the columns CPU and MEM of a row have it, and how many pods stand on a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Used {
    /// In cores.
    pub cpu: Option<f64>,
    /// In bytes.
    pub memory: Option<f64>,
    pub pods: Option<usize>,
}

/// `0.48 of 8 CPU (6%) · 1.8 of 31 GiB memory (6%) · 12 of 110 pods (11%)`
pub fn in_use(object: &Value, used: &Used) -> Option<Fact> {
    let has = |resource: &str| match read::group_and_kind(object) {
        Some(("", "Node")) => quantity(&read::text(object, &format!("/status/allocatable/{resource}"))?),
        Some(("", "Pod")) => limit(object, resource),
        _ => None,
    };
    let parts = [
        used.cpu.map(|cpu| words::cores_of(cpu, has("cpu"))),
        used.memory.map(|memory| words::memory_of(memory, has("memory"))),
        used.pods.map(|pods| words::pods_of(pods, has("pods"))),
    ];
    let said: Vec<String> = parts.into_iter().flatten().collect();
    Some(Fact::some("In use", said.join(" · "))?.wide())
}

/// The limits of all containers of a pod that run beside one another. `None`: one of them has none.
fn limit(pod: &Value, resource: &str) -> Option<f64> {
    let own = read::list(pod, "/spec/containers");
    let starting = read::list(pod, "/spec/initContainers").iter();
    let sidecars = starting.filter(|container| read::raw(container, "/restartPolicy") == Some("Always"));
    let of = |container: &Value| quantity(&read::text(container, &format!("/resources/limits/{resource}"))?);
    let sum = own.iter().chain(sidecars).map(of).sum::<Option<f64>>()?;
    (sum > 0.0).then_some(sum)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const GIBIBYTE: f64 = 1_073_741_824.0;

    fn check(object: &Value, used: &Used, expected: Option<&str>) {
        assert_eq!(in_use(object, used).map(|fact| fact.value).as_deref(), expected);
    }

    #[test]
    fn a_node_says_how_much_of_it_is_used() {
        let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
            "status": {"allocatable": {"cpu": "7910m", "memory": "32505856Ki", "pods": "110"}}});
        let used = Used { cpu: Some(0.483), memory: Some(1.8 * GIBIBYTE), pods: Some(12) };
        let expected = "0.48 of 7.91 CPU (6%) · 1.8 of 31 GiB memory (6%) · 12 of 110 pods (11%)";
        check(&node, &used, Some(expected));
        check(&node, &Used { pods: Some(0), ..Used::default() }, Some("0 of 110 pods (0%)"));
        check(&node, &Used { cpu: Some(0.001), ..Used::default() }, Some("0 of 7.91 CPU (<1%)"));
        check(&node, &Used::default(), None);
    }

    #[test]
    fn a_pod_says_what_it_uses_of_its_limits_where_all_containers_have_one() {
        let pod = |limits: [Value; 2]| {
            let [main, sidecar] = limits.map(|limits| json!({"resources": {"limits": limits}}));
            let mut sidecar = sidecar;
            sidecar["restartPolicy"] = json!("Always");
            let once = json!({"resources": {"limits": {"memory": "9Gi"}}});
            json!({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [main], "initContainers": [once, sidecar]}})
        };
        let used = Used { cpu: Some(0.06), memory: Some(0.25 * GIBIBYTE), pods: None };
        let both = pod([json!({"memory": "384Mi"}), json!({"memory": "128Mi", "cpu": "1"})]);
        check(&both, &used, Some("0.06 CPU · 256 of 512 MiB memory (50%)"));
        let large = pod([json!({"memory": "1Gi"}), json!({"memory": "1Gi"})]);
        check(&large, &used, Some("0.06 CPU · 256 MiB of 2 GiB memory (12%)"));
        let unbounded = pod([json!({"memory": "384Mi"}), json!({})]);
        check(&unbounded, &used, Some("0.06 CPU · 256 MiB memory"));
        check(&json!({"apiVersion": "v1", "kind": "Pod"}), &used, Some("0.06 CPU · 256 MiB memory"));
    }
}
