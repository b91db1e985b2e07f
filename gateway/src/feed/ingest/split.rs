//! Splits a stream into JSON values, wherever the bytes were cut. It knows strings, escapes and depth, and
//! nothing else of JSON. An API server writes each value on a line of its own, and the end of a line is found
//! without reading the value.

use bytes::{Buf, Bytes, BytesMut};
use memchr::{memchr, memchr3};

use crate::limits;

/// A part of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// One object, from `{` to `}`.
    Value(Bytes),
    /// The beginning of a value that is over the bound. The stream goes on after it.
    TooLarge { head: Bytes },
    /// It isn't a JSON object, so nothing after it can be read.
    Garbage,
}

/// Takes chunks of bytes and gives whole JSON values. It keeps the bytes of the unfinished value, up to a bound.
pub(super) struct Splitter {
    /// The last chunk while nothing is pending: whole lines of it are given as slices, and only what is left is copied.
    fresh: Bytes,
    pending: BytesMut,
    /// The most that `pending` held since its memory was allocated.
    grown_to: usize,
    /// How much of `pending` was scanned.
    scanned: usize,
    place: Place,
    lines: Lines,
    value_bytes_max: usize,
    /// The beginning of a value that is too large, while the rest of it goes by.
    oversized: Option<Bytes>,
}

/// Whether values stand on lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    Unknown,
    /// One value stood on a line, so the next value is read when its line has ended.
    Met,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Between,
    Inside {
        depth: u32,
    },
    String {
        depth: u32,
    },
    /// After a backslash.
    Escape {
        depth: u32,
    },
    Lost,
}

impl Default for Splitter {
    fn default() -> Self {
        Self::with_bound(limits::UPSTREAM_VALUE_BYTES_MAX)
    }
}

impl Splitter {
    fn with_bound(value_bytes_max: usize) -> Self {
        Self {
            fresh: Bytes::new(),
            pending: BytesMut::new(),
            grown_to: 0,
            scanned: 0,
            place: Place::Between,
            lines: Lines::Unknown,
            value_bytes_max,
            oversized: None,
        }
    }

    pub(super) fn push(&mut self, chunk: Bytes) {
        self.copy_fresh();
        self.fresh = chunk;
    }

    fn copy_fresh(&mut self) {
        self.pending.extend_from_slice(&std::mem::take(&mut self.fresh));
        self.grown_to = self.grown_to.max(self.pending.len());
    }

    /// Gives back the memory that a large value needed, once it has gone by. Otherwise a watch would keep it to its end.
    pub(super) fn give_back(&mut self) {
        if self.grown_to > limits::UPSTREAM_BUFFER_BYTES_MAX
            && self.pending.len() <= limits::UPSTREAM_BUFFER_BYTES_MAX
        {
            self.pending = BytesMut::from(&*self.pending);
            self.grown_to = self.pending.len();
        }
    }

    /// The next line, which mostly is one value. The caller puts it back if it can't be read as one.
    pub(super) fn next_line(&mut self) -> Option<Bytes> {
        if self.lines == Lines::Not || self.place != Place::Between {
            return None;
        }
        if let Some(line) = self.fresh_line() {
            return Some(line);
        }
        self.copy_fresh();
        let blank = self.pending.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.pending.advance(blank);
        self.scanned = self.scanned.saturating_sub(blank);
        let rest = self.pending.get(self.scanned..).filter(|_| self.pending.starts_with(b"{"))?;
        let Some(end) = memchr(b'\n', rest).map(|place| self.scanned + place) else {
            let waits = self.lines == Lines::Met && self.pending.len() <= self.value_bytes_max;
            self.scanned = if waits { self.pending.len() } else { 0 };
            return None;
        };
        self.scanned = 0;
        if end > self.value_bytes_max {
            return None;
        }
        self.lines = Lines::Met;
        Some(self.pending.split_to(end + 1).freeze())
    }

    fn fresh_line(&mut self) -> Option<Bytes> {
        if !self.pending.is_empty() || !self.fresh.starts_with(b"{") {
            return None;
        }
        let end = memchr(b'\n', &self.fresh).filter(|end| *end <= self.value_bytes_max)?;
        self.lines = Lines::Met;
        Some(self.fresh.split_to(end + 1))
    }

    pub(super) fn put_back(&mut self, line: &[u8]) {
        self.lines = Lines::Not;
        let rest = std::mem::replace(&mut self.pending, BytesMut::from(line));
        self.pending.extend_from_slice(&rest);
    }

