//! The views of what is wrong: one of each kind, with its troubled rows alone, in the clusters and namespaces of one place.

use std::collections::BTreeSet;
use std::rc::Rc;

use replica::client::ViewKey;
use replica::freshness::Freshness;
use replica::now::Now;
use shared::name::ClusterName;
use shared::resource::Kind;
use shared::scope::{Namespaces, Scope};
use shared::state::UnixMillis;

use super::kinds::{events, looked_at};
use super::model::Order;
use crate::kinds::kinds_of;
use crate::past::ReplacedRows;
use crate::query::TextMark;
use crate::table_view::{Client, TableView as _};

/// Where is looked, and as of when.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) clusters: Vec<ClusterName>,
    pub(crate) namespaces: Namespaces,
    pub(crate) at_ms: Option<UnixMillis>,
}

/// From the first look on they stay, so that the tally in the top bar goes on.
#[derive(Default)]
pub(crate) struct WrongViews {
    place: Option<Place>,
    /// The digests of the kinds that were looked through.
    digests: Vec<Box<str>>,
    pub(crate) views: Vec<KindView>,
    /// The Warning Events.
    pub(super) events: Option<ViewKey>,
    /// Kinds for which there is no room.
    pub(super) left_out: usize,
    /// The keys of the stories that the reader opened.
    pub(super) open: BTreeSet<String>,
    /// Counts what may change the list.
    pub(super) revision: u64,
    /// The list that was made last, and of what.
    pub(super) made: Option<(MadeOf, Made)>,
}

/// The list in place of the rows, and what is said around it.
#[derive(Clone)]
pub(crate) struct Made {
    pub(crate) list: ReplacedRows,
    /// How all of it stands.
    pub(crate) state: Freshness,
    pub(crate) marks: Vec<TextMark>,
    /// Which term of the filter can't be read, and why.
    pub(crate) unread: String,
}

/// A list is made anew when this differs.
#[derive(PartialEq)]
pub(super) struct MadeOf {
    pub(super) revision: u64,
    pub(super) second: i64,
    pub(super) filter: Box<str>,
    pub(super) order: Order,
}

pub(crate) struct KindView {
    pub(crate) kind: Rc<Kind>,
    pub(crate) key: ViewKey,
}

impl WrongViews {
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.events == Some(key) || self.views.iter().any(|view| view.key == key)
    }

    pub(super) fn rows_came(&mut self, key: ViewKey) {
        self.revision += u64::from(self.holds(key));
    }

    /// Opens or folds a story.
    pub(super) fn fold(&mut self, key: String) {
        self.revision += 1;
        if !self.open.remove(&key) {
            self.open.insert(key);
        }
    }

    /// Once a second: the rows that are another by time alone.
    pub(super) fn grow_old(&self, client: &mut Client, now_ms: UnixMillis) {
        for key in self.keys() {
            if let Some(view) = client.view_mut(key) {
                view.expire(&[], now_ms);
                view.grow_old(now_ms);
            }
        }
    }

    /// Whether these are the views of a place, whatever its time.
    pub(super) fn is_of(&self, place: &Place) -> bool {
        self.place
            .as_ref()
            .is_some_and(|held| (&held.clusters, &held.namespaces) == (&place.clusters, &place.namespaces))
    }

    pub(super) fn has_several_clusters(&self) -> bool {
        self.place.as_ref().is_some_and(|place| place.clusters.len() > 1)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = ViewKey> {
        self.views.iter().map(|view| view.key).chain(self.events)
    }
}

/// Opens the views of the place. Returns those that aren't needed any more.
pub(crate) fn follow(held: &mut WrongViews, place: &Place, client: &mut Client, now: Now) -> Vec<ViewKey> {
    let clusters: Vec<_> =
        place.clusters.iter().filter_map(|name| client.cluster_named(Some(name))).collect();
    let digests: Vec<Box<str>> = clusters
        .iter()
        .filter_map(|cluster| Some(client.kinds_of(Some(&cluster.name))?.digest.clone()))
        .collect();
    if held.digests == digests
        && held.is_of(place)
        && let Some(of) = &mut held.place
    {
        if of.at_ms != place.at_ms {
            of.at_ms = place.at_ms;
            held.revision += 1;
            // The same as of another time keeps its rows until the others are there.
            held.keys()
                .collect::<Vec<_>>()
                .into_iter()
                .for_each(|key| client.set_at(key, place.at_ms, false, now));
        }
        return Vec::new();
    }
    let Some(kinds) = kinds_of(&clusters, client) else { return Vec::new() };
    let (looked_at, left_out) = looked_at(&kinds, !place.namespaces.is_all());
    let looked_at: Vec<Rc<Kind>> = looked_at.into_iter().map(|kind| Rc::new(kind.clone())).collect();
    let events = events(&kinds).map(|kind| kind.resource.clone());
    let cluster = match place.clusters.as_slice() {
        [only] => client.in_scope(only),
        _ => None,
    };
    let mut open = |resource: &shared::resource::Resource, namespaced: bool| {
        let namespaces = if namespaced { place.namespaces.clone() } else { Namespaces::All };
        let scope = Scope { cluster: cluster.clone(), namespaces, ..Scope::all(resource.clone()) };
        client.open_trouble(scope, &place.clusters, place.at_ms, now)
    };
    let former: Vec<ViewKey> = held.keys().collect();
    held.views = looked_at
        .into_iter()
        .map(|kind| KindView { key: open(&kind.resource, kind.namespaced), kind })
        .collect();
    held.events = events.map(|resource| open(&resource, true));
    held.revision += 1;
    (held.place, held.digests, held.left_out) = (Some(place.clone()), digests, left_out);
    former.into_iter().filter(|key| !held.holds(*key)).collect()
}
