//! The document as a whole: its title, its language, its visibility, the clipboard and downloads.

use crate::prelude::{document, window};
use page::effect::TabIcon;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::element::is_right_to_left;
use super::html::{self, IntoView};

/// Whether this is Dogwatch's own page, and not another page with elements of Dogwatch.
pub(crate) fn is_ours() -> bool {
    document().body().is_some_and(|body| body.class_list().contains("dw"))
}

/// Mounts the page's view for as long as it lives.
pub(crate) fn mount<V: IntoView>(view: impl FnOnce() -> V) {
    if let Some(body) = document().body() {
        std::mem::forget(html::mount(&body, view));
    }
}

/// What `index.html` shows until the program is there.
pub(crate) fn remove_static_shell() {
    if let Some(shell) = document().get_element_by_id("shell") {
        shell.remove();
    }
}

pub(crate) fn set_title(title: &str) {
    document().set_title(title);
}

/// The icon of the tab. `index.html` has a link for each, of which browsers know the usual one alone.
pub(crate) fn set_icon(icon: TabIcon) {
    let rel = match icon {
        TabIcon::Usual => "icon-usual",
        TabIcon::Failing => "icon-failing",
        TabIcon::Rollout => "icon-rollout",
        TabIcon::Stale => "icon-stale",
    };
    let link = |rel: &str| document().query_selector(&format!("head link[rel={rel}]")).ok().flatten();
    if let (Some(shown), Some(wanted)) = (link("icon"), link(rel))
        && let Some(href) = wanted.get_attribute("href")
    {
        let _ = shown.set_attribute("href", &href);
    }
}

/// Readers of a right-to-left language get a mirrored page; its words stay as they are.
pub(crate) fn follow_language() {
    let language = window().navigator().language().unwrap_or_default();
    let language = language.split('-').next().unwrap_or_default();
    if let Some(root) = document().document_element().filter(|_| RIGHT_TO_LEFT.contains(&language)) {
        let _ = root.set_attribute("dir", "rtl");
    }
}

/// Languages whose usual script runs from right to left, by ISO 639.
const RIGHT_TO_LEFT: [&str; 11] = ["ar", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"];

/// The distance of a place from the side where lines end.
pub(crate) fn to_end_px(x: i32) -> f64 {
    let root = document().document_element();
    if root.is_some_and(|root| is_right_to_left(&root)) { f64::from(x) } else { width_px() - f64::from(x) }
}

pub(crate) fn is_hidden() -> bool {
    document().hidden()
}

/// Called when the page becomes hidden or visible.
pub(crate) fn on_visibility(on_event: impl FnMut() + 'static) {
    super::listen(&document(), "visibilitychange", on_event);
}

/// An attribute of `<body>`; `None` takes it away.
pub(crate) fn set_body_attribute(name: &str, value: Option<&str>) {
    let Some(body) = document().body() else { return };
    let _ = match value {
        Some(value) => body.set_attribute(name, value),
        None => body.remove_attribute(name),
    };
}

/// Puts a text on the clipboard. The answer, which comes later: whether the browser did it. A page that isn't of a
/// secure origin has no clipboard.
pub(crate) fn copy(text: String, on_answer: impl FnOnce(bool) + 'static) {
    wasm_bindgen_futures::spawn_local(async move {
        let navigator = window().navigator();
        let has_clipboard = js_sys::Reflect::get(&navigator, &JsValue::from_str("clipboard"));
        let is_done = has_clipboard.is_ok_and(|clipboard| clipboard.is_object())
            && JsFuture::from(navigator.clipboard().write_text(&text)).await.is_ok();
        on_answer(is_done);
    });
}

/// Hands a text to the browser's downloads. Never a request: the file is made here.
pub(crate) fn download(name: &str, media_type: &str, text: &str) {
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    let kind = web_sys::BlobPropertyBag::new();
    kind.set_type(media_type);
    let Ok(blob) = web_sys::Blob::new_with_str_sequence_and_options(&parts, &kind) else { return };
    let Ok(url) = web_sys::Url::create_object_url_with_blob(&blob) else { return };
    let link = document().create_element("a").ok();
    if let Some(link) = link.and_then(|link| link.dyn_into::<web_sys::HtmlAnchorElement>().ok()) {
        link.set_href(&url);
        link.set_download(name);
        link.click();
    }
    // The download holds its own reference.
    let _ = web_sys::Url::revoke_object_url(&url);
}

pub(crate) fn width_px() -> f64 {
    window().inner_width().ok().and_then(|width| width.as_f64()).unwrap_or_default()
}

/// Nothing on the page has the focus.
pub(crate) fn has_no_focus() -> bool {
    document().active_element().is_none_or(|element| element.tag_name() == "BODY")
}
