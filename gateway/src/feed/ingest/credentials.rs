//! Finds the credentials within a text: what follows a name that announces one, and what looks like a key
//! wherever it stands. It finds what it knows; a password alone in a text looks like any word.

mod lines;

use std::ops::Range;

use memchr::{memchr, memchr2, memchr2_iter};

use super::names::{Names, may_count};
use lines::{SIBLINGS, VALUES, found_in_lines};

/// How keys begin that say what they are, and how many of their characters follow at least.
const KEYS: &[(&[u8], usize)] = &[
    (b"AGE-SECRET-KEY-1", 20),
    (b"AKIA", 16),
    (b"ASIA", 16),
    (b"AIza", 30),
    (b"ATATT3", 50),
    (b"dckr_pat_", 16),
    (b"github_pat_", 20),
    (b"ghp_", 20),
    (b"gho_", 20),
    (b"ghu_", 20),
    (b"ghs_", 20),
    (b"ghr_", 20),
    (b"glpat-", 16),
    (b"glsa_", 30),
    (b"dop_v1_", 60),
    (b"hf_", 30),
    (b"hvs.", 20),
    (b"npm_", 30),
    (b"pypi-AgE", 50),
    (b"SG.", 30),
    (b"rk_live_", 16),
    (b"sk-ant-", 16),
    (b"sk-proj-", 16),
    (b"sk_live_", 16),
    (b"xapp-", 10),
    (b"xoxa-", 10),
    (b"xoxb-", 10),
    (b"xoxp-", 10),
    (b"tskey-", 20),
    (b"ya29.", 20),
    // Private keys in base64: "-----BEGIN PRIV", "… RSA PRI", "… EC PRIV", "… OPENSSH", "… ENCRYPT".
    (b"LS0tLS1CRUdJTiBQUklW", 0),
    (b"LS0tLS1CRUdJTiBSU0EgUFJJ", 0),
    (b"LS0tLS1CRUdJTiBFQyBQUklW", 0),
    (b"LS0tLS1CRUdJTiBPUEVOU1NI", 0),
    (b"LS0tLS1CRUdJTiBFTkNSWVBU", 0),
];
/// The schemes whose token is found anywhere, compared without case.
const SCHEMES: &[&[u8]] = &[b"bearer ", b"basic "];
/// Further schemes, whose token is found only after a name that announces a credential.
const SCHEMES_AFTER_NAME: &[&[u8]] = &[b"token ", b"apikey ", b"digest "];
/// More of a token isn't looked through, because a text may hold the beginning of one at each of its words.
const JWT_HEAD_BYTES_MAX: usize = 1024;
const JWT_CLAIMS_BYTES_MAX: usize = 16 * 1024;
/// A token that follows its scheme at the beginning of any text has so many bytes; the words of a description have fewer.
const TOKEN_AFTER_SCHEME_BYTES_MIN: usize = 20;
/// Bytes in which the scheme of an address ends: `postgresql+psycopg2://`.
const SCHEME_BYTES_MAX: usize = 24;
/// More of a value isn't looked at to see that it is none: a count has 20 digits at most.
const HARMLESS_BYTES_MAX: usize = 24;
/// So many bytes before a value are looked through for a quote that opened before it.
const QUOTED_BYTES_MAX: usize = 4096;
/// The further words of a value in one line aren't longer.
const WORDS_BYTES_MAX: usize = 256;
/// A reference isn't longer: `$(cat /run/token)`.
const REFERENCE_BYTES_MAX: usize = 1024;
/// The shortest address with a password has so many bytes: `a://:p@h`.
const ADDRESS_BYTES_MIN: usize = 8;

