//! The page's login, which `key.js` holds: a key in the browser's own cryptography and database, or a cookie. The program
//! sees no part of either.

use page::Renewed;
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
    #[wasm_bindgen(js_name = renew)]
    async fn renew_js() -> JsValue;
    #[wasm_bindgen(js_name = signOut)]
    async fn sign_out_js() -> JsValue;
}

/// Renews the login, once for all tabs of this browser.
pub(crate) async fn renew() -> Renewed {
    match renew_js().await.as_string().as_deref() {
        Some("done") => Renewed::Done,
        Some("refused") => Renewed::Refused,
        _ => Renewed::Unanswered,
    }
}

/// Ends the login: where the gateway leads from here. `Err`: the login goes on.
pub(crate) async fn sign_out() -> Result<Option<String>, ()> {
    let to = sign_out_js().await.as_string().ok_or(())?;
    Ok((!to.is_empty()).then_some(to))
}

/// Whether this browser has a session here.
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
