//! Writes a scalar so that every parser of YAML 1.1 and 1.2 reads the same value back: plain if that is safe, else
//! in double quotes. What a parser might take for another type (`no`, `1e3`, `12:30`, `2026-01-01`) is quoted.

use serde_json::Value;
use shared::unseen::is_unseen;

/// A key or a text in one line.
pub(super) fn quoted(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { in_quotes(text) }
}

/// A scalar in one line; an empty list or map too.
pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(_) => "[]".to_owned(),
        Value::Object(_) => "{}".to_owned(),
    }
}

/// The header and lines of a literal block, for a multi-line text that a block can hold.
pub(super) fn block(text: &str) -> Option<(&'static str, Vec<&str>)> {
    if !text.contains('\n') || text.starts_with([' ', '\t', '\n']) {
        return None;
    }
    let body = text.trim_end_matches('\n');
    let header = match text.len() - body.len() {
        0 => "|-",
        1 => "|",
        // Empty lines at the end need `|+`, which reads differently by what follows.
        _ => return None,
    };
    let fits = |line: &str| {
        let is_blank_but_not_empty = !line.is_empty() && line.trim().is_empty();
        !is_blank_but_not_empty && !line.starts_with('\t') && line.chars().all(|c| c == '\t' || is_printed(c))
    };
    let lines: Vec<&str> = body.split('\n').collect();
    lines.iter().all(|line| fits(line)).then_some((header, lines))
}

fn is_plain(text: &str) -> bool {
    let (Some(first), Some(last)) = (text.chars().next(), text.chars().next_back()) else { return false };
    let opens_plainly = match first {
        '-' => text.len() > 1 && !text.starts_with("- ") && !text.starts_with("---"),
        // Some parser may take it for a number, a date or a time.
        '0'..='9' | '.' | '+' => false,
        _ => first.is_alphanumeric() || matches!(first, '/' | '_' | '(' | '$' | '^' | ';'),
    };
    let is_number_like = first == '-' && text.chars().nth(1).is_some_and(|c| c.is_ascii_digit() || c == '.');
    (opens_plainly || (first.is_ascii_digit() && is_name_like(text)))
        && !is_number_like
        && last != ':'
        && last != ' '
        && !text.contains(": ")
        && !text.contains(" #")
        && text.chars().all(is_printed)
        && !is_word_with_meaning(text)
}

/// `7c9d8f6b54`, `10.42.5.201`, `100m`, `1.36.3`, a uid: begins with a digit, but no schema takes it for a number, a
/// date or a time.
fn is_name_like(text: &str) -> bool {
    let has_stray_letter =
        text.bytes().any(|b| b.is_ascii_alphabetic() && !b"eExXoObB_abcdfABCDF".contains(&b));
    let several = |sign: u8| text.bytes().filter(|b| *b == sign).count() >= 2;
    let is_simple = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'/' | b'_'));
    is_simple && (has_stray_letter || several(b'.') || several(b'-')) && !looks_like_a_date(text)
}

fn looks_like_a_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().take(4).all(u8::is_ascii_digit) && bytes.get(4) == Some(&b'-')
}

fn is_word_with_meaning(text: &str) -> bool {
    const WORDS: [&str; 13] =
        ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "nan", "infinity", "~"];
    WORDS.iter().any(|word| text.trim_start_matches('-').eq_ignore_ascii_case(word))
}

/// Not a control character, not one that reorders or hides text, not one that YAML reads as a line break.
fn is_printed(character: char) -> bool {
    !character.is_control() && !is_unseen(character) && !matches!(character, '\u{fff0}'..='\u{ffff}')
}

fn in_quotes(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            hidden if !is_printed(hidden) && u32::from(hidden) > 0xffff => {
                quoted.push_str(&format!("\\U{:08x}", u32::from(hidden)));
            }
            hidden if !is_printed(hidden) => quoted.push_str(&format!("\\u{:04x}", u32::from(hidden))),
            plain => quoted.push(plain),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_read_as_something_else_is_quoted() {
        let plain = "Running,app.kubernetes.io/name,7c9d8f6b54-x2lqp,10.42.5.201,512Mi,--port=80,ghcr.io/a/b:1.2,\
                     a b,kube-api@x,grün,1.2.3,9273d53c-a91b-4ef6-a480-0a0580ba283c";
        for plain in plain.split(',') {
            assert_eq!(quoted(plain), plain);
        }
        let unsafe_plain = ", a,a ,a: b,a #b,a:,no,Yes,NULL,~,1,1e3,0x1f,0o7,1_000,12:30,2026-01-01,\
                            2026-01-01T00:00:00Z,.5,-1,-.inf,- a,---,*a,&a,!a,[a],{a},'a',%a,@a,`a`,\
                            a\u{202e}b,a\u{1b}[31m,a\tb,5e3,1.5,=,<<,?,:,|,>,\u{feff}a";
        for text in unsafe_plain.split(',') {
            assert!(quoted(text).starts_with('"'), "{text:?} is written as {}", quoted(text));
        }
        assert_eq!(quoted("a\u{202e}b\u{1b}\"\\"), r#""a\u202eb\u001b\"\\""#);
    }

    #[test]
    fn a_text_of_several_lines_is_a_block_where_a_block_can_hold_it() {
        assert_eq!(block("a\nb\n"), Some(("|", vec!["a", "b"])));
        assert_eq!(block("a\n\n  b"), Some(("|-", vec!["a", "", "  b"])));
        for text in ["a", " a\nb", "\na", "a\n \nb", "a\n\n", "a\n\tb", "a\n\u{1b}", "a\r\nb"] {
            assert_eq!(block(text), None, "{text:?}");
        }
    }
}