/// Whether a text may hold a key from its beginning on. Cheap, because it is asked of each text of an object;
/// [`found_in`] decides.
pub(super) fn may_begin(text: &[u8]) -> bool {
    match text.first() {
        Some(b'-') => text.starts_with(b"-----BEGIN"),
        Some(b'e') if text.starts_with(b"eyJ") => true,
        // It begins after blanks, or after an escape.
        Some(b' ' | b'\\') => true,
        Some(b'B' | b'b') if scheme_length(text, SCHEMES).is_some() => {
            let token = text.iter().skip_while(|byte| **byte != b' ').skip(1);
            token.take_while(|byte| is_of_key(**byte)).nth(TOKEN_AFTER_SCHEME_BYTES_MIN).is_some()
        }
        Some(b'A' | b'L' | b'S' | b'd' | b'g' | b'h' | b'n' | b'p' | b'r' | b's' | b't' | b'x' | b'y')
            if begins_like_key(text) && KEYS.iter().any(|(begin, _)| text.starts_with(begin)) =>
        {
            true
        }
        Some(byte) if byte.is_ascii_alphabetic() && text.len() >= ADDRESS_BYTES_MIN => {
            let head = text.get(..SCHEME_BYTES_MAX.min(text.len())).unwrap_or_default();
            memchr(b'/', head)
                .is_some_and(|at| at > 0 && text.get(at - 1..).is_some_and(|rest| rest.starts_with(b"://")))
        }
        _ => false,
    }
}

/// Whether a text, as JSON writes it, may hold a credential anywhere: a key at its beginning, or settings. Cheap, too:
/// whether it has escapes or a `=` is known from finding its end.
pub(super) fn may_hold(text: &[u8], is_escaped: bool, has_equals: bool) -> bool {
    let breaks_line = |at| matches!(text.get(at + 1), Some(b'n' | b'r' | b'u'));
    has_equals
        || may_begin(text)
        // JSON, XML, and JSON after a byte order mark or another blank of Unicode.
        || matches!(text.first(), Some(b'{' | b'[' | b'<' | 0x80..))
        || (is_escaped && memchr::memchr_iter(b'\\', text).any(breaks_line))
}

/// The places of all credentials in a text, in order.
pub(super) fn found_in(text: &str, names: &Names) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let has = |byte: u8| memchr(byte, bytes).is_some();
    let (has_space, has_colon) = (has(b' '), has(b':'));
    if has_space && text.contains("-----BEGIN") && text.contains("PRIVATE KEY") {
        return std::iter::once(0..bytes.len()).collect();
    }
    let mut found = Vec::new();
    keys(bytes, &mut found);
    if has_colon {
        addresses(bytes, &mut found);
    }
    assigned(bytes, names, &mut found);
    if has(b'<') {
        elements(bytes, names, &mut found);
    }
    if has_space {
        flags(bytes, names, &mut found);
    }
    if memchr2(b'\n', b'\r', bytes).is_some() {
        found_in_lines(bytes, names, &mut found);
    }
    apart(found)
}

/// In order, and those that overlap as one.
fn apart(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.retain(|range| !range.is_empty());
    found.sort_by_key(|range| range.start);
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match apart.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

/// The same in one argument of a command. `follows`: the argument before it was a flag, and this one is its value.
pub(super) fn found_in_argument(text: &str, names: &Names, follows: &mut bool) -> Vec<Range<usize>> {
    let whole = |from: usize| std::iter::once(from..text.len()).filter(|range| !range.is_empty()).collect();
    if std::mem::take(follows) && !text.starts_with('-') {
        return if is_reference(text.as_bytes()) { Vec::new() } else { whole(0) };
    }
    let name_end = text.bytes().take_while(|byte| is_of_name(*byte)).count();
    let (name, rest) = text.split_at(name_end);
    if names.announce(name.as_bytes()) {
        if rest.is_empty() && name.starts_with('-') {
            *follows = true;
            return Vec::new();
        }
        if let Some(value) = rest.strip_prefix('=') {
            if is_reference(value.as_bytes()) {
                return Vec::new();
            }
            // `TOKEN=$(cat /token); run` is a script.
            let behind = reference_length(value.as_bytes()).and_then(|length| value.as_bytes().get(length));
            if name.starts_with('-') || !behind.is_some_and(|byte| matches!(byte, b' ' | b'\n' | b';')) {
                return whole(name_end + 1);
            }
        }
    }
    found_in(text, names)
}

/// Bytes of words; of those in [`BEGINS`] a key or a scheme may be made.
const WORD: u8 = 1;
const BEGINS: u8 = 2;
const CLASSES: [u8; 256] = classes();

#[expect(clippy::indexing_slicing, reason = "it runs when it is compiled, and a byte is below 256")]
const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    loop {
        classes[byte as usize] = match byte {
            b'A' | b'B' | b'L' | b'S' | b'b' | b'd' | b'e' | b'g' | b'h' | b'n' | b'p' | b'r' | b's'
            | b't' | b'x' | b'y' => BEGINS,
            byte if byte.is_ascii_alphanumeric() => WORD,
            _ => 0,
        };
        if byte == u8::MAX {
            return classes;
        }
        byte += 1;
    }
}

