//! One event in one line, which never changes.

use std::sync::Arc;

use leptos::html::{b, div, s, span};
use leptos::prelude::*;
use page::detail::history::{Change, FieldLine};
use page::messages;

use super::super::css;
use super::super::icons::icon;
use page::model::{LogBody, LogLine};

pub(super) fn line(shown: Arc<LogLine>) -> AnyView {
    let (class, sign) = css::event(shown.kind);
    let quiet = if sign.is_empty() { " log-quiet" } else { "" };
    let error = if matches!(shown.body, LogBody::Problem { .. }) { " log-error" } else { "" };
    if let LogBody::Gap { bold, sentence } = &shown.body {
        let words = span().attr("role", "cell").child((
            b().class("strong").child(bold.clone()),
            " ",
            sentence.clone(),
        ));
        return div().class("log-gap").attr("role", "row").child((icon("#i-gap"), words)).into_any();
    }
    div()
        .class(format!("log-row{quiet}{error}"))
        .attr("role", "row")
        .child((
            cell("mono", (shown.clock.clone(), span().class("faint").child(shown.millis.clone()))),
            cell(
                class,
                (
                    span().class("ev-sign").attr("aria-hidden", "true").child(sign),
                    messages::event_word(shown.kind),
                ),
            ),
            cell(
                "name mono",
                (span().class("name-space").child(shown.namespace.clone()), span().child(shown.name.clone())),
            ),
            cell("log-what", what(&shown.body)),
            cell("mono faint", shown.writers.clone()),
            cell("mono faint", shown.resource_version.clone()),
        ))
        .into_any()
}

fn cell(class: &'static str, inside: impl IntoView) -> impl IntoView {
    span().class(class).attr("role", "cell").child(inside)
}

fn what(body: &LogBody) -> AnyView {
    match body {
        LogBody::Change { field, more, is_relisted } => (
            is_relisted.then(|| span().class("mono faint").attr("title", "seen in a list").child("≈")),
            field.as_ref().map(change),
            more.clone().map(|more| span().class("faint").child(more)),
        )
            .into_any(),
        LogBody::Words(words) => span().child(words.clone()).into_any(),
        LogBody::Problem { bold, sentence } | LogBody::Gap { bold, sentence } => {
            span().child((b().class("strong").child(bold.clone()), " ", sentence.clone())).into_any()
        }
    }
}

fn change(line: &FieldLine) -> impl IntoView + use<> {
    let (was, sign, now) = match line.change.clone() {
        Change::Became { was, now } => (Some(was), " → ", Some(now)),
        Change::Set { now } => (None, "set to ", Some(now)),
        Change::Removed { was } => (Some(was), " removed", None),
    };
    let values = span().child((
        was.map(|was| span().class("chg-was").child(s().child(was))),
        span().class("chg-to").child(sign),
        now.map(|now| span().class("chg-now").child(now)),
    ));
    span().class("chg").child((span().class("chg-path").child(line.path.clone()), values))
}
