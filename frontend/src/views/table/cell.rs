//! One cell: the spans that its column wants. Their texts together are what kubectl prints.

use leptos::html::{div, span};
use leptos::prelude::*;

use super::super::icons::glyph;
use crate::live::model::{Body, MountedCell, News};

pub(super) fn cell(shown: MountedCell) -> impl IntoView {
    let MountedCell { class, body, news } = shown;
    // One effect: a row is made of its cells' effects, and a scroll makes hundreds of rows a second.
    let class = move || match news.get() {
        News::Old => class.to_string(),
        News::Flash => format!("{class} cell-new"),
        News::Seen => format!("{class} cell-seen"),
    };
    div().class(class).attr("role", "gridcell").attr("tabindex", "-1").child(move || content(body.get()))
}

/// The same kind of body is changed in place: only the texts that differ are written.
fn content(body: Body) -> AnyView {
    match body {
        Body::Plain { text, class } => span().class(class).child(text).into_any(),
        Body::Name { owner, middle, tail } => span()
            .class("name")
            .child((
                span().class("name-owner").child(owner),
                (!middle.is_empty()).then(|| span().class("name-mid").child(middle)),
                (!tail.is_empty()).then(|| span().class("name-tail").child(tail)),
            ))
            .into_any(),
        Body::Status { class, glyph: sign, text } => {
            span().class(class).child((glyph(sign), span().class("cut").child(text))).into_any()
        }
        Body::Count { text, ago } => {
            (span().class("count").child(text), ago.map(|ago| span().class("ago").child(ago))).into_any()
        }
    }
}
