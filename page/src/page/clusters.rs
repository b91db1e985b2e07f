//! The clusters of the active pane, and the picker that chooses others. Where the gateway has one cluster there is nothing
//! to choose.

mod model;

use std::sync::Arc;

use replica::freshness::Freshness;
use replica::now::Now;
use shared::frame::server::Cluster;
use shared::name::ClusterName;
use shared::state::UnixMillis;

use super::namespaces::moved;
use super::{Board, Page};
use crate::action::{PaneId, PickerAction};
use crate::location::ALL_CLUSTERS;
use crate::messages::{self, Zone};
use crate::pane::Pane;
use crate::pill::{Pill, PillState, pill};
use crate::preferences::Preferences;
use crate::table_view::Client;

pub use model::{ClusterList, ClusterOption, ClusterPickerModel};

/// The open picker.
#[derive(Default)]
pub(super) struct ClusterPicker {
    typed: String,
    active: Option<usize>,
}

/// What the active pane shows.
struct Chosen<'a> {
    client: &'a Client,
    pane: &'a Pane,
    now_ms: UnixMillis,
    zone: Zone,
}

impl Chosen<'_> {
    /// All clusters, those of the gateway, then those that were chosen and aren't there any more.
    fn options(&self, typed: &str) -> Vec<ClusterOption> {
        let served = self.client.clusters();
        let typed = typed.trim().to_lowercase();
        let all = ClusterOption {
            name: None,
            text: messages::CLUSTERS_ALL.to_owned(),
            is_chosen: self.pane.place.is_of_all_clusters(),
            can_choose: true,
            pill: None,
            version: messages::CLUSTERS_ALL_NOTE.to_owned(),
            rows: String::new(),
        };
        let gone = self.pane.clusters.iter().filter(|name| self.client.cluster_named(Some(name)).is_none());
        let options =
            served.iter().map(|cluster| self.served(cluster)).chain(gone.map(|name| self.gone(name)));
        let options = options.filter(|option| option.text.contains(&typed));
        let all = Some(all).filter(|_| typed.is_empty());
        all.into_iter().chain(options).collect()
    }

    fn served(&self, cluster: &Cluster) -> ClusterOption {
        let is_chosen = self.pane.clusters.contains(&cluster.name);
        let shown = self.pane.cluster_shown(self.client, &cluster.name).filter(|_| is_chosen);
        let resource = &*self.pane.place.resource;
        let problem = cluster.problem.as_ref();
        let is_stale =
            shown.as_ref().is_none_or(|(state, _)| state.of_rows().is_stale() || !state.shows_rows());
        let pill = match (&shown, problem) {
            (_, Some(problem)) if is_stale => {
                let at_ms = self.client.local_ms(problem.since_ms);
                let clock = messages::instant(at_ms, self.now_ms, self.zone);
                let why = format!("{}, {}", messages::since(&clock), problem.problem.reason.words());
                Some(Pill::new(PillState::Gone, messages::NOT_REACHED, &why))
            }
            (Some((state, _)), _) => Some(pill(state, resource, self.now_ms, self.zone)),
            (None, _) => None,
        };
        let rows = shown.filter(|(state, _)| state.shows_rows()).and_then(|(_, rows)| rows);
        let singular = self.pane.kind().map_or(resource, |kind| &*kind.singular);
        ClusterOption {
            name: Some(cluster.name.clone()),
            text: cluster.name.to_string(),
            is_chosen,
            can_choose: is_chosen || problem.is_none(),
            pill,
            version: cluster.version.to_string(),
            rows: rows.map(|rows| messages::counted(rows, singular, resource)).unwrap_or_default(),
        }
    }

    fn gone(&self, name: &ClusterName) -> ClusterOption {
        ClusterOption {
            name: Some(name.clone()),
            text: name.to_string(),
            is_chosen: true,
            can_choose: true,
            pill: Some(Pill::new(PillState::Gone, messages::NOT_HERE, "")),
            version: String::new(),
            rows: String::new(),
        }
    }
}

impl Pane {
    /// The state of one of the view's clusters, and how many rows it has once all are here.
    fn cluster_shown(&self, client: &Client, name: &ClusterName) -> Option<(&Freshness, Option<usize>)> {
        match self.cluster_states() {
            [] => Some((self.freshness.as_ref()?, self.count(client))),
            states => {
                let state = states.iter().find(|state| state.name == *name)?;
                Some((&state.freshness, Some(state.rows)))
            }
        }
    }
}

