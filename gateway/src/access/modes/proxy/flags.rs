//! The settings of mode `proxy`: which headers say who it is, and the one thing for which they are believed.

use std::path::{Path, PathBuf};

use clap::Args;
use http::{HeaderName, Uri};
use serde::{Deserialize, Serialize};
use shared::problem::Problem;

use super::cidr::Cidr;
use super::headers::HeaderNames;
use super::jwt::{JwtSettings, KeySource};
use super::settings::{ProxySettings, Trust};
use crate::access::auth_mode::wrong;
use crate::address::ProxyCertificate;

#[derive(Args, Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct ProxyFlags {
    /// With --auth proxy: the authorities that sign the proxy's client certificate, in PEM
    #[arg(long, env = "DOGWATCH_PROXY_CLIENT_CA", value_name = "FILE")]
    proxy_client_ca: Option<PathBuf>,

    /// A name that this certificate must have, as its common or an alternative name, or * for any; may be repeated
    #[arg(long, env = "DOGWATCH_PROXY_CLIENT_NAME", value_name = "NAME", value_delimiter = ',')]
    proxy_client_name: Vec<String>,

    /// With --auth proxy: a Unix socket on which the proxy is heard, in a folder that only it may enter
    #[arg(long, env = "DOGWATCH_PROXY_SOCKET", value_name = "PATH")]
    proxy_socket: Option<PathBuf>,

    /// With --auth proxy: the keys with which the proxy signs a JWT, a JWK set in a file or at an https URL
    #[arg(long, env = "DOGWATCH_PROXY_JWT_KEYS", value_name = "FILE|URL")]
    proxy_jwt_keys: Option<String>,

    /// The header that holds this JWT
    #[arg(long, env = "DOGWATCH_PROXY_JWT_HEADER", value_name = "NAME")]
    proxy_jwt_header: Option<String>,

    /// Who must have issued it: its claim iss
    #[arg(long, env = "DOGWATCH_PROXY_JWT_ISSUER", value_name = "ISSUER")]
    proxy_jwt_issuer: Option<String>,

    /// Whom it must be for: one of its claim aud
    #[arg(long, env = "DOGWATCH_PROXY_JWT_AUDIENCE", value_name = "AUDIENCE")]
    proxy_jwt_audience: Option<String>,

    /// The claim that names the user
    #[arg(long, env = "DOGWATCH_PROXY_JWT_USER_CLAIM", value_name = "CLAIM", default_value = "sub")]
    proxy_jwt_user_claim: String,

    /// The claim that lists the user's groups
    #[arg(long, env = "DOGWATCH_PROXY_JWT_GROUPS_CLAIM", value_name = "CLAIM", default_value = "groups")]
    proxy_jwt_groups_claim: String,

    /// With --auth proxy: addresses whose headers are believed, such as 10.1.2.3 or 10.0.0.0/8; may be repeated
    #[arg(long, env = "DOGWATCH_PROXY_CIDR", value_name = "CIDR", value_delimiter = ',')]
    proxy_cidr: Vec<String>,

    /// The header in which the proxy names the user
    #[arg(long, env = "DOGWATCH_PROXY_USER_HEADER", value_name = "NAME", default_value = "X-Remote-User")]
    proxy_user_header: String,

    /// The header in which the proxy names a group of the user; it may come several times
    #[arg(long, env = "DOGWATCH_PROXY_GROUPS_HEADER", value_name = "NAME", default_value = "X-Remote-Group")]
    proxy_groups_header: String,

    /// What stands between groups in one such header, such as , or | [default: nothing, each header is one group]
    #[arg(long, env = "DOGWATCH_PROXY_GROUPS_SEPARATOR", value_name = "CHARACTER")]
    proxy_groups_separator: Option<String>,
}

const ANY_NAME: &str = "*";
const WAYS: [&str; 4] = ["--proxy-client-ca", "--proxy-socket", "--proxy-jwt-keys", "--proxy-cidr"];

impl ProxyFlags {
    /// For another mode, where none of them has an effect.
    pub(crate) fn refuse(&self) -> Result<(), Problem> {
        match self.given().first() {
            Some(flag) => Err(wrong(format!("{flag} has no effect without --auth proxy"))),
            None => Ok(()),
        }
    }

    /// The certificates are verified by TLS.
    /// Fails with one sentence that names the flag and what it can be.
    pub(crate) fn resolve(self) -> Result<(ProxySettings, Option<ProxyCertificate>), Problem> {
        self.one_way()?;
        let headers = HeaderNames {
            user: header("--proxy-user-header", &self.proxy_user_header)?,
            groups: header("--proxy-groups-header", &self.proxy_groups_header)?,
            separator: self.proxy_groups_separator.as_deref().map(separator).transpose()?,
        };
        if headers.user == headers.groups {
            return Err(wrong("--proxy-user-header and --proxy-groups-header must differ"));
        }
        let trust = match (&self.proxy_socket, &self.proxy_jwt_keys) {
            (Some(path), _) => Trust::Socket(path.clone()),
            (None, Some(keys)) => Trust::Jwt(self.jwt(keys)?),
            (None, None) if self.proxy_cidr.is_empty() => Trust::Certificate,
            (None, None) => {
                Trust::Addresses(self.proxy_cidr.iter().map(|text| cidr(text)).collect::<Result<_, _>>()?)
            }
        };
        let certificate = match self.proxy_client_ca {
            Some(authorities) => {
                Some(ProxyCertificate { authorities, names: names(self.proxy_client_name)? })
            }
            None => None,
        };
        Ok((ProxySettings { headers, trust }, certificate))
    }

