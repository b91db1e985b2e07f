//! A shadow root with its own style sheets. They are made from text in this program, which `style-src 'self'`
//! allows.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CssStyleSheet, Element, HtmlElement, ShadowRootInit, ShadowRootMode};

/// Attaches a root to `host`, and returns it as the parent of a view.
///
/// # Errors
/// The browser's error.
pub(crate) fn attach(host: &HtmlElement, sheets: &[&str]) -> Result<Element, JsValue> {
    // An element that is added to a page again has its root already.
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
