//! A cell's text as kubectl prints it by the cluster's clock: cut at a line break with `...`, with control
//! characters made visible. Never markup.

use std::borrow::Cow;

use shared::cell::Cell;
use shared::duration::UnixSeconds;
use shared::unseen::{is_joiner, is_unseen};

use crate::limits::CELL_CHARACTERS_MAX;

/// As `kubectl get` prints it (`printRows` and `WriteEscaped` of k8s.io/cli-runtime), for a page: characters that
/// would move a cursor or change the direction of text are made visible.
pub fn text(cell: &Cell, cluster_now: UnixSeconds) -> String {
    owned(as_kubectl(cell, cluster_now), shown)
}

/// The same for a column of a table, cut, because a cell of 100 KB would make the page slow.
pub fn in_column(cell: &Cell, cluster_now: UnixSeconds) -> String {
    cut(text(cell, cluster_now), CELL_CHARACTERS_MAX)
}

/// At most so many characters; a longer text ends with `…`.
pub(crate) fn cut(mut text: String, characters_max: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(characters_max) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// As kubectl writes it, except that a terminal obeys nothing of it: kubectl lets every control character but ESC
/// through.
pub fn for_terminal(cell: &Cell, cluster_now: UnixSeconds) -> String {
    owned(as_kubectl(cell, cluster_now), shown_with_tabs)
}

/// A text that isn't a cell, such as a column's title, for a terminal.
pub fn shown_with_tabs(text: &str) -> Cow<'_, str> {
    // Kubectl's table uses both tabs for columns, so they never reach the terminal.
    visible(text, |character| matches!(character, '\t' | '\x0b'))
}

fn owned(text: String, shown: impl Fn(&str) -> Cow<'_, str>) -> String {
    match shown(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shown) => shown,
    }
}

/// Exactly what kubectl writes.
fn as_kubectl(cell: &Cell, cluster_now: UnixSeconds) -> String {
    let printed = cell.print(cluster_now);
    if !printed.bytes().any(|b| b.is_ascii_control()) {
        return printed;
    }
    let first_line = printed.find(['\n', '\r', '\x0c']).and_then(|end| printed.get(..end));
    let mut text = first_line.unwrap_or(&printed).replace('\x1b', "^[");
    if first_line.is_some() {
        text.push_str("...");
    }
    text
}

/// Control characters as their Unicode pictures, and characters that reorder text as their numbers.
pub fn shown(text: &str) -> Cow<'_, str> {
    visible(text, |_| false)
}

fn visible(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    replaced(
        text,
        |character| is_unruly(character) && !is_kept(character),
        |shown, character| match character {
            '\0'..='\x1f' => shown.extend(char::from_u32(0x2400 + u32::from(character))),
            '\x7f' => shown.push('\u{2421}'),
            _ => shown.push_str(&format!("\u{27e8}{:04X}\u{27e9}", u32::from(character))),
        },
    )
}

/// JSON whose text no terminal obeys: in JSON these characters stand in strings alone, where an escape means the
/// same.
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    replaced(json, is_unruly, |escaped, character| {
        for unit in character.encode_utf16(&mut [0; 2]) {
            escaped.push_str(&format!("\\u{unit:04x}"));
        }
    })
}

fn replaced(
    text: &str,
    is_replaced: impl Fn(char) -> bool,
    replace: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    if !text.chars().any(&is_replaced) {
        return Cow::Borrowed(text);
    }
    let mut other = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_replaced(character) {
            replace(&mut other, character);
        } else {
            other.push(character);
        }
    }
    Cow::Owned(other)
}

/// C0, C1, and unseen characters: two texts that differ in it look the same, or are two lines.
fn is_unruly(character: char) -> bool {
    character.is_control() || is_unseen(character) && !is_joiner(character)
}

/// A text of at most so many characters: a longer one loses its middle, because a cause often stands at the end.
pub(crate) fn cut_middle(text: String, characters_max: usize) -> String {
    let more = text.chars().count().saturating_sub(characters_max);
    if more == 0 {
        return text;
    }
    let head: String = text.chars().take(characters_max / 2).collect();
    let tail: String = text.chars().skip(characters_max / 2 + more).collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_nobody_sees_are_shown_as_their_numbers() {
        assert_eq!(shown("a\u{200b}b\u{feff}\u{e0041}"), "a⟨200B⟩b⟨FEFF⟩⟨E0041⟩");
        let json = serde_json::to_string("\u{2028}\u{e0041}é").expect("JSON");
        let escaped = escaped_json(&json);
        assert_eq!(serde_json::from_str::<String>(&escaped).expect("JSON"), "\u{2028}\u{e0041}é");
        assert!(!escaped.contains(['\u{2028}', '\u{e0041}']), "{escaped}");
    }

    #[test]
    fn a_cell_is_cut_at_a_line_break_as_kubectl_does_and_no_terminal_obeys_it() {
        for (raw, terminal, page) in [
            ("plain", "plain", "plain"),
            ("two\nlines", "two...", "two..."),
            ("two\r\nlines", "two...", "two..."),
            ("red \x1b[31m", "red ^[[31m", "red ^[[31m"),
            ("tab\there", "tab\there", "tab\u{2409}here"),
            ("safe\u{202e}txt.exe", "safe⟨202E⟩txt.exe", "safe⟨202E⟩txt.exe"),
            (
                "bell\x07 csi\u{9b}2J del\x7f",
                "bell\u{2407} csi⟨009B⟩2J del\u{2421}",
                "bell\u{2407} csi⟨009B⟩2J del\u{2421}",
            ),
        ] {
            assert_eq!(for_terminal(&Cell::text(raw), 0), terminal);
            assert_eq!(text(&Cell::text(raw), 0), page);
        }
        assert_eq!(text(&Cell::Null, 0), "");
    }

    #[test]
    fn a_cell_is_longer_than_any_column_shows() {
        for (characters, expected) in [(CELL_CHARACTERS_MAX, "é"), (100 * 1024, "é…")] {
            let shown = in_column(&Cell::text(&"é".repeat(characters)), 0);
            assert_eq!(shown, "é".repeat(CELL_CHARACTERS_MAX - 1) + expected);
        }
    }

    #[test]
    fn the_end_of_a_long_text_stays() {
        for (text, expected) in [("", ""), ("aéc", "aéc"), ("abcd", "abcd"), ("abécde: not found", "ab…nd")]
        {
            assert_eq!(cut_middle(text.to_owned(), 4), expected);
        }
    }
}
