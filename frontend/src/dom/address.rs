//! The address bar: read, replaced, pushed. The crate `page` knows what a path means.

use leptos::prelude::{location, location_hash, window};
use wasm_bindgen::JsValue;

/// Path and query, as `/v/pods/payments?q=web`.
pub(crate) fn path() -> String {
    let location = location();
    location.pathname().unwrap_or_default() + &location.search().unwrap_or_default()
}

/// The whole link of a path and query below a gateway's address.
pub(crate) fn below(gateway: &str, path: &str) -> String {
    gateway.to_owned() + path.trim_start_matches('/')
}

/// Where a gateway takes sockets: `http` becomes `ws`, `https` becomes `wss`.
pub(crate) fn socket(gateway: &str) -> String {
    below(gateway, "api/ws").replacen("http", "ws", 1)
}

/// The fragment without its `#`.
pub(crate) fn fragment() -> String {
    location_hash().unwrap_or_default()
}

/// Dogwatch's own page comes from the root of its gateway.
pub(crate) fn root() -> String {
    location().origin().unwrap_or_default() + "/"
}

/// Whether the page's host is a loopback name or address, which leads to this machine alone.
pub(crate) fn is_of_this_machine() -> bool {
    let host = location().hostname().unwrap_or_default();
    host == "localhost" || host.ends_with(".localhost") || host == "[::1]" || host.starts_with("127.")
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

/// Leads to another document. `replaces`: its entry of the history stands in place of this one.
pub(crate) fn lead(link: &str, replaces: bool) {
    let _ = if replaces { location().replace(link) } else { location().assign(link) };
}

/// Leaves this document for good: no step back leads to what it showed. Without a link to this page's own end.
pub(crate) fn leave(to: Option<&str>) {
    match to {
        Some(to) => lead(to, true),
        None => {
            // A fragment alone would be the same document.
            replace(&format!("/#{SIGNED_OUT}"));
            reload();
        }
    }
}

/// The fragment of the page that says that nobody is signed in.
pub(crate) const SIGNED_OUT: &str = "signed-out";

pub(crate) fn reload() {
    let _ = location().reload();
}
