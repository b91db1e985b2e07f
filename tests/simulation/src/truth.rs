//! What the cluster holds, and all that it ever held: maps without any optimisation. What stands here is
//! right; everything else is compared with it.

use std::collections::BTreeMap;
use std::rc::Rc;

use shared::cell::Cell;
use shared::name::Namespace;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::selector::LabelSelector;

/// Which of the simulated resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Pods,
    /// A custom resource: its columns change.
    Widgets,
}

/// The cluster's id.
pub(crate) const CLUSTER: &str = "kube-system-uid";

pub(crate) const KINDS: [Kind; 2] = [Kind::Pods, Kind::Widgets];

impl Kind {
    pub(crate) fn resource(self) -> Resource {
        let group = if self == Self::Pods { "" } else { "example.com" };
        let plural = if self == Self::Pods { "pods" } else { "widgets" };
        Resource::parse(group, "v1", plural).expect("a resource")
    }

    pub(crate) fn of(resource: &Resource) -> Self {
        if resource.is_core() { Self::Pods } else { Self::Widgets }
    }

    pub(crate) fn name(self) -> &'static str {
        if self == Self::Pods { "Pod" } else { "Widget" }
    }
}

/// One state of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Thing {
    pub(crate) uid: u64,
    pub(crate) namespace: &'static str,
    pub(crate) name: String,
    pub(crate) colour: &'static str,
    pub(crate) status: String,
    pub(crate) count: i64,
    pub(crate) version: u64,
}

pub(crate) const CREATED: &str = "2026-11-21T02:43:01Z";
const CREATED_S: i64 = 1_795_228_981;

impl Thing {
    pub(crate) fn key(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    pub(crate) fn uid_text(&self) -> String {
        format!("{:08x}-0000-4000-8000-000000000000", self.uid)
    }

    /// The cell under a column of that name.
    pub(crate) fn cell(&self, column: &str) -> Cell {
        match column {
            "Name" => Cell::text(&self.name),
            "Status" => Cell::text(&self.status),
            "Count" => Cell::Int(self.count),
            "Colour" => Cell::text(self.colour),
            "Age" => Cell::Age(Some(CREATED_S)),
            _ => Cell::Null,
        }
    }
}

/// By `namespace/name`.
pub(crate) type Things = BTreeMap<String, Rc<Thing>>;

#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// `ADDED`, `MODIFIED` or `DELETED`.
    pub(crate) verb: &'static str,
    /// For a delete the last state, with the version of the delete.
    pub(crate) thing: Rc<Thing>,
    pub(crate) before: Option<Rc<Thing>>,
    pub(crate) at_ms: i64,
}

impl Event {
    pub(crate) fn version(&self) -> u64 {
        self.thing.version
    }
}

#[derive(Clone, Debug, Default)]
struct History {
    states: BTreeMap<u64, Rc<Things>>,
    events: Vec<Event>,
}

/// One etcd. A restore begins another branch, which shares the history up to the snapshot.
pub(crate) struct Truth {
    branches: Vec<BTreeMap<Kind, History>>,
    pub(crate) revision: u64,
    columns: &'static [&'static str],
    next_uid: u64,
}

const FIRST_REVISION: u64 = 98;

impl Truth {
    pub(crate) fn new() -> Self {
        let history = || History { states: [(0, Rc::default())].into(), events: Vec::new() };
        Self {
            branches: vec![KINDS.into_iter().map(|kind| (kind, history())).collect()],
            revision: FIRST_REVISION,
            columns: WIDGET_COLUMNS[0],
            next_uid: 1,
        }
    }

    pub(crate) fn branch(&self) -> usize {
        self.branches.len() - 1
    }

