//! In which namespaces a viewer may have rights, by the cluster's role bindings. It only narrows down what is asked
//! for: a review confirms each.

use std::collections::{BTreeSet, HashMap};

use k8s_openapi::api::rbac::v1::{RoleBinding, Subject as BoundSubject};
use shared::name::Namespace;

use crate::cluster::Subject;

/// The namespaces of the RoleBindings that name a user or a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    users: HashMap<Box<str>, BTreeSet<Namespace>>,
    groups: HashMap<Box<str>, BTreeSet<Namespace>>,
}

/// The group of all authenticated users; a review names it whatever the credential says.
const EVERYBODY: &str = "system:authenticated";

impl Bindings {
    #[must_use]
    pub fn of(bindings: &[RoleBinding]) -> Self {
        let mut read = Self::default();
        for binding in bindings {
            let namespace = binding.metadata.namespace.as_deref().map(Namespace::parse);
            let Some(Ok(namespace)) = namespace else { continue };
            for subject in binding.subjects.iter().flatten() {
                read.add(subject, &namespace);
            }
        }
        read
    }

    fn add(&mut self, subject: &BoundSubject, namespace: &Namespace) {
        let name = subject.name.as_str();
        let (map, name) = match (subject.kind.as_str(), subject.namespace.as_deref()) {
            ("User", _) => (&mut self.users, name.into()),
            ("Group", _) => (&mut self.groups, name.into()),
            ("ServiceAccount", Some(of)) => {
                (&mut self.users, format!("system:serviceaccount:{of}:{name}").into_boxed_str())
            }
            _ => return,
        };
        map.entry(name).or_default().insert(namespace.clone());
    }

    /// Sorted, each once.
    #[must_use]
    pub fn namespaces_of(&self, subject: &Subject) -> Vec<Namespace> {
        let groups = subject.groups.iter().map(|group| &**group).chain([EVERYBODY]);
        let by_group = groups.filter_map(|group| self.groups.get(group));
        let all: BTreeSet<&Namespace> =
            self.users.get(&subject.user).into_iter().chain(by_group).flatten().collect();
        all.into_iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_viewer_is_named_as_a_user_a_group_a_service_account_or_with_everybody() {
        let binding = |namespace: &str, subjects: Value| {
            let role = json!({"apiGroup": "", "kind": "Role", "name": "r"});
            let binding = json!({"metadata": {"name": "b", "namespace": namespace}, "roleRef": role, "subjects": subjects});
            serde_json::from_value::<RoleBinding>(binding).expect("a binding")
        };
        let bindings = Bindings::of(&[
            binding("a", json!([{"kind": "User", "name": "alice"}, {"kind": "User", "name": "bob"}])),
            binding("b", json!([{"kind": "Group", "name": "dev"}])),
            binding("c", json!([{"kind": "ServiceAccount", "name": "alice", "namespace": "ci"}])),
            binding("d", json!([{"kind": "Group", "name": "system:authenticated"}])),
            binding("e", json!([{"kind": "Odd", "name": "alice"}])),
            binding("f", json!(null)),
        ]);
        let check = |user: &str, groups: &[&str], expected: &[&str]| {
            let groups = groups.iter().map(|group| (*group).into()).collect();
            let subject = Subject { user: user.into(), uid: "".into(), groups, extra: [].into() };
            let found = bindings.namespaces_of(&subject);
            assert_eq!(found.iter().map(Namespace::as_str).collect::<Vec<_>>(), expected, "{user}");
        };
        check("alice", &[], &["a", "d"]);
        check("alice", &["dev", "a"], &["a", "b", "d"]);
        check("system:serviceaccount:ci:alice", &[], &["c", "d"]);
        check("carol", &[], &["d"]);
    }
}
