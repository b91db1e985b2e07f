//! The document as a whole: its title, whether it is seen, and whether the network came back.

use wasm_bindgen::{JsCast, JsValue};

use super::element::is_right_to_left;
use super::listen;

/// Whether this is Dogwatch's own page, and not one that holds its elements.
pub(crate) fn is_ours() -> bool {
    document().and_then(|document| document.body()).is_some_and(|body| body.class_list().contains("dw"))
}

pub(crate) fn set_title(title: &str) {
    if let Some(document) = document() {
        document.set_title(title);
    }
}

/// Readers of a right-to-left language get a mirrored page; its words stay as they are.
pub(crate) fn follow_language() {
    let language = web_sys::window().and_then(|window| window.navigator().language()).unwrap_or_default();
    let tongue = language.split('-').next().unwrap_or_default();
    let root = document().and_then(|document| document.document_element());
    if let Some(root) = root.filter(|_| RIGHT_TO_LEFT.contains(&tongue)) {
        let _ = root.set_attribute("dir", "rtl");
    }
}

/// Languages whose usual script runs from right to left, by ISO 639.
const RIGHT_TO_LEFT: [&str; 11] = ["ar", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"];

/// How far a place is from the side where lines end.
pub(crate) fn to_end_px(x: i32) -> f64 {
    let root = document().and_then(|document| document.document_element());
    if root.is_some_and(|root| is_right_to_left(&root)) { f64::from(x) } else { width_px() - f64::from(x) }
}

pub(crate) fn is_hidden() -> bool {
    document().is_some_and(|document| document.hidden())
}

/// Called when the page becomes hidden or is seen again.
pub(crate) fn on_visibility(on_event: impl FnMut() + 'static) {
    if let Some(document) = document() {
        listen(&document, "visibilitychange", on_event);
    }
}

/// Called when the browser believes that there is a network again.
pub(crate) fn on_online(on_event: impl FnMut() + 'static) {
    if let Some(window) = web_sys::window() {
        listen(&window, "online", on_event);
    }
}

/// Called when the window's size changes.
pub(crate) fn on_resize(on_event: impl FnMut() + 'static) {
    if let Some(window) = web_sys::window() {
        listen(&window, "resize", on_event);
    }
}

/// An attribute of `<body>`; `None` takes it away.
pub(crate) fn set_body_attribute(name: &str, value: Option<&str>) {
    let Some(body) = document().and_then(|document| document.body()) else {
        return;
    };
    let _ = match value {
        Some(value) => body.set_attribute(name, value),
        None => body.remove_attribute(name),
    };
}

/// Puts a text on the clipboard; a browser that refuses leaves the text to be selected by hand.
pub(crate) fn copy(text: &str) {
    if let Some(window) = web_sys::window() {
        let _ = window.navigator().clipboard().write_text(text);
    }
}

/// Hands a text to the browser's downloads. Never a request: the file is made here.
pub(crate) fn download(name: &str, media_type: &str, text: &str) {
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    let kind = web_sys::BlobPropertyBag::new();
    kind.set_type(media_type);
    let Ok(blob) = web_sys::Blob::new_with_str_sequence_and_options(&parts, &kind) else { return };
    let Ok(url) = web_sys::Url::create_object_url_with_blob(&blob) else { return };
    let link = document().and_then(|document| document.create_element("a").ok());
    if let Some(link) = link.and_then(|link| link.dyn_into::<web_sys::HtmlAnchorElement>().ok()) {
        link.set_href(&url);
        link.set_download(name);
        link.click();
    }
    // The download holds its own reference.
    let _ = web_sys::Url::revoke_object_url(&url);
}

pub(crate) fn width_px() -> f64 {
    let width = web_sys::window().and_then(|window| window.inner_width().ok());
    width.and_then(|width| width.as_f64()).unwrap_or_default()
}

/// Whether a text is selected: then a click was the end of that.
pub(crate) fn has_selection() -> bool {
    let selection = web_sys::window().and_then(|window| window.get_selection().ok().flatten());
    selection.is_some_and(|selection| !selection.is_collapsed())
}

pub(crate) fn document() -> Option<web_sys::Document> {
    web_sys::window()?.document()
}
