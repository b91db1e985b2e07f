//! What the gateway's own account needs and may not do. Never a request: it says which rights are to be asked for.

use std::collections::BTreeMap;

use super::{ListedRule, kind};
use crate::cluster::rule::Rule;

/// A verb on a resource, and on the one object that the rule names, if it names one. A rule grants several of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Right<'a> {
    pub(super) verb: &'a str,
    pub(super) group: &'a str,
    pub(super) resource: &'a str,
    pub(super) name: Option<&'a str>,
    without: &'static str,
}

/// The rights that no listed rule grants. An authorizer that can't list its rules may grant them all the same.
pub(super) fn not_listed<'a>(needed: &'a [Rule], listed: &[ListedRule]) -> Vec<Right<'a>> {
    let rights = needed.iter().flat_map(rights_of);
    rights.filter(|right| !listed.iter().any(|rule| rule.grants(right))).collect()
}

fn rights_of(rule: &Rule) -> impl Iterator<Item = Right<'_>> {
    let each = move |resource| {
        let right = move |verb| Right {
            verb,
            group: &rule.group,
            resource,
            name: rule.names.first().map(|name| &**name),
            without: rule.without,
        };
        rule.verbs.iter().map(move |verb| right(verb))
    };
    rule.resources.iter().flat_map(move |resource| each(resource))
}

impl ListedRule {
    fn grants(&self, right: &Right<'_>) -> bool {
        let has = |texts: &[String], text: &str| texts.iter().any(|found| found == text || found == "*");
        let name = right.name.unwrap_or_default();
        // Before Kubernetes 1.36 there is this verb alone, and most kinds of identity are of the core group to it.
        let is_whole = right.verb.starts_with("impersonate:") && has(&self.verbs, "impersonate");
        let (verb, is_group) = match is_whole {
            true => ("impersonate", has(&self.api_groups, "") || has(&self.api_groups, right.group)),
            false => (right.verb, has(&self.api_groups, right.group)),
        };
        is_group
            && has(&self.verbs, verb)
            && has(&self.resources, right.resource)
            && (self.resource_names.is_empty() || has(&self.resource_names, name))
    }
}

/// `None`: nothing is missing.
pub(super) fn sentence(missing: &[Right<'_>]) -> Option<String> {
    // By what doesn't work without them.
    let mut rights: BTreeMap<&str, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for right in missing {
        let kinds = rights.entry(right.without).or_default();
        kinds.entry(right.verb).or_default().push(kind(right.group, right.resource));
    }
    let named = rights.iter().map(|(without, verbs)| {
        let verbs = verbs.iter().map(|(verb, kinds)| format!("{verb} {}", kinds.join(", ")));
        format!("{} ({without})", verbs.collect::<Vec<_>>().join("; "))
    });
    let named = named.collect::<Vec<_>>().join("; ");
    let what = "what it needs is printed by `dogwatch rbac`";
    (!named.is_empty()).then(|| format!("the gateway's own account may not {named}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(verbs: &str, groups: &str, resources: &str, names: &str, expected: &str) {
        let all = |text: &str| text.split_terminator(',').map(str::to_owned).collect();
        let listed = ListedRule {
            verbs: all(verbs),
            // The core group's name is empty.
            api_groups: groups.split(',').map(str::to_owned).collect(),
            resources: all(resources),
            resource_names: all(names),
        };
        let needed = [
            Rule::new("example.com", &["boats"], &["list", "watch"]).because("", "no boats"),
            Rule::new("", &["namespaces"], &["get"]).named("kube-system").because("", "no name"),
        ];
        let said = sentence(&not_listed(&needed, &[listed])).unwrap_or_default();
        let said = said.strip_prefix("the gateway's own account may not ").unwrap_or(&said);
        assert_eq!(
            said.strip_suffix(": what it needs is printed by `dogwatch rbac`").unwrap_or(said),
            expected
        );
    }

    #[test]
    fn an_impersonation_that_is_not_constrained_is_one() {
        let needed = [Rule::new("authentication.k8s.io", &["users"], &["impersonate:user-info"])];
        for (verb, resource, count) in
            [("impersonate", "users", 0), ("impersonate", "groups", 1), ("get", "users", 1)]
        {
            let listed = ListedRule {
                verbs: vec![verb.to_owned()],
                api_groups: vec![String::new()],
                resources: vec![resource.to_owned()],
                resource_names: Vec::new(),
            };
            assert_eq!(not_listed(&needed, &[listed]).len(), count, "{verb} {resource}");
        }
    }

    #[test]
    fn r_authn_3_a_right_that_is_missing_is_named_with_what_does_not_work_without_it() {
        let no_name = "get namespaces (no name)";
        let neither = "list boats.example.com; watch boats.example.com (no boats); get namespaces (no name)";
        check("*", "*", "*", "", "");
        check("list,watch", "example.com", "boats", "", no_name);
        check("list,watch", "example.com", "*", "", no_name);
        check("list,watch", "example.com", "boats", "titanic", neither);
        check("list,watch", "", "boats", "", neither);
        check(
            "list",
            "example.com",
            "boats",
            "",
            "watch boats.example.com (no boats); get namespaces (no name)",
        );
        let boats = "list boats.example.com; watch boats.example.com (no boats)";
        check("get", "", "namespaces", "kube-system", boats);
        check("get", "", "namespaces", "default", neither);
    }
}
