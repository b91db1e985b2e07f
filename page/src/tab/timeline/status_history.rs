//! The status of an object over time, above the entries of the timeline: a segment for each status, hatched
//! where nothing was seen, and a tick for each change. Samples come from the row's STATUS. Never a pixel: places
//! are parts of the whole width.

use std::collections::VecDeque;

use replica::object::Existence;
use shared::row::Row;
use shared::state::UnixMillis;

use super::words;
use crate::cells;
use crate::limits::{STATUS_HISTORY_MIN_MS, STATUS_SAMPLES_MAX};
use crate::messages::{self, Zone};
use crate::panel::log::Log;
use crate::panel::object::{PanelObject, ShownObject};
use crate::status::{Class, RowHealth, StatusColumns};
use crate::table_view::{Client, View};

#[derive(Debug)]
pub(crate) struct StatusHistory {
    opened_ms: UnixMillis,
    samples: VecDeque<Sample>,
    /// Times in which nothing was seen.
    blind: Vec<(UnixMillis, UnixMillis)>,
    /// The number of the first log entry that wasn't searched for a gap.
    gaps_read_to: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Sample {
    at_ms: UnixMillis,
    /// `None`: the object has no status, or was deleted.
    state: Option<(String, Class)>,
}

/// Places from 0 at the left to 1 at the right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatusHistoryModel {
    pub segments: Vec<Segment>,
    pub ticks: Vec<f64>,
    /// Times, of which the first and the last are those of its ends.
    pub axis: Vec<(f64, String)>,
    /// What the segments stand for, each once, in the order in which they came.
    pub legend: Vec<SegmentKind>,
    /// The same in words, for a screen reader.
    pub description: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    pub from: f64,
    pub to: f64,
    pub kind: SegmentKind,
    /// `Running from 13:00:00 to 13:05:00`
    pub title: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    State {
        word: String,
        class: Class,
        /// How many other states of this class came before it: two of one colour are told apart by it.
        shade: usize,
    },
    /// Nothing was seen in that time.
    Blind,
}

/// More states than a reader looks up: the last ones.
const LEGEND_MAX: usize = 8;

impl SegmentKind {
    pub fn word(&self) -> &str {
        match self {
            Self::State { word, .. } => word,
            Self::Blind => words::NOT_RECORDED,
        }
    }
}

impl StatusHistory {
    pub(super) fn new(opened_ms: UnixMillis) -> Self {
        Self { opened_ms, samples: VecDeque::new(), blind: Vec::new(), gaps_read_to: 0 }
    }

    /// The panel was closed for a time: nothing was seen.
    pub(crate) fn unrecorded(&mut self, from_ms: UnixMillis, to_ms: UnixMillis) {
        self.sample(None, from_ms);
        self.blind(from_ms, to_ms);
    }

    pub(super) fn opened_ms(&self) -> UnixMillis {
        self.opened_ms
    }

    /// Reads the state from the object's row; an object that was deleted has none.
    pub(super) fn observe(&mut self, object: &PanelObject, client: &Client, now_ms: UnixMillis) {
        let Some(existence) = object.view(client).map(|object| object.existence) else { return };
        let state = object.row(client).and_then(|(view, row)| state_of(view, row, now_ms));
        self.sample(state.filter(|_| existence == Existence::Exists), now_ms);
    }

    /// `None`: no state was seen yet.
    pub(super) fn model(&mut self, shown: ShownObject<'_>) -> Option<StatusHistoryModel> {
        let (log, client) = (shown.log(), shown.client);
        self.read_gaps(&log, client);
        self.drawn(log.changes().map(|entry| client.local_ms(entry.time_ms)), shown.now.ms, shown.now.zone)
    }

    fn read_gaps(&mut self, log: &Log<'_>, client: &Client) {
        let first = self.gaps_read_to;
        for logged in log.entries.iter().filter(|logged| logged.number >= first) {
            if let Some(gap) = &logged.entry.gap {
                self.blind(client.local_ms(gap.from_ms), client.local_ms(gap.to_ms));
            }
            self.gaps_read_to = logged.number + 1;
        }
    }

