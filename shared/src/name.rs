//! Names that can't lead a URL elsewhere, parsed once at the edge; never a name that wasn't checked.
//!
//! The rules are Kubernetes' own: namespaces are DNS labels (RFC 1123), groups and resources DNS
//! subdomains, object names path segments (`/`, `%`, `.` and `..` alone are refused). An object name may
//! contain characters with a meaning in a URL, so it is encoded there.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::json::{self, Malformed, Read, Reader};
use crate::problem::Problem;

/// Kubernetes' own bound on names (RFC 1123 subdomain).
pub const NAME_BYTES_MAX: usize = 253;
/// Kubernetes' own bound on labels (RFC 1123 label).
pub const LABEL_BYTES_MAX: usize = 63;

macro_rules! checked_name {
    ($(#[$doc:meta])* $name:ident, $what:literal, $check:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Box<str>);

        impl $name {
            /// Fails with `BadRequest`, which quotes the text and names the rule.
            pub fn parse(text: &str) -> Result<Self, Problem> {
                $check(text)
                    .map(|()| Self(text.into()))
                    .map_err(|rule| Problem::bad_request(format!(
                        "{} {:?} is not valid: {rule}", $what, clip(text)
                    )))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Read for $name {
            fn read(json: &mut Reader<'_>) -> json::Result<Self> {
                let text = json.text()?;
                $check(&text).map(|()| Self(text.into())).map_err(|_| Malformed)
            }
        }

        impl TryFrom<String> for $name {
            type Error = Problem;
            fn try_from(text: String) -> Result<Self, Problem> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0.into()
            }
        }
    };
}

checked_name!(
    /// A namespace: a DNS label.
    Namespace, "namespace", check_label
);
checked_name!(
    /// An object's name: one path segment.
    ObjectName, "name", check_segment
);
checked_name!(
    /// An API group: a DNS subdomain, or empty for the core group.
    Group, "group", check_group
);
checked_name!(
    /// An API version, such as `v1` or `v1beta1`.
    Version, "version", check_label
);
checked_name!(
    /// A resource as in a URL: plural, lower case, never a subresource.
    Plural, "resource", check_label
);
checked_name!(
    /// The gateway's own short name for a cluster.
    ClusterName, "cluster", check_subdomain
);

fn check_group(text: &str) -> Result<(), &'static str> {
    if text.is_empty() { Ok(()) } else { check_subdomain(text) }
}

fn check_label(text: &str) -> Result<(), &'static str> {
    if text.len() > LABEL_BYTES_MAX {
        return Err("it is longer than 63 characters");
    }
    if is_dns_label(text) {
        Ok(())
    } else {
        Err("lower case letters, digits and '-' are allowed, and a letter or digit at both ends")
    }
}

fn check_subdomain(text: &str) -> Result<(), &'static str> {
    if text.len() > NAME_BYTES_MAX {
        return Err("it is longer than 253 characters");
    }
    if text.split('.').all(is_dns_label) {
        Ok(())
    } else {
        Err("lower case letters, digits, '-' and '.' are allowed, and a letter or digit at both ends")
    }
}

/// Kubernetes' `path.IsValidPathSegmentName`, and no control characters besides: RBAC objects are
/// called `system:node` or `Read only?`, so a DNS name would be too strict.
fn check_segment(text: &str) -> Result<(), &'static str> {
    if text.is_empty() {
        return Err("it is empty");
    }
    if text.len() > NAME_BYTES_MAX {
        return Err("it is longer than 253 characters");
    }
    if text == "." || text == ".." {
        return Err("it may not be '.' or '..'");
    }
    if text.chars().any(|c| c.is_control() || matches!(c, '/' | '%')) {
        return Err("'/', '%' and control characters are not allowed");
    }
    Ok(())
}

/// Whether it is an RFC 1123 label, of any length.
pub fn is_dns_label(text: &str) -> bool {
    let alphanumeric = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let bytes = text.as_bytes();
    alphanumeric(bytes.first())
        && alphanumeric(bytes.last())
        && bytes.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
}

/// A refused text is quoted at a readable length.
fn clip(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut clipped: String = text.chars().take(SHOWN).collect();
    if clipped.len() < text.len() {
        clipped.push('…');
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SECURITY.md, R-AUTHZ-11: what must never become part of a URL.
    const TRAVERSAL: [&str; 16] = [
        "a/secrets/b?x=",
        "..",
        ".",
        "%2f",
        "a%2fb",
        "#",
        "?",
        "a?b",
        "a#b",
        "\0",
        "a\0b",
        "ü",
        "a b",
        "a\nb",
        "",
        "a\\b",
    ];

    #[test]
    fn r_authz_11_a_name_that_would_change_the_url_is_refused() {
        let long = "a".repeat(300);
        for text in TRAVERSAL.iter().copied().chain([long.as_str()]) {
            assert!(Namespace::parse(text).is_err(), "namespace {text:?}");
            assert!(Plural::parse(text).is_err(), "resource {text:?}");
            assert!(Version::parse(text).is_err(), "version {text:?}");
            // The gateway encodes those that Kubernetes allows.
            let is_segment = ["#", "?", "a?b", "a#b", "ü", "a b", "a\\b"].contains(&text);
            assert_eq!(ObjectName::parse(text).is_ok(), is_segment, "name {text:?}");
            assert!(text.is_empty() || Group::parse(text).is_err(), "group {text:?}");
        }
    }

    #[test]
    fn names_that_kubernetes_allows_are_accepted() {
        assert!(Group::parse("").is_ok());
        assert!(Group::parse("metrics.k8s.io").is_ok());
        assert!(ObjectName::parse("system:node").is_ok());
        assert!(Namespace::parse("kube-system").is_ok());
        assert!(Version::parse("v1beta1").is_ok());
    }

    #[test]
    fn a_refused_name_is_quoted_with_the_rule() {
        let problem = Namespace::parse("Prod").expect_err("upper case");
        assert_eq!(
            problem.message,
            "namespace \"Prod\" is not valid: lower case letters, digits and '-' are allowed, and a letter or digit at both ends"
        );
    }
}
