//! A reader that believes nothing: it applies each frame by the words of the protocol and fails where
//! a guarantee of one subscription is broken.

use std::collections::{BTreeMap, BTreeSet};

use shared::cell::Cell;
use shared::codec::{Message, decode_server};
use shared::custom_column::{CustomColumn, CustomColumns};
use shared::digest;
use shared::frame::server::{Rows, ServerFrame, Sync};
use shared::name::Namespace;
use shared::problem::Problem;
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::scope::{Namespaces, Scope};
use shared::selector::LabelSelector;
use shared::token::Token;

use super::world::World;
use crate::hub::{Open, SubscriberKey, SubscriptionRequest};

#[derive(Default)]
pub(super) struct Reader {
    id: u32,
    namespace: Option<&'static str>,
    colour: Option<&'static str>,
    /// Name and path of each.
    columns: &'static [(&'static str, &'static str)],
    pub(super) is_second: bool,
    subscriber: Option<SubscriberKey>,
    view: u32,
    columns_hash: Box<str>,
    epoch: Box<str>,
    at: u64,
    is_cut: bool,
    pub(super) is_waiting: bool,
    /// Why it may not have what it asked for.
    pub(super) problem: Option<Problem>,
    pub(super) titles: Vec<Box<str>>,
    rows: BTreeMap<RowId, Row>,
    /// Where the last cut was; what a token says.
    token: Option<Token>,
    /// Every (object, version) of this epoch since the last reset.
    seen: BTreeSet<(RowId, String)>,
    newest: BTreeMap<RowId, ResourceVersion>,
    pub(super) resets: usize,
    pub(super) gaps: usize,
    pub(super) digests: usize,
    pub(super) rows_received: usize,
}

impl Reader {
    pub(super) fn all(id: u32) -> Self {
        Self { id, ..Self::default() }
    }

    pub(super) fn of_namespace(id: u32, namespace: &'static str) -> Self {
        Self { id, namespace: Some(namespace), ..Self::default() }
    }

    pub(super) fn of_label(id: u32, selector: &'static str) -> Self {
        let colour = selector.split_once('=').map(|(_, colour)| colour);
        Self { id, colour, ..Self::default() }
    }

    /// As its cells are: the colour of a thing, and its two values.
    pub(super) fn with_columns(self) -> Self {
        Self { columns: &[("COLOUR", ".metadata.labels.colour"), ("VALUES", ".values[*]")], ..self }
    }

    fn scope(&self) -> Scope {
        let namespaces = self.namespace.map_or(Namespaces::All, |namespace| {
            Namespaces::these(vec![Namespace::parse(namespace).expect("valid")]).expect("one")
        });
        let labels =
            self.colour.map(|colour| LabelSelector::parse(&format!("colour={colour}")).expect("valid"));
        let resource = Resource::parse("", "v1", "things").expect("valid");
        Scope { cluster: None, resource, namespaces, name: None, labels, fields: None }
    }

    /// Without a token: what it held is forgotten.
    pub(super) fn open(&mut self, world: &mut World) {
        self.rows.clear();
        self.seen.clear();
        self.newest.clear();
        (self.at, self.is_cut, self.token) = (0, false, None);
        self.subscribe(world);
    }

    pub(super) fn resume(&mut self, world: &mut World) {
        match &self.token {
            Some(token) => self.at = token.sequence().expect("a number"),
            None => return self.open(world),
        }
        self.subscribe(world);
    }

    fn subscribe(&mut self, world: &mut World) {
        let request = SubscriptionRequest {
            columns: self.custom_columns(),
            token: self.token.clone(),
            ..SubscriptionRequest::rows(self.id, self.scope())
        };
        let open = Open { is_second: self.is_second, ..Open::alone(world.fresh_view(), request) };
        self.subscriber = Some(open.key);
        world.hub.subscribe(open);
    }

