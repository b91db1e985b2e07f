//! How large a box and its letters are, and when a box changes its size.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement};

use super::build::Builder;

/// Width and height of the content box.
pub(crate) fn size_px(element: &HtmlElement) -> (f64, f64) {
    (f64::from(element.client_width()), f64::from(element.client_height()))
}

/// The width of a character, from a part of `element` that has ten of them.
pub(crate) fn character_px(element: &HtmlElement, part: &str) -> f64 {
    let found = element.query_selector(part).ok().flatten();
    found.map_or(0.0, |part| part.get_bounding_client_rect().width()) / 10.0
}

/// The height of the part of `element` that a selector finds.
pub(crate) fn height_px(element: &HtmlElement, part: &str) -> f64 {
    let found = element.query_selector(part).ok().flatten();
    found.map_or(0.0, |part| part.get_bounding_client_rect().height())
}

/// The width of each letter in a part of `element`, which is empty again afterwards.
pub(crate) fn letters_px(element: &HtmlElement, part: &str, letters: impl Iterator<Item = char>) -> Vec<f64> {
    let found = element.query_selector(part).ok().flatten();
    let Some((part, builder)) = found.and_then(|part| Some((part.clone(), Builder::of(&part)?))) else {
        return Vec::new();
    };
    let span = |letter: char| {
        let span = builder.element(&part, "span", "letter")?;
        span.set_text_content(Some(letter.encode_utf8(&mut [0; 4])));
        Some(span)
    };
    // All are written before the first is measured, so that the browser makes one layout.
    let spans: Vec<Element> = letters.filter_map(span).collect();
    let widths = spans.iter().map(|span| span.get_bounding_client_rect().width()).collect();
    part.set_text_content(None);
    widths
}

/// An observer of a box's size, until it is dropped.
pub(crate) struct Resize {
    observer: Option<web_sys::ResizeObserver>,
    _closure: Closure<dyn FnMut()>,
}

/// Calls `on_event` when the element's box changes, and once at the start.
pub(crate) fn on_resize(element: &HtmlElement, on_event: impl FnMut() + 'static) -> Resize {
    let closure = Closure::<dyn FnMut()>::new(on_event);
    let observer = web_sys::ResizeObserver::new(closure.as_ref().unchecked_ref()).ok();
    if let Some(observer) = &observer {
        observer.observe(element);
    }
    Resize { observer, _closure: closure }
}

impl Drop for Resize {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}
