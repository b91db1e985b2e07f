//! How wide a cell's text is, and which part of it must not be cut. Never the width of a column.

use super::font::FontSize;
use super::widths::CellWidth;
use crate::model::{Body, TextLook};
use crate::pane::column::{Column, Look};
use crate::status::Class;

/// The shape before a status, and the gap behind it.
const GLYPH_PX: f64 = 16.0;
/// How long ago is written smaller than the count before it, with a gap between them.
const AGO_SIZE: f64 = 12.0 / 13.0;
const AGO_GAP_PX: f64 = 6.0;
/// A status is a word. A longer one is a sentence, which may be cut.
const STATUS_PX_MAX: f64 = 260.0;
/// An IPv6 address has at most 39 letters. What is longer is a host's name, which may be cut.
const ADDRESS_LETTERS: f64 = 39.0;
/// A longer name has a row in two lines, or is cut.
const NAME_LETTERS_MAX: f64 = 48.0;
/// Room for the ellipsis in a hash.
const ELLIPSIS_LETTERS: f64 = 2.0;
/// A browser rounds the parts of a text.
const ROUNDING_PX: f64 = 1.0;

pub(super) fn cell_width(body: &Body, column: &Column, font: &FontSize) -> CellWidth {
    let mono = |text: &str| font.mono_width_px(text);
    let (least_px, whole_px, count_px) = match body {
        Body::Status { class, text, .. } => {
            let letters = if *class == Class::Bad { &font.strong } else { &font.text };
            let whole = letters.width_px(text) + GLYPH_PX;
            (whole.min(STATUS_PX_MAX), whole, whole)
        }
        Body::Name { owner, middle, tail } => {
            let whole = mono(owner) + mono(middle) + mono(tail);
            let least = match middle.is_empty() {
                true => whole,
                false => (mono(owner) + mono(tail) + ELLIPSIS_LETTERS * font.mono_px).min(whole),
            };
            (least.min(NAME_LETTERS_MAX * font.mono_px), whole, whole)
        }
        Body::Count { text, ago } => {
            // A number has room for at least three digits.
            let count = font.text.width_px(text).max(font.text.width_px("000"));
            let ago = ago.as_deref().map_or(0.0, |ago| AGO_GAP_PX + font.text.width_px(ago) * AGO_SIZE);
            (count, count + ago, count)
        }
        Body::Plain { text, look } => {
            let whole = match look {
                TextLook::Identifier | TextLook::NoIdentifier => mono(text),
                TextLook::Short => font.strong.width_px(text),
                TextLook::Words | TextLook::Nothing => font.text.width_px(text),
            };
            let least = match column.look {
                Look::Ready => whole,
                Look::Address => whole.min(ADDRESS_LETTERS * font.mono_px),
                _ if column.at_end => whole,
                _ => 0.0,
            };
            (least, whole, whole)
        }
    };
    let round = |px: f64| if px > 0.0 { px + ROUNDING_PX } else { 0.0 };
    CellWidth {
        least_px: round(least_px),
        whole_px: round(whole_px),
        count_px: round(count_px),
        says_something: says_something(body),
    }
}

fn says_something(body: &Body) -> bool {
    match body {
        Body::Plain { look: TextLook::Nothing | TextLook::NoIdentifier, .. } => false,
        Body::Plain { text, .. } | Body::Status { text, .. } | Body::Count { text, .. } => !text.is_empty(),
        Body::Name { .. } => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane::columns::font::Letters;
    use crate::query::Source;

    fn widths(look: Look, at_end: bool, body: &Body) -> (f64, f64, bool) {
        let column = Column { look, at_end, ..Column::of_test("X") };
        let font = FontSize { mono_px: 7.0, text: Letters::even(6.0), strong: Letters::even(8.0) };
        let width = cell_width(body, &column, &font);
        (width.least_px, width.whole_px, width.says_something)
    }

    fn plain(look: TextLook, text: &str) -> Body {
        Body::Plain { text: text.to_owned(), look }
    }

    #[test]
    fn a_status_is_measured_as_it_is_drawn_and_only_the_middle_of_a_hash_may_be_cut() {
        assert_eq!(Column::of_test("X").source, Source::Cell(0));
        let status = |class| Body::Status { class, text: "Error".to_owned(), why: String::new() };
        assert_eq!(
            widths(Look::Status, false, &status(Class::Bad)),
            (57.0, 57.0, true),
            "bold, with its shape"
        );
        assert_eq!(widths(Look::Status, false, &status(Class::Ok)), (47.0, 47.0, true));
        let name = |middle: &str| Body::Name {
            owner: "web-".to_owned(),
            middle: middle.to_owned(),
            tail: "x2x9z".to_owned(),
        };
        assert_eq!(widths(Look::Name, false, &name("5d9f8c7b6-")), (78.0, 134.0, true));
        assert_eq!(widths(Look::Name, false, &name("")), (64.0, 64.0, true), "nothing of it may be cut");
        for (look, at_end, body, expected) in [
            (Look::Ready, false, plain(TextLook::Short, "1/2"), (25.0, 25.0, true)),
            (Look::Address, false, plain(TextLook::Identifier, "10.0.0.1"), (57.0, 57.0, true)),
            (Look::Address, false, plain(TextLook::Identifier, &"x".repeat(60)), (274.0, 421.0, true)),
            (Look::Words, true, plain(TextLook::Words, "4d11h"), (31.0, 31.0, true)),
            (Look::Words, false, plain(TextLook::Words, "a text"), (0.0, 37.0, true)),
            (Look::Words, false, plain(TextLook::Nothing, "<none>"), (0.0, 37.0, false)),
        ] {
            assert_eq!(widths(look, at_end, &body), expected, "{body:?}");
        }
        let count = Body::Count { text: "5".to_owned(), ago: Some(" (2m ago)".to_owned()) };
        let (least, whole, _) = widths(Look::Count, false, &count);
        assert!(least == 19.0 && whole > 70.0, "the time may leave: {least} {whole}");
    }
}
