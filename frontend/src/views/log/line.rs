//! A line shows an event, or another field of the event above it. A click opens the object.

use std::sync::Arc;

use crate::dom::html::{b, button, div, span};
use crate::prelude::*;
use page::detail::history::{FieldLine, Headline};
use page::log::words;
use page::messages;
use tachys::html::event as ev;

use super::super::change::{field, headline};
use super::super::css;
use super::super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom;
use page::action::{LogAction, PanelAction};
use page::log::LogLine;
use page::model::LogBody;

/// The id of the line of an event, by which the focus names it.
pub(super) fn id(number: u64) -> String {
    format!("change-{number}")
}

pub(super) fn line(shown: Arc<LogLine>, act: Dispatch) -> AnyView {
    let (sign_class, sign) = css::event(shown.kind);
    let number = shown.number;
    // Where the pointer was pressed: a click that moved was a selection of text.
    let pressed = StoredValue::new(None);
    let open = move |event: ev::MouseEvent| {
        act.send(LogAction::Focus(number));
        if dom::element::is_plain(&event) && !dom::element::has_moved(&event, pressed.get_value()) {
            act.send(PanelAction::Open { row: None, key: None });
        }
    };
    let row = div()
        .class(class(&shown, sign))
        .attr("role", "row")
        .on(ev::pointerdown, move |event| pressed.set_value(Some(dom::element::place_px(&event))))
        .on(ev::click, open);
    let name = || {
        let space = span().class("name-space").child(shown.namespace.clone());
        let whole = format!("{}{}", shown.namespace, shown.name);
        titled("name mono", whole, (space, span().class("cut").child(shown.name.clone())))
    };
    if let LogBody::Gap { bold, sentence } = &shown.body {
        let words = span().attr("role", "gridcell").child((
            b().class("strong").child(bold.clone()),
            " ",
            sentence.clone(),
        ));
        return div().class("log-gap").attr("role", "row").child((icon("#i-gap"), words)).into_any();
    }
    if shown.part > 0 {
        let empty = || cell("", ());
        return row.child((empty(), empty(), empty(), cell("log-what", what(&shown, act)))).into_any();
    }
    let before = shown.is_before.then(|| span().class("sr").child(words::BEFORE));
    row.attr("id", id(number))
        .attr("aria-selected", shown.has_focus.to_string())
        .attr("title", shown.is_before.then_some(words::BEFORE))
        .child((
            cell(
                "mono log-time",
                (shown.clock.clone(), span().class("faint").child(shown.millis.clone()), before),
            ),
            cell(
                sign_class,
                (
                    span().class("ev-sign").attr("aria-hidden", "true").child(sign),
                    span().class("ev-word").child(messages::event_word(shown.kind)),
                ),
            ),
            name(),
            cell("log-what", what(&shown, act)),
            titled("mono faint", shown.writers.clone(), shown.writers.clone()),
            cell("mono faint", shown.resource_version.clone()),
        ))
        .into_any()
}

fn class(shown: &LogLine, sign: &str) -> String {
    let quiet = if sign.is_empty() { " log-quiet" } else { "" };
    let error = if matches!(shown.body, LogBody::Problem { .. }) { " log-error" } else { "" };
    let focus = if shown.has_focus { " log-focus" } else { "" };
    let before = if shown.is_before { " log-before" } else { "" };
    let part = if shown.part > 0 { " log-part" } else { "" };
    format!("log-row{quiet}{error}{focus}{before}{part}")
}

fn cell(class: &'static str, inside: impl IntoView) -> impl IntoView {
    span().class(class).attr("role", "gridcell").child(inside)
}

/// What has no room has its whole in a tooltip.
fn titled(class: &'static str, whole: String, inside: impl IntoView) -> impl IntoView {
    span().class(class).attr("role", "gridcell").attr("title", whole).child(inside)
}

fn what(shown: &LogLine, act: Dispatch) -> AnyView {
    match &shown.body {
        LogBody::Change { headline: head, field: line, more, is_relisted } => {
            // A field that has no room beside the headline leaves whole.
            let beside = line.as_ref().map(|line| match head {
                None => field(line).into_any(),
                Some(_) => span().class("log-beside").child(field(line)).into_any(),
            });
            let text = [head.as_ref().map(Headline::text), line.as_ref().map(FieldLine::text)];
            let text = text.into_iter().flatten().collect::<Vec<_>>().join("\n");
            (
                is_relisted
                    .then(|| span().class("mono faint").attr("title", messages::SEEN_IN_A_LIST).child("≈")),
                span()
                    .class("log-change")
                    .attr("title", Some(text).filter(|text| !text.is_empty()))
                    .child((head.as_ref().map(headline), beside)),
                more.clone().map(|more| unfold(shown.number, more, shown.is_unfolded == Some(true), act)),
            )
                .into_any()
        }
        LogBody::Field(line) => {
            span().class("log-change").attr("title", line.text()).child(field(line)).into_any()
        }
        LogBody::Routine(words) => unfold(shown.number, words.clone(), false, act),
        LogBody::Words(words) => span().class("log-words").child(words.clone()).into_any(),
        LogBody::Problem { bold, sentence } | LogBody::Gap { bold, sentence } => {
            span().child((b().class("strong").child(bold.clone()), " ", sentence.clone())).into_any()
        }
    }
}

/// `+9 fields`, which shows them. The arrow keys of the rows do the same, so it is no stop of the Tab key.
fn unfold(number: u64, words: String, is_unfolded: bool, act: Dispatch) -> AnyView {
    button()
        .class("log-more")
        .attr("tabindex", "-1")
        .attr("aria-expanded", is_unfolded.to_string())
        .attr("title", words::UNFOLD)
        .on(ev::click, move |event| {
            event.stop_propagation();
            act.send(LogAction::Focus(number));
            act.send(if is_unfolded { LogAction::Fold } else { LogAction::Unfold });
        })
        .child(words)
        .into_any()
}
