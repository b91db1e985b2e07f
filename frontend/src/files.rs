//! What the program fetches beside itself: the style sheets of its shadow roots. And whether its own files are still
//! there.

use wasm_bindgen::prelude::*;
use web_sys::ShadowRoot;

#[wasm_bindgen(module = "/files.js")]
extern "C" {
    #[wasm_bindgen(js_name = adopt)]
    fn adopt_js(root: &ShadowRoot, sheet: &str);
    #[wasm_bindgen(js_name = areGone)]
    async fn are_gone_js() -> JsValue;
}

/// The style sheets of a shadow root.
#[derive(Clone, Copy)]
pub(crate) enum Sheet {
    View,
    Panel,
}

pub(crate) fn adopt(root: &ShadowRoot, sheet: Sheet) {
    let name = match sheet {
        Sheet::View => "view",
        Sheet::Panel => "panel",
    };
    adopt_js(root, name);
}

/// The gateway is of another build, and has none of this one's files.
pub(crate) async fn are_gone() -> bool {
    are_gone_js().await.is_truthy()
}
