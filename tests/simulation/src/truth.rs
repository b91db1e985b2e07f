//! What the cluster holds, and all that it ever held: maps, and nothing clever. What stands here is
//! right; everything else is compared with it.

use std::collections::BTreeMap;
use std::rc::Rc;

use shared::cell::Cell;
use shared::resource::Resource;
use shared::selector::LabelSelector;

/// Which of the simulated resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Sort {
    Pods,
    /// A custom resource: its columns change.
    Widgets,
}

pub(crate) const SORTS: [Sort; 2] = [Sort::Pods, Sort::Widgets];

impl Sort {
    pub(crate) fn resource(self) -> Resource {
        match self {
            Self::Pods => Resource::parse("", "v1", "pods").expect("a resource"),
            Self::Widgets => Resource::parse("example.com", "v1", "widgets").expect("a resource"),
        }
    }

    pub(crate) fn of(resource: &Resource) -> Self {
        if resource.is_core() { Self::Pods } else { Self::Widgets }
    }

    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Pods => "Pod",
            Self::Widgets => "Widget",
        }
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happened {
    Added,
    Modified,
    Deleted,
}

#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) version: u64,
    pub(crate) happened: Happened,
    /// For a delete the last state, with the version of the delete.
    pub(crate) thing: Rc<Thing>,
    /// What it was before.
    pub(crate) before: Option<Rc<Thing>>,
    pub(crate) at_ms: i64,
}

#[derive(Clone, Debug, Default)]
struct Past {
    states: BTreeMap<u64, Rc<Things>>,
    events: Vec<Event>,
}

/// One etcd: a restore begins another branch, which shares the past up to the snapshot.
pub(crate) struct Truth {
    branches: Vec<BTreeMap<Sort, Past>>,
    pub(crate) revision: u64,
    columns: Vec<&'static str>,
    next_uid: u64,
}

const FIRST_REVISION: u64 = 98;

impl Truth {
    pub(crate) fn new() -> Self {
        let past = || Past { states: [(0, Rc::default())].into(), events: Vec::new() };
        Self {
            branches: vec![SORTS.into_iter().map(|sort| (sort, past())).collect()],
            revision: FIRST_REVISION,
            columns: WIDGETS[0].to_vec(),
            next_uid: 1,
        }
    }

    pub(crate) fn branch(&self) -> usize {
        self.branches.len() - 1
    }

    pub(crate) fn columns(&self, sort: Sort) -> &[&'static str] {
        match sort {
            Sort::Pods => &["Name", "Status", "Count", "Age"],
            Sort::Widgets => &self.columns,
        }
    }

    /// A printer column of the custom resource is added, or taken away again.
    pub(crate) fn change_columns(&mut self) {
        let next = WIDGETS.iter().find(|columns| ***columns != self.columns[..]).expect("another");
        self.columns = next.to_vec();
    }

    pub(crate) fn now(&self, sort: Sort) -> Rc<Things> {
        self.at(sort, self.branch(), u64::MAX)
    }

    /// The state of the cluster at a resourceVersion.
    pub(crate) fn at(&self, sort: Sort, branch: usize, version: u64) -> Rc<Things> {
        let past = &self.branches[branch][&sort];
        past.states.range(..=version).next_back().map(|(_, things)| Rc::clone(things)).unwrap_or_default()
    }

    pub(crate) fn events(&self, sort: Sort, branch: usize) -> &[Event] {
        &self.branches[branch][&sort].events
    }

    pub(crate) fn put(&mut self, sort: Sort, mut thing: Thing, at_ms: i64) {
        let mut things = (*self.now(sort)).clone();
        let before = things.get(&thing.key()).cloned();
        thing.uid = before.as_ref().map_or(self.next_uid, |before| before.uid);
        self.next_uid += u64::from(before.is_none());
        thing.version = self.next_version(thing.uid);
        let thing = Rc::new(thing);
        things.insert(thing.key(), Rc::clone(&thing));
        let happened = if before.is_some() { Happened::Modified } else { Happened::Added };
        self.happen(sort, things, Event { version: thing.version, happened, thing, before, at_ms });
    }

    pub(crate) fn delete(&mut self, sort: Sort, key: &str, at_ms: i64) {
        let mut things = (*self.now(sort)).clone();
        let Some(before) = things.remove(key) else { return };
        let version = self.next_version(before.uid);
        let thing = Rc::new(Thing { version, ..(*before).clone() });
        let before = Some(before);
        self.happen(sort, things, Event { version, happened: Happened::Deleted, thing, before, at_ms });
    }

    fn happen(&mut self, sort: Sort, things: Things, event: Event) {
        let branch = self.branch();
        let past = self.branches[branch].get_mut(&sort).expect("a resource");
        past.states.insert(event.version, Rc::new(things));
        past.events.push(event);
    }

    /// One more; never one that the same object had on another branch, for those two states nobody
    /// could tell apart, whatever he does.
    fn next_version(&mut self, uid: u64) -> u64 {
        loop {
            self.revision += 1;
            let is_taken = self.branches.iter().flat_map(BTreeMap::values).any(|past| {
                past.events.iter().any(|event| event.version == self.revision && event.thing.uid == uid)
            });
            if !is_taken {
                return self.revision;
            }
        }
    }

    /// etcd comes back as it was at an earlier revision.
    pub(crate) fn restore(&mut self, revision: u64) {
        let branch = self.branches[self.branch()].clone();
        let cut = |mut past: Past| {
            past.states.retain(|version, _| *version <= revision);
            past.events.retain(|event| event.version <= revision);
            past
        };
        self.branches.push(branch.into_iter().map(|(sort, past)| (sort, cut(past))).collect());
        self.revision = revision;
    }
}

const WIDGETS: [&[&str]; 2] = [&["Name", "Count", "Age"], &["Name", "Colour", "Count", "Age"]];

/// What a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wanted {
    pub(crate) sort: Sort,
    pub(crate) namespace: Option<&'static str>,
    pub(crate) labels: Option<&'static str>,
}

impl Wanted {
    /// Without the product's own selectors.
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

    pub(crate) fn scope(&self) -> shared::scope::Scope {
        use shared::name::Namespace;
        use shared::scope::{Namespaces, Scope};
        let namespaces = self.namespace.map_or(Namespaces::All, |namespace| {
            Namespaces::these(vec![Namespace::parse(namespace).expect("a name")]).expect("one")
        });
        Scope {
            cluster: None,
            resource: self.sort.resource(),
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