fn keys(text: &[u8], found: &mut Vec<Range<usize>>) {
    let class = |byte: &u8| CLASSES.get(usize::from(*byte)).copied().unwrap_or_default();
    // `end` is where the characters of a key end, counted from the last word that begins like a key.
    let (mut at, mut end) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.first().map(class) == Some(BEGINS) {
            if end <= at {
                end = at + length_of(rest, is_of_key);
            }
            let of_key = text.get(at..end).unwrap_or_default();
            if is_key(of_key) {
                found.push(at..end);
                at = end;
                continue;
            }
            if let Some(scheme) = scheme_length(rest, SCHEMES) {
                let start = at + scheme;
                let length = length_of(text.get(start..).unwrap_or_default(), is_of_key);
                if length >= 8 {
                    found.push(start..start + length);
                }
            }
        }
        let Some(end) = rest.iter().position(|byte| class(byte) == 0) else { return };
        at += end + 1;
    }
}

/// The length of the scheme that the text begins with, its blank included.
fn scheme_length(text: &[u8], schemes: &[&[u8]]) -> Option<usize> {
    let begins =
        |scheme: &&&[u8]| text.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme));
    schemes.iter().find(begins).map(|scheme| scheme.len())
}

/// Whether these characters, all of which may stand in a key, are one.
fn is_key(text: &[u8]) -> bool {
    if text.starts_with(b"eyJ") {
        let dot = |text: &[u8], most: usize| memchr(b'.', text.get(..most).unwrap_or(text));
        let claims = dot(text, JWT_HEAD_BYTES_MAX).and_then(|dot| text.get(dot + 1..));
        return claims
            .is_some_and(|claims| claims.starts_with(b"eyJ") && dot(claims, JWT_CLAIMS_BYTES_MAX).is_some());
    }
    begins_like_key(text)
        && KEYS.iter().any(|(begin, more)| text.starts_with(begin) && text.len() >= begin.len() + more)
}

/// For each first byte of a key, the second bytes, as bits: two bytes rule out most words.
const SECONDS: [u128; 128] = seconds();

#[expect(
    clippy::indexing_slicing,
    reason = "it runs when it is compiled, and the beginnings of keys are ASCII"
)]
const fn seconds() -> [u128; 128] {
    let mut seconds = [0; 128];
    let mut place = 0;
    while place < KEYS.len() {
        let begin = KEYS[place].0;
        seconds[begin[0] as usize] |= 1 << begin[1];
        place += 1;
    }
    seconds
}

fn begins_like_key(text: &[u8]) -> bool {
    let [first, second @ 0..128, ..] = text else { return false };
    SECONDS.get(usize::from(*first)).is_some_and(|seconds| seconds & (1_u128 << *second) != 0)
}

