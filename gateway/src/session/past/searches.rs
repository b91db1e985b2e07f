//! The searches that one connection waits for: of each view the newest alone, one after the other, so that a page with many
//! takes no more of the gateway than one with few.

use std::sync::Arc;

use shared::problem::{Problem, Reason};
use shared::scope::Scope;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::limits::SEARCHES_OF_CONNECTION_MAX;

pub(super) struct Searches {
    /// What was asked for and isn't answered, the oldest first.
    asked: Vec<(Scope, CancellationToken)>,
    one_by_one: Arc<Semaphore>,
}

impl Default for Searches {
    fn default() -> Self {
        Self { asked: Vec::new(), one_by_one: Arc::new(Semaphore::new(1)) }
    }
}

impl Searches {
    /// Lets go of an older search of the same view, and of the oldest where there are too many. The token of the new one is
    /// cancelled where it is let go, and by its owner when it is answered.
    pub(super) fn begin(&mut self, scope: &Scope) -> CancellationToken {
        self.asked.retain(|(_, over)| !over.is_cancelled());
        let is_superseded = |(of, _): &mut (Scope, CancellationToken)| of == scope;
        self.asked.extract_if(.., is_superseded).for_each(|(_, over)| over.cancel());
        if self.asked.len() >= SEARCHES_OF_CONNECTION_MAX {
            self.asked.remove(0).1.cancel();
        }
        let over = CancellationToken::new();
        self.asked.push((scope.clone(), over.clone()));
        over
    }

    pub(super) fn one_by_one(&self) -> Arc<Semaphore> {
        Arc::clone(&self.one_by_one)
    }
}

pub(super) fn superseded() -> Problem {
    Problem::new(Reason::Conflict, "a newer search was asked for in its place")
}

#[cfg(test)]
mod tests {
    use shared::name::Namespace;
    use shared::resource::Resource;
    use shared::scope::Namespaces;

    use super::*;

    #[test]
    fn the_newest_search_of_a_view_takes_the_place_of_an_older_one_and_of_no_other_view() {
        let pods = Scope::all(Resource::parse("", "v1", "pods").expect("a resource"));
        let named = |name: &str| {
            let namespaces = Namespaces::these(vec![Namespace::parse(name).expect("a name")]).expect("one");
            Scope { namespaces, ..pods.clone() }
        };
        let mut searches = Searches::default();
        let first = searches.begin(&pods);
        let other = searches.begin(&named("shop"));
        let second = searches.begin(&pods);
        assert_eq!([&first, &other, &second].map(|over| over.is_cancelled()), [true, false, false]);
        let many: Vec<_> = (2..SEARCHES_OF_CONNECTION_MAX)
            .map(|number| searches.begin(&named(&format!("n-{number}"))))
            .collect();
        assert!(!other.is_cancelled() && many.iter().all(|over| !over.is_cancelled()));
        many[0].cancel();
        searches.begin(&named("late"));
        assert!(!other.is_cancelled(), "one was answered");
        searches.begin(&named("later"));
        assert!(other.is_cancelled() && !second.is_cancelled(), "the oldest goes");
    }
}
