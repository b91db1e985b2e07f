//! The list of the objects that had a word, which stands in place of the rows. Never a question to the gateway.

use std::sync::Arc;

use shared::frame::server::{FoundObject, FoundTime};
use shared::name::ClusterName;
use shared::state::UnixMillis;

use super::at::At;
use super::model::{FoundList, FoundRow, InPlaceOfRows, ReplacedRows};
use super::part::{Links, Shown};
use super::span::Window;
use super::word_search::{Step, WordSearch};
use super::words;
use crate::cells;
use crate::location::PanelPlace;
use crate::messages;

/// The list is made again once a second, as its links have what the page shows.
const AGAIN_MS: i64 = 1_000;

/// The list, in place of the rows; none while it is closed.
pub(super) fn list(search: &mut WordSearch, shown: &Shown<'_>, links: Links<'_>) -> ReplacedRows {
    if !search.is_open {
        return ReplacedRows::default();
    }
    let now_ms = shown.here.now_ms;
    if search.model.is_none() || now_ms - search.made_ms >= AGAIN_MS {
        let made = InPlaceOfRows::Found(made(search, shown, links));
        if search.model.as_deref() != Some(&made) {
            search.model = Some(Arc::new(made));
        }
        search.made_ms = now_ms;
    }
    ReplacedRows(search.model.clone())
}

fn made(search: &WordSearch, shown: &Shown<'_>, links: Links<'_>) -> FoundList {
    let resource = shown.resource.to_owned();
    let list = FoundList { word: search.word.to_string(), resource, ..FoundList::default() };
    let done = match &search.step {
        Step::Typing => return list,
        Step::Due | Step::Asked { .. } => {
            return FoundList { note: words::SEARCHING.to_owned(), is_waiting: true, ..list };
        }
        Step::Done(done) => done,
    };
    let times = Times { shown, links, window: done.window };
    let rows: Vec<FoundRow> = done
        .answers
        .iter()
        .flat_map(|found| found.objects.iter().map(|object| times.row(found.cluster.as_ref(), object)))
        .collect();
    let (from, to) = (times.clock(done.window.from_ms), times.clock(done.window.to_ms));
    let problem = done.problem.as_ref().map(|problem| messages::sentence(&problem.message));
    let since_ms = done.answers.iter().filter_map(|found| found.since_ms).max();
    let note = match (problem, rows.is_empty()) {
        (Some(problem), _) => problem,
        (None, true) if since_ms.is_none() => words::NOTHING_YET.to_owned(),
        (None, true) => words::nothing_had(&list.word, &from, &to),
        (None, false) => String::new(),
    };
    let mut foot = vec![words::searched(&from, &to)];
    let cut_ms = done.answers.iter().map(|found| found.until_ms).min();
    foot.extend(
        cut_ms.filter(|ms| *ms < done.window.to_ms).map(|ms| words::searched_until(&times.clock(ms))),
    );
    foot.extend(done.answers.iter().any(|found| found.more).then(|| words::MORE_OBJECTS.to_owned()));
    foot.extend(
        since_ms
            .filter(|ms| *ms > done.window.from_ms)
            .map(|ms| words::recorded_only_since(&times.clock(ms))),
    );
    let unrecorded = done.answers.iter().flat_map(|found| &found.unrecorded);
    let of_time = unrecorded.filter(|gap| gap.to_ms > done.window.from_ms && gap.from_ms < done.window.to_ms);
    foot.extend(
        of_time
            .take(GAPS_MAX)
            .map(|gap| words::nothing_from_to(&times.clock(gap.from_ms), &times.clock(gap.to_ms), &gap.why)),
    );
    let removed = done.answers.iter().flat_map(|found| &found.removed).take(GAPS_MAX);
    foot.extend(removed.map(|removed| words::removed(shown.resource, removed, |ms| times.clock(ms))));
    FoundList { rows, note, foot: foot.join(" "), ..list }
}

/// Gaps that are named, and marks of what was removed.
const GAPS_MAX: usize = 5;

/// What the lines are made with.
struct Times<'a> {
    shown: &'a Shown<'a>,
    links: Links<'a>,
    window: Window,
}

impl Times<'_> {
    fn clock(&self, gateway_ms: UnixMillis) -> String {
        let here = &self.shown.here;
        messages::instant(gateway_ms.saturating_sub(here.ahead_ms), here.now_ms, here.zone)
    }

    fn row(&self, cluster: Option<&ClusterName>, object: &FoundObject) -> FoundRow {
        let shown = |text: &str| cells::shown(text).into_owned();
        let panel = PanelPlace::named(object.namespace.as_deref(), &object.name)
            .map(|panel| panel.in_cluster(cluster.cloned()));
        let time = |time: &FoundTime| {
            let begins_before = time.from_ms <= self.window.from_ms;
            let from = if begins_before { words::BEFORE.to_owned() } else { self.clock(time.from_ms) };
            let said = match time.to_ms {
                Some(to_ms) => words::from_to(&from, &self.clock(to_ms)),
                None => words::from_on(&from, begins_before),
            };
            let href = panel.clone().and_then(|panel| (self.links)(panel, At::new(time.from_ms)));
            (said, href)
        };
        FoundRow {
            id: object.row.to_string(),
            cluster: cluster.map(|name| shown(name.as_str())).unwrap_or_default(),
            namespace: object.namespace.as_deref().map(shown).unwrap_or_default(),
            name: shown(&object.name),
            times: object.times.iter().map(time).collect(),
            path: shown(&object.path),
            text: shown(&object.text),
        }
    }
}
