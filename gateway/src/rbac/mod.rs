//! What the gateway's own account has to be granted, and nothing more: the one place from which the chart, the documents,
//! `dogwatch rbac` and the check at the start have it. Pure: it knows a configuration and no cluster.

mod built_in;
mod kinds;
mod print;

use crate::access::RightsMode;
use crate::cluster::{Choice, Pattern, Rule};
use kinds::Kinds;
use shared::login_mode::KnownBy;
use shared::name::Namespace;

pub use kinds::built_in_named;
pub use print::{RbacFlags, print};

/// Where the gateway reads ClusterProfiles, in the home cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProfileScope {
    Nowhere,
    Namespace(Namespace),
    AllNamespaces,
}

/// A configuration, as far as rights follow from it.
#[derive(Clone, Debug)]
pub struct Needs {
    pub known_by: KnownBy,
    pub rights: RightsMode,
    pub kinds: Choice,
    pub secret_names: bool,
    /// What containers write is shown.
    pub logs: bool,
    pub profiles: ProfileScope,
    /// The kinds that are recorded without viewers; the gateway's own account lists them, whoever looks.
    pub recorded: Vec<Pattern>,
    /// Custom kinds that are shown where `kinds` names none.
    pub custom: Vec<Pattern>,
    /// Keys of viewers' extra attributes.
    pub user_extras: Vec<Box<str>>,
    /// Kubernetes before 1.36 can't constrain an impersonation to some verbs.
    pub constrained: bool,
}

/// All rules of the ClusterRole, each with its purpose.
#[must_use]
pub fn rules(needs: &Needs) -> Vec<Rule> {
    let mut rules = without_kinds(needs);
    if needs.profiles == ProfileScope::AllNamespaces {
        rules.push(of_profiles());
    }
    rules.extend(of_kinds(&kinds::shown(needs), &verbs(needs)));
    rules.extend(of_logs(needs));
    if needs.rights != RightsMode::Shared {
        rules.extend(of_recorded(&kinds::recorded(needs)));
    }
    rules
}

/// The rules of the Role that the account needs in one namespace, and that namespace.
#[must_use]
pub fn namespaced(needs: &Needs) -> Option<(&Namespace, Vec<Rule>)> {
    match &needs.profiles {
        ProfileScope::Namespace(namespace) => Some((namespace, vec![of_profiles()])),
        ProfileScope::Nowhere | ProfileScope::AllNamespaces => None,
    }
}

/// What is needed in every cluster, whatever is shown. ClusterProfiles aren't among it: they are read in the home cluster
/// alone, and the log says so when they can't be.
#[must_use]
pub fn without_kinds(needs: &Needs) -> Vec<Rule> {
    let mut rules = always();
    rules.extend(of_viewers());
    if needs.known_by == KnownBy::Token {
        rules.push(of_tokens());
    }
    if needs.rights == RightsMode::Impersonate {
        rules.extend(of_impersonation(needs));
    }
    rules
}

fn always() -> Vec<Rule> {
    let purpose = "to know the kinds that come and go, and the columns of custom ones";
    let without = "new kinds are noticed late, and custom columns are missing";
    vec![
        Rule::new("apiextensions.k8s.io", &["customresourcedefinitions"], &["get", "list", "watch"])
            .because(purpose, without),
        Rule::new("apiregistration.k8s.io", &["apiservices"], &["list", "watch"]).because(purpose, without),
        Rule::new("", &["namespaces"], &["get"]).named("kube-system").because(
            "to know the cluster again: the uid of this namespace is its identity",
            "the cluster is known by its address alone",
        ),
    ]
}

