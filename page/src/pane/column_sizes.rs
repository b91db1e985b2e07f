//! The widths of the columns as `grid-template-columns`, computed from characters.

use super::column::{Column, Look};
use crate::action::FontSize;
use crate::limits::COLUMN_PX_MIN;
use crate::widths::Widths;

/// In views of this width and less, wide columns, NAMESPACE and usage aren't shown.
const NARROW_PX: f64 = 640.0;
/// The first column, which has the signs `+`, `~` and `−`.
const GUTTER_PX: f64 = 26.0;
/// A cell's padding, left and right.
const PADDING_PX: f64 = 16.0;
/// A header's letters are strong, spaced capitals of 11 px beside the sort's arrow.
const HEAD_CHARACTER_PX: f64 = 8.2;
const HEAD_ARROW_PX: f64 = 14.0;
/// The sign before a status word.
const GLYPH_PX: f64 = 16.0;
/// Characters are measured as digits; the `m` of an age is wider than a digit.
const UNIT_PX: f64 = 6.0;
/// Bold letters are wider than plain ones by this factor.
const STRONG: f64 = 1.12;
/// A wider cell is cut, because the message of an Event would take the whole table.
const COLUMN_PX_MAX: f64 = 560.0;

pub(super) fn is_narrow(width_px: f64) -> bool {
    width_px <= NARROW_PX
}

/// `grid-template-columns`: each column as wide as its widest cell, less where there is no room,
/// and the rest of the width empty at the right.
pub(super) fn template(columns: &[Column], widths: &Widths, font: FontSize, width_px: f64) -> String {
    let sizes: Vec<Size> =
        columns.iter().enumerate().map(|(index, column)| size(column, widths.shown(index), font)).collect();
    let fits = |least: fn(&Size) -> f64| sizes.iter().map(least).sum::<f64>() + GUTTER_PX <= width_px;
    // A narrow view first cuts names and words, then titles, and at last all columns alike, so that it never
    // scrolls sideways, unless the columns go across its edge.
    let least: fn(&Size) -> f64 = if fits(|size| size.least) {
        |size| size.least
    } else if fits(|size| size.tight) {
        |size| size.tight
    } else {
        |_| 0.0
    };
    let mut template = format!("{GUTTER_PX}px");
    for size in &sizes {
        template += &format!(" minmax({}px, {}px)", least(size), size.wanted);
    }
    template + " minmax(0, 1fr)"
}

/// Whether there are so many columns that each would be too narrow to be read or dragged. They then go across
/// the view's edge.
pub(super) fn go_across(columns: &[Column], width_px: f64) -> bool {
    !is_narrow(width_px) && to_px(columns.len()) * f64::from(COLUMN_PX_MIN) + GUTTER_PX > width_px
}

/// The widths of a column in pixels.
struct Size {
    /// With room for its widest cell.
    wanted: f64,
    /// If there is less room.
    least: f64,
    /// In a narrow view.
    tight: f64,
}

fn size(column: &Column, characters: usize, font: FontSize) -> Size {
    if let Some(width_px) = column.width_px.map(f64::from) {
        return Size { wanted: width_px, least: width_px, tight: f64::from(COLUMN_PX_MIN) };
    }
    // Before the first row has come, there is room for a usual one.
    let characters = match (characters, column.look) {
        (0, Look::Name) => 32,
        (0, Look::Status) => 12,
        // `4d11h`, `10m30s`: an age becomes longer as time passes.
        (seen, Look::Words) if column.at_end => seen.max(6),
        (seen, _) => seen,
    };
    let cell_px = match column.look {
        Look::Name | Look::Identifier => to_px(characters) * font.mono_px,
        Look::Status => to_px(characters) * font.text_px * STRONG + GLYPH_PX,
        _ => to_px(characters) * font.text_px + UNIT_PX,
    };
    let title_px = to_px(column.title.chars().count()) * HEAD_CHARACTER_PX + PADDING_PX;
    let wanted = (cell_px + PADDING_PX).max(title_px + HEAD_ARROW_PX).ceil().min(COLUMN_PX_MAX);
    // The middle of a name may be cut.
    let least = match column.look {
        Look::Name => 160.0,
        Look::Status => 108.0,
        Look::Identifier | Look::Words if !column.at_end => 72.0,
        _ => 84.0,
    };
    let tight = match column.look {
        Look::Name => 120.0,
        Look::Status => 96.0,
        // An age is never cut.
        _ if column.at_end => wanted,
        _ => title_px,
    };
    Size { wanted, least: title_px.max(least).min(wanted).ceil(), tight: tight.min(wanted).ceil() }
}

#[expect(clippy::cast_precision_loss, reason = "characters of a cell are far below 2^52")]
fn to_px(characters: usize) -> f64 {
    characters as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Source;

    fn column(title: &str, look: Look, width_px: Option<u16>) -> Column {
        Column {
            source: Source::Cell(0),
            title: title.to_owned(),
            description: String::new(),
            key: title.to_lowercase().into(),
            look,
            at_end: false,
            width_px,
            is_usage: false,
        }
    }

    #[test]
    fn columns_are_as_wide_as_their_cells_and_give_way_in_a_narrow_view() {
        let columns = [
            column("NAME", Look::Name, None),
            column("IP", Look::Identifier, None),
            column("A", Look::Words, Some(50)),
        ];
        let mut widths = Widths::default();
        for (index, characters) in [40, 10, 3].into_iter().enumerate() {
            widths.see(index, characters);
        }
        widths.grow(0);
        let font = FontSize { mono_px: 10.0, text_px: 10.0 };
        for (width_px, expected) in [
            (1_000.0, "minmax(160px, 416px) minmax(72px, 116px) minmax(50px, 50px)"),
            (300.0, "minmax(120px, 416px) minmax(33px, 116px) minmax(40px, 50px)"),
            (100.0, "minmax(0px, 416px) minmax(0px, 116px) minmax(0px, 50px)"),
        ] {
            let expected = format!("26px {expected} minmax(0, 1fr)");
            assert_eq!(template(&columns, &widths, font, width_px), expected);
        }
    }

    #[test]
    fn more_columns_than_can_be_read_go_on_beyond_the_edge() {
        let many = vec![column("A", Look::Words, None); 40];
        assert_eq!([go_across(&many, 1_000.0), go_across(&many, 640.0)], [true, false]);
        assert!(!go_across(&many[..4], 1_000.0));
    }
}