    pub(super) fn sample(&mut self, state: Option<(String, Class)>, now_ms: UnixMillis) {
        let last = self.samples.back().and_then(|last| last.state.as_ref());
        if last == state.as_ref() {
            return;
        }
        self.samples.push_back(Sample { at_ms: now_ms, state });
        if self.samples.len() > STATUS_SAMPLES_MAX {
            self.samples.pop_front();
        }
    }

    /// Nothing was seen between these times; overlapping spans are joined.
    pub(super) fn blind(&mut self, from_ms: UnixMillis, to_ms: UnixMillis) {
        if to_ms <= from_ms {
            return;
        }
        match self.blind.last_mut() {
            Some((last_from, last_to)) if from_ms <= *last_to => {
                *last_from = (*last_from).min(from_ms);
                *last_to = (*last_to).max(to_ms);
            }
            _ => self.blind.push((from_ms, to_ms)),
        }
        let more = self.blind.len().saturating_sub(STATUS_SAMPLES_MAX);
        self.blind.drain(..more);
    }

    /// `changes`: the instants of the log's entries.
    pub(super) fn drawn(
        &self,
        changes: impl Iterator<Item = UnixMillis>,
        now_ms: UnixMillis,
        zone: Zone,
    ) -> Option<StatusHistoryModel> {
        let from_ms = self.opened_ms;
        let first = self.samples.front()?;
        let width_ms = now_ms.saturating_sub(from_ms).max(STATUS_HISTORY_MIN_MS);
        let place = |ms: UnixMillis| part(ms.clamp(from_ms, from_ms + width_ms) - from_ms, width_ms);
        let segment = |kind: SegmentKind, from_ms: UnixMillis, to_ms: UnixMillis| {
            let [from, to] = [from_ms, to_ms].map(|ms| messages::instant(ms, now_ms, zone));
            let title = words::state_between(kind.word(), &from, &to);
            Segment { from: place(from_ms), to: place(to_ms), kind, title }
        };
        let mut segments = Vec::new();
        let mut words = Vec::new();
        let mut states: Vec<&(String, Class)> = Vec::new();
        let ends = self.samples.iter().skip(1).map(|sample| sample.at_ms).chain([now_ms]);
        for (sample, end_ms) in self.samples.iter().zip(ends) {
            let Some(state) = &sample.state else { continue };
            if !states.contains(&state) {
                states.push(state);
            }
            let before = states.iter().take_while(|held| **held != state);
            let (word, class) = state;
            let shade = before.filter(|(_, held)| held == class).count();
            let kind = SegmentKind::State { word: word.clone(), class: *class, shade };
            words.push(words::status_from(word, &messages::clock(sample.at_ms, zone)));
            segments.push(segment(kind, sample.at_ms, end_ms));
        }
        let blind = self.blind.iter().filter(|(_, to_ms)| *to_ms > first.at_ms);
        segments.extend(blind.map(|(from_ms, to_ms)| segment(SegmentKind::Blind, *from_ms, *to_ms)));
        let mut legend: Vec<SegmentKind> = Vec::new();
        for segment in &segments {
            if !legend.contains(&segment.kind) {
                legend.push(segment.kind.clone());
            }
        }
        legend.drain(..legend.len().saturating_sub(LEGEND_MAX));
        Some(StatusHistoryModel {
            segments,
            ticks: apart(changes.filter(|ms| *ms >= from_ms).map(place)),
            axis: axis(from_ms, width_ms, zone, now_ms),
            legend,
            description: words::status_history(&words, self.blind.len()),
        })
    }
}

/// The status of a row and its class.
fn state_of(view: &View, row: &Row, now_ms: UnixMillis) -> Option<(String, Class)> {
    let columns = StatusColumns::of(view.table().columns());
    let (word, class) = columns.read(row, view.cluster_now_s(now_ms, None))?;
    let mut shown = cells::shown(word).into_owned();
    // `Running` alone would be two states of one name.
    if class == Class::Warn
        && StatusColumns::is_fine(word)
        && let Some(why) = why(row).or_else(|| columns.word(RowHealth::Short))
    {
        shown = words::state_but(&shown, why);
    }
    Some((shown, class)).filter(|(word, _)| !word.is_empty())
}

