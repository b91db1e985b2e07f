//! A shadow root with its own style sheet.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement, ShadowRootInit, ShadowRootMode};

use crate::files::{self, Sheet};

/// Attaches a root to `host`, and returns it as the parent of a view.
///
/// # Errors
/// The browser's error.
pub(crate) fn attach(host: &HtmlElement, sheet: Sheet) -> Result<Element, JsValue> {
    // An element that is added to a page again has its root already.
    let root = match host.shadow_root() {
        Some(root) => root,
        None => host.attach_shadow(&ShadowRootInit::new(ShadowRootMode::Open))?,
    };
    files::adopt(&root, sheet);
    Ok(root.unchecked_into())
}
