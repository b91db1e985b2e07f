//! Resources and kinds as discovery lists them, and how a typed word finds one; never a request.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::{Group, Plural, Version};
use crate::problem::{Problem, Reason};

/// Group, version and plural: what a URL needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Resource {
    pub group: Group,
    pub version: Version,
    pub resource: Plural,
}

impl Resource {
    /// Fails with `BadRequest`, which names the part that is not valid.
    pub fn parse(group: &str, version: &str, resource: &str) -> Result<Self, Problem> {
        Ok(Self {
            group: Group::parse(group)?,
            version: Version::parse(version)?,
            resource: Plural::parse(resource)?,
        })
    }

    pub fn is_core(&self) -> bool {
        self.group.as_str().is_empty()
    }

    /// Whether these are Secrets: the gateway reads their metadata only.
    #[must_use]
    pub fn is_secrets(&self) -> bool {
        self.is_core() && self.resource.as_str() == "secrets"
    }
}

/// As typed after `kubectl get`: `pods`, `deployments.apps`.
impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_core() {
            write!(f, "{}", self.resource)
        } else {
            write!(f, "{}.{}", self.resource, self.group)
        }
    }
}

/// One kind that the cluster serves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    pub resource: Resource,
    pub kind: Box<str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub singular: Box<str>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub short: Vec<Box<str>>,
    pub namespaced: bool,
    /// Without `list` there is nothing to show; without `watch` the view is polled.
    pub watch: bool,
    /// Why it isn't served: Secrets are not, unless the configuration enables them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<Box<str>>,
    /// Defined by a custom resource, not by Kubernetes itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub custom: bool,
}

impl Kind {
    /// A kind of Kubernetes' own that can be watched, with no other names.
    pub fn new(resource: Resource, kind: &str, namespaced: bool) -> Self {
        Self {
            resource,
            kind: kind.into(),
            singular: "".into(),
            short: Vec::new(),
            namespaced,
            watch: true,
            disabled: None,
            custom: false,
        }
    }
}

/// Finds the kind that `kubectl get WORD` would take: plural, singular, short name or kind, each
/// optionally followed by `.group` or `.version.group`. Discovery's order is the priority.
/// Fails with `NotFound`, and names similar resources.
pub fn resolve<'a>(kinds: &'a [Kind], word: &str) -> Result<&'a Kind, Problem> {
    let lower = word.to_lowercase();
    let (head, rest) = lower.split_once('.').unwrap_or((lower.as_str(), ""));
    let by =
        |matches: &dyn Fn(&Kind) -> bool| kinds.iter().find(|kind| matches(kind) && in_group(kind, rest));
    by(&|kind| kind.resource.resource.as_str() == head)
        .or_else(|| by(&|kind| *kind.singular == *head))
        .or_else(|| by(&|kind| kind.short.iter().any(|short| **short == *head)))
        .or_else(|| by(&|kind| kind.kind.to_lowercase() == head))
        .ok_or_else(|| unknown(kinds, word, head))
}

fn in_group(kind: &Kind, rest: &str) -> bool {
    if rest.is_empty() {
        return true;
    }
    let group = kind.resource.group.as_str();
    group == rest
        || rest
            .split_once('.')
            .is_some_and(|(version, rest)| version == kind.resource.version.as_str() && group == rest)
        || (group.is_empty() && rest == kind.resource.version.as_str())
        || group.split_once('.').is_some_and(|(first, _)| first == rest)
}

fn unknown(kinds: &[Kind], word: &str, head: &str) -> Problem {
    let near: Vec<String> = kinds
        .iter()
        .filter(|kind| {
            let plural = kind.resource.resource.as_str();
            head.len() >= 3 && (plural.contains(head) || head.contains(plural.trim_end_matches('s')))
        })
        .take(3)
        .map(|kind| kind.resource.to_string())
        .collect();
    let hint = if near.is_empty() {
        "the cluster's kinds are listed by `kubectl api-resources`".to_owned()
    } else {
        format!("near it: {}", near.join(", "))
    };
    Problem::new(Reason::NotFound, format!("the cluster serves no resource {word:?}; {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(group: &str, version: &str, plural: &str, name: &str, short: &[&str]) -> Kind {
        Kind {
            singular: name.to_lowercase().into(),
            short: short.iter().map(|s| (*s).into()).collect(),
            ..Kind::new(Resource::parse(group, version, plural).expect("a resource"), name, true)
        }
    }

    fn cluster() -> Vec<Kind> {
        vec![
            kind("", "v1", "pods", "Pod", &["po"]),
            kind("", "v1", "events", "Event", &["ev"]),
            kind("apps", "v1", "deployments", "Deployment", &["deploy"]),
            kind("events.k8s.io", "v1", "events", "Event", &["ev"]),
            kind("metrics.k8s.io", "v1beta1", "pods", "PodMetrics", &[]),
        ]
    }

    #[test]
    fn a_word_finds_what_kubectl_would_take() {
        let kinds = cluster();
        for (word, expected) in [
            ("pods", "pods"),
            ("po", "pods"),
            ("Pod", "pods"),
            ("deploy", "deployments.apps"),
            ("deployment.apps", "deployments.apps"),
            ("deployments.v1.apps", "deployments.apps"),
            ("events", "events"),
            ("events.events.k8s.io", "events.events.k8s.io"),
            ("pods.metrics.k8s.io", "pods.metrics.k8s.io"),
            ("podmetrics", "pods.metrics.k8s.io"),
        ] {
            let found = resolve(&kinds, word).map(|kind| kind.resource.to_string());
            assert_eq!(found.as_deref(), Ok(expected), "{word}");
        }
    }

    #[test]
    fn an_unknown_word_is_answered_with_its_neighbours() {
        let problem = resolve(&cluster(), "deploymnts").expect_err("no such kind");
        assert_eq!(problem.reason, Reason::NotFound);
        let problem = resolve(&cluster(), "deploymentss").expect_err("no such kind");
        assert!(problem.message.contains("near it: deployments.apps"), "{}", problem.message);
    }
}
