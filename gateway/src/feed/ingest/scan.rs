//! Moves over JSON text from value to value without reading what it skips. Never changes anything.

use std::ops::Range;

const WORD_BYTES: usize = 8;

/// The highest bit of each byte of a word that is this one. Above the first of them other bits may be set as well.
fn places(word: u64, byte: u8) -> u64 {
    const LOWEST: u64 = 0x0101_0101_0101_0101;
    let differing = word ^ (u64::from(byte) * LOWEST);
    differing.wrapping_sub(LOWEST) & !differing & (LOWEST << 7)
}

/// A place in JSON text.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a> {
    pub(super) input: &'a [u8],
    pub(super) at: usize,
    /// Whether the last text that was skipped has escapes.
    pub(super) is_escaped: bool,
    /// Whether the last text that was skipped has a `=`.
    pub(super) has_equals: bool,
}

impl<'a> Scan<'a> {
    pub(super) fn of(json: &'a str) -> Self {
        Self { input: json.as_bytes(), at: 0, is_escaped: false, has_equals: false }
    }

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

    /// Only the brackets and the texts of an array or an object are read.
    pub(super) fn skip_value(&mut self) -> Option<()> {
        match self.peek()? {
            b'{' | b'[' => {}
            b'}' | b']' => return None,
            _ => return self.skip_scalar().map(drop),
        }
        let mut depth = 0_u32;
        loop {
            let byte = *self.input.get(self.at)?;
            self.at += 1;
            match byte {
                b'"' => self.skip_text()?,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(());
                    }
                }
                _ => {}
            }
        }
    }

    /// A string with its quotes, a number or a word.
    pub(super) fn skip_scalar(&mut self) -> Option<Range<usize>> {
        let first = self.peek()?;
        let start = self.at;
        self.at += 1;
        if first == b'"' {
            self.skip_text()?;
            return Some(start..self.at);
        }
        while self
            .input
            .get(self.at)
            .is_some_and(|b| !matches!(b, b',' | b':' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'))
        {
            self.at += 1;
        }
        Some(start..self.at)
    }

    /// The rest of a text, with the quote that ends it. It is read by words of eight bytes: most texts are as short as
    /// that, and a call for each costs more.
    fn skip_text(&mut self) -> Option<()> {
        (self.is_escaped, self.has_equals) = (false, false);
        loop {
            let rest = self.input.get(self.at..)?;
            // Behind the input stand zeros.
            let word = match rest.first_chunk::<WORD_BYTES>() {
                Some(bytes) => u64::from_le_bytes(*bytes),
                None if rest.is_empty() => return None,
                None => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
            };
            let (quotes, equals) = (places(word, b'"'), places(word, b'='));
            let stops = quotes | places(word, b'\\');
            if stops == 0 {
                self.has_equals |= equals != 0;
                self.at += WORD_BYTES;
                continue;
            }
            let first = stops & stops.wrapping_neg();
            self.has_equals |= equals & (first - 1) != 0;
            self.at += first.trailing_zeros() as usize / 8;
            if quotes & first != 0 {
                self.at += 1;
                return Some(());
            }
            self.is_escaped = true;
            self.at += 2;
        }
    }

    /// Moves from a member of an object to the value of the next one with this name, which is quoted.
    pub(super) fn find(&mut self, name: &[u8]) -> Option<()> {
        loop {
            let key = self.skip_scalar()?;
            self.expect(b':')?;
            if self.slice(key) == name {
                return self.peek().map(drop);
            }
            self.skip_value()?;
            self.expect(b',')?;
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
