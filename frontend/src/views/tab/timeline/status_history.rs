//! The status over time, drawn in percent of the panel's width.

use std::sync::Arc;

use crate::dom::html::svg;
use crate::dom::html::{div, span};
use crate::field::Field;
use crate::prelude::*;
use page::status::Class;
use page::tab::timeline::status_history::{Segment, SegmentKind, StatusHistoryModel};
use page::tab::timeline::words;

pub(super) fn status_history(shown: Field<Option<Arc<StatusHistoryModel>>>) -> impl IntoView {
    move || shown.get().map(|shown| drawn(&shown))
}

fn drawn(shown: &StatusHistoryModel) -> impl IntoView + use<> {
    let legend = shown.legend.iter().map(legend_entry).collect::<Vec<_>>();
    div().class("lane").child((
        div()
            .class("lane-names")
            .attr("aria-hidden", "true")
            .child((span().child(words::STATUS_HISTORY_STATE), span().child(words::STATUS_HISTORY_CHANGES))),
        svg::svg().attr("role", "img").attr("aria-label", shown.description.clone()).child((
            hatch(),
            shown.segments.iter().map(segment).collect::<Vec<_>>(),
            shown.ticks.iter().map(|at| tick(*at)).collect::<Vec<_>>(),
            line("0%", "100%", 44, 44, "lane-axis"),
            shown.axis.iter().map(|(at, label)| mark(*at, label)).collect::<Vec<_>>(),
        )),
        div().class("lane-legend").attr("aria-hidden", "true").child(legend),
    ))
}

/// The words of segments that have no room for theirs.
fn legend_entry(kind: &SegmentKind) -> impl IntoView + use<> {
    let swatch = svg::rect()
        .attr("class", class_of(kind))
        .attr("x", "0.5")
        .attr("y", "0.5")
        .attr("width", "11")
        .attr("height", "9");
    span().child((svg::svg().attr("width", "12").attr("height", "10").child(swatch), kind.word().to_owned()))
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
    let (class, word) = (class_of(&segment.kind), segment.kind.word());
    let width = (segment.to - segment.from).max(0.002);
    // A word is shown if its segment has room for it.
    let fits = width > 0.027 * (f64::from(u32::try_from(word.chars().count()).unwrap_or(99)) * 0.62 + 1.0);
    let text = fits.then(|| {
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
        .attr("height", "14")
        .child(svg::title().child(segment.title.clone()));
    (rect, text)
}

fn class_of(kind: &SegmentKind) -> String {
    let SegmentKind::State { class, shade, .. } = kind else { return "lane-gap".to_owned() };
    let class = match class {
        Class::Ok => "lane-run",
        Class::Bad => "lane-back",
        Class::Warn => "lane-short",
        _ => "lane-wait",
    };
    format!("{class} lane-shade-{}", shade % SHADES)
}

/// The sheet has so many for each colour.
const SHADES: usize = 3;

fn tick(at: f64) -> impl IntoView {
    let at = percent(at);
    line(&at, &at, 30, 37, "lane-tick")
}

/// A label at an edge is moved inwards.
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
