//! Texts in quotes, with what is escaped in them.

use std::borrow::Cow;

use super::{Malformed, Reader, Result};

impl Reader<'_> {
    /// A text that nothing needs. As for `serde_json`, what is escaped in it may be half of a pair.
    pub(super) fn skip_text(&mut self) -> Result<()> {
        self.expect(b'"')?;
        loop {
            self.skip_plain();
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => drop(self.escaped()?),
                _ => return Err(Malformed),
            }
        }
    }

    /// To a quote, a backslash, or what may not stand in a text.
    fn skip_plain(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let ends = |byte: &u8| *byte < b' ' || matches!(*byte, b'"' | b'\\');
        self.at += rest.iter().position(ends).unwrap_or(rest.len());
    }

    /// A UTF-16 unit, from its backslash on.
    fn escaped(&mut self) -> Result<u16> {
        self.at += 1;
        let byte = self.byte();
        self.at += 1;
        Ok(match byte {
            Some(byte @ (b'"' | b'\\' | b'/')) => u16::from(byte),
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => 10,
            Some(b'r') => 13,
            Some(b't') => 9,
            Some(b'u') => {
                let mut unit = 0;
                for _ in 0..4 {
                    let digit =
                        self.byte().and_then(|byte| char::from(byte).to_digit(16)).ok_or(Malformed)?;
                    unit = unit << 4 | u16::try_from(digit).unwrap_or_default();
                    self.at += 1;
                }
                unit
            }
            _ => return Err(Malformed),
        })
    }

    /// A character, whose second half is escaped as well.
    fn escaped_character(&mut self) -> Result<char> {
        let first = self.escaped()?;
        let second = if (0xd800..0xdc00).contains(&first) {
            if self.byte() != Some(b'\\') {
                return Err(Malformed);
            }
            Some(self.escaped()?)
        } else {
            None
        };
        let mut decoded = char::decode_utf16(std::iter::once(first).chain(second));
        match (decoded.next(), decoded.next()) {
            (Some(Ok(character)), None) => Ok(character),
            _ => Err(Malformed),
        }
    }
}

pub(super) fn read<'a>(json: &mut Reader<'a>) -> Result<Cow<'a, str>> {
    json.expect(b'"')?;
    let mut unescaped = String::new();
    let mut begin = json.at;
    loop {
        json.skip_plain();
        let plain = json.text.get(begin..json.at).ok_or(Malformed)?;
        match json.byte() {
            Some(b'"') => {
                json.at += 1;
                if unescaped.is_empty() {
                    return Ok(Cow::Borrowed(plain));
                }
                unescaped.push_str(plain);
                return Ok(Cow::Owned(unescaped));
            }
            Some(b'\\') => {
                unescaped.push_str(plain);
                unescaped.push(json.escaped_character()?);
                begin = json.at;
            }
            _ => return Err(Malformed),
        }
    }
}
