//! The status over time, drawn in percent of the panel's width.

use std::sync::Arc;

use leptos::html::{div, span};
use leptos::prelude::*;
use leptos::svg;
use page::messages;
use page::model::{Segment, SegmentKind, StatusHistoryModel};
use page::status::Class;

pub(super) fn status_history(shown: RwSignal<Option<Arc<StatusHistoryModel>>>) -> impl IntoView {
    move || shown.get().map(|shown| drawn(&shown))
}

fn drawn(shown: &StatusHistoryModel) -> impl IntoView + use<> {
    div().class("lane").child((
        div().class("lane-names").attr("aria-hidden", "true").child((
            span().child(messages::STATUS_HISTORY_STATE),
            span().child(messages::STATUS_HISTORY_CHANGES),
        )),
        svg::svg().attr("role", "img").attr("aria-label", shown.description.clone()).child((
            hatch(),
            shown.segments.iter().map(segment).collect::<Vec<_>>(),
            shown.ticks.iter().map(|at| tick(*at)).collect::<Vec<_>>(),
            line("0%", "100%", 44, 44, "lane-axis"),
            marks(&shown.axis),
        )),
    ))
}

fn percent(part: f64) -> String {
    format!("{:.2}%", part * 100.0)
}

/// The pattern for times in which nothing was seen.
fn hatch() -> impl IntoView {
    svg::defs().child(
        svg::pattern()
            .attr("id", "lane-hatch")
            .attr("width", "7")
            .attr("height", "7")
            .attr("patternUnits", "userSpaceOnUse")
            .attr("patternTransform", "rotate(45)")
            .child(svg::path().attr("class", "lane-hatch").attr("d", "M0 0V7")),
    )
}

fn segment(segment: &Segment) -> impl IntoView + use<> {
    let (class, word) = match &segment.kind {
        SegmentKind::Blind => ("lane-gap", ""),
        SegmentKind::State { word, class } => (class_of(*class), &**word),
    };
    let width = (segment.to - segment.from).max(0.002);
    // A word is shown if its segment has room for it.
    let fits = width > 0.02 * (f64::from(u32::try_from(word.chars().count()).unwrap_or(99)) * 0.62 + 1.0);
    let text = (fits && !word.is_empty()).then(|| {
        svg::text()
            .attr("class", "lane-word")
            .attr("x", percent(segment.from + 0.008))
            .attr("y", "21")
            .child(word.to_owned())
    });
    let rect = svg::rect()
        .attr("class", class)
        .attr("x", percent(segment.from))
        .attr("width", percent(width))
        .attr("y", "10")
        .attr("height", "14");
    (rect, text)
}

fn class_of(class: Class) -> &'static str {
    match class {
        Class::Ok => "lane-run",
        Class::Bad => "lane-back",
        Class::Warn => "lane-short",
        Class::Busy | Class::Done | Class::Idle | Class::Unknown => "lane-wait",
    }
}

fn tick(at: f64) -> impl IntoView {
    let at = percent(at);
    line(&at, &at, 30, 37, "lane-tick")
}

/// A label at an edge is moved inwards. If it might cover another label, only its line is drawn.
fn marks(axis: &[(f64, String)]) -> impl IntoView + use<> {
    let is_read = |at: f64| axis.len() < 3 || (0.07..=0.93).contains(&at);
    axis.iter().map(|(at, label)| mark(*at, if is_read(*at) { label } else { "" })).collect::<Vec<_>>()
}

fn mark(at: f64, label: &str) -> impl IntoView + use<> {
    let place = percent(at);
    let anchor = match at {
        at if at > 0.93 => "end",
        at if at < 0.07 => "start",
        _ => "middle",
    };
    let text = svg::text()
        .attr("x", place.clone())
        .attr("y", "58")
        .attr("text-anchor", anchor)
        .child(label.to_owned());
    (line(&place, &place, 44, 48, "lane-axis"), text)
}

fn line(from: &str, to: &str, y1: u32, y2: u32, class: &'static str) -> impl IntoView + use<> {
    svg::line()
        .attr("class", class)
        .attr("x1", from.to_owned())
        .attr("x2", to.to_owned())
        .attr("y1", y1.to_string())
        .attr("y2", y2.to_string())
}
