//! The clusters of the active pane, and the picker that chooses others. Where the gateway has one cluster there is nothing
//! to choose.

mod model;

use std::sync::Arc;

use replica::freshness::Freshness;
use shared::frame::server::Cluster;
use shared::name::ClusterName;

use super::namespaces::moved;
use crate::action::PickerAction;
use crate::cx::Cx;
use crate::location::ALL_CLUSTERS;
use crate::messages;
use crate::model::PageModel;
use crate::pane::Pane;
use crate::pill::{Pill, PillState, pill};

pub use model::{ClusterList, ClusterOption, ClusterPickerModel};

#[derive(Default)]
pub(super) struct ClusterPicker(Option<Open>);

/// The open picker.
#[derive(Default)]
struct Open {
    typed: String,
    active: Option<usize>,
}

/// As an address names clusters; `None`: the gateway's own one.
pub(super) type ClusterChoice = Option<Box<str>>;

/// What the active pane shows.
struct Chosen<'a> {
    pane: &'a Pane,
    cx: &'a Cx,
}

impl Chosen<'_> {
    /// All clusters, those of the gateway, then those that were chosen and aren't there any more.
    fn options(&self, typed: &str) -> Vec<ClusterOption> {
        let served = self.cx.client.clusters();
        let typed = typed.trim().to_lowercase();
        let all = ClusterOption {
            name: None,
            text: messages::CLUSTERS_ALL.to_owned(),
            is_chosen: self.pane.place().is_of_all_clusters(),
            can_choose: true,
            pill: None,
            version: messages::CLUSTERS_ALL_NOTE.to_owned(),
            rows: String::new(),
        };
        let gone =
            self.pane.clusters().iter().filter(|name| self.cx.client.cluster_named(Some(name)).is_none());
        let options =
            served.iter().map(|cluster| self.served(cluster)).chain(gone.map(|name| self.gone(name)));
        let options = options.filter(|option| option.text.contains(&typed));
        let all = Some(all).filter(|_| typed.is_empty());
        all.into_iter().chain(options).collect()
    }

    fn served(&self, cluster: &Cluster) -> ClusterOption {
        let is_chosen = self.pane.clusters().contains(&cluster.name);
        let shown = cluster_shown(self.pane, &cluster.name, self.cx).filter(|_| is_chosen);
        let resource = &*self.pane.place().resource;
        let problem = cluster.problem.as_ref();
        let is_stale =
            shown.as_ref().is_none_or(|(state, _)| state.of_rows().is_stale() || !state.shows_rows());
        let pill = match (&shown, problem) {
            (_, Some(problem)) if is_stale => {
                let at_ms = self.cx.client.local_ms(problem.since_ms);
                let clock = messages::instant(at_ms, self.cx.now_ms(), self.cx.zone);
                let why = format!("{}, {}", messages::since(&clock), problem.problem.reason.words());
                Some(Pill::new(PillState::Gone, messages::NOT_REACHED, &why))
            }
            (Some((state, _)), _) => Some(pill(state, resource, self.cx.now_ms(), self.cx.zone)),
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

/// The state of one of the view's clusters, and how many rows it has once all are here.
fn cluster_shown<'a>(pane: &'a Pane, name: &ClusterName, cx: &Cx) -> Option<(&'a Freshness, Option<usize>)> {
    match pane.cluster_states() {
        [] => Some((pane.freshness()?, pane.count(cx))),
        states => {
            let state = states.iter().find(|state| state.name == *name)?;
            Some((&state.freshness, Some(state.rows)))
        }
    }
}

impl ClusterPicker {
    /// `pane`: the active one. Returns the clusters that the reader chose in place of its own.
    pub(super) fn update(
        &mut self,
        action: PickerAction,
        pane: Option<&Pane>,
        cx: &Cx,
    ) -> Option<ClusterChoice> {
        match (action, &mut self.0) {
            (PickerAction::Open, _) => self.0 = Some(Open::default()),
            (PickerAction::Close, _) => self.0 = None,
            (PickerAction::Type(typed), Some(open)) => {
                open.active = (!typed.trim().is_empty()).then_some(0);
                open.typed = typed;
            }
            (PickerAction::Move(by), Some(_)) => {
                let count = self.options(pane, cx).len();
                if let Some(open) = &mut self.0 {
                    open.active = moved(open.active, by, count);
                }
            }
            (PickerAction::Choose(number), Some(open)) => {
                match number.or(open.active) {
                    Some(number) => return self.choose(number, pane?, cx),
                    // The reader has chosen.
                    None => self.0 = None,
                }
            }
            (PickerAction::Type(_) | PickerAction::Move(_) | PickerAction::Choose(_), None) => {}
        }
        None
    }

    fn options(&self, pane: Option<&Pane>, cx: &Cx) -> Vec<ClusterOption> {
        let (Some(open), Some(pane)) = (&self.0, pane) else { return Vec::new() };
        Chosen { pane, cx }.options(&open.typed)
    }

    /// Adds a cluster to the view, or takes it out. Without any, the gateway's own one is shown.
    fn choose(&mut self, number: usize, pane: &Pane, cx: &Cx) -> Option<ClusterChoice> {
        let chosen = self.options(Some(pane), cx).into_iter().nth(number);
        let option = chosen.filter(|option| option.can_choose)?;
        let mut names = pane.clusters().to_vec();
        let cluster: ClusterChoice = match option.name {
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
        if let Some(open) = &mut self.0 {
            open.typed.clear();
        }
        Some(cluster)
    }

    pub(super) fn render(&self, pane: Option<&Pane>, model: &mut PageModel, cx: &Cx) {
        let options = self.options(pane, cx);
        let clusters = pane.map(Pane::clusters).unwrap_or_default();
        let served = cx.client.clusters().len();
        let picker = self.0.as_ref().map(|open| ClusterPickerModel {
            typed: open.typed.clone(),
            active: open.active.filter(|at| *at < options.len()),
            note: match options.is_empty() {
                true => messages::no_cluster_like(open.typed.trim()),
                false => messages::clusters_chosen(clusters.len(), served),
            },
            options,
        });
        let shown = ClusterList { label: model.cluster.clone(), can_choose: served > 1, picker };
        if *model.clusters != shown {
            model.clusters = Arc::new(shown);
        }
    }
}