/// The reason of its health, in short.
fn why(row: &Row) -> Option<&str> {
    short(&row.extra.as_ref()?.health.as_ref()?.reason)
}

/// The first word of a reason: the count in `Restarted 15 times` would make each restart another state. Two words where the
/// first would say the opposite, as that of `Ready False`.
pub(super) fn short(reason: &str) -> Option<&str> {
    let mut ends = reason.match_indices(' ').map(|(at, _)| at).chain([reason.len()]);
    let mut one_more = || reason.get(..ends.next()?).map(|begin| begin.trim_end_matches([',', ':', ';']));
    let first = one_more()?;
    let is_word = |text: &str| text.starts_with(|begin: char| begin.is_alphabetic());
    if !StatusColumns::is_fine(first) {
        return Some(first).filter(|first| is_word(first));
    }
    let next = |both: &str| both.rsplit(' ').next().is_some_and(is_word);
    one_more().filter(|both| next(both))
}

/// The part of the width that a label takes, with the space beside it.
const APART: f64 = 0.18;

/// Two ticks less than about a pixel apart are one.
fn apart(places: impl Iterator<Item = f64>) -> Vec<f64> {
    const LEAST: f64 = 1.0 / 500.0;
    let mut ticks: Vec<f64> = Vec::new();
    for place in places {
        if ticks.last().is_none_or(|last| (place - last).abs() >= LEAST) {
            ticks.push(place);
        }
    }
    ticks
}

