//! The bounds of a timeline: how many entries it keeps and for how long, and how much one of them says.
//! Whoever was away too long is told how many are missing; whatever was cut says so.

use serde_json::{Map, Value, json};
use shared::codec::{Message, decode_server};
use shared::frame::client::Projection;
use shared::frame::server::ServerFrame;
use shared::frame::timeline::{Entry, EntryType};
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::token::Token;

use super::listed;
use super::world::World;
use crate::feed::{Change, FeedOutput, Object};
use crate::hub::{Open, SubscriberKey, SubscriptionRequest};
use crate::limits::{
    TIMELINE_BYTES_MAX, TIMELINE_ENTRIES_MAX, TIMELINE_FIELDS_MAX, TIMELINE_LINGER_MS,
    TIMELINE_VALUE_BYTES_MAX,
};

/// Reads the log of everything.
struct Follower {
    subscriber: SubscriberKey,
    epoch: Box<str>,
    at: u64,
}

impl Follower {
    fn begin(world: &mut World, token: Option<Token>) -> Self {
        let resource = Resource::parse("", "v1", "things").expect("valid");
        let scope = Scope {
            cluster: None,
            resource,
            namespaces: Namespaces::All,
            name: None,
            labels: None,
            fields: None,
        };
        let rows = SubscriptionRequest::rows(1, scope);
        let request = SubscriptionRequest { projection: Projection::Timeline, token, ..rows };
        let open = Open::alone(world.fresh_view(), request);
        let subscriber = open.key;
        world.hub.subscribe(open);
        Self { subscriber, epoch: "".into(), at: 0 }
    }

    /// All there is, and how many bytes its frames had.
    fn read(&mut self, world: &mut World) -> (Vec<Entry>, usize) {
        world.hub.tick();
        world.hub.set_clock(world.now_ms, 500);
        let (mut entries, mut bytes) = (Vec::new(), 0);
        loop {
            let delivery = world.hub.pull(self.subscriber).expect("known");
            for encoded in &delivery.messages {
                let message = if encoded.is_text {
                    Message::Text(String::from_utf8(encoded.bytes.to_vec()).expect("text"))
                } else {
                    Message::Binary(encoded.bytes.to_vec())
                };
                match decode_server(&message).expect("a frame") {
                    ServerFrame::Timeline(frame) => {
                        assert!(frame.reset || frame.from == self.at, "chained");
                        self.at = frame.to;
                        bytes += serde_json::to_string(&frame).expect("JSON").len();
                        entries.extend(frame.entries);
                    }
                    ServerFrame::Subscribed(subscribed) => {
                        self.epoch.clone_from(&subscribed.epoch);
                        self.at = subscribed.at.expect("where it begins");
                    }
                    _ => {}
                }
            }
            if !delivery.more {
                return (entries, bytes);
            }
        }
    }

    fn token(&self) -> Token {
        Token {
            cluster: "c".into(),
            columns: "".into(),
            epoch: self.epoch.clone(),
            sequence: self.at.to_string().into(),
            resource_version: "".into(),
            digest: None,
        }
    }
}

/// The object's next state has this body.
fn write(world: &mut World, name: &str, body: &Value) {
    world.change_unseen(name);
    let object = Object { body: body.to_string().into(), ..world.object(name) };
    world.hub.apply(FeedOutput::Change(Change::Put(object)));
}

/// `count` fields of this text each.
fn body(count: usize, text: &str) -> Value {
    let fields: Map<String, Value> = (0..count).map(|n| (format!("field-{n}"), json!(text))).collect();
    json!({ "spec": fields })
}

fn lost(entries: &[Entry]) -> Option<u64> {
    entries.first().filter(|entry| entry.kind == EntryType::Gap)?.lost
}

