//! The namespaces of the active pane, and the picker that chooses others. The cluster's namespaces are watched while
//! the picker or "go to" is open; where they can't be listed, those that rows name are known, and those that a view of
//! all of them was granted. The options of the open picker come with a piece of the program.

mod model;
pub(crate) mod open;
mod options;
pub(crate) mod part;
pub mod words;

use std::sync::Arc;

use replica::client::ViewKey;
use replica::freshness;
use shared::custom_column::CustomColumns;
use shared::frame::client::RowDetail;
use shared::name::ClusterName;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::sorted;

use crate::action::PickerAction;
use crate::cx::Cx;
use crate::model::PageModel;
use crate::pane::Pane;
use crate::picker;
use crate::rights::{Known, Rights, is_reviewed};
use crate::table_view::{Client, View};
pub use model::{Beside, Choice, NamespaceList, NamespaceOption, PickerModel};
use part::{Open, Part, Shown};

/// The active pane, and what is known of rights.
#[derive(Clone, Copy)]
pub(crate) struct Picked<'a> {
    pub(crate) pane: Option<&'a Pane>,
    pub(crate) rights: &'a Rights,
}

impl<'a> Picked<'a> {
    fn view(self, cx: &'a Cx) -> Option<(ViewKey, &'a View)> {
        let key = self.pane.and_then(Pane::key)?;
        Some((key, cx.client.view(key)?))
    }
}

/// What is known of the rights to a view, where those are reviewed.
fn reviewed<'a>(rights: &'a Rights, view: &View, client: &Client) -> Option<&'a Known> {
    let subscription = view.subscription();
    // Each of several clusters has rights of its own.
    if !is_reviewed(client) || !subscription.clusters.is_empty() {
        return None;
    }
    rights.of(client, &subscription.scope)
}

#[derive(Default)]
pub(crate) struct NamespacePicker {
    /// The view of the cluster's namespaces, while it is watched.
    list: Option<ViewKey>,
    /// The clusters whose namespaces they are.
    of: Vec<ClusterName>,
    /// What the list had when it was closed, and what rows named when it was opened.
    known: Vec<Box<str>>,
    open: Option<Open>,
}

impl NamespacePicker {
    pub(crate) fn holds(&self, key: ViewKey) -> bool {
        self.list == Some(key)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Those of all these clusters. Returns the view that it no longer uses.
    pub(crate) fn watch(&mut self, clusters: &[ClusterName], cx: &mut Cx) -> Option<ViewKey> {
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
    pub(crate) fn unwatch(&mut self, cx: &Cx) -> Option<ViewKey> {
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
    pub(crate) fn current(&self, cx: &Cx) -> Option<ViewKey> {
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
    pub(crate) fn names(&self, cx: &Cx) -> Vec<Box<str>> {
        self.listed(&cx.client).unwrap_or_else(|| self.known.clone())
    }

    /// `chosen`: the namespaces of the active pane. Returns the ones that the reader chose instead.
    pub(crate) fn update(
        &mut self,
        chosen: &Namespaces,
        action: PickerAction,
        picked: Picked<'_>,
        cx: &Cx,
    ) -> Option<Namespaces> {
        let asked = picker::update(&mut self.open, action)?;
        let (part, shown) = self.shown(chosen, picked, cx)?;
        (part.update)(self.open.as_mut()?, asked, &shown).carry_out(&mut self.open)
    }

    pub(crate) fn render(&mut self, picked: Picked<'_>, model: &mut PageModel, cx: &Cx) {
        let pane = picked.pane;
        let chosen = pane.map(|pane| pane.place().namespaces(&[])).unwrap_or_default();
        let is_cluster_scoped = pane.and_then(Pane::kind).is_some_and(|kind| !kind.namespaced);
        let picker = self.is_open().then(|| self.model(&chosen, picked, cx));
        let shown = NamespaceList { chosen, is_cluster_scoped, picker };
        if *model.namespaces != shown {
            model.namespaces = Arc::new(shown);
        }
    }

    fn model(&mut self, chosen: &Namespaces, picked: Picked<'_>, cx: &Cx) -> PickerModel {
        let shown = self.shown(chosen, picked, cx);
        match (&mut self.open, shown) {
            (Some(open), Some((part, shown))) => (part.model)(open, &shown),
            (Some(open), None) => PickerModel { typed: open.typed.text.clone(), ..PickerModel::default() },
            (None, _) => PickerModel::default(),
        }
    }

    /// `None`: the options aren't there yet.
    fn shown<'a>(&self, chosen: &'a Namespaces, picked: Picked<'a>, cx: &'a Cx) -> Option<(Part, Shown<'a>)> {
        let part = cx.more?.namespaces;
        let view = picked.view(cx);
        let shown = Shown {
            chosen,
            names: self.names(cx),
            list: self.list.and_then(|key| cx.client.view(key)),
            view,
            known: view.and_then(|(_, view)| reviewed(picked.rights, view, &cx.client)),
            now_ms: cx.now_ms(),
            zone: cx.zone,
        };
        Some((part, shown))
    }
}
