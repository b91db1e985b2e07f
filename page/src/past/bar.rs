//! What the bar of the past shows: the density of changes and of trouble, gaps, the hours, and the time that is shown.
//! Never a question to the gateway.

use replica::freshness::{AsOf, Record};
use shared::frame::server::{Recorded, Replays};
use shared::past::Removed;
use shared::state::UnixMillis;

use super::against::Against;
use super::density::SLOTS;
use super::model::{End, PastBar, Stretch, Tick};
use super::part::{Part, Shown};
use super::span::Window;
use super::time_bar::TimeBar;
use super::{change_list, comparisons, found_list, said, sentences, steps, stopped, words};
use crate::messages::{self, clock};
use crate::numbers::civil;

pub(crate) const PART: Part = Part {
    update: steps::update,
    ask: |bar, (of, changes), here, client| {
        bar.ask(of, here, client);
        if let Some(changes) = changes {
            bar.ask_changes(changes, here, client);
        }
    },
    came: TimeBar::came,
    failed: TimeBar::failed,
    model: |bar, shown| model(&Seen::of(bar, shown)),
    stopped: |bar, shown| stopped::stopped(bar, shown),
    found: |bar, shown, links| match bar.is_searching() {
        true => found_list::list(bar.search_mut(), shown, links),
        false => {
            bar.changes_mut().map(|changes| change_list::list(changes, shown, links)).unwrap_or_default()
        }
    },
    follow_comparisons: comparisons::follow,
    comparison: comparisons::shown,
    line: sentences::line,
    body: sentences::body,
    proof: sentences::proof,
};

/// What the bar is made of.
struct Seen<'a> {
    shown: Shown<'a>,
    bar: &'a TimeBar,
    window: Window,
}

impl<'a> Seen<'a> {
    fn of(bar: &'a TimeBar, shown: Shown<'a>) -> Self {
        let window = bar.window(&shown.here);
        Self { shown, bar, window }
    }
}

fn model(shown: &Seen<'_>) -> PastBar {
    let answers = shown.bar.density().map(|density| density.answers.as_slice()).unwrap_or_default();
    let at_ms = shown.dragged_ms().or(shown.shown.here.at_ms());
    let thumb = at_ms.map(|ms| Tick {
        at: 100.0 * shown.bar.dragged().unwrap_or_else(|| shown.window.part_of(ms)),
        label: shown.short_clock(ms),
    });
    let steps = shown.shown.here.as_of.map(AsOf::steps_ms).unwrap_or_default();
    let here = &shown.shown.here;
    let is_here = |replays: Replays| here.at.is_none_or(|at| at.ms() >= replays.to_ms);
    let end = here.replays.map_or(End::Now, |replays| End::OfReplay { is_here: is_here(replays) });
    let is_past = here.at.is_some();
    PastBar {
        is_past,
        end,
        span: shown.window.span(),
        changes: bars(&summed(answers, |answer| &answer.changes), (BASE, CHANGES_HIGH)),
        trouble: bars(&summed(answers, |answer| &answer.trouble), (TROUBLE_BASE, TROUBLE_HIGH)),
        gaps: gaps(shown, answers),
        removed: removed(answers).map(|it| shown.stretch(it.from_ms, it.to_ms)).collect(),
        hint: hint(shown, answers),
        ticks: ticks(shown, thumb.as_ref().map(|thumb| thumb.at)),
        said: said_of(shown, answers, at_ms),
        typed: at_ms.map_or_else(|| words::NOW.to_owned(), |ms| shown.instant(ms)),
        error: shown.bar.error(),
        note: note(shown, answers),
        has_earlier: !is_past || steps.0.is_some(),
        has_later: steps.1.is_some(),
        against: match shown.shown.here.against {
            Some(Against::Now) => words::NOW.to_owned(),
            Some(Against::At(at)) => shown.instant(at.ms()),
            None => String::new(),
        },
        thumb,
    }
}

