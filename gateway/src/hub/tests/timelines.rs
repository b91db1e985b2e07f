//! R-NET-4: the memory of one connection's timelines, all together. No subscriber reads here unless a test says so.

use serde_json::json;
use shared::frame::client::Projection;
use shared::frame::server::ServerFrame;
use shared::frame::timeline::{Entry, EntryType};
use shared::selector::LabelSelector;

use super::reader::decoded;
use super::world::World;
use crate::feed::{Change, Object};
use crate::hub::{Bounds, Open, SendPermit, SubscriberKey, testing};
use crate::limits::TIMELINES_LINGERING_MAX;
use crate::subscription_request::SubscriptionRequest;

const LOG_BYTES: usize = 64 * 1024;
/// More than twice as many bytes in each timeline.
const WRITTEN: u64 = 400;

fn world() -> World {
    World::listed(Bounds { log_bytes: LOG_BYTES, ..Bounds::default() }, &["a/1"])
}

/// A timeline of everything, which no other selects in the same words.
fn open(world: &mut World, permit: &SendPermit) -> SubscriberKey {
    let fresh_view = world.fresh_view();
    let mut request = testing::request(fresh_view);
    request.scope.labels = LabelSelector::parse(&format!("none!=x-{fresh_view}")).ok();
    let request = SubscriptionRequest { projection: Projection::Timeline, ..request };
    world.hub.subscribe(Open { permit: permit.clone(), ..Open::alone(fresh_view, request) });
    fresh_view.into()
}

fn write(world: &mut World) {
    for n in 0..WRITTEN {
        world.change_unseen("a/1");
        let body = json!({ "spec": { "text": format!("{n}-{}", "x".repeat(200)) } }).to_string();
        world.say(Change::Put(Object { body: body.into(), ..world.object("a/1") }));
        world.hub.tick();
    }
}

/// How many entries it is told to have missed, and how many it gets.
fn read(world: &mut World, subscriber: SubscriberKey) -> (u64, u64) {
    let (mut lost, mut read) = (0, 0);
    loop {
        let delivery = world.hub.pull(subscriber).expect("known");
        let entries = delivery.messages.iter().flat_map(|message| match decoded(message) {
            ServerFrame::Timeline(frame) => frame.entries,
            _ => Vec::new(),
        });
        for entry in entries.collect::<Vec<Entry>>() {
            match entry.kind {
                EntryType::Gap => lost += entry.lost.expect("a number"),
                _ => read += 1,
            }
        }
        if !delivery.more {
            return (lost, read);
        }
    }
}

#[test]
fn r_net_4_two_hundred_timelines_of_a_connection_keep_together_what_one_may_and_say_what_is_missing() {
    let (mut world, permit, other) = (world(), SendPermit::default(), SendPermit::default());
    let many: Vec<SubscriberKey> = (0..200).map(|_| open(&mut world, &permit)).collect();
    write(&mut world);
    let kept = world.hub.log_bytes();
    assert!(kept <= LOG_BYTES + LOG_BYTES / 8, "{kept} bytes");
    for subscriber in &many {
        let (lost, read) = read(&mut world, *subscriber);
        assert_eq!(lost + read, WRITTEN);
        assert!(lost > WRITTEN / 2);
    }
    let alone = open(&mut world, &other);
    write(&mut world);
    let (_, read) = read(&mut world, alone);
    let share = world.hub.log_bytes() / 2;
    assert!(read > WRITTEN / 4, "{read}: another connection has a whole share");
    assert!(share <= LOG_BYTES + LOG_BYTES / 8, "{share} bytes each");
}

#[test]
fn r_net_4_a_connection_with_timelines_in_four_feeds_keeps_a_quarter_in_each() {
    let (mut world, permit) = (world(), SendPermit::default());
    permit.set_log_feeds(4);
    for _ in 0..3 {
        open(&mut world, &permit);
    }
    write(&mut world);
    let kept = world.hub.log_bytes();
    assert!((LOG_BYTES / 8..LOG_BYTES / 4 + LOG_BYTES / 32).contains(&kept), "{kept} bytes");
    // The connection has opened more of them elsewhere; here nothing happens but a `sync`.
    permit.set_log_feeds(16);
    world.sync_after(5_000);
    assert!(world.hub.log_bytes() <= LOG_BYTES / 16, "{} bytes", world.hub.log_bytes());
}

#[test]
fn r_net_4_timelines_that_nobody_reads_any_more_keep_together_what_one_may() {
    let mut world = world();
    for _ in 0..TIMELINES_LINGERING_MAX / 64 + 1 {
        let permit = SendPermit::default();
        let open: Vec<SubscriberKey> = (0..64).map(|_| open(&mut world, &permit)).collect();
        write(&mut world);
        open.into_iter().for_each(|subscriber| world.hub.unsubscribe(subscriber));
    }
    world.sync_after(5_000);
    let kept = world.hub.log_bytes();
    assert!(kept > LOG_BYTES / 2 && kept <= LOG_BYTES, "{kept} bytes");
    assert_eq!(world.hub.log_count(), TIMELINES_LINGERING_MAX);
}
