//! In which rows the lines stand: a line takes one, as many as its text has where it is wrapped, and those of its fields where it
//! is unfolded; a line that the filter hides takes none.

use std::collections::BTreeMap;
use std::ops::Range;

use super::buffer::{Buffer, Entry, What};
use super::names::Names;

/// The first row of each entry, and what decides how many rows it takes. The layout follows the buffer, and lays out anew what
/// changed there.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The first row of each entry.
    starts: Vec<usize>,
    total: usize,
    /// The columns of a text, where texts are wrapped.
    columns: Option<usize>,
    /// The further rows of the unfolded lines, by their numbers.
    unfolded: BTreeMap<u64, usize>,
    is_stale: bool,
    /// A row that is of no entry stands above the others.
    has_head: bool,
}

/// A text has as many where the view has no room for them.
const COLUMNS_MIN: usize = 8;
/// The sign before a mark, with the room around it.
const SIGN_COLUMNS: usize = 4;

impl Layout {
    pub(super) fn set_columns(&mut self, columns: Option<usize>) {
        let columns = columns.map(|columns| columns.max(COLUMNS_MIN));
        self.is_stale |= self.columns != columns;
        self.columns = columns;
    }

    pub(super) fn columns(&self) -> Option<usize> {
        self.columns
    }

    pub(super) fn set_head(&mut self, has_head: bool) {
        self.is_stale |= self.has_head != has_head;
        self.has_head = has_head;
    }

    /// Without other rows there is none.
    fn head_rows(&self) -> usize {
        usize::from(self.has_head && self.total > 0)
    }

    pub(super) fn is_head(&self, row: usize) -> bool {
        row < self.head_rows()
    }

    pub(super) fn unfold(&mut self, number: u64, rows: usize) {
        self.unfolded.insert(number, rows);
        self.is_stale = true;
    }

    pub(super) fn fold(&mut self, number: u64) {
        self.is_stale |= self.unfolded.remove(&number).is_some();
    }

    pub(super) fn is_unfolded(&self, number: u64) -> bool {
        self.unfolded.contains_key(&number)
    }

    pub(super) fn fold_all(&mut self) {
        self.is_stale |= !self.unfolded.is_empty();
        self.unfolded.clear();
    }

    /// Follows what changed among the entries. Returns whether something did.
    pub(super) fn follow(&mut self, buffer: &mut Buffer) -> bool {
        let entries = buffer.entries().len();
        let changed_from = buffer.take_changes();
        let from = if self.is_stale { 0 } else { changed_from.min(self.starts.len()) };
        if from == entries && self.starts.len() == entries {
            return false;
        }
        let mut row = self.starts.get(from).copied().unwrap_or(self.total);
        if from == 0 {
            row = 0;
        }
        self.starts.truncate(from);
        for entry in buffer.entries().get(from..).unwrap_or_default() {
            self.starts.push(row);
            row += self.rows_of(entry, buffer.names());
        }
        self.total = row;
        self.is_stale = false;
        true
    }

    fn rows_of(&self, entry: &Entry, names: &Names) -> usize {
        if !entry.is_shown {
            return 0;
        }
        let text = match &entry.what {
            What::Line { text, .. } => &*text.text,
            What::Mark(_) => return 1,
            What::Event(event) => {
                let rows = |columns| wrapped(&names.event(event), columns).count();
                return self.columns.map(event_columns).map_or(1, rows);
            }
        };
        let further = self.unfolded.get(&entry.number).copied().unwrap_or_default();
        let own = self.columns.map_or(1, |columns| wrapped(text, columns).count());
        own + further
    }

    pub(super) fn total(&self) -> usize {
        self.head_rows() + self.total
    }

    pub(super) fn row_of(&self, place: usize) -> usize {
        self.head_rows() + self.starts.get(place).copied().unwrap_or(self.total)
    }

    /// The entry of a row, and which of its rows that is.
    pub(super) fn entry_at(&self, row: usize) -> Option<(usize, usize)> {
        let row = row.checked_sub(self.head_rows())?;
        if row >= self.total {
            return None;
        }
        // The last that begins here: those before it are hidden.
        let place = self.starts.partition_point(|start| *start <= row).checked_sub(1)?;
        Some((place, row - self.starts.get(place)?))
    }
}