#[test]
fn a_timeline_keeps_ten_thousand_entries_and_who_was_away_longer_is_told_how_many_it_missed() {
    const MORE: u64 = 7;
    let mut world = listed(&["a/1"]);
    let mut follower = Follower::begin(&mut world, None);
    follower.read(&mut world);
    for _ in 0..MORE {
        world.put("a/1");
    }
    for _ in 0..TIMELINE_ENTRIES_MAX {
        world.put("a/1");
    }
    let (entries, _) = follower.read(&mut world);
    assert_eq!(lost(&entries), Some(MORE));
    assert_eq!(entries.len(), TIMELINE_ENTRIES_MAX + 1);
}

#[test]
fn a_timeline_of_large_entries_keeps_three_mebibytes_of_them_and_says_how_many_are_missing() {
    const WRITTEN: u64 = 200;
    let texts = ["x", "y"].map(|text| text.repeat(TIMELINE_VALUE_BYTES_MAX - 2));
    let mut world = listed(&["a/1"]);
    write(&mut world, "a/1", &body(TIMELINE_FIELDS_MAX, ""));
    let mut follower = Follower::begin(&mut world, None);
    follower.read(&mut world);
    for text in texts.iter().cycle().take(WRITTEN as usize) {
        write(&mut world, "a/1", &body(TIMELINE_FIELDS_MAX, text));
    }
    let (entries, bytes) = follower.read(&mut world);
    let lost = lost(&entries).expect("not all of them fit");
    assert_eq!(lost + entries.len() as u64 - 1, WRITTEN);
    // As many as fit, and what the frames around them have.
    let largest = serde_json::to_string(entries.last().expect("some")).expect("JSON").len();
    let kept = TIMELINE_BYTES_MAX - largest..TIMELINE_BYTES_MAX + 64 * 1024;
    assert!(kept.contains(&bytes), "{bytes} bytes, {largest} the largest");
}

#[test]
fn of_a_change_of_a_hundred_fields_64_are_told_and_the_others_counted() {
    let mut world = listed(&["a/1"]);
    write(&mut world, "a/1", &body(100, "before"));
    let mut follower = Follower::begin(&mut world, None);
    follower.read(&mut world);
    write(&mut world, "a/1", &body(100, "after"));
    let (entries, _) = follower.read(&mut world);
    let told: Vec<_> = entries.iter().map(|entry| (entry.fields.len(), entry.fields_more)).collect();
    assert_eq!(told, [(TIMELINE_FIELDS_MAX, 36)]);
}

#[test]
fn a_value_of_512_bytes_is_told_and_of_a_larger_one_its_size() {
    let largest = "x".repeat(TIMELINE_VALUE_BYTES_MAX - "\"\"".len());
    let one_more = format!("{largest}x");
    let mut world = listed(&["a/1"]);
    write(&mut world, "a/1", &body(1, &largest));
    let mut follower = Follower::begin(&mut world, None);
    follower.read(&mut world);
    write(&mut world, "a/1", &body(1, &one_more));
    let (entries, _) = follower.read(&mut world);
    let field = &entries[0].fields[0];
    assert_eq!((&field.old, field.old_bytes), (&Some(json!(largest)), None));
    assert_eq!((&field.new, field.new_bytes), (&None, Some(513)));
}

#[test]
fn a_timeline_that_nobody_reads_goes_on_for_a_minute_and_who_comes_later_is_told_of_a_gap() {
    for (away_ms, is_known) in [(TIMELINE_LINGER_MS, true), (TIMELINE_LINGER_MS + 1, false)] {
        let mut world = listed(&["a/1"]);
        world.hub.set_clock(world.now_ms, 500);
        let mut follower = Follower::begin(&mut world, None);
        follower.read(&mut world);
        world.hub.unsubscribe(follower.subscriber);
        world.put("a/1");
        world.now_ms += away_ms;
        world.hub.set_clock(world.now_ms, 500);
        world.hub.owe_sync();
        let mut back = Follower::begin(&mut world, Some(follower.token()));
        let (entries, _) = back.read(&mut world);
        let kinds: Vec<EntryType> = entries.iter().map(|entry| entry.kind).collect();
        let expected = if is_known { EntryType::Modified } else { EntryType::Gap };
        assert_eq!(kinds, [expected], "after {away_ms} ms");
    }
}
