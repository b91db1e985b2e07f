//! Reads JSON into what frames are made of. Serde compiles a derived reader anew for each struct and each type in it;
//! they were a tenth of what a browser fetches before its first table. Here each struct has one short function.
//!
//! It takes what the derived readers take: unknown fields are skipped, a field that comes twice is an error, and
//! nesting has the same bound. It doesn't say what was wrong, because nothing asks.

mod fields;
mod float;
mod read;
mod text;

use std::borrow::Cow;

pub use fields::{fields, words};

/// The text isn't what was to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the JSON that was expected")]
pub struct Malformed;

pub type Result<T> = std::result::Result<T, Malformed>;

/// What can be read from JSON.
pub trait Read: Sized {
    /// # Errors
    /// The text isn't JSON, or of another shape.
    fn read(json: &mut Reader<'_>) -> Result<Self>;
}

/// A text and how far it was read.
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// How much deeper it may be nested.
    depth: u8,
}

/// As JSON writes it; what fits into no integer is a float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Positive(u64),
    Negative(i64),
    Float(f64),
}

/// As `serde_json` has it.
const DEPTH_MAX: u8 = 127;

/// Reads a text that holds one value.
///
/// # Errors
/// It isn't JSON, of another shape, or there is more behind it.
pub fn read<T: Read>(text: &str) -> Result<T> {
    let mut json = Reader { text, at: 0, depth: DEPTH_MAX };
    let value = T::read(&mut json)?;
    match json.peek() {
        None => Ok(value),
        Some(_) => Err(Malformed),
    }
}

