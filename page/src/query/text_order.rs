//! In which order texts stand: addresses by their numbers, versions as semver.org orders them, all else naturally, so that
//! `n-2` stands before `n-10`. Sort and filter compare by it alone.

use core::net::IpAddr;
use std::cmp::Ordering;

/// What all texts of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextType {
    /// `10.0.0.7`, `fd00::7`, `10.0.0.7,fd00::7`, `10.0.0.0/8`
    Addresses,
    /// `v1.36.9`, `1.4.0-rc.1`, `v1.33.1+k3s1`
    Version,
}

/// Two texts, each read alone: as a filter compares them.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let keys = |kind: TextType| Some(kind.key(a)?.cmp(&kind.key(b)?));
    let typed = keys(TextType::Addresses).or_else(|| keys(TextType::Version));
    typed.unwrap_or_else(|| natural(a, b))
}

impl TextType {
    /// Bytes that stand in the order of the texts. `None`: the text isn't of this type.
    pub(super) fn key(self, text: &str) -> Option<Box<[u8]>> {
        match self {
            Self::Addresses => addresses(text),
            Self::Version => version(text),
        }
    }
}

/// Runs of digits are numbers. `a01` stands behind `a1`.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    while let (Some((one, rest)), Some((other, others))) = (run(left), run(right)) {
        let order = match (significant(one), significant(other)) {
            // More digits without leading zeros are a larger number.
            (Some(one), Some(other)) => one.len().cmp(&other.len()).then_with(|| one.cmp(other)),
            _ => one.cmp(other),
        };
        if order.is_ne() {
            return order;
        }
        (left, right) = (rest, others);
    }
    left.len().cmp(&right.len()).then_with(|| a.len().cmp(&b.len())).then_with(|| a.cmp(b))
}

/// The digits at the beginning, or all up to the next digit, and the rest. `None`: the text is empty.
fn run(text: &str) -> Option<(&str, &str)> {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    let end = text.find(|c: char| c.is_ascii_digit() != is_number).unwrap_or(text.len());
    text.split_at_checked(end).filter(|(run, _)| !run.is_empty())
}

/// The digits of a number behind its leading zeros.
fn significant(run: &str) -> Option<&str> {
    run.starts_with(|c: char| c.is_ascii_digit()).then(|| run.trim_start_matches('0'))
}

/// IPv4 before IPv6, then by the numbers; then the length of a network's prefix, and the second address.
fn addresses(text: &str) -> Option<Box<[u8]>> {
    let mut key = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (address, prefix) =
            part.split_once('/').map_or((part, None), |(address, prefix)| (address, Some(prefix)));
        match address.parse().ok()? {
            IpAddr::V4(address) => {
                key.push(4);
                key.extend(address.octets());
            }
            IpAddr::V6(address) => {
                key.push(6);
                key.extend(address.octets());
            }
        }
        key.push(prefix.map_or(Some(0), |prefix| prefix.parse().ok())?);
    }
    Some(key.into())
}

/// <https://semver.org/#spec-item-11>, with a `v` before it or without, of two or three numbers. What is built of one
/// version (`+k3s1`) stands by what is behind the plus, and a distribution's `-gke.100` is a pre-release, as it is written.
fn version(text: &str) -> Option<Box<[u8]>> {
    let (version, build) = text.split_once('+').map_or((text, ""), |(version, build)| (version, build));
    let bare = version.strip_prefix('v').unwrap_or(version);
    let (core, pre_release) = bare.split_once('-').map_or((bare, ""), |(core, pre)| (core, pre));
    let mut key = Vec::new();
    let mut count = 0;
    for number in core.split('.') {
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        key.extend(is_number.then(|| number.parse::<u64>().ok()).flatten()?.to_be_bytes());
        count += 1;
    }
    if !(2..=3).contains(&count) {
        return None;
    }
    key.resize(3 * size_of::<u64>(), 0);
    // A version stands behind its pre-releases.
    key.push(u8::from(pre_release.is_empty()));
    identifiers(pre_release, &mut key)?;
    identifiers(build, &mut key)?;
    Some(key.into())
}

/// Numbers before words, and fewer before more.
fn identifiers(text: &str, key: &mut Vec<u8>) -> Option<()> {
    let is_known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if !text.chars().all(is_known) {
        return None;
    }
    for identifier in text.split('.').filter(|identifier| !identifier.is_empty()) {
        let mut rest = identifier;
        // `rc10` stands behind `rc9`.
        while let Some((run, others)) = run(rest) {
            match significant(run) {
                Some(number) => {
                    key.push(NUMBER);
                    key.extend(number.parse::<u64>().unwrap_or(0).to_be_bytes());
                }
                None => {
                    key.push(WORD);
                    key.extend(run.bytes());
                    key.push(END);
                }
            }
            rest = others;
        }
        key.push(END_OF_IDENTIFIER);
    }
    key.push(END);
    Some(())
}

const END: u8 = 0;
const END_OF_IDENTIFIER: u8 = 1;
const NUMBER: u8 = 2;
const WORD: u8 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    /// Each text stands before the next one, in whatever order two of them are compared.
    fn in_order(texts: &[&str]) {
        for (at, a) in texts.iter().enumerate() {
            for (other, b) in texts.iter().enumerate() {
                assert_eq!(compare(a, b), at.cmp(&other), "{a} and {b}");
            }
        }
    }

    #[test]
    fn addresses_stand_by_their_numbers() {
        in_order(&[
            "9.0.0.1",
            "10.0.0.2",
            "10.0.0.2,fd00::2",
            "10.0.0.2,fd00::10",
            "10.0.0.10",
            "10.0.0.10/8",
            "10.0.0.10/16",
            "100.0.0.1",
            "::1",
            "fd00::2",
            "fd00::10",
            "fd00:1::1",
            "fe80::1",
        ]);
    }

    #[test]
    fn versions_stand_as_semver_orders_them() {
        in_order(&[
            "v0.9.0",
            "v1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "v1.4.0",
            "v1.36.9",
            "v1.36.10-rc.1",
            "v1.36.10-rc.10",
            "v1.36.10",
            "v1.36.10+k3s1",
            "v1.36.10+k3s2",
            "v1.36.10+k3s10",
            "v1.37.0",
            "v2.0",
        ]);
    }

    #[test]
    fn names_stand_in_their_natural_order() {
        in_order(&["", "a", "a1", "a01", "a2", "a10", "a10b", "b", "n-2", "n-10", "n-10-1", "n-10-a", "ä"]);
        in_order(&["x-1.9.txt", "x-1.10.txt", "x-99999999999999999999", "x-100000000000000000000"]);
    }

    #[test]
    fn what_is_no_address_and_no_version_is_text() {
        for text in ["", "10.0.0", "10.0.0.256", "10.0.0.1,", "fd00::x", "10.0.0.1/x", "<none>"] {
            assert_eq!(TextType::Addresses.key(text), None, "{text}");
        }
        for text in ["", "v1", "1..2", "1.2.3.4", "1.x", "v1.2 (beta)", "1.2.99999999999999999999"] {
            assert_eq!(TextType::Version.key(text), None, "{text}");
        }
    }
}
