//! The freshness pill, and its popover with the proof of freshness.

use crate::dom::html::svg;
use crate::dom::html::{button, div, h2, p, section, span};
use crate::prelude::*;
use tachys::html::element::Div;
use tachys::html::event as ev;

use super::css;
use super::icons::icon;
use crate::dom;
use crate::dom::overlay::on_press_outside_while;
use crate::field::Field;
use page::model::{Hop, PillState, ProofHops};
use page::pill::Pill;
use page::pill::words;

pub(crate) fn pill(shown: Field<Pill>, proof: Field<ProofHops>) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let place = NodeRef::<Div>::new();
    let is_shown = move || is_open.try_get_untracked() == Some(true);
    on_press_outside_while(place, is_shown, move |_| is_open.set(false));
    let sign = Memo::new(move |_| shown.with(|pill| (pill.state, pill.ring)));
    let state = Memo::new(move |_| shown.with(|pill| pill.state));
    let button = button()
        .class(move || format!("pill pill-{}{}", state.get().word(), css::pill_form(state.get())))
        .attr("aria-haspopup", "dialog")
        .attr("aria-expanded", move || is_open.get().to_string())
        .on(ev::click, move |_| is_open.update(|open| *open = !*open))
        .child((
            move || {
                let (state, left) = sign.get();
                match css::pill_icon(state) {
                    Some(shown) => icon(css::icon(shown)).into_any(),
                    None => ring(left, state == PillState::Live).into_any(),
                }
            },
            span().child((
                span().class("pill-word").child(move || shown.with(|pill| pill.word.clone())),
                span().class("pill-detail").child(move || shown.with(|pill| pill.detail.clone())),
            )),
        ));
    div()
        .class("pill-place")
        .node_ref(place)
        .on(ev::keydown, move |event| {
            if dom::element::plain_key(&event).as_deref() == Some("Escape") {
                is_open.set(false);
            }
        })
        .child((button, move || is_open.get().then(|| popover(proof))))
}

/// The length of the ring: 2π times its radius of 5.5.
const RING: f64 = 34.56;

fn ring(left: u32, has_dot: bool) -> impl IntoView {
    let left = RING * f64::from(left) / 100.0;
    let circle = |class: &'static str, radius: &'static str| {
        svg::circle().attr("class", class).attr("cx", "7").attr("cy", "7").attr("r", radius)
    };
    svg::svg().attr("class", "ring").attr("viewBox", "0 0 14 14").attr("aria-hidden", "true").child((
        circle("ring-track", "5.5"),
        circle("ring-left", "5.5")
            .attr("stroke-dasharray", format!("{left:.1} {:.1}", RING + 1.0 - left))
            .attr("transform", "rotate(-90 7 7) scale(1 -1) translate(0 -14)"),
        has_dot.then(|| circle("ring-dot", "2.25")),
    ))
}

fn popover(proof: Field<ProofHops>) -> impl IntoView {
    section()
        .class("pop pop-pad proof pop-proof")
        .attr("role", "dialog")
        .attr("aria-label", move || proof.with(|proof| proof.title.clone()))
        .child(move || {
            let ProofHops { title, said, cluster, gateway, foot } = proof.get();
            (
                h2().class("pop-title").child(title),
                (!said.is_empty()).then(|| p().class("proof-said").child(said)),
                div().class("proof-hops").child((
                    stop("kube-apiserver"),
                    hop(cluster),
                    stop(words::GATEWAY),
                    hop(gateway),
                    stop(words::THIS_PAGE),
                )),
                p().class("pop-foot").child(foot),
            )
        })
}

fn stop(name: &'static str) -> impl IntoView {
    (span().class("proof-node"), span().class("proof-stop").child(name))
}

fn hop(hop: Hop) -> impl IntoView {
    let class = if hop.is_broken { "proof-link proof-link-broken" } else { "proof-link" };
    // A time is on the line of its fact, even if the fact takes several lines.
    let facts: Vec<_> = hop
        .facts
        .into_iter()
        .map(|(fact, time)| {
            div().class("proof-fact").child((div().child(fact), div().class("proof-when").child(time)))
        })
        .collect();
    (span().class(class), div().class("proof-facts").child(facts))
}
