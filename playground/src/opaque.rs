//! resourceVersions that aren't numbers, as an aggregated API server may have them: a client can only
//! compare them for equality. Pure; the store goes on counting, and only the wire is changed.

/// The beginning of such a resourceVersion.
const PREFIX: &str = "opaque-";

/// An odd number, so that multiplying by it can be undone, and large, so that order is lost.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// `FACTOR * INVERSE` is 1, in 64 bits.
const INVERSE: u64 = 0xf1de_83e1_9937_733d;

/// What precedes every resourceVersion in compact JSON. Inside a string its quotes are escaped.
const FIELD: &[u8] = b"\"resourceVersion\":\"";

pub fn encode(revision: u64) -> String {
    format!("{PREFIX}{:016x}", revision.wrapping_mul(FACTOR))
}

/// The number behind one of ours.
pub fn decode(text: &str) -> Option<u64> {
    let hex = text.strip_prefix(PREFIX).filter(|hex| hex.len() == 16)?;
    u64::from_str_radix(hex, 16).ok().map(|scrambled| scrambled.wrapping_mul(INVERSE))
}

/// Rewrites every resourceVersion in JSON that goes by in pieces, wherever it is cut.
#[derive(Debug, Default)]
pub struct Scrambler {
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// So many bytes of `FIELD` have gone by.
    Text(usize),
    /// The digits so far.
    Number(String),
}

impl Default for Place {
    fn default() -> Self {
        Self::Text(0)
    }
}

impl Scrambler {
    pub fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for byte in bytes {
            self.place = match std::mem::take(&mut self.place) {
                Place::Text(seen) => {
                    out.push(*byte);
                    after(seen, *byte)
                }
                Place::Number(mut digits) if byte.is_ascii_digit() => {
                    digits.push(char::from(*byte));
                    Place::Number(digits)
                }
                Place::Number(digits) => {
                    let encoded = digits.parse().map_or(digits, encode);
                    out.extend_from_slice(encoded.as_bytes());
                    out.push(*byte);
                    after(0, *byte)
                }
            };
        }
        out
    }
}

fn after(seen: usize, byte: u8) -> Place {
    let seen = match FIELD.get(seen) {
        Some(wanted) if *wanted == byte => seen + 1,
        // Nothing in the field repeats its beginning but the quote itself.
        _ => usize::from(byte == b'"'),
    };
    if seen == FIELD.len() { Place::Number(String::new()) } else { Place::Text(seen) }
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
    fn a_scrambled_document_is_the_same_wherever_it_is_cut() {
        // A list without a resourceVersion stays as it is.
        let none = br#"{"metadata":{"resourceVersion":""}}"#;
        assert_eq!(Scrambler::default().pass(none), none);
        let text = r#"{"metadata":{"resourceVersion":"17","a":"\"resourceVersion\":\"3\""},"x":""resourceVersion":"4"}"#;
        let whole = Scrambler::default().pass(text.as_bytes());
        let expected = text
            .replace("\"resourceVersion\":\"17\"", &format!("\"resourceVersion\":\"{}\"", encode(17)))
            .replace("\"resourceVersion\":\"4\"", &format!("\"resourceVersion\":\"{}\"", encode(4)));
        assert_eq!(String::from_utf8_lossy(&whole), expected);
        for at in 0..text.len() {
            let (one, other) = text.as_bytes().split_at(at);
            let mut scrambler = Scrambler::default();
            let mut pieces = scrambler.pass(one);
            pieces.extend(scrambler.pass(other));
            assert_eq!(pieces, whole, "cut at {at}");
        }
    }
}
