//! The namespaces of the active pane, and the picker that chooses others. The cluster's namespaces are watched while
//! the picker or "go to" is open; where they can't be listed, those that rows name are known, and those that a view of
//! all of them was granted.

mod model;
mod options;

use std::collections::BTreeMap;
use std::sync::Arc;

use replica::client::ViewKey;
use replica::freshness;
use shared::custom_column::CustomColumns;
use shared::frame::client::RowDetail;
use shared::name::{ClusterName, Namespace};
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::sorted;
use shared::state::UnixMillis;

use super::rights::{Known, Rights, is_reviewed};
use crate::action::PickerAction;
use crate::cx::Cx;
use crate::limits::RIGHTS_WITHDRAWN_SHOWN_MAX;
use crate::messages;
use crate::model::PageModel;
use crate::pane::Pane;
use crate::table_view::{Client, View};
pub use model::{Beside, Choice, NamespaceList, NamespaceOption, PickerModel};
use options::Listing;

/// The view of the active pane, and what is known of the rights to it where those are reviewed.
#[derive(Clone, Copy)]
pub(super) struct Picked<'a> {
    view: Option<ViewKey>,
    known: Option<&'a Known>,
    cx: &'a Cx,
}

impl<'a> Picked<'a> {
    pub(super) fn of(pane: Option<&Pane>, rights: &'a Rights, cx: &'a Cx) -> Self {
        let view = pane.and_then(Pane::key);
        Self { view, known: reviewed(rights, view, cx), cx }
    }

    /// An instant on the reader's clock.
    fn clock(self, ms: UnixMillis) -> String {
        messages::instant(ms, self.cx.now_ms(), self.cx.zone)
    }
}

/// What is known of the rights to a view, where those are reviewed.
fn reviewed<'a>(rights: &'a Rights, view: Option<ViewKey>, cx: &Cx) -> Option<&'a Known> {
    let subscription = cx.client.view(view?)?.subscription();
    // Each of several clusters has rights of its own.
    if !is_reviewed(&cx.client) || !subscription.clusters.is_empty() {
        return None;
    }
    rights.of(&cx.client, &subscription.scope)
}

#[derive(Default)]
pub(super) struct NamespacePicker {
    /// The view of the cluster's namespaces, while it is watched.
    list: Option<ViewKey>,
    /// The clusters whose namespaces they are.
    of: Vec<ClusterName>,
    /// What the list had when it was closed, and what rows named when it was opened.
    known: Vec<Box<str>>,
    open: Option<Open>,
}

#[derive(Default)]
struct Open {
    typed: String,
    active: Option<usize>,
    counted: Option<Counted>,
}

/// How many rows each namespace of a view had, counted once a second.
struct Counted {
    view: ViewKey,
    at_ms: UnixMillis,
    rows: BTreeMap<Namespace, usize>,
}

const COUNTED_AGAIN_MS: i64 = 1_000;

impl NamespacePicker {
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.list == Some(key)
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Those of all these clusters. Returns the view that it no longer uses.
    pub(super) fn watch(&mut self, clusters: &[ClusterName], cx: &mut Cx) -> Option<ViewKey> {
        if self.list.is_some() && self.of == clusters {
            return None;
        }
        let resource = Resource::parse("", "v1", "namespaces").ok()?;
        let left = self.unwatch(cx);
        let client = &mut cx.client;
        if self.of != clusters {
            self.known.clear();
            self.of = clusters.to_vec();
        }
        self.note_seen(client);
        let cluster = match clusters {
            [only] => client.in_scope(only),
            _ => None,
        };
        let columns = (CustomColumns::default(), RowDetail::Changes);
        let scope = Scope { cluster, ..Scope::all(resource) };
        self.list = Some(client.open_clusters(scope, clusters, columns, cx.now));
        left.filter(|left| Some(*left) != self.list)
    }

    /// Returns the view that it no longer uses.
    pub(super) fn unwatch(&mut self, cx: &Cx) -> Option<ViewKey> {
        if let Some(listed) = self.listed(&cx.client) {
            self.known = listed;
        }
        self.list.take()
    }

