//! The health of all views in one phrase, for the top bar.

use litemap::LiteMap;
use replica::freshness::Freshness;
use shared::state::UnixMillis;

use super::words;
use crate::messages::{self, Zone};
use crate::past;
use crate::pill::{self, pill};
use crate::status::Class;

#[derive(Clone, Debug, PartialEq)]
pub struct Health {
    pub text: String,
    pub class: Class,
    pub is_bad: bool,
    /// Every view is of the past.
    pub is_past: bool,
}

impl Default for Health {
    fn default() -> Self {
        Self { text: String::new(), class: Class::Idle, is_bad: false, is_past: false }
    }
}

impl Health {
    /// Each view's freshness, and whether it is paused. Two panes with the same rows count as two views.
    pub(super) fn of<'a>(
        states: impl Iterator<Item = (&'a Freshness, bool)>,
        (now_ms, zone): (UnixMillis, Zone),
        is_replay: bool,
    ) -> Self {
        let mut live = 0;
        let mut others: Vec<(String, usize)> = Vec::new();
        let mut refused: LiteMap<&'static str, usize> = LiteMap::new();
        let (mut is_bad, mut is_busy) = (false, false);
        // Each cluster of a view of several counts, where they aren't all alike.
        let states = states.flat_map(|(state, is_paused)| match state {
            Freshness::Partly(partly) if !partly.clusters.is_empty() => {
                partly.clusters.iter().map(|(_, state)| (state, is_paused)).collect()
            }
            state => vec![(state, is_paused)],
        });
        let (mut views, mut past) = (0, 0);
        for (state, is_paused) in states {
            views += 1;
            past += usize::from(state.past().is_some());
            is_bad |= state.is_stale() || matches!(state.worst(), Freshness::Failed { .. });
            is_busy |= matches!(state.of_rows(), Freshness::Syncing { .. } | Freshness::Resuming { .. });
            if let Freshness::Partly(partly) = state
                && partly.is_refused()
            {
                *refused.entry(pill::refused(&partly.worst)).or_default() += partly.names.len();
            }
            let word = match (state.is_current(), is_paused) {
                (true, false) => {
                    live += 1;
                    continue;
                }
                (true, true) => messages::VIEW_PAUSED.to_owned(),
                (false, _) => pill(state, "", now_ms, zone).word,
            };
            match others.iter_mut().find(|(held, _)| *held == word) {
                Some((_, number)) => *number += 1,
                None => others.push((word, 1)),
            }
        }
        let class = match (live, others.is_empty() && refused.is_empty()) {
            _ if is_bad => Class::Warn,
            (0, true) => Class::Idle,
            (_, true) => Class::Ok,
            _ if is_busy => Class::Busy,
            _ => Class::Unknown,
        };
        if views > 0 && past == views {
            let text = if is_replay { past::words::REPLAY } else { past::words::NOTHING_LIVE }.to_owned();
            return Self { text, class: Class::Idle, is_bad: false, is_past: true };
        }
        Self { text: words::health(live, &others, &refused), class, is_bad, is_past: false }
    }
}

#[cfg(test)]
mod tests {
    use replica::freshness::Partly;
    use shared::state::Whom;

    use super::*;

    #[test]
    fn namespaces_that_are_forbidden_are_counted_beside_the_live_views() {
        let live = Freshness::Live { proven_ms: 0 };
        let partly = Freshness::Partly(Box::new(Partly {
            worst: Freshness::Forbidden { to: Whom::You, problem: None },
            names: vec!["b".into()],
            rest: live.clone(),
            count: 3,
            is_stale: false,
            clusters: Vec::new(),
        }));
        for (states, text, class) in [
            (vec![(&live, false), (&live, false)], "2 views live", Class::Ok),
            (vec![(&live, false), (&partly, false)], "2 live, 1 namespace forbidden", Class::Unknown),
            (vec![(&live, true), (&live, false)], "1 live, 1 paused", Class::Unknown),
            (vec![(&live, true)], "1 paused", Class::Unknown),
        ] {
            let health = Health::of(states.into_iter(), (1_000, Zone::default()), false);
            assert_eq!((health.text.as_str(), health.class, health.is_bad), (text, class, false));
        }
    }
}
