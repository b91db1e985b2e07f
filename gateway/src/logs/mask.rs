//! The bytes of a log on their way to a client of Kubernetes, masked line by line. What has no masks passes as it came, to
//! the byte. Pure.

use super::limits::LINE_BYTES_MAX;
use crate::feed::{Redaction, masked_line};

/// Holds back the beginning of a line until its end is there.
#[derive(Debug)]
pub struct LineMasks {
    namespace: Box<str>,
    /// Whether each line begins with its time.
    with_times: bool,
    held: Vec<u8>,
}

impl LineMasks {
    pub fn new(namespace: &str, with_times: bool) -> Self {
        Self { namespace: namespace.into(), with_times, held: Vec::new() }
    }

    /// The whole lines that are there, masked. A line that is too long comes in pieces.
    pub fn push(&mut self, bytes: &[u8], redaction: &Redaction) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            self.held.extend_from_slice(line);
            self.write_held(redaction, &mut out);
            out.push(b'\n');
            rest = after.get(1..).unwrap_or_default();
        }
        self.held.extend_from_slice(rest);
        if self.held.len() > LINE_BYTES_MAX {
            self.write_held(redaction, &mut out);
        }
        out
    }

    /// What is left at the end of the log: a last line without an end.
    pub fn finish(&mut self, redaction: &Redaction) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_held(redaction, &mut out);
        out
    }

    fn write_held(&mut self, redaction: &Redaction, out: &mut Vec<u8>) {
        let line = std::mem::take(&mut self.held);
        let text_at = match memchr::memchr(b' ', &line) {
            Some(blank) if self.with_times => blank + 1,
            _ => 0,
        };
        let (time, text) = line.split_at(text_at);
        out.extend_from_slice(time);
        out.extend_from_slice(&masked_line(redaction, &self.namespace, text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of a log that arrives in pieces of a length.
    fn masked(log: &[u8], with_times: bool, piece: usize) -> Vec<u8> {
        let redaction = Redaction::default();
        let mut masks = LineMasks::new("shop", with_times);
        let mut out: Vec<u8> = log.chunks(piece).flat_map(|bytes| masks.push(bytes, &redaction)).collect();
        out.extend(masks.finish(&redaction));
        out
    }

    #[test]
    fn a_log_without_secrets_is_the_same_to_the_byte_wherever_it_is_cut() {
        let mut log = b"first\n\n\x1b[32mgreen\x1b[0m\r\n\xff\xfe\nlast without an end".to_vec();
        for piece in 1..=log.len() {
            assert_eq!(masked(&log, false, piece), log, "{piece}");
            assert_eq!(masked(&log, true, piece), log, "{piece}");
        }
        log.extend(vec![b'x'; 3 * LINE_BYTES_MAX]);
        log.extend(b"\nend\n");
        assert_eq!(masked(&log, false, 4_096), log);
    }

    #[test]
    fn r_data_1_a_secret_is_masked_wherever_the_log_is_cut() {
        let log = b"2026-01-02T03:04:05.000000000Z {\"env\":{\"X\":\"hunter2\"}}\n2026-01-02T03:04:05.000000000Z token=hunter2 ok\npassword=hunter2";
        let expected = "2026-01-02T03:04:05.000000000Z {\"env\":{\"X\":\"••••••••\"}}\n2026-01-02T03:04:05.000000000Z token=•••••••• ok\npassword=••••••••";
        for piece in 1..=log.len() {
            assert_eq!(String::from_utf8_lossy(&masked(log, true, piece)), expected, "{piece}");
        }
    }
}
