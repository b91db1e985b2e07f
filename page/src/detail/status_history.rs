//! The state of an object over time, as a strip: stretches of one word, hatched where nobody looked, and
//! a tick for each change. Samples come from the row's STATUS; what lies before the first one is not
//! claimed. Never a pixel: places are parts of the whole.

use std::collections::VecDeque;

use shared::state::UnixMillis;

use crate::limits::{LANE_MIN_MS, LANE_SAMPLES_MAX};
use crate::messages::{self, Zone};
use crate::status::Class;

#[derive(Debug, Default)]
pub struct Lane {
    samples: VecDeque<Sample>,
    /// Stretches in which nothing was seen.
    blind: Vec<(UnixMillis, UnixMillis)>,
    opened_ms: Option<UnixMillis>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Sample {
    at_ms: UnixMillis,
    word: String,
    class: Option<Class>,
}

/// Places from 0 at the left to 1 at the right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strip {
    pub segments: Vec<Segment>,
    pub ticks: Vec<f64>,
    pub axis: Vec<(f64, String)>,
    /// For who can't see it.
    pub description: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    pub from: f64,
    pub to: f64,
    pub kind: SegmentKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    State {
        word: String,
        class: Class,
    },
    /// Nobody looked.
    Blind,
}

impl Lane {
    pub fn open(&mut self, now_ms: UnixMillis) {
        *self = Self { opened_ms: Some(now_ms), ..Self::default() };
    }

    #[must_use]
    pub fn opened_ms(&self) -> Option<UnixMillis> {
        self.opened_ms
    }

    /// The word of now; `None`: it has none, or isn't there any more.
    pub fn observe(&mut self, state: Option<(&str, Class)>, now_ms: UnixMillis) {
        let (word, class) =
            state.map_or((String::new(), None), |(word, class)| (word.to_owned(), Some(class)));
        let is_known = self.samples.back().is_some_and(|last| last.word == word && last.class == class);
        if is_known || (self.samples.is_empty() && class.is_none()) {
            return;
        }
        self.samples.push_back(Sample { at_ms: now_ms, word, class });
        if self.samples.len() > LANE_SAMPLES_MAX {
            self.samples.pop_front();
        }
    }

    /// Nothing was seen between these; overlapping ones are joined.
    pub fn blind(&mut self, from_ms: UnixMillis, to_ms: UnixMillis) {
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
    }

    /// `changes`: the instants of the log's entries.
    #[must_use]
    pub fn strip(
        &self,
        changes: impl Iterator<Item = UnixMillis>,
        now_ms: UnixMillis,
        zone: Zone,
    ) -> Option<Strip> {
        let from_ms = self.opened_ms?;
        let first = self.samples.front()?;
        let width_ms = now_ms.saturating_sub(from_ms).max(LANE_MIN_MS);
        let place = |ms: UnixMillis| part(ms.clamp(from_ms, from_ms + width_ms) - from_ms, width_ms);
        let mut segments = Vec::new();
        let mut words = Vec::new();
        let ends = self.samples.iter().skip(1).map(|sample| sample.at_ms).chain([now_ms]);
        for (sample, end_ms) in self.samples.iter().zip(ends) {
            let Some(class) = sample.class else { continue };
            let kind = SegmentKind::State { word: sample.word.clone(), class };
            words.push(messages::lane_word(&sample.word, &messages::clock(sample.at_ms, zone)));
            segments.push(Segment { from: place(sample.at_ms), to: place(end_ms), kind });
        }
        let blind = self.blind.iter().filter(|(_, to_ms)| *to_ms > first.at_ms);
        segments.extend(blind.map(|(from_ms, to_ms)| Segment {
            from: place(*from_ms),
            to: place(*to_ms),
            kind: SegmentKind::Blind,
        }));
        Some(Strip {
            segments,
            ticks: apart(changes.filter(|ms| *ms >= from_ms).map(place)),
            axis: axis(from_ms, width_ms, zone),
            description: messages::lane_description(&words, self.blind.len()),
        })
    }
}

/// Two ticks within less than a pixel are one.
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