/// The password of an address: `postgres://user:password@host`.
fn addresses(text: &[u8], found: &mut Vec<Range<usize>>) {
    for at in memchr::memmem::find_iter(text, b"://") {
        let start = at + 3;
        let authority = text.get(start..).unwrap_or_default();
        // A password may have quotes.
        let end = length_of(authority, |byte| !byte.is_ascii_whitespace() && byte != b'/');
        let authority = authority.get(..end).unwrap_or_default();
        let Some(host) = memchr::memrchr(b'@', authority) else { continue };
        let user = authority.get(..host).unwrap_or_default();
        let Some(colon) = memchr(b':', user) else { continue };
        let password = user.get(colon + 1..).unwrap_or_default();
        if !is_reference(password) {
            found.push(start + colon + 1..start + host);
        }
    }
}

/// `password=x`, `password = x`, `password: x`, `"password":"x"`.
fn assigned(text: &[u8], names: &Names, found: &mut Vec<Range<usize>>) {
    let mut end = 0;
    let has_pairs = memchr(b'{', text).is_some();
    for at in memchr2_iter(b'=', b':', text) {
        // Within a value all is masked already.
        if at < end {
            continue;
        }
        // As in an INI file: `password = x`.
        let before = text.get(..at).unwrap_or_default().trim_ascii_end();
        let before = before.strip_suffix(b"\"").or(before.strip_suffix(b"'")).unwrap_or(before);
        let length = length_of_end(before, is_of_name);
        let name = before.get(before.len() - length..).unwrap_or_default();
        let after = text.get(at + 1..).unwrap_or_default();
        let is_credential = names.announce(name)
            || (has_pairs && VALUES.contains(&name) && is_in_pair_of_credential(text, at, names));
        if is_credential && !is_no_credential(name, word_at(after, blanks(after))) {
            let start = at + 1 + blanks(after);
            let value = value_at(text, start).map(|value| {
                let before = before.get(..before.len() - length).unwrap_or_default();
                value.start..with_further_words(text, (before, at), start, value.end)
            });
            end = value.as_ref().map_or(end, |value| value.end);
            found.extend(value);
        }
    }
}

/// Whether the place is within `{name: DB_PASSWORD, value: x}`, in any order.
fn is_in_pair_of_credential(text: &[u8], at: usize, names: &Names) -> bool {
    let before = text.get(at.saturating_sub(WORDS_BYTES_MAX)..at).unwrap_or_default();
    let behind = text.get(at..).unwrap_or_default();
    let behind = behind.get(..WORDS_BYTES_MAX).unwrap_or(behind);
    let Some(open) = memchr::memrchr2(b'{', b'}', before).filter(|open| before.get(*open) == Some(&b'{'))
    else {
        return false;
    };
    let close = memchr(b'}', behind).unwrap_or(behind.len());
    let unquoted = |word: &'_ [u8]| -> Range<usize> {
        let is_around = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'');
        let start = word.iter().take_while(|byte| is_around(byte)).count();
        start
            ..word
                .len()
                .saturating_sub(word.iter().rev().take_while(|byte| is_around(byte)).count())
                .max(start)
    };
    let says_so = |pair: &[u8]| {
        let Some(colon) = memchr(b':', pair) else { return false };
        let (name, value) =
            (pair.get(..colon).unwrap_or_default(), pair.get(colon + 1..).unwrap_or_default());
        SIBLINGS.iter().any(|sibling| name.get(unquoted(name)) == Some(sibling))
            && value.get(unquoted(value)).is_some_and(|value| names.announce(value))
    };
    let entry = text.get(at - (before.len() - open - 1)..at + close).unwrap_or_default();
    entry.split(|byte| *byte == b',').any(says_so)
}

