//! From the bytes of a log to its lines, with their times. Pure.

use jiff::Timestamp;

use super::limits::LINE_BYTES_MAX;

/// A line of a container's log, as it is shown: bytes that are no text are replaced, and control characters stay in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// When the container's runtime took it, since 1970. `None`: the line has no time that can be read.
    pub at_ns: Option<i128>,
    pub text: Box<str>,
    /// Bytes that were cut off its end.
    pub cut_bytes: u64,
}

/// The longest time before a line, with its blank: `2026-01-02T03:04:05.000000000+00:00 `.
const TIME_BYTES_MAX: usize = 36;

/// Splits a log at its line breaks. Never more than one line is held.
#[derive(Debug, Default)]
pub struct LineSplitter {
    held: Vec<u8>,
    cut_bytes: u64,
}

impl LineSplitter {
    /// The lines that have ended.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<LogLine> {
        let mut lines = Vec::new();
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            self.hold(line);
            lines.push(self.take());
            rest = after.get(1..).unwrap_or_default();
        }
        self.hold(rest);
        lines
    }

    /// What stands behind the last line break, if there is anything.
    pub fn finish(&mut self) -> Option<LogLine> {
        (!self.held.is_empty()).then(|| self.take())
    }

    /// The log broke off within a line, which comes again as a whole.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    fn hold(&mut self, bytes: &[u8]) {
        let room = (LINE_BYTES_MAX + TIME_BYTES_MAX).saturating_sub(self.held.len());
        let (kept, cut) = bytes.split_at(room.min(bytes.len()));
        self.held.extend_from_slice(kept);
        self.cut_bytes += u64::try_from(cut.len()).unwrap_or(u64::MAX);
    }

    fn take(&mut self) -> LogLine {
        let Self { held, mut cut_bytes } = std::mem::take(self);
        let time = memchr::memchr(b' ', held.get(..TIME_BYTES_MAX).unwrap_or(&held)).and_then(|blank| {
            let time: Timestamp = str::from_utf8(held.get(..blank)?).ok()?.parse().ok()?;
            Some((time.as_nanosecond(), held.get(blank + 1..)?))
        });
        let (at_ns, bytes) = match time {
            Some((at_ns, text)) => (Some(at_ns), text),
            None => (None, held.as_slice()),
        };
        let (kept, cut) = bytes.split_at(LINE_BYTES_MAX.min(bytes.len()));
        cut_bytes += u64::try_from(cut.len()).unwrap_or(u64::MAX);
        LogLine { at_ns, text: String::from_utf8_lossy(kept).into(), cut_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(log: &[u8], piece: usize) -> Vec<LogLine> {
        let mut splitter = LineSplitter::default();
        let mut lines: Vec<LogLine> = log.chunks(piece).flat_map(|bytes| splitter.push(bytes)).collect();
        lines.extend(splitter.finish());
        lines
    }

    #[test]
    fn r_log_2_a_line_is_text_whatever_it_was() {
        const AT: i128 = 1_767_323_045_000_000_007;
        let long = "x".repeat(LINE_BYTES_MAX + 5);
        let long_line = format!("2026-01-02T03:04:05.000000007Z {long}");
        for (log, expected) in [
            (&b"2026-01-02T03:04:05.000000007Z hello world"[..], (Some(AT), "hello world", 0)),
            (b"2026-01-02T03:04:05.000000007Z ", (Some(AT), "", 0)),
            (b"2026-01-02T04:04:05.000000007+01:00 zone", (Some(AT), "zone", 0)),
            (b"no time here", (None, "no time here", 0)),
            (b"2026-13-45T03:04:05Z x", (None, "2026-13-45T03:04:05Z x", 0)),
            (
                b"2026-01-02T03:04:05.000000007Z \x1b[31mred\x1b[0m\r",
                (Some(AT), "\u{1b}[31mred\u{1b}[0m\r", 0),
            ),
            (b"2026-01-02T03:04:05.000000007Z a\xff\x00b\xe2\x80\xae", (Some(AT), "a\u{fffd}\0b\u{202e}", 0)),
            (long_line.as_bytes(), (Some(AT), &long[..LINE_BYTES_MAX], 5)),
        ] {
            for piece in [1, 7, 4_096, log.len()] {
                let lines = split(log, piece);
                let told: Vec<_> =
                    lines.iter().map(|line| (line.at_ns, &*line.text, line.cut_bytes)).collect();
                assert_eq!(told, [expected], "in pieces of {piece}");
            }
        }
        let lines = split(b"\na\n\nb\n", 2);
        assert_eq!(lines.iter().map(|line| &*line.text).collect::<Vec<_>>(), ["", "a", "", "b"]);
    }

    #[test]
    fn r_log_2_an_endless_line_takes_the_room_of_one() {
        let mut splitter = LineSplitter::default();
        for _ in 0..1_000 {
            assert!(splitter.push(&[b'x'; 16 * 1024]).is_empty());
            assert!(splitter.held.len() <= LINE_BYTES_MAX + TIME_BYTES_MAX);
        }
        let lines = splitter.push(b"\nnext\n");
        assert_eq!(lines.iter().map(|line| line.text.len()).collect::<Vec<_>>(), [LINE_BYTES_MAX, 4]);
        assert_eq!(lines[0].cut_bytes, 1_000 * 16 * 1024 - LINE_BYTES_MAX as u64);
        assert_eq!(lines[1].cut_bytes, 0);
    }
}
