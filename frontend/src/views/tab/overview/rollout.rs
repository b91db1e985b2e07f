//! The head of a rollout: its versions, a bar of its pods, what each part of the bar stands for, and what it waits for.

use std::sync::Arc;

use crate::dom::html::svg;
use crate::dom::html::{a, b, div, h3, section, span};
use crate::prelude::*;
use page::tab::overview::rollout::{Hold, PodPart, RolloutModel};
use page::tab::overview::words;

use super::super::super::panel::head::status;
use crate::dom;
use crate::field::Field;

/// The parts change apart from each other: a link must stay while an age goes on.
pub(super) fn rollout(shown: Field<Arc<Option<RolloutModel>>>) -> impl IntoView {
    let state = memo(shown, |held| held.status.clone());
    let since = memo(shown, |held| held.since.clone());
    let versions = memo(shown, |held| (held.old.clone(), held.new.clone(), held.revisions.clone()));
    let pods = memo(shown, |held| (held.parts.clone(), held.legend.clone(), held.label.clone()));
    let hold = memo(shown, |held| held.hold.clone());
    section().class("part roll").attr("id", "rollout").attr("aria-label", words::ROLLOUT).child((
        div().class("roll-line").child((
            h3().class("part-title").child(words::ROLLOUT),
            move || state.get().map(|(class, word)| status(class, word)),
            span().class("faint cut").attr("title", since).child(since),
        )),
        div()
            .class("roll-versions")
            .child(move || versions.with(|(old, new, revisions)| line(old, new, revisions))),
        move || {
            pods.with(|(parts, legend, label)| {
                (!parts.is_empty()).then(|| {
                    let entries = legend.iter().map(entry).collect::<Vec<_>>();
                    (bar(parts, label), div().class("roll-legend").attr("aria-hidden", "true").child(entries))
                })
            })
        },
        div().class("roll-hold cut").child(move || hold.get().map(held)),
    ))
}

fn memo<T: Clone + Default + PartialEq + Send + Sync + 'static>(
    shown: Field<Arc<Option<RolloutModel>>>,
    read: fn(&RolloutModel) -> T,
) -> Memo<T> {
    Memo::new(move |_| shown.with(|held| (**held).as_ref().map(read).unwrap_or_default()))
}

fn line(old: &str, new: &str, revisions: &str) -> impl IntoView + use<> {
    let old = (!old.is_empty()).then(|| {
        let arrow = span().attr("aria-hidden", "true").child("→");
        (
            span().class("soft cut").attr("title", old.to_owned()).child(old.to_owned()),
            arrow,
            span().class("sr").child(words::BECOMES),
        )
    });
    (
        old,
        b().class("cut").attr("title", new.to_owned()).child(new.to_owned()),
        span().class("roll-revision").child(revisions.to_owned()),
    )
}

/// The bar's own width and height: it is stretched to the panel's.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 12.0;
/// Between two parts.
const SPACE: f64 = 3.0;

fn bar(parts: &[(PodPart, f64, f64)], label: &str) -> impl IntoView + use<> {
    let rect = |(part, from, to): &(PodPart, f64, f64)| {
        let width = ((to - from) * WIDTH - SPACE).max(1.0);
        svg::rect()
            .attr("class", class_of(*part))
            .attr("x", format!("{:.1}", from * WIDTH + 1.0))
            .attr("y", "1")
            .attr("width", format!("{width:.1}"))
            .attr("height", "10")
    };
    svg::svg()
        .attr("class", "roll-bar")
        .attr("viewBox", format!("0 0 {WIDTH} {HEIGHT}"))
        .attr("preserveAspectRatio", "none")
        .attr("role", "img")
        .attr("aria-label", label.to_owned())
        .child((hatch(), parts.iter().map(rect).collect::<Vec<_>>()))
}

/// The pattern of what is on its way.
fn hatch() -> impl IntoView {
    svg::defs().child(
        svg::pattern()
            .attr("id", "roll-hatch")
            .attr("width", "5")
            .attr("height", "5")
            .attr("patternUnits", "userSpaceOnUse")
            .attr("patternTransform", "rotate(45)")
            .child(svg::path().attr("class", "roll-hatch").attr("d", "M0 0V5")),
    )
}

fn entry((part, count, word): &(PodPart, usize, &'static str)) -> impl IntoView + use<> {
    let swatch = svg::rect()
        .attr("class", class_of(*part))
        .attr("x", "0.5")
        .attr("y", "0.5")
        .attr("width", "11")
        .attr("height", "9");
    span().child((
        svg::svg().attr("width", "12").attr("height", "10").child(swatch),
        b().child(count.to_string()),
        " ",
        *word,
    ))
}

fn class_of(part: PodPart) -> &'static str {
    match part {
        PodPart::Ready => "roll-ready",
        PodPart::Starting => "roll-starting",
        PodPart::NotReady => "roll-not-ready",
        PodPart::Old => "roll-old",
        PodPart::Ending => "roll-ending",
        PodPart::Missing => "roll-missing",
    }
}

fn held(hold: Hold) -> impl IntoView {
    let Hold { before, pod, after } = hold;
    let pod = pod.map(|((start, end), href)| {
        let name = format!("{start}{end}");
        let link = match href {
            Some(href) => a().class("mono").attr("href", dom::address::href(href)).child(name).into_any(),
            None => span().class("mono").child(name).into_any(),
        };
        (" ", link)
    });
    (before, pod, after)
}
