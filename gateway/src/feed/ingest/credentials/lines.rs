//! Finds the credentials in a text of several lines: `NAME: VALUE` and `NAME=VALUE` as YAML, INI files and scripts write
//! them, and `NAME VALUE;` as nginx does. Unlike in one line, a value reaches to the end of its line, and over the lines
//! below it that are indented further. It reads no YAML: what it can't follow goes by the names on each line.

use std::ops::Range;

use super::super::names::{Names, is_of_map};
use super::{is_no_credential, is_reference, length_of, reference_length, value_at};

/// A line that isn't empty.
struct Line<'a> {
    /// The blanks before it.
    indent: usize,
    /// The blanks before its key: the dash of a list's entry counts as one.
    column: usize,
    is_entry: bool,
    /// Where its text begins and ends, without blanks and dashes.
    range: Range<usize>,
    key: Option<Key<'a>>,
}

struct Key<'a> {
    name: &'a [u8],
    value: Range<usize>,
    /// In YAML a blank follows the colon, or nothing. What has none may be a value: base64, or a text with a colon.
    is_of_yaml: bool,
    /// As a shell writes it: what follows a blank is a command.
    is_of_shell: bool,
}

/// What follows below a name that announces a credential.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    /// All of it is hidden.
    Hidden,
    /// Its names decide, and `value` has a credential.
    Named,
}

pub(super) const VALUES: [&[u8]; 6] =
    [b"value", b"default", b"defaultValue", b"plaintext", b"literal", b"inline"];
pub(super) const SIBLINGS: [&[u8]; 2] = [b"name", b"key"];
/// So many lines before and behind a value are looked at for the name that belongs to it.
const SIBLING_LINES_MAX: usize = 16;

pub(super) fn found_in_lines(text: &[u8], names: &Names, found: &mut Vec<Range<usize>>) {
    let lines = lines_of(text);
    let mut blocks: Vec<(usize, Below)> = Vec::new();
    let mut hidden_to = 0;
    let has_statements = memchr::memchr(b';', text).is_some();
    for (place, line) in lines.iter().enumerate() {
        // A quoted value may take several lines.
        if line.range.start < hidden_to {
            continue;
        }
        while blocks.last().is_some_and(|(column, _)| !line.is_below(*column)) {
            blocks.pop();
        }
        let below = blocks.last().map(|(_, below)| *below);
        let is_name = |key: &&Key<'_>| match below {
            Some(Below::Hidden) => false,
            Some(Below::Named) => key.is_of_yaml || names.announce(key.name),
            None => true,
        };
        let Some(key) = line.key.as_ref().filter(is_name) else {
            match below {
                Some(_) if line.has_words(text) => found.push(line.range.clone()),
                Some(_) => {}
                None if has_statements => found.extend(of_directive(text, line, names)),
                None => {}
            }
            continue;
        };
        let is_value = VALUES.contains(&key.name);
        let is_credential = names.announce(key.name)
            || (is_value && (below.is_some() || is_beside_a_credentials_name(text, &lines, place, names)));
        if !is_credential {
            if has_statements {
                found.extend(of_directive(text, line, names));
            }
            continue;
        }
        let next = lines.get(place + 1).filter(|next| next.is_below(line.column));
        if key.has_its_value_below(text, next.is_some()) {
            let is_named = next.is_some_and(|next| next.key.as_ref().is_some_and(|key| key.is_of_yaml))
                && !key.is_block(text);
            let below =
                if is_named && !is_value && !is_of_map(key.name) { Below::Named } else { Below::Hidden };
            blocks.push((line.column, below));
        } else {
            let is_quoted = matches!(key.written(text).first(), Some(b'"' | b'\''));
            if let Some(value) = key.credential(text) {
                hidden_to = with_lines_that_go_on(text, value.end);
                found.push(value.start..hidden_to);
            }
            // A text without quotes goes on over the lines that are indented further.
            if !is_quoted && next.is_some() {
                blocks.push((line.column, Below::Hidden));
            }
        }
    }
}

/// The end of the last line that the one of this value goes on in, after a backslash.
fn with_lines_that_go_on(text: &[u8], mut end: usize) -> usize {
    while let Some(rest) =
        text.get(..end).and_then(|value| value.ends_with(b"\\").then(|| text.get(end..)).flatten())
    {
        let blanks = length_of(rest, |byte| byte.is_ascii_whitespace());
        let line = length_of(rest.get(blanks..).unwrap_or_default(), |byte| byte != b'\n' && byte != b'\r');
        if line == 0 {
            break;
        }
        end += blanks + rest.get(blanks..blanks + line).unwrap_or_default().trim_ascii_end().len();
    }
    end
}

