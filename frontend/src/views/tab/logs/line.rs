//! A row is a line with its time and the name of its source, or a mark. Every text is a text node.

use crate::dom::html::{button, div, span};
use crate::prelude::*;
use page::logs::{From, Level, LogsAction, LogsRow, MarkKind, PieceLook, RowBody, RowPiece, RowTime, words};
use tachys::html::event as ev;

use super::super::super::icons::icon;
use crate::dispatch::Dispatch;

pub(super) fn line(row: &LogsRow, row_px: Memo<f64>, act: Dispatch) -> AnyView {
    let (place, number) = (row.place, row.number);
    let at = ("top", move || format!("{}px", pixels(place, row_px.get())));
    match &row.body {
        RowBody::Mark { kind, sentence, pieces, is_here } => {
            let (class, sign) = mark(*kind);
            let text: Vec<AnyView> = pieces.iter().map(piece).collect();
            div()
                .class(class.to_owned() + state(row.part, *is_here))
                .style(at)
                .child((
                    time(&row.time, number, act),
                    icon(sign),
                    span().class("cut").attr("title", sentence.clone()).child(text),
                ))
                .into_any()
        }
        RowBody::Older { can_be_asked } => {
            let (class, sign) = mark(MarkKind::Gap);
            let ask = can_be_asked.then(|| {
                button()
                    .class("lg-act")
                    .attr("id", "logs-all")
                    .on(ev::click, move |_| act.send(LogsAction::From(From::Start)))
                    .child(words::ASK_ALL)
            });
            div().class(class).style(at).child((icon(sign), span().child(words::OLDER), ask)).into_any()
        }
        RowBody::Line { label, level, fold, pieces, is_here } => {
            let label = label.as_ref().map(|label| {
                span()
                    .class(format!("lg-pod lg-p{}", label.colour))
                    .attr("title", label.whole.clone())
                    .child(label.text.clone())
            });
            let fold = fold.map(|is_unfolded| {
                button()
                    .class("lg-more")
                    .attr("tabindex", "-1")
                    .attr("aria-expanded", is_unfolded.to_string())
                    .attr("aria-label", words::UNFOLD)
                    .on(ev::click, move |_| act.send(LogsAction::Unfold(number)))
                    .child(icon(if is_unfolded { "#i-down" } else { "#i-right" }))
            });
            let text: Vec<AnyView> = pieces.iter().map(piece).collect();
            div()
                .class(class(*level, row.part, *is_here))
                .style(at)
                .child((
                    span().class("lg-edge"),
                    // Below the first row of a line it keeps the room alone.
                    time(&row.time, number, act),
                    label,
                    fold,
                    span().class("lg-text").child(text),
                ))
                .into_any()
        }
    }
}

/// A click makes the address that of the line. The keyboard has a key for it: with a stop at each line Tab would lead nowhere.
fn time(time: &RowTime, number: u64, act: Dispatch) -> Option<AnyView> {
    let RowTime { clock, millis, whole, is_link } = time.clone();
    if clock.is_empty() {
        return None;
    }
    let text = (clock, span().class("lg-ms").child(millis));
    if !is_link {
        return Some(span().class("lg-time").attr("title", whole).child(text).into_any());
    }
    let link = button()
        .class("lg-time lg-link")
        .attr("tabindex", "-1")
        .attr("title", whole)
        .on(ev::click, move |_| act.send(LogsAction::Line(number)))
        .child(text);
    Some(link.into_any())
}

/// The classes of a row below the first one of its entry, and of the one that is pointed out.
fn state(part: usize, is_here: bool) -> &'static str {
    match (part > 0, is_here) {
        (false, false) => "",
        (true, false) => " lg-part",
        (false, true) => " lg-here",
        (true, true) => " lg-part lg-here",
    }
}

fn class(level: Option<Level>, part: usize, is_here: bool) -> String {
    let level = match level {
        Some(Level::Error | Level::Fatal) => " lg-error",
        Some(Level::Warn) => " lg-warn",
        Some(Level::Debug | Level::Trace) => " lg-quiet",
        _ => "",
    };
    format!("lg-line{level}{}", state(part, is_here))
}

fn mark(kind: MarkKind) -> (&'static str, &'static str) {
    match kind {
        MarkKind::Plain => ("lg-line lg-mark", "#i-log"),
        MarkKind::Bad => ("lg-line lg-mark lg-mark-bad", "#i-alert"),
        MarkKind::Gap => ("lg-line lg-mark lg-mark-gap", "#i-gap"),
        MarkKind::Refused => ("lg-line lg-mark lg-mark-bad", "#i-lock"),
    }
}

pub(super) fn piece(piece: &RowPiece) -> AnyView {
    let mut class = String::new();
    let mut add = |name: &str| {
        if !class.is_empty() {
            class.push(' ');
        }
        class.push_str(name);
    };
    match piece.look {
        PieceLook::Text => {}
        PieceLook::Key => add("lg-key"),
        PieceLook::Level => add("lg-level"),
        PieceLook::Note => add("lg-note"),
    }
    let style = piece.style;
    for (name, is_on) in [
        ("an-b", style.is_bold),
        ("an-d", style.is_faint),
        ("an-i", style.is_italic),
        ("an-u", style.is_underlined),
        ("lg-unseen", style.is_unseen),
        ("lg-hit", piece.is_hit),
    ] {
        if is_on {
            add(name);
        }
    }
    if let Some(ink) = style.ink {
        add(&format!("an-{ink}"));
    }
    if let Some(ground) = style.ground {
        add(&format!("ab ab-{ground}"));
    }
    if class.is_empty() {
        return piece.text.clone().into_any();
    }
    span().class(class).child(piece.text.clone()).into_any()
}

#[expect(clippy::cast_precision_loss, reason = "row counts are far below 2^52")]
fn pixels(place: usize, row_px: f64) -> f64 {
    place as f64 * row_px
}