    /// The next whole value; `None` until more has arrived.
    pub(super) fn next_piece(&mut self) -> Option<Piece> {
        self.copy_fresh();
        if self.place == Place::Between && self.scanned > 0 {
            // Its line has no end yet.
            return None;
        }
        loop {
            let rest = self.pending.get(self.scanned..).unwrap_or_default();
            let &first = rest.first()?;
            match self.place {
                Place::Lost => {
                    self.pending.clear();
                    self.scanned = 0;
                    return None;
                }
                Place::Between => match first {
                    b' ' | b'\n' | b'\r' | b'\t' => self.pending.advance(1),
                    b'{' => {
                        self.scanned = 1;
                        self.place = Place::Inside { depth: 1 };
                    }
                    _ => {
                        self.place = Place::Lost;
                        return Some(Piece::Garbage);
                    }
                },
                Place::Inside { depth } => self.inside(depth),
                Place::String { depth } => {
                    self.string(depth);
                    if self.place == Place::Lost {
                        return Some(Piece::Garbage);
                    }
                }
                Place::Escape { depth } => {
                    self.scanned += 1;
                    self.place = Place::String { depth };
                }
            }
            if self.place == Place::Between && self.scanned > 0 {
                return Some(self.take());
            }
            self.bound();
        }
    }

