//! The difference of two versions, line by line of their YAML, with a few lines around each difference.

use serde_json::Value;
use shared::diff::differences;

use super::history::spoken_path;
use super::words;
use super::yaml::{self, Line};
use crate::limits::{COMPARE_CELLS_MAX, COMPARE_LINES_MAX};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    pub lines: Vec<DiffLine>,
    /// Fields that differ.
    pub fields: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DiffLine {
    Same {
        number: usize,
        text: String,
    },
    Removed {
        number: usize,
        text: String,
    },
    Added {
        number: usize,
        text: String,
    },
    /// How many equal lines are left out, and the path of the lines that follow.
    Fold(String),
}

/// Equal lines that are shown around a difference.
const CONTEXT: usize = 2;

pub fn compare(a: &Value, b: &Value) -> Comparison {
    let a = &of_the_version_of(a, b);
    let fields = differences(a, b).len();
    let (old, new) = (yaml::lines(a), yaml::lines(b));
    let texts = |lines: &[Line]| lines.iter().map(Line::text).collect::<Vec<_>>();
    let steps = steps(&texts(&old), &texts(&new));
    Comparison { lines: folded(&steps, &old, &new, b), fields }
}

/// Each change has another resourceVersion, so that alone is no difference.
fn of_the_version_of(a: &Value, b: &Value) -> Value {
    const VERSION: &str = "/metadata/resourceVersion";
    let mut a = a.clone();
    if let (Some(held), Some(version)) = (a.pointer_mut(VERSION), b.pointer(VERSION)) {
        *held = version.clone();
    }
    a
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineStep {
    Same { old: usize, new: usize },
    Removed { old: usize },
    Added { new: usize },
}

impl LineStep {
    fn is_same(self) -> bool {
        matches!(self, Self::Same { .. })
    }
}

/// The longest common subsequence of lines stays. If that is too much work, all lines between the common head
/// and tail are removed and added.
fn steps(old: &[String], new: &[String]) -> Vec<LineStep> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let old_middle = old_rest.get(..old_rest.len() - tail).unwrap_or_default();
    let new_middle = new_rest.get(..new_rest.len() - tail).unwrap_or_default();
    let mut steps: Vec<LineStep> = (0..head).map(|at| LineStep::Same { old: at, new: at }).collect();
    steps.extend(middle(old_middle, new_middle, head));
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    steps.extend((0..tail).map(|at| LineStep::Same { old: old_end + at, new: new_end + at }));
    steps
}

/// The steps of the lines after the first `head` ones, which are equal.
fn middle(old: &[String], new: &[String], head: usize) -> Vec<LineStep> {
    let width = new.len() + 1;
    if old.len().saturating_add(1).saturating_mul(width) > COMPARE_CELLS_MAX {
        let removed = (0..old.len()).map(|old| LineStep::Removed { old: head + old });
        return removed.chain((0..new.len()).map(|new| LineStep::Added { new: head + new })).collect();
    }
    // For each pair of places, how many lines the rests from there have in common.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    let at = |common: &[u32], o: usize, n: usize| common.get(o * width + n).copied().unwrap_or(0);
    for (o, old_line) in old.iter().enumerate().rev() {
        for (n, new_line) in new.iter().enumerate().rev() {
            let best = if old_line == new_line {
                at(&common, o + 1, n + 1) + 1
            } else {
                at(&common, o + 1, n).max(at(&common, o, n + 1))
            };
            if let Some(cell) = common.get_mut(o * width + n) {
                *cell = best;
            }
        }
    }
    let (mut o, mut n) = (0, 0);
    let mut steps = Vec::with_capacity(old.len() + new.len());
    while o < old.len() || n < new.len() {
        if o < old.len() && old.get(o) == new.get(n) {
            steps.push(LineStep::Same { old: head + o, new: head + n });
            (o, n) = (o + 1, n + 1);
        } else if o < old.len() && (n >= new.len() || at(&common, o + 1, n) >= at(&common, o, n + 1)) {
            steps.push(LineStep::Removed { old: head + o });
            o += 1;
        } else {
            steps.push(LineStep::Added { new: head + n });
            n += 1;
        }
    }
    steps
}

