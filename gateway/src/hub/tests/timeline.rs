//! The bounds of a timeline: how many entries it keeps and for how long, and how much one of them says. A
//! reader is told how many entries it missed, and how much of an entry was left out.

use std::hash::RandomState;

use serde_json::{Map, Value, json};
use shared::frame::client::Projection;
use shared::frame::server::ServerFrame;
use shared::frame::timeline::{Area, Entry, EntryType};
use shared::resource::Resource;
use shared::scope::Scope;
use shared::token::Token;

use super::listed;
use super::reader::decoded;
use super::world::World;
use crate::feed::masks::{MASK, MaskWriter};
use crate::feed::{Change, Object};
use crate::hub::{Open, SubscriberKey, testing};
use crate::limits::{
    TIMELINE_BYTES_MAX, TIMELINE_ENTRIES_MAX, TIMELINE_FIELDS_MAX, TIMELINE_LINGER_MS,
    TIMELINE_VALUE_BYTES_MAX,
};
use crate::subscription_request::SubscriptionRequest;

/// Reads the log of everything.
struct Follower {
    subscriber: SubscriberKey,
    epoch: Box<str>,
    at: u64,
}

impl Follower {
    /// Has read all there is.
    fn begin(world: &mut World) -> Self {
        Self::open(world, None).0
    }

    fn open(world: &mut World, token: Option<Token>) -> (Self, Vec<Entry>) {
        Self::open_with(world, SubscriptionRequest { token, ..testing::request(1) })
    }

    fn open_with(world: &mut World, request: SubscriptionRequest) -> (Self, Vec<Entry>) {
        let request = SubscriptionRequest { projection: Projection::Timeline, ..request };
        let open = Open::alone(world.fresh_view(), request);
        let mut follower = Self { subscriber: open.key, epoch: "".into(), at: 0 };
        world.hub.subscribe(open);
        let (entries, _) = follower.read(world);
        (follower, entries)
    }

