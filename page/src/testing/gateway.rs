//! A gateway in memory for tests of the page: it answers each subscription at once from tables that a test
//! fills. Selectors aren't evaluated; a test reads what was asked.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use shared::cell::Cell;
use shared::column::Column;
use shared::frame::client::{self, ClientFrame, PastAsked, Projection, Subscribe};
use shared::frame::server::{
    Challenge, Children, Gap, Kinds, Replays, Rows, ServerFrame, Subscribed, TimelineFrame, Wanted, Welcome,
};
use shared::frame::timeline::Entry;
use shared::health::{Health, HealthClass};
use shared::problem::{Problem, Reason};
use shared::resource::{Kind, Resource};
use shared::row::{Extra, Owner, Row};
use shared::state::{StateReport, UnixMillis, ViewState};

use replica::testing;

use crate::usage;

use super::frames::{
    CLUSTER_SCOPED, Open, RESOURCES, WITH_STATUS, column, object_frame, problem_frame, refused_frame,
    scope_text, sync,
};
use super::past::TestPast;

/// What there is at the start.
pub(super) const ROWS: [(&str, &str); 7] = [
    ("pods", "ledger/db-0 1/1 Running 1"),
    ("pods", "shop/cart-1 1/1 Running 0"),
    ("pods", "shop/web-1 0/1 CrashLoopBackOff 5"),
    ("namespaces", "ledger Active"),
    ("namespaces", "shop Active"),
    ("nodes", "node-1 Ready"),
    ("deployments.apps", "shop/web 0/1"),
];

pub struct TestGateway {
    pub welcome: Welcome,
    pub kinds: Vec<Kind>,
    /// For each cluster, the resources that it doesn't serve.
    pub lacks: BTreeMap<String, Vec<String>>,
    /// The clusters that it doesn't reach.
    pub(super) unreached: BTreeMap<String, UnixMillis>,
    /// For each resource, the problem that it answers in place of rows.
    pub refused: BTreeMap<String, Problem>,
    /// Cells of custom columns, by path and by `namespace/name`.
    pub fields: BTreeMap<(String, String), String>,
    /// The controllers of rows, by `namespace/name`; each as `ReplicaSet/web-1`, or `ReplicaSet/web-1#1` with the hash of
    /// the template.
    pub owners: BTreeMap<String, String>,
    /// What it answers about the rights to each kind: the namespaces, none of them, or all where it isn't named. `None`: it
    /// doesn't answer.
    pub rights: Option<BTreeMap<String, Vec<String>>>,
    /// The kinds of the children of each kind, by its resource, and how many of how many were looked at.
    pub children: BTreeMap<String, (Vec<Resource>, usize, usize)>,
    /// It sends no proofs.
    pub is_silent: bool,
    /// What it asks each connection for.
    pub wanted: Option<Wanted>,
    /// It takes no login, and says this.
    pub refuses: Option<Problem>,
    /// What it recorded.
    pub past: TestPast,
    /// The logs that are asked for, and aren't over.
    pub logs: Vec<client::Log>,
    tables: BTreeMap<String, Table>,
    /// By resource and `namespace/name`.
    objects: BTreeMap<(String, String), Value>,
    pub(super) open: Vec<Open>,
    /// For each resource, the namespaces of which reviews refuse the rows, and what was asked for and is refused.
    pub(super) denied: BTreeMap<String, Vec<String>>,
    pub(super) waiting: Vec<Subscribe>,
    pub(super) asked: Vec<String>,
    epoch: u32,
    last_row: u64,
}

struct Table {
    columns: Vec<Column>,
    rows: Vec<Row>,
}

