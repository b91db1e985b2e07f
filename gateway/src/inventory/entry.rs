//! A cluster that is to be shown, by configuration or by a ClusterProfile. Pure.

use std::collections::BTreeSet;

use shared::name::ClusterName;
use shared::problem::Problem;

use crate::cluster::Source;

/// Equal ones are the same cluster, reached in the same way.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub name: ClusterName,
    /// How it is reached, or why nothing can be tried.
    pub access: Result<Source, Problem>,
}

/// The clusters that are to be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    pub configured: Vec<Entry>,
    pub profiles: Vec<Entry>,
}

/// The entries of the configuration and then those of ClusterProfiles, each name once, and at most `max`. The second
/// list has one sentence for each entry that is left out.
#[must_use]
pub fn merged(configured: &[Entry], profiles: &[Entry], max: usize) -> (Vec<Entry>, Vec<String>) {
    let mut names = BTreeSet::new();
    let (mut entries, mut left_out) = (Vec::new(), Vec::new());
    for entry in configured.iter().chain(profiles) {
        let name = &entry.name;
        if names.contains(name) {
            left_out.push(format!("another cluster is called {name} already; that one is left out"));
        } else if entries.len() >= max {
            left_out.push(format!("a gateway shows at most {max} clusters; {name} is left out"));
        } else {
            names.insert(name.clone());
            entries.push(entry.clone());
        }
    }
    (entries, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(names: &[&str]) -> Vec<Entry> {
        let entry = |name: &&str| Entry {
            name: ClusterName::parse(name).expect("a name"),
            access: Ok(Source::Kubeconfig { path: None, context: Some((*name).to_owned()) }),
        };
        names.iter().map(entry).collect()
    }

    #[test]
    fn a_name_that_is_taken_and_one_too_many_are_left_out_with_a_sentence_and_the_others_stay() {
        let (kept, left_out) = merged(&entries(&["a", "b", "a"]), &entries(&["b", "c", "d"]), 3);
        assert_eq!(kept.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        let words = ["called a already", "called b already", "at most 3 clusters; d is left out"];
        assert_eq!(left_out.len(), words.len(), "{left_out:?}");
        for (sentence, words) in left_out.iter().zip(words) {
            assert!(sentence.contains(words), "{sentence}");
        }
    }
}
