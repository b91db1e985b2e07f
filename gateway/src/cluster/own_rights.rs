//! What the gateway's own account may do and doesn't need (reading Secrets, reaching into pods, writing anything), and what
//! it needs and may not do. The gateway asks the API server once, at the start, by the reviews that every account may make of
//! its own rights. It never tries a right out.

mod missing;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::future::join_all;
use k8s_openapi::api::authentication::v1::SelfSubjectReview;
use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec, SelfSubjectRulesReview,
    SelfSubjectRulesReviewSpec,
};
use serde::Deserialize;
use shared::name::Namespace;
use shared::resource::Resource;

use super::ceiling::Ceiling;
use super::client::Client;
use super::request::{self, Review};
use super::review::{Decision, decision_of};
use super::rule::Rule;
use crate::limits::{OWN_RIGHTS_NAMED_MAX, OWN_RIGHTS_TIMEOUT_S};

/// A rule as the API server lists it. What it grants to all namespaces stands in the list of each of them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedRule {
    verbs: Vec<String>,
    #[serde(default)]
    api_groups: Vec<String>,
    #[serde(default)]
    resources: Vec<String>,
    #[serde(default)]
    resource_names: Vec<String>,
}

#[derive(Deserialize)]
struct Reviewed {
    status: Rules,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rules {
    #[serde(default)]
    resource_rules: Vec<ListedRule>,
}

/// The verbs that aren't needed, by the kind that they are for.
#[derive(Debug, Default)]
struct Surplus {
    verbs: BTreeMap<String, BTreeSet<String>>,
    /// The gateway shows Secrets, so it needs to read them.
    shows_secrets: bool,
    /// The gateway asks in its viewers' names.
    impersonates: bool,
}

/// Almost every account has roles in these two. Each other namespace would cost a request.
const NAMESPACES: [&str; 2] = ["default", "kube-system"];

/// For authorizers that can't list their rules, such as webhooks.
const PROBES: [(&str, &str, &str); 6] = [
    ("list", "", "secrets"),
    ("create", "", "pods"),
    ("create", "", "pods/exec"),
    ("patch", "apps", "deployments"),
    ("delete", "", "pods"),
    ("impersonate", "", "users"),
];

/// What the gateway's account needs besides reading.
const REVIEWS: [(&str, &str); 5] = [
    ("authentication.k8s.io", "tokenreviews"),
    ("authentication.k8s.io", "selfsubjectreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"),
];

const READING: [&str; 3] = ["get", "list", "watch"];

/// A GET of these opens a connection into a pod, a node or a service.
const CONNECTING: [&str; 4] = ["/exec", "/attach", "/portforward", "/proxy"];

/// The gateway's own account at one cluster, as it is compared with what the gateway needs.
pub(super) struct OwnAccount {
    client: Client,
    shows_secrets: bool,
    /// The namespace of the kubeconfig's context.
    namespace: Option<Namespace>,
}

impl OwnAccount {
    pub(super) fn of(client: Client, ceiling: &Ceiling, namespace: Option<&Namespace>) -> Self {
        let secrets = Resource::parse("", "v1", "secrets").ok();
        let shows_secrets = secrets.is_some_and(|secrets| ceiling.hides_kind(&secrets).is_none());
        Self { client, shows_secrets, namespace: namespace.cloned() }
    }

    /// As [`super::Cluster::check_own_rights`].
    pub(super) async fn check(&self, impersonates: bool, needed: &[Rule]) -> Result<(), String> {
        let asked = self.compare(impersonates, needed);
        let asked = tokio::time::timeout(Duration::from_secs(OWN_RIGHTS_TIMEOUT_S), asked);
        match asked.await.ok().flatten() {
            Some(sentences) if sentences.is_empty() => Ok(()),
            Some(sentences) => Err(sentences.join("; and ")),
            None => {
                Err("the API server didn't say what the gateway's own account may do; it needs to read, \
                         and nothing else"
                    .to_owned())
            }
        }
    }

    /// `None`: no review was answered.
    async fn compare(&self, impersonates: bool, needed: &[Rule]) -> Option<Vec<String>> {
        let of_context = self.namespace.as_ref().map(|name| name.as_str());
        let namespaces: BTreeSet<&str> = of_context.into_iter().chain(NAMESPACES).collect();
        let lists = join_all(namespaces.into_iter().map(|namespace| self.own_rules(namespace)));
        let probes = join_all(PROBES.into_iter().map(|probe| self.may(probe, (None, None))));
        let (lists, probes) = tokio::join!(lists, probes);
        if lists.iter().all(Option::is_none) && probes.iter().all(Option::is_none) {
            return None;
        }
        let shows_secrets = self.shows_secrets;
        let mut surplus = Surplus { shows_secrets, impersonates, ..Surplus::default() };
        let listed: Vec<ListedRule> = lists.into_iter().flatten().flatten().collect();
        listed.iter().for_each(|rule| surplus.add_rule(rule));
        for ((verb, group, resource), may) in PROBES.into_iter().zip(probes) {
            if may == Some(true) {
                surplus.add(verb, group, resource);
            }
        }
        let unsure = missing::not_listed(needed, &listed);
        let asked = unsure
            .iter()
            .map(|right| self.may((right.verb, right.group, right.resource), (None, right.name)));
        let answers = join_all(asked).await;
        let denied = unsure.into_iter().zip(answers).filter(|(_, may)| *may == Some(false));
        let missing: Vec<_> = denied.map(|(right, _)| right).collect();
        Some(surplus.sentence().into_iter().chain(missing::sentence(&missing)).collect())
    }