impl TestGateway {
    pub fn new(now_ms: UnixMillis) -> Self {
        let kind = |(plural, group, kind, _): &(&str, &str, &str, _)| Kind {
            singular: kind.to_lowercase().into(),
            custom: *group == "example.com",
            status: WITH_STATUS.contains(plural),
            ..Kind::new(
                Resource::parse(group, "v1", plural).expect("a resource"),
                kind,
                !CLUSTER_SCOPED.contains(plural),
            )
        };
        let table = |(plural, group, _, columns): &(&str, &str, _, &[&str])| {
            let resource = Resource::parse(group, "v1", plural).expect("a resource").to_string();
            (resource, Table { columns: columns.iter().copied().map(column).collect(), rows: vec![] })
        };
        Self {
            welcome: testing::welcome(now_ms),
            kinds: RESOURCES
                .iter()
                .filter(|(plural, group, ..)| *group != usage::GROUP && *plural != "statefulsets")
                .map(kind)
                .collect(),
            lacks: BTreeMap::new(),
            unreached: BTreeMap::new(),
            refused: BTreeMap::new(),
            fields: BTreeMap::new(),
            owners: BTreeMap::new(),
            rights: None,
            children: BTreeMap::new(),
            is_silent: false,
            wanted: None,
            refuses: None,
            past: TestPast::default(),
            logs: Vec::new(),
            tables: RESOURCES.iter().map(table).collect(),
            objects: BTreeMap::new(),
            open: Vec::new(),
            denied: BTreeMap::new(),
            waiting: Vec::new(),
            asked: Vec::new(),
            epoch: 0,
            last_row: 0,
        }
    }

    pub(super) fn challenge(&self) -> Option<ServerFrame> {
        let wanted = self.wanted?;
        Some(ServerFrame::Challenge(Challenge { nonce: "n".into(), wanted }))
    }

    /// From now on the cluster serves what pods use.
    pub fn serves_metrics(&mut self) {
        let resource = Resource::parse(usage::GROUP, "v1", "pods").expect("a resource");
        self.kinds.push(Kind { watch: false, ..Kind::new(resource, "PodMetrics", true) });
    }

    /// From now on the cluster serves StatefulSets.
    pub fn serves_stateful_sets(&mut self) {
        let resource = Resource::parse("apps", "v1", "statefulsets").expect("a resource");
        self.kinds.push(Kind::new(resource, "StatefulSet", true));
    }

    /// The subscriptions that are open, as `pods in shop`, `object of pods/web-1`.
    pub fn subscriptions(&self) -> Vec<String> {
        self.open.iter().map(|open| scope_text(open.asked.projection, &open.asked.scope)).collect()
    }

    /// The page's requests since the last call, in order.
    pub fn take_asked(&mut self) -> Vec<String> {
        std::mem::take(&mut self.asked)
    }

    fn owner(&self, key: &str) -> Option<Owner> {
        let (kind, name) = self.owners.get(key)?.split_once('/')?;
        let name = name.split('#').next()?;
        Some(Owner { kind: kind.into(), name: name.into(), row: None })
    }

    /// A row as `shop/web-1 1/1 Running 0`, created a day before `now_ms`. A row with this name is replaced
    /// and keeps its id.
    pub fn put(&mut self, resource: &str, written: &str, now_ms: UnixMillis) -> Vec<ServerFrame> {
        let (key, texts) = written.split_once(' ').unwrap_or((written, ""));
        let (namespace, name) = key.split_once('/').map_or((None, key), |(space, name)| (Some(space), name));
        let owner = self.owner(key);
        let hash =
            self.owners.get(key).and_then(|written| written.split_once('#')).map(|(_, hash)| hash.into());
        let table = self.tables.get_mut(resource).expect("a resource of the test cluster");
        let old = table.rows.iter().position(|row| row.order_key() == key);
        self.last_row += 1;
        let id = old.map_or_else(|| testing::id(self.last_row), |at| table.rows[at].id);
        let created = now_ms / 1_000 - 86_400;
        let mut texts = texts.split(' ').filter(|text| !text.is_empty());
        let cell = |column: &Column| match &*column.name {
            "Name" => Cell::text(name),
            "Age" | "Last Seen" => Cell::Age(Some(created)),
            _ => texts.next().map_or(Cell::Null, |text| Cell::text(&text.replace('_', " "))),
        };
        let cells: Vec<Cell> = table.columns.iter().map(cell).collect();
        let row = Row {
            id,
            resource_version: (now_ms / 1_000).to_string().as_str().into(),
            namespace: namespace.map(Into::into),
            name: name.into(),
            created: Some(created),
            extra: extra(health(&cells), owner, hash),
            cells,
        };
        match old {
            Some(at) => table.rows[at] = row.clone(),
            None => table.rows.push(row.clone()),
        }
        self.moved(resource, &row, false)
    }