impl Seen<'_> {
    /// By the gateway's clock.
    fn dragged_ms(&self) -> Option<UnixMillis> {
        self.window.at(self.bar.dragged()?)
    }

    fn local_ms(&self, gateway_ms: UnixMillis) -> UnixMillis {
        gateway_ms.saturating_sub(self.shown.here.ahead_ms)
    }

    fn stretch(&self, from_ms: UnixMillis, to_ms: UnixMillis) -> Stretch {
        let place = |ms| 100.0 * self.window.part_of(ms);
        Stretch { from: place(from_ms), to: place(to_ms) }
    }

    /// `Versions were removed from what was recorded of pods from 13:40:02 to 13:52:10.`
    fn removed(&self, removed: &Removed) -> String {
        words::removed(self.shown.resource, removed, |ms| self.instant(ms))
    }

    fn instant(&self, gateway_ms: UnixMillis) -> String {
        messages::instant(self.local_ms(gateway_ms), self.shown.here.now_ms, self.shown.here.zone)
    }

    /// `14:02`
    fn short_clock(&self, gateway_ms: UnixMillis) -> String {
        let whole = clock(self.local_ms(gateway_ms), self.shown.here.zone);
        whole.get(..5).unwrap_or(&whole).to_owned()
    }
}

// The grid of the paths: changes stand on one line, and trouble on another below it.
const BASE: f64 = 21.0;
const CHANGES_HIGH: f64 = 18.0;
const TROUBLE_BASE: f64 = 32.0;
const TROUBLE_HIGH: f64 = 8.0;
/// A part with one change is seen.
const LOW: f64 = 2.0;

/// The parts of all clusters.
fn summed(answers: &[Recorded], read: fn(&Recorded) -> &Vec<u32>) -> Vec<u32> {
    let mut all = Vec::new();
    for answer in answers {
        let slots = read(answer);
        all.resize(all.len().max(slots.len()), 0_u32);
        for (sum, slot) in all.iter_mut().zip(slots) {
            *sum = sum.saturating_add(*slot);
        }
    }
    all
}

/// A bar for each part, by the root of its number, so that one among thousands is seen.
fn bars(slots: &[u32], (base, high): (f64, f64)) -> String {
    let most = f64::from(slots.iter().copied().max().unwrap_or_default()).max(1.0);
    let mut path = String::new();
    for (place, count) in slots.iter().enumerate().filter(|(_, count)| **count > 0) {
        let height = (high * (f64::from(*count) / most).sqrt()).max(LOW);
        path.push_str(&format!("M{place} {base}v-{height:.1}h.75v{height:.1}z"));
    }
    path
}

/// Where nothing was recorded, with the time before the record began and after it ended.
fn gaps(shown: &Seen<'_>, answers: &[Recorded]) -> Vec<Stretch> {
    let window = shown.window;
    let mut gaps = Vec::new();
    let mut add = |from_ms: UnixMillis, to_ms: UnixMillis| {
        let stretch = shown.stretch(from_ms, to_ms);
        if stretch.to > stretch.from {
            gaps.push(stretch);
        }
    };
    if shown.bar.density().is_some_and(|density| density.problem.is_some()) && answers.is_empty() {
        add(window.from_ms, window.to_ms);
    }
    for answer in answers {
        match answer.since_ms {
            Some(since_ms) => add(window.from_ms, since_ms),
            None => add(window.from_ms, window.to_ms),
        }
        for gap in &answer.unrecorded {
            add(gap.from_ms, gap.to_ms);
        }
        if let (Some(until_ms), Some(_)) = (answer.until_ms, &answer.problem) {
            add(until_ms, window.to_ms);
        }
    }
    gaps
}

/// What was removed of what was recorded in the time of the slider.
fn removed(answers: &[Recorded]) -> impl Iterator<Item = &Removed> {
    answers.iter().flat_map(|answer| &answer.removed)
}

fn hint(shown: &Seen<'_>, answers: &[Recorded]) -> String {
    let removed = removed(answers).map(|removed| shown.removed(removed));
    std::iter::once(words::SLIDER.to_owned()).chain(removed).collect::<Vec<_>>().join("\n")
}

const MINUTE_S: i64 = 60;
const DAY_S: i64 = 86_400;
/// The distances of hours: the shortest with few enough of them is taken.
const STEPS_S: [i64; 10] = [
    MINUTE_S,
    5 * MINUTE_S,
    15 * MINUTE_S,
    30 * MINUTE_S,
    60 * MINUTE_S,
    180 * MINUTE_S,
    360 * MINUTE_S,
    DAY_S,
    7 * DAY_S,
    28 * DAY_S,
];
const TICKS_MAX: i64 = 7;
/// A label nearer to another one would touch it, in percent of the slider.
const LABEL_PERCENT: f64 = 5.0;