    /// With two kinds of trust, a request that passes the weaker check would be treated as if it had passed the
    /// stronger.
    fn one_way(&self) -> Result<(), Problem> {
        let given = self.given();
        let ways: Vec<_> = WAYS.into_iter().filter(|way| given.contains(way)).collect();
        match ways.as_slice() {
            [] => Err(wrong(
                "--auth proxy must know its proxy from anybody else: give --proxy-client-ca (by its certificate), \
                 --proxy-socket (by a Unix socket), --proxy-jwt-keys (by its signature) or --proxy-cidr (by its address)",
            )),
            [way] => {
                let of_way = |flag: &&str| match *flag {
                    "--proxy-client-name" => *way == "--proxy-client-ca",
                    flag if flag.starts_with("--proxy-jwt-") => *way == "--proxy-jwt-keys",
                    _ => true,
                };
                match given.iter().find(|flag| !of_way(flag)) {
                    Some(flag) => Err(wrong(format!("{flag} has no effect with {way}; leave it out"))),
                    None => Ok(()),
                }
            }
            several => {
                Err(wrong(format!("the proxy is known in one way: give one of {}", several.join(" and "))))
            }
        }
    }

    /// Those without a default.
    fn given(&self) -> Vec<&'static str> {
        let all = [
            (WAYS[0], self.proxy_client_ca.is_some()),
            ("--proxy-client-name", !self.proxy_client_name.is_empty()),
            (WAYS[1], self.proxy_socket.is_some()),
            (WAYS[2], self.proxy_jwt_keys.is_some()),
            ("--proxy-jwt-header", self.proxy_jwt_header.is_some()),
            ("--proxy-jwt-issuer", self.proxy_jwt_issuer.is_some()),
            ("--proxy-jwt-audience", self.proxy_jwt_audience.is_some()),
            (WAYS[3], !self.proxy_cidr.is_empty()),
            ("--proxy-groups-separator", self.proxy_groups_separator.is_some()),
        ];
        all.into_iter().filter_map(|(flag, is_given)| is_given.then_some(flag)).collect()
    }

    fn jwt(&self, keys: &str) -> Result<JwtSettings, Problem> {
        let needed = |flag: &str, value: &Option<String>| {
            let value = value.clone().filter(|text| !text.is_empty());
            value.ok_or_else(|| {
                wrong(format!("--proxy-jwt-keys needs {flag}, or tokens for others would be taken"))
            })
        };
        Ok(JwtSettings {
            header: header("--proxy-jwt-header", &needed("--proxy-jwt-header", &self.proxy_jwt_header)?)?,
            keys: key_source(keys)?,
            issuer: needed("--proxy-jwt-issuer", &self.proxy_jwt_issuer)?,
            audience: needed("--proxy-jwt-audience", &self.proxy_jwt_audience)?,
            user_claim: self.proxy_jwt_user_claim.clone(),
            groups_claim: self.proxy_jwt_groups_claim.clone(),
        })
    }

    pub(crate) fn paths(&mut self) -> [(&'static str, Option<&mut PathBuf>); 2] {
        [("proxy-client-ca", self.proxy_client_ca.as_mut()), ("proxy-socket", self.proxy_socket.as_mut())]
    }

    /// The keys are a path only where they aren't a URL.
    pub(crate) fn keys_below(&mut self, folder: &Path) {
        if let Some(keys) = self.proxy_jwt_keys.as_mut().filter(|keys| !keys.contains("://")) {
            *keys = folder.join(&*keys).to_string_lossy().into_owned();
        }
    }
}

/// An authority often signs for others than the proxy, and each of those could say who comes.
fn names(given: Vec<String>) -> Result<Vec<String>, Problem> {
    match given.as_slice() {
        [any] if any == ANY_NAME => Ok(Vec::new()),
        [_, ..] if given.iter().all(|name| !name.is_empty() && name != ANY_NAME) => Ok(given),
        _ => Err(wrong(
            "--proxy-client-ca needs --proxy-client-name, a name that the proxy's certificate has: whoever else has a \
             certificate of this authority could be anybody. If it signs for the proxy alone, give * and no other name",
        )),
    }
}

/// No other spelling of it exists: servers before the gateway may take `_` and other signs for `-`.
fn header(flag: &str, text: &str) -> Result<HeaderName, Problem> {
    let is_plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let name = HeaderName::from_bytes(text.as_bytes()).ok().filter(|_| is_plain);
    name.ok_or_else(|| {
        wrong(format!(
            "{flag} {text:?} is not a header's name of letters, digits and -, such as X-Remote-User"
        ))
    })
}

fn separator(text: &str) -> Result<char, Problem> {
    let mut characters = text.chars();
    let only = characters.next().filter(|c| c.is_ascii_punctuation() && characters.next().is_none());
    only.ok_or_else(|| wrong(format!("--proxy-groups-separator {text:?} is not one sign, such as , or |")))
}

fn key_source(text: &str) -> Result<KeySource, Problem> {
    if !text.contains("://") {
        return Ok(KeySource::File(text.into()));
    }
    let url: Option<Uri> = text.parse().ok();
    let url = url
        .filter(|url| url.scheme_str() == Some("https") && url.host().is_some_and(|host| !host.is_empty()));
    url.map(KeySource::Url).ok_or_else(|| {
        wrong(format!("--proxy-jwt-keys {text} is neither a file nor an https URL; keys that come over http are anybody's"))
    })
}

fn cidr(text: &str) -> Result<Cidr, Problem> {
    Cidr::parse(text).ok_or_else(|| {
        wrong(format!(
            "--proxy-cidr {text:?} is not an address or a range that ends at its prefix, such as 10.1.2.3 or 10.0.0.0/8"
        ))
    })
}

#[cfg(test)]
#[path = "tests/flags.rs"]
mod tests;