    pub(crate) fn columns(&self, kind: Kind) -> &'static [&'static str] {
        if kind == Kind::Pods { &["Name", "Status", "Count", "Age"] } else { self.columns }
    }

    /// A printer column of the custom resource is added, or taken away again.
    pub(crate) fn change_columns(&mut self) {
        let [first, second] = WIDGET_COLUMNS;
        self.columns = if self.columns == first { second } else { first };
    }

    pub(crate) fn now(&self, kind: Kind) -> Rc<Things> {
        self.at(kind, self.branch(), u64::MAX)
    }

    /// The state of the cluster at a resourceVersion.
    pub(crate) fn at(&self, kind: Kind, branch: usize, version: u64) -> Rc<Things> {
        let states = &self.branches[branch][&kind].states;
        states.range(..=version).next_back().map(|(_, things)| Rc::clone(things)).unwrap_or_default()
    }

    /// What a view must show at a resourceVersion.
    pub(crate) fn shown(&self, wanted: Wanted, branch: usize, version: u64) -> Things {
        let things = self.at(wanted.kind, branch, version);
        let shown = things.iter().filter(|(_, thing)| wanted.holds(thing));
        shown.map(|(key, thing)| (key.clone(), Rc::clone(thing))).collect()
    }

    pub(crate) fn events(&self, kind: Kind, branch: usize) -> &[Event] {
        &self.branches[branch][&kind].events
    }

    /// All states of a kind in the order in which they were, with their branch and version.
    pub(crate) fn states(&self, kind: Kind) -> impl Iterator<Item = ((usize, u64), &Things)> {
        self.branches.iter().enumerate().flat_map(move |(branch, histories)| {
            histories[&kind].states.iter().map(move |(version, things)| ((branch, *version), &**things))
        })
    }

    /// Whether a restore took away what an event told.
    pub(crate) fn is_lost(&self, kind: Kind, event: &Event) -> bool {
        let kept = self.events(kind, self.branch());
        !kept.iter().any(|kept| Rc::ptr_eq(&kept.thing, &event.thing))
    }

    /// All events of a kind, in the order in which they happened: those of a restored etcd follow those of the former.
    pub(crate) fn all_events(&self, kind: Kind) -> Vec<&Event> {
        let mut all: Vec<&Event> = Vec::new();
        for histories in &self.branches {
            let known = all.len();
            let is_known =
                |event: &Event| all[..known].iter().any(|known| Rc::ptr_eq(&known.thing, &event.thing));
            let fresh: Vec<&Event> =
                histories[&kind].events.iter().filter(|event| !is_known(event)).collect();
            all.extend(fresh);
        }
        all
    }

    pub(crate) fn put(&mut self, kind: Kind, mut thing: Thing, at_ms: i64) {
        let before = self.now(kind).get(&thing.key()).cloned();
        thing.uid = before.as_ref().map_or(self.next_uid, |before| before.uid);
        self.next_uid += u64::from(before.is_none());
        let verb = if before.is_some() { "MODIFIED" } else { "ADDED" };
        self.append(kind, verb, thing, before, at_ms);
    }

    pub(crate) fn delete(&mut self, kind: Kind, key: &str, at_ms: i64) {
        if let Some(before) = self.now(kind).get(key).cloned() {
            self.append(kind, "DELETED", (*before).clone(), Some(before), at_ms);
        }
    }

    fn append(
        &mut self,
        kind: Kind,
        verb: &'static str,
        mut thing: Thing,
        before: Option<Rc<Thing>>,
        at_ms: i64,
    ) {
        thing.version = self.next_version(thing.uid);
        let thing = Rc::new(thing);
        let mut things = (*self.now(kind)).clone();
        if verb == "DELETED" {
            things.remove(&thing.key());
        } else {
            things.insert(thing.key(), Rc::clone(&thing));
        }
        let branch = self.branch();
        let history = self.branches[branch].get_mut(&kind).expect("a resource");
        history.states.insert(thing.version, Rc::new(things));
        history.events.push(Event { verb, thing, before, at_ms });
    }

    /// One more than the last; but never a version that the same object had on another branch, because nothing
    /// could tell the two states apart.
    fn next_version(&mut self, uid: u64) -> u64 {
        loop {
            self.revision += 1;
            let mut events =
                self.branches.iter().flat_map(BTreeMap::values).flat_map(|history| &history.events);
            if !events.any(|event| event.version() == self.revision && event.thing.uid == uid) {
                return self.revision;
            }
        }
    }

    /// etcd comes back as it was at an earlier revision.
    pub(crate) fn restore(&mut self, revision: u64) {
        let mut branch = self.branches[self.branch()].clone();
        for history in branch.values_mut() {
            history.states.retain(|version, _| *version <= revision);
            history.events.retain(|event| event.version() <= revision);
        }
        self.branches.push(branch);
        self.revision = revision;
    }
}

const WIDGET_COLUMNS: [&[&str]; 2] = [&["Name", "Count", "Age"], &["Name", "Colour", "Count", "Age"]];

/// What a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wanted {
    pub(crate) kind: Kind,
    pub(crate) namespace: Option<&'static str>,
    pub(crate) labels: Option<&'static str>,
    /// Each event by itself, not the last state alone.
    pub(crate) each_event: bool,
}

impl Wanted {
    /// Written without the product's own selectors.
    pub(crate) fn holds(&self, thing: &Thing) -> bool {
        self.namespace.is_none_or(|namespace| namespace == thing.namespace)
            && match self.labels {
                None => true,
                Some("colour=red") => thing.colour == "red",
                Some("colour in (red,green)") => matches!(thing.colour, "red" | "green"),
                Some("colour!=blue") => thing.colour != "blue",
                Some(other) => panic!("not a selector of the simulation: {other}"),
            }
    }

    pub(crate) fn scope(&self) -> Scope {
        let namespaces = self.namespace.map_or(Namespaces::All, |namespace| {
            Namespaces::these(vec![Namespace::parse(namespace).expect("a name")]).expect("one")
        });
        Scope {
            cluster: None,
            resource: self.kind.resource(),
            namespaces,
            name: None,
            labels: self.labels.map(|labels| LabelSelector::parse(labels).expect("a selector")),
            fields: None,
        }
    }
}

pub(crate) const NAMESPACES: [&str; 3] = ["a", "a-b", "shop"];
pub(crate) const COLOURS: [&str; 3] = ["red", "green", "blue"];
pub(crate) const SELECTORS: [&str; 3] = ["colour=red", "colour in (red,green)", "colour!=blue"];
