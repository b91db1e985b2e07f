//! The newest entries of a log, for readers that come late or stand behind. A reader is a position, not a queue. Pure.

use std::collections::VecDeque;
use std::sync::Arc;

use super::machine::{LogEntry, LogMark};
use super::told::{Passed, Skip, Told};
use crate::limits::LOG_TAIL_LINES;

/// What an entry takes besides its text.
const ENTRY_BYTES: usize = 64;

/// Entries in their order. Each has a number, which counts from 0.
#[derive(Debug, Default)]
pub struct KeptLog {
    entries: VecDeque<Arc<LogEntry>>,
    /// The number of the first of them.
    first: u64,
    bytes: usize,
}

/// Which of the lines that are there already a reader wants, of the container's present run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Only what follows that.
    pub told: Option<Told>,
    /// The last lines alone.
    pub tail: Option<u64>,
}

/// What a reader gets at once.
#[derive(Debug, Default, PartialEq)]
pub struct LogPart {
    /// Entries that weren't kept until the reader came to them.
    pub skipped: u64,
    pub entries: Vec<Arc<LogEntry>>,
}

impl KeptLog {
    /// The oldest entries make room. The newest one always stays.
    pub fn push(&mut self, entry: LogEntry, bytes_max: usize) {
        self.bytes += bytes_of(&entry);
        self.entries.push_back(Arc::new(entry));
        while self.bytes > bytes_max && self.entries.len() > 1 {
            self.drop_first();
        }
    }

    /// Drops all that is there: a reader that hasn't read it is told how many entries that were.
    pub fn clear(&mut self) {
        while !self.entries.is_empty() {
            self.drop_first();
        }
    }

    /// The next entries after a position, which moves behind them. `bytes_max` cuts them off, but never before the first.
    pub fn read(&self, position: &mut u64, (entries_max, bytes_max): (usize, usize)) -> LogPart {
        let skipped = self.first.saturating_sub(*position);
        *position = (*position).max(self.first);
        let from = usize::try_from(*position - self.first).unwrap_or(usize::MAX);
        let mut bytes = 0;
        let fits = |entry: &&Arc<LogEntry>| {
            let is_first = bytes == 0;
            bytes += bytes_of(entry);
            is_first || bytes <= bytes_max
        };
        let entries: Vec<_> =
            self.entries.iter().skip(from).take(entries_max).take_while(fits).cloned().collect();
        *position += u64::try_from(entries.len()).unwrap_or_default();
        LogPart { skipped, entries }
    }

    /// What is wanted of the present run, and the position behind all that is there. `None`: it isn't known whether all that
    /// is wanted is here.
    pub fn wanted(&self, wanted: Wanted) -> Option<(Vec<Arc<LogEntry>>, u64)> {
        let is_restart = |entry: &Arc<LogEntry>| matches!(**entry, LogEntry::Mark(LogMark::Restarted { .. }));
        let restart = self.entries.iter().rposition(is_restart);
        let of_run = || self.entries.iter().skip(restart.map_or(0, |at| at + 1));
        let mut skip = Skip::of(wanted.told);
        let rest: Vec<&Arc<LogEntry>> = of_run()
            .filter(|entry| match &***entry {
                LogEntry::Line(line) => skip.pass(line.at_ns) != Passed::Again,
                LogEntry::Mark(_) => skip.is_at_end(),
            })
            .collect();
        let begins_earlier = wanted.told.is_some_and(|told| self.begins_before(told.at_ns) == Some(true));
        let is_whole = restart.is_some() || begins_earlier || self.is_whole();
        let is_line_at = |(at, entry): (usize, &&Arc<LogEntry>)| is_line(entry).then_some(at);
        let lines: Vec<usize> = rest.iter().enumerate().filter_map(is_line_at).collect();
        let tail = wanted.tail.map(|tail| usize::try_from(tail).unwrap_or(usize::MAX));
        let begin = match tail {
            Some(0) if self.entries.iter().any(is_line) => rest.len(),
            Some(tail) if (1..=lines.len()).contains(&tail) => lines.get(lines.len() - tail).copied()?,
            _ if is_whole => 0,
            _ => return None,
        };
        let end = self.first + u64::try_from(self.entries.len()).unwrap_or_default();
        Some((rest.into_iter().skip(begin).cloned().collect(), end))
    }

    /// Whether a line before that time is here, so that all that follows is. `None`: there is no line yet.
    pub fn begins_before(&self, at_ns: i128) -> Option<bool> {
        self.entries.iter().find_map(|entry| match &**entry {
            LogEntry::Line(line) => Some(line.at_ns? < at_ns),
            LogEntry::Mark(_) => None,
        })
    }

    /// Whether all is here that was written since that time, with the lines of that time. `None`: there is no line yet.
    pub fn covers(&self, at_ns: i128) -> Option<bool> {
        self.begins_before(at_ns).map(|begins_before| begins_before || self.is_whole())
    }

    /// Whether nothing was given up, and the first answer wasn't cut at its number of lines.
    fn is_whole(&self) -> bool {
        let lines = self.entries.iter().filter(|entry| is_line(entry)).count();
        self.first == 0 && (1..LOG_TAIL_LINES).contains(&u64::try_from(lines).unwrap_or(u64::MAX))
    }

    fn drop_first(&mut self) {
        if let Some(first) = self.entries.pop_front() {
            self.bytes = self.bytes.saturating_sub(bytes_of(&first));
            self.first += 1;
        }
    }
}

