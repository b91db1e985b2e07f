//! Each failure that Kubernetes' sources name is told within its time, and an outage of the API server in the middle of it
//! tells nothing that isn't so and loses nothing.

use serde_json::json;
use shared::frame::server::Gap;
use shared::health::{Health, HealthClass};
use shared::problem::Reason;
use shared::resource_version::ResourceVersion;

use super::{Feed, NOTHING, rule};
use crate::feed::health::tests::T;
use crate::feed::health::tests::failures::{Begins, all};
use crate::hub::Heard;
use crate::limits::PROOF_INTERVAL_MS;
use crate::rules::Grouping;

const EVERY_S: i64 = PROOF_INTERVAL_MS / 1_000;
/// The first proof after `T`.
const FIRST_S: i64 = 2;
/// Longer than any time of the list, and some proofs more.
const END_S: i64 = 660;
const FAILING: &str = "health=failing";
const TROUBLE: &str = "health=failing,not-ready";

/// The seconds after `T` at which a proof comes.
fn proofs() -> impl Iterator<Item = i64> + Clone {
    (FIRST_S..END_S).step_by(usize::try_from(EVERY_S).expect("some"))
}

/// What a rule tells of states that proofs see: at which second, whether it holds then.
fn turns(seen: impl Iterator<Item = (i64, bool)>) -> Vec<(i64, &'static str)> {
    let mut holds = false;
    let turn = |(at_s, now): (i64, bool)| {
        let word = if now { "firing" } else { "resolved" };
        (std::mem::replace(&mut holds, now) != now).then_some((at_s, word))
    };
    seen.filter_map(turn).collect()
}

impl Begins {
    /// Whether it is in one of these classes so many seconds after it began, as the list says.
    fn is_in(&self, classes: &[HealthClass], at_s: i64) -> bool {
        let entered = self.steps.iter().rev().find(|(_, after_s)| *after_s <= at_s);
        entered.is_some_and(|(class, _)| classes.contains(class))
    }
}

impl Feed {
    fn classes(when: &str) -> Vec<HealthClass> {
        let words = when.strip_prefix("health=").expect("of health").split(',');
        words.map(|word| serde_json::from_value(json!(word)).expect("a class")).collect()
    }

    /// A feed that has proven at `T - 3` that there is a healthy object.
    fn healthy(when: &str) -> Self {
        let mut feed = Self::listed(rule(when, 0, Grouping::default()), &[("a", json!({}))]);
        assert_eq!(feed.told(T - 3), NOTHING);
        feed
    }

    fn put_failure(&mut self, health: &Health) {
        self.put_health("a", Some(json!(health)));
    }

    /// What is told at which second after `T`.
    fn proven(&mut self, at_s: i64) -> Vec<(i64, &'static str)> {
        self.prove(T + at_s).iter().map(|told| (at_s, told.turn.word())).collect()
    }
}

#[test]
fn each_failure_is_told_by_the_first_proof_after_its_time_and_once() {
    let all = all();
    assert!(all.len() > 100, "{}", all.len());
    let mut fired = 0;
    for (begins, when) in all.iter().flat_map(|begins| [(begins, FAILING), (begins, TROUBLE)]) {
        let mut feed = Feed::healthy(when);
        feed.put_failure(&begins.health);
        let mut told: Vec<_> = proofs().flat_map(|at_s| feed.proven(at_s)).collect();
        feed.put_health("a", None);
        told.extend(feed.proven(END_S));
        let classes = Feed::classes(when);
        let seen = proofs().map(|at_s| (at_s, begins.is_in(&classes, at_s))).chain([(END_S, false)]);
        let expected = turns(seen);
        fired += expected.len() / 2;
        assert_eq!(told, expected, "{}, {when}", begins.name);
    }
    assert!(fired > all.len(), "{fired} of {}", all.len());
}

#[test]
fn an_outage_in_the_middle_of_each_failure_tells_nothing_false_and_loses_nothing() {
    for (begins, when) in all().iter().flat_map(|begins| [(begins, FAILING), (begins, TROUBLE)]) {
        let classes = Feed::classes(when);
        let Some((_, after_s)) = begins.steps.iter().find(|(class, _)| classes.contains(class)) else {
            continue;
        };
        // It is away when the object fails, when the time of the failure comes, and when it is told already.
        for from_s in [-2, after_s - 1, after_s + 2 * EVERY_S] {
            for recovers in [false, true] {
                let until_s = from_s.max(*after_s) + 8 * EVERY_S;
                let mut feed = Feed::healthy(when);
                if from_s >= 0 {
                    feed.put_failure(&begins.health);
                }
                let (before, after) =
                    (proofs().filter(|at_s| *at_s <= from_s), proofs().filter(|at_s| *at_s >= until_s));
                let mut told: Vec<_> = before.clone().flat_map(|at_s| feed.proven(at_s)).collect();
                feed.outage(from_s, until_s);
                if recovers {
                    feed.put_health("a", None);
                } else {
                    feed.put_failure(&begins.health);
                }
                feed.hear(Heard::Loaded(ResourceVersion::new("9")));
                told.extend(after.clone().flat_map(|at_s| feed.proven(at_s)));
                let seen = before.map(|at_s| (at_s, begins.is_in(&classes, at_s)));
                let seen_after = after.map(|at_s| (at_s, !recovers && begins.is_in(&classes, at_s)));
                let expected = turns(seen.chain(seen_after));
                assert_eq!(told, expected, "{}, {when}, away from {from_s} s, {recovers}", begins.name);
            }
        }
    }
}

impl Feed {
    /// The API server is away, and the feed lists anew when it is back.
    fn outage(&mut self, from_s: i64, until_s: i64) {
        let (from_ms, to_ms) = ((T + from_s) * 1_000, (T + until_s) * 1_000);
        self.hear(Heard::Missed(Gap { from_ms, to_ms, reason: Reason::Expired }));
        self.hear(Heard::Begun);
    }
}
