//! How much is wrong, as a chip in another page. It is alone in its root, and its element hears the click.

use crate::dom::html::{a, button, div, span};
use crate::prelude::*;

use super::super::css;
use super::super::fetched::ChipShown;
use super::super::icons::{glyph, sprite};
use super::super::root::{self, Mounted};
use crate::dom;
use crate::field::Field;
use crate::files::Sheet;
use crate::signals::PaneSignals;

pub(crate) fn chip(host: &dom::Host, pane: PaneSignals, shown: Field<ChipShown>) -> Option<Mounted> {
    root::mount_into(host, Sheet::View, move || {
        let to_list = Memo::new(move |_| shown.with(|shown| shown.to_list.clone()));
        div().class("dw dw-chip").attr("data-theme", move || pane.theme.get().attribute()).child((
            sprite(),
            move || match to_list.get() {
                Some(target) => a()
                    .class(class(shown))
                    .attr("href", move || shown.with(|shown| dom::address::href(&shown.report.link)))
                    .attr("target", target)
                    .attr("rel", "noopener")
                    .attr("title", move || shown.with(|shown| shown.report.detail.clone()))
                    .child(inside(shown))
                    .into_any(),
                None => button()
                    .class(class(shown))
                    .attr("type", "button")
                    .attr("title", move || shown.with(|shown| shown.report.detail.clone()))
                    .child(inside(shown))
                    .into_any(),
            },
        ))
    })
}

fn class(shown: Field<ChipShown>) -> impl Fn() -> String + 'static {
    move || format!("wrong-chip {}", css::status(shown.with(|shown| shown.report.class)))
}

fn inside(shown: Field<ChipShown>) -> impl IntoView {
    (
        move || glyph(css::glyph(shown.with(|shown| shown.report.class))),
        span().class("wrong-chip-text").child(move || shown.with(|shown| shown.report.text.clone())),
    )
}
