//! One cell, in spans whose texts together are what kubectl prints.

use web_sys::{Element, Node};

use crate::dom::build::{self, Builder};
use crate::views::css;
use page::model::{Body, News, SeenCell};

pub(super) struct Cell {
    element: Element,
    /// A span around the others, if the body has one.
    around: Option<Element>,
    glyph: Option<Element>,
    leaves: Vec<(Element, Node)>,
}

/// A span with a text.
type Leaf<'a> = (&'static str, &'a str);

impl Cell {
    pub(super) fn new(builder: &Builder, row: &Element, class: &str) -> Option<Self> {
        let element = builder.element(row, "div", class)?;
        build::set(&element, "role", "gridcell");
        build::set(&element, "tabindex", "-1");
        Some(Self { element, around: None, glyph: None, leaves: Vec::new() })
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

    fn build(&mut self, builder: &Builder, body: &Body) {
        self.element.set_text_content(None);
        self.around = around(body).and_then(|class| builder.element(&self.element, "span", class));
        let parent: &Node = self.around.as_ref().unwrap_or(&self.element);
        self.glyph = glyph(body).and_then(|name| builder.symbol(parent, "glyph", name));
        let leaf = |(class, text): Leaf<'_>| {
            let span = builder.element(parent, "span", class)?;
            let text = builder.text(&span, text);
            Some((span, text))
        };
        self.leaves = leaves(body).into_iter().filter_map(leaf).collect();
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
