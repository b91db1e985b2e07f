//! All roles and bindings together: what a user may do, and by which binding. They are read anew for
//! every question, so a change of them holds at once.

use serde_json::{Value, json};

use super::rule::Rule;
use super::user::{MASTERS, User};
use crate::json::{list, map, text};
use crate::resource::GroupResource;
use crate::store::{Store, key_of};
use kubernetes_api::Attributes;

const GROUP: &str = "rbac.authorization.k8s.io";
/// `admin` is made of `edit`, which is made of `view`; a role that is made of itself ends here.
const AGGREGATION_DEPTH_MAX: u32 = 4;

/// The rights that a store's objects give.
#[derive(Debug)]
pub struct Rights<'a> {
    store: &'a Store,
}

/// A binding that has the user as a subject.
struct Granted {
    rules: Vec<Rule>,
    reason: String,
}

impl<'a> Rights<'a> {
    pub fn of(store: &'a Store) -> Self {
        Self { store }
    }

    /// Why a user may do this, in the real authorizer's words; empty for a superuser. None: he may not.
    pub fn reason(&self, user: &User, attributes: &Attributes<'_>) -> Option<String> {
        if user.is_in(MASTERS) {
            return Some(String::new());
        }
        let granted = self.granted(user, attributes.requested.namespace()).into_iter();
        let mut allowing = granted.filter(|granted| granted.rules.iter().any(|rule| rule.allows(attributes)));
        allowing.next().map(|granted| granted.reason)
    }

    /// Everything that a user may do in a namespace, as a rules review lists it.
    pub fn rules(&self, user: &User, namespace: &str) -> Vec<Rule> {
        if user.is_in(MASTERS) {
            return vec![
                Rule::read(&json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]})),
                Rule::read(&json!({"verbs": ["*"], "nonResourceURLs": ["*"]})),
            ];
        }
        self.granted(user, namespace).into_iter().flat_map(|granted| granted.rules).collect()
    }

    /// Those of the whole cluster first, then those of the namespace.
    fn granted(&self, user: &User, namespace: &str) -> Vec<Granted> {
        let mut granted = self.bound(user, "clusterrolebindings", "");
        if !namespace.is_empty() {
            granted.extend(self.bound(user, "rolebindings", namespace));
        }
        granted
    }

    fn bound(&self, user: &User, plural: &str, namespace: &str) -> Vec<Granted> {
        let bindings = self.store.objects(&GroupResource::new(GROUP, plural), namespace);
        let of_user = |binding: &Value| {
            let subject =
                list(binding, "/subjects").iter().find(|subject| is_subject(subject, user, namespace))?;
            let (kind, role) = (text(binding, "/roleRef/kind"), text(binding, "/roleRef/name"));
            let rules = self.role(kind, namespace, role)?;
            let (binding_kind, name) = match namespace {
                "" => ("ClusterRoleBinding", text(binding, "/metadata/name").to_owned()),
                _ => ("RoleBinding", format!("{}/{namespace}", text(binding, "/metadata/name"))),
            };
            let whom = said(subject, namespace);
            let reason = format!("RBAC: allowed by {binding_kind} \"{name}\" of {kind} \"{role}\" to {whom}");
            Some(Granted { rules, reason })
        };
        bindings.iter().filter_map(|binding| of_user(&binding.value())).collect()
    }

    /// None where the role that a binding names isn't there.
    fn role(&self, kind: &str, namespace: &str, name: &str) -> Option<Vec<Rule>> {
        let (plural, namespace) = if kind == "Role" { ("roles", namespace) } else { ("clusterroles", "") };
        let found = self.store.get(&GroupResource::new(GROUP, plural), &key_of(namespace, name))?;
        Some(self.rules_of(&found.value(), AGGREGATION_DEPTH_MAX))
    }

    fn rules_of(&self, role: &Value, depth: u32) -> Vec<Rule> {
        match depth.checked_sub(1) {
            Some(depth) if map(role, "/aggregationRule").is_some() => self.aggregated(role, depth),
            _ => list(role, "/rules").iter().map(Rule::read).collect(),
        }
    }

    /// The rules of all cluster roles that a selector chooses. A controller writes them into the real
    /// one; there is none here, so they are put together when they are asked for.
    fn aggregated(&self, role: &Value, depth: u32) -> Vec<Rule> {
        let roles = self.store.objects(&GroupResource::new(GROUP, "clusterroles"), "");
        let selectors: Vec<_> = list(role, "/aggregationRule/clusterRoleSelectors")
            .iter()
            .map(|selector| crate::json::texts(selector, "/matchLabels"))
            .collect();
        let chosen = roles.iter().filter(|found| {
            selectors
                .iter()
                .any(|labels| labels.iter().all(|(key, value)| found.labels.get(key) == Some(value)))
        });
        chosen.flat_map(|found| self.rules_of(&found.value(), depth)).collect()
    }
}

fn is_subject(subject: &Value, user: &User, namespace: &str) -> bool {
    let name = text(subject, "/name");
    match text(subject, "/kind") {
        "User" => name == user.name,
        "Group" => user.is_in(name),
        "ServiceAccount" => user.service_account() == Some((namespace_of(subject, namespace), name)),
        _ => false,
    }
}

/// A ServiceAccount without a namespace is of the binding's own.
fn namespace_of<'a>(subject: &'a Value, namespace: &'a str) -> &'a str {
    match text(subject, "/namespace") {
        "" => namespace,
        named => named,
    }
}

fn said(subject: &Value, namespace: &str) -> String {
    let name = text(subject, "/name");
    match text(subject, "/kind") {
        "ServiceAccount" => format!("ServiceAccount \"{name}/{}\"", namespace_of(subject, namespace)),
        kind => format!("{kind} \"{name}\""),
    }
}
