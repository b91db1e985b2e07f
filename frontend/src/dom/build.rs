//! Elements by hand, for what changes hundreds of times a second: a framework's view of a row costs many
//! times the row. Text is always a text node's, so nothing in it is ever markup.

use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlElement, Node};

const SVG: &str = "http://www.w3.org/2000/svg";

/// What the other functions build with.
#[derive(Clone)]
pub(crate) struct Builder(Document);

impl Builder {
    /// Of the document that a mounted element stands in.
    pub(crate) fn of(node: &Node) -> Option<Self> {
        node.owner_document().map(Self)
    }

    /// At the end of `parent`.
    pub(crate) fn element(&self, parent: &Node, name: &str, class: &str) -> Option<Element> {
        let element = self.0.create_element(name).ok()?;
        set(&element, "class", class);
        append(parent, &element);
        Some(element)
    }

    /// At the end of `parent`.
    pub(crate) fn text(&self, parent: &Node, text: &str) -> Node {
        let node = self.0.create_text_node(text).into();
        append(parent, &node);
        node
    }

    /// A symbol of the root's sprite at the end of `parent`: answers the part that names it.
    pub(crate) fn symbol(&self, parent: &Node, class: &str, name: &str) -> Option<Element> {
        let svg = self.0.create_element_ns(Some(SVG), "svg").ok()?;
        set(&svg, "class", class);
        set(&svg, "aria-hidden", "true");
        let shape = self.0.create_element_ns(Some(SVG), "use").ok()?;
        set(&shape, "href", name);
        append(&svg, &shape);
        append(parent, &svg);
        Some(shape)
    }
}

/// Every element takes every attribute that the program names.
pub(crate) fn set(element: &Element, attribute: &str, value: &str) {
    let _ = element.set_attribute(attribute, value);
}

/// Through the object model, for the page's CSP takes no style from an attribute.
pub(crate) fn style(element: &Element, property: &str, value: &str) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.style().set_property(property, value);
    }
}

pub(crate) fn append(parent: &Node, child: &Node) {
    let _ = parent.append_child(child);
}