fn lines_of(text: &[u8]) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
        lines.extend(Line::read(line, start));
        start += line.len();
    }
    lines
}

impl<'a> Line<'a> {
    /// `at`: where the line begins in its text. `None` if it is empty.
    fn read(line: &'a [u8], at: usize) -> Option<Self> {
        let is_blank = |byte: u8| matches!(byte, b' ' | b'\t');
        let end = line.trim_ascii_end().len();
        let indent = length_of(line, is_blank);
        let mut column = indent;
        while line.get(column) == Some(&b'-') && line.get(column + 1).is_some_and(|byte| is_blank(*byte)) {
            column += 1 + length_of(line.get(column + 1..)?, is_blank);
        }
        let words = line.get(column..end).filter(|words| !words.is_empty())?;
        let range = at + column..at + end;
        Some(Self { indent, column, is_entry: column > indent, key: Key::read(words, range.clone()), range })
    }

    /// Whether there is more than the brackets of JSON.
    fn has_words(&self, text: &[u8]) -> bool {
        text.get(self.range.clone()).unwrap_or_default().iter().any(u8::is_ascii_alphanumeric)
    }

    /// Whether it belongs to a key in that column of a line above it.
    fn is_below(&self, column: usize) -> bool {
        self.indent > column || (self.indent == column && self.is_entry)
    }
}

impl<'a> Key<'a> {
    /// `range`: of the words in their text.
    fn read(words: &'a [u8], range: Range<usize>) -> Option<Self> {
        let separator = memchr::memchr2(b':', b'=', words)?;
        let before = words.get(..separator)?.trim_ascii_end();
        let before = before.strip_prefix(b"export ").unwrap_or(before);
        let unquoted = |quote: &[u8]| before.strip_prefix(quote)?.strip_suffix(quote);
        let name = unquoted(b"\"").or_else(|| unquoted(b"'")).unwrap_or(before);
        // What has blanks is a sentence or a command, and what begins with a dash is a flag.
        let is_quoted = name.len() < before.len();
        let has_blanks = !is_quoted && name.iter().any(u8::is_ascii_whitespace);
        if name.is_empty() || name.starts_with(b"-") || has_blanks {
            return None;
        }
        let rest = words.get(separator + 1..)?;
        let is_colon = words.get(separator) == Some(&b':');
        let is_spaced = rest.first().is_none_or(u8::is_ascii_whitespace);
        let is_of_ini = !rest.is_empty() && is_spaced && words.get(..separator)?.ends_with(b" ");
        let start = range.start + separator + 1 + length_of(rest, |byte| byte.is_ascii_whitespace());
        Some(Self {
            name,
            value: start..range.end.max(start),
            is_of_yaml: if is_colon { is_spaced || is_quoted } else { is_of_ini },
            is_of_shell: !is_colon && !is_spaced,
        })
    }

    fn written<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        text.get(self.value.clone()).unwrap_or_default()
    }

    /// `|` and `>` of YAML, with what may follow them: `>-`, `|2 # a comment`.
    fn is_block(&self, text: &[u8]) -> bool {
        let [b'|' | b'>', rest @ ..] = without_properties(self.written(text)) else { return false };
        let indicators = length_of(rest, |byte| !byte.is_ascii_whitespace());
        let after = rest.get(indicators..).unwrap_or_default().trim_ascii_start();
        indicators <= 2 && (after.is_empty() || after.starts_with(b"#"))
    }

    /// `has_below`: whether a line is indented further.
    fn has_its_value_below(&self, text: &[u8], has_below: bool) -> bool {
        let written = self.written(text);
        let words = without_properties(written);
        // Without a line below it, `!x` is the value.
        let has_properties = words.len() < written.len() && !has_below;
        (matches!(words, [] | [b'#', ..] | b"{" | b"[") && !has_properties) || self.is_block(text)
    }

    /// `None`: it only names one, or it is none.
    fn credential(&self, text: &[u8]) -> Option<Range<usize>> {
        let written = self.written(text);
        if is_no_credential(self.name, written) || self.only_names(written) {
            return None;
        }
        let value = value_at(text, self.value.start).unwrap_or_else(|| self.value.clone());
        let is_quoted = matches!(written.first(), Some(b'"' | b'\''));
        let end = if is_quoted { end_of_quoted(text, value.end) } else { self.value.end };
        Some(value.start..end).filter(|value| !value.is_empty())
    }

    /// Whether a reference is all of the value, but for a comment, or a command of a shell.
    fn only_names(&self, written: &[u8]) -> bool {
        let unquoted = |quote: &[u8]| written.strip_prefix(quote)?.strip_suffix(quote);
        let written = unquoted(b"\"").or_else(|| unquoted(b"'")).unwrap_or(written);
        let rest = reference_length(written).and_then(|length| written.get(length..));
        let is_of_shell = self.is_of_shell && written.starts_with(b"$(");
        let goes_on = |rest: &[u8]| match rest {
            [b' ' | b'\t', rest @ ..] => !is_of_shell && !rest.trim_ascii_start().starts_with(b"#"),
            [b';' | b'&' | b'|', ..] => !is_of_shell,
            _ => true,
        };
        is_reference(written) || rest.is_some_and(|rest| !goes_on(rest))
    }
}