    /// The list, once it is here as a whole.
    fn listed(&self, client: &Client) -> Option<Vec<Box<str>>> {
        let table = client.view(self.list?)?.table();
        let mut names: Vec<Box<str>> =
            table.is_whole().then(|| table.rows().map(|row| row.name.clone()).collect())?;
        sorted::sort(&mut names);
        names.dedup();
        Some(names)
    }

    /// The view of all of the cluster as they are now; `None`: they can't be listed, or aren't asked for.
    pub(super) fn current(&self, cx: &Cx) -> Option<ViewKey> {
        let view = cx.client.view(self.list?)?;
        let is_current = view.table().is_whole() && freshness::of(&cx.client, view, cx.now_ms()).is_current();
        self.list.filter(|_| is_current)
    }

    /// Adds the namespaces of the context and of the rows of all views.
    fn note_seen(&mut self, client: &Client) {
        let names = &mut self.known;
        let of = self.of.iter().filter_map(|name| client.cluster_named(Some(name)));
        names.extend(of.flat_map(|cluster| &cluster.namespaces).map(|name| name.as_str().into()));
        // A view of other clusters names other namespaces.
        let is_of = |view: &View| {
            let subscription = view.subscription();
            match subscription.clusters.as_slice() {
                [] => match &subscription.scope.cluster {
                    Some(cluster) => self.of.contains(cluster),
                    None => client.cluster().is_some_and(|own| self.of.contains(&own.name)),
                },
                several => several == self.of,
            }
        };
        for (_, view) in client.views().filter(|(_, view)| is_of(view)) {
            for row in view.table().rows() {
                if let Some(name) = &row.namespace
                    && names.last() != Some(name)
                {
                    names.push(name.clone());
                }
            }
            sorted::sort(names);
            names.dedup();
        }
    }

    /// The cluster's namespaces, else those that are known.
    pub(super) fn names(&self, cx: &Cx) -> Vec<Box<str>> {
        self.listed(&cx.client).unwrap_or_else(|| self.known.clone())
    }

    /// `chosen`: the namespaces of the active pane. Returns the ones that the reader chose instead.
    pub(super) fn update(
        &mut self,
        chosen: &Namespaces,
        action: PickerAction,
        picked: Picked<'_>,
    ) -> Option<Namespaces> {
        match (action, &mut self.open) {
            (PickerAction::Open, _) => self.open = Some(Open::default()),
            (PickerAction::Close, _) => self.open = None,
            (PickerAction::Type(typed), Some(open)) => {
                let active = (!typed.trim().is_empty()).then_some(0);
                (open.typed, open.active) = (typed, active);
            }
            (PickerAction::Move(by), Some(_)) => {
                let count = self.options(chosen, picked).len();
                if let Some(open) = &mut self.open {
                    open.active = moved(open.active, by, count);
                }
            }
            (PickerAction::Choose(number), Some(open)) => {
                let Some(number) = number.or(open.active) else {
                    // The reader has chosen.
                    if open.typed.trim().is_empty() {
                        self.open = None;
                    }
                    return None;
                };
                let option = self.options(chosen, picked).into_iter().nth(number);
                if let Some(open) = &mut self.open
                    && option.is_some()
                {
                    let is_whole_list = open.typed.is_empty();
                    open.typed.clear();
                    open.active = open.active.filter(|_| is_whole_list);
                }
                return option.map(|option| with(chosen, option.choice));
            }
            (PickerAction::Type(_) | PickerAction::Move(_) | PickerAction::Choose(_), None) => {}
        }
        None
    }

    fn options(&self, chosen: &Namespaces, picked: Picked<'_>) -> Vec<NamespaceOption> {
        let Some(open) = &self.open else { return Vec::new() };
        self.listing(open, chosen, picked).options().0
    }

