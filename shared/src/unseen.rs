//! Characters that are unseen: they hide in a text, reorder it, or end its line. One list for cells, YAML, names and
//! sentences. Pure.

/// Soft hyphen, zero-width characters, the marks, embeddings, overrides and isolates of bidirectional text, line and
/// paragraph separators, the byte order mark, annotations and tags. Control characters are another question
/// ([`char::is_control`]).
pub fn is_unseen(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The joiners, which are unseen and have a meaning in some scripts and in emoji.
pub fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}')
}

/// The full-width and half-width forms, which look like other letters: `ｓｙｓｔｅｍ：` is read as `system:`.
pub fn is_other_width(character: char) -> bool {
    matches!(character, '\u{3000}' | '\u{ff01}'..='\u{ffef}')
}
