//! Which objects use a ConfigMap, a Secret, a claim or a ServiceAccount: the pods, and the workloads by their templates.
//! They are found by the name alone, which the specs of pods have. Never a value.

use shared::resource::Kind;

use super::{Branch, Tie, branch};
use crate::detail::reference::Reference;
use crate::detail::words;

/// Where the spec of a pod names one, below the spec.
fn paths(group: &str, kind: &str) -> &'static [&'static str] {
    match (group, kind) {
        ("", "ConfigMap") => &[
            ".volumes[*].configMap.name",
            ".volumes[*].projected.sources[*].configMap.name",
            ".containers[*].envFrom[*].configMapRef.name",
            ".containers[*].env[*].valueFrom.configMapKeyRef.name",
            ".initContainers[*].envFrom[*].configMapRef.name",
            ".initContainers[*].env[*].valueFrom.configMapKeyRef.name",
        ],
        ("", "Secret") => &[
            ".volumes[*].secret.secretName",
            ".volumes[*].projected.sources[*].secret.name",
            ".containers[*].envFrom[*].secretRef.name",
            ".containers[*].env[*].valueFrom.secretKeyRef.name",
            ".initContainers[*].envFrom[*].secretRef.name",
            ".initContainers[*].env[*].valueFrom.secretKeyRef.name",
            ".imagePullSecrets[*].name",
        ],
        ("", "PersistentVolumeClaim") => &[".volumes[*].persistentVolumeClaim.claimName"],
        ("", "ServiceAccount") => &[".serviceAccountName"],
        _ => &[],
    }
}

/// Group, plural, kind, and where the spec of its pods stands.
const USERS: [(&str, &str, &str, &str); 5] = [
    ("apps", "deployments", "Deployment", ".spec.template.spec"),
    ("apps", "statefulsets", "StatefulSet", ".spec.template.spec"),
    ("apps", "daemonsets", "DaemonSet", ".spec.template.spec"),
    ("batch", "cronjobs", "CronJob", ".spec.jobTemplate.spec.template.spec"),
    ("", "pods", "Pod", ".spec"),
];

/// The workloads first, then the pods.
pub(super) fn branches(itself: &Reference, kinds: &[Kind]) -> Vec<Option<Branch>> {
    let paths = paths(&itself.group, &itself.kind);
    if paths.is_empty() {
        return Vec::new();
    }
    let tie = || Tie::Names { text: itself.name.clone(), cells: paths.len() };
    let user = |(group, plural, kind, spec): (&str, &str, &'static str, &str)| {
        let branch = branch(itself, kinds, group, plural, kind, tie())?;
        let named: Vec<(String, String)> = paths
            .iter()
            .enumerate()
            .map(|(at, path)| (format!("USED {at}"), format!("{spec}{path}")))
            .collect();
        let columns: Vec<(&str, &str)> = named.iter().map(|(name, path)| (&**name, &**path)).collect();
        Some(Branch { title: words::USED_BY, ..branch.with(&columns) })
    };
    let tls = (&*itself.kind == "Secret").then(|| {
        let tie = Tie::Names { text: itself.name.clone(), cells: 1 };
        let branch = branch(itself, kinds, "networking.k8s.io", "ingresses", "Ingress", tie)?;
        Some(Branch { title: words::USED_BY, ..branch.with(&[("USED", ".spec.tls[*].secretName")]) })
    });
    USERS.into_iter().map(user).chain(tls).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shared::cell::Cell;
    use shared::row::Row;

    use super::*;
    use crate::detail::testing::kind;
    use crate::detail::tree;

    #[test]
    fn pods_and_workloads_use_a_secret_by_its_name_wherever_their_specs_have_it() {
        let kinds = [
            kind("", "pods", "Pod", true),
            kind("apps", "deployments", "Deployment", true),
            kind("batch", "cronjobs", "CronJob", true),
            kind("networking.k8s.io", "ingresses", "Ingress", true),
        ];
        let secret =
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys", "namespace": "shop"}});
        let found = tree::branches(&secret, None, &kinds);
        let said: Vec<(&str, usize, &str)> = found
            .iter()
            .map(|branch| (branch.kind, Vec::from(branch.columns.clone()).len(), branch.title))
            .collect();
        let expected = [
            ("Deployment", 7, "Used by"),
            ("CronJob", 7, "Used by"),
            ("Pod", 7, "Used by"),
            ("Ingress", 1, "Used by"),
        ];
        assert_eq!(said, expected);
        let row = |cells: [&str; 3]| Row {
            cells: cells.iter().map(|text| Cell::text(text)).collect(),
            ..replica::testing::row(1, "shop/a", &[])
        };
        let tie = Tie::Names { text: "keys".to_owned(), cells: 2 };
        assert!(tie.holds(&row(["a", "other,keys", "<none>"])) && tie.holds(&row(["a", "<none>", "keys"])));
        assert!(!tie.holds(&row(["keys", "keys-2", "other"])), "another name, and a cell of the server's");
        let widget = json!({"apiVersion": "example.com/v1", "kind": "Secret", "metadata": {"name": "keys", "namespace": "shop"}});
        assert_eq!(tree::branches(&widget, None, &kinds), [], "a custom kind of that name is no Secret");
    }
}
