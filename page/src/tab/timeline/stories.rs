//! What happened, in words: the entries of an object, of what it owns and the Events of both come to rollouts and to what
//! became of one child. Each stays below its words. Never a judgement beyond those of the entries.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shared::state::UnixMillis;

use super::rollouts::Rollout;
use super::words;
use crate::detail::history::{Body, Headline, Item, Story};
use crate::limits::PANEL_STEPS_MAX;
use crate::status::Class;

/// An entry of the object or of a child, or an Event.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) at_ms: UnixMillis,
    /// Kind and name of the child that it is of; `None`: the object itself.
    pub(super) child: Option<(&'static str, String)>,
    /// The child's deletion began or ended.
    pub(super) is_deletion: bool,
    /// No rollout has it below its words.
    pub(super) stands_alone: bool,
    pub(super) item: Arc<Item>,
}

/// Steps of one child with more time than this between them are two stories.
const APART_MS: i64 = 60_000;
/// A pod that a rollout deletes may outlive it by its grace period, which is 30 s by default.
const ENDING_MS: i64 = 90_000;
/// An Event's time has no fraction of a second.
const EVENT_MS: i64 = 1_000;
/// Numbers of stories are above those of entries.
const STORY: u64 = 1 << 62;

/// `steps` and `rollouts`: the oldest first. The result begins with the newest, each with its time.
pub(super) fn told(
    steps: &[Step],
    rollouts: &[Rollout],
    time: impl Fn(UnixMillis) -> (String, String),
) -> Vec<(UnixMillis, Arc<Item>)> {
    let ending = deleted_in(steps, rollouts);
    let mut of_rollouts: Vec<Vec<&Step>> = vec![Vec::new(); rollouts.len()];
    let mut runs: Vec<Vec<&Step>> = Vec::new();
    let mut open: BTreeMap<&(&'static str, String), usize> = BTreeMap::new();
    for step in steps {
        if let Some(at) = rollouts.iter().rposition(|rollout| rollout.has(step, &ending)) {
            if let Some(own) = of_rollouts.get_mut(at) {
                own.push(step);
            }
            continue;
        }
        let last_ms = |run: &Vec<&Step>| run.last().map_or(step.at_ms, |last| last.at_ms);
        let held = step.child.as_ref().and_then(|child| open.get(child).copied());
        let held = held.and_then(|at| runs.get_mut(at)).filter(|run| step.at_ms - last_ms(run) <= APART_MS);
        match held {
            Some(run) => run.push(step),
            None => {
                if let Some(child) = &step.child {
                    open.insert(child, runs.len());
                }
                runs.push(vec![step]);
            }
        }
    }
    let mut found: Vec<(UnixMillis, Arc<Item>)> = Vec::new();
    for (rollout, own) in rollouts.iter().zip(&of_rollouts) {
        let Some(last) = own.last() else { continue };
        let at_ms = rollout.to_ms.unwrap_or(last.at_ms);
        let story = Story {
            headline: rollout.headline.clone(),
            steps: words::steps(counts(own), own.len() > PANEL_STEPS_MAX),
            writers: rollout.writers.clone(),
            items: newest(own),
        };
        found.push((at_ms, item(STORY + rollout.number, time(at_ms), None, own, story)));
    }
    for run in &runs {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        if run.len() == 1 {
            found.push((last.at_ms, Arc::clone(&last.item)));
            continue;
        }
        let story = Story {
            headline: worst(run),
            steps: words::steps(counts(run), run.len() > PANEL_STEPS_MAX),
            writers: Vec::new(),
            // The story says of which object they are.
            items: newest(run)
                .iter()
                .map(|item| Arc::new(Item { subject: None, ..(**item).clone() }))
                .collect(),
        };
        let subject = last.item.subject.clone();
        let number = STORY + first.item.number;
        found.push((last.at_ms, item(number, time(last.at_ms), subject, run, story)));
    }
    // What is of one millisecond keeps its order: a rollout's end is after all that is in it.
    shared::sorted::sort_by_key(&mut found, |(at_ms, item)| std::cmp::Reverse((*at_ms, item.number)));
    found
}

fn item(
    number: u64,
    (clock, millis): (String, String),
    subject: Option<crate::detail::history::Subject>,
    steps: &[&Step],
    story: Story,
) -> Arc<Item> {
    let above = steps.iter().find_map(|step| step.item.above);
    let body = Body::Story(story);
    Arc::new(Item { number, above, clock, millis, subject, body, resource_version: None })
}

/// The children that rollouts delete.
fn deleted_in<'a>(steps: &'a [Step], rollouts: &[Rollout]) -> BTreeSet<&'a (&'static str, String)> {
    let deletions = steps.iter().filter(|step| step.is_deletion);
    let in_one = deletions.filter(|step| rollouts.iter().any(|rollout| rollout.is_at(step.at_ms, 0)));
    in_one.filter_map(|step| step.child.as_ref()).collect()
}

impl Rollout {
    fn is_at(&self, at_ms: UnixMillis, before_ms: i64) -> bool {
        at_ms >= self.from_ms.saturating_add(-before_ms) && self.to_ms.is_none_or(|to_ms| at_ms <= to_ms)
    }

    fn has(&self, step: &Step, ending: &BTreeSet<&(&'static str, String)>) -> bool {
        let is_event = matches!(step.item.body, Body::Event { .. });
        // A gap is for all to see.
        if step.stands_alone || matches!(step.item.body, Body::Gap { .. }) {
            return false;
        }
        self.is_at(step.at_ms, if is_event { EVENT_MS } else { 0 })
            || self.to_ms.is_some_and(|to_ms| {
                let is_after = step.at_ms > to_ms && step.at_ms <= to_ms.saturating_add(ENDING_MS);
                is_after && step.child.as_ref().is_some_and(|child| ending.contains(child))
            })
    }
}

/// The changes and the Events.
fn counts(steps: &[&Step]) -> (usize, usize) {
    let events = steps.iter().filter(|step| matches!(step.item.body, Body::Event { .. })).count();
    (steps.len() - events, events)
}

fn newest(steps: &[&Step]) -> Vec<Arc<Item>> {
    steps.iter().rev().take(PANEL_STEPS_MAX).map(|step| Arc::clone(&step.item)).collect()
}

/// The newest of the worst headlines; where none is bad, of those that say more than a field.
fn worst(steps: &[&Step]) -> Headline {
    let headlines = steps.iter().rev().filter_map(|step| match &step.item.body {
        Body::Change { headline, .. } | Body::Event { headline } => Some(headline),
        _ => None,
    });
    let rank = |headline: &&Headline| match headline.class {
        Class::Bad => 0,
        Class::Warn => 1,
        Class::Idle if headline.is_routine() => 5,
        Class::Idle if headline.is_field() => 4,
        Class::Idle => 3,
        _ => 2,
    };
    let found = headlines.min_by_key(rank);
    found.map_or_else(|| Headline::new(Class::Idle, "", ""), |held| Headline { says: None, ..held.clone() })
}