/// The columns of an Event where a line's text has so many: a sign stands before its text.
pub(super) fn event_columns(columns: usize) -> usize {
    columns.saturating_sub(SIGN_COLUMNS).max(COLUMNS_MIN)
}

/// The rows of a text. A row ends behind a space, or behind a sign that parts words, where one stands in its last third, else
/// behind its last space, and where it has none at its last column. A space for which the row has no column is in no row.
pub(super) fn wrapped(text: &str, columns: usize) -> impl Iterator<Item = Range<usize>> {
    let is_ascii = text.is_ascii();
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let rest = text.get(start..)?;
        let (length, behind) = match full_row(rest, columns, is_ascii) {
            Some(full) => row_end(rest, full),
            None => (rest.len(), rest.len()),
        };
        next = (behind < rest.len()).then_some(start + behind);
        Some(start..start + length)
    })
}

/// The bytes of a text for which there are columns. `None`: there are columns for all of it.
fn full_row(text: &str, columns: usize, is_ascii: bool) -> Option<usize> {
    if is_ascii {
        return (text.len() > columns).then_some(columns);
    }
    let mut column = 0;
    let over = text.char_indices().find(|(at, character)| {
        column += width(*character);
        column > columns && *at > 0
    });
    over.map(|(at, _)| at)
}

/// Where a row ends that is full behind so many bytes, and where the next one begins.
fn row_end(text: &str, full: usize) -> (usize, usize) {
    let (row, behind) = text.split_at_checked(full).unwrap_or((text, ""));
    if behind.starts_with(' ') {
        return (full, full + 1);
    }
    // A row of an indentation alone would be an empty one.
    let indentation = row.len() - row.trim_start_matches(' ').len();
    let last_third = full - full / 3;
    let space = row.rfind(' ').map(|at| at + 1).filter(|at| *at > indentation);
    let is_near = |at: &usize| *at >= last_third;
    let is_wide =
        [row.chars().next_back(), behind.chars().next()].into_iter().flatten().any(|c| width(c) > 1);
    let end = space.filter(is_near).or_else(|| {
        if is_wide {
            return Some(full);
        }
        row.rfind(PARTS_WORDS).map(|at| at + 1).filter(is_near)
    });
    let end = end.or(space).unwrap_or(full);
    (end, end)
}

/// Behind these a row may end. Each is one byte.
const PARTS_WORDS: [char; 7] = [',', ';', '/', '&', '?', '=', '|'];

