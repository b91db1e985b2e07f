//! One rule of a role: verbs on resources, or on paths.

use serde_json::{Value, json};

use super::attributes::{Attributes, Requested};
use crate::json::list;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    verbs: Vec<String>,
    groups: Vec<String>,
    resources: Vec<String>,
    names: Vec<String>,
    paths: Vec<String>,
}

const ALL: &str = "*";

impl Rule {
    /// A rule as it stands in a Role's `rules`.
    pub fn read(value: &Value) -> Self {
        let texts = |pointer: &str| {
            list(value, pointer).iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            verbs: texts("/verbs"),
            groups: texts("/apiGroups"),
            resources: texts("/resources"),
            names: texts("/resourceNames"),
            paths: texts("/nonResourceURLs"),
        }
    }

    pub fn allows(&self, attributes: &Attributes<'_>) -> bool {
        let has = |list: &[String], text: &str| list.iter().any(|found| found == ALL || found == text);
        if !has(&self.verbs, attributes.verb) {
            return false;
        }
        match &attributes.requested {
            Requested::Path(path) => self.paths.iter().any(|found| matches_path(found, path)),
            Requested::Resource { group, resource, subresource, name, .. } => {
                has(&self.groups, group)
                    && self.resources.iter().any(|found| matches_resource(found, resource, subresource))
                    && (self.names.is_empty() || self.names.iter().any(|found| found == name))
            }
        }
    }

    /// Whether it is about resources; the others are about paths.
    pub fn is_of_resources(&self) -> bool {
        !self.resources.is_empty()
    }

    /// As it stands in the answer to a rules review.
    pub fn reviewed(&self) -> Value {
        if !self.is_of_resources() {
            return json!({"verbs": self.verbs, "nonResourceURLs": self.paths});
        }
        let mut rule = json!({"verbs": self.verbs, "apiGroups": self.groups, "resources": self.resources});
        if !self.names.is_empty() {
            crate::json::set(&mut rule, &["resourceNames"], json!(self.names));
        }
        rule
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
