//! One cell, in spans whose texts together are what kubectl prints.

use std::sync::Arc;

use web_sys::{Element, Node};

use crate::dom::address;
use crate::dom::build::{self, Builder};
use crate::views::css;
use page::model::{Body, News, SeenCell, SeenColumn};

pub(super) struct Cell {
    element: Element,
    /// A span around the others, if the body has one.
    around: Option<Element>,
    glyph: Option<Element>,
    leaves: Vec<(Element, Node)>,
    /// Where the name leads, if this cell is one.
    href: Option<Arc<str>>,
}

/// What the cells of a column share.
pub(super) struct CellKind {
    pub(super) class: String,
    /// Before the text, in a row of two lines.
    label: Option<String>,
}

impl CellKind {
    pub(super) fn of(column: &SeenColumn) -> Self {
        Self { class: css::column(column), label: column.label.clone() }
    }
}

/// A span with a text.
type Leaf<'a> = (&'static str, &'a str);

impl Cell {
    pub(super) fn new(builder: &Builder, row: &Element, kind: &CellKind) -> Option<Self> {
        let element = builder.element(row, "div", &kind.class)?;
        if let Some(label) = &kind.label {
            build::set(&element, "data-label", label);
        }
        build::set(&element, "role", "gridcell");
        build::set(&element, "part", "cell");
        build::set(&element, "tabindex", "-1");
        Some(Self { element, around: None, glyph: None, leaves: Vec::new(), href: None })
    }

    /// Writes what differs from `previous`.
    pub(super) fn write(
        &mut self,
        builder: &Builder,
        class: &str,
        previous: Option<&SeenCell>,
        cell: &SeenCell,
    ) {
        if previous.map_or(News::Old, |previous| previous.news) != cell.news {
            match cell.news {
                News::Old => build::set(&self.element, "class", class),
                News::Flash => build::set(&self.element, "class", &format!("{class} cell-new")),
                News::Seen => build::set(&self.element, "class", &format!("{class} cell-seen")),
            }
        }
        let previous = previous.map(|previous| &previous.body);
        if previous == Some(&cell.body) {
            return;
        }
        match previous {
            Some(previous) if has_one_shape(previous, &cell.body) => self.change(previous, &cell.body),
            _ => self.build(builder, &cell.body),
        }
    }

    /// The name of an object leads to its panel: in a new tab, if the reader asks the browser for one.
    pub(super) fn link(&mut self, href: Option<&Arc<str>>) {
        let name = self.around.as_ref().filter(|name| name.has_attribute(NAME));
        if let Some(name) = name.filter(|_| self.href.as_ref() != href) {
            match href {
                Some(href) => build::set(name, "href", &address::href(href)),
                None => drop(name.remove_attribute("href")),
            }
            self.href = href.cloned();
        }
    }

    fn build(&mut self, builder: &Builder, body: &Body) {
        self.element.set_text_content(None);
        self.href = None;
        let tag = if matches!(body, Body::Name { .. }) { "a" } else { "span" };
        self.around = around(body).and_then(|class| builder.element(&self.element, tag, class));
        let parent: &Node = self.around.as_ref().unwrap_or(&self.element);
        self.glyph = glyph(body).and_then(|name| builder.symbol(parent, "glyph", name));
        let leaf = |(class, text): Leaf<'_>| {
            let span = builder.element(parent, "span", class)?;
            let text = builder.text(&span, text);
            Some((span, text))
        };
        self.leaves = leaves(body).into_iter().filter_map(leaf).collect();
        if let Some(around) = &self.around {
            tell_why(around, body);
        }
        if let (Body::Name { .. }, Some(name)) = (body, &self.around) {
            // A drag selects the text.
            build::set(name, "draggable", "false");
            build::set(name, "tabindex", "-1");
            measure_name(name, body);
            add_copy(builder, &self.element);
        }
    }

    fn change(&self, previous: &Body, body: &Body) {
        if let (Some(element), Some(class)) =
            (&self.around, around(body).filter(|_| around(previous) != around(body)))
        {
            build::set(element, "class", class);
        }
        if let (Some(element), Some(name)) =
            (&self.glyph, glyph(body).filter(|_| glyph(previous) != glyph(body)))
        {
            build::set(element, "href", name);
        }
        for ((element, node), (was, is)) in
            self.leaves.iter().zip(leaves(previous).into_iter().zip(leaves(body)))
        {
            if was.0 != is.0 {
                build::set(element, "class", is.0);
            }
            if was.1 != is.1 {
                node.set_node_value(Some(is.1));
            }
        }
        if let Some(around) = &self.around {
            measure_name(around, body);
            tell_why(around, body);
        }
    }
}

/// A status says in its tip why it is one.
fn tell_why(status: &Element, body: &Body) {
    let Body::Status { why, .. } = body else { return };
    if why.is_empty() {
        let _ = status.remove_attribute("title");
    } else {
        build::set(status, "title", why);
    }
}

/// A name that is too long for its column is cut before its end, by the style sheet, which has to know how many
/// characters there are.
fn measure_name(name: &Element, body: &Body) {
    let Body::Name { owner, middle, tail } = body else { return };
    let count = |text: &str| text.chars().count();
    build::set(name, NAME, tail);
    build::style(name, "--dw-name", &(count(owner) + count(middle) + count(tail)).to_string());
    build::style(name, "--dw-tail", &count(tail).to_string());
}

/// The end of a name, which the style sheet repeats after the cut.
const NAME: &str = "data-tail";

/// For the pointer; the key `C` does the same.
fn add_copy(builder: &Builder, cell: &Element) {
    if let Some(copy) = builder.element(cell, "button", "name-copy") {
        build::set(&copy, "tabindex", "-1");
        build::set(&copy, "aria-hidden", "true");
        build::set(&copy, "title", page::messages::COPY_NAME_KEY);
        build::set(&copy, "data-copy", "");
        let _ = builder.symbol(&copy, "icon", "#i-copy");
    }
}

fn has_one_shape(one: &Body, other: &Body) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other) && leaves(one).len() == leaves(other).len()
}

fn around(body: &Body) -> Option<&'static str> {
    match body {
        Body::Name { .. } => Some("name"),
        Body::Status { class, .. } => Some(css::status(*class)),
        Body::Plain { .. } | Body::Count { .. } => None,
    }
}

fn glyph(body: &Body) -> Option<&'static str> {
    match body {
        Body::Status { class, .. } => Some(css::glyph(*class)),
        Body::Plain { .. } | Body::Name { .. } | Body::Count { .. } => None,
    }
}

/// An empty part of a name has no span, because the style sheet selects a part that is alone.
fn leaves(body: &Body) -> Vec<Leaf<'_>> {
    match body {
        Body::Plain { text, look } => vec![(css::text_look(*look), text)],
        Body::Name { owner, middle, tail } => {
            let parts = [("name-owner", owner), ("name-mid", middle), ("name-tail", tail)];
            let is_there = |(place, (_, text)): &(usize, Leaf<'_>)| *place == 0 || !text.is_empty();
            let parts = parts.map(|(class, text)| (class, text.as_str())).into_iter().enumerate();
            parts.filter(is_there).map(|(_, leaf)| leaf).collect()
        }
        Body::Status { text, .. } => vec![("cut", text)],
        Body::Count { text, ago } => {
            let ago = ago.as_deref().map(|ago| ("ago", ago));
            [Some(("count", text.as_str())), ago].into_iter().flatten().collect()
        }
    }
}
