//! The rows of the window from the entries: times, names, and texts in parts that look alike. Never where they stand.

use std::ops::Range;
use std::rc::Rc;

use shared::frame::server::LogTime;
use shared::state::UnixMillis;

use super::beginning::Older;
use super::buffer::{Entry, What};
use super::json;
use super::layout::{event_columns, wrapped};
use super::model::{LogsRow, MarkKind, PieceLook, RowBody, RowPiece, RowTime};
use super::names::Names;
use super::needle::Needle;
use super::settings::Times;
use super::sources::{Label, Sources};
use super::text::{Style, Text};
use super::words;
use crate::messages::{self, Zone};
use crate::numbers;

/// Characters of a line that isn't wrapped: no window has room for more.
const LINE_BYTES_MAX: usize = 2_000;

/// What rows are drawn from.
pub(super) struct Draw<'a> {
    pub(super) sources: &'a Sources,
    pub(super) names: &'a Names,
    pub(super) needle: &'a Needle,
    pub(super) columns: Option<usize>,
    /// Characters of a name beside a line, of which there is room for fewer in a narrow window.
    pub(super) label_characters: usize,
    pub(super) is_raw: bool,
    pub(super) times: Times,
    pub(super) here: Option<u64>,
    pub(super) older: Older,
    pub(super) now_ms: UnixMillis,
    pub(super) zone: Zone,
}

impl Draw<'_> {
    /// `is_unfolded`: the fields of its JSON stand below it.
    pub(super) fn row(&self, entry: &Entry, place: usize, part: usize, is_unfolded: bool) -> Rc<LogsRow> {
        let is_link = !matches!(entry.what, What::Event(_));
        let time = self.time(entry.at, is_link);
        let body = match &entry.what {
            What::Mark(mark) => {
                let (kind, sentence) = self.names.mark(entry.source, mark);
                self.sentence(entry, kind, sentence, 0)
            }
            What::Event(event) => {
                let kind = if event.is_warning { MarkKind::Bad } else { MarkKind::Plain };
                self.sentence(entry, kind, self.names.event(event), part)
            }
            What::Line { text, level, cut } => {
                let is_json = json::looks_so(&text.text);
                let own = self.columns.map_or(1, |columns| wrapped(&text.text, columns).count());
                let mut pieces = match part.checked_sub(own) {
                    Some(below) => self.field(&text.text, below),
                    None => self.text(text, part, is_json, *cut),
                };
                hit(&mut pieces, self.needle);
                RowBody::Line {
                    label: self.label(entry.source, part),
                    level: *level,
                    fold: (part == 0 && is_json).then_some(is_unfolded),
                    pieces,
                    is_here: self.here == Some(entry.number),
                }
            }
        };
        Rc::new(LogsRow { place, number: entry.number, part, time, body })
    }

    /// Above the first row.
    pub(super) fn older(&self) -> Rc<LogsRow> {
        let body = RowBody::Older { can_be_asked: self.older == Older::NotAsked };
        Rc::new(LogsRow { place: 0, number: u64::MAX, part: 0, time: RowTime::default(), body })
    }

    /// The name stands in the first row of a line, where there are several sources.
    fn label(&self, source: u32, part: usize) -> Option<Label> {
        let label = self.sources.label_of(source).filter(|_| self.sources.are_named())?;
        let text = if part == 0 {
            words::cut_start(label.text.clone(), self.label_characters)
        } else {
            String::new()
        };
        Some(Label { text, ..label.clone() })
    }

    /// An Event says no milliseconds, and no link names it.
    fn time(&self, at: Option<LogTime>, is_link: bool) -> RowTime {
        let Some(at) = at.filter(|_| self.times != Times::Off) else { return RowTime::default() };
        let mut whole = stamp(at);
        if is_link {
            whole = whole + "\n" + words::LINK_TO_LINE;
        }
        match self.times {
            Times::Ago => {
                let clock = messages::ago(self.now_ms.saturating_sub(at.ms));
                RowTime { clock, millis: String::new(), whole, is_link }
            }
            _ => {
                let millis = if is_link { format!(".{:03}", at.ms.rem_euclid(1_000)) } else { String::new() };
                RowTime { clock: messages::clock(at.ms, self.zone), millis, whole, is_link }
            }
        }
    }

    fn text(&self, text: &Text, part: usize, is_json: bool, cut: u64) -> Vec<RowPiece> {
        if let Some(columns) = self.columns {
            let mut rows = wrapped(&text.text, columns).skip(part).peekable();
            let Some(row) = rows.next() else { return Vec::new() };
            let mut pieces = of_styles(text, row);
            if cut > 0 && rows.peek().is_none() {
                pieces.push(note(words::cut_line(cut)));
            }
            return pieces;
        }
        in_one_row(text, is_json && !self.is_raw, cut)
    }

    /// A row below a line that is unfolded.
    fn field(&self, text: &str, below: usize) -> Vec<RowPiece> {
        let line = json::unfolded(text).into_iter().nth(below).unwrap_or_default();
        let mut pieces: Vec<RowPiece> = line.into_iter().map(of_token).collect();
        shorten(&mut pieces, LINE_BYTES_MAX);
        pieces
    }

    /// A row of what a mark or an Event says. A mark has one.
    fn sentence(&self, entry: &Entry, kind: MarkKind, sentence: String, part: usize) -> RowBody {
        let columns = self.columns.filter(|_| matches!(entry.what, What::Event(_))).map(event_columns);
        let row = match columns {
            Some(columns) => wrapped(&sentence, columns).nth(part).unwrap_or_default(),
            None => 0..sentence.len(),
        };
        let mut pieces = vec![RowPiece {
            text: sentence.get(row).unwrap_or_default().to_owned(),
            style: Style::default(),
            look: PieceLook::Text,
            is_hit: false,
        }];
        hit(&mut pieces, self.needle);
        RowBody::Mark { kind, sentence, pieces, is_here: self.here == Some(entry.number) }
    }
}

