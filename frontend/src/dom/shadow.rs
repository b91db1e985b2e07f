//! A shadow root with style sheets of its own, which `style-src 'self'` allows: they are made from
//! text in this program, not found in a document.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CssStyleSheet, Element, HtmlElement, ShadowRootInit, ShadowRootMode};

/// Attaches a root to `host` and returns it as the parent that a view is mounted to.
///
/// # Errors
/// What the browser said: an element has at most one root.
pub(crate) fn attach(host: &HtmlElement, sheets: &[&str]) -> Result<Element, JsValue> {
    // An element that comes back has its root already.
    let root = match host.shadow_root() {
        Some(root) => root,
        None => host.attach_shadow(&ShadowRootInit::new(ShadowRootMode::Open))?,
    };
    let adopted = js_sys::Array::new();
    for text in sheets {
        let sheet = CssStyleSheet::new()?;
        sheet.replace_sync(text)?;
        adopted.push(&sheet);
    }
    js_sys::Reflect::set(&root, &JsValue::from_str("adoptedStyleSheets"), &adopted)?;
    Ok(root.unchecked_into())
}
