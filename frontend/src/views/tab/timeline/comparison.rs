//! The comparison of two versions. A sign says which version a line is of, as its colour does.

use std::sync::Arc;

use crate::dom::html::{button, div, section, span};
use crate::prelude::*;
use page::detail::compare::DiffLine;
use page::messages;
use page::tab::timeline::words;
use tachys::html::event as ev;

use super::super::super::icons::icon;
use crate::dispatch::Dispatch;
use crate::field::Field;
use page::tab::timeline::comparison::ComparisonAction;
use page::tab::timeline::comparison::ComparisonModel;

pub(super) fn comparison(shown: Field<Option<Arc<ComparisonModel>>>, act: Dispatch) -> impl IntoView {
    move || shown.get().map(|shown| shown_of(&shown, act))
}

fn shown_of(shown: &Arc<ComparisonModel>, act: Dispatch) -> impl IntoView + use<> {
    let badge = |letter: &'static str| span().class("cmp-badge").child(letter);
    let time = |time: &str| span().class("mono").child(time.to_owned());
    section().class("cmp").attr("id", "comparison").attr("aria-label", words::COMPARE_A_B).child((
        div().class("cmp-head").child((
            badge("A"),
            time(&shown.a),
            span().class("faint").child("→"),
            badge("B"),
            time(&shown.b),
            span().class("faint cut").child(shown.summary.clone()),
            span().class("push"),
            button()
                .class("btn btn-icon")
                .attr("aria-label", words::CLOSE_COMPARISON)
                .on(ev::click, move |_| act.send(ComparisonAction::Close))
                .child(icon("#i-close")),
        )),
        div()
            .class("diff")
            .attr("tabindex", "0")
            .attr("role", "group")
            .attr("aria-label", shown.summary.clone())
            .child(shown.lines.iter().map(line).collect::<Vec<_>>()),
    ))
}

fn line(line: &DiffLine) -> impl IntoView + use<> {
    let (class, number, sign, word, text) = match line {
        DiffLine::Same { number, text } => ("diff-line", Some(number), "", "", text),
        DiffLine::Removed { number, text } => {
            ("diff-line diff-del", Some(number), "−", messages::REMOVED_WORD, text)
        }
        DiffLine::Added { number, text } => {
            ("diff-line diff-add", Some(number), "+", words::ADDED_WORD, text)
        }
        DiffLine::Fold(text) => ("diff-line diff-fold", None, "", "", text),
    };
    let word = (!word.is_empty()).then(|| span().class("sr").child(word));
    div().class(class).child((
        span().child(number.map(ToString::to_string)),
        span().child((sign, word)),
        span().class("cut").child(text.clone()),
    ))
}
