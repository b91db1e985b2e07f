//! The address bar: read, replaced, pushed. The crate `page` knows what a path means.

use leptos::prelude::{location, location_hash, window};
use wasm_bindgen::JsValue;

/// Path and query, as `/v/pods/payments?q=web`.
pub(crate) fn path() -> String {
    let location = location();
    location.pathname().unwrap_or_default() + &location.search().unwrap_or_default()
}

/// The whole link of a path and query.
pub(crate) fn whole(path: &str) -> String {
    origin() + path
}

/// The fragment without its `#`.
pub(crate) fn fragment() -> String {
    location_hash().unwrap_or_default()
}

/// The page's origin, with the scheme of its socket.
pub(crate) fn socket_origin() -> String {
    // `http` becomes `ws`, `https` becomes `wss`.
    origin().replacen("http", "ws", 1)
}

fn origin() -> String {
    location().origin().unwrap_or_default()
}

pub(crate) fn replace(path: &str) {
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(path));
    }
}

pub(crate) fn push(path: &str) {
    if let Ok(history) = window().history() {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(path));
    }
}

pub(crate) fn reload() {
    let _ = location().reload();
}