    /// All there is, and how many bytes its frames had.
    fn read(&mut self, world: &mut World) -> (Vec<Entry>, usize) {
        world.hub.tick();
        world.hub.set_clock(world.now_ms, 500);
        let (mut entries, mut bytes) = (Vec::new(), 0);
        loop {
            let delivery = world.hub.pull(self.subscriber).expect("known");
            for message in &delivery.messages {
                match decoded(message) {
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
    world.say(Change::Put(object));
}

/// The object's next state hides this.
fn hide(world: &mut World, name: &str, hidden: &str, key: &RandomState) {
    world.change_unseen(name);
    let (mut body, mut masks) = (b"{\"spec\":{\"password\":\"".to_vec(), MaskWriter::default());
    masks.write(&mut body, hidden.as_bytes(), key);
    body.extend_from_slice(b"\"}}");
    world.say(Change::Put(Object { body: body.into(), masks: masks.finish(), ..world.object(name) }));
}

#[test]
fn a_timeline_says_that_a_value_changed_behind_its_mask_and_nothing_else_of_it() {
    let (key, mut world) = (RandomState::new(), listed(&["a/1"]));
    hide(&mut world, "a/1", "canary-1", &key);
    let mut follower = Follower::begin(&mut world);
    hide(&mut world, "a/1", "canary-2", &key);
    hide(&mut world, "a/1", "canary-2", &key);
    let (entries, _) = follower.read(&mut world);
    let fields: Vec<Value> = entries.iter().map(|entry| json!(entry.fields)).collect();
    let same = json!([{"path": "/spec/password", "old": MASK, "new": MASK}]);
    assert_eq!(fields, [same, json!([])]);
    assert_eq!(entries.first().map(|entry| entry.changed.as_slice()), Some(&[Area::Spec][..]));
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
fn a_timeline_keeps_ten_thousand_entries_and_a_reader_is_told_how_many_more_it_missed() {
    const MORE: u64 = 7;
    let mut world = listed(&["a/1"]);
    let mut follower = Follower::begin(&mut world);
    for _ in 0..MORE as usize + TIMELINE_ENTRIES_MAX {
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
    let mut follower = Follower::begin(&mut world);
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
fn an_entry_has_64_of_a_hundred_changed_fields_and_the_number_of_the_others() {
    let mut world = listed(&["a/1"]);
    write(&mut world, "a/1", &body(100, "before"));
    let mut follower = Follower::begin(&mut world);
    write(&mut world, "a/1", &body(100, "after"));
    let (entries, _) = follower.read(&mut world);
    let counts: Vec<_> = entries.iter().map(|entry| (entry.fields.len(), entry.fields_more)).collect();
    assert_eq!(counts, [(TIMELINE_FIELDS_MAX, 36)]);
}

#[test]
fn an_entry_has_a_value_of_512_bytes_and_the_size_of_a_larger_one() {
    let largest = "x".repeat(TIMELINE_VALUE_BYTES_MAX - "\"\"".len());
    let one_more = format!("{largest}x");
    let mut world = listed(&["a/1"]);
    write(&mut world, "a/1", &body(1, &largest));
    let mut follower = Follower::begin(&mut world);
    write(&mut world, "a/1", &body(1, &one_more));
    let (entries, _) = follower.read(&mut world);
    let field = &entries[0].fields[0];
    assert_eq!((&field.old, field.old_bytes), (&Some(json!(largest)), None));
    assert_eq!((&field.new, field.new_bytes), (&None, Some(513)));
}

#[test]
fn an_entry_says_which_elements_of_lists_its_fields_lie_in() {
    let pod = |ready: &str, restarts: u8| {
        let ended = json!({"terminated": {"exitCode": 1, "reason": "Error"}});
        json!({"status": {
            "conditions": [{"type": "Initialized", "status": "True"}, {"type": "Ready", "status": ready}],
            "containerStatuses": [{"name": "app", "restartCount": restarts, "lastState": ended, "image": ready}],
        }})
    };
    let mut world = listed(&["a/1"]);
    write(&mut world, "a/1", &pod("True", 40));
    let mut follower = Follower::begin(&mut world);
    write(&mut world, "a/1", &pod("False", 40));
    let (entries, _) = follower.read(&mut world);
    let expected = json!({
        "/status/conditions/1/type": "Ready",
        "/status/containerStatuses/0/name": "app",
        "/status/containerStatuses/0/restartCount": 40,
        "/status/containerStatuses/0/lastState/terminated/exitCode": 1,
    });
    assert_eq!(json!(entries[0].context), expected);
}

#[test]
fn an_entry_of_an_event_says_what_it_says_of_which_object_however_it_came_or_went() {
    let event = |count: u32, message: &str| {
        json!({"type": "Warning", "reason": "BackOff", "message": message, "count": count, "source": {"component": "kubelet"},
            "involvedObject": {"kind": "Pod", "name": "web-1", "namespace": "a", "uid": "u"}})
    };
    let events = |id| SubscriptionRequest {
        scope: Scope {
            resource: Resource::parse("", "v1", "events").expect("a resource"),
            ..testing::request(id).scope
        },
        ..testing::request(id)
    };
    let mut world = listed(&["a/0"]);
    let (mut follower, _) = Follower::open_with(&mut world, events(1));
    write(&mut world, "a/1", &event(1, &"é".repeat(TIMELINE_VALUE_BYTES_MAX)));
    write(&mut world, "a/1", &event(2, "Back-off"));
    world.delete("a/1");
    let (entries, _) = follower.read(&mut world);
    let said = |entry: &Entry| {
        let text = |part: &str| entry.context.get(part).map(Value::to_string).unwrap_or_default();
        ["/reason", "/involvedObject/kind", "/involvedObject/name", "/count"].map(text).join(" ")
    };
    let expected = |count: u32| format!("\"BackOff\" \"Pod\" \"web-1\" {count}");
    assert_eq!(entries.iter().map(said).collect::<Vec<_>>(), [expected(1), expected(2), expected(2)]);
    let cut = entries[0].context["/message"].as_str().expect("a text");
    assert_eq!(cut, format!("{}…", "é".repeat(TIMELINE_VALUE_BYTES_MAX / 2)));
    write(&mut world, "a/2", &event(3, "Back-off"));
    let (_, earlier) = Follower::open_with(&mut world, SubscriptionRequest { earlier: true, ..events(2) });
    assert_eq!(earlier.last().map(said), Some(expected(3)), "also before the log began");
}

#[test]
fn a_timeline_without_readers_goes_on_for_a_minute_and_a_later_reader_is_told_of_a_gap() {
    for (away_ms, is_known) in [(TIMELINE_LINGER_MS, true), (TIMELINE_LINGER_MS + 1, false)] {
        let mut world = listed(&["a/1"]);
        world.hub.set_clock(world.now_ms, 500);
        let follower = Follower::begin(&mut world);
        world.hub.unsubscribe(follower.subscriber);
        world.put("a/1");
        world.sync_after(away_ms);
        let (_, entries) = Follower::open(&mut world, Some(follower.token()));
        let kinds: Vec<EntryType> = entries.iter().map(|entry| entry.kind).collect();
        let expected = if is_known { EntryType::Modified } else { EntryType::Gap };
        assert_eq!(kinds, [expected], "after {away_ms} ms");
    }
}

#[test]
fn a_timeline_that_asks_for_it_begins_with_what_the_hub_still_has() {
    let mut world = listed(&["a/1", "a/2", "b/1"]);
    world.hub.set_clock(2_000, 500);
    world.put("a/2");
    world.put("a/3");
    world.hub.set_clock(3_000, 500);
    world.put("a/2");
    world.put("a/4");
    world.delete("a/4");
    let earlier = SubscriptionRequest { earlier: true, ..testing::request(1) };
    let told = |entries: &[Entry]| -> Vec<String> {
        let told = entries.iter().map(|entry| {
            format!(
                "{:?} {} {} {}",
                entry.kind,
                entry.name.clone().unwrap_or_default(),
                entry.time_ms,
                entry.earlier
            )
        });
        told.collect()
    };
    let before = ["Added a/3 2000 true", "Modified a/2 3000 true"];
    let (mut follower, entries) = Follower::open_with(&mut world, earlier.clone());
    assert_eq!(told(&entries), before, "each object once, and none that was only listed");
    world.put("a/1");
    let (entries, _) = follower.read(&mut world);
    assert_eq!(entries.iter().map(|entry| entry.earlier).collect::<Vec<_>>(), [false]);

    let (_, entries) = Follower::open_with(&mut world, earlier);
    assert_eq!(entries.len(), 3, "a second reader gets the ring");
    let (_, entries) = Follower::open(&mut world, None);
    assert!(entries.is_empty(), "one that doesn't ask begins now");
}
