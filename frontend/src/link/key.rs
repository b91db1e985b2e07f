//! The page's key, which `key.js` holds: a browser's own cryptography and database, of which the program sees no part.

use shared::frame::client::Proof;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/key.js")]
extern "C" {
    #[wasm_bindgen(js_name = hasSession)]
    async fn has_session_js() -> JsValue;
    #[wasm_bindgen(catch, js_name = prove)]
    async fn prove_js(nonce: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_name = forget)]
    async fn forget_js();
}

/// Whether somebody signed in here.
pub(crate) async fn has_session() -> bool {
    has_session_js().await.is_truthy()
}

/// The answer to a gateway's challenge; `None` without a key.
pub(crate) async fn prove(nonce: &str) -> Option<Proof> {
    let proof = prove_js(nonce).await.ok()?;
    let text = |name: &str| js_sys::Reflect::get(&proof, &name.into()).ok()?.as_string();
    Some(Proof { session: text("session")?.into(), signature: text("signature")?.into() })
}

/// Forgets the session, which the gateway refused.
pub(crate) async fn forget() {
    forget_js().await;
}
