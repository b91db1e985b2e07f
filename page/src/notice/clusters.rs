//! What the notice line says of a view of several clusters, where they aren't all alike.

use replica::freshness::{Freshness, Partly};

use super::{Kind, Notice, ReaderView, names, words};
use crate::messages;
use crate::pill::stale_clusters;

impl ReaderView<'_> {
    /// The notice about the clusters that are stale, else about those that show no rows, else about those in the worst
    /// state. It names the clusters that are live.
    pub(super) fn of_clusters(&self, partly: &Partly) -> Notice {
        let live: Vec<&str> =
            partly.clusters.iter().filter(|(_, state)| state.is_current()).map(|(name, _)| &**name).collect();
        let live = if live.is_empty() { String::new() } else { messages::clusters_live(&live) };
        if let Some((names, since_ms)) = stale_clusters(partly) {
            let is_it = |(name, _): &&(Box<str>, Freshness)| names.first() == Some(&&**name);
            let state =
                partly.clusters.iter().find(is_it).map_or(&partly.worst, |(_, state)| state.of_rows());
            let said = self.trouble(state, "");
            let bold = messages::clusters_stale_since(&names, &self.at(since_ms));
            return Notice { bold, sentence: format!("{} {live}", said.sentence).trim().to_owned(), ..said };
        }
        let (names, worst) = (names(partly), &partly.worst);
        match self.refusal(worst, "") {
            Some(said) => {
                let why = problem(worst).map_or(said.bold, messages::sentence);
                let bold = messages::clusters_not_shown(&names);
                Notice {
                    kind: Kind::Plain,
                    bold,
                    sentence: format!("{why} {live}").trim().to_owned(),
                    ..said
                }
            }
            None => {
                let said = self.trouble(worst, "");
                Notice { bold: words::only_in(&said.bold, &names), ..said }
            }
        }
    }
}

fn problem(state: &Freshness) -> Option<&str> {
    match state {
        Freshness::Forbidden { problem, .. }
        | Freshness::Gone { problem, .. }
        | Freshness::Failed { problem, .. } => Some(&problem.as_ref()?.message),
        _ => None,
    }
}
