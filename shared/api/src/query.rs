//! The parameters of a query string, as Go reads them.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// The parameters of a query string, decoded.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    pub fn read(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(&key.replace('+', " ")), decoded(&value.replace('+', " ")))
        });
        Self { pairs: pairs.collect() }
    }

    pub fn text(&self, key: &str) -> &str {
        self.pairs.iter().find(|(found, _)| found == key).map_or("", |(_, value)| value)
    }

    pub fn has(&self, key: &str) -> bool {
        !self.text(key).is_empty()
    }

    /// As Go's conversion reads a flag: present and neither `false` nor `0`.
    pub fn is_on(&self, key: &str) -> bool {
        self.pairs
            .iter()
            .find(|(found, _)| found == key)
            .is_some_and(|(_, value)| !matches!(value.to_lowercase().as_str(), "false" | "0"))
    }
}

/// Percent-decoding; a text that isn't UTF-8 afterwards is kept as it was.
pub fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), Cow::into_owned)
}
