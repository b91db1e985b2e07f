//! Which kinds a configuration shows, as far as that is known without a cluster.

use super::Needs;
use super::built_in::BUILT_IN;
use crate::cluster::Pattern;

/// A group, and the plurals of it; `*` stands for all.
pub(super) type Kinds = Vec<(Box<str>, Vec<Box<str>>)>;

/// The built-in kinds that are shown, and the custom ones that a configuration names with their group.
pub(super) fn shown(needs: &Needs) -> Kinds {
    let is_shown = |group: &str, plural: &str| {
        let is_secrets = (group, plural) == ("", "secrets");
        needs.kinds.shows(&[plural, &full(group, plural)]) && (needs.secret_names || !is_secrets)
    };
    let mut kinds: Kinds = Vec::new();
    for (group, plurals) in BUILT_IN {
        let plurals = plurals.iter().filter(|plural| is_shown(group, plural));
        kinds.push((Box::from(*group), plurals.map(|plural| Box::from(*plural)).collect()));
    }
    for (group, plural) in named(needs) {
        match kinds.iter_mut().find(|(known, _)| *known == group) {
            Some((_, plurals)) => plurals.push(plural),
            None => kinds.push((group, vec![plural])),
        }
    }
    kinds.retain(|(_, plurals)| !plurals.is_empty());
    kinds
}

/// The kinds that are recorded without viewers, of those that are shown.
pub(super) fn recorded(needs: &Needs) -> Kinds {
    let is_shown = |group: &str, plural: &str| needs.kinds.shows(&[plural, &full(group, plural)]);
    let is_recorded = |group: &str, plural: &str| {
        let name = full(group, plural);
        name != "secrets"
            && needs.recorded.iter().any(|pattern| pattern.names(&name))
            && is_shown(group, plural)
    };
    let built_in =
        BUILT_IN.iter().flat_map(|(group, plurals)| plurals.iter().map(move |plural| (*group, *plural)));
    let built_in = built_in.filter(|(group, plural)| is_recorded(group, plural));
    let custom =
        needs.recorded.iter().filter(|pattern| !is_of_built_in(pattern)).filter_map(
            |pattern| match pattern {
                Pattern::Name(name) => name.split_once('.').map(|(plural, group)| (group, plural)),
                // RBAC has no pattern but `*`.
                Pattern::End(end) => end.strip_prefix('.').map(|group| (group, "*")),
                Pattern::Begin(_) => None,
            },
        );
    let custom = custom.filter(|(group, plural)| is_shown(group, plural));
    let mut kinds: Kinds = Vec::new();
    for (group, plural) in built_in.chain(custom) {
        match kinds.iter_mut().find(|(known, _)| **known == *group) {
            Some((_, plurals)) if plurals.iter().any(|known| **known == *plural) => {}
            Some((_, plurals)) => plurals.push(plural.into()),
            None => kinds.push((group.into(), vec![plural.into()])),
        }
    }
    kinds
}

/// The whole names of the built-in kinds with this plural.
#[must_use]
pub fn built_in_named(plural: &str) -> Vec<String> {
    let groups = BUILT_IN.iter().filter(|(_, plurals)| plurals.contains(&plural));
    groups.map(|(group, _)| full(group, plural)).collect()
}

/// What the navigation calls a kind: an API server's name for it.
fn full(group: &str, plural: &str) -> String {
    if group.is_empty() { plural.to_owned() } else { format!("{plural}.{group}") }
}

/// The kinds by name that aren't built in: `boats.example.com`, or `*.example.com` for all of a group.
fn named(needs: &Needs) -> Vec<(Box<str>, Box<str>)> {
    let patterns = if needs.kinds.only.is_empty() { &needs.custom } else { &needs.kinds.only };
    let mut found = Vec::new();
    for pattern in patterns.iter().filter(|pattern| !is_of_built_in(pattern)) {
        let kind = match pattern {
            Pattern::Name(name) => {
                let shown = |(plural, _): &(&str, &str)| needs.kinds.shows(&[plural, name]);
                name.split_once('.').filter(shown).map(|(plural, group)| (group.into(), plural.into()))
            }
            Pattern::End(end) if !needs.kinds.hidden.contains(pattern) => {
                end.strip_prefix('.').map(|group| (group.into(), "*".into()))
            }
            Pattern::End(_) | Pattern::Begin(_) => None,
        };
        found.extend(kind.filter(|kind| !found.contains(kind)));
    }
    found
}

fn is_of_built_in(pattern: &Pattern) -> bool {
    let names = |group: &str, plural: &str| pattern.names(plural) || pattern.names(&full(group, plural));
    BUILT_IN.iter().any(|(group, plurals)| plurals.iter().any(|plural| names(group, plural)))
}
