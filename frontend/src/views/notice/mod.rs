//! The notice line between filter and table: the rows counted by health, each entry a filter, or what happened, since
//! when, and what comes next. It always has the same height.

use crate::dom::html::svg;
use crate::dom::html::{b, button, div, kbd, span};
use crate::prelude::*;
use tachys::html::event as ev;

use super::css;
use super::icons::{glyph, icon};
use super::said::said as in_words;
use crate::dispatch::Dispatch;
use crate::field::Field;
use page::action::PaneAction;
use page::model::{Notice, NoticeAction, NoticeText, Tally};
use page::notice::words;

pub(crate) fn notice(shown: Field<Notice>, out_of_order: Field<usize>, act: Dispatch) -> impl IntoView {
    move || match shown.get() {
        Notice::None => div().class("notice").child(re_sort(out_of_order, act)).into_any(),
        Notice::Tally { entries, is_trouble_first, beside: None } => {
            counts(entries, is_trouble_first, out_of_order, act).into_any()
        }
        Notice::Tally { entries, is_trouble_first, beside: Some(text) } => {
            let class = format!("notice notice-both {}", css::notice(text.kind));
            let tally = counts(entries, is_trouble_first, out_of_order, act);
            div()
                .class(class)
                .child((tally, div().class("notice-said").attr("role", "status").child(said(text, act))))
                .into_any()
        }
        Notice::Text(text) => {
            let class = format!("notice {}", css::notice(text.kind));
            div().class(class).attr("role", "status").child(said(text, act)).into_any()
        }
    }
}

fn counts(
    entries: Vec<Tally>,
    is_trouble_first: bool,
    out_of_order: Field<usize>,
    act: Dispatch,
) -> impl IntoView {
    let order = button()
        .class("btn tally tally-order")
        .attr("aria-pressed", is_trouble_first.to_string())
        // A double click on what stood there before is one click.
        .on(ev::click, move |event| {
            if event.detail() <= 1 {
                act.send(PaneAction::ToggleTroubleFirst);
            }
        })
        .child(words::TROUBLE_FIRST);
    div().class("notice notice-tally").attr("aria-label", words::ROWS_BY_HEALTH).attr("role", "group").child(
        (
            entries.into_iter().map(|entry| tally(entry, act)).collect::<Vec<_>>(),
            re_sort(out_of_order, act),
            order,
        ),
    )
}

/// Where rows aren't at their place: puts them there.
fn re_sort(out_of_order: Field<usize>, act: Dispatch) -> impl IntoView {
    move || {
        let rows = out_of_order.get();
        (rows > 0).then(|| {
            button()
                .class("btn tally-moved")
                .attr("aria-keyshortcuts", "r")
                .attr("title", words::RE_SORT)
                .on(ev::click, move |_| act.send(PaneAction::Settle))
                .child(words::out_of_order(rows))
        })
    }
}

fn tally(shown: Tally, act: Dispatch) -> impl IntoView {
    let class = shown.health.class();
    let entry = button()
        .class(if shown.is_none { "tally tally-none" } else { "tally" })
        .attr("aria-pressed", shown.is_on.to_string())
        .on(ev::click, move |_| act.send(PaneAction::ToggleHealth(shown.health)));
    span().class(css::status(class)).child(entry.child((
        glyph(css::glyph(class)),
        span().class("tally-count").child(shown.count),
        " ",
        span().class("tally-word").child(shown.word),
    )))
}

fn said(text: NoticeText, act: Dispatch) -> impl IntoView {
    let action = |offer: NoticeAction| {
        let key = offer.key().map(|key| kbd().class("narrow-hide").child(key));
        button().class("btn btn-framed").on(ev::click, move |_| act.send(offer)).child((offer.label(), key))
    };
    let actions: Vec<_> = text.actions.into_iter().map(action).collect();
    let sign = match text.meter {
        Some(hundredths) => meter(hundredths).into_any(),
        None => icon(css::icon(text.icon)).into_any(),
    };
    let whole = format!("{} {}", text.strong, text.text).replace('`', "");
    (
        sign,
        span().class("notice-text cut").attr("title", whole).child((
            b().child(in_words(&text.strong)),
            " ",
            in_words(&text.text),
        )),
        actions,
    )
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
