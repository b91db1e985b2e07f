//! One rule of a role: verbs on resources, or on paths.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use kubernetes_api::{Attributes, Requested};

/// As it stands in a Role's `rules`, and in the answer to a rules review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rule {
    verbs: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    api_groups: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resources: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resource_names: Vec<String>,
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "Vec::is_empty")]
    paths: Vec<String>,
}

const ALL: &str = "*";

impl Rule {
    /// A rule that can't be read allows nothing.
    pub fn read(value: &Value) -> Self {
        Self::deserialize(value).unwrap_or_default()
    }

    pub fn allows(&self, attributes: &Attributes<'_>) -> bool {
        let has = |list: &[String], text: &str| list.iter().any(|found| found == ALL || found == text);
        if !has(&self.verbs, attributes.verb) {
            return false;
        }
        match &attributes.requested {
            Requested::Path(path) => self.paths.iter().any(|found| matches_path(found, path)),
            Requested::Resource { group, resource, subresource, name, .. } => {
                has(&self.api_groups, group)
                    && self.resources.iter().any(|found| matches_resource(found, resource, subresource))
                    && (self.resource_names.is_empty()
                        || self.resource_names.iter().any(|found| found == name))
            }
        }
    }

    /// Whether it is about resources; the others are about paths.
    pub fn is_of_resources(&self) -> bool {
        !self.resources.is_empty()
    }
}

/// `*`, `pods`, `pods/log` or `*/scale`.
fn matches_resource(rule: &str, resource: &str, subresource: &str) -> bool {
    match rule.split_once('/') {
        None => rule == ALL || (rule == resource && subresource.is_empty()),
        Some((of, sub)) => !subresource.is_empty() && sub == subresource && (of == ALL || of == resource),
    }
}

/// A path, or a beginning of one with `*` at its end.
fn matches_path(rule: &str, path: &str) -> bool {
    match rule.strip_suffix('*') {
        Some(beginning) => path.starts_with(beginning),
        None => rule == path,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask<'a>(verb: &'a str, group: &'a str, resource: &'a str, name: &'a str) -> Attributes<'a> {
        let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
        Attributes {
            verb,
            requested: Requested::Resource { group, resource, subresource, namespace: "", name },
        }
    }

    #[test]
    fn a_rule_allows_what_it_names_and_nothing_else() {
        let rule = |groups: &[&str], resources: &[&str], names: &[&str]| {
            Rule::read(
                &json!({"verbs": ["get", "list"], "apiGroups": groups, "resources": resources, "resourceNames": names}),
            )
        };
        for (rule, ask, expected) in [
            (rule(&[""], &["pods"], &[]), ask("list", "", "pods", ""), true),
            (rule(&[""], &["pods"], &[]), ask("watch", "", "pods", ""), false),
            (rule(&[""], &["pods"], &[]), ask("list", "apps", "pods", ""), false),
            (rule(&["*"], &["*"], &[]), ask("get", "apps", "deployments/scale", "a"), true),
            (rule(&[""], &["pods"], &[]), ask("get", "", "pods/log", "a"), false),
            (rule(&[""], &["pods/log"], &[]), ask("get", "", "pods/log", "a"), true),
            (rule(&[""], &["pods/log"], &[]), ask("get", "", "pods", "a"), false),
            (rule(&["*"], &["*/scale"], &[]), ask("get", "apps", "deployments/scale", "a"), true),
            (rule(&["*"], &["*/scale"], &[]), ask("get", "apps", "deployments", "a"), false),
            (rule(&[""], &["pods"], &["a"]), ask("get", "", "pods", "a"), true),
            (rule(&[""], &["pods"], &["a"]), ask("get", "", "pods", "b"), false),
            (rule(&[""], &["pods"], &["a"]), ask("list", "", "pods", ""), false),
        ] {
            assert_eq!(rule.allows(&ask), expected, "{rule:?} {ask:?}");
        }
    }

    #[test]
    fn a_path_is_matched_whole_or_by_its_beginning() {
        let rule = Rule::read(&json!({"verbs": ["get"], "nonResourceURLs": ["/healthz", "/apis/*"]}));
        for (path, expected) in
            [("/healthz", true), ("/healthz/etcd", false), ("/apis/apps", true), ("/", false)]
        {
            assert_eq!(
                rule.allows(&Attributes { verb: "get", requested: Requested::Path(path) }),
                expected,
                "{path}"
            );
        }
    }
}
