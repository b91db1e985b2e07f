//! Which identities may start a feed, and which feed makes room.

use shared::custom_column::CustomColumns;
use shared::name::ClusterName;
use shared::resource::Resource;
use shared::scope::Scope;
use shared::selector::FieldSelector;

use super::*;

const HOUR_MS: MonotonicMs = 3_600_000;

struct QuotaRig {
    quota: FeedQuota,
    now: MonotonicMs,
}

impl QuotaRig {
    fn of(per_identity: usize, total: usize) -> Self {
        Self { quota: FeedQuota::new(FeedBounds { per_identity, total }), now: HOUR_MS }
    }

    /// The feeds that ended for it, or the words of the refusal.
    fn enter(&mut self, viewer: &str, feed: usize) -> Result<Vec<FeedKey>, String> {
        self.enter_with(viewer, feed, None)
    }

    fn enter_with(
        &mut self,
        viewer: &str,
        feed: usize,
        columns: Option<&ColumnsAsked>,
    ) -> Result<Vec<FeedKey>, String> {
        let admitted = self.quota.enter(&person(viewer), (&key(feed), columns), self.now);
        admitted.map(|admitted| admitted.ended).map_err(|problem| {
            assert_eq!(problem.reason, Reason::Limit);
            problem.message
        })
    }

    fn leave(&mut self, viewer: &str, feed: usize) {
        self.leave_with(viewer, feed, None);
    }

    fn leave_with(&mut self, viewer: &str, feed: usize, columns: Option<&ColumnsAsked>) {
        let number = self.quota.feeds.get(&key(feed)).expect("it runs").number;
        self.quota.leave(&person(viewer), (&key(feed), columns), number);
    }
}

fn person(name: &str) -> Identity {
    Identity::new(name).expect("a name")
}

fn key(feed: usize) -> FeedKey {
    let (cluster, resource) = (ClusterName::parse("demo"), Resource::parse("", "v1", "pods"));
    let fields = FieldSelector::parse(&format!("spec.nodeName=node-{feed}")).ok();
    FeedKey { fields, ..FeedKey::of(cluster.expect("a name"), resource.expect("a resource")) }
}

fn columns(number: usize) -> ColumnsAsked {
    let columns = CustomColumns::parse(&format!("C{number}:.values[0]")).expect("columns");
    let resource = Resource::parse("", "v1", "pods").expect("valid");
    ColumnsAsked { columns, scope: Scope::all(resource) }
}

fn refused(answer: Result<Vec<FeedKey>, String>, words: &str) {
    let message = answer.expect_err("one too many");
    assert!(message.contains(words), "{message}");
}

#[test]
fn r_net_3_a_person_has_so_many_feeds_and_another_person_as_many() {
    let mut rig = QuotaRig::of(2, 10);
    for feed in 0..2 {
        assert_eq!(rig.enter("alice", feed), Ok(vec![]));
    }
    refused(rig.enter("alice", 2), "alice views 2 feeds");
    assert_eq!(rig.enter("alice", 1), Ok(vec![]), "one that is viewed already");
    assert_eq!(rig.enter("bob", 2), Ok(vec![]));
    refused(rig.enter("alice", 2), "close a view first");
    rig.leave("alice", 1);
    refused(rig.enter("alice", 2), "close a view first");
    rig.leave("alice", 1);
    assert_eq!(rig.enter("alice", 2), Ok(vec![key(1)]), "its last subscription is closed");
}

#[test]
fn r_net_3_the_feed_that_has_been_without_viewers_for_the_longest_time_makes_room() {
    let mut rig = QuotaRig::of(3, 4);
    for (viewer, feed) in [("alice", 0), ("alice", 1), ("alice", 2), ("bob", 3)] {
        assert_eq!(rig.enter(viewer, feed), Ok(vec![]));
    }
    rig.now += HOUR_MS;
    refused(rig.enter("bob", 4), "watches 4 feeds");
    rig.leave("bob", 3);
    rig.leave("alice", 2);
    rig.leave("alice", 0);
    assert_eq!(rig.enter("alice", 5), Ok(vec![key(2)]), "of the person's own, though bob's is older");
    assert_eq!(rig.enter("bob", 0), Ok(vec![]), "a feed without viewers is taken over");
    assert_eq!(rig.enter("bob", 6), Ok(vec![key(3)]), "now the oldest of all");
    refused(rig.enter("bob", 7), "watches 4 feeds");
}

