//! The rows of the window from the entries: times, names, and texts in parts that look alike. Never where they stand.

use std::ops::Range;
use std::rc::Rc;

use shared::frame::server::{LogMark, LogTime};
use shared::state::UnixMillis;

use super::beginning::Older;
use super::buffer::{Entry, Mark, What};
use super::json;
use super::layout::breaks;
use super::model::{LogsRow, MarkKind, PieceLook, RowBody, RowPiece, RowTime};
use super::needle::Needle;
use super::pod::Pod;
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
    pub(super) needle: &'a Needle,
    pub(super) columns: Option<usize>,
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
        let mut time = self.time(entry.at);
        let body = match &entry.what {
            What::Mark(mark) => self.mark(entry.source, mark),
            What::Event(event) => {
                // An Event says no milliseconds.
                time.millis.clear();
                let pod = self.sources.name_of(&Pod::of_own(&event.pod));
                let pod = (self.sources.read_pods() > 1).then_some(&*pod);
                let sentence = words::event(&event.reason, &event.message, pod, event.count);
                RowBody::Mark {
                    kind: if event.is_warning { MarkKind::Bad } else { MarkKind::Plain },
                    sentence,
                }
            }
            What::Line { text, level, cut } => {
                let is_json = json::looks_so(&text.text);
                let own = self.columns.map_or(1, |columns| breaks(&text.text, columns).count() + 1);
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
        let text = if part == 0 { label.text.clone() } else { String::new() };
        Some(Label { text, ..label.clone() })
    }

    fn time(&self, at: Option<LogTime>) -> RowTime {
        let Some(at) = at.filter(|_| self.times != Times::Off) else { return RowTime::default() };
        let whole = format!("{} {}", stamp(at), words::LINK_TO_LINE);
        match self.times {
            Times::Ago => {
                let clock = messages::ago(self.now_ms.saturating_sub(at.ms));
                RowTime { clock, millis: String::new(), whole }
            }
            _ => {
                let millis = format!(".{:03}", at.ms.rem_euclid(1_000));
                RowTime { clock: messages::clock(at.ms, self.zone), millis, whole }
            }
        }
    }

    fn text(&self, text: &Text, part: usize, is_json: bool, cut: u64) -> Vec<RowPiece> {
        if let Some(columns) = self.columns {
            let ends = breaks(&text.text, columns).chain([text.text.len()]);
            let starts = std::iter::once(0).chain(breaks(&text.text, columns));
            let Some((start, end)) = starts.zip(ends).nth(part) else { return Vec::new() };
            let mut pieces = of_styles(text, start..end);
            if cut > 0 && end == text.text.len() {
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

    fn mark(&self, source: u32, mark: &Mark) -> RowBody {
        let (pod, what) = self.named(source);
        let (kind, sentence) = match mark.mark {
            LogMark::Restarted => (bad(mark.exit_code), words::restarted(&what, mark.exit_code)),
            LogMark::Ended => (bad(mark.exit_code), words::ended(&what, mark.exit_code)),
            LogMark::Deleted => (MarkKind::Plain, words::deleted(&pod)),
            LogMark::MayMiss => (MarkKind::Gap, words::may_miss(&what)),
            LogMark::Skipped => (MarkKind::Gap, words::skipped(mark.lines, &what)),
            LogMark::Refused => (MarkKind::Refused, words::refused(&what, mark.problem.as_ref())),
            LogMark::Unknown => (MarkKind::Plain, words::unknown_mark(&what)),
        };
        RowBody::Mark { kind, sentence }
    }

    /// The pod, and the container in it.
    fn named(&self, source: u32) -> (String, String) {
        let Some(held) = self.sources.get(source) else {
            return (words::THESE_LOGS.to_owned(), words::THESE_LOGS.to_owned());
        };
        let label = self.sources.label_of(source).filter(|_| self.sources.are_named());
        let what = label.map_or_else(|| held.container.to_string(), |label| label.text.clone());
        (self.sources.name_of(&held.pod), what)
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

fn bad(exit_code: Option<i64>) -> MarkKind {
    if exit_code.is_some_and(|code| code != 0) { MarkKind::Bad } else { MarkKind::Plain }
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
