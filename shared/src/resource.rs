//! Resources and kinds as discovery lists them, and how a typed word finds one; never a request.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::json::fields;
use crate::name::{Group, Plural, Version};
use crate::problem::{Problem, Reason};

/// Group, version and plural: what a URL needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Resource {
    pub group: Group,
    pub version: Version,
    pub resource: Plural,
}

/// The kinds whose logs are shown, by group and plural: pods, and what has pods. A custom kind is among them if its
/// `spec.selector` is the `LabelSelector` of its pods.
pub const WITH_LOGS: [(&str, &str); 13] = [
    ("", "pods"),
    ("", "services"),
    ("", "replicationcontrollers"),
    ("apps", "deployments"),
    ("apps", "statefulsets"),
    ("apps", "daemonsets"),
    ("apps", "replicasets"),
    ("batch", "jobs"),
    ("batch", "cronjobs"),
    ("argoproj.io", "rollouts"),
    ("apps.kruise.io", "clonesets"),
    ("apps.kruise.io", "statefulsets"),
    ("apps.kruise.io", "daemonsets"),
];

impl Resource {
    /// Fails with `BadRequest`, which names the part that is not valid.
    pub fn parse(group: &str, version: &str, resource: &str) -> Result<Self, Problem> {
        Ok(Self {
            group: Group::parse(group)?,
            version: Version::parse(version)?,
            resource: Plural::parse(resource)?,
        })
    }

    /// As typed after `kubectl get` where the version matters: `jobs.v2.batch`.
    #[must_use]
    pub fn with_version(&self) -> String {
        let Self { group, version, resource } = self;
        let dot = if self.is_core() { "" } else { "." };
        format!("{resource}.{version}{dot}{group}")
    }

    pub fn is_core(&self) -> bool {
        self.group.as_str().is_empty()
    }

    #[must_use]
    pub fn is_pods(&self) -> bool {
        self.is_core() && self.resource.as_str() == "pods"
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

/// One kind that the cluster serves, with its names as discovery lists them. The gateway finds it, and whoever subscribes
/// takes its `resource` into the scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// In the version that the server prefers.
    pub resource: Resource,
    /// The other versions in which it is served.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_versions: Vec<Version>,
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
    /// Its objects have a status of their own, as the API says by a subresource: something can be wrong with them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub status: bool,
}

impl Kind {
    /// A kind of Kubernetes' own that can be watched, with no other names.
    pub fn new(resource: Resource, kind: &str, namespaced: bool) -> Self {
        Self {
            resource,
            other_versions: Vec::new(),
            kind: kind.into(),
            singular: "".into(),
            short: Vec::new(),
            namespaced,
            watch: true,
            disabled: None,
            custom: false,
            status: false,
        }
    }

    /// Whether it is this resource, in any version that is served.
    #[must_use]
    pub fn serves(&self, resource: &Resource) -> bool {
        let Resource { group, version, resource: plural } = resource;
        (group, plural) == (&self.resource.group, &self.resource.resource)
            && self.version(version.as_str()).is_some()
    }

    fn version(&self, asked: &str) -> Option<&Version> {
        std::iter::once(&self.resource.version)
            .chain(&self.other_versions)
            .find(|served| served.as_str() == asked)
    }

    /// As it is served in one of its versions.
    fn in_version(&self, version: Option<&Version>) -> Cow<'_, Self> {
        match version.filter(|version| **version != self.resource.version) {
            None => Cow::Borrowed(self),
            Some(version) => {
                let mut other = self.clone();
                other.resource.version = version.clone();
                Cow::Owned(other)
            }
        }
    }
}

/// Finds the kind that `kubectl get WORD` would take: plural, singular, short name or kind, each
/// optionally followed by `.group` or `.version.group`. Discovery's order is the priority. The kind is as it is served in
/// the version that was typed, or in the preferred one.
/// Fails with `NotFound`, and names similar resources.
pub fn resolve<'a>(kinds: &'a [Kind], word: &str) -> Result<Cow<'a, Kind>, Problem> {
    let lower = word.to_lowercase();
    let (head, rest) = lower.split_once('.').unwrap_or((lower.as_str(), ""));
    let by = |matches: &dyn Fn(&Kind) -> bool| {
        let named = kinds.iter().filter(|kind| matches(kind));
        named.filter_map(|kind| Some(kind.in_version(asked(kind, rest)?))).next()
    };
    by(&|kind| kind.resource.resource.as_str() == head)
        .or_else(|| by(&|kind| *kind.singular == *head))
        .or_else(|| by(&|kind| kind.short.iter().any(|short| **short == *head)))
        .or_else(|| by(&|kind| kind.kind.to_lowercase() == head))
        .ok_or_else(|| unknown(kinds, word, head))
}

/// Which version of the kind is asked for, where one is. `None`: what stands behind the name is of another group, or
/// names a version in which the kind isn't served.
fn asked<'a>(kind: &'a Kind, rest: &str) -> Option<Option<&'a Version>> {
    let group = kind.resource.group.as_str();
    if rest.is_empty() || group == rest || group.split_once('.').is_some_and(|(first, _)| first == rest) {
        return Some(None);
    }
    let (version, group_asked) = rest.split_once('.').unwrap_or((rest, ""));
    (group == group_asked).then(|| kind.version(version)).flatten().map(Some)
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

fields! { Resource: group, version, resource; }
fields! { Kind: resource, kind, namespaced, watch; other_versions, singular, short, disabled, custom, status }

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
        let jobs = kind("odd.acme.test", "v1", "jobs", "Job", &[]);
        vec![
            Kind { other_versions: vec![Version::parse("v2").expect("a version")], ..jobs },
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
    fn a_version_that_is_typed_is_taken_if_it_is_served() {
        let kinds = cluster();
        let version = |word: &str| resolve(&kinds, word).map(|kind| kind.resource.version.to_string());
        for (word, expected) in [
            ("jobs.odd.acme.test", "v1"),
            ("jobs.v1.odd.acme.test", "v1"),
            ("jobs.v2.odd.acme.test", "v2"),
            ("job.v2.odd.acme.test", "v2"),
            ("pods.v1", "v1"),
        ] {
            assert_eq!(version(word).as_deref(), Ok(expected), "{word}");
        }
        for word in ["jobs.v3.odd.acme.test", "jobs.v2", "pods.v2"] {
            assert!(version(word).is_err(), "{word}");
        }
        let kind = &kinds[0];
        let resource = |version| Resource::parse("odd.acme.test", version, "jobs").expect("a resource");
        assert!(kind.serves(&resource("v2")) && !kind.serves(&resource("v3")));
    }

    #[test]
    fn an_unknown_word_is_answered_with_its_neighbours() {
        let problem = resolve(&cluster(), "deploymnts").expect_err("no such kind");
        assert_eq!(problem.reason, Reason::NotFound);
        let problem = resolve(&cluster(), "deploymentss").expect_err("no such kind");
        assert!(problem.message.contains("near it: deployments.apps"), "{}", problem.message);
    }
}