    fn listing<'a>(&self, open: &'a Open, chosen: &'a Namespaces, picked: Picked<'a>) -> Listing<'a> {
        let mut names = self.names(picked.cx);
        names.extend(picked.known.into_iter().flat_map(Known::granted).map(|name| name.as_str().into()));
        sorted::sort(&mut names);
        names.dedup();
        let resource = picked.view.and_then(|key| picked.cx.client.view(key));
        let resource = resource.map(|view| view.subscription().scope.resource.to_string());
        Listing {
            names,
            chosen,
            typed: open.typed.trim().to_lowercase(),
            resource: resource.unwrap_or_default(),
            picked,
            rows: open.counted.as_ref().map(|counted| &counted.rows),
        }
    }

    pub(super) fn render(&mut self, pane: Option<&Pane>, rights: &Rights, model: &mut PageModel, cx: &Cx) {
        let chosen = pane.map(|pane| pane.place().namespaces(&[])).unwrap_or_default();
        let is_cluster_scoped = pane.and_then(Pane::kind).is_some_and(|kind| !kind.namespaced);
        let shown = self.model(chosen, is_cluster_scoped, Picked::of(pane, rights, cx));
        if *model.namespaces != shown {
            model.namespaces = Arc::new(shown);
        }
    }

    fn model(&mut self, chosen: Namespaces, is_cluster_scoped: bool, picked: Picked<'_>) -> NamespaceList {
        if let Some(open) = &mut self.open {
            open.count(picked);
        }
        let picker = self.open.as_ref().map(|open| {
            let listing = self.listing(open, &chosen, picked);
            let (options, more) = listing.options();
            let refused = if options.is_empty() { options::refused(&listing.typed) } else { String::new() };
            let note = self.note(listing.names.len(), more, picked);
            let active = open.active.filter(|at| *at < options.len());
            let withdrawn = if open.typed.is_empty() { listing.withdrawn() } else { Vec::new() };
            let rights = match (picked.known, &chosen) {
                (None, _) => "",
                (Some(_), Namespaces::All) => messages::RIGHTS_ALL,
                (Some(_), Namespaces::These(_)) => messages::RIGHTS_CHOSEN,
            };
            PickerModel { typed: open.typed.clone(), options, active, note, refused, withdrawn, rights }
        });
        NamespaceList { chosen, is_cluster_scoped, picker }
    }

    fn note(&self, count: usize, more: usize, picked: Picked<'_>) -> String {
        let view = self.list.and_then(|key| picked.cx.client.view(key));
        let is_refused = view.is_some_and(|view| {
            view.subscription().ended().is_some()
                || view.report().is_some_and(|report| report.problem.is_some())
        });
        let note = match view {
            Some(view) if view.table().is_whole() => messages::namespaces_named(count),
            _ if is_refused && picked.known.is_some_and(|known| known.granted().next().is_some()) => {
                messages::OTHERS_TYPED.to_owned()
            }
            _ if is_refused => messages::NAMESPACES_TYPED.to_owned(),
            _ => messages::NAMESPACES_ASKED.to_owned(),
        };
        if more == 0 { note } else { format!("{note} {}", messages::namespaces_more(more)) }
    }
}

impl Open {
    /// The rows of a large table aren't counted with each key.
    fn count(&mut self, picked: Picked<'_>) {
        let view = picked.view.filter(|_| picked.known.is_some());
        let Some((key, view)) = view.and_then(|key| Some((key, picked.cx.client.view(key)?))) else {
            self.counted = None;
            return;
        };
        let is_young = |counted: &Counted| {
            counted.view == key && picked.cx.now_ms().saturating_sub(counted.at_ms) < COUNTED_AGAIN_MS
        };
        if !self.counted.as_ref().is_some_and(is_young) {
            let rows = view.table().namespace_counts();
            self.counted = Some(Counted { view: key, at_ms: picked.cx.now_ms(), rows });
        }
    }
}

/// The chosen namespaces with this one, or without it. When the last one is removed, all are chosen.
fn with(chosen: &Namespaces, choice: Choice) -> Namespaces {
    let (Choice::Listed(name) | Choice::Typed(name)) = choice else { return Namespaces::All };
    let mut names = match chosen {
        Namespaces::All => Vec::new(),
        Namespaces::These(names) => names.clone(),
    };
    match names.iter().position(|held| *held == name) {
        Some(at) => drop(names.remove(at)),
        None => names.push(name),
    }
    Namespaces::these(names).unwrap_or(Namespaces::All)
}

/// Where the mark of a picker is after such a step, by its options: it stays at the ends.
pub(super) fn moved(active: Option<usize>, by: isize, count: usize) -> Option<usize> {
    let Some(last) = count.checked_sub(1) else { return active };
    Some(match active {
        Some(at) => at.saturating_add_signed(by).min(last),
        None if by < 0 => last,
        None => 0,
    })
}
