//! The events of a hub against a map of what the cluster holds: an informer that lists, watches, and lists again where it
//! is told to, has what the map has, whatever happens to the feed.

use std::collections::BTreeMap;
use std::sync::Arc;

use kubernetes_api::Representation;
use replica::testing::column;
use serde_json::{Value, json};
use shared::cell::Cell;
use shared::frame::server::Gap;
use shared::name::Namespace;
use shared::problem::{Problem, Reason};
use shared::resource::{Kind, Resource};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::selector::LabelSelector;

use super::log::Log;
use super::printer::Printer;
use super::selection::Selection;
use super::watcher::{Begin, Watcher};
use crate::feed::labels::Labels;
use crate::feed::masks::Masks;
use crate::feed::{Change, FeedOutput, LeftOut, Managed, Object};
use crate::hub::Hub;

const BYTES_MAX: usize = 16 * 1024;
const COLOURS: [&str; 2] = ["red", "blue"];

/// A hub and its log, and what the cluster holds.
struct World {
    hub: Hub,
    log: Log,
    things: BTreeMap<String, (u64, &'static str)>,
    version: u64,
}

impl World {
    /// Listed at the revision 100, with nothing.
    fn new(bytes_max: usize) -> Self {
        let mut world =
            Self { hub: Hub::new("c", 7), log: Log::new(bytes_max), things: BTreeMap::new(), version: 100 };
        let first = world.hub.begin_hearing();
        first.into_iter().for_each(|heard| world.log.hear(heard));
        world.say(Change::Columns(Arc::new([column("Name"), column("Colour")])));
        world.relist(None);
        world
    }

    fn say(&mut self, change: Change) {
        self.hub.apply(FeedOutput::Change(change));
        for heard in self.hub.take_heard() {
            self.log.hear(heard);
        }
    }

    fn object(&self, name: &str) -> Object {
        let (version, colour) = self.things.get(name).copied().expect("it is there");
        let body = json!({
            "kind": "Pod", "apiVersion": "v1",
            "metadata": {"name": name, "namespace": "shop", "resourceVersion": version.to_string(), "labels": {"colour": colour}},
        });
        let row = Row {
            id: RowId::from_hash(name.bytes().fold(7, |hash, byte| hash * 131 + u64::from(byte)) << 20),
            resource_version: version.to_string().as_str().into(),
            namespace: Some("shop".into()),
            name: name.into(),
            created: None,
            cells: vec![Cell::text(name), Cell::text(colour)],
            extra: None,
        };
        Object {
            row,
            labels: Labels::pack([("colour", colour)].into_iter()),
            body: body.to_string().into_bytes().into(),
            masks: Masks::default(),
            managed: Managed::default(),
            verdict: None,
        }
    }

    fn change_unseen(&mut self, name: &str, colour: &'static str) {
        self.version += 1;
        self.things.insert(name.to_owned(), (self.version, colour));
    }

    fn put(&mut self, name: &str, colour: &'static str) {
        self.change_unseen(name, colour);
        let object = self.object(name);
        self.say(Change::Put(object));
    }

    fn delete(&mut self, name: &str) {
        if self.things.contains_key(name) {
            let id = self.object(name).row.id;
            self.things.remove(name);
            self.version += 1;
            let resource_version = self.version.to_string().as_str().into();
            self.say(Change::Delete { id, resource_version });
        }
    }

    fn relist(&mut self, gap: Option<Gap>) {
        self.say(Change::ListStart);
        for name in self.things.keys().cloned().collect::<Vec<_>>() {
            let object = self.object(&name);
            self.say(Change::Listed(object));
        }
        let resource_version: ResourceVersion = self.version.to_string().as_str().into();
        self.say(Change::ListEnd { resource_version, gap });
    }

    /// What a client whose selector is this one is to hold.
    fn held(&self, colour: Option<&str>) -> BTreeMap<String, u64> {
        let chosen = self.things.iter().filter(|(_, (_, own))| colour.is_none_or(|colour| *own == colour));
        chosen.map(|(name, (version, _))| (name.clone(), *version)).collect()
    }
}

fn gap() -> Gap {
    Gap { from_ms: 1, to_ms: 2, reason: Reason::Gone }
}

fn printer(representation: Representation) -> Printer {
    let resource = Resource::parse("", "v1", "pods").expect("valid");
    Printer::new(&Kind::new(resource.clone(), "Pod", true), &resource, representation)
}

fn selecting(colour: Option<&str>) -> Selection {
    let labels = colour.map(|colour| LabelSelector::parse(&format!("colour={colour}")).expect("valid"));
    Selection { labels, ..Selection::default() }
}

/// A client that holds what it is told.
struct Informer {
    colour: Option<&'static str>,
    watcher: Option<Watcher>,
    held: BTreeMap<String, u64>,
    lists: usize,
    events: Vec<String>,
}

impl Informer {
    fn new(colour: Option<&'static str>) -> Self {
        Self { colour, watcher: None, held: BTreeMap::new(), lists: 0, events: Vec::new() }
    }

