//! Which of the kinds that are to be recorded the gateway's own account may not list. A viewer who asks for their past is
//! told so, and the log names them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use history::KindKey;
use shared::problem::{Problem, Reason};

/// What the API server said last of each kind.
#[derive(Default)]
pub(super) struct Refused {
    may: Mutex<BTreeMap<KindKey, bool>>,
}

impl Refused {
    /// Those that aren't known to be allowed: a right that is granted later counts then.
    pub(super) fn unsure<'a>(&self, kinds: impl Iterator<Item = &'a KindKey>) -> Vec<KindKey> {
        let may = self.may.lock().unwrap_or_else(PoisonError::into_inner);
        kinds.filter(|key| may.get(*key) != Some(&true)).cloned().collect()
    }

    /// What is new in these answers, as sentences for the log.
    pub(super) fn note(&self, answers: &[(KindKey, bool)]) -> Vec<String> {
        let mut may = self.may.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut refused, mut granted) = (BTreeSet::new(), BTreeSet::new());
        for (key, is_allowed) in answers {
            let was = may.insert(key.clone(), *is_allowed);
            match (was, is_allowed) {
                (None | Some(true), false) => drop(refused.insert(key.resource.to_string())),
                (Some(false), true) => drop(granted.insert(key.resource.to_string())),
                (None | Some(true), true) | (Some(false), false) => {}
            }
        }
        let names = |kinds: BTreeSet<String>| kinds.into_iter().collect::<Vec<_>>().join(", ");
        let mut sentences = Vec::new();
        if !refused.is_empty() {
            let what = "`dogwatch rbac` with the same settings prints what its account needs";
            sentences.push(format!("not recorded: the gateway may not list {}; {what}", names(refused)));
        }
        if !granted.is_empty() {
            sentences.push(format!("recorded from now on: {}", names(granted)));
        }
        sentences
    }

    /// Why nothing of a kind is recorded.
    pub(super) fn why(&self, key: &KindKey) -> Option<Problem> {
        let may = self.may.lock().unwrap_or_else(PoisonError::into_inner);
        let message = format!("the gateway may not list {}", key.resource);
        (may.get(key) == Some(&false)).then(|| Problem::new(Reason::Forbidden, message))
    }
}

#[cfg(test)]
mod tests {
    use shared::resource::Resource;

    use super::*;

    #[test]
    fn each_kind_is_named_once_when_it_is_refused_and_once_when_it_is_granted() {
        let kind = |plural: &str| KindKey {
            cluster: "c".into(),
            resource: Resource::parse("", "v1", plural).expect("a resource"),
        };
        let kinds = [kind("pods"), kind("nodes"), kind("services")];
        let refused = Refused::default();
        assert_eq!(refused.unsure(kinds.iter()).len(), 3);
        let said = refused.note(&[(kind("pods"), false), (kind("nodes"), false), (kind("services"), true)]);
        assert_eq!(said.len(), 1);
        assert!(
            said[0].starts_with("not recorded: the gateway may not list nodes, pods; `dogwatch rbac`"),
            "{said:?}"
        );
        assert_eq!(refused.unsure(kinds.iter()), [kind("pods"), kind("nodes")]);
        assert_eq!(refused.note(&[(kind("pods"), false)]), Vec::<String>::new());
        let why = refused.why(&kind("pods")).expect("refused");
        assert_eq!((why.reason, &*why.message), (Reason::Forbidden, "the gateway may not list pods"));
        assert!(refused.why(&kind("services")).is_none());
        assert_eq!(refused.note(&[(kind("pods"), true)]), ["recorded from now on: pods"]);
        assert!(refused.why(&kind("pods")).is_none());
    }
}