/// A whole text in one row, as far as any window has room.
pub(super) fn in_one_row(text: &Text, with_fields: bool, cut: u64) -> Vec<RowPiece> {
    let fields = if with_fields { json::in_a_line(&text.text) } else { None };
    let mut pieces = match fields {
        Some(tokens) => tokens.into_iter().map(of_token).collect(),
        None => of_styles(text, 0..text.text.floor_char_boundary(LINE_BYTES_MAX)),
    };
    let shown: usize = pieces.iter().map(|piece| piece.text.len()).sum();
    if shown > LINE_BYTES_MAX {
        shorten(&mut pieces, LINE_BYTES_MAX);
    }
    if text.text.len() > LINE_BYTES_MAX {
        pieces.push(note(words::more_of_line(text.text.len() - LINE_BYTES_MAX)));
    } else if cut > 0 {
        pieces.push(note(words::cut_line(cut)));
    }
    pieces
}

/// `2026-11-29T14:02:11.123456789Z`, as the kubelet writes it.
pub fn stamp(at: LogTime) -> String {
    let second = at.ms.div_euclid(1_000);
    let (date, clock) = (numbers::date(second.div_euclid(86_400)), numbers::time_of_day(second));
    format!("{date}T{clock}.{:03}{:06}Z", at.ms.rem_euclid(1_000), at.ns)
}

fn note(text: String) -> RowPiece {
    RowPiece { text, style: Style::default(), look: PieceLook::Note, is_hit: false }
}

fn of_token(token: json::Token) -> RowPiece {
    let look = match token.kind {
        json::Kind::Key => PieceLook::Key,
        json::Kind::Level => PieceLook::Level,
        json::Kind::Value | json::Kind::Sign => PieceLook::Text,
    };
    RowPiece { text: token.text, style: Style::default(), look, is_hit: false }
}