/// The value of YAML without the tags and anchors before it.
fn without_properties(mut value: &[u8]) -> &[u8] {
    while let [b'!' | b'&', ..] = value {
        let length = length_of(value, |byte| !byte.is_ascii_whitespace());
        value = value.get(length..).unwrap_or_default().trim_ascii_start();
    }
    value
}

/// The end of a quoted value. More than a separator or a comment behind the quote belongs to the value, as in
/// `'it''s'` and `"x"y`. `end`: the place of the quote.
fn end_of_quoted(text: &[u8], end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default();
    let line = rest.get(..length_of(rest, |byte| byte != b'\n' && byte != b'\r')).unwrap_or_default();
    let line = line.trim_ascii_end();
    // The value ends with one quote, or with the three that close a text of TOML.
    let quotes = length_of(line, |byte| matches!(byte, b'"' | b'\''));
    let behind = line.get(quotes..).unwrap_or_default();
    let closers = length_of(behind, |byte| b",;)]}".contains(&byte));
    let (behind, is_closed) = (behind.get(closers..).unwrap_or_default(), closers > 0);
    let is_blank = behind.first().is_some_and(u8::is_ascii_whitespace);
    let is_comment = is_blank && matches!(behind.trim_ascii_start().first(), Some(b'#' | b'\\'));
    if matches!(quotes, 1 | 3) && (behind.is_empty() || is_comment || (is_closed && is_blank)) {
        return end;
    }
    end + line.len()
}

/// `{name: PASSWORD, value: x}` over several lines, in any order.
fn is_beside_a_credentials_name(text: &[u8], lines: &[Line<'_>], place: usize, names: &Names) -> bool {
    let Some(line) = lines.get(place) else { return false };
    let says_so = |other: &Line<'_>| {
        let key =
            other.key.as_ref().filter(|key| other.column == line.column && SIBLINGS.contains(&key.name));
        key.is_some_and(|key| {
            let name = key.written(text);
            let end = length_of(name, |byte| byte != b',' && byte != b'#');
            names.announce(name.get(..end).unwrap_or_default())
        })
    };
    let before = lines.get(place.saturating_sub(SIBLING_LINES_MAX)..place).unwrap_or_default();
    for other in before.iter().rev() {
        if line.is_entry || other.column < line.column {
            break;
        }
        if says_so(other) {
            return true;
        }
        if other.is_entry && other.column == line.column {
            break;
        }
    }
    let behind = lines.get(place + 1..).unwrap_or_default().iter().take(SIBLING_LINES_MAX);
    let is_same_entry =
        |other: &&Line<'_>| other.column > line.column || (other.column == line.column && !other.is_entry);
    behind.take_while(is_same_entry).any(says_so)
}

/// `proxy_set_header Authorization "x";`, with a comment or the bracket of its block behind it.
fn of_directive(text: &[u8], line: &Line<'_>, names: &Names) -> Option<Range<usize>> {
    let words = statement(text.get(line.range.clone())?)?;
    let mut at = 0;
    while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
        let length = length_of(rest, |byte| !byte.is_ascii_whitespace());
        let next = at + length + length_of(rest.get(length..)?, |byte| byte.is_ascii_whitespace());
        if names.announce(rest.get(..length)?) && next < words.len() {
            if is_reference(words.get(next..)?) {
                return None;
            }
            let value = value_at(text, line.range.start + next)?;
            let end = line.range.start + words.len();
            let is_quoted = matches!(words.get(next), Some(b'"' | b'\''));
            // Words behind the quotes belong to the value.
            let end = if is_quoted && value.end + 1 >= end { value.end } else { end };
            return Some(value.start..end).filter(|value| !value.is_empty());
        }
        at = next;
    }
    None
}

/// A line up to the last `;` that ends it, or that a comment or a bracket follows. `None`: it has none.
fn statement(line: &[u8]) -> Option<&[u8]> {
    let is_end = |at: &usize| {
        let rest = line.get(at + 1..).unwrap_or_default().trim_ascii_start();
        matches!(rest, [] | [b'#' | b'}', ..])
    };
    let end = memchr::memrchr_iter(b';', line).find(is_end)?;
    line.get(..end)
}
