//! The options of the cluster picker: all clusters, those of the gateway, and those that were chosen and aren't there any
//! more.

use replica::freshness::Freshness;
use shared::frame::server::{Cluster, Replays};
use shared::name::ClusterName;

use super::model::{ClusterOption, ClusterPickerModel};
use super::part::{ClusterChoice, Part, Shown};
use super::words;
use crate::location::ALL_CLUSTERS;
use crate::messages;
use crate::picker::{Answer, Asked, Typed};
use crate::pill::{Pill, PillState, pill};

/// Named in the piece alone.
pub(crate) const PART: Part = Part { update, model };

fn update(typed: &mut Typed, asked: Asked, shown: &Shown<'_>) -> Answer<ClusterChoice> {
    match asked {
        Asked::Move(by) => typed.move_by(by, shown.options(&typed.text).len()),
        Asked::Choose(number) => {
            // Without a mark the reader has chosen.
            let Some(number) = number.or(typed.active) else { return Answer::Closes };
            if let Some(chosen) = shown.choose(number, &typed.text) {
                typed.text.clear();
                return Answer::Chose(chosen);
            }
        }
    }
    Answer::StaysOpen
}

fn model(typed: &Typed, shown: &Shown<'_>) -> ClusterPickerModel {
    let options = shown.options(&typed.text);
    ClusterPickerModel {
        typed: typed.text.clone(),
        active: typed.active.filter(|at| *at < options.len()),
        note: match options.is_empty() {
            true => words::none_like(typed.text.trim()),
            false => words::chosen_of(shown.clusters.len(), shown.client.clusters().len()),
        },
        options,
        record: record(shown).unwrap_or_default(),
    }
}

/// `None`: no record is replayed.
fn record(shown: &Shown<'_>) -> Option<Vec<String>> {
    let welcome = shown.client.welcome()?;
    let Replays { from_ms, to_ms } = welcome.replays?;
    let clock = |ms| messages::instant(shown.client.local_ms(ms), shown.now_ms, shown.zone);
    let name = welcome.clusters.first().map_or_else(String::new, |cluster| cluster.name.to_string());
    Some(words::record(&name, (&clock(from_ms), &clock(to_ms)), welcome.file.as_deref()))
}

impl Shown<'_> {
    fn options(&self, typed: &str) -> Vec<ClusterOption> {
        let typed = typed.trim().to_lowercase();
        let all = ClusterOption {
            name: None,
            text: messages::CLUSTERS_ALL.to_owned(),
            is_chosen: self.is_of_all,
            can_choose: true,
            pill: None,
            version: words::ALL_NOTE.to_owned(),
            rows: String::new(),
        };
        let gone = self.clusters.iter().filter(|name| self.client.cluster_named(Some(name)).is_none());
        let served = self.client.clusters().iter().map(|cluster| self.served(cluster));
        let options = served.chain(gone.map(not_here)).filter(|option| option.text.contains(&typed));
        let all = Some(all).filter(|_| typed.is_empty());
        all.into_iter().chain(options).collect()
    }

    fn served(&self, cluster: &Cluster) -> ClusterOption {
        let is_chosen = self.clusters.contains(&cluster.name);
        let shown = self.state(&cluster.name).filter(|_| is_chosen);
        let problem = cluster.problem.as_ref();
        let is_stale =
            shown.as_ref().is_none_or(|(state, _)| state.of_rows().is_stale() || !state.shows_rows());
        let pill = match (&shown, problem) {
            (_, Some(problem)) if is_stale => {
                let at_ms = self.client.local_ms(problem.since_ms);
                let clock = messages::instant(at_ms, self.now_ms, self.zone);
                let why = format!("{}, {}", messages::since(&clock), problem.problem.reason.words());
                Some(Pill::new(PillState::Gone, words::NOT_REACHED, &why))
            }
            (Some((state, _)), _) => Some(pill(state, self.resource, self.now_ms, self.zone)),
            (None, _) => None,
        };
        let rows = shown.filter(|(state, _)| state.shows_rows()).and_then(|(_, rows)| rows);
        ClusterOption {
            name: Some(cluster.name.clone()),
            text: cluster.name.to_string(),
            is_chosen,
            can_choose: is_chosen || problem.is_none(),
            pill,
            version: cluster.version.to_string(),
            rows: rows.map(|rows| messages::counted(rows, self.singular, self.resource)).unwrap_or_default(),
        }
    }

    /// The state of one of the view's clusters, and how many rows it has once all are here.
    fn state(&self, name: &ClusterName) -> Option<(&Freshness, Option<usize>)> {
        match self.states {
            [] => self.whole,
            states => {
                let state = states.iter().find(|state| state.name == *name)?;
                Some((&state.freshness, Some(state.rows)))
            }
        }
    }

    /// Adds a cluster to the view, or takes it out. Without any, the gateway's own one is shown.
    fn choose(&self, number: usize, typed: &str) -> Option<ClusterChoice> {
        let chosen = self.options(typed).into_iter().nth(number);
        let option = chosen.filter(|option| option.can_choose)?;
        let mut names = self.clusters.to_vec();
        Some(match option.name {
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
        })
    }
}

fn not_here(name: &ClusterName) -> ClusterOption {
    ClusterOption {
        name: Some(name.clone()),
        text: name.to_string(),
        is_chosen: true,
        can_choose: true,
        pill: Some(Pill::new(PillState::Gone, words::NOT_HERE, "")),
        version: String::new(),
        rows: String::new(),
    }
}