fn is_line(entry: &Arc<LogEntry>) -> bool {
    matches!(**entry, LogEntry::Line(_))
}

fn bytes_of(entry: &LogEntry) -> usize {
    ENTRY_BYTES
        + match entry {
            LogEntry::Line(line) => line.text.len(),
            LogEntry::Mark(_) => 0,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logs::line::LogLine;

    fn line(text: &str) -> LogEntry {
        LogEntry::Line(LogLine { at_ns: None, text: text.into(), cut_bytes: 0 })
    }

    fn read(kept: &KeptLog, position: &mut u64, entries_max: usize) -> (u64, String) {
        let part = kept.read(position, (entries_max, usize::MAX));
        let text = |entry: &Arc<LogEntry>| match &**entry {
            LogEntry::Line(line) => line.text.to_string(),
            LogEntry::Mark(mark) => format!("{mark:?}"),
        };
        (part.skipped, part.entries.iter().map(text).collect::<Vec<_>>().join(" "))
    }

    fn at(at_ns: i128) -> LogEntry {
        LogEntry::Line(LogLine { at_ns: Some(at_ns), text: at_ns.to_string().into(), cut_bytes: 0 })
    }

    /// The texts of what is wanted; `None`: older lines are needed.
    fn wanted(kept: &KeptLog, told: Option<Told>, tail: Option<u64>) -> Option<String> {
        let (entries, _) = kept.wanted(Wanted { told, tail })?;
        let text = |entry: &Arc<LogEntry>| match &**entry {
            LogEntry::Line(line) => line.text.to_string(),
            LogEntry::Mark(_) => "mark".to_owned(),
        };
        Some(entries.iter().map(text).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn what_is_kept_answers_a_late_reader_if_all_that_is_wanted_is_there() {
        let mut kept = KeptLog::default();
        assert_eq!(wanted(&kept, None, Some(0)), None, "where the log stands isn't known");
        for entry in [at(3), at(4), LogEntry::Mark(LogMark::MayMiss), at(5)] {
            kept.push(entry, usize::MAX);
        }
        let since = |at_ns| Some(Told::nothing_before(at_ns));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(wanted(&kept, None, None), some("3 4 mark 5"), "it is the whole log");
        kept.first = 1;
        assert_eq!(wanted(&kept, None, None), None);
        assert_eq!(wanted(&kept, None, Some(0)), some(""));
        assert_eq!(wanted(&kept, None, Some(1)), some("5"));
        assert_eq!(wanted(&kept, None, Some(2)), some("4 mark 5"));
        assert_eq!(wanted(&kept, None, Some(4)), None);
        assert_eq!(wanted(&kept, since(4), None), some("4 mark 5"));
        assert_eq!(wanted(&kept, since(4), Some(1)), some("5"));
        assert_eq!(wanted(&kept, since(4), Some(9)), some("4 mark 5"));
        assert_eq!(wanted(&kept, since(3), None), None, "another line may have that time");
        assert_eq!(wanted(&kept, Some(Told { at_ns: 4, lines: 1, late: 0 }), None), some("mark 5"));
        kept.push(LogEntry::Mark(LogMark::Restarted { exit_code: Some(1), at_s: None }), usize::MAX);
        kept.push(at(9), usize::MAX);
        assert_eq!(wanted(&kept, None, None), some("9"), "the present run is there as a whole");
        assert_eq!(wanted(&kept, None, Some(9)), some("9"));
    }

    #[test]
    fn a_reader_gets_so_many_bytes_and_always_one_entry() {
        let mut kept = KeptLog::default();
        for text in ["a", "b", "c"] {
            kept.push(line(text), usize::MAX);
        }
        let read = |position: &mut u64, bytes_max: usize| kept.read(position, (9, bytes_max)).entries.len();
        assert_eq!(read(&mut 0, 1), 1);
        assert_eq!(read(&mut 0, 2 * (ENTRY_BYTES + 1)), 2);
        assert_eq!(read(&mut 1, usize::MAX), 2);
    }

    #[test]
    fn readers_stand_where_they_are_and_are_told_what_they_missed() {
        let room = 3 * (ENTRY_BYTES + 1);
        let mut kept = KeptLog::default();
        let (mut early, mut slow, mut late) = (0, 0, 0);
        for text in ["a", "b", "c"] {
            kept.push(line(text), room);
        }
        assert_eq!(read(&kept, &mut early, 2), (0, "a b".to_owned()));
        assert_eq!(read(&kept, &mut slow, 1), (0, "a".to_owned()));
        for text in ["d", "e"] {
            kept.push(line(text), room);
        }
        assert_eq!(read(&kept, &mut early, 9), (0, "c d e".to_owned()));
        assert_eq!(read(&kept, &mut slow, 9), (1, "c d e".to_owned()), "b is gone");
        assert_eq!(read(&kept, &mut late, 9), (2, "c d e".to_owned()));
        assert_eq!(read(&kept, &mut late, 9), (0, String::new()));
        kept.push(line(&"x".repeat(room)), room);
        assert_eq!(kept.entries.len(), 1, "one that is larger than the room has it alone");
        assert_eq!(read(&kept, &mut early, 9).0, 0);
        kept.push(line("f"), room);
        kept.clear();
        assert_eq!((read(&kept, &mut early, 9), kept.bytes), ((1, String::new()), 0));
    }
}
