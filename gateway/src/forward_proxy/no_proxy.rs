//! `NO_PROXY` as Go reads it (`golang.org/x/net/http/httpproxy`): entries that can't be read are skipped. Hosts that it
//! names, and this machine itself, are reached without a proxy.

use std::net::IpAddr;

/// The entries of `NO_PROXY`, lower case.
#[derive(Debug, PartialEq, Eq)]
enum Entry {
    /// `*`
    All,
    Network {
        address: IpAddr,
        bits: u32,
    },
    Ip {
        address: IpAddr,
        port: Option<String>,
    },
    /// `suffix` begins with a dot; the name without it fits too, unless the entry itself began with a dot or `*.`.
    Domain {
        suffix: String,
        port: Option<String>,
        also_itself: bool,
    },
}

/// Whether the host (a name, or an IP address without brackets) is reached without a proxy.
pub(super) fn is_direct(no_proxy: &str, host: &str, port: u16) -> bool {
    if host == "localhost" {
        return true;
    }
    // An IPv6 address may have a zone.
    let address =
        host.split('%').next().and_then(|host| host.parse::<IpAddr>().ok()).map(|ip| ip.to_canonical());
    if address.is_some_and(|address| address.is_loopback()) {
        return true;
    }
    let (host, port) = (host.trim().to_lowercase(), port.to_string());
    no_proxy.split(',').filter_map(entry).any(|entry| entry.fits(&host, address, &port))
}

fn entry(text: &str) -> Option<Entry> {
    let text = text.trim().to_lowercase();
    if text.is_empty() {
        return None;
    }
    if text == "*" {
        return Some(Entry::All);
    }
    if let Some(network) = network(&text) {
        return Some(network);
    }
    let (host, port) = split_port(&text);
    if let Ok(address) = host.parse::<IpAddr>() {
        return Some(Entry::Ip { address: address.to_canonical(), port });
    }
    let host = match host.strip_prefix('*') {
        Some(rest) if rest.starts_with('.') => rest,
        _ => host,
    };
    match host.as_bytes() {
        [] => None,
        [b'.', ..] => Some(Entry::Domain { suffix: host.to_owned(), port, also_itself: false }),
        _ => Some(Entry::Domain { suffix: format!(".{host}"), port, also_itself: true }),
    }
}

fn network(text: &str) -> Option<Entry> {
    let (address, bits) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    let is_number = !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit());
    let bits = bits.parse().ok().filter(|bits| is_number && *bits <= most)?;
    Some(Entry::Network { address, bits })
}

/// As `net.SplitHostPort`: where that refuses, the whole is the host.
fn split_port(text: &str) -> (&str, Option<String>) {
    let split = match text.strip_prefix('[') {
        Some(inner) => {
            inner.split_once("]:").filter(|(host, port)| !host.contains(['[', ']']) && !port.contains(':'))
        }
        None => text.split_once(':').filter(|(_, port)| !port.contains(':')),
    };
    match split {
        Some((host, port)) => (host, Some(port.to_owned()).filter(|port| !port.is_empty())),
        None => (text, None),
    }
}

impl Entry {
    fn fits(&self, host: &str, ip: Option<IpAddr>, port: &str) -> bool {
        let fits_port = |wanted: &Option<String>| wanted.as_ref().is_none_or(|wanted| wanted == port);
        match (self, ip) {
            (Self::All, _) => true,
            (Self::Network { address, bits }, Some(ip)) => is_in(*address, *bits, ip),
            (Self::Ip { address, port }, Some(ip)) => *address == ip && fits_port(port),
            (Self::Domain { suffix, port, also_itself }, None) => {
                let is_itself = *also_itself && suffix.strip_prefix('.') == Some(host);
                (is_itself || host.ends_with(suffix)) && fits_port(port)
            }
            (Self::Network { .. } | Self::Ip { .. }, None) | (Self::Domain { .. }, Some(_)) => false,
        }
    }
}

fn is_in(network: IpAddr, bits: u32, ip: IpAddr) -> bool {
    let same = |a: u128, b: u128, width: u32| bits == 0 || (a ^ b) >> (width - bits) == 0;
    match (network, ip) {
        (IpAddr::V4(network), IpAddr::V4(ip)) => same(network.to_bits().into(), ip.to_bits().into(), 32),
        (IpAddr::V6(network), IpAddr::V6(ip)) => same(network.to_bits(), ip.to_bits(), 128),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_fits_as_it_does_in_go() {
        for (no_proxy, host, expected) in [
            ("", "vm", false),
            ("vm", "vm", true),
            (" VM ", "vm", true),
            ("vm", "VM", true),
            ("vm:6443", "vm", true),
            ("vm:1", "vm", false),
            ("vm:", "vm", true),
            ("vm", "a.vm", true),
            (".vm", "vm", false),
            (".vm", "a.vm", true),
            ("*.vm", "vm", false),
            ("*.vm", "a.vm", true),
            ("vm", "othervm", false),
            ("a,,b, vm", "vm", true),
            ("a,*", "vm", true),
            ("*vm", "vm", false),
            ("10.0.0.0/8", "10.1.2.3", true),
            ("10.0.0.0/0", "11.1.2.3", true),
            ("10.0.0.0/33,[,/", "10.1.2.3", false),
            ("10.1.2.3", "10.1.2.3", true),
            ("10.1.2.3:6443", "10.1.2.3", true),
            ("10.1.2.3:1", "10.1.2.3", false),
            ("10.1.2", "10.1.2.3", false),
            ("2001:db8::/32", "2001:db8::7", true),
            ("[2001:db8::7]:6443", "2001:db8::7", true),
            ("2001:db8::7", "2001:DB8:0::7", true),
            ("", "localhost", true),
            ("", "127.9.9.9", true),
            ("", "::1", true),
            ("", "0.0.0.0", false),
        ] {
            assert_eq!(is_direct(no_proxy, host, 6443), expected, "{no_proxy:?} {host}");
        }
    }
}