/// The end of a value of several words, where a separator ends it: in `{password: two words}` of YAML, and in
/// `Server=db;Password=two words;Port=1`. `before` is what precedes the name, `at` the place behind it.
fn with_further_words(text: &[u8], (before, at): (&[u8], usize), start: usize, end: usize) -> usize {
    let is_quoted = matches!(text.get(start), Some(b'"' | b'\''));
    let before = before.strip_suffix(b"\"").or(before.strip_suffix(b"'")).unwrap_or(before);
    let line = text.get(end..).unwrap_or_default();
    let mut length = 0;
    // Not within a character.
    let line = line.get(
        ..length_of(line, |byte| {
            length += 1;
            !matches!(byte, b'\n' | b'\r') && (length <= WORDS_BYTES_MAX || matches!(byte, 0x80..0xc0))
        }),
    );
    let line = line.unwrap_or_default();
    let is_pair_of_yaml =
        text.get(at) == Some(&b':') && text.get(at + 1).is_some_and(u8::is_ascii_whitespace);
    let ends = |byte: u8| match is_pair_of_yaml {
        true => matches!(byte, b',' | b'[' | b']' | b'{' | b'}'),
        false => byte == b';',
    };
    if is_quoted || text.get(start..end).unwrap_or_default().iter().any(|byte| ends(*byte)) {
        return end;
    }
    let words = length_of(line, |byte| !ends(byte));
    let goes_on = if is_pair_of_yaml {
        matches!(before.trim_ascii_end().last(), Some(b'{' | b'[' | b','))
    } else {
        before.ends_with(b";") || is_setting(line.get(words..).unwrap_or_default())
    };
    if goes_on { end + line.get(..words).unwrap_or_default().trim_ascii_end().len() } else { end }
}

/// `;Name=`, as within a connection string.
fn is_setting(text: &[u8]) -> bool {
    let Some(text) = text.strip_prefix(b";") else { return false };
    let length = length_of(text, |byte| is_of_name(byte) || byte == b' ');
    text.get(length) == Some(&b'=') && !text.starts_with(b" ")
}

/// `<password>x</password>`
fn elements(text: &[u8], names: &Names, found: &mut Vec<Range<usize>>) {
    for at in memchr::memchr_iter(b'<', text) {
        let name = text.get(at + 1..).unwrap_or_default();
        let length = length_of(name, |byte| is_of_name(byte) || byte == b':');
        if !names.announce(name.get(..length).unwrap_or_default()) {
            continue;
        }
        let attributes = name.get(length..).unwrap_or_default();
        let end = length_of(attributes, |byte| byte != b'>' && byte != b'<');
        if attributes.get(end) != Some(&b'>') || attributes.get(..end).is_some_and(|all| all.ends_with(b"/"))
        {
            continue;
        }
        let start = at + 1 + length + end + 1;
        let rest = text.get(start..).unwrap_or_default();
        // In a section of CDATA, `<` is a character as any other.
        if let Some(section) = rest.strip_prefix(b"<![CDATA[") {
            let start = text.len() - section.len();
            let near = section.get(..QUOTED_BYTES_MAX).unwrap_or(section);
            let Some(length) = memchr::memmem::find(near, b"]]>") else {
                found.push(start..text.len());
                return;
            };
            found.push(start..start + length);
            continue;
        }
        let length = length_of(rest, |byte| byte != b'<');
        let value = rest.get(..length).unwrap_or_default().trim_ascii();
        // `<password>` alone is a placeholder.
        let is_closed = rest.get(length..).is_some_and(|rest| rest.starts_with(b"</"));
        if is_closed && !value.is_empty() && !is_reference(value) {
            found.push(start..start + length);
        }
    }
}

/// The word that begins here, as far as it may be no credential.
fn word_at(text: &[u8], start: usize) -> &[u8] {
    let rest = text.get(start..).unwrap_or_default();
    let head = rest.get(..HARMLESS_BYTES_MAX).unwrap_or(rest);
    head.get(..length_of(head, |byte| !byte.is_ascii_whitespace())).unwrap_or_default()
}

