//! A line shows an event, or another field of the event above it. A click opens the object.

use std::sync::Arc;

use leptos::ev;
use leptos::html::{b, button, div, s, span};
use leptos::prelude::*;
use page::detail::history::{Change, FieldLine};
use page::messages;

use super::super::css;
use super::super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom;
use page::action::{LogAction, PanelAction};
use page::model::{LogBody, LogLine};

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
        cell("name mono", (space, span().child(shown.name.clone())))
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
    let before = shown.is_before.then(|| span().class("sr").child(messages::BEFORE));
    row.attr("id", id(number))
        .attr("aria-selected", shown.has_focus.to_string())
        .attr("title", shown.is_before.then_some(messages::BEFORE))
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
            cell("mono faint", shown.writers.clone()),
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

fn what(shown: &LogLine, act: Dispatch) -> AnyView {
    match &shown.body {
        LogBody::Change { field, more, is_relisted } => (
            is_relisted.then(|| span().class("mono faint").attr("title", "seen in a list").child("≈")),
            field.as_ref().map(change),
            more.clone().map(|more| unfold(shown, more, act)),
        )
            .into_any(),
        LogBody::Field(field) => change(field).into_any(),
        LogBody::Words(words) => span().class("log-words").child(words.clone()).into_any(),
        LogBody::Problem { bold, sentence } | LogBody::Gap { bold, sentence } => {
            span().child((b().class("strong").child(bold.clone()), " ", sentence.clone())).into_any()
        }
    }
}

/// `+9 fields`, which shows them.
fn unfold(shown: &LogLine, more: String, act: Dispatch) -> AnyView {
    let Some(is_unfolded) = shown.is_unfolded else {
        return span().class("faint").child(more).into_any();
    };
    let number = shown.number;
    button()
        .class("log-more")
        .attr("tabindex", "-1")
        .attr("aria-expanded", is_unfolded.to_string())
        .attr("title", messages::UNFOLD)
        .on(ev::click, move |event| {
            event.stop_propagation();
            act.send(LogAction::Focus(number));
            act.send(LogAction::Unfold);
        })
        .child(more)
        .into_any()
}

fn change(line: &FieldLine) -> impl IntoView + use<> {
    let (was, sign, now) = match line.change.clone() {
        Change::Became { was, now } => (Some(was), " → ", Some(now)),
        Change::Set { now } => (None, "set to ", Some(now)),
        Change::Removed { was } => (Some(was), " removed", None),
    };
    let values = span().class("chg-values").child((
        was.map(|was| span().class("chg-was").child(s().child(was))),
        span().class("chg-to").child(sign),
        now.map(|now| span().class("chg-now").child(now)),
    ));
    span().class("chg").child((span().class("chg-path").child(line.path.clone()), values))
}
