//! Which `Host` and which `Origin` are accepted. Pure. Only exact tuples of scheme, host and port in the form that
//! browsers write: no wildcard, no suffix, no other spelling.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::page_name::PageName;
use shared::name::{NAME_BYTES_MAX, is_dns_label};

/// `host[:port]`, in the form that a browser writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    host: Box<str>,
    port: Option<u16>,
}

/// `scheme://host[:port]`, without the scheme's default port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    scheme: Scheme,
    authority: Authority,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    #[default]
    Http,
    Https,
}

/// The origins whose requests are accepted.
#[derive(Clone, Debug, Default)]
pub struct OriginPolicy {
    /// The address of the gateway behind a proxy.
    public: Option<Origin>,
    /// Sites whose pages may use this gateway.
    allowed: Vec<Origin>,
    /// The scheme of the gateway's own listener.
    scheme: Scheme,
}

/// Where a request comes from, as its `Origin` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestOrigin {
    /// The gateway's own page.
    Own(Origin),
    /// A page of a listed site.
    Listed(Origin),
    /// No page: a browser always sends an `Origin` when it opens a socket.
    Missing,
}

impl RequestOrigin {
    /// As the header has it; empty without one.
    pub fn text(&self) -> String {
        match self {
            Self::Own(origin) | Self::Listed(origin) => origin.to_string(),
            Self::Missing => String::new(),
        }
    }
}

impl OriginPolicy {
    pub fn new(public: Option<Origin>, allowed: Vec<Origin>) -> Self {
        Self { public, allowed, scheme: Scheme::Http }
    }

    /// For a listener that speaks TLS.
    #[must_use]
    pub fn with_tls(self) -> Self {
        Self { scheme: Scheme::Https, ..self }
    }

    /// Whether people reach the gateway by this origin over https, now and from now on. Never on loopback, where other
    /// programs have the same host.
    pub fn is_secure(&self, own: &Origin) -> bool {
        self.public.as_ref() == Some(own)
            && own.scheme == Scheme::Https
            && !LOOPBACK.contains(&&*own.authority.host)
    }

    /// The gateway's own origin as this `Host` names it; `None` if the host isn't the gateway's. On
    /// loopback any port is accepted, for people forward ports.
    pub fn host(&self, host: &str) -> Option<Origin> {
        let authority = Authority::parse(host)?;
        let public = self
            .public
            .as_ref()
            .filter(|public| public.authority == authority.clone().without_default(public.scheme));
        if public.is_some() {
            return public.cloned();
        }
        let is_loopback = LOOPBACK.contains(&&*authority.host);
        let scheme = self.scheme;
        is_loopback.then(|| Origin { scheme, authority: authority.without_default(scheme) })
    }

    /// The origin of a page that has a name of its own, as this `Host` says it; `None` if the host has another form.
    /// Whether the name is one that the gateway gave is another question.
    pub fn named(&self, host: &str) -> Option<Origin> {
        let authority = Authority::parse(host)?;
        PageName::of_host(&authority.host)?;
        let scheme = self.scheme;
        Some(Origin { scheme, authority: authority.without_default(scheme) })
    }

    /// The sites whose pages may use this gateway.
    pub fn allowed(&self) -> &[Origin] {
        &self.allowed
    }

    /// `None` for another site's page.
    pub fn request_origin(&self, own: &Origin, origin: Option<&str>) -> Option<RequestOrigin> {
        let Some(text) = origin else { return Some(RequestOrigin::Missing) };
        let origin = Origin::parse(text)?;
        if origin == *own {
            Some(RequestOrigin::Own(origin))
        } else {
            self.allowed.contains(&origin).then_some(RequestOrigin::Listed(origin))
        }
    }
}

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl Authority {
    /// `None` for anything but the form that a browser writes.
    pub fn parse(text: &str) -> Option<Self> {
        let end =
            if text.starts_with('[') { text.find(']')? + 1 } else { text.find(':').unwrap_or(text.len()) };
        let (host, rest) = text.split_at_checked(end)?;
        let port = match rest.strip_prefix(':') {
            None if rest.is_empty() => None,
            None => return None,
            Some(digits) => Some(parse_port(digits)?),
        };
        is_host(host).then(|| Self { host: host.into(), port })
    }

    fn without_default(mut self, scheme: Scheme) -> Self {
        self.port = self.port.filter(|port| *port != scheme.default_port());
        self
    }
}

/// Digits without a sign or a leading zero.
fn parse_port(digits: &str) -> Option<u16> {
    let port: u16 = digits.parse().ok()?;
    (port > 0 && port.to_string() == digits).then_some(port)
}

fn is_host(host: &str) -> bool {
    if let Some(inner) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return inner.parse::<Ipv6Addr>().is_ok_and(|address| address.to_string() == inner);
    }
    // A name that ends in a number must be an IPv4 address: `127.1` and `0x7f.1` are other spellings of one.
    let ends_in_number =
        host.rsplit('.').next().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_digit()));
    if ends_in_number {
        return host.parse::<Ipv4Addr>().is_ok_and(|address| address.to_string() == host);
    }
    host.len() <= NAME_BYTES_MAX && host.split('.').all(is_dns_label)
}

impl Origin {
    /// `None` for `null` and for anything but the form that a browser writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = match text.strip_prefix("https://") {
            Some(rest) => (Scheme::Https, rest),
            None => (Scheme::Http, text.strip_prefix("http://")?),
        };
        let authority = Authority::parse(rest)?;
        (authority.port != Some(scheme.default_port())).then_some(Self { scheme, authority })
    }
}

impl Origin {
    /// The page's own name, in mode `local`.
    pub fn page_name(&self) -> Option<PageName> {
        PageName::of_host(&self.authority.host)
    }

    /// Whether other programs on the machine may have had this host, with its port, before.
    pub fn is_loopback(&self) -> bool {
        LOOPBACK.contains(&&*self.authority.host)
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        write!(f, "{scheme}://{}", self.authority.host)?;
        self.authority.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl Scheme {
    fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

#[cfg(test)]
#[path = "tests/origin.rs"]
mod tests;
