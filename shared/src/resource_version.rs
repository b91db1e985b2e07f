//! resourceVersion: a string everywhere, compared only where it can be; never a number.
//!
//! Since Kubernetes 1.35 (KEP-5504) a decimal integer without leading zeros is comparable within
//! one resource type: by length, then by bytes. Aggregated API servers may return anything.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::json::{self, Read, Reader};

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResourceVersion(Box<str>);

impl ResourceVersion {
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// None was given: an object of an API that has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn is_ordered(&self) -> bool {
        !self.0.is_empty()
            && self.0.bytes().all(|b| b.is_ascii_digit())
            && (self.0.len() == 1 || !self.0.starts_with('0'))
    }

    /// `None` where either is opaque (and they differ): nothing may be concluded then.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        if self == other {
            return Some(Ordering::Equal);
        }
        (self.is_ordered() && other.is_ordered())
            .then(|| self.0.len().cmp(&other.0.len()).then_with(|| self.0.cmp(&other.0)))
    }

    pub fn is_older_than(&self, other: &Self) -> bool {
        self.compare(other) == Some(Ordering::Less)
    }
}

impl fmt::Display for ResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for ResourceVersion {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl Read for ResourceVersion {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        Read::read(json).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_versions_compare_by_length_then_bytes_and_opaque_ones_not_at_all() {
        let check = |a: &str, b: &str, expected| {
            assert_eq!(ResourceVersion::new(a).compare(&ResourceVersion::new(b)), expected, "{a} {b}");
        };
        check("9", "10", Some(Ordering::Less));
        check("884129317", "884129316", Some(Ordering::Greater));
        check("18446744073709551616", "18446744073709551615", Some(Ordering::Greater));
        check("0", "1", Some(Ordering::Less));
        check("01", "2", None);
        check("abc", "abc", Some(Ordering::Equal));
        check("abc", "abd", None);
        check("", "1", None);
    }
}
