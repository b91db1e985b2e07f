//! How often a feed tries while nobody watches, and while somebody does.

use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::resource::Resource;

use crate::cluster::Failure;
use crate::feed::machine::{Capabilities, Input, Machine, Output, RequestSlot};
use crate::feed::{FeedCommand, FeedKey, FeedOptions};

/// A feed whose API server is down.
struct Down {
    machine: Machine,
    now_ms: i64,
}

impl Down {
    fn new() -> Self {
        let cluster = ClusterName::parse("down").expect("a name");
        let key = FeedKey::of(cluster, Resource::parse("", "v1", "pods").expect("a resource"));
        let capabilities = Capabilities { watch: true, watch_list: true, custom: false };
        let mut down =
            Self { machine: Machine::new(&key, capabilities, FeedOptions::default(), None, 7, 0), now_ms: 0 };
        down.fail();
        down
    }

    fn fail(&mut self) {
        let problem = Problem::new(Reason::ConnectionClosed, "connection refused");
        let failure = Failure::Broken(problem);
        // What was asked is what fails.
        self.asks();
        self.machine.handle(Input::Failed { slot: RequestSlot::Main, failure }, self.now_ms);
    }

    fn asks(&mut self) -> bool {
        let outputs = std::iter::from_fn(|| self.machine.next_output());
        outputs.filter(|output| matches!(output, Output::Ask { .. })).count() > 0
    }

    /// How long it waits until it asks again.
    fn pause_ms(&mut self) -> i64 {
        let from_ms = self.now_ms;
        while !self.asks() {
            self.now_ms += 1;
            self.machine.handle(Input::Tick, self.now_ms);
        }
        self.now_ms - from_ms
    }

    fn longest_pause_ms(&mut self) -> i64 {
        let pauses = (0..100).map(|_| {
            let pause_ms = self.pause_ms();
            self.fail();
            pause_ms
        });
        pauses.max().unwrap_or_default()
    }
}

#[test]
fn while_somebody_watches_it_is_tried_within_ten_seconds_and_otherwise_within_thirty() {
    let mut down = Down::new();
    assert!((8_000..=10_000).contains(&down.longest_pause_ms()));
    down.machine.handle(Input::Command(FeedCommand::Viewers(false)), down.now_ms);
    assert!((24_000..=30_000).contains(&down.longest_pause_ms()));
    down.machine.handle(Input::Command(FeedCommand::Viewers(true)), down.now_ms);
    assert!((8_000..=10_000).contains(&down.longest_pause_ms()));
}

#[test]
fn who_comes_does_not_wait_longer_than_who_was_there() {
    let mut down = Down::new();
    down.machine.handle(Input::Command(FeedCommand::Viewers(false)), 0);
    for _ in 0..100 {
        down.machine.handle(Input::Command(FeedCommand::Viewers(true)), down.now_ms);
        assert!(down.pause_ms() <= 10_000);
        down.machine.handle(Input::Command(FeedCommand::Viewers(false)), down.now_ms);
        down.fail();
    }
}
