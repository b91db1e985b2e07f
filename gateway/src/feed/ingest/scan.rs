//! Moves over JSON text from value to value without reading what it skips. Never changes anything.

use std::ops::Range;

use memchr::memchr2;

/// A place in JSON text.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a> {
    pub(super) input: &'a [u8],
    pub(super) at: usize,
    /// Whether the last text that was skipped has escapes.
    pub(super) is_escaped: bool,
}

impl<'a> Scan<'a> {
    pub(super) fn slice(&self, range: Range<usize>) -> &'a [u8] {
        self.input.get(range).unwrap_or_default()
    }

    /// Skips white space.
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.input.get(self.at)? {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                byte => return Some(*byte),
            }
        }
    }

    pub(super) fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    pub(super) fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0_u32;
        loop {
            match self.peek()? {
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => self.at += 1,
                _ => {
                    self.skip_scalar()?;
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// A string with its quotes, a number or a word.
    pub(super) fn skip_scalar(&mut self) -> Option<Range<usize>> {
        let first = self.peek()?;
        let start = self.at;
        self.at += 1;
        if first != b'"' {
            while self
                .input
                .get(self.at)
                .is_some_and(|b| !matches!(b, b',' | b':' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'))
            {
                self.at += 1;
            }
            return Some(start..self.at);
        }
        self.is_escaped = false;
        loop {
            let place = memchr2(b'"', b'\\', self.input.get(self.at..)?)?;
            let is_end = self.input.get(self.at + place) == Some(&b'"');
            self.at += place + if is_end { 1 } else { 2 };
            if is_end {
                return Some(start..self.at);
            }
            self.is_escaped = true;
        }
    }

    /// Whether the object that begins here has a member of one of these names, written without escapes.
    pub(super) fn has_any(mut self, names: &[&[u8]]) -> bool {
        if self.expect(b'{').is_none() {
            return false;
        }
        while self.peek() == Some(b'"') {
            let Some(key) = self.skip_member() else { return false };
            if names.contains(&self.slice(key.start + 1..key.end - 1)) {
                return true;
            }
        }
        false
    }

    /// A member with its comma. The result is its name, with quotes.
    fn skip_member(&mut self) -> Option<Range<usize>> {
        let key = self.skip_scalar()?;
        self.expect(b':')?;
        self.skip_value()?;
        if self.peek()? == b',' {
            self.at += 1;
        }
        Some(key)
    }

    /// The text of a member of the object that begins here, wherever it stands in it: the last of that name, as
    /// readers of JSON take it.
    pub(super) fn member(mut self, name: &str) -> Option<String> {
        let mut found = None;
        self.expect(b'{')?;
        while self.peek()? == b'"' {
            let key = self.skip_scalar()?;
            let is_it = if self.is_escaped {
                serde_json::from_slice::<String>(self.slice(key)).is_ok_and(|key| key == name)
            } else {
                self.slice(key.start + 1..key.end - 1) == name.as_bytes()
            };
            self.expect(b':')?;
            self.peek()?;
            let start = self.at;
            self.skip_value()?;
            if is_it {
                found = Some(start..self.at);
            }
            if self.peek()? == b',' {
                self.at += 1;
            }
        }
        serde_json::from_slice(self.slice(found?)).ok()
    }
}
