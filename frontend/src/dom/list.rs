//! Lists and boxes for the views: the focus in a list, what is scrolled into sight, a pointer between two boxes.

use crate::prelude::*;
use tachys::html::element::ElementType;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, PointerEvent};

use super::element::{focus, focus_found, found_in, is_right_to_left, plain_key, target};

/// How far the pointer is from the beginning of the nearest `inner` element, as parts of the width and the height of
/// the `outer` one.
pub(crate) fn part_between(event: &PointerEvent, inner: &str, outer: &str) -> Option<(f64, f64)> {
    let element = target(event)?;
    let (inner, outer) = (element.closest(inner).ok()??, element.closest(outer).ok()??);
    let (held, whole) = (inner.get_bounding_client_rect(), outer.get_bounding_client_rect());
    let across = match is_right_to_left(&inner) {
        true => held.right() - f64::from(event.client_x()),
        false => f64::from(event.client_x()) - held.left(),
    };
    Some((across / whole.width(), (f64::from(event.client_y()) - held.top()) / whole.height()))
}

pub(crate) fn blur(element: &HtmlElement) {
    let _ = element.blur();
}

/// Scrolls as little as shows what `selector` finds.
pub(crate) fn show(container: &Element, selector: &str) {
    if let Some(found) = container.query_selector(selector).ok().flatten() {
        let nearest = web_sys::ScrollIntoViewOptions::new();
        nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
        found.scroll_into_view_with_scroll_into_view_options(&nearest);
    }
}

/// Focuses what the first of these selectors finds that finds anything.
pub(crate) fn focus_one_of(container: &Element, selectors: &[&str]) {
    let mut found = selectors.iter().filter_map(|selector| container.query_selector(selector).ok().flatten());
    focus_found(found.next());
}

pub(crate) fn focus_last(container: &Element, selector: &str) {
    focus_found(found_in(container, selector).pop());
}

/// This key moves the focus there.
pub(crate) fn focus_on<E>(event: &KeyboardEvent, key: &str, to: NodeRef<E>)
where
    E: ElementType + 'static,
    E::Output: Clone + AsRef<HtmlElement> + JsCast + 'static,
{
    if plain_key(event).as_deref() == Some(key)
        && let Some(to) = to.get_untracked()
    {
        event.stop_propagation();
        focus(AsRef::<HtmlElement>::as_ref(&to));
    }
}
