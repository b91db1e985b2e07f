//! Builds elements without the framework, for rows that change hundreds of times a second: a framework's view of a row
//! costs many times the row. Text is always a text node, never markup.

use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlElement, Node};

const SVG: &str = "http://www.w3.org/2000/svg";

/// The document that elements are built in.
#[derive(Clone)]
pub(crate) struct Builder(Document);

impl Builder {
    /// A builder for the document of a mounted node.
    pub(crate) fn of(node: &Node) -> Option<Self> {
        node.owner_document().map(Self)
    }

    /// Appends an element to `parent`.
    pub(crate) fn element(&self, parent: &Node, name: &str, class: &str) -> Option<Element> {
        let element = self.0.create_element(name).ok()?;
        set(&element, "class", class);
        append(parent, &element);
        Some(element)
    }

    /// Appends a text to `parent`.
    pub(crate) fn text(&self, parent: &Node, text: &str) -> Node {
        let node = self.0.create_text_node(text).into();
        append(parent, &node);
        node
    }

    /// Appends a symbol of the root's sprite to `parent`. Returns the element that names the symbol.
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

pub(crate) fn set(element: &Element, attribute: &str, value: &str) {
    let _ = element.set_attribute(attribute, value);
}

/// Sets a style through the object model, because the page's CSP allows no style attribute.
pub(crate) fn style(element: &Element, property: &str, value: &str) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.style().set_property(property, value);
    }
}

pub(crate) fn append(parent: &Node, child: &Node) {
    let _ = parent.append_child(child);
}
