//! The object's current state, with links to the objects that it names, and marks on what changed.

use std::collections::BTreeMap;

use serde_json::Value;
use shared::state::UnixMillis;

use super::link::Links;
use super::words;
use crate::detail::Now;
use crate::detail::summary::{self, Fact, Overview, ScalarField, Scalars, Used};
use crate::limits::MARK_MS;
use crate::messages::Zone;

/// Before the first of these facts stands what a node or a pod uses.
const BEHIND_USE: [&str; 4] = ["Allocatable", "Image", "Images", "Labels"];

/// What changed in the last seconds, and when.
#[derive(Default)]
pub(super) struct OverviewMarks(BTreeMap<Marked, UnixMillis>);

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Marked {
    /// The label; where it continues another one, the value.
    Fact(&'static str, String),
    Container(String),
    Condition(String),
    /// The part of the object, and the path in it.
    Scalar(&'static str, String),
}

impl OverviewMarks {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Both versions are read at the same time, so that an age is no change.
    pub(super) fn note(&mut self, before: &Value, after: &Value, now_ms: UnixMillis) {
        let now = Now { ms: now_ms, cluster_s: now_ms.div_euclid(1_000), zone: Zone::default() };
        let (before, after) = (summary::overview(before, now), summary::overview(after, now));
        let is_same = |a: &Fact, b: &Fact| (a.label, &a.value, &a.note) == (b.label, &b.value, &b.note);
        let facts = after.facts.iter().filter(|fact| !before.facts.iter().any(|held| is_same(held, fact)));
        let facts = facts.map(marked);
        let containers = after.containers.iter().filter(|held| !before.containers.contains(held));
        let containers = containers.map(|held| Marked::Container(held.name.clone()));
        let conditions = after.conditions.iter().filter(|held| !before.conditions.contains(held));
        let conditions = conditions.map(|held| Marked::Condition(held.condition.kind.clone()));
        let spec = changed_scalars(words::SPEC, &before.spec, &after.spec);
        let status = changed_scalars(words::STATUS, &before.status, &after.status);
        let scalars = spec.chain(status);
        self.0
            .extend(facts.chain(containers).chain(conditions).chain(scalars).map(|marked| (marked, now_ms)));
    }

    fn has(&self, marked: &Marked, now_ms: UnixMillis) -> bool {
        self.0.get(marked).is_some_and(|at_ms| now_ms.saturating_sub(*at_ms) < MARK_MS)
    }
}

fn marked(fact: &Fact) -> Marked {
    Marked::Fact(fact.label, if fact.label.is_empty() { fact.value.clone() } else { String::new() })
}

fn changed_scalars<'a>(
    part: &'static str,
    before: &'a Scalars,
    after: &'a Scalars,
) -> impl Iterator<Item = Marked> + 'a {
    let changed = after.fields.iter().filter(|held| !before.fields.contains(held));
    changed.map(move |held: &ScalarField| Marked::Scalar(part, held.path.clone()))
}

pub(super) fn model(
    object: &Value,
    used: &Used,
    (now, links): (Now, Links<'_>),
    marks: &OverviewMarks,
) -> Overview {
    let mut overview = summary::overview(object, now);
    if let Some(fact) = summary::in_use(object, used) {
        let is_behind = |fact: &Fact| BEHIND_USE.contains(&fact.label);
        let at = overview.facts.iter().position(is_behind).unwrap_or(overview.facts.len());
        overview.facts.insert(at, fact);
    }
    for fact in &mut overview.facts {
        fact.href = fact.link.as_ref().and_then(|to| links.to_reference(to));
        fact.is_new = marks.has(&marked(fact), now.ms);
    }
    for container in &mut overview.containers {
        container.is_new = marks.has(&Marked::Container(container.name.clone()), now.ms);
    }
    for row in &mut overview.conditions {
        row.is_new = marks.has(&Marked::Condition(row.condition.kind.clone()), now.ms);
    }
    for (part, scalars) in [(words::SPEC, &mut overview.spec), (words::STATUS, &mut overview.status)] {
        for field in &mut scalars.fields {
            field.is_new = marks.has(&Marked::Scalar(part, field.path.clone()), now.ms);
        }
    }
    overview
}