    /// Reads all that there is to read.
    fn read(&mut self, log: &Log) {
        if !log.is_loaded() {
            return;
        }
        if self.watcher.is_none() {
            self.lists += 1;
            let chosen = selecting(self.colour);
            let listed = log.objects().filter(|version| chosen.chooses(version));
            self.held = listed.map(|version| (version.row.name.to_string(), version.revision)).collect();
            let of = (selecting(self.colour), printer(Representation::Whole));
            let begun = Watcher::begin(log, Begin::After(log.revision()), of, true);
            self.watcher = Some(begun.expect("it was just listed").0);
        }
        while let Some(watcher) = &mut self.watcher {
            let Ok(mut taken) = watcher.take(log, false) else {
                self.watcher = None;
                return self.read(log);
            };
            let is_more = taken.is_full();
            for line in watcher.print(&mut taken, 0).expect("readable") {
                self.hear(&serde_json::from_slice(&line).expect("JSON"));
            }
            if !is_more {
                return;
            }
        }
    }

    fn hear(&mut self, event: &Value) {
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let (name, version) = (text("/object/metadata/name"), text("/object/metadata/resourceVersion"));
        let version = version.parse().expect("a number");
        self.events.push(format!("{} {name} {version}", text("/type")));
        let before = match text("/type") {
            "DELETED" => self.held.remove(name),
            _ => self.held.insert(name.to_owned(), version),
        };
        assert_eq!(before.is_some(), text("/type") != "ADDED", "{event} after {before:?}");
        assert!(before.is_none_or(|before| before < version), "{event} after {before:?}");
    }
}

#[test]
fn an_informer_holds_what_the_cluster_holds_whatever_happens_to_the_feed() {
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut world = World::new(if seed % 2 == 0 { BYTES_MAX } else { 1_000 });
        let mut informers = [Informer::new(None), Informer::new(Some("red"))];
        for _ in 0..300 {
            let name = format!("pod-{}", random.u8(..6));
            let colour = COLOURS[usize::from(random.bool())];
            match random.u8(..40) {
                0 => world.relist(None),
                1 => {
                    world.change_unseen(&name, colour);
                    world.relist(Some(gap()));
                }
                2 => {
                    world.things.remove(&name);
                    world.version += 1;
                    world.relist(Some(gap()));
                }
                3..10 => world.delete(&name),
                _ => world.put(&name, colour),
            }
            for informer in &mut informers {
                if random.u8(..4) > 0 {
                    informer.read(&world.log);
                    assert_eq!(informer.held, world.held(informer.colour), "seed {seed}");
                }
            }
        }
        assert!(informers.iter().all(|informer| informer.lists > 1), "gaps were told");
    }
}

#[test]
fn a_watch_gets_every_event_after_its_revision_with_the_object_as_it_was() {
    let mut world = World::new(BYTES_MAX);
    world.put("a", "red");
    let from = world.version;
    world.put("a", "blue");
    world.put("b", "red");
    world.delete("a");
    let read = |world: &World, colour: Option<&'static str>, from: u64| {
        let mut informer = Informer::new(colour);
        informer.held.insert("a".to_owned(), from);
        let of = (selecting(colour), printer(Representation::Whole));
        informer.watcher = Watcher::begin(&world.log, Begin::After(from), of, false).ok().map(|(it, _)| it);
        informer.read(&world.log);
        informer.events
    };
    assert_eq!(read(&world, None, from), ["MODIFIED a 102", "ADDED b 103", "DELETED a 104"]);
    // An object that leaves the selector is deleted for it, as of the change.
    assert_eq!(read(&world, Some("red"), from), ["DELETED a 102", "ADDED b 103"]);
}