/// A part of a text, cut where it looks otherwise.
fn of_styles(text: &Text, range: Range<usize>) -> Vec<RowPiece> {
    let mut pieces = Vec::new();
    let mut push = |from: usize, to: usize, style: Style| {
        if let Some(part) = text.text.get(from..to).filter(|part| !part.is_empty()) {
            pieces.push(RowPiece { text: part.to_owned(), style, look: PieceLook::Text, is_hit: false });
        }
    };
    let mut at = range.start;
    for part in text.styled.iter().filter(|part| part.end > range.start && part.start < range.end) {
        let (start, end) = (part.start.max(range.start), part.end.min(range.end));
        push(at, start, Style::default());
        push(start, end, part.style);
        at = end;
    }
    push(at, range.end, Style::default());
    pieces
}

fn shorten(pieces: &mut Vec<RowPiece>, bytes_max: usize) {
    let mut left = bytes_max;
    let mut is_over = false;
    pieces.retain_mut(|piece| {
        if is_over {
            return false;
        }
        let end = piece.text.floor_char_boundary(left);
        is_over = end < piece.text.len();
        piece.text.truncate(end);
        left -= end;
        if is_over {
            piece.text.push('…');
        }
        true
    });
}

/// Marks what is looked for, also where its letters look differently.
fn hit(pieces: &mut Vec<RowPiece>, needle: &Needle) {
    if needle.is_nothing() {
        return;
    }
    let whole: String = pieces.iter().map(|piece| &*piece.text).collect();
    let places = needle.places(&whole);
    if places.is_empty() {
        return;
    }
    let mut cut = Vec::new();
    let mut start = 0;
    for piece in pieces.drain(..) {
        let end = start + piece.text.len();
        let mut at = start;
        let mut push = |from: usize, to: usize, is_hit: bool| {
            if let Some(text) = whole.get(from..to).filter(|text| !text.is_empty()) {
                cut.push(RowPiece { text: text.to_owned(), is_hit, ..piece.clone() });
            }
        };
        for place in places.iter().filter(|place| place.end > start && place.start < end) {
            let (from, to) = (place.start.max(start), place.end.min(end));
            push(at, from, false);
            push(from, to, true);
            at = to;
        }
        push(at, end, false);
        start = end;
    }
    *pieces = cut;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(pieces: &[RowPiece]) -> Vec<(&str, bool)> {
        pieces.iter().map(|piece| (&*piece.text, piece.is_hit)).collect()
    }

    #[test]
    fn what_is_looked_for_is_marked_over_colours() {
        let text = Text::read("a \x1b[31mtime\x1b[0mout b");
        let mut pieces = of_styles(&text, 0..text.text.len());
        hit(&mut pieces, &Needle::read("timeout").expect("a word"));
        assert_eq!(plain(&pieces), [("a ", false), ("time", true), ("out", true), (" b", false)]);
        assert_eq!(pieces[1].style.ink, Some(1));
        assert_eq!(pieces[2].style.ink, None);
    }

    #[test]
    fn a_part_of_a_text_keeps_its_colours() {
        let text = Text::read("ab\x1b[32mcd\x1b[0mef");
        let parts = of_styles(&text, 1..5);
        assert_eq!(plain(&parts), [("b", false), ("cd", false), ("e", false)]);
    }

    #[test]
    fn a_long_text_ends_with_dots() {
        let mut pieces = of_styles(&Text::read("ab\x1b[32mäö\x1b[0mef"), 0..8);
        shorten(&mut pieces, 5);
        assert_eq!(plain(&pieces), [("ab", false), ("ä…", false)]);
    }

    #[test]
    fn a_time_is_written_as_the_kubelet_does() {
        assert_eq!(stamp(LogTime { ms: 1_767_323_045_000, ns: 7 }), "2026-01-02T03:04:05.000000007Z");
    }
}