    fn inside(&mut self, mut depth: u32) {
        let rest = self.pending.get(self.scanned..).unwrap_or_default();
        for (place, byte) in rest.iter().enumerate() {
            match byte {
                b'"' => {
                    self.scanned += place + 1;
                    self.place = Place::String { depth };
                    return;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.scanned += place + 1;
                self.place = Place::Between;
                return;
            }
        }
        self.scanned = self.pending.len();
        self.place = Place::Inside { depth };
    }

    /// No JSON string contains a bare newline, so a value broke off there and another began. Without
    /// this, everything that follows would be taken for its continuation.
    fn string(&mut self, depth: u32) {
        let rest = self.pending.get(self.scanned..).unwrap_or_default();
        let Some(place) = memchr3(b'"', b'\\', b'\n', rest) else {
            self.scanned = self.pending.len();
            return;
        };
        let met = rest.get(place).copied();
        self.scanned += place + 1;
        self.place = match met {
            Some(b'"') => Place::Inside { depth },
            Some(b'\\') => Place::Escape { depth },
            _ => Place::Lost,
        };
    }

    fn take(&mut self) -> Piece {
        let value = self.pending.split_to(self.scanned).freeze();
        self.scanned = 0;
        match self.oversized.take() {
            Some(head) => Piece::TooLarge { head },
            None if value.len() > self.value_bytes_max => {
                Piece::TooLarge { head: value.slice(..value.len().min(limits::UPSTREAM_HEAD_BYTES_MAX)) }
            }
            None => Piece::Value(value),
        }
    }

    /// Keeps the memory of a value that doesn't end within bounds.
    fn bound(&mut self) {
        if self.oversized.is_none() && self.scanned > self.value_bytes_max {
            let head = self.scanned.min(limits::UPSTREAM_HEAD_BYTES_MAX);
            self.oversized = self.pending.get(..head).map(Bytes::copy_from_slice);
        }
        if self.oversized.is_some() {
            self.pending.advance(self.scanned);
            self.scanned = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pieces(splitter: &mut Splitter, chunks: &[&[u8]]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for chunk in chunks {
            splitter.push(Bytes::copy_from_slice(chunk));
            while let Some(piece) = next(splitter) {
                pieces.push(piece);
            }
            splitter.give_back();
        }
        pieces
    }

    /// The next value, read as the decoder reads it.
    fn next(splitter: &mut Splitter) -> Option<Piece> {
        if let Some(line) = splitter.next_line() {
            if serde_json::from_slice::<serde_json::Value>(&line).is_ok() {
                return Some(Piece::Value(line.slice_ref(line.trim_ascii_end())));
            }
            splitter.put_back(&line);
        }
        splitter.next_piece()
    }

    fn value(text: &str) -> Piece {
        Piece::Value(Bytes::copy_from_slice(text.as_bytes()))
    }

    #[test]
    fn a_stream_is_cut_into_values_whether_they_stand_on_lines_or_not() {
        let check = |text: &str, expected: &[Piece]| {
            let mut splitter = Splitter::default();
            assert_eq!(pieces(&mut splitter, &[text.as_bytes()]), expected, "{text}");
        };
        check("{\"a\":1}\n{\"b\":[{}]}\n", &[value("{\"a\":1}"), value("{\"b\":[{}]}")]);
        check("{}{}  {}", &[value("{}"), value("{}"), value("{}")]);
        check(r#"{"a":"}\"{\\"}{}"#, &[value(r#"{"a":"}\"{\\"}"#), value("{}")]);
        check("{\n \"a\" : 1\n}\n", &[value("{\n \"a\" : 1\n}")]);
        check("<html>", &[Piece::Garbage]);
        check("{} x {}", &[value("{}"), Piece::Garbage]);
        check("{}{\"a\":\"b\n{}\n", &[value("{}"), Piece::Garbage]);
    }

    #[test]
    fn where_values_stand_on_lines_the_end_of_one_is_waited_for() {
        let mut splitter = Splitter::default();
        assert_eq!(pieces(&mut splitter, &[b"{}\n{\"a\":{}"]), [value("{}")]);
        assert_eq!(splitter.next_piece(), None);
        assert_eq!(pieces(&mut splitter, &[b",\"b\":1}", b"\n"]), [value("{\"a\":{},\"b\":1}")]);
        assert_eq!(pieces(&mut splitter, &[b"{\"a\":\"b\n{}\n"]), [Piece::Garbage]);
    }

    #[test]
    fn a_value_over_the_bound_is_left_out_and_the_stream_goes_on() {
        let large = format!("{{\"name\":\"big\",\"x\":\"{}\"}}", "y".repeat(100));
        for (separator, chunk) in [("", 1), ("", 7), ("", 1000), ("\n", 7), ("\n", 1000)] {
            let text = ["{\"a\":1}", &large, "{\"b\":2}", ""].join(separator);
            let mut splitter = Splitter::with_bound(40);
            let chunks: Vec<&[u8]> = text.as_bytes().chunks(chunk).collect();
            let found = pieces(&mut splitter, &chunks);
            assert_eq!(found.len(), 3, "chunks of {chunk}");
            assert_eq!((&found[0], &found[2]), (&value("{\"a\":1}"), &value("{\"b\":2}")));
            let Piece::TooLarge { head } = &found[1] else { panic!("too large: {:?}", found[1]) };
            assert!(head.starts_with(b"{\"name\":\"big\""));
            assert!(splitter.pending.len() <= 1000, "nothing of it is kept");
        }
    }

    #[test]
    fn what_a_large_value_needed_is_given_back_when_it_has_gone_by() {
        let object = |bytes: usize| format!("{{\"name\":\"big\",\"x\":\"{}\"}}\n", "y".repeat(bytes));
        let (within, beyond) = (object(8 * 1024 * 1024), object(50 * 1024 * 1024));
        let mut splitter = Splitter::default();
        for large in [&within, &beyond, &within] {
            let chunks: Vec<&[u8]> = large.as_bytes().chunks(64 * 1024).collect();
            let found = pieces(&mut splitter, &chunks);
            let is_within = large.len() < limits::UPSTREAM_VALUE_BYTES_MAX;
            match found.as_slice() {
                [Piece::Value(_)] if is_within => {}
                [Piece::TooLarge { head }] if !is_within => assert!(head.starts_with(b"{\"name\":\"big\"")),
                other => panic!("{} pieces of {}", other.len(), large.len()),
            }
            assert_eq!(pieces(&mut splitter, &[b"{}\n{"]), [value("{}")]);
            assert_eq!(pieces(&mut splitter, &[b"}\n"]), [value("{}")]);
            let kept = splitter.pending.capacity();
            assert!(kept <= limits::UPSTREAM_BUFFER_BYTES_MAX, "{kept} after {}", large.len());
        }
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<i32>().prop_map(Into::into),
            ".{0,12}".prop_map(Into::into),
            "[\\\\\"{}\\[\\]ü€🐕]{0,8}".prop_map(Into::into),
        ];
        let inner = leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
                prop::collection::btree_map(".{0,6}", inner, 0..4)
                    .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        });
        prop::collection::btree_map(".{0,6}", inner, 0..4)
            .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into())
    }

    proptest! {
        #[test]
        fn any_chunk_boundary_gives_the_same_values(
            values in prop::collection::vec(json(), 0..6),
            separator in prop::sample::select(vec!["", "\n", " \r\n\t"]),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
            let stream = texts.iter().map(|text| format!("{text}{separator}")).collect::<String>().into_bytes();
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
            places.extend([0, stream.len()]);
            places.sort_unstable();
            let chunks: Vec<&[u8]> = places.windows(2).map(|pair| &stream[pair[0]..pair[1]]).collect();
            let mut splitter = Splitter::default();
            let found = pieces(&mut splitter, &chunks);
            let expected: Vec<Piece> = texts.iter().map(|text| value(text)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
