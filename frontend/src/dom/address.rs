//! The address bar: read, replaced, pushed. The crate `page` knows what a path means.

use wasm_bindgen::JsValue;

use super::listen;

/// Path and query, as `/v/pods/payments?q=web`.
pub(crate) fn path() -> String {
    let Some(location) = web_sys::window().map(|window| window.location()) else {
        return String::new();
    };
    location.pathname().unwrap_or_default() + &location.search().unwrap_or_default()
}

/// As it is sent to others.
pub(crate) fn whole() -> String {
    let origin = web_sys::window().and_then(|window| window.location().origin().ok()).unwrap_or_default();
    origin + &path()
}

/// The fragment without its `#`.
pub(crate) fn fragment() -> String {
    let hash = web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    hash.strip_prefix('#').unwrap_or_default().to_owned()
}

/// Where the page came from, with the scheme of its socket.
pub(crate) fn socket_origin() -> String {
    let origin = web_sys::window().and_then(|window| window.location().origin().ok()).unwrap_or_default();
    // `http` becomes `ws`, `https` becomes `wss`.
    origin.replacen("http", "ws", 1)
}

pub(crate) fn replace(path: &str) {
    if let Some(history) = web_sys::window().and_then(|window| window.history().ok()) {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(path));
    }
}

pub(crate) fn push(path: &str) {
    if let Some(history) = web_sys::window().and_then(|window| window.history().ok()) {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(path));
    }
}

pub(crate) fn reload() {
    if let Some(window) = web_sys::window() {
        let _ = window.location().reload();
    }
}

/// Back and forward.
pub(crate) fn on_change(on_event: impl FnMut() + 'static) {
    if let Some(window) = web_sys::window() {
        listen(&window, "popstate", on_event);
    }
}
