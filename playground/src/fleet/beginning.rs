//! A cluster as it is when its server starts. To make one takes a second unoptimised, so a process that starts many
//! servers within a minute, as tests do, gets copies of the first one.

use std::sync::Mutex;

use super::driver::apply;
use super::{Fleet, Mutation, Size, inventory};
use crate::cluster::{State, lock};
use crate::options::Options;
use crate::rbac;

/// How long ago the cluster was installed: a day before anything else happened.
const INSTALLED_S: i64 = 215 * 86_400;

/// What a beginning follows from. Within a minute no timer of the fleet is due.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cause {
    minute: i64,
    seed: u64,
    objects: usize,
    object_bytes: usize,
    history_bytes: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Beginning {
    pub(crate) state: State,
    pub(crate) fleet: Fleet,
}

/// The beginnings that this process made in the present minute. A large one takes much memory, and is not kept.
static MADE: Mutex<Vec<(Cause, Beginning)>> = Mutex::new(Vec::new());

impl Beginning {
    pub(crate) fn of(options: &Options, now_s: i64) -> Self {
        let &Options { seed, objects, object_bytes, history_bytes, .. } = options;
        let minute = now_s.div_euclid(60);
        let cause = Cause { minute, seed, objects, object_bytes, history_bytes };
        if objects > inventory::OBJECTS {
            return Self::made(cause, now_s);
        }
        let mut made = lock(&MADE);
        made.retain(|(before, _)| before.minute == minute);
        if let Some((_, found)) = made.iter().find(|(before, _)| *before == cause) {
            return found.clone();
        }
        let beginning = Self::made(cause, now_s);
        made.push((cause, beginning.clone()));
        beginning
    }

    /// The objects that are there from the start; their history is not.
    fn made(cause: Cause, now_s: i64) -> Self {
        let size = Size { objects: cause.objects, pod_bytes: cause.object_bytes };
        let mut fleet = Fleet::new(cause.seed, size);
        let mut state = State::new(cause.seed, cause.history_bytes);
        for value in rbac::default_objects() {
            let resource = match crate::json::text(&value, "/kind") {
                "ClusterRole" => "clusterroles.rbac.authorization.k8s.io",
                _ => "clusterrolebindings.rbac.authorization.k8s.io",
            };
            apply(&mut state, Mutation::create(resource, "kube-apiserver", value), now_s - INSTALLED_S);
        }
        fleet.populate(&mut state, now_s);
        // A server that was started on existing data doesn't know how it came to be.
        state.store.compact(None);
        Self { state, fleet }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::resource::GroupResource;
    use crate::store::Object;

    const NOW_S: i64 = 1_780_000_000;

    fn begin(objects: usize, now_s: i64) -> Beginning {
        Beginning::of(&Options { objects, ..Options::quiet() }, now_s)
    }

    /// The next change, made.
    fn step(Beginning { state, fleet }: &mut Beginning, now_s: i64) -> Option<Mutation> {
        let next = fleet.step(&state.store, now_s)?;
        apply(state, next.clone(), now_s);
        Some(next)
    }

    #[test]
    fn servers_that_start_within_a_minute_begin_and_go_on_alike_and_each_by_itself() {
        let (mut first, mut second) = (begin(300, NOW_S), begin(300, NOW_S));
        let revision = first.state.store.revision();
        assert_eq!(second.state.store.revision(), revision);
        let changes: Vec<_> = (0..20).map(|_| step(&mut first, NOW_S + 1)).collect();
        assert_eq!(second.state.store.revision(), revision, "the other one stands still");
        assert!(changes.iter().all(Option::is_some));
        assert!(changes.into_iter().all(|change| step(&mut second, NOW_S + 1) == change));
    }

    #[test]
    fn another_minute_seed_or_size_is_another_beginning() {
        let first = begin(300, NOW_S);
        let newest = |beginning: &Beginning| {
            let events = beginning.state.store.objects(&GroupResource::of("events"), "");
            events.into_iter().map(|event| event.value()["lastTimestamp"].to_string()).max()
        };
        assert_ne!(newest(&begin(300, NOW_S + 60)), newest(&first));
        let other = Beginning::of(&Options { seed: 8, ..Options::quiet() }, NOW_S);
        let uid = |beginning: &Beginning| {
            beginning
                .state
                .store
                .get(&GroupResource::of("namespaces"), "default")
                .map(|found| found.uid.clone())
        };
        assert_ne!(uid(&other), uid(&first));
        assert!(begin(0, NOW_S).state.store.count_all() < first.state.store.count_all());
    }

    #[test]
    fn no_node_is_lost_when_a_server_starts_whatever_the_time() {
        for now_s in [1_795_996_464, 1_795_996_708] {
            let beginning = begin(300, now_s);
            let nodes = beginning.state.store.objects(&GroupResource::of("nodes"), "");
            let is_ready = |node: &Arc<Object>| {
                crate::json::condition(&node.value(), "Ready").is_some_and(|(status, _)| status == "True")
            };
            assert!(nodes.iter().all(is_ready), "at {now_s}");
        }
    }
}