fn of_viewers() -> Vec<Rule> {
    vec![
        Rule::new("authorization.k8s.io", &["subjectaccessreviews"], &["create"])
            .because("to ask what a viewer may see; nothing is kept", "no viewer sees anything"),
        Rule::new(
            "rbac.authorization.k8s.io",
            &["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
            &["list", "watch"],
        )
        .because(
            "to notice at once that somebody's rights changed, and in which namespaces they have some",
            "a right that changes is noticed late, and a viewer of some namespaces has to name them",
        ),
    ]
}

fn of_profiles() -> Rule {
    Rule::new("multicluster.x-k8s.io", &["clusterprofiles"], &["list", "watch"])
        .because("to know the clusters of ClusterProfiles", "their clusters aren't shown")
}

fn of_tokens() -> Rule {
    Rule::new("authentication.k8s.io", &["tokenreviews"], &["create"])
        .because("to ask whose a token is; nothing is kept", "nobody can log in with a token")
}

const ON_BEHALF: &str = "to list and watch in a viewer's name, and nothing else";
const NO_IMPERSONATION: &str = "viewers can't be impersonated, so they see nothing";

fn of_impersonation(needs: &Needs) -> Vec<Rule> {
    let group = "authentication.k8s.io";
    let extras: Vec<String> = needs.user_extras.iter().map(|key| format!("userextras/{key}")).collect();
    let of_token = needs.known_by == KnownBy::Token;
    let mut rules = match (needs.constrained, of_token) {
        (true, true) => vec![
            Rule::new(group, &["users", "groups", "uids"], &["impersonate:user-info"]),
            Rule::new(group, &["serviceaccounts"], &["impersonate:serviceaccount"]),
        ],
        (true, false) => vec![Rule::new(group, &["users", "groups"], &["impersonate:user-info"])],
        (false, true) => vec![
            Rule::new("", &["users", "groups", "serviceaccounts"], &["impersonate"]),
            Rule::new(group, &["uids"], &["impersonate"]),
        ],
        (false, false) => vec![Rule::new("", &["users", "groups"], &["impersonate"])],
    };
    if !extras.is_empty() && of_token {
        let verb = if needs.constrained { "impersonate:user-info" } else { "impersonate" };
        let extras: Vec<&str> = extras.iter().map(String::as_str).collect();
        rules.push(Rule::new(group, &extras, &[verb]));
    }
    let purpose = match needs.constrained {
        true => ON_BEHALF,
        false => {
            "to be a viewer for the API server; the verb allows all that they may, so Kubernetes 1.36 is better"
        }
    };
    rules.into_iter().map(|rule| rule.because(purpose, NO_IMPERSONATION)).collect()
}

/// The verbs that must be allowed on the shown kinds.
fn verbs(needs: &Needs) -> Vec<&'static str> {
    match (needs.rights, needs.constrained, needs.known_by) {
        (RightsMode::Shared, ..) => vec!["list", "watch"],
        (RightsMode::Impersonate, true, KnownBy::Name) => OF_USERS.to_vec(),
        (RightsMode::Impersonate, true, KnownBy::Token) => [OF_USERS, OF_ACCOUNTS].concat(),
        (RightsMode::Passthrough, ..) | (RightsMode::Impersonate, false, _) => Vec::new(),
    }
}

const OF_USERS: [&str; 2] = ["impersonate-on:user-info:list", "impersonate-on:user-info:watch"];
const OF_ACCOUNTS: [&str; 2] = ["impersonate-on:serviceaccount:list", "impersonate-on:serviceaccount:watch"];

fn of_kinds(kinds: &Kinds, verbs: &[&str]) -> Vec<Rule> {
    if verbs.is_empty() {
        return Vec::new();
    }
    let rule = |(group, plurals): &(Box<str>, Vec<Box<str>>)| {
        let plurals: Vec<&str> = plurals.iter().map(|plural| &**plural).collect();
        Rule::new(group, &plurals, verbs).because("what is shown", "it isn't shown")
    };
    kinds.iter().map(rule).collect()
}

/// The verbs that must be allowed on `pods/log`.
fn log_verbs(needs: &Needs) -> Vec<&'static str> {
    match (needs.rights, needs.constrained, needs.known_by) {
        (RightsMode::Shared, ..) => vec!["get"],
        (RightsMode::Impersonate, true, KnownBy::Name) => vec![LOG_OF_USER],
        (RightsMode::Impersonate, true, KnownBy::Token) => vec![LOG_OF_USER, LOG_OF_ACCOUNT],
        (RightsMode::Passthrough, ..) | (RightsMode::Impersonate, false, _) => Vec::new(),
    }
}

const LOG_OF_USER: &str = "impersonate-on:user-info:get";
const LOG_OF_ACCOUNT: &str = "impersonate-on:serviceaccount:get";

fn of_logs(needs: &Needs) -> Option<Rule> {
    let verbs = log_verbs(needs);
    let is_needed = needs.logs && needs.kinds.shows(&["pods"]) && !verbs.is_empty();
    let purpose = "to read what containers write, for viewers who may get it themselves";
    is_needed.then(|| Rule::new("", &["pods/log"], &verbs).because(purpose, "logs aren't shown"))
}

/// In mode `shared` the account lists all that is shown anyway.
fn of_recorded(kinds: &Kinds) -> Vec<Rule> {
    let purpose =
        "what is recorded with or without viewers; what a viewer sees of it is what they may list now";
    let rules = of_kinds(kinds, &OF_RECORDER).into_iter();
    rules.map(|rule| rule.because(purpose, "it isn't recorded")).collect()
}

const OF_RECORDER: [&str; 2] = ["list", "watch"];

#[cfg(test)]
mod tests;
