//! The identity of a request, from a trusted proxy's headers. Pure. A header that comes twice, in another spelling, or
//! that `Connection` would remove is a refusal of the whole request: never a part of an identity.

use http::header::{self, HeaderMap, HeaderName};
use shared::problem::{Problem, Reason};

use super::names::{self, NamePlace};
use crate::cluster::Subject;

/// The headers that carry an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderNames {
    pub user: HeaderName,
    pub groups: HeaderName,
    /// Between groups of one header. Without it each header is one group.
    pub separator: Option<char>,
}

/// The one value of a header that must come once, in this spelling.
/// Fails with `Unauthorized` where it is missing, and with `BadRequest` where it can't be trusted.
pub fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<&'h str, Problem> {
    is_itself(headers, name)?;
    let mut values = headers.get_all(name).iter();
    let value = values.next().ok_or_else(|| missing(name))?;
    if values.next().is_some() {
        let message =
            format!("the header {name} comes twice: the proxy must replace the one that a client sends");
        return Err(Problem::bad_request(message));
    }
    text(value.as_bytes(), name)
}

pub fn subject(headers: &HeaderMap, names: &HeaderNames) -> Result<Subject, Problem> {
    let user = single(headers, &names.user)?;
    is_itself(headers, &names.groups)?;
    // A server between may join two headers by a comma.
    if user.contains(',') {
        return Err(Problem::bad_request(format!("the header {} holds more than one name", names.user)));
    }
    let mut groups = Vec::new();
    for value in headers.get_all(&names.groups) {
        let value = text(value.as_bytes(), &names.groups)?;
        match names.separator {
            Some(separator) => groups.extend(value.split(separator).map(str::trim)),
            None if value.contains(',') => {
                let message = format!(
                    "the header {} holds a comma: --proxy-groups-separator says what stands between groups",
                    names.groups
                );
                return Err(Problem::bad_request(message));
            }
            None => groups.push(value),
        }
    }
    names::subject(
        (user, NamePlace::Header(names.user.as_str())),
        (groups.into_iter(), NamePlace::Header(names.groups.as_str())),
    )
}

fn text<'h>(value: &'h [u8], name: &HeaderName) -> Result<&'h str, Problem> {
    std::str::from_utf8(value).map_err(|_| Problem::bad_request(format!("the header {name} isn't UTF-8")))
}

fn missing(name: &HeaderName) -> Problem {
    Problem::new(
        Reason::Unauthorized,
        format!("the proxy doesn't say who you are: its header {name} is missing"),
    )
}

/// No other header is taken for this one by servers that don't tell `-` from `_`, and no hop is told to remove it.
fn is_itself(headers: &HeaderMap, name: &HeaderName) -> Result<(), Problem> {
    let folded = fold(name.as_str());
    if headers.keys().any(|other| other != name && fold(other.as_str()) == folded) {
        let message =
            format!("a header is another spelling of {name}: the proxy must drop those that a client sends");
        return Err(Problem::bad_request(message));
    }
    let mut dropped =
        headers.get_all(header::CONNECTION).iter().flat_map(|value| value.as_bytes().split(|b| *b == b','));
    if dropped.any(|token| fold(&String::from_utf8_lossy(token.trim_ascii())) == folded) {
        return Err(Problem::bad_request(format!("Connection would remove the header {name}")));
    }
    Ok(())
}

/// As CGI and what comes of it name a header.
fn fold(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}

#[cfg(test)]
#[path = "tests/headers.rs"]
mod tests;
