//! The notice line between filter and table: the rows counted by STATUS, or what happened, since when, and what comes
//! next. It always has the same height.

use leptos::ev;
use leptos::html::{b, button, div, kbd, span};
use leptos::prelude::*;
use leptos::svg;

use super::css;
use super::icons::{glyph, icon};
use crate::dispatch::Dispatch;
use page::model::{Notice, NoticeAction, NoticeText, Tally};

pub(crate) fn notice(shown: RwSignal<Notice>, act: Dispatch) -> impl IntoView {
    move || match shown.get() {
        Notice::None => div().class("notice").into_any(),
        Notice::Tally(tallies) => counts(tallies).into_any(),
        Notice::Text(text) => line(text, act).into_any(),
    }
}

fn counts(tallies: Vec<Tally>) -> impl IntoView {
    div()
        .class("notice notice-tally")
        .attr("aria-label", "Rows by STATUS")
        .attr("role", "group")
        .child(tallies.into_iter().map(tally).collect::<Vec<_>>())
}

fn tally(shown: Tally) -> impl IntoView {
    span().class(css::status(shown.class)).child(span().class("tally").child((
        glyph(css::glyph(shown.class)),
        span().class("tally-count").child(shown.count),
        " ",
        span().class("tally-word").child(shown.word),
    )))
}

fn line(text: NoticeText, act: Dispatch) -> impl IntoView {
    let action = text.action.map(|offer| {
        let class = if offer == NoticeAction::DismissGap { "btn" } else { "btn btn-framed" };
        let key = (offer == NoticeAction::Resume).then(|| kbd().class("narrow-hide").child("Space"));
        button().class(class).on(ev::click, move |_| act.send(offer)).child((offer.label(), key))
    });
    let sign = match text.meter {
        Some(hundredths) => meter(hundredths).into_any(),
        None => icon(css::icon(text.icon)).into_any(),
    };
    let whole = format!("{} {}", text.strong, text.text);
    div().class(format!("notice {}", css::notice(text.kind))).attr("role", "status").child((
        sign,
        span().class("notice-text cut").attr("title", whole).child((b().child(text.strong), " ", text.text)),
        action,
    ))
}

fn meter(hundredths: u32) -> impl IntoView {
    let width = f64::from(hundredths.min(100)) * 1.2;
    svg::svg()
        .attr("class", "meter")
        .attr("viewBox", "0 0 120 6")
        .attr("preserveAspectRatio", "none")
        .attr("aria-hidden", "true")
        .child(svg::rect().attr("width", width.to_string()).attr("height", "6"))
}
