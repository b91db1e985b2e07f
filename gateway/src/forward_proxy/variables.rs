//! Through which proxy the environment leads to a server, as Go reads its variables. Never a connection.

use std::fmt;
use std::sync::Arc;

use shared::problem::{Problem, Reason};

use super::address::{Address, Parsed};
use super::no_proxy;

/// A proxy, and what named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proxy {
    pub(crate) address: Address,
    pub(crate) named_by: NamedBy,
}

/// What has to be changed where a server isn't to be reached through the proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NamedBy {
    /// `proxy-url` of a cluster, whatever the environment says.
    ProxyUrl,
    /// A variable of this name, for servers that `NO_PROXY` doesn't name.
    Variable(Arc<str>),
}

/// For messages: its address without credentials.
impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named_by = match &self.named_by {
            NamedBy::ProxyUrl => "proxy-url",
            NamedBy::Variable(name) => name,
        };
        write!(f, "the proxy {} of {named_by}", self.address)
    }
}

/// The variables that say which proxy is taken, each with the name that it had.
#[derive(Clone, Default)]
pub(crate) struct ProxyVariables {
    http: Option<(Arc<str>, String)>,
    https: Option<(Arc<str>, String)>,
    no_proxy: String,
    /// A CGI server hands a request's header `Proxy` on as `HTTP_PROXY`.
    is_cgi: bool,
}

impl ProxyVariables {
    pub(crate) fn of_environment() -> Self {
        Self::of(|name| std::env::var(name).ok())
    }

    pub(crate) fn of(get: impl Fn(&str) -> Option<String>) -> Self {
        let first = |names: [&str; 2]| {
            names.into_iter().find_map(|name| {
                get(name).filter(|value| !value.is_empty()).map(|value| (Arc::from(name), value))
            })
        };
        Self {
            http: first(["HTTP_PROXY", "http_proxy"]),
            https: first(["HTTPS_PROXY", "https_proxy"]),
            no_proxy: first(["NO_PROXY", "no_proxy"]).map(|(_, value)| value).unwrap_or_default(),
            is_cgi: first(["REQUEST_METHOD"; 2]).is_some(),
        }
    }

    /// The same for a URL.
    pub(crate) fn proxy_to(&self, server: &http::Uri) -> Result<Option<Proxy>, Problem> {
        Address::of(server).map_or(Ok(None), |server| self.proxy_for(&server))
    }

    /// The proxy for requests to this server, if there is to be one.
    pub(crate) fn proxy_for(&self, server: &Address) -> Result<Option<Proxy>, Problem> {
        let (variable, is_https) = match server.scheme.as_str() {
            "https" => (&self.https, true),
            "http" => (&self.http, false),
            _ => return Ok(None),
        };
        let Some((named_by, value)) = variable else { return Ok(None) };
        // Go goes without a proxy where the variable can't be read.
        let Some(address) = of_variable(value) else { return Ok(None) };
        if self.is_cgi && !is_https {
            return Err(Problem::new(
                Reason::Configuration,
                format!(
                    "the environment sets REQUEST_METHOD, as for a CGI program, and there {named_by} isn't believed; unset one of them"
                ),
            ));
        }
        let is_direct = no_proxy::is_direct(&self.no_proxy, server.bare_host(), server.port_or_usual());
        Ok((!is_direct).then(|| Proxy { address, named_by: NamedBy::Variable(named_by.clone()) }))
    }
}

/// A proxy may be written as `host:port`.
fn of_variable(value: &str) -> Option<Address> {
    match Address::parse(value) {
        Parsed::Absolute(address) => Some(address),
        Parsed::Partial | Parsed::Invalid => match Address::parse(&format!("http://{value}")) {
            Parsed::Absolute(address) => Some(address),
            Parsed::Partial | Parsed::Invalid => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(variables: &[(&str, &str)], server: &str) -> Result<Option<String>, String> {
        let variables = ProxyVariables::of(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        });
        let Parsed::Absolute(server) = Address::parse(server) else { panic!("{server}") };
        match variables.proxy_for(&server) {
            Ok(proxy) => Ok(proxy.map(|proxy| proxy.to_string())),
            Err(problem) => Err(problem.message),
        }
    }

    #[test]
    fn the_variable_of_the_scheme_is_taken_in_upper_case_first() {
        let check = |variables: &[(&str, &str)], server: &str, expected: Option<&str>| {
            assert_eq!(taken(variables, server), Ok(expected.map(str::to_owned)), "{variables:?} {server}");
        };
        let both = [("HTTPS_PROXY", "http://a:1"), ("https_proxy", "http://b:2")];
        check(&both, "https://vm", Some("the proxy http://a:1 of HTTPS_PROXY"));
        check(&both, "http://vm", None);
        check(&[("HTTPS_PROXY", ""), both[1]], "https://vm", Some("the proxy http://b:2 of https_proxy"));
        check(&[("http_proxy", "b:2")], "http://vm", Some("the proxy http://b:2 of http_proxy"));
        check(&[("HTTPS_PROXY", "u:p@b")], "https://vm", Some("the proxy http://b:80 of HTTPS_PROXY"));
        check(&[("HTTPS_PROXY", "http://u:%zz@b")], "https://vm", None);
        check(&[both[0], ("NO_PROXY", "a, VM")], "https://vm:25220", None);
        check(&[both[0], ("NO_PROXY", ""), ("no_proxy", "vm")], "https://vm", None);
        check(
            &[both[0], ("REQUEST_METHOD", "GET")],
            "https://vm",
            Some("the proxy http://a:1 of HTTPS_PROXY"),
        );
    }

    #[test]
    fn a_cgi_program_is_led_to_no_proxy() {
        let refused = taken(&[("HTTP_PROXY", "http://a:1"), ("REQUEST_METHOD", "GET")], "http://vm");
        assert!(refused.expect_err("refused").contains("REQUEST_METHOD"));
    }
}
