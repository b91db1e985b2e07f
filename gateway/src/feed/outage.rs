//! Since when a cluster gives no answer, as its feeds know it. A feed without a list has no proof of its own, so it
//! takes that time from the others: a view of it says the same as the views beside it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::problem::Reason;
use shared::state::{StateReport, UnixMillis};

use super::{FeedKey, FeedOutput};

/// When each feed of a gateway was proven last. Cheap to clone.
#[derive(Clone, Default)]
pub struct FeedProofs {
    feeds: Arc<Mutex<Feeds>>,
}

#[derive(Default)]
struct Feeds {
    last: u64,
    by_number: BTreeMap<u64, LastProof>,
}

struct LastProof {
    key: FeedKey,
    /// `None`: it has no list yet.
    proven_ms: Option<UnixMillis>,
    failing: Option<Failing>,
}

/// Why a feed isn't current.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Failing {
    /// No answer came, so none comes for another resource.
    Unreached,
    /// The server answered. Another API group may have another server, and another account other rights and bounds.
    Refused(Reason),
    Otherwise,
}

impl Failing {
    fn of(report: &StateReport) -> Option<Self> {
        let reason = report.problem.as_ref()?.reason;
        // No request of a feed that is only unproven has failed.
        (!report.state.is_current() && reason != Reason::Unproven).then_some(match reason {
            Reason::ConnectionRefused
            | Reason::ConnectionReset
            | Reason::ConnectionClosed
            | Reason::TimedOut
            | Reason::NoRoute
            | Reason::NameNotFound => Self::Unreached,
            Reason::InternalError
            | Reason::ServiceUnavailable
            | Reason::TooManyRequests
            | Reason::ServerTimeout
            | Reason::Timeout => Self::Refused(reason),
            _ => Self::Otherwise,
        })
    }
}

/// The place of a feed among [`FeedProofs`], which it leaves when this is dropped.
pub struct FeedProof {
    feeds: FeedProofs,
    number: u64,
}

impl FeedProofs {
    #[must_use]
    pub fn enter(&self, key: &FeedKey) -> FeedProof {
        let mut feeds = self.lock();
        feeds.last += 1;
        let number = feeds.last;
        feeds.by_number.insert(number, LastProof { key: key.clone(), proven_ms: None, failing: None });
        FeedProof { feeds: self.clone(), number }
    }

    fn lock(&self) -> MutexGuard<'_, Feeds> {
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FeedProof {
    /// Takes note of what its feed says.
    pub fn note(&self, said: &FeedOutput) {
        let mut feeds = self.feeds.lock();
        let Some(own) = feeds.by_number.get_mut(&self.number) else { return };
        match said {
            FeedOutput::Proof(proof) => own.proven_ms = Some(proof.at_ms),
            FeedOutput::State(report) => own.failing = Failing::of(report),
            FeedOutput::Change(_) => {}
        }
    }

    /// When a feed of the cluster was proven last, while one that was proven before fails as this one does. A feed that
    /// waits for its first answer is taken as one that gets none.
    #[must_use]
    pub fn outage_ms(&self) -> Option<UnixMillis> {
        let feeds = self.feeds.lock();
        let own = feeds.by_number.get(&self.number)?;
        let failing = own.failing.unwrap_or(Failing::Unreached);
        let proven = || {
            let of_cluster = feeds.by_number.values().filter(|feed| feed.key.cluster == own.key.cluster);
            of_cluster.filter_map(|feed| Some((feed, feed.proven_ms?)))
        };
        let fails_as_well = |feed: &LastProof| match failing {
            Failing::Unreached => feed.failing == Some(failing),
            Failing::Refused(_) => {
                let is_of_same = feed.key.resource.group == own.key.resource.group
                    && feed.key.upstream == own.key.upstream;
                feed.failing == Some(failing) && is_of_same
            }
            Failing::Otherwise => false,
        };
        let any_fails = proven().any(|(feed, _)| fails_as_well(feed));
        proven().map(|(_, proven_ms)| proven_ms).max().filter(|_| any_fails)
    }
}

impl Drop for FeedProof {
    fn drop(&mut self) {
        self.feeds.lock().by_number.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use shared::name::ClusterName;
    use shared::problem::Problem;
    use shared::resource::Resource;
    use shared::state::ViewState;

    use super::*;
    use crate::feed::Proof;

    fn enter(feeds: &FeedProofs, cluster: &str, group: &str) -> FeedProof {
        let cluster = ClusterName::parse(cluster).expect("a name");
        feeds.enter(&FeedKey::of(cluster, Resource::parse(group, "v1", "things").expect("a resource")))
    }

    fn proven(feed: &FeedProof, at_ms: UnixMillis) {
        feed.note(&FeedOutput::Proof(Proof { at_ms, cluster_ahead_ms: 0 }));
        feed.note(&FeedOutput::State(StateReport::of(ViewState::Live)));
    }

    fn fails(feed: &FeedProof, since_ms: UnixMillis, reason: Reason) {
        let report = StateReport::of(ViewState::Stale { since_ms });
        feed.note(&FeedOutput::State(report.because(Problem::new(reason, "it fails"))));
    }

    #[test]
    fn an_outage_is_as_old_as_the_last_proof_of_any_feed_of_the_cluster() {
        let feeds = FeedProofs::default();
        let (pods, nodes) = (enter(&feeds, "a", ""), enter(&feeds, "a", ""));
        let (elsewhere, fresh) = (enter(&feeds, "b", ""), enter(&feeds, "a", "apps"));
        fails(&nodes, 500, Reason::ConnectionRefused);
        assert_eq!(fresh.outage_ms(), None, "no feed has a list");
        proven(&pods, 1_000);
        proven(&nodes, 3_000);
        proven(&elsewhere, 9_000);
        fails(&elsewhere, 9_000, Reason::ConnectionRefused);
        assert_eq!(fresh.outage_ms(), None, "no feed of its cluster fails");
        fails(&pods, 1_000, Reason::ConnectionRefused);
        assert_eq!(fresh.outage_ms(), Some(3_000));
        fails(&fresh, 3_000, Reason::Unproven);
        assert_eq!(fresh.outage_ms(), Some(3_000), "it waits on");
        proven(&nodes, 8_000);
        assert_eq!(fresh.outage_ms(), Some(8_000), "the cluster answered then");
        drop(nodes);
        assert_eq!(fresh.outage_ms(), Some(1_000));
        proven(&pods, 9_000);
        assert_eq!(fresh.outage_ms(), None);
    }

    #[test]
    fn a_refusal_is_an_outage_of_its_group_alone() {
        let feeds = FeedProofs::default();
        let (nodes, pods) = (enter(&feeds, "a", "metrics.k8s.io"), enter(&feeds, "a", "metrics.k8s.io"));
        let core = enter(&feeds, "a", "");
        proven(&nodes, 1_000);
        fails(&nodes, 1_000, Reason::ServiceUnavailable);
        for waits in [&pods, &core] {
            assert_eq!(waits.outage_ms(), None, "the server answers");
            fails(waits, 5_000, Reason::ServiceUnavailable);
        }
        assert_eq!((pods.outage_ms(), core.outage_ms()), (Some(1_000), None));
        fails(&pods, 5_000, Reason::ConnectionReset);
        assert_eq!(pods.outage_ms(), None, "another fault");
    }
}