    async fn own_rules(&self, namespace: &str) -> Option<Vec<ListedRule>> {
        let spec = SelfSubjectRulesReviewSpec { namespace: Some(namespace.to_owned()) };
        let review = SelfSubjectRulesReview { spec, ..SelfSubjectRulesReview::default() };
        let body = request::review(&self.client, Review::OwnRules, &review).await.ok()?;
        Some(serde_json::from_slice::<Reviewed>(&body).ok()?.status.resource_rules)
    }

    /// As the API server knows it. `None`: it doesn't say.
    pub(super) async fn name(&self) -> Option<String> {
        let review = SelfSubjectReview::default();
        let body = request::review(&self.client, Review::OwnName, &review).await.ok()?;
        let review = serde_json::from_slice::<SelfSubjectReview>(&body).ok()?;
        review.status?.user_info?.username
    }

    /// Whether all of a kind can be listed and watched, in one namespace or in all. `None`: the API server doesn't say.
    pub(super) async fn may_watch(&self, resource: &Resource, namespace: Option<&Namespace>) -> Option<bool> {
        let (group, plural) = (resource.group.as_str(), resource.resource.as_str());
        let namespace = namespace.map(Namespace::as_str);
        let may = |verb| self.may((verb, group, plural), (namespace, None));
        let asked = async { tokio::join!(may("list"), may("watch")) };
        let (list, watch) =
            tokio::time::timeout(Duration::from_secs(OWN_RIGHTS_TIMEOUT_S), asked).await.ok()?;
        Some(list? && watch?)
    }

    async fn may(
        &self,
        (verb, group, resource): (&str, &str, &str),
        (namespace, name): (Option<&str>, Option<&str>),
    ) -> Option<bool> {
        let (plural, subresource) = resource.split_once('/').unwrap_or((resource, ""));
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let attributes = ResourceAttributes {
            verb: text(verb),
            group: text(group),
            resource: text(plural),
            subresource: text(subresource),
            name: name.map(str::to_owned),
            namespace: namespace.map(str::to_owned),
            ..ResourceAttributes::default()
        };
        let spec = SelfSubjectAccessReviewSpec {
            resource_attributes: Some(attributes),
            ..SelfSubjectAccessReviewSpec::default()
        };
        let review = SelfSubjectAccessReview { spec, ..SelfSubjectAccessReview::default() };
        let body = request::review(&self.client, Review::OwnAccess, &review).await.ok()?;
        match decision_of(&body) {
            Decision::Allowed => Some(true),
            Decision::Denied(_) => Some(false),
            Decision::Unknown(_) => None,
        }
    }
}

/// Whether the verb lets an account list and watch in others' names, also unconstrained as before Kubernetes 1.36.
fn is_of_impersonation(verb: &str) -> bool {
    let reads = |on: &str| on.ends_with(":list") || on.ends_with(":watch");
    verb == "impersonate"
        || verb.starts_with("impersonate:")
        || verb.strip_prefix("impersonate-on:").is_some_and(reads)
}

impl Surplus {
    fn add_rule(&mut self, rule: &ListedRule) {
        for group in &rule.api_groups {
            for resource in &rule.resources {
                for verb in &rule.verbs {
                    self.add(verb, group, resource);
                }
            }
        }
    }

    /// Adds a right unless it is needed.
    fn add(&mut self, verb: &str, group: &str, resource: &str) {
        let is_of_core = matches!(group, "" | "*");
        if READING.contains(&verb) {
            if CONNECTING.iter().any(|part| resource.ends_with(part)) {
                self.insert(verb, &kind(group, resource));
            }
            if !self.shows_secrets && is_of_core && matches!(resource, "secrets" | "*") {
                self.insert(verb, "secrets");
            }
            return;
        }
        if self.impersonates && is_of_impersonation(verb) {
            return;
        }
        let is_review = |(of, plural): &(&str, &str)| (*of, *plural) == (group, resource);
        if verb != "create" || !REVIEWS.iter().any(is_review) {
            self.insert(verb, &kind(group, resource));
        }
    }

    fn insert(&mut self, verb: &str, kind: &str) {
        self.verbs.entry(kind.to_owned()).or_default().insert(verb.to_owned());
    }

