//! The name of a page's own host in mode `local`: `http://NAME.localhost:PORT`. It can't be guessed, so a service worker
//! that another program registered earlier, at this port of any other name, never sees it. Browsers lead every name
//! below `localhost` to loopback, whatever a DNS server says. Pure, but for the randomness.

use shared::problem::{Problem, Reason};

const DOMAIN: &str = "localhost";
/// 128 bits can't be guessed.
const RANDOM_BYTES: usize = 16;

/// In lower case, because browsers write hosts so.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PageName(Box<str>);

impl PageName {
    /// Fails if the system has no randomness.
    pub fn random() -> Result<Self, Problem> {
        let mut bytes = [0_u8; RANDOM_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| {
            Problem::new(Reason::InternalError, format!("the system has no randomness: {error}"))
        })?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()))
    }

    /// `None` for a host of another form.
    pub fn of_host(host: &str) -> Option<Self> {
        let name = host.strip_suffix(DOMAIN)?.strip_suffix('.')?;
        let is_name = name.len() == 2 * RANDOM_BYTES
            && name.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
        is_name.then(|| Self(name.into()))
    }

    pub fn host(&self) -> String {
        format!("{}.{DOMAIN}", self.0)
    }

    /// The same address under this name: `http://127.0.0.1:8484/open` becomes `http://NAME.localhost:8484/open`.
    pub fn instead_of_host(&self, url: &str) -> String {
        let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        let port = authority.rsplit_once(':').map(|(_, port)| format!(":{port}")).unwrap_or_default();
        format!("{scheme}://{}{port}{path}", self.host())
    }
}

/// Whether browsers lead a host to loopback by its name.
pub fn is_below_localhost(host: &str) -> bool {
    host.strip_suffix(DOMAIN).is_some_and(|rest| rest.ends_with('.') && rest.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_reads_back_and_no_other_host_is_one() {
        let name = PageName::random().expect("randomness");
        assert_eq!(PageName::of_host(&name.host()), Some(name.clone()));
        assert_ne!(PageName::random().expect("randomness"), name);
        let long = "a".repeat(33);
        for host in [
            "localhost",
            ".localhost",
            "127.0.0.1",
            "evil.localhost",
            &format!("{}.evil.example", name.host()),
            &format!("{}x", name.host()),
            &name.host().to_uppercase(),
            &format!("a.{}", name.host()),
            &format!("{long}.localhost"),
        ] {
            assert_eq!(PageName::of_host(host), None, "{host}");
        }
    }

    #[test]
    fn an_address_keeps_its_port_and_path_under_a_name() {
        let name = PageName::random().expect("randomness");
        for (url, rest) in [
            ("http://127.0.0.1:8484/open/v/pods", ":8484/open/v/pods"),
            ("http://[::1]:8484/open", ":8484/open"),
            ("http://127.0.0.1:8484", ":8484"),
        ] {
            assert_eq!(name.instead_of_host(url), format!("http://{}{rest}", name.host()));
        }
    }
}