/// The labels of the axis: those of both ends, and at most six round times that stand apart from them. None is still to
/// come.
fn axis(from_ms: UnixMillis, width_ms: i64, zone: Zone, now_ms: UnixMillis) -> Vec<(f64, String)> {
    const STEPS_S: [i64; 14] =
        [10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400];
    let step_ms =
        STEPS_S.iter().map(|step| step * 1_000).find(|step| width_ms / step <= 5).unwrap_or(86_400_000);
    let ahead_ms = zone.ahead_s(from_ms).saturating_mul(1_000);
    let first = (from_ms + ahead_ms).div_euclid(step_ms) + 1;
    let begin = messages::instant(from_ms, now_ms, zone);
    let now = part(now_ms.clamp(from_ms, from_ms + width_ms) - from_ms, width_ms);
    // A label with a date takes more.
    let from = if begin.len() > "00:00:00".len() { 2.0 * APART } else { APART };
    let inner = (first..first + 6).map(|number| number * step_ms - ahead_ms).map(|at_ms| {
        let clock = messages::clock(at_ms, zone);
        let label = if step_ms < 60_000 { clock } else { clock.get(..5).unwrap_or_default().to_owned() };
        (part(at_ms - from_ms, width_ms), label)
    });
    let inner = inner.filter(|(at, _)| *at >= from && *at <= now - APART);
    let end = (now >= from + APART / 2.0).then(|| (now, messages::clock(now_ms, zone)));
    [(0.0, begin)].into_iter().chain(inner).chain(end).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a part of a drawing")]
fn part(ms: i64, whole_ms: i64) -> f64 {
    ms as f64 / whole_ms.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(word: &str, class: Class) -> Option<(String, Class)> {
        Some((word.to_owned(), class))
    }

    fn drawn(history: &StatusHistory, now_ms: UnixMillis) -> Vec<String> {
        let model = history.drawn([70_000].into_iter(), now_ms, Zone::default()).expect("a state");
        let segment = |held: &Segment| format!("{} {:.2} to {:.2}", held.kind.word(), held.from, held.to);
        model.segments.iter().map(segment).collect()
    }

    #[test]
    fn a_reason_is_short_and_does_not_say_the_opposite() {
        for (reason, expected) in [
            ("Ready False", Some("Ready False")),
            ("Restarted 15 times", Some("Restarted")),
            ("CrashLoopBackOff: back-off 10s", Some("CrashLoopBackOff")),
            ("ContainersNotReady", Some("ContainersNotReady")),
            ("Ready", None),
            ("2 of 3", None),
            ("Available, 1 of 3", None),
            ("", None),
        ] {
            assert_eq!(short(reason), expected, "{reason}");
        }
    }

    #[test]
    fn a_state_lasts_until_the_next_and_what_was_not_seen_is_hatched() {
        let mut history = StatusHistory::new(0);
        assert_eq!(history.drawn([].into_iter(), 5, Zone::default()), None);
        history.sample(None, 1);
        history.sample(state("Pending", Class::Busy), 10_000);
        history.sample(state("Pending", Class::Busy), 20_000);
        history.sample(state("Running", Class::Ok), 50_000);
        history.blind(60_000, 70_000);
        history.blind(65_000, 80_000);
        history.sample(None, 90_000);
        assert_eq!(
            drawn(&history, 100_000),
            ["Pending 0.10 to 0.50", "Running 0.50 to 0.90", "not recorded 0.60 to 0.80"]
        );
        // The drawing is at least a minute wide, or one second would look like an hour.
        let mut young = StatusHistory::new(0);
        young.sample(state("Running", Class::Ok), 0);
        assert_eq!(drawn(&young, 30_000), ["Running 0.00 to 0.50"]);
    }

    #[test]
    fn states_of_one_class_are_told_apart() {
        let mut history = StatusHistory::new(0);
        let words = ["ErrImagePull", "ImagePullBackOff", "ErrImagePull", "Error"];
        for (word, at_ms) in words.into_iter().zip([0, 10_000, 20_000, 30_000]) {
            history.sample(state(word, Class::Bad), at_ms);
        }
        let model = history.drawn([].into_iter(), 60_000, Zone::default()).expect("a state");
        let shades = model.segments.iter().map(|held| match &held.kind {
            SegmentKind::State { shade, .. } => *shade,
            SegmentKind::Blind => usize::MAX,
        });
        assert_eq!(shades.collect::<Vec<_>>(), [0, 1, 0, 2]);
        assert_eq!(model.legend.len(), 3);
    }

    #[test]
    fn the_axis_has_a_few_round_times() {
        for (width_ms, expected) in [
            (60_000, vec!["00:00:00", "00:00:15", "00:00:30", "00:00:45", "00:01:00"]),
            (600_000, vec!["00:00:00", "00:02", "00:04", "00:06", "00:08", "00:10:00"]),
            (7_200_000, vec!["00:00:00", "00:30", "01:00", "01:30", "02:00:00"]),
        ] {
            let labels: Vec<String> =
                axis(0, width_ms, Zone::default(), width_ms).into_iter().map(|(_, label)| label).collect();
            assert_eq!(labels, expected);
        }
        assert!(axis(0, 30 * 86_400_000, Zone::default(), 30 * 86_400_000).len() <= 8);
        assert_eq!(axis(0, 60_000, Zone::default(), 20_000).len(), 2, "a time to come isn't on the axis");
    }

    #[test]
    fn changes_in_one_pixel_are_one_tick() {
        let mut history = StatusHistory::new(0);
        history.sample(state("Running", Class::Ok), 0);
        let changes = (0..10_000_i64).map(|at| at * 6);
        let model = history.drawn(changes, 60_000, Zone::default()).expect("a state");
        assert!((400..=501).contains(&model.ticks.len()), "{}", model.ticks.len());
    }

    #[test]
    fn only_so_many_states_are_kept() {
        let mut history = StatusHistory::new(0);
        let count = i64::try_from(STATUS_SAMPLES_MAX).expect("small") + 9;
        for at in 0..count {
            history.sample(state(if at % 2 == 0 { "a" } else { "b" }, Class::Ok), at);
        }
        assert_eq!(history.samples.len(), STATUS_SAMPLES_MAX);
    }
}
