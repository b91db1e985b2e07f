//! The regexes of the filter: bounded in size, and blind to case.

use regex_lite::{Regex, RegexBuilder};

use crate::limits::REGEX_BYTES_MAX;
use crate::messages;

/// # Errors
/// Why it isn't a regex, or that it is too big.
pub(super) fn regex(pattern: &str) -> Result<Box<Regex>, Box<str>> {
    let built = RegexBuilder::new(pattern).case_insensitive(true).size_limit(REGEX_BYTES_MAX).build();
    built.map(Box::new).map_err(|error| messages::filter_regex(&error.to_string()).into())
}