/// Whether what is written as the value of this name only opens one, says yes or no, or counts.
fn is_no_credential(name: &[u8], written: &[u8]) -> bool {
    let length =
        written.len() - length_of_end(written, |byte| matches!(byte, b',' | b';' | b'}' | b']' | b')'));
    let written = written.get(..length).unwrap_or_default();
    written.iter().all(|byte| b"{[|>+-~#".contains(byte))
        || matches!(written, b"true" | b"false" | b"null")
        || (may_count(name) && written.iter().all(u8::is_ascii_digit))
}

/// `--password x`, within a longer text.
fn flags(text: &[u8], names: &Names, found: &mut Vec<Range<usize>>) {
    for at in memchr::memchr_iter(b'-', text) {
        if at > 0 && !text.get(at - 1).is_some_and(u8::is_ascii_whitespace) {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let end = length_of(rest, is_of_name);
        if !names.announce(rest.get(..end).unwrap_or_default()) {
            continue;
        }
        let spaces = length_of(rest.get(end..).unwrap_or_default(), is_between);
        if spaces > 0 && rest.get(end + spaces) != Some(&b'-') {
            found.extend(value_at(text, at + end + spaces));
        }
    }
}

/// The value that begins here: up to the other quote, or to the next space. `None`: it is only named.
fn value_at(text: &[u8], mut start: usize) -> Option<Range<usize>> {
    for schemes in [SCHEMES, SCHEMES_AFTER_NAME] {
        start += scheme_length(text.get(start..)?, schemes).unwrap_or_default();
    }
    let rest = text.get(start..)?;
    if matches!(rest.first()?, b'"' | b'\'') {
        let value = quoted(rest);
        return (!is_reference(rest.get(value.clone())?)).then_some(start + value.start..start + value.end);
    }
    let reference = reference_length(rest).unwrap_or_default();
    let length = reference + unquoted_length(rest.get(reference..)?);
    let value = rest.get(..length)?;
    // A quote in a value may belong to it, as in `it's`; the last may end a text around it: `"--password=x"`.
    let is_around =
        |quote: u8| memchr::memrchr(quote, text.get(start.saturating_sub(QUOTED_BYTES_MAX)..start)?);
    let ends = matches!(value.last(), Some(quote @ (b'"' | b'\'')) if is_around(*quote).is_some());
    (!is_reference(value)).then_some(start..start + length - usize::from(ends))
}

/// The value in the quotes that open here. What follows the other quote without a space belongs to it, because shells
/// put `'it'"'"'s'` together, and YAML writes `'it''s'`.
fn quoted(text: &[u8]) -> Range<usize> {
    let Some(quote) = text.first().copied() else { return 0..0 };
    let behind = |at: usize| text.get(at..).unwrap_or_default();
    let long = [quote; 3];
    if text.starts_with(&long) {
        // `"""` of TOML and Python.
        return 3..memchr::memmem::find(behind(3), &long).map_or(text.len(), |length| 3 + length);
    }
    let end = 1 + quoted_length(behind(1), quote);
    let mut all = end;
    loop {
        match behind(all + 1).first() {
            Some(other @ (b'"' | b'\'')) => {
                let length = quoted_length(behind(all + 2), *other);
                // A quote without another one belongs to a text around this.
                if behind(all + 2).get(length).is_none() {
                    break;
                }
                all += 1 + length + 1;
            }
            // As in `'it'\''s'`.
            Some(b'\\') if matches!(behind(all + 2).first(), Some(b'"' | b'\'')) => all += 2,
            Some(byte) if !ends_quoted(*byte) => {
                all += length_of(behind(all + 1), |byte| !ends_quoted(byte) && !matches!(byte, b'"' | b'\''));
            }
            _ => break,
        }
    }
    // Without what follows, the quotes stay visible.
    if all > end { 1..all + 1 } else { 1..end }
}

/// Up to the next space that is neither behind a backslash nor within quotes, as shells read it: `a\ b"c d"`.
fn unquoted_length(text: &[u8]) -> usize {
    let (mut at, mut open) = (0, None);
    while let Some(byte) = text.get(at).copied() {
        match (byte, open) {
            (b'\\', _) => at += 1,
            (b'"' | b'\'', None) => open = Some((byte, at)),
            (_, Some((quote, _))) if byte == quote => open = None,
            (_, None) if byte.is_ascii_whitespace() => break,
            (_, Some((quote, place))) if byte.is_ascii_whitespace() => {
                let line = text.get(at..).unwrap_or_default();
                let line = line.get(..WORDS_BYTES_MAX).unwrap_or(line);
                let closing = line.iter().find(|byte| **byte == quote || matches!(**byte, b'\n' | b'\r'));
                // A quote at the end of a word closes a text around the word. A quote without a second one in its line is
                // an apostrophe.
                if place + 1 == at || closing != Some(&quote) {
                    break;
                }
            }
            _ => {}
        }
        at += 1;
    }
    at.min(text.len())
}

/// What may follow the quote that ends a value.
fn ends_quoted(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b",;)]}>|&\\".contains(&byte)
}

/// Up to the quote that ends it; one after a backslash doesn't.
fn quoted_length(text: &[u8], quote: u8) -> usize {
    let mut is_escaped = false;
    length_of(text, |byte| {
        let goes_on = is_escaped || byte != quote;
        is_escaped = byte == b'\\' && !is_escaped;
        goes_on
    })
}

/// `$(NAME)`, `${NAME}` and `$NAME` only name a variable; nothing follows `PASSWORD=` in `$(cat file)` either. A value
/// that goes on behind the bracket is none.
fn is_reference(value: &[u8]) -> bool {
    let Some(length) = reference_length(value) else { return false };
    let rest = value.get(length..).unwrap_or_default();
    let is_bracketed = matches!(value.get(1), Some(b'(' | b'{'));
    rest.iter().all(|byte| is_bracketed && b",;:)]}\"'".contains(byte))
}

fn reference_length(text: &[u8]) -> Option<usize> {
    let name = text.strip_prefix(b"$")?;
    let is_of_variable = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    match name.first()? {
        b'(' => {
            let mut depth = 0_u32;
            let length = length_of(name.get(..REFERENCE_BYTES_MAX).unwrap_or(name), |byte| {
                match byte {
                    b'(' => depth += 1,
                    b')' => depth -= 1,
                    _ => {}
                }
                depth > 0
            });
            (name.get(length) == Some(&b')')).then_some(length + 2)
        }
        b'{' => {
            let name = name.get(1..REFERENCE_BYTES_MAX.min(name.len()))?;
            let length = memchr(b'}', name)?;
            let name = name.get(..length)?;
            // With a default, as in `${NAME:-x}` or `${NAME-x}`, it holds a value.
            let variable = name.get(..length_of(name, is_of_variable))?;
            let has_default =
                name.get(variable.len()) == Some(&b'-') && !variable.iter().any(u8::is_ascii_lowercase);
            (!has_default && !name.iter().any(|byte| b":=+?".contains(byte))).then_some(length + 3)
        }
        _ => Some(length_of(name, is_of_variable)).filter(|length| *length > 0).map(|length| length + 1),
    }
}

/// Between a flag and its value: blanks, and a line that goes on.
fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b'\\'
}

/// Those between a name and its value. What stands on the next line is the value only if the line goes on there.
fn blanks(text: &[u8]) -> usize {
    let length = length_of(text, |byte| matches!(byte, b' ' | b'\t'));
    if text.get(length) == Some(&b'\\') { length_of(text, is_between) } else { length }
}

fn length_of(text: &[u8], mut is_in: impl FnMut(u8) -> bool) -> usize {
    text.iter().take_while(|byte| is_in(**byte)).count()
}

fn length_of_end(text: &[u8], mut is_in: impl FnMut(u8) -> bool) -> usize {
    text.iter().rev().take_while(|byte| is_in(**byte)).count()
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~')
}

#[cfg(test)]
mod tests;
