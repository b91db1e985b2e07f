//! `application/x-www-form-urlencoded`, for queries and forms: pairs to text and back.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What RFC 3986 leaves as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub(super) fn encode(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

pub(super) fn form(pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    pairs.join("&")
}

/// A URL that may have a query already, with these pairs.
pub(super) fn with_query(url: &str, pairs: &[(&str, &str)]) -> String {
    let joined = if url.contains('?') { '&' } else { '?' };
    format!("{url}{joined}{}", form(pairs))
}

/// The value of this name. `Err`: it comes more than once, or isn't UTF-8.
pub(super) fn value(form: &str, name: &str) -> Result<Option<String>, ()> {
    let mut values = form.split('&').filter_map(|pair| {
        let (found, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(found).as_deref() == Some(name)).then(|| decoded(value))
    });
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(Some(value)), None) => Ok(Some(value)),
        _ => Err(()),
    }
}

fn decoded(text: &str) -> Option<String> {
    percent_decode_str(&text.replace('+', " ")).decode_utf8().ok().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_comes_twice_is_not() {
        let text = form(&[("code", "a b&c=d+é"), ("state", "")]);
        assert_eq!(text, "code=a%20b%26c%3Dd%2B%C3%A9&state=");
        assert_eq!(value(&text, "code"), Ok(Some("a b&c=d+é".to_owned())));
        assert_eq!(value(&text, "state"), Ok(Some(String::new())));
        assert_eq!(value(&text, "iss"), Ok(None));
        assert_eq!(value("a=1+2", "a"), Ok(Some("1 2".to_owned())));
        for twice in ["code=1&code=2", "code=1&%63ode=1", "code=%ff"] {
            assert_eq!(value(twice, "code"), Err(()), "{twice}");
        }
        assert_eq!(with_query("https://id/a?p=1", &[("x", "y")]), "https://id/a?p=1&x=y");
    }
}