fn ticks(shown: &Seen<'_>, thumb: Option<f64>) -> Vec<Tick> {
    let (from_ms, to_ms) = (shown.window.from_ms, shown.window.to_ms);
    let fits = |step_s: &&i64| to_ms.saturating_sub(from_ms) / (**step_s * 1_000) <= TICKS_MAX;
    let Some(step_s) = STEPS_S.iter().find(fits).copied() else { return Vec::new() };
    // The hours are the reader's.
    let shift_ms = shown.shown.here.zone.ahead_s(shown.local_ms(to_ms)) * 1_000 - shown.shown.here.ahead_ms;
    let step_ms = step_s * 1_000;
    let first = from_ms.saturating_add(shift_ms).div_euclid(step_ms) + 1;
    let marks = (first..).map(|number| number * step_ms - shift_ms).take_while(|at_ms| *at_ms <= to_ms);
    let tick = |at_ms: UnixMillis| {
        let at = 100.0 * shown.window.part_of(at_ms);
        let touches = |other: f64| (at - other).abs() < LABEL_PERCENT;
        let is_hidden = at < LABEL_PERCENT / 2.0 || touches(100.0) || thumb.is_some_and(touches);
        let label = match is_hidden {
            true => String::new(),
            false if step_s >= DAY_S => date(at_ms.saturating_add(shift_ms).div_euclid(1_000)),
            false => shown.short_clock(at_ms),
        };
        Tick { at, label }
    };
    marks.map(tick).collect()
}

/// `11-29`
fn date(local_s: i64) -> String {
    let (_, month, day) = civil(local_s.div_euclid(DAY_S));
    format!("{month:02}-{day:02}")
}

/// `14:02:10, 2,291 pods, 23 failing, recorded 3 s before`
fn said_of(shown: &Seen<'_>, answers: &[Recorded], at_ms: Option<UnixMillis>) -> String {
    let Some(at_ms) = at_ms else { return words::NOW.to_owned() };
    let mut parts = vec![shown.instant(at_ms)];
    if let Some(as_of) = shown.shown.here.as_of.filter(|_| shown.bar.dragged().is_none()) {
        let counts = shown.shown.counts.filter(|_| matches!(as_of.record, Record::Of { .. }));
        if let Some((rows, failing)) = counts {
            parts.push(format!("{} {}", messages::count(rows), shown.shown.resource));
            parts.extend((failing > 0).then(|| words::failing(failing)));
        }
        parts.push(said::detail(as_of));
    }
    let of_then = removed(answers).filter(|it| it.from_ms <= at_ms && at_ms < it.to_ms);
    parts.extend(of_then.map(|removed| shown.removed(removed)));
    parts.join(", ")
}

/// Why the slider has nothing to show, or not all.
fn note(shown: &Seen<'_>, answers: &[Recorded]) -> String {
    let Some(density) = shown.bar.density() else { return String::new() };
    if let Some(problem) = density.problem.as_ref().filter(|_| answers.is_empty()) {
        return words::not_recorded(&messages::sentence(&problem.message));
    }
    for answer in answers {
        match (&answer.problem, answer.until_ms, answer.since_ms) {
            (Some(problem), Some(until_ms), _) => {
                return words::not_recorded_since(&shown.instant(until_ms), &problem.message);
            }
            (Some(problem), None, _) => return words::not_recorded(&messages::sentence(&problem.message)),
            (None, _, None) => return words::NOTHING_YET.to_owned(),
            (None, _, Some(since_ms)) if is_empty(answer) && since_ms > shown.window.from_ms => {
                return words::nothing_since(&shown.instant(since_ms));
            }
            _ => {}
        }
    }
    String::new()
}

fn is_empty(answer: &Recorded) -> bool {
    answer.changes.iter().all(|count| *count == 0)
}

const _: () = assert!(SLOTS == 180, "the grid of the paths");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_high_as_the_root_of_its_changes() {
        assert_eq!(bars(&[0, 4, 0, 1], (20.0, 10.0)), "M1 20v-10.0h.75v10.0zM3 20v-5.0h.75v5.0z");
        assert_eq!(bars(&[], (20.0, 10.0)), "");
    }
}
