//! The address bar: read, replaced, pushed. The crate `page` knows what a path means; a gateway that is served below
//! a base path is known here alone, where the path is taken off and put before.

use std::cell::OnceCell;

use crate::prelude::{document, location, location_hash, window};
use wasm_bindgen::JsValue;

thread_local! {
    /// Every link needs it, and a search of the document for each would take long.
    static BASE: OnceCell<String> = const { OnceCell::new() };
}

/// What stands before each path of the gateway. In its own page the path below which it is, as it wrote it into the page:
/// `/dogwatch`, or nothing at the root.
fn base() -> String {
    let written = || {
        let meta = document().query_selector("meta[name=dogwatch-base]").ok().flatten();
        meta.and_then(|meta| meta.get_attribute("content")).unwrap_or_default()
    };
    BASE.with(|base| base.get_or_init(written).clone())
}

/// In another site's page the links lead to the gateway with this address, which ends with a slash.
pub(crate) fn links_lead_to(gateway: &str) {
    BASE.with(|base| {
        let _ = base.set(gateway.trim_end_matches('/').to_owned());
    });
}

/// Path and query without the base path, as `/v/pods/payments?q=web`.
pub(crate) fn path() -> String {
    let location = location();
    let path = location.pathname().unwrap_or_default() + &location.search().unwrap_or_default();
    below_base(&path).unwrap_or(path)
}

/// A link of the page, as an `href` has it.
pub(crate) fn href(path: impl AsRef<str>) -> String {
    base() + path.as_ref()
}

/// The path of such a link; `None` if it leads elsewhere.
pub(crate) fn below_base(href: &str) -> Option<String> {
    let below = href.strip_prefix(&base())?;
    (below.is_empty() || below.starts_with(['/', '?'])).then(|| below.to_owned())
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

/// Where the gateway is that Dogwatch's own page comes from.
pub(crate) fn root() -> String {
    location().origin().unwrap_or_default() + &href("/")
}

/// Whether the page's host is a loopback name or address, which leads to this machine alone.
pub(crate) fn is_of_this_machine() -> bool {
    let host = location().hostname().unwrap_or_default();
    host == "localhost" || host.ends_with(".localhost") || host == "[::1]" || host.starts_with("127.")
}

pub(crate) fn replace(path: &str) {
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&href(path)));
    }
}

pub(crate) fn push(path: &str) {
    if let Ok(history) = window().history() {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(&href(path)));
    }
}

/// Leads to another document. `replaces`: its entry of the history stands in place of this one.
pub(crate) fn lead(link: &str, replaces: bool) {
    // A path is one of this page, a link of a provider is whole.
    let link = if link.starts_with('/') { href(link) } else { link.to_owned() };
    let _ = if replaces { location().replace(&link) } else { location().assign(&link) };
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

/// The fragment of the page for readers who aren't signed in.
pub(crate) const SIGNED_OUT: &str = "signed-out";

pub(crate) fn reload() {
    let _ = location().reload();
}
