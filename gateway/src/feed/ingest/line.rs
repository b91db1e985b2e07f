//! A line that a container wrote, masked as a text of an object is.

use std::borrow::Cow;

use super::credentials::found_in;
use super::redact::{Redacted, holds_credential};
use super::role::AskedKind;
use crate::feed::Redaction;
use crate::feed::masks::MASK;

/// The line with masks in place of the credentials that are found in it. A line that is JSON and holds one stays JSON.
/// Bytes that are no UTF-8 stay as they are if nothing is found.
#[must_use]
pub fn masked_line<'l>(redaction: &Redaction, namespace: &str, line: &'l [u8]) -> Cow<'l, [u8]> {
    let rules = redaction.rules();
    if rules.shows_all_in(namespace) {
        return Cow::Borrowed(line);
    }
    let text = String::from_utf8_lossy(line);
    if !holds_credential(&text, rules, 0) {
        return Cow::Borrowed(line);
    }
    let trimmed = text.trim();
    if trimmed.starts_with('{')
        && let Some(object) = Redacted::of(trimmed, rules, AskedKind::Other)
    {
        return Cow::Owned(object.finish().0);
    }
    let found = found_in(&text, &rules.names);
    let mut masked = Vec::with_capacity(line.len());
    let mut copied = 0;
    for place in found {
        masked.extend_from_slice(text.as_bytes().get(copied..place.start).unwrap_or_default());
        masked.extend_from_slice(MASK.as_bytes());
        copied = place.end;
    }
    // JSON that isn't an object, such as several values.
    if copied == 0 {
        return Cow::Owned(MASK.as_bytes().to_vec());
    }
    masked.extend_from_slice(text.as_bytes().get(copied..).unwrap_or_default());
    Cow::Owned(masked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::RedactionSettings;

    #[test]
    fn a_line_is_masked_as_a_text_is_and_stays_as_it_is_otherwise() {
        let settings = RedactionSettings {
            credential_names: vec!["badge".into()],
            unmasked_namespaces: vec!["open".into()],
            ..Default::default()
        };
        let redaction = Redaction::of(&settings);
        let masked = |line: &[u8]| masked_line(&redaction, "shop", line).into_owned();
        for (line, expected) in [
            ("connecting with password=hunter2 to db", "connecting with password=•••••••• to db"),
            ("GET / Authorization: Bearer eyJhbGciOi.abcdefgh", "GET / Authorization: Bearer ••••••••"),
            ("postgres://app:hunter2@db/shop", "postgres://app:••••••••@db/shop"),
            (
                "{\"msg\":\"in\",\"badge\":\"hunter2\",\"n\":1}",
                "{\"msg\":\"in\",\"badge\":\"••••••••\",\"n\":1}",
            ),
            ("{\"msg\":\"in\", \"n\":1}", "{\"msg\":\"in\", \"n\":1}"),
            ("GET /items/7 200 12ms", "GET /items/7 200 12ms"),
            ("", ""),
        ] {
            let said = masked(line.as_bytes());
            let said = String::from_utf8(said).expect("text");
            assert!(!said.contains("hunter2"), "{said}");
            assert_eq!(said, expected);
        }
        assert_eq!(masked(b"\xff\x00 no text\x1b[31m"), b"\xff\x00 no text\x1b[31m");
        assert!(!masked(b"\xff password=hunter2").ends_with(b"hunter2"));
        let line = b"password=hunter2";
        assert_eq!(&*masked_line(&redaction, "open", line), line);
    }
}
