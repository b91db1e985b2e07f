//! Characters that are unseen: they hide in a text, reorder it, or end its line. One list for cells, YAML, names and
//! sentences. Pure.

/// Soft hyphen, zero-width characters, fillers and the blank of Braille, the marks, embeddings, overrides and isolates of
/// bidirectional text, line and paragraph separators, the byte order mark, annotations, tags, and [joiners](is_joiner).
/// Control characters are another question ([`char::is_control`]).
pub fn is_unseen(character: char) -> bool {
    is_joiner(character)
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The joiners and the selectors of variants, which are unseen and have a meaning in some scripts and in emoji.
pub fn is_joiner(character: char) -> bool {
    matches!(character,
        '\u{34f}' | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0100}'..='\u{e01ef}')
}

/// The full-width and half-width forms, which look like other letters: `ｓｙｓｔｅｍ：` is read as `system:`.
pub fn is_other_width(character: char) -> bool {
    matches!(character, '\u{3000}' | '\u{ff01}'..='\u{ffef}')
}
