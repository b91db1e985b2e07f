//! Standard Webhooks: <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>. A
//! message has an id, the time of this try, and a signature by each key, of which a receiver needs to know one.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac::{HMAC_SHA256, Key, sign};

/// The keys of a receiver. Never printed.
pub(super) struct Keys(Vec<Key>);

/// A key has from 24 to 64 bytes, as the specification says.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;
const KEYS_MAX: usize = 8;

impl Keys {
    /// A key a line, as `whsec_` and its base64. The message never quotes one.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        if lines.is_empty() || lines.len() > KEYS_MAX {
            return Err(format!("it has {} keys; it can have 1 to {KEYS_MAX}, a line each", lines.len()));
        }
        let key = |(number, line): (usize, &&str)| {
            let bytes = STANDARD.decode(line.strip_prefix("whsec_").unwrap_or(line)).ok();
            let bytes = bytes.filter(|bytes| KEY_BYTES.contains(&bytes.len()));
            let bytes = bytes.ok_or_else(|| {
                format!(
                    "line {} isn't whsec_ and the base64 of 24 to 64 bytes, such as \
                     `echo whsec_$(openssl rand -base64 32)` prints",
                    number + 1
                )
            })?;
            Ok::<_, String>(Key::new(HMAC_SHA256, &bytes))
        };
        lines.iter().enumerate().map(key).collect::<Result<_, _>>().map(Self)
    }

    /// The header `webhook-signature`.
    pub(super) fn sign(&self, id: &str, timestamp_s: i64, body: &[u8]) -> String {
        let signed = [format!("{id}.{timestamp_s}.").as_bytes(), body].concat();
        let by = |key: &Key| format!("v1,{}", STANDARD.encode(sign(key, &signed)));
        self.0.iter().map(by).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_the_one_that_the_published_libraries_make() {
        // The vector of the libraries' own tests, such as
        // <https://github.com/standard-webhooks/standard-webhooks/blob/main/libraries/rust/src/lib.rs>.
        let keys = Keys::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n").expect("keys");
        let signed = keys.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn each_key_signs_and_what_is_no_key_is_named_by_its_line() {
        let other = format!("whsec_{}", STANDARD.encode([7; 32]));
        let both = Keys::parse(&format!("# the new one\n{other}\nwhsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"));
        let signed = both.expect("keys").sign(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            br#"{"test": 2432232314}"#,
        );
        let parts: Vec<&str> = signed.split(' ').collect();
        assert_eq!((parts.len(), parts[1]), (2, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
        for (text, says) in [("", "0 keys"), ("whsec_c2hvcnQ=", "line 1"), ("secret!", "line 1")] {
            let said = Keys::parse(text).map(drop).expect_err(text);
            assert!(said.contains(says) && !said.contains("c2hvcnQ"), "{said}");
        }
    }
}
