//! resourceVersions that aren't numbers, as an aggregated API server may have them: a client can only
//! compare them for equality. Pure; the store goes on counting, and only the wire is changed.

use bytes::Bytes;

/// The beginning of such a resourceVersion.
const PREFIX: &str = "opaque-";

/// An odd number, so that multiplying by it can be undone, and large, so that order is lost.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// `FACTOR * INVERSE` is 1, in 64 bits.
const INVERSE: u64 = 0xf1de_83e1_9937_733d;

/// What precedes every resourceVersion in compact JSON. Inside a string its quotes are escaped.
const FIELD: &str = "\"resourceVersion\":\"";

pub fn encode(revision: u64) -> String {
    format!("{PREFIX}{:016x}", revision.wrapping_mul(FACTOR))
}

/// The number behind one of ours.
pub fn decode(text: &str) -> Option<u64> {
    let hex = text.strip_prefix(PREFIX).filter(|hex| hex.len() == 16)?;
    u64::from_str_radix(hex, 16).ok().map(|scrambled| scrambled.wrapping_mul(INVERSE))
}

/// JSON with every resourceVersion encoded that is a number.
pub fn encode_all(json: Bytes) -> Bytes {
    let text = String::from_utf8_lossy(&json);
    let mut parts = text.split(FIELD);
    let mut encoded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (value, rest) = part.split_once('"').unwrap_or((part, ""));
        let value = value.parse().map_or_else(|_| value.to_owned(), encode);
        encoded.extend([FIELD, &value, "\"", rest]);
    }
    Bytes::from(encoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opaque_revision_leads_back_to_its_number_and_none_keeps_the_order() {
        let numbers = [0, 1, 2, 99, 1_000_000, u64::MAX];
        assert_eq!(numbers.map(|number| decode(&encode(number))), numbers.map(Some));
        assert!(encode(1) > encode(2));
    }

    #[test]
    fn any_other_text_is_refused() {
        for text in ["", "12", "opaque-", "opaque-12", "opaque-zzzzzzzzzzzzzzzz", "abc"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    #[test]
    fn every_resource_version_of_a_document_is_encoded_and_nothing_else() {
        let text =
            r#"{"metadata":{"resourceVersion":"17","a":"\"resourceVersion\":\"3\""},"resourceVersion":""}"#;
        let expected = text.replace("\"17\"", &format!("\"{}\"", encode(17)));
        assert_eq!(encode_all(Bytes::from(text)), expected);
    }
}