/// The columns of a character in a font of one width: two for those of East Asia and for pictures, none for what is put on
/// the character before.
fn width(character: char) -> usize {
    match character {
        '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffer::Arrived;
    use super::super::filter::Filter;
    use super::super::text::Text;
    use super::*;

    fn of(texts: &[&str]) -> Buffer {
        let mut buffer = Buffer::default();
        let line = |text: &&str| {
            let what = What::Line { text: Text::read(text), level: None, cut: 0 };
            Arrived { source: 0, at: None, what }
        };
        buffer.add(texts.iter().map(line).collect());
        buffer
    }

    fn rows(layout: &Layout) -> Vec<(usize, usize)> {
        (0..layout.total()).filter_map(|row| layout.entry_at(row)).collect()
    }

    #[test]
    fn hidden_lines_take_no_row_and_long_ones_several() {
        let mut buffer = of(&["xb", "a", "xb", "0123456789abc", "漢字漢字漢"]);
        let mut layout = Layout::default();
        assert!(layout.follow(&mut buffer) && !layout.follow(&mut buffer));
        assert_eq!(rows(&layout), [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)]);
        buffer.set_filter(Filter::read("!xb"));
        layout.set_columns(Some(8));
        layout.unfold(1, 2);
        assert!(layout.follow(&mut buffer));
        assert_eq!(rows(&layout), [(1, 0), (1, 1), (1, 2), (3, 0), (3, 1), (4, 0), (4, 1)]);
        assert_eq!((layout.row_of(3), layout.row_of(4), layout.entry_at(7)), (3, 5, None));
        layout.fold(1);
        layout.set_columns(None);
        layout.follow(&mut buffer);
        assert_eq!(rows(&layout), [(1, 0), (3, 0), (4, 0)]);
    }

    #[test]
    fn a_head_stands_above_the_rows_of_the_lines_and_not_alone() {
        let mut buffer = of(&["xa", "b"]);
        let mut layout = Layout::default();
        layout.follow(&mut buffer);
        layout.set_head(true);
        assert!(layout.follow(&mut buffer), "all rows move");
        assert_eq!((layout.total(), layout.row_of(0), layout.row_of(1)), (3, 1, 2));
        assert!(layout.is_head(0) && !layout.is_head(1));
        assert_eq!([0, 1, 2, 3].map(|row| layout.entry_at(row)), [None, Some((0, 0)), Some((1, 0)), None]);
        buffer.set_filter(Filter::read("nothing"));
        layout.follow(&mut buffer);
        assert_eq!((layout.total(), layout.is_head(0)), (0, false));
    }

    #[test]
    fn what_arrives_at_any_place_is_laid_out_as_all_of_it_anew() {
        let mut buffer = of(&["a", "b"]);
        let mut layout = Layout::default();
        layout.follow(&mut buffer);
        for ms in [50, 10, 90, 30] {
            let at = Some(shared::frame::server::LogTime { ms, ns: 0 });
            let what = What::Line { text: Text::read("later"), level: None, cut: 0 };
            buffer.add(vec![Arrived { source: 1 + u32::try_from(ms).expect("small"), at, what }]);
            layout.follow(&mut buffer);
            let mut anew = Layout { is_stale: true, ..Layout::default() };
            anew.follow(&mut buffer);
            assert_eq!((&layout.starts, layout.total), (&anew.starts, anew.total));
        }
    }

    fn parts(text: &str, columns: usize) -> Vec<&str> {
        wrapped(text, columns).map(|part| &text[part]).collect()
    }

    #[test]
    fn a_text_without_words_is_broken_where_its_columns_end() {
        assert_eq!(parts("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(parts("漢字ab", 3), ["漢", "字a", "b"]);
        assert_eq!(parts("abc", 3), ["abc"]);
        assert_eq!(parts("", 3), [""]);
    }

    #[test]
    fn a_text_is_broken_between_its_words() {
        for (text, rows) in [
            ("one two three", &["one two ", "three"][..]),
            ("one two thr four", &["one two thr ", "four"]),
            ("the end isn't ", &["the end ", "isn't "]),
            ("the ending,so", &["the ending,", "so"]),
            ("a bc,defghijk", &["a ", "bc,defghijk"]),
            ("/orders?page=1&sort=name", &["/orders?", "page=1&sort=", "name"]),
            ("ab/cdefghijklmn", &["ab/cdefghijk", "lmn"]),
            ("         at abcdef", &["         at ", "abcdef"]),
            ("         abcdefgh", &["         abc", "defgh"]),
            ("twelve chars exact", &["twelve chars", "exact"]),
            ("twelve chars", &["twelve chars"]),
            ("twelve chars ", &["twelve chars"]),
            ("größer als zwölf", &["größer als ", "zwölf"]),
            ("a 漢字漢字漢字漢", &["a 漢字漢字漢", "字漢"]),
        ] {
            assert_eq!(parts(text, 12), rows, "{text:?}");
        }
    }

    #[test]
    fn any_text_is_in_its_rows_but_for_the_spaces_between_them() {
        let alphabet = ["a", "bc", " ", "  ", "/", "=", "ä", "漢", "e\u{301}", "\u{1f600}"];
        let mut seed = 5_u64;
        for _ in 0..3_000 {
            let mut text = String::new();
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mut bits = seed >> 3;
            for _ in 0..bits % 19 {
                bits /= 10;
                text.push_str(alphabet[usize::try_from(bits % 10).expect("small")]);
            }
            let (mut from, mut rows) = (0, 0);
            for row in wrapped(&text, 8) {
                assert!(["", " "].contains(&&text[from..row.start]), "{text:?}");
                assert!(text[row.clone()].chars().map(width).sum::<usize>() <= 8, "{text:?}");
                (from, rows) = (row.end, rows + 1);
            }
            assert!(["", " "].contains(&&text[from..]) && rows > 0, "{text:?}");
        }
    }
}
