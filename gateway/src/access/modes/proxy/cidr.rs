//! A range of addresses, such as `10.0.0.0/8`. Pure. It has one spelling: bits after the prefix are a mistake, and so is
//! a prefix of 0, which would trust every address.

use std::net::IpAddr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    /// Its bits after the prefix are 0.
    network: u128,
    /// The length of the prefix, of 128 bits. An IPv4 address follows the 96 bits of `::ffff:0:0`.
    prefix: u32,
}

/// IPv4 in IPv6 (RFC 4291, section 2.5.5.2).
const MAPPED_PREFIX: u32 = 96;

impl Cidr {
    /// `None` if it isn't one. An address alone is the range of itself.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(digits(prefix)?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let (width, before) = match address {
            IpAddr::V4(_) => (32, MAPPED_PREFIX),
            IpAddr::V6(_) => (128, 0),
        };
        let prefix = prefix.unwrap_or(width);
        if prefix == 0 || prefix > width {
            return None;
        }
        let range = Self { network: bits(address), prefix: prefix + before };
        (range.network & !range.mask() == 0).then_some(range)
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        bits(address) & self.mask() == self.network
    }

    fn mask(&self) -> u128 {
        u128::MAX.checked_shl(128 - self.prefix).unwrap_or_default()
    }
}

/// Without a sign or a leading zero.
fn digits(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number: &u32| number.to_string() == text)
}

/// A socket for both versions names an IPv4 peer by its mapped address.
fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_in_its_range_however_the_socket_names_it() {
        let check = |range: &str, address: &str, expected: bool| {
            let range = Cidr::parse(range).expect(range);
            assert_eq!(range.contains(address.parse().expect(address)), expected, "{range:?} {address}");
        };
        check("10.0.0.0/8", "10.255.0.1", true);
        check("10.0.0.0/8", "::ffff:10.1.2.3", true);
        check("10.0.0.0/8", "11.0.0.1", false);
        check("10.0.0.0/8", "::10.1.2.3", false);
        check("127.0.0.1", "127.0.0.1", true);
        check("127.0.0.1", "127.0.0.2", false);
        check("192.168.1.128/25", "192.168.1.127", false);
        check("fd00::/8", "fdff::1", true);
        check("fd00::/8", "10.0.0.1", false);
        check("::1", "::1", true);
        check("::ffff:10.0.0.0/104", "10.1.2.3", true);
    }

    #[test]
    fn what_is_no_range_or_everybody_is_refused() {
        for text in [
            "",
            "/",
            "10.0.0.0/",
            "10.0.0.0/0",
            "::/0",
            "10.0.0.0/33",
            "::1/129",
            "10.0.0.1/8",
            "10.0.0.0/08",
            "10.0.0.0/+8",
            "10.0.0.0/8/8",
            "10.0.0/8",
            "localhost",
            "*",
            "10.0.0.0 /8",
            "fd00::1/8",
        ] {
            assert_eq!(Cidr::parse(text), None, "{text}");
        }
    }
}
