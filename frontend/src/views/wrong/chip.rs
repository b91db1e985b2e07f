//! How much is wrong, as a chip in another page. It is alone in its root, and its element hears the click.

use crate::dom::html::{a, button, div, span};
use crate::prelude::*;
use js_sys::Function;
use page::wrong::TallyReport;
use wasm_bindgen::JsValue;

use super::super::css;
use super::super::fetched::ShowTally;
use super::super::icons::{glyph, sprite};
use super::super::root;
use crate::dom;
use crate::field::Field;
use crate::files::Sheet;

/// What a chip shows.
#[derive(Clone, Debug, Default, PartialEq)]
struct Shown {
    report: TallyReport,
    /// Where its click leads to the list: the `target` of its link.
    to_list: Option<String>,
    /// As its page sets it.
    theme: Option<String>,
}

/// `tell` hears how it stands, as that of a view does.
pub(crate) fn chip(host: &dom::Host, tell: &Function) -> ShowTally {
    let owner = Owner::default();
    let shown = owner.with(|| Field::new(Shown::default()));
    let mounted = root::mount_into(host, Sheet::View, move || view(shown));
    let (host, tell) = (host.clone(), tell.clone());
    Box::new(move |report| {
        // They end with the chip.
        let _held = (&owner, &mounted);
        let [to_list, theme] = ["to-list", "theme"].map(|name| host.get_attribute(name));
        let now = Shown { report, to_list, theme };
        let before = shown.get_untracked();
        if before.report != now.report {
            let _ = tell.call2(&JsValue::NULL, &"state".into(), &(&*now.report.json).into());
        }
        if before != now {
            shown.set(now);
        }
    })
}

fn view(shown: Field<Shown>) -> impl IntoView {
    let to_list = Memo::new(move |_| shown.with(|shown| shown.to_list.clone()));
    div().class("dw dw-chip").attr("data-theme", move || shown.with(|shown| shown.theme.clone())).child((
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
}

fn class(shown: Field<Shown>) -> impl Fn() -> String + 'static {
    move || format!("wrong-chip {}", css::status(shown.with(|shown| shown.report.class)))
}

fn inside(shown: Field<Shown>) -> impl IntoView {
    (
        move || glyph(css::glyph(shown.with(|shown| shown.report.class))),
        span().class("wrong-chip-text").child(move || shown.with(|shown| shown.report.text.clone())),
    )
}