#[test]
fn r_net_3_feeds_are_started_at_a_pace_and_subscriptions_to_those_that_run_are_free() {
    let mut rig = QuotaRig::of(20, 1_000);
    for feed in 0..20 {
        assert_eq!(rig.enter("alice", feed), Ok(vec![]));
    }
    for tab in 0..100 {
        assert_eq!(rig.enter("alice", tab % 20), Ok(vec![]));
    }
    for feed in 0..20 {
        (0..6).for_each(|_| rig.leave("alice", feed));
    }
    refused(rig.enter("alice", 20), "try again in a second");
    assert_eq!(rig.quota.feeds.len(), 20, "none has ended for a feed that wasn't started");
    assert_eq!(rig.enter("bob", 20), Ok(vec![]));
    rig.now += 1_000;
    let started = (30..60).filter(|feed| rig.enter("alice", *feed).is_ok()).count();
    assert_eq!(started, 10);
    assert_eq!(rig.quota.feeds.len(), 21);
    rig.now += HOUR_MS;
    assert_eq!(rig.enter("carol", 20), Ok(vec![]));
    assert_eq!(rig.enter("carol", 99), Ok(vec![]));
    assert_eq!(rig.quota.starts.len(), 1, "whoever has waited is forgotten");
}

#[test]
fn a_subscription_to_a_feed_that_ended_counts_for_no_later_feed_of_the_same_key() {
    let mut rig = QuotaRig::of(1, 1);
    let (alice, former) = (person("alice"), key(0));
    let first = rig.quota.enter(&alice, (&former, None), rig.now).expect("room").feed;
    rig.quota.ended(&former);
    let second = rig.quota.enter(&alice, (&former, None), rig.now + 1_000).expect("room").feed;
    rig.quota.leave(&alice, (&former, None), first);
    rig.now += 2_000;
    refused(rig.enter("alice", 1), "alice views 1 feeds");
    rig.quota.leave(&alice, (&former, None), second);
    assert_eq!(rig.enter("alice", 1), Ok(vec![former]));
}

#[test]
fn r_net_3_one_person_has_a_share_of_a_feeds_sets_of_columns_and_another_person_as_many() {
    let mut rig = QuotaRig::of(5, 10);
    for number in 0..CUSTOM_SETS_PER_IDENTITY_MAX {
        assert_eq!(rig.enter_with("alice", 0, Some(&columns(number))), Ok(vec![]));
    }
    let more = columns(CUSTOM_SETS_PER_IDENTITY_MAX);
    refused(rig.enter_with("alice", 0, Some(&more)), "16 sets of columns, the most that one person may");
    assert_eq!(
        rig.enter_with("alice", 0, Some(&columns(3))),
        Ok(vec![]),
        "a second view with the same columns"
    );
    assert_eq!(rig.enter("alice", 0), Ok(vec![]), "the server's columns alone");
    assert_eq!(rig.enter_with("alice", 1, Some(&more)), Ok(vec![]), "another feed");
    assert_eq!(rig.enter_with("bob", 0, Some(&more)), Ok(vec![]), "another person");
    rig.leave_with("alice", 0, Some(&columns(3)));
    refused(rig.enter_with("alice", 0, Some(&more)), "close a view");
    rig.leave_with("alice", 0, Some(&columns(3)));
    assert_eq!(
        rig.enter_with("alice", 0, Some(&more)),
        Ok(vec![]),
        "both views with these columns are closed"
    );
}
