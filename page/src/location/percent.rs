//! Percent-encoding of a link's parts (RFC 3986). Bytes that aren't UTF-8 become U+FFFD. Decoding never fails: the
//! caller names the parts that it can't use.

/// Bytes that need no escape in a path segment or the value of a query.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~,/:@!=*()$".contains(&byte)
}

pub(crate) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if is_plain(byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

pub(crate) fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        let escaped = behind.get(..2).and_then(|hex| {
            let hex =
                std::str::from_utf8(hex).ok().filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
            u8::from_str_radix(hex, 16).ok()
        });
        match (*byte, escaped) {
            (b'%', Some(value)) => {
                bytes.push(value);
                rest = behind.get(2..).unwrap_or_default();
            }
            (b'+', _) => {
                bytes.push(b' ');
                rest = behind;
            }
            (byte, _) => {
                bytes.push(byte);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