fn folded(steps: &[LineStep], old: &[Line], new: &[Line], b: &Value) -> Vec<DiffLine> {
    let is_near = |at: usize| {
        let from = at.saturating_sub(CONTEXT);
        steps
            .get(from..(at + CONTEXT + 1).min(steps.len()))
            .is_some_and(|near| near.iter().any(|s| !s.is_same()))
    };
    let mut lines = Vec::new();
    let mut hidden = 0;
    for (at, step) in steps.iter().enumerate() {
        if !is_near(at) {
            hidden += 1;
            continue;
        }
        if lines.len() >= COMPARE_LINES_MAX {
            lines.push(DiffLine::Fold(words::more_lines(steps.len() - at)));
            return lines;
        }
        if hidden > 0 || at == 0 {
            lines.extend(heading(*step, hidden, new, b));
        }
        hidden = 0;
        lines.extend(line(*step, old, new));
    }
    if hidden > 0 && !lines.is_empty() {
        lines.push(DiffLine::Fold(words::more_lines(hidden)));
    }
    lines
}

fn line(step: LineStep, old: &[Line], new: &[Line]) -> Option<DiffLine> {
    Some(match step {
        LineStep::Same { new: at, .. } => DiffLine::Same { number: at + 1, text: new.get(at)?.text() },
        LineStep::Removed { old: at } => DiffLine::Removed { number: at + 1, text: old.get(at)?.text() },
        LineStep::Added { new: at } => DiffLine::Added { number: at + 1, text: new.get(at)?.text() },
    })
}

/// The path of the lines that follow.
fn heading(step: LineStep, hidden: usize, new: &[Line], b: &Value) -> Option<DiffLine> {
    let path = match step {
        LineStep::Same { new: at, .. } | LineStep::Added { new: at } => &*new.get(at)?.path,
        LineStep::Removed { .. } => "",
    };
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    if hidden == 0 && parent.is_empty() {
        return None;
    }
    let path = spoken_path(parent, |pointer| b.pointer(pointer)?.as_str());
    Some(DiffLine::Fold(words::hidden_lines(hidden, &path)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(a: &Value, b: &Value) -> Vec<String> {
        let line = |line: &DiffLine| match line {
            DiffLine::Same { number, text } => format!("{number}   {text}"),
            DiffLine::Removed { number, text } => format!("{number} - {text}"),
            DiffLine::Added { number, text } => format!("{number} + {text}"),
            DiffLine::Fold(text) => text.clone(),
        };
        compare(a, b).lines.iter().map(line).collect()
    }

    fn pod(ready: bool, state: Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": "1", "b": "2", "c": "3"}},
            "status": {"containerStatuses": [
                {"name": "app", "ready": ready, "restartCount": 8, "state": state, "z": 1, "zz": 2, "zzz": 3}]}})
    }

    #[test]
    fn what_differs_stands_between_a_few_lines_that_do_not() {
        let a = pod(true, json!({"running": {"startedAt": "x"}}));
        let b = pod(false, json!({"waiting": {"reason": "CrashLoopBackOff"}}));
        assert_eq!(
            said(&a, &b),
            [
                "… 8 lines, status",
                "9     containerStatuses:",
                "10     - name: app",
                "11 -     ready: true",
                "11 +     ready: false",
                "12       restartCount: 8",
                "13       state:",
                "14 -       running:",
                "15 -         startedAt: x",
                "14 +       waiting:",
                "15 +         reason: CrashLoopBackOff",
                "16       z: 1",
                "17       zz: 2",
                "… 1 line",
            ]
        );
        assert_eq!(compare(&a, &b).fields, 3);
        assert_eq!(compare(&a, &a), Comparison::default());
    }

    #[test]
    fn another_resource_version_alone_is_no_difference() {
        let of = |version: &str| json!({"kind": "Pod", "metadata": {"resourceVersion": version}});
        assert_eq!(compare(&of("1"), &of("2")), Comparison::default());
    }

    #[test]
    fn a_comparison_that_would_take_too_long_is_told_as_a_whole() {
        let object = |salt: u32| {
            let members = (0..4_000).map(|n| (format!("k{n}-{salt}"), json!(n)));
            Value::Object(members.collect())
        };
        let lines = compare(&object(1), &object(2)).lines;
        assert_eq!(lines.len(), COMPARE_LINES_MAX + 1);
        assert!(matches!(lines.last(), Some(DiffLine::Fold(_))));
    }
}
