//! The text that a reader selected, in a table or anywhere. A shadow root hides its selection from the document, and browsers tell it
//! in two ways.

use crate::prelude::{document, window};
use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, HtmlElement, Node, Range, Selection};

use super::element::found_in;

pub(crate) enum Selected {
    Nothing,
    /// A part of one cell.
    InOneCell,
    /// The texts of several cells, with a tab between two and a line for each row.
    Cells(String),
}

/// What is selected among the rows of this table.
pub(crate) fn selected(table: &HtmlElement) -> Selected {
    let Some(range) = range(table).filter(|range| !range.collapsed()) else { return Selected::Nothing };
    let touched = |element: &Element, selector: &str| -> Vec<Element> {
        let found = found_in(element, selector).into_iter();
        found.filter(|element| range.intersects_node(element).unwrap_or_default()).collect()
    };
    let text = |cell: Element| cell.text_content().unwrap_or_default();
    let lines: Vec<Vec<String>> = touched(table, "[data-row]")
        .iter()
        .map(|row| touched(row, ".td:not(.gutter)").into_iter().map(text).collect())
        .collect();
    match lines.iter().map(Vec::len).sum() {
        0 => Selected::Nothing,
        1 => Selected::InOneCell,
        _ => Selected::Cells(lines.iter().map(|cells| cells.join("\t") + "\n").collect()),
    }
}

/// Whether text is selected where a click happened: the click may be the end of a drag over that text.
pub(crate) fn is_text_selected(click: &Event) -> bool {
    let of_document = window().get_selection().ok().flatten();
    let clicked = || click.composed_path().get(0).dyn_into::<Node>().ok();
    of_document.is_some_and(|selection| !selection.is_collapsed())
        || clicked().and_then(|node| range(&node)).is_some_and(|range| !range.collapsed())
}

fn range(node: &Node) -> Option<Range> {
    let root = node.get_root_node();
    let document_selection = window().get_selection().ok()??;
    if let Some(composed) = method(&document_selection, "getComposedRanges") {
        let options = Object::new();
        Reflect::set(&options, &JsValue::from_str("shadowRoots"), &Array::of1(&root)).ok()?;
        let ranges: Array = composed.call1(&document_selection, &options).ok()?.dyn_into().ok()?;
        let found = ranges.get(0);
        let part = |name: &str| Reflect::get(&found, &JsValue::from_str(name)).ok();
        let end = |node: &str, offset: &str| Some((part(node)?.dyn_into().ok()?, part(offset)?.as_f64()?));
        let (start, end) = (end("startContainer", "startOffset")?, end("endContainer", "endOffset")?);
        return live_range(start, end);
    }
    let selection: Selection = method(&root, "getSelection")?.call0(&root).ok()?.dyn_into().ok()?;
    selection.get_range_at(0).ok()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an offset is a whole number")]
fn live_range(start: (Node, f64), end: (Node, f64)) -> Option<Range> {
    let range = document().create_range().ok()?;
    range.set_start(&start.0, start.1 as u32).ok()?;
    range.set_end(&end.0, end.1 as u32).ok()?;
    Some(range)
}

fn method(object: &JsValue, name: &str) -> Option<Function> {
    Reflect::get(object, &JsValue::from_str(name)).ok()?.dyn_into().ok()
}