impl<'a> Reader<'a> {
    #[inline(always)]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that isn't white space.
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.byte() {
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        if self.takes(byte) { Ok(()) } else { Err(Malformed) }
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word) {
            return Err(Malformed);
        }
        self.at += word.len();
        Ok(())
    }

    /// Whether `null` is next, which is then behind.
    #[inline(never)]
    pub fn null(&mut self) -> Result<bool> {
        match self.peek() {
            Some(b'n') => self.expect_word("null").map(|()| true),
            _ => Ok(false),
        }
    }

    #[inline(never)]
    pub fn boolean(&mut self) -> Result<bool> {
        match self.peek() {
            Some(b't') => self.expect_word("true").map(|()| true),
            _ => self.expect_word("false").map(|()| false),
        }
    }

    /// `each` reads the value behind a name.
    #[inline(never)]
    pub fn object(&mut self, each: &mut dyn FnMut(&mut Self, &str) -> Result<()>) -> Result<()> {
        self.items(b'{', b'}', &mut |json| {
            let name = json.text()?;
            json.expect(b':')?;
            each(json, &name)
        })
    }

    /// `each` reads one value.
    #[inline(never)]
    pub fn list(&mut self, each: &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.items(b'[', b']', each)
    }

    fn items(&mut self, begin: u8, end: u8, each: &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.expect(begin)?;
        self.depth = self.depth.checked_sub(1).ok_or(Malformed)?;
        if !self.takes(end) {
            loop {
                each(self)?;
                match self.peek() {
                    Some(b',') => self.at += 1,
                    byte if byte == Some(end) => break,
                    _ => return Err(Malformed),
                }
            }
            self.at += 1;
        }
        self.depth += 1;
        Ok(())
    }

    /// A field of a struct, which comes once.
    pub fn field<T: Read>(&mut self, field: &mut Option<T>) -> Result<()> {
        if field.is_some() {
            return Err(Malformed);
        }
        *field = Some(T::read(self)?);
        Ok(())
    }

    /// The next item of a list with a fixed number of items.
    pub fn item<T: Read>(&mut self, is_first: bool) -> Result<T> {
        self.expect(if is_first { b'[' } else { b',' })?;
        T::read(self)
    }

    /// The end of such a list.
    pub fn end(&mut self) -> Result<()> {
        self.expect(b']')
    }

    /// Whether a list goes on that may end here.
    pub fn goes_on(&mut self) -> bool {
        self.peek() == Some(b',')
    }

    /// A value, whatever it is.
    #[inline(never)]
    pub fn skip(&mut self) -> Result<()> {
        self.raw().map(drop)
    }

    /// The text of a value.
    #[inline(never)]
    pub fn raw(&mut self) -> Result<&'a str> {
        self.peek();
        let begin = self.at;
        // What is open, as the byte that closes it: as deep as the text is long.
        let mut open = Vec::new();
        loop {
            match self.peek() {
                Some(b'"') => self.skip_text()?,
                Some(b'{') => {
                    self.at += 1;
                    if !self.takes(b'}') {
                        open.push(b'}');
                        self.skip_name()?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    if !self.takes(b']') {
                        open.push(b']');
                        continue;
                    }
                }
                Some(b'n') => self.expect_word("null")?,
                Some(b't' | b'f') => drop(self.boolean()?),
                _ => drop(self.digits()?),
            }
            // Behind a value.
            loop {
                let Some(close) = open.last() else {
                    return self.text.get(begin..self.at).ok_or(Malformed);
                };
                if !self.takes(*close) {
                    break;
                }
                open.pop();
            }
            self.expect(b',')?;
            if open.last() == Some(&b'}') {
                self.skip_name()?;
            }
        }
    }

    fn skip_name(&mut self) -> Result<()> {
        self.peek();
        self.skip_text()?;
        self.expect(b':')
    }

    /// The next number, as it is written.
    fn digits(&mut self) -> Result<&'a str> {
        self.peek();
        let begin = self.at;
        self.at += usize::from(self.byte() == Some(b'-'));
        let whole = self.at;
        let count = self.skip_digits();
        let is_padded = count > 1 && self.text.as_bytes().get(whole) == Some(&b'0');
        let mut is_number = count > 0 && !is_padded;
        if self.byte() == Some(b'.') {
            self.at += 1;
            is_number &= self.skip_digits() > 0;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.byte(), Some(b'+' | b'-')));
            is_number &= self.skip_digits() > 0;
        }
        self.text.get(begin..self.at).filter(|_| is_number).ok_or(Malformed)
    }

    /// A whole number that surely fits, and its length: most are.
    fn short(&self) -> Option<(u64, usize)> {
        const DIGITS_MAX: usize = 18;
        let rest = self.text.as_bytes().get(self.at..)?;
        let (mut number, mut length) = (0_u64, 0);
        for byte in rest {
            match byte {
                b'0'..=b'9' if length < DIGITS_MAX => number = number * 10 + u64::from(byte - b'0'),
                b'0'..=b'9' | b'.' | b'e' | b'E' => return None,
                _ => break,
            }
            length += 1;
        }
        let is_padded = length > 1 && rest.first() == Some(&b'0');
        (length > 0 && !is_padded).then_some((number, length))
    }

    fn skip_digits(&mut self) -> usize {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let count = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        self.at += count;
        count
    }

    #[inline(never)]
    pub fn number(&mut self) -> Result<Number> {
        self.peek();
        if let Some((number, length)) = self.short() {
            self.at += length;
            return Ok(Number::Positive(number));
        }
        let written = self.digits()?;
        match written.strip_prefix('-') {
            None => {
                if let Ok(number) = written.parse() {
                    return Ok(Number::Positive(number));
                }
            }
            Some("0") => {}
            Some(_) => {
                if let Ok(number) = written.parse() {
                    return Ok(Number::Negative(number));
                }
            }
        }
        float::nearest(written).map(Number::Float).ok_or(Malformed)
    }

    /// Copied only if something in it is escaped.
    #[inline(never)]
    pub fn text(&mut self) -> Result<Cow<'a, str>> {
        self.peek();
        text::read(self)
    }
}

#[cfg(test)]
mod tests;