    pub fn delete(&mut self, resource: &str, key: &str) -> Vec<ServerFrame> {
        let table = self.tables.get_mut(resource).expect("a resource of the test cluster");
        let at = table.rows.iter().position(|row| row.order_key() == key).expect("a row");
        let row = table.rows.remove(at);
        let mut frames = self.moved(resource, &row, true);
        if self.objects.remove(&(resource.to_owned(), key.to_owned())).is_some() {
            frames.extend(self.object_moved(resource, &row, None));
        }
        frames
    }

    /// The whole object of a row.
    pub fn object(&mut self, resource: &str, key: &str, object: Value) -> Vec<ServerFrame> {
        self.objects.insert((resource.to_owned(), key.to_owned()), object.clone());
        let row = self.row(resource, key).clone();
        self.object_moved(resource, &row, Some(&object))
    }

    /// An entry in every log that has the row.
    pub fn log(&mut self, resource: &str, key: &str, entry: Value, now_ms: UnixMillis) -> Vec<ServerFrame> {
        let row = self.row(resource, key).clone();
        let mut entry = entry;
        entry["time_ms"] = json!(now_ms);
        entry["row"] = json!(row.id.to_string());
        (entry["namespace"], entry["name"]) = (json!(row.namespace), json!(row.name));
        let entry: Entry = serde_json::from_value(entry).expect("an entry");
        let logs =
            self.open.iter_mut().filter(|open| open.is_of(resource, Projection::Timeline) && open.has(&row));
        logs.map(|open| {
            let (from, to) = open.step();
            let (view, entries) = (open.view(), vec![entry.clone()]);
            ServerFrame::Timeline(TimelineFrame { view, from, to, entries, reset: false })
        })
        .collect()
    }

    pub fn row(&self, resource: &str, key: &str) -> &Row {
        let rows = &self.tables[resource].rows;
        rows.iter().find(|row| row.order_key() == key).unwrap_or_else(|| panic!("no row {key}"))
    }

    /// A proof of every open subscription.
    pub fn syncs(&self, now_ms: UnixMillis) -> Vec<ServerFrame> {
        let is_of_now = |open: &&Open| open.asked.at_ms.is_none();
        let is_reached = |open: &&Open| !self.unreached.contains_key(&self.cluster_of(&open.asked.scope));
        let open = self.open.iter().filter(|_| !self.is_silent).filter(is_of_now).filter(is_reached);
        open.map(|open| sync(open, now_ms)).collect()
    }

    /// The connection ended, and with it all subscriptions.
    pub fn disconnected(&mut self) {
        self.open.clear();
        self.waiting.clear();
    }

