//! The last band: the number of rows, the window, the rate of changes, the resourceVersion, the traffic.

use crate::dom::html::svg;
use crate::dom::html::{b, footer, span};
use crate::field::Field;
use crate::prelude::*;

use page::messages;
use page::model::StatusBar;
use page::pane::status_bar::words;

pub(crate) fn status_bar(shown: Field<StatusBar>) -> impl IntoView {
    let part = move |read: fn(&StatusBar) -> &String| Memo::new(move |_| shown.with(|bar| read(bar).clone()));
    let strong = part(|bar| &bar.strong);
    let rows = part(|bar| &bar.rows);
    let window = part(|bar| &bar.window);
    let selected = part(|bar| &bar.selected);
    let linked = part(|bar| &bar.linked);
    let said = Memo::new(move |_| shown.with(|bar| bar.said.clone()));
    let spark = part(|bar| &bar.spark);
    let quiet = part(|bar| &bar.quiet_since);
    let version = part(|bar| &bar.resource_version);
    let received = part(|bar| &bar.received);
    let per_second = part(|bar| &bar.per_second);
    let rate = Memo::new(move |_| shown.with(|bar| bar.rate.clone()));
    let is_changing = Memo::new(move |_| rate.with(Option::is_some));
    footer().class("strip").attr("part", "status-bar").child((
        span()
            .class("strip-item")
            .attr("id", "row-count")
            .child((move || strong.with(|text| (!text.is_empty()).then(|| b().child(text.clone()))), rows)),
        span().class("strip-item").attr("role", "status").child(said),
        move || {
            linked.with(|text| {
                (!text.is_empty()).then(|| span().class("strip-item strip-linked").child(text.clone()))
            })
        },
        move || {
            selected.with(|text| {
                (!text.is_empty()).then(|| span().class("strip-item strip-wide").child(text.clone()))
            })
        },
        span().class("strip-item strip-wide faint").child(window),
        span().class("push"),
        move || {
            if is_changing.get() {
                changes(spark, rate).into_any()
            } else {
                span().class("strip-item").child(quiet).into_any()
            }
        },
        move || {
            version.with(|version| !version.is_empty()).then(|| {
                span()
                    .class("strip-item strip-wide")
                    .child((messages::RESOURCE_VERSION, span().class("mono").child(version)))
            })
        },
        span().class("strip-item strip-wide").child((b().child(received), per_second)),
    ))
}

fn changes(spark: Memo<String>, rate: Memo<Option<String>>) -> impl IntoView {
    let label = move || words::changes_of_a_minute(&rate.get().unwrap_or_default());
    span().class("strip-item").child((
        svg::svg()
            .attr("class", "spark")
            .attr("viewBox", "0 0 92 14")
            .attr("role", "img")
            .attr("aria-label", label)
            .child(svg::path().attr("class", "spark-bars").attr("d", move || spark.get())),
        b().child(move || rate.get().unwrap_or_default()),
        " ",
        move || words::changes_unit(&rate.get().unwrap_or_default()),
    ))
}
