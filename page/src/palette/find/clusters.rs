//! Clusters among what is found: `@stag` alone, or beside the letters of a kind.

use super::fuzzy::{Marks, fuzzy, ranked};
use super::hits;
use crate::location::ALL_CLUSTERS;
use crate::messages;
use crate::palette::part::SearchContext;
use crate::palette::{Group, Hit, Target};

/// The clusters that a word such as `@stag` means, the best first; `@*` are all.
pub(super) fn named<'a>(word: &str, context: &SearchContext<'a>) -> Vec<(&'a str, Marks)> {
    let Some(name) = word.strip_prefix('@').filter(|_| context.clusters.len() > 1) else { return Vec::new() };
    if name == ALL_CLUSTERS {
        return vec![(ALL_CLUSTERS, Marks::default())];
    }
    let found = |cluster: &&str| if name.is_empty() { Some(Marks::default()) } else { fuzzy(name, cluster) };
    ranked(context.clusters.iter().map(|cluster| cluster.name.as_str()), found)
}

/// `@staging`
pub(super) fn clusters(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let [word] = words else { return Vec::new() };
    let mut found = named(word, context);
    // Without a letter all of them are offered at once, too.
    if *word == "@" && !found.is_empty() {
        found.push((ALL_CLUSTERS, Marks::default()));
    }
    hits(Group::Clusters, found, |name| {
        let label = if name == ALL_CLUSTERS { messages::CLUSTERS_ALL.to_owned() } else { name.to_owned() };
        (label, String::new(), Target::Clusters(name.into()))
    })
}

pub(super) fn at(cluster: &str) -> String {
    format!("@{cluster}")
}
