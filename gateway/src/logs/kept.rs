//! The newest entries of a log, for readers that come late or stand behind. A reader is a position, not a queue. Pure.

use std::collections::VecDeque;
use std::sync::Arc;

use super::machine::LogEntry;

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

    /// The next entries after a position, which moves behind them.
    pub fn read(&self, position: &mut u64, entries_max: usize) -> LogPart {
        let skipped = self.first.saturating_sub(*position);
        *position = (*position).max(self.first);
        let from = usize::try_from(*position - self.first).unwrap_or(usize::MAX);
        let entries: Vec<_> = self.entries.iter().skip(from).take(entries_max).cloned().collect();
        *position += u64::try_from(entries.len()).unwrap_or_default();
        LogPart { skipped, entries }
    }

    fn drop_first(&mut self) {
        if let Some(first) = self.entries.pop_front() {
            self.bytes = self.bytes.saturating_sub(bytes_of(&first));
            self.first += 1;
        }
    }
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
        let part = kept.read(position, entries_max);
        let text = |entry: &Arc<LogEntry>| match &**entry {
            LogEntry::Line(line) => line.text.to_string(),
            LogEntry::Mark(mark) => format!("{mark:?}"),
        };
        (part.skipped, part.entries.iter().map(text).collect::<Vec<_>>().join(" "))
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
