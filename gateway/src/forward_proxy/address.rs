//! Addresses as Go's `net/url` reads them: what it refuses is refused, and what it takes for a scheme is one. Never resolved.

use std::fmt;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// A URL with an authority, in its parts.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// In lower case.
    pub(crate) scheme: String,
    /// Name and password, decoded.
    pub(crate) user: Option<(String, String)>,
    /// In brackets where it is an IPv6 address.
    pub(crate) host: String,
    pub(crate) port: Option<u16>,
    /// Without its escapes undone, and without the query.
    pub(crate) path: String,
}

/// How Go reads a text as a URL.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// With a scheme and a host.
    Absolute(Address),
    /// It is a URL, but one of these is missing: `localhost:8080` has the scheme `localhost` and no host.
    Partial,
    Invalid,
}

impl Address {
    pub(crate) fn of(uri: &http::Uri) -> Option<Self> {
        match Self::parse(&uri.to_string()) {
            Parsed::Absolute(address) => Some(address),
            Parsed::Partial | Parsed::Invalid => None,
        }
    }

    pub(crate) fn parse(text: &str) -> Parsed {
        let text = text.split('#').next().unwrap_or_default();
        if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
            return Parsed::Invalid;
        }
        let Some((scheme, rest)) = split_scheme(text) else { return Parsed::Invalid };
        let rest = rest.split('?').next().unwrap_or_default();
        let Some(hierarchy) = rest.strip_prefix("//") else {
            // Without a scheme the first segment of a path may have no colon.
            let first = rest.split('/').next().unwrap_or_default();
            let is_invalid = scheme.is_empty() && first.contains(':');
            return if is_invalid || !has_valid_escapes(rest) { Parsed::Invalid } else { Parsed::Partial };
        };
        let (authority, path) = match hierarchy.find('/') {
            Some(slash) => hierarchy.split_at(slash),
            None => (hierarchy, ""),
        };
        let Some((user, host, port)) = split_authority(authority) else { return Parsed::Invalid };
        if !has_valid_escapes(path) {
            return Parsed::Invalid;
        }
        if scheme.is_empty() || (host.is_empty() && port.is_none()) {
            return Parsed::Partial;
        }
        Parsed::Absolute(Self {
            scheme: scheme.to_ascii_lowercase(),
            user,
            host,
            port,
            path: path.to_owned(),
        })
    }

    /// The host as a name or an IP address.
    pub(crate) fn bare_host(&self) -> &str {
        self.host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(&self.host)
    }

    pub(crate) fn port_or_usual(&self) -> u16 {
        self.port.unwrap_or(match self.scheme.as_str() {
            "https" => 443,
            "socks5" | "socks5h" => 1080,
            _ => 80,
        })
    }

    /// `host:port`.
    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port_or_usual())
    }

    /// `None`: no request can be sent there.
    pub(crate) fn uri(&self) -> Option<http::Uri> {
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        let path = cleaned(&self.path);
        let path = utf8_percent_encode(&path, NEVER_IN_A_PATH);
        format!("{}://{}{port}{path}", self.scheme, self.host).parse().ok()
    }
}

/// As it is shown: it may hold a password.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Without user and path.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.authority())
    }
}

/// `None`: the scheme is missing before its colon.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    for (position, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if position > 0 => {}
            b':' if position == 0 => return None,
            b':' => {
                return text
                    .split_at_checked(position)
                    .map(|(scheme, rest)| (scheme, rest.get(1..).unwrap_or_default()));
            }
            _ => return Some(("", text)),
        }
    }
    Some(("", text))
}

type Authority = (Option<(String, String)>, String, Option<u16>);

fn split_authority(authority: &str) -> Option<Authority> {
    let (user, host) = match authority.rsplit_once('@') {
        None => (None, authority),
        Some((user, host)) => (Some(split_user(user)?), host),
    };
    let (host, port) = match host.strip_prefix('[') {
        Some(inner) => {
            let (inside, port) = inner.rsplit_once(']')?;
            (format!("[{inside}]"), port)
        }
        None => match host.split_once(':') {
            Some((name, _)) => (name.to_owned(), host.strip_prefix(name)?),
            None => (host.to_owned(), ""),
        },
    };
    let port = match port.strip_prefix(':') {
        None if port.is_empty() => None,
        None => return None,
        Some("") => None,
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().ok()?),
        Some(_) => return None,
    };
    let is_valid =
        host.bytes().all(|byte| byte >= 0x80 || byte.is_ascii_alphanumeric() || IN_HOSTS.contains(&byte));
    is_valid.then_some((user, host, port))
}

fn split_user(text: &str) -> Option<(String, String)> {
    let is_valid = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || IN_USERS.contains(&byte));
    if !is_valid || !has_valid_escapes(text) {
        return None;
    }
    let (name, password) = text.split_once(':').unwrap_or((text, ""));
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().ok().map(Into::into);
    Some((decoded(name)?, decoded(password)?))
}

fn has_valid_escapes(text: &str) -> bool {
    text.split('%').skip(1).all(|after| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// Without empty and dotted segments, as `path.Join` does to it.
fn cleaned(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(kept.pop()),
            other => kept.push(other),
        }
    }
    format!("/{}", kept.join("/"))
}

const IN_USERS: &[u8] = b"-._:~!$&'()*+,;=%@";
const IN_HOSTS: &[u8] = b"-._~!$&'()*+,;=:[]<>\"%";
const NEVER_IN_A_PATH: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'{').add(b'}');

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_go_reads_it() {
        let shown = |text: &str| match Address::parse(text) {
            Parsed::Invalid => "invalid".to_owned(),
            Parsed::Partial => "partial".to_owned(),
            Parsed::Absolute(address) => {
                let user = address.user.as_ref().map(|(name, password)| format!("{name}:{password}@"));
                format!("{} {}{}", address, user.unwrap_or_default(), address.path)
            }
        };
        for (text, expected) in [
            ("https://h:6443", "https://h:6443 "),
            ("HTTPS://h", "https://h:443 "),
            ("https://h:", "https://h:443 "),
            ("https://h/a/b/?q=1#f", "https://h:443 /a/b/"),
            ("https://[::1]:6443", "https://[::1]:6443 "),
            ("socks5://p", "socks5://p:1080 "),
            ("http://a:p%40ss@p:3128", "http://p:3128 a:p@ss@"),
            ("http://a@p", "http://p:80 a:@"),
            ("127.0.0.1:6443", "invalid"),
            ("localhost:6443", "partial"),
            ("h", "partial"),
            ("//h", "partial"),
            ("https:///x", "partial"),
            (":x", "invalid"),
            ("https://h:x", "invalid"),
            ("https://h:1:2", "invalid"),
            ("https://h y", "invalid"),
            ("http://a:%zz@p", "invalid"),
            ("https://h/%zz", "invalid"),
            ("https://h\n", "invalid"),
        ] {
            assert_eq!(shown(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_path_is_cleaned_before_it_is_sent() {
        for (text, expected) in [
            ("https://h", "https://h/"),
            ("https://h/", "https://h/"),
            ("https://h:1/a//b/./../c/", "https://h:1/a/c"),
            ("https://h/a b", "https://h/a%20b"),
        ] {
            let Parsed::Absolute(address) = Address::parse(text) else { panic!("{text}") };
            assert_eq!(address.uri().expect(text).to_string(), expected);
        }
    }
}