    pub(super) fn ask_for(&mut self, columns: &'static [(&'static str, &'static str)]) {
        self.columns = columns;
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &[Cell]> {
        self.rows.values().map(|row| row.cells.as_slice())
    }

    fn custom_columns(&self) -> CustomColumns {
        let columns = self.columns.iter().map(|(name, path)| CustomColumn::parse(name, path).expect("valid"));
        CustomColumns::these(columns.collect()).expect("few")
    }

    /// A reader that left in the middle of a walk holds rows that its token doesn't speak of: the walk
    /// that continues it sends them again.
    pub(super) fn leave(&mut self, world: &mut World) {
        if let Some(subscriber) = self.subscriber.take() {
            world.hub.unsubscribe(subscriber);
        }
        if !self.is_cut {
            self.seen.clear();
        }
    }

    /// The hub is gone.
    pub(super) fn lose(&mut self, world: &mut World) {
        self.subscriber = None;
        self.leave(world);
    }

    pub(super) fn is_open(&self) -> bool {
        self.subscriber.is_some()
    }

    /// One pull. `false`: there is nothing more.
    pub(super) fn read(&mut self, world: &mut World) -> bool {
        let mut frames = Vec::new();
        self.pull(world, &mut frames)
    }

    pub(super) fn read_all(&mut self, world: &mut World) -> Vec<ServerFrame> {
        let mut frames = Vec::new();
        let mut pulls = 0;
        while self.pull(world, &mut frames) {
            pulls += 1;
            assert!(pulls < 10_000, "a reader that reads never comes to an end");
        }
        frames
    }

    fn pull(&mut self, world: &mut World, frames: &mut Vec<ServerFrame>) -> bool {
        let subscriber = self.subscriber.expect("open");
        world.hub.set_clock(world.now_ms, 500);
        let delivery = world.hub.pull(subscriber).expect("known");
        assert!(delivery.messages.len() <= 4, "a delivery is bounded");
        for encoded in &delivery.messages {
            let message = if encoded.is_text {
                Message::Text(String::from_utf8(encoded.bytes.to_vec()).expect("text"))
            } else {
                Message::Binary(encoded.bytes.to_vec())
            };
            let frame = decode_server(&message).expect("a frame");
            self.apply(&frame);
            frames.push(frame);
        }
        delivery.more
    }

    fn apply(&mut self, frame: &ServerFrame) {
        match frame {
            ServerFrame::Subscribed(subscribed) => {
                self.view = subscribed.view;
                self.columns_hash.clone_from(&subscribed.columns_hash);
                self.titles = subscribed.columns.iter().map(|column| column.name.clone()).collect();
                if self.epoch != subscribed.epoch {
                    self.begin_epoch(&subscribed.epoch);
                }
                self.is_waiting = subscribed.epoch.is_empty();
                self.at = subscribed.at.unwrap_or(self.at);
            }
            ServerFrame::Rows(rows) => self.apply_rows(rows),
            ServerFrame::Sync(sync) => self.apply_sync(sync),
            ServerFrame::Problem(frame) => self.problem = Some(frame.problem.clone()),
            ServerFrame::State(_) => {}
            other => panic!("a hub doesn't say {other:?}"),
        }
    }

    /// Versions of before say nothing in another history, but for the rows that it goes on with.
    fn begin_epoch(&mut self, epoch: &str) {
        self.epoch = epoch.into();
        let rows = &self.rows;
        self.newest.retain(|id, _| rows.contains_key(id));
        let is_held = |id: &RowId, version: &str| {
            rows.get(id).is_some_and(|row| row.resource_version.as_str() == version)
        };
        self.seen.retain(|(id, version)| is_held(id, version));
    }

    fn apply_rows(&mut self, rows: &Rows) {
        assert_eq!(rows.view, self.view);
        assert!(!self.is_waiting, "rows before it is known where they continue");
        if let Some(token) = &mut self.token {
            token.digest = None;
        }
        if rows.reset {
            self.resets += 1;
            self.rows.clear();
            self.seen.clear();
            self.newest.clear();
            self.at = rows.from;
        }
        assert_eq!(rows.from, self.at, "chained");
        assert!(rows.to > rows.from, "ordered: {} after {}", rows.to, rows.from);
        for row in &rows.put {
            self.meet(row.id, &row.resource_version);
            self.rows.insert(row.id, row.clone());
        }
        for patch in &rows.set {
            let version = patch.resource_version.clone().unwrap_or_else(|| rows.resource_version.clone());
            self.meet(patch.id, &version);
            let row = self.rows.get_mut(&patch.id).expect("a patch is of a row that one has");
            row.resource_version = version;
            for (place, cell) in &patch.cells {
                *row.cells.get_mut(usize::from(*place)).expect("a column") = cell.clone();
            }
        }
        for id in &rows.delete {
            self.rows.remove(id);
        }
        self.gaps += usize::from(rows.gap.is_some());
        self.at = rows.to;
        self.is_cut = !rows.more;
        if self.is_cut {
            self.token = Some(Token {
                cluster: "c".into(),
                columns: self.columns_hash.clone(),
                epoch: self.epoch.clone(),
                sequence: rows.to.to_string().into(),
                resource_version: rows.resource_version.clone(),
                digest: Some(digest::to_text(self.digest()).into()),
            });
        }
    }

    fn meet(&mut self, id: RowId, version: &ResourceVersion) {
        self.rows_received += 1;
        assert!(self.seen.insert((id, version.to_string())), "unique: {id} {version} came twice");
        if let Some(newest) = self.newest.insert(id, version.clone()) {
            assert!(!version.is_older_than(&newest), "ordered: {id} went from {newest} back to {version}");
        }
    }

    fn apply_sync(&mut self, sync: &Sync) {
        assert!(self.is_cut, "bookmarkable: a sync between two cuts");
        assert_eq!(sync.at, self.at, "bookmarkable: everything up to it has been sent");
        if let Some(digest) = &sync.digest {
            assert_eq!(**digest, digest::to_text(self.digest()));
            self.digests += 1;
        }
    }

    fn digest(&self) -> u64 {
        self.rows.values().fold(0, |sum, row| sum.wrapping_add(digest::row_hash(row)))
    }

    pub(super) fn expect_exact(&self, world: &World) {
        assert!(self.is_cut, "exact at cuts: reader {} never came to one", self.id);
        let mut rows = world.rows(self.namespace, self.colour);
        if !self.columns.is_empty() {
            rows.values_mut().for_each(|row| row.cells.extend(world.cells_of(&row.name)));
        }
        assert_eq!(self.rows, rows, "exact at cuts");
    }

    pub(super) fn row_count(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn epoch(&self) -> &str {
        &self.epoch
    }

    pub(super) fn view(&self) -> u32 {
        self.view
    }
}