impl Board {
    /// Changes a pane's place, which is opened by another change after this one.
    pub(super) fn change_place(&mut self, id: PaneId, change: impl FnOnce(&mut Pane)) {
        if let Some((pane, _)) = self.pane_mut(id) {
            change(pane);
        }
    }

    /// Whether another pane shows the view of this one, and names its clusters.
    pub(super) fn are_clusters_named(&self, at: usize) -> bool {
        let Some(key) = self.panes.get(at).and_then(Pane::key) else { return false };
        let mut others = self.panes.iter().enumerate().filter(|(place, _)| *place != at);
        others.any(|(_, pane)| pane.holds(key) && !pane.place.is_of_all_clusters())
    }

    /// Views of all clusters follow those that come and go; panes without a view may have one now.
    pub(super) fn clusters_came(&mut self, preferences: &Preferences, now: Now) {
        for at in 0..self.panes.len() {
            if self.panes.get(at).is_some_and(|pane| pane.key().is_none() || pane.place.is_of_all_clusters())
            {
                self.open(at, preferences, now);
            }
        }
    }
}

impl Page {
    pub(super) fn update_clusters(&mut self, action: PickerAction, now: Now) {
        match (action, &mut self.clusters) {
            (PickerAction::Open, _) => self.clusters = Some(ClusterPicker::default()),
            (PickerAction::Close, _) => self.clusters = None,
            (PickerAction::Type(typed), Some(open)) => {
                open.active = (!typed.trim().is_empty()).then_some(0);
                open.typed = typed;
            }
            (PickerAction::Move(by), Some(_)) => {
                let count = self.cluster_options(now.now_ms).len();
                if let Some(open) = &mut self.clusters {
                    open.active = moved(open.active, by, count);
                }
            }
            (PickerAction::Choose(number), Some(open)) => {
                match number.or(open.active) {
                    Some(number) => self.choose_cluster(number, now),
                    // The reader has chosen.
                    None => self.clusters = None,
                }
            }
            (PickerAction::Type(_) | PickerAction::Move(_) | PickerAction::Choose(_), None) => {}
        }
        self.render_clusters(now.now_ms);
    }

    fn cluster_options(&self, now_ms: UnixMillis) -> Vec<ClusterOption> {
        let board = &self.navigator.board;
        let (Some(open), Some(pane)) = (&self.clusters, board.active()) else { return Vec::new() };
        Chosen { client: &board.client, pane, now_ms, zone: self.zone }.options(&open.typed)
    }

    /// Adds a cluster to the view, or takes it out. Without any, the gateway's own one is shown.
    fn choose_cluster(&mut self, number: usize, now: Now) {
        let chosen =
            self.cluster_options(now.now_ms).into_iter().nth(number).filter(|option| option.can_choose);
        let Some(option) = chosen else { return };
        let Some(pane) = self.navigator.board.active() else { return };
        let mut names = pane.clusters.clone();
        let cluster: Option<Box<str>> = match option.name {
            None if option.is_chosen => None,
            None => Some(ALL_CLUSTERS.into()),
            Some(name) => {
                if option.is_chosen {
                    names.retain(|held| *held != name);
                } else {
                    names.push(name);
                }
                let names: Vec<&str> = names.iter().map(ClusterName::as_str).collect();
                Some(names.join(",").into()).filter(|_| !names.is_empty())
            }
        };
        if let Some(open) = &mut self.clusters {
            open.typed.clear();
        }
        self.navigator.set_clusters(self.navigator.board.active_id(), cluster, now);
    }

    /// The gateway has other clusters than before, or reaches others.
    pub(super) fn clusters_came(&mut self, now: Now) {
        self.navigator.board.clusters_came(&self.navigator.preferences, now);
        self.navigator.replace_address();
        self.navigator.has_moved = true;
    }

    pub(super) fn render_clusters(&mut self, now_ms: UnixMillis) {
        let options = self.cluster_options(now_ms);
        let Board { client, .. } = &self.navigator.board;
        let pane = self.navigator.board.active();
        let clusters = pane.map(|pane| pane.clusters.as_slice()).unwrap_or_default();
        let served = client.clusters().len();
        let picker = self.clusters.as_ref().map(|open| ClusterPickerModel {
            typed: open.typed.clone(),
            active: open.active.filter(|at| *at < options.len()),
            note: match options.is_empty() {
                true => messages::no_cluster_like(open.typed.trim()),
                false => messages::clusters_chosen(clusters.len(), served),
            },
            options,
        });
        let model = ClusterList { label: self.model.cluster.clone(), can_choose: served > 1, picker };
        if *self.model.clusters != model {
            self.model.clusters = Arc::new(model);
        }
    }
}
