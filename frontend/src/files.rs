//! What the program fetches beside itself: the style sheets of its shadow roots. And whether its own files are still
//! there.

use wasm_bindgen::prelude::*;
use web_sys::ShadowRoot;

#[wasm_bindgen(module = "/files.js")]
extern "C" {
    #[wasm_bindgen(js_name = adopt)]
    fn adopt_js(root: &ShadowRoot, sheet: &str);
    #[wasm_bindgen(js_name = bring)]
    async fn bring_js(sheet: &str) -> JsValue;
    #[wasm_bindgen(js_name = areGone)]
    async fn are_gone_js() -> JsValue;
}

/// The style sheets of a shadow root.
#[derive(Clone, Copy)]
pub(crate) enum Sheet {
    View,
    Panel,
}

impl Sheet {
    fn name(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Panel => "panel",
        }
    }
}

/// Gives a root its sheet, which was brought before.
pub(crate) fn adopt(root: &ShadowRoot, sheet: Sheet) {
    adopt_js(root, sheet.name());
}

/// Fetches a sheet unless it is there. Returns whether it is; that of a view is there from the start.
pub(crate) async fn bring(sheet: Sheet) -> bool {
    bring_js(sheet.name()).await.is_truthy()
}

/// The gateway is of another build, and has none of this one's files.
pub(crate) async fn are_gone() -> bool {
    are_gone_js().await.is_truthy()
}
