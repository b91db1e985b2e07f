//! The symbols, and the element that shows one. A shadow root can't use the page's symbols, so each root mounts its
//! own [`sprite`].

mod shapes;

use crate::dom::html::svg;
use crate::prelude::*;

use shapes::{SYMBOLS, Shape, Symbol};

/// All symbols, hidden. Mounted once in each root.
pub(crate) fn sprite() -> impl IntoView {
    let symbols: Vec<_> = SYMBOLS.iter().map(symbol).collect();
    svg::svg().attr("class", "sprite").attr("aria-hidden", "true").child(symbols)
}

fn symbol(symbol: &'static Symbol) -> impl IntoView {
    let shapes: Vec<_> = symbol.shapes.iter().map(shape).collect();
    svg::symbol().attr("id", symbol.id).attr("viewBox", symbol.view_box).child(shapes)
}

fn shape(shape: &'static Shape) -> AnyView {
    match shape {
        Shape::Path(d) => svg::path().attr("d", *d).into_any(),
        Shape::Filled(d) => {
            svg::path().attr("d", *d).attr("fill", "currentColor").attr("stroke", "none").into_any()
        }
        Shape::Styled(d, class) => svg::path().attr("d", *d).attr("class", *class).into_any(),
        Shape::Circle(x, y, r) => svg::circle().attr("cx", *x).attr("cy", *y).attr("r", *r).into_any(),
        Shape::Disc(x, y, r) => {
            svg::circle().attr("cx", *x).attr("cy", *y).attr("r", *r).attr("fill", "currentColor").into_any()
        }
        Shape::Broken(x, y, r, dashes) => svg::circle()
            .attr("cx", *x)
            .attr("cy", *y)
            .attr("r", *r)
            .attr("stroke-dasharray", *dashes)
            .into_any(),
        Shape::Box(x, y, width, height) => svg::rect()
            .attr("x", *x)
            .attr("y", *y)
            .attr("width", *width)
            .attr("height", *height)
            .attr("rx", "1")
            .into_any(),
        Shape::FilledBox(x, y, width, height) => svg::rect()
            .attr("x", *x)
            .attr("y", *y)
            .attr("width", *width)
            .attr("height", *height)
            .attr("rx", "1.5")
            .attr("fill", "currentColor")
            .attr("stroke", "none")
            .into_any(),
    }
}

/// `name` is a symbol's id: `#i-find`.
pub(crate) fn icon(name: &'static str) -> impl IntoView {
    with_class("icon", name)
}

/// The sign of a status, 10 px: `#g-ok`.
pub(crate) fn glyph(name: &'static str) -> impl IntoView {
    with_class("glyph", name)
}

fn with_class(class: &'static str, name: &'static str) -> impl IntoView {
    svg::svg().attr("class", class).attr("aria-hidden", "true").child(svg::r#use().attr("href", name))
}