#[test]
fn an_object_that_cannot_be_shown_any_more_is_not_told_as_deleted_and_its_watches_list_again() {
    let mut world = World::new(BYTES_MAX);
    world.put("a", "red");
    world.put("b", "red");
    let begin = |world: &World, begin: Begin, selection: Selection| {
        Watcher::begin(&world.log, begin, (selection, printer(Representation::Whole)), true)
    };
    let (mut watcher, _) =
        begin(&world, Begin::After(world.version), Selection::default()).expect("it was just heard");
    let problem = Problem::new(Reason::Limit, "it is larger than 4 MiB");
    world.say(Change::LeftOut(LeftOut { object: "shop/a".into(), problem }));
    let stopped = watcher.take(&world.log, false).err().flatten().expect("an error");
    assert_eq!(stopped.code, 410);
    let initial = Begin::Initial { ends_with_bookmark: true };
    let refused = begin(&world, initial, Selection::default()).err().expect("not all that is there");
    assert!(refused.code == 500 && refused.message.contains("shop/a"), "{refused:?}");
    let elsewhere = Selection { namespace: Namespace::parse("office").ok(), ..Selection::default() };
    assert!(begin(&world, initial, elsewhere).is_ok(), "nothing is left out there");
    assert!(begin(&world, Begin::After(world.version), Selection::default()).is_ok(), "events are all told");
    world.put("a", "blue");
    assert!(begin(&world, initial, Selection::default()).is_ok(), "it is shown again");
}

#[test]
fn what_is_not_known_any_more_is_expired_and_the_future_is_waited_for() {
    let mut world = World::new(1_000);
    let begin = |world: &World, revision: u64| {
        let of = (Selection::default(), printer(Representation::Whole));
        Watcher::begin(&world.log, Begin::After(revision), of, false).err()
    };
    assert!(begin(&world, 100).is_none() && begin(&world, 5_000).is_none());
    let before = begin(&world, 99).expect("nothing is known of it");
    assert_eq!((before.code, before.reason), (410, "Expired"));
    assert_eq!(before.message, "too old resource version: 99 (100)");
    for at in 0..100 {
        world.put(&format!("pod-{}", at % 7), "red");
    }
    assert!(begin(&world, 101).is_some(), "the bound of bytes was passed");
    assert!(world.log.bytes() <= 1_000, "{}", world.log.bytes());
    assert!(begin(&world, world.version).is_none());
}

#[test]
fn a_consistent_list_proves_a_quiet_feed_and_only_if_it_is_the_same() {
    let mut world = World::new(BYTES_MAX);
    world.put("a", "red");
    let listed: Vec<_> = world.log.objects().cloned().collect();
    assert!(world.log.confirm(500, &listed), "nothing has happened to this kind since");
    assert_eq!(world.log.revision(), 500);
    // What came and went between is no news for who stands at that list.
    let of = (Selection::default(), printer(Representation::Whole));
    let (mut watcher, _) = Watcher::begin(&world.log, Begin::After(500), of, true).expect("known");
    world.put("b", "red");
    world.delete("b");
    let mut taken = watcher.take(&world.log, false).expect("known");
    assert!(watcher.print(&mut taken, 0).expect("readable").is_empty());
    assert!(!world.log.confirm(600, &[]), "it has another object");
    assert_eq!(world.log.revision(), 500);
}

#[test]
fn a_table_has_its_columns_with_the_first_event_and_a_bookmark_ends_the_initial_ones() {
    let mut world = World::new(BYTES_MAX);
    world.put("a", "red");
    world.put("b", "blue");
    let table = Representation::Table(kubernetes_api::Include::None);
    let begin = Begin::Initial { ends_with_bookmark: true };
    let of = (Selection::default(), printer(table));
    let (mut watcher, mut first) = Watcher::begin(&world.log, begin, of, true).expect("loaded");
    let lines = watcher.print(&mut first, 0).expect("readable");
    let lines: Vec<Value> = lines.iter().map(|line| serde_json::from_slice(line).expect("JSON")).collect();
    let types: Vec<_> = lines.iter().map(|line| line["type"].clone()).collect();
    assert_eq!(types, ["ADDED", "ADDED", "BOOKMARK"]);
    let columns = |at: usize| lines[at]["object"]["columnDefinitions"].as_array().map(Vec::len);
    assert_eq!((columns(0), columns(1)), (Some(2), None));
    assert_eq!(lines[1]["object"]["rows"][0]["cells"], json!(["b", "blue"]));
    let mut whole = printer(Representation::Whole);
    whole.now_s = 0;
    let mark: Value = serde_json::from_slice(&whole.bookmark(7, true, false)).expect("JSON");
    assert_eq!(mark["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
    assert_eq!(mark["object"]["metadata"]["resourceVersion"], "7");
}