    /// `None`: the account may do what it needs, and no more.
    fn sentence(&self) -> Option<String> {
        let everything = self.verbs.get_key_value(EVERYTHING).filter(|(_, verbs)| verbs.contains("*"));
        let named: Vec<String> = match everything {
            Some(all) => vec![right(all)],
            None => self.verbs.iter().map(right).collect(),
        };
        if named.is_empty() {
            return None;
        }
        let more = match named.len().saturating_sub(OWN_RIGHTS_NAMED_MAX) {
            0 => String::new(),
            count => format!("; and {count} more"),
        };
        let named =
            named.iter().take(OWN_RIGHTS_NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join("; ");
        Some(format!("the gateway's own account may {named}{more}: it needs none of this, so take it away"))
    }
}

const EVERYTHING: &str = "every kind";

fn kind(group: &str, resource: &str) -> String {
    match (group, resource) {
        ("*", "*") => EVERYTHING.to_owned(),
        ("", "*") => "every kind of the core group".to_owned(),
        (group, "*") => format!("every kind of {group}"),
        ("" | "*", resource) => resource.to_owned(),
        (group, resource) => format!("{resource}.{group}"),
    }
}

fn right((kind, verbs): (&String, &BTreeSet<String>)) -> String {
    if verbs.contains("*") {
        return format!("do anything with {kind}");
    }
    let verbs: Vec<&str> = verbs.iter().map(String::as_str).collect();
    format!("{} {kind}", verbs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(rules: &[(&str, &str, &str)]) -> String {
        sentence_of(Surplus::default(), rules)
    }

    fn sentence_of(mut surplus: Surplus, rules: &[(&str, &str, &str)]) -> String {
        let all = |text: &str| text.split(',').map(str::to_owned).collect();
        for (verbs, groups, resources) in rules {
            let rule = ListedRule {
                verbs: all(verbs),
                api_groups: all(groups),
                resources: all(resources),
                resource_names: Vec::new(),
            };
            surplus.add_rule(&rule);
        }
        let sentence = surplus.sentence().unwrap_or_default();
        let rights = sentence.strip_prefix("the gateway's own account may ");
        let rights = rights.and_then(|rest| rest.strip_suffix(": it needs none of this, so take it away"));
        rights.unwrap_or(&sentence).to_owned()
    }

    #[test]
    fn r_authn_3_a_right_that_is_not_needed_is_named_and_one_that_is_needed_is_not() {
        for (verbs, groups, resources, expected) in [
            ("get,list,watch", ",apps,example.com", "pods,deployments,configmaps,pods/log", ""),
            ("create", "authentication.k8s.io", "tokenreviews,selfsubjectreviews", ""),
            ("create", "authorization.k8s.io", "subjectaccessreviews,selfsubjectaccessreviews", ""),
            ("list,watch", "apps", "*", ""),
            ("list", "", "secrets", "list secrets"),
            ("get,list,watch", "*", "*", "get, list, watch secrets"),
            ("list", "example.com", "secrets", ""),
            ("get", "", "pods/exec,nodes/proxy", "get nodes/proxy; get pods/exec"),
            ("create,delete", "", "pods", "create, delete pods"),
            ("create", "apps", "tokenreviews", "create tokenreviews.apps"),
            ("delete", "authentication.k8s.io", "tokenreviews", "delete tokenreviews.authentication.k8s.io"),
            ("*", "apps", "deployments", "do anything with deployments.apps"),
            ("impersonate", "", "users", "impersonate users"),
            ("patch", "", "*", "patch every kind of the core group"),
        ] {
            assert_eq!(sentence(&[(verbs, groups, resources)]), expected, "{verbs} {groups} {resources}");
        }
    }

    #[test]
    fn a_gateway_that_shows_secrets_needs_to_read_them_and_no_more() {
        let surplus = || Surplus { shows_secrets: true, ..Surplus::default() };
        assert_eq!(sentence_of(surplus(), &[("get,list,watch", "*", "*")]), "");
        assert_eq!(sentence_of(surplus(), &[("list,delete", "", "secrets")]), "delete secrets");
    }

    #[test]
    fn a_gateway_that_impersonates_its_viewers_may_list_and_watch_as_them_and_no_more() {
        let said = |verbs: &str| {
            let surplus = Surplus { impersonates: true, ..Surplus::default() };
            sentence_of(surplus, &[(verbs, "authentication.k8s.io", "users")])
        };
        assert_eq!(said("impersonate,impersonate:user-info,impersonate-on:user-info:watch"), "");
        let deletes = "impersonate-on:user-info:delete";
        assert_eq!(said(deletes), format!("{deletes} users.authentication.k8s.io"));
    }

    #[test]
    fn whoever_may_do_everything_is_told_that_alone_and_of_many_rights_some_are_named() {
        let admin = [("*", "*", "*"), ("create", "", "pods")];
        assert_eq!(sentence(&admin), "do anything with every kind");
        let kinds: Vec<String> =
            (0..OWN_RIGHTS_NAMED_MAX + 2).map(|number| format!("kind{number:02}")).collect();
        let many = sentence(&[("create", "", &kinds.join(","))]);
        assert!(
            many.starts_with("create kind00; create kind01; ") && many.ends_with("; and 2 more"),
            "{many}"
        );
    }
}