    pub fn answer(&mut self, frame: ClientFrame, now_ms: UnixMillis) -> Vec<ServerFrame> {
        match frame {
            ClientFrame::Hello(_) => {
                self.epoch += 1;
                let welcome = Welcome { now_ms, ..self.welcome.clone() };
                std::iter::once(ServerFrame::Welcome(Box::new(welcome))).chain(self.kinds_of_all()).collect()
            }
            ClientFrame::Subscribe(asked) => self.subscribe(*asked, now_ms),
            ClientFrame::Log(asked) => {
                self.logs.push(asked.read().expect("a question for logs"));
                Vec::new()
            }
            ClientFrame::Rights(asked) => self.rights_to(asked),
            ClientFrame::Children(asked) => self.children_of(&asked),
            ClientFrame::Past(asked) => {
                self.asked.push(match &asked.asked {
                    PastAsked::Recorded { .. } => {
                        format!("record of {}", scope_text(Projection::Rows, &asked.scope))
                    }
                    PastAsked::History { before, .. } => format!("history before {before:?}"),
                    PastAsked::Version { resource_version, .. } => format!("version {resource_version}"),
                    PastAsked::Last => {
                        format!("last of {}", scope_text(Projection::Object, &asked.scope))
                    }
                    PastAsked::Search { word, .. } => format!("search for {word}"),
                    PastAsked::Events { before, .. } => {
                        format!("recorded {} before {before:?}", asked.scope.resource)
                    }
                    PastAsked::Changes(asked) => format!("changes since {}", asked.since_ms),
                });
                vec![self.past.answer(&asked, now_ms)]
            }
            ClientFrame::Unsubscribe(frame) => {
                self.logs.retain(|asked| asked.id != frame.id);
                self.open.retain(|open| open.asked.id != frame.id);
                self.waiting.retain(|asked| asked.id != frame.id);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Records the rows of a kind as they are. The gateway records from then on.
    pub fn record(&mut self, resource: &str, now_ms: UnixMillis) {
        self.welcome.records = true;
        self.past.record(resource, self.tables[resource].rows.clone(), now_ms);
    }

    /// What was recorded is replayed: there is no present.
    pub fn replay(&mut self, from_ms: UnixMillis, to_ms: UnixMillis) {
        self.welcome.replays = Some(Replays { from_ms, to_ms });
    }

    fn children_of(&mut self, asked: &client::Children) -> Vec<ServerFrame> {
        let resource = asked.resource.to_string();
        let place = asked.namespace.as_ref().map_or("-", |namespace| namespace.as_str());
        self.asked.push(format!("children of {resource} in {place}"));
        let known = self.children.get(&resource).cloned().unwrap_or_default();
        let (kinds, looked_at, of) = known;
        vec![ServerFrame::Children(Children { id: asked.id, kinds, looked_at, of })]
    }

    /// It shows less, or masks more: every subscription is answered anew.
    pub fn reload(&mut self, rules: &str, now_ms: UnixMillis) -> Vec<ServerFrame> {
        self.welcome.rules = rules.into();
        self.epoch += 1;
        let welcome = Welcome { now_ms, ..self.welcome.clone() };
        let mut frames = vec![ServerFrame::Welcome(Box::new(welcome))];
        for open in std::mem::take(&mut self.open) {
            frames.extend(self.subscribe(open.asked, now_ms));
        }
        frames
    }

    /// The kinds that discovery found.
    pub fn discovered(&self) -> ServerFrame {
        let cluster = self.welcome.clusters[0].name.clone();
        ServerFrame::Kinds(Kinds::new(cluster, self.kinds.clone(), Vec::new()))
    }

    pub(super) fn subscribe(&mut self, asked: Subscribe, now_ms: UnixMillis) -> Vec<ServerFrame> {
        self.asked.push(scope_text(asked.projection, &asked.scope));
        let resource = asked.scope.resource.to_string();
        let cluster = self.cluster_of(&asked.scope);
        if !self.welcome.clusters.iter().any(|served| served.name.as_str() == cluster) {
            let problem = Problem::new(Reason::NotFound, format!("no cluster is called {cluster:?}"));
            return vec![problem_frame(asked.id, problem)];
        }
        if self.lacks.get(&cluster).is_some_and(|lacks| lacks.contains(&resource)) {
            let problem =
                Problem::new(Reason::NotFound, format!("the cluster serves no resource {resource:?}"));
            return vec![problem_frame(asked.id, problem)];
        }
        if let Some(problem) = self.refused.get(&resource) {
            return vec![problem_frame(asked.id, problem.clone())];
        }
        if self.is_denied(&asked.scope) {
            let refused = refused_frame(&asked);
            self.waiting.push(asked);
            return vec![refused];
        }
        let mut open = Open { asked, at: 0 };
        let Some(table) = self.tables.get(&resource) else { return Vec::new() };
        let own: Vec<Column> = open.asked.columns.iter().map(|column| column.column()).collect();
        let columns: Vec<Column> = table.columns.iter().cloned().chain(own).collect();
        let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
        let subscribed = Subscribed {
            view: open.view(),
            scope: open.asked.scope.clone(),
            projection: open.asked.projection,
            columns: columns.clone(),
            ..testing::subscribed(open.asked.id, &self.epoch.to_string(), &names)
        };
        let then = open.asked.at_ms.map(|at_ms| self.past.as_of(&resource, at_ms));
        let (state, rows) = match then {
            None => (subscribed.state.clone(), table.rows.clone()),
            Some(Ok((state, rows))) => (StateReport::of(ViewState::Past(Box::new(state))), rows),
            Some(Err(problem)) => return vec![problem_frame(open.asked.id, problem)],
        };
        let subscribed = Subscribed { state, ..subscribed };
        let put: Vec<Row> = rows.iter().filter(|row| open.has(row) && open.takes(row)).cloned().collect();
        let mut frames = vec![ServerFrame::Subscribed(Box::new(subscribed))];
        let (from, to) = open.step();
        let view = open.view();
        frames.push(match open.asked.projection {
            Projection::Rows => {
                let put = put.into_iter().map(|row| self.with_fields(&open, row)).collect();
                ServerFrame::Rows(Rows { view, from, to, put, reset: true, ..Rows::default() })
            }
            Projection::Object => {
                let row = put.first();
                let object = row.and_then(|row| match open.asked.at_ms {
                    Some(at_ms) => self.past.object_as_of(&resource, &row.order_key(), at_ms),
                    None => self.objects.get(&(resource.clone(), row.order_key())),
                });
                let frame = object_frame(view, (from, to), row.map(|row| row.id), object);
                ServerFrame::Object(Box::new(frame))
            }
            Projection::Timeline => {
                open.at = from;
                let entries = Vec::new();
                ServerFrame::Timeline(TimelineFrame { view, from, to: from, entries, reset: true })
            }
        });
        if !self.is_silent && open.asked.at_ms.is_none() {
            frames.push(sync(&open, now_ms));
        }
        self.open.push(open);
        frames
    }

    fn with_fields(&self, open: &Open, mut row: Row) -> Row {
        let key = row.order_key();
        let text = |path: &str| self.fields.get(&(path.to_owned(), key.clone()));
        let cells =
            open.asked.columns.iter().map(|own| text(own.path()).map_or(Cell::Null, |text| Cell::text(text)));
        row.cells.extend(cells);
        row
    }

    fn moved(&mut self, resource: &str, row: &Row, is_deleted: bool) -> Vec<ServerFrame> {
        let mut frames = Vec::new();
        let mut open = std::mem::take(&mut self.open);
        for open in open.iter_mut().filter(|open| {
            open.is_of(resource, Projection::Rows) && open.has(row) && open.asked.at_ms.is_none()
        }) {
            let mut rows = open.next_rows();
            if is_deleted || !open.takes(row) {
                rows.delete.push(row.id);
            } else {
                rows.put.push(self.with_fields(open, row.clone()));
            }
            frames.push(ServerFrame::Rows(rows));
        }
        self.open = open;
        frames
    }

    /// What happened between two times isn't known; the rows are.
    pub fn gap(&mut self, resource: &str, gap: Gap) -> Vec<ServerFrame> {
        let open = self.open.iter_mut().filter(|open| open.is_of(resource, Projection::Rows));
        open.map(|open| ServerFrame::Rows(Rows { gap: Some(gap.clone()), ..open.next_rows() })).collect()
    }

    fn object_moved(&mut self, resource: &str, row: &Row, object: Option<&Value>) -> Vec<ServerFrame> {
        let open =
            self.open.iter_mut().filter(|open| open.is_of(resource, Projection::Object) && open.has(row));
        open.map(|open| {
            let (range, view) = (open.step(), open.view());
            ServerFrame::Object(Box::new(object_frame(view, range, Some(row.id), object)))
        })
        .collect()
    }
}

/// As the gateway would say it of an object that is printed so.
fn extra(health: Option<Health>, owner: Option<Owner>, hash: Option<Box<str>>) -> Option<Box<Extra>> {
    let extra = Extra { health, owner, hash, ..Extra::default() };
    (extra != Extra::default()).then(|| Box::new(extra))
}

fn health(cells: &[Cell]) -> Option<Health> {
    let words = cells.iter().filter_map(|cell| match cell {
        Cell::Text(text) => Some(&**text),
        _ => None,
    });
    let is_short = |word: &str| {
        word.split_once('/').is_some_and(|(ready, all)| {
            ready.parse::<u64>().ok().zip(all.parse::<u64>().ok()).is_some_and(|(ready, all)| ready < all)
        })
    };
    let class = |word: &str| match word {
        "CrashLoopBackOff" | "ImagePullBackOff" | "ErrImagePull" | "Error" | "Evicted" | "Failed"
        | "NotReady" | "Lost" => Some((0, HealthClass::Failing)),
        "Completed" | "Complete" => Some((1, HealthClass::Fine)),
        "Pending" | "ContainerCreating" | "Terminating" => Some((2, HealthClass::Changing)),
        "Warning" => Some((3, HealthClass::NotReady)),
        word if word.starts_with("0/") && is_short(word) => Some((3, HealthClass::Failing)),
        word if is_short(word) => Some((3, HealthClass::NotReady)),
        _ => None,
    };
    let (word, class) =
        words.filter_map(|word| Some((word, class(word)?))).min_by_key(|(_, (rank, _))| *rank)?;
    let health = Health { class: class.1, reason: word.into(), since: None, then: Vec::new(), failed: None };
    (health.class != HealthClass::Fine).then_some(health)
}
