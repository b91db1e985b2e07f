//! The entries of several answers, of one cluster each, in the order of their times until all have told what was there already;
//! later as they come. Pure.

use std::collections::VecDeque;

use shared::frame::client::LogTime;
use shared::frame::server::LogEntry;

use crate::limits::LOGS_COMMAND_WAITING_BYTES_MAX;

/// What was told and can't be printed yet, because an earlier line may come from another cluster.
#[derive(Debug, Default)]
pub(super) struct Merge {
    answers: Vec<Answer>,
    bytes: usize,
    overrun: Overrun,
}

#[derive(Debug, Default)]
struct Answer {
    waiting: VecDeque<(LogTime, LogEntry)>,
    /// An entry without a time of its own stands behind the one before it.
    latest: LogTime,
    /// All that was there has come, or nothing comes.
    is_told: bool,
}

/// More waits than is held, so that lines are given out of their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Overrun {
    #[default]
    No,
    Unsaid,
    Said,
}

impl Merge {
    /// Adds an answer. Its number is how many answers there were before.
    pub(super) fn add(&mut self) {
        self.answers.push(Answer::default());
    }

    pub(super) fn push(&mut self, answer: usize, entry: LogEntry) {
        let Some(of) = self.answers.get_mut(answer) else { return };
        // The time of a mark is of another clock than those of the lines.
        if let Some(at) = entry.at.filter(|_| entry.text.is_some()) {
            of.latest = of.latest.max(at);
        }
        self.bytes += bytes(&entry);
        of.waiting.push_back((of.latest, entry));
    }

    /// No more of what was there already comes of this answer.
    pub(super) fn told(&mut self, answer: usize) {
        if let Some(of) = self.answers.get_mut(answer) {
            of.is_told = true;
        }
    }

    /// What waits is told once more, or isn't wanted.
    pub(super) fn forget(&mut self, answer: usize) {
        let Some(of) = self.answers.get_mut(answer) else { return };
        self.bytes -= of.waiting.iter().map(|(_, entry)| bytes(entry)).sum::<usize>();
        of.waiting.clear();
    }

    pub(super) fn has(&self, answer: usize) -> bool {
        self.answers.get(answer).is_some_and(|of| !of.waiting.is_empty())
    }

    /// The next entry, and the answer that it is of. `None`: nothing may be given yet.
    pub(super) fn next(&mut self) -> Option<(usize, LogEntry)> {
        let must_wait = self.answers.iter().any(|of| !of.is_told && of.waiting.is_empty());
        if must_wait && self.bytes <= LOGS_COMMAND_WAITING_BYTES_MAX {
            return None;
        }
        let firsts = self.answers.iter().enumerate();
        let firsts = firsts.filter_map(|(at, of)| Some((at, of.waiting.front()?.0)));
        // Where times are equal, the entry of the lower answer comes first.
        let (at, _) = firsts.min_by_key(|(_, time)| *time)?;
        let (_, entry) = self.answers.get_mut(at)?.waiting.pop_front()?;
        self.bytes -= bytes(&entry);
        if must_wait && self.overrun == Overrun::No {
            self.overrun = Overrun::Unsaid;
        }
        Some((at, entry))
    }

    /// Whether lines were given out of their order, which is told once.
    pub(super) fn take_overrun(&mut self) -> bool {
        let is_unsaid = self.overrun == Overrun::Unsaid;
        if is_unsaid {
            self.overrun = Overrun::Said;
        }
        is_unsaid
    }
}

fn bytes(entry: &LogEntry) -> usize {
    size_of::<LogEntry>() + entry.text.as_ref().map_or(0, |text| text.len())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn merge(answers: usize) -> Merge {
        let mut merge = Merge::default();
        (0..answers).for_each(|_| merge.add());
        merge
    }

    fn push(merge: &mut Merge, answer: usize, entries: &Value) {
        for entry in entries.as_array().expect("a list") {
            merge.push(answer, serde_json::from_value(entry.clone()).expect("an entry"));
        }
    }

    fn line(ms: i64, text: &str) -> Value {
        json!({"n": 0, "at": [ms, 0], "text": text})
    }

    fn given(merge: &mut Merge) -> Vec<String> {
        let entries = std::iter::from_fn(|| merge.next());
        entries.map(|(at, entry)| format!("{at}{}", entry.text.as_deref().unwrap_or("<mark>"))).collect()
    }

    #[test]
    fn an_answer_alone_waits_for_nothing() {
        let mut merge = merge(1);
        push(&mut merge, 0, &json!([line(20, "b"), line(10, "a")]));
        assert_eq!(given(&mut merge), ["0b", "0a"]);
    }

    #[test]
    fn what_was_there_comes_in_the_order_of_its_times_and_what_is_new_as_it_comes() {
        let mut merge = merge(2);
        push(
            &mut merge,
            0,
            &json!([line(10, "a"), line(30, "c"), {"n": 0, "at": [99, 0], "mark": "restarted"}, {"n": 0, "text": "d"}]),
        );
        assert!(given(&mut merge).is_empty(), "the other one may have an earlier line");
        push(&mut merge, 1, &json!([line(20, "b"), line(30, "c")]));
        assert_eq!(given(&mut merge), ["0a", "1b", "0c", "0<mark>", "0d"], "one of the first may come");
        push(&mut merge, 0, &json!([line(60, "f")]));
        assert_eq!(given(&mut merge), ["1c"]);
        merge.told(1);
        assert_eq!(given(&mut merge), ["0f"], "the other one has told all");
        merge.told(0);
        push(&mut merge, 1, &json!([line(50, "e")]));
        assert_eq!(given(&mut merge), ["1e"]);
        assert!(!merge.take_overrun() && merge.bytes == 0);
    }

    #[test]
    fn what_is_told_once_more_is_forgotten() {
        let mut merge = merge(2);
        push(&mut merge, 0, &json!([line(10, "a")]));
        assert!(merge.has(0) && !merge.has(1));
        merge.forget(0);
        merge.told(1);
        assert!(given(&mut merge).is_empty() && merge.bytes == 0);
        push(&mut merge, 0, &json!([line(10, "a")]));
        assert_eq!(given(&mut merge), ["0a"]);
    }

    #[test]
    fn a_cluster_that_tells_nothing_holds_up_no_more_than_there_is_room_for() {
        let mut merge = merge(2);
        let long = "x".repeat(60_000);
        for ms in 0..600 {
            push(&mut merge, 0, &json!([line(ms, &long)]));
            while merge.next().is_some() {}
            assert!(merge.bytes <= LOGS_COMMAND_WAITING_BYTES_MAX);
        }
        assert!(merge.take_overrun() && !merge.take_overrun(), "said once");
        assert!(merge.bytes > LOGS_COMMAND_WAITING_BYTES_MAX / 2);
    }
}
