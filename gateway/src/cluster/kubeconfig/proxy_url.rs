//! The proxy of a cluster's `proxy-url`, for which `NO_PROXY` doesn't count. Never a connection.

use shared::problem::Problem;

use super::wrong;
use crate::forward_proxy::{Address, NamedBy, Parsed, Proxy};

pub(super) fn proxy(url: &str) -> Result<Option<Proxy>, Problem> {
    if url.is_empty() {
        return Ok(None);
    }
    match Address::parse(url) {
        Parsed::Absolute(address) if matches!(address.scheme.as_str(), "http" | "https" | "socks5") => {
            Ok(Some(Proxy { address, named_by: NamedBy::ProxyUrl }))
        }
        _ => Err(wrong("`proxy-url` must be an address that begins with http://, https:// or socks5://")),
    }
}