/// Three to six round times.
fn axis(from_ms: UnixMillis, width_ms: i64, zone: Zone) -> Vec<(f64, String)> {
    const STEPS_S: [i64; 14] =
        [10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400];
    let step_ms =
        STEPS_S.iter().map(|step| step * 1_000).find(|step| width_ms / step <= 5).unwrap_or(86_400_000);
    let ahead_ms = zone.ahead_of_utc_s.saturating_mul(1_000);
    let first = (from_ms + ahead_ms).div_euclid(step_ms) + 1;
    (first..first + 6)
        .map(|number| number * step_ms - ahead_ms)
        .filter(|at_ms| *at_ms < from_ms + width_ms)
        .map(|at_ms| {
            let clock = messages::clock(at_ms, zone);
            let label = if step_ms < 60_000 { clock } else { clock.get(..5).unwrap_or_default().to_owned() };
            (part(at_ms - from_ms, width_ms), label)
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "a part of a drawing")]
fn part(ms: i64, whole_ms: i64) -> f64 {
    ms as f64 / whole_ms.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(lane: &Lane, now_ms: UnixMillis) -> Vec<String> {
        let strip = lane.strip([70_000].into_iter(), now_ms, Zone::default()).expect("a strip");
        let segment = |segment: &Segment| {
            let word = match &segment.kind {
                SegmentKind::State { word, .. } => word,
                SegmentKind::Blind => "blind",
            };
            format!("{word} {:.2} to {:.2}", segment.from, segment.to)
        };
        strip.segments.iter().map(segment).collect()
    }

    #[test]
    fn a_state_lasts_until_the_next_and_what_nobody_saw_is_hatched() {
        let mut lane = Lane::default();
        assert_eq!(lane.strip([].into_iter(), 5, Zone::default()), None);
        lane.open(0);
        lane.observe(None, 1);
        lane.observe(Some(("Pending", Class::Busy)), 10_000);
        lane.observe(Some(("Pending", Class::Busy)), 20_000);
        lane.observe(Some(("Running", Class::Ok)), 50_000);
        lane.blind(60_000, 70_000);
        lane.blind(65_000, 80_000);
        lane.observe(None, 90_000);
        assert_eq!(
            strip(&lane, 100_000),
            ["Pending 0.10 to 0.50", "Running 0.50 to 0.90", "blind 0.60 to 0.80"]
        );
        // A strip is never shorter than a minute, or one second would look like an hour.
        let mut young = Lane::default();
        young.open(0);
        young.observe(Some(("Running", Class::Ok)), 0);
        assert_eq!(strip(&young, 30_000), ["Running 0.00 to 0.50"]);
    }

    #[test]
    fn the_axis_has_a_few_round_times() {
        for (width_ms, expected) in [
            (60_000, vec!["00:00:15", "00:00:30", "00:00:45"]),
            (600_000, vec!["00:02", "00:04", "00:06", "00:08"]),
            (7_200_000, vec!["00:30", "01:00", "01:30"]),
        ] {
            let labels: Vec<String> =
                axis(0, width_ms, Zone::default()).into_iter().map(|(_, label)| label).collect();
            assert_eq!(labels, expected);
        }
        assert!(axis(0, 30 * 86_400_000, Zone::default()).len() <= 6);
    }

    #[test]
    fn changes_in_one_pixel_are_one_tick() {
        let mut lane = Lane::default();
        lane.open(0);
        lane.observe(Some(("Running", Class::Ok)), 0);
        let changes = (0..10_000_i64).map(|at| at * 6);
        let strip = lane.strip(changes, 60_000, Zone::default()).expect("a strip");
        assert!((400..=501).contains(&strip.ticks.len()), "{}", strip.ticks.len());
    }

    #[test]
    fn only_so_many_states_are_kept() {
        let mut lane = Lane::default();
        lane.open(0);
        let count = i64::try_from(LANE_SAMPLES_MAX).expect("small") + 9;
        for at in 0..count {
            lane.observe(Some((if at % 2 == 0 { "a" } else { "b" }, Class::Ok)), at);
        }
        assert_eq!(lane.samples.len(), LANE_SAMPLES_MAX);
    }
}
