//! When a certificate ends: enough of DER (X.690) and X.509 (RFC 5280, 4.1) to find one date. Never
//! a judgement about trust: that is rustls' affair.

use base64::Engine;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// `notAfter` of the first certificate of a PEM file; `None` if it isn't one.
pub(super) fn not_after(pem: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(pem).ok()?;
    let (_, rest) = text.split_once("-----BEGIN CERTIFICATE-----")?;
    let (body, _) = rest.split_once("-----END CERTIFICATE-----")?;
    let compact: String = body.chars().filter(|c| !c.is_whitespace()).collect();
    of_der(&base64::engine::general_purpose::STANDARD.decode(compact).ok()?)
}

fn of_der(der: &[u8]) -> Option<Timestamp> {
    let (certificate, _) = expect(der, SEQUENCE)?;
    let (mut fields, _) = expect(certificate, SEQUENCE)?;
    if let Some((_, rest)) = expect(fields, VERSION) {
        fields = rest;
    }
    // serialNumber, signature, issuer; then validity.
    for _ in 0..3 {
        fields = element(fields)?.2;
    }
    let (validity, _) = expect(fields, SEQUENCE)?;
    let (_, _, rest) = element(validity)?;
    let (tag, time, _) = element(rest)?;
    let text = std::str::from_utf8(time).ok()?;
    match tag {
        // Two digits of the year: 50 to 99 are the last century.
        UTC_TIME => {
            let century = if text.get(..2)?.parse::<u8>().ok()? >= 50 { "19" } else { "20" };
            instant(&format!("{century}{text}"))
        }
        GENERALIZED_TIME => instant(text),
        _ => None,
    }
}

/// `YYYYMMDDHHMMSSZ`.
fn instant(text: &str) -> Option<Timestamp> {
    let digits = text.strip_suffix('Z')?;
    let civil = DateTime::strptime("%Y%m%d%H%M%S", digits).ok()?;
    Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

fn expect(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (found, content, rest) = element(der)?;
    (found == tag).then_some((content, rest))
}

/// The tag, the content and what follows.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = der.split_first()?;
    let (first, mut rest) = rest.split_first()?;
    let mut length = usize::from(*first);
    if *first >= 0x80 {
        let bytes = rest.get(..usize::from(first & 0x7f))?;
        if bytes.len() > 4 {
            return None;
        }
        length = bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
        rest = rest.get(bytes.len()..)?;
    }
    Some((*tag, rest.get(..length)?, rest.get(length..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pem(year: i32) -> String {
        let mut parameters = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
        parameters.not_after = rcgen::date_time_ymd(year, 2, 3);
        let key = rcgen::KeyPair::generate().expect("a key");
        parameters.self_signed(&key).expect("a certificate").pem()
    }

    #[test]
    fn the_end_of_a_certificate_is_read_in_both_of_its_forms() {
        for (year, expected) in [(2021, "2021-02-03T00:00:00Z"), (2055, "2055-02-03T00:00:00Z")] {
            assert_eq!(not_after(pem(year).as_bytes()).expect("a date").to_string(), expected);
        }
    }

    #[test]
    fn what_is_no_certificate_has_no_end() {
        for text in [
            "",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----",
        ] {
            assert_eq!(not_after(text.as_bytes()), None);
        }
        let whole = base64::engine::general_purpose::STANDARD
            .decode(pem(2030).lines().filter(|line| !line.starts_with("---")).collect::<String>())
            .expect("base64");
        for length in 0..whole.len().min(200) {
            assert_eq!(of_der(&whole[..length]), None, "cut at {length}");
        }
    }
}
