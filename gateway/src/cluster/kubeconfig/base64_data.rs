//! Fields with data in base64, beside which a file may be named. Base64 is taken as Go's decoder takes it: line breaks
//! anywhere, and padding whose unused bits are set.

use std::path::Path;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::PAD;
use shared::problem::Problem;

use super::wrong;
use crate::plain_file;

const LIKE_GO: GeneralPurpose = GeneralPurpose::new(&STANDARD, PAD.with_decode_allow_trailing_bits(true));

/// `None`: it is no base64.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let joined: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    LIKE_GO.decode(joined).ok()
}

/// What a field holds itself, else what the file holds that it names.
pub(super) fn or_file(field: &str, data: &str, file: &str) -> Result<Option<Vec<u8>>, Problem> {
    if !data.is_empty() {
        let decoded = decode(data);
        return decoded.map(Some).ok_or_else(|| wrong(format!("`{field}-data` is no base64")));
    }
    if file.is_empty() {
        return Ok(None);
    }
    let read = plain_file::read(Path::new(file)).map(Some);
    read.map_err(|error| wrong(format!("its `{field}` {file} can't be read: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_are_skipped_and_blanks_are_not() {
        for (text, expected) in [
            ("aGVsbG8=", Some("hello")),
            ("aGVs\nbG8=\n", Some("hello")),
            ("aGVs\r\nbG8\n=", Some("hello")),
            ("aGVsbG9=", Some("hello")),
            ("", Some("")),
            ("aGVs bG8=", None),
            ("aGVsbG8", None),
        ] {
            assert_eq!(decode(text).as_deref(), expected.map(str::as_bytes), "{text:?}");
        }
    }
}
