//! Requests to an identity provider, a server of keys, a collector and other gateways: small, bounded in size and time, with
//! the certificates of the system or of one file, through the environment's proxy where it names one. Follows no redirect,
//! and logs neither a URL nor a body.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use shared::problem::{Problem, Reason};

use crate::causes::causes;
use crate::forward_proxy::{Connector, ProxyFailure, ProxyVariables};
use crate::limits::{PROVIDER_ANSWER_BYTES_MAX, PROVIDER_ANSWER_S, PROVIDER_CONNECT_S};
use crate::plain_file;

mod unverified;

use unverified::AnyCertificate;

/// Cheap to clone.
#[derive(Clone)]
pub struct Https {
    client: Client<HttpsConnector<Connector>, Full<Bytes>>,
    proxies: Arc<ProxyVariables>,
}

pub struct Answer {
    pub status: StatusCode,
    pub body: Bytes,
}

/// Why a request has no answer, in a few words that quote neither the URL nor what was answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    #[error("{0}")]
    OfServer(String),
    /// It names the proxy on the way, which is for operators alone.
    #[error("{0}")]
    OfProxy(String),
}

/// The certificates that are believed.
enum Trusted<'a> {
    /// Those that an authority of this file issued, or one of the system.
    Issued(Option<&'a Path>),
    Any,
}

impl NoAnswer {
    /// For people who may be strangers.
    pub fn for_person(&self) -> &str {
        match self {
            Self::OfServer(why) => why,
            Self::OfProxy(_) => "the proxy before it doesn't lead there, and the gateway's log says more",
        }
    }
}

impl From<&str> for NoAnswer {
    fn from(why: &str) -> Self {
        Self::OfServer(why.to_owned())
    }
}

impl Https {
    /// With the authorities of this file alone, or with the system's.
    /// Fails with one sentence that names the file, if it holds no certificate.
    pub fn new(ca_file: Option<&Path>) -> Result<Self, Problem> {
        Self::with(Trusted::Issued(ca_file), None, ProxyVariables::of_environment())
    }

    /// The same, whatever certificate a server shows.
    pub fn unverified() -> Result<Self, Problem> {
        Self::with(Trusted::Any, None, ProxyVariables::of_environment())
    }

    /// The same for servers that no proxy leads to.
    pub fn direct(ca_file: Option<&Path>) -> Result<Self, Problem> {
        Self::with(Trusted::Issued(ca_file), None, ProxyVariables::default())
    }

    /// For servers that are found by their addresses, have certificates for this host, and that no proxy leads to.
    pub fn of_host(ca_file: Option<&Path>, host: &str) -> Result<Self, Problem> {
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned());
        let name = name.map_err(|_| {
            Problem::new(Reason::Configuration, format!("no certificate can be for the host {host}"))
        })?;
        Self::with(Trusted::Issued(ca_file), Some(name), ProxyVariables::default())
    }

    fn with(
        trusted: Trusted<'_>,
        name: Option<ServerName<'static>>,
        proxies: ProxyVariables,
    ) -> Result<Self, Problem> {
        let ring = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(Arc::clone(&ring))
            .with_safe_default_protocol_versions()
            .map_err(|error| Problem::new(Reason::InternalError, error.to_string()))?;
        let config = match trusted {
            Trusted::Issued(ca_file) => config.with_root_certificates(roots(ca_file)?),
            Trusted::Any => {
                config.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(ring)))
            }
        };
        let config = config.with_no_client_auth();
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(Duration::from_secs(PROVIDER_CONNECT_S)));
        // As in Go, a proxy of https:// proves itself as the server does.
        let to_proxy = HttpsConnectorBuilder::new().with_tls_config(config.clone()).https_or_http();
        let to_proxy = to_proxy.enable_http1().wrap_connector(tcp.clone());
        let proxies = Arc::new(proxies);
        let connector = HttpsConnectorBuilder::new().with_tls_config(config).https_or_http();
        let connector = match name {
            Some(name) => connector.with_server_name_resolver(FixedServerNameResolver::new(name)),
            None => connector,
        };
        let connector =
            connector.enable_http1().wrap_connector(Connector::new(tcp, to_proxy, Arc::clone(&proxies)));
        Ok(Self { client: Client::builder(TokioExecutor::new()).build(connector), proxies })
    }

    pub async fn get(&self, url: &Uri) -> Result<Answer, NoAnswer> {
        self.send(Method::GET, url, &[(header::ACCEPT, "application/json")], Bytes::new()).await
    }

    pub async fn send(
        &self,
        method: Method,
        url: &Uri,
        headers: &[(HeaderName, &str)],
        body: Bytes,
    ) -> Result<Answer, NoAnswer> {
        let proxy = self.proxies.proxy_to(url).map_err(|problem| NoAnswer::OfProxy(problem.message))?;
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = url.clone();
        for (name, value) in headers {
            let mut value = HeaderValue::from_str(value).map_err(|_| "it can't be asked so")?;
            value.set_sensitive(*name == header::AUTHORIZATION);
            request.headers_mut().insert(name, value);
        }
        let answered = async {
            let answer = self.client.request(request).await.map_err(|error| why(&error))?;
            let status = answer.status();
            let body = Limited::new(answer.into_body(), PROVIDER_ANSWER_BYTES_MAX).collect().await;
            let body = body.map_err(|_| "its answer is too long, or broke off")?.to_bytes();
            Ok(Answer { status, body })
        };
        match tokio::time::timeout(Duration::from_secs(PROVIDER_ANSWER_S), answered).await {
            Ok(answered) => answered,
            Err(_) => {
                let why = format!("it didn't answer within {PROVIDER_ANSWER_S} s");
                Err(match proxy {
                    Some(proxy) => NoAnswer::OfProxy(format!("{why} through {proxy}")),
                    None => NoAnswer::OfServer(why),
                })
            }
        }
    }
}

/// The innermost error says what to do, or that of the proxy: the others say that a request failed.
fn why(error: &(dyn std::error::Error + 'static)) -> NoAnswer {
    if let Some(proxy) = causes(error).find_map(|cause| cause.downcast_ref::<ProxyFailure>()) {
        return NoAnswer::OfProxy(proxy.problem().message);
    }
    NoAnswer::OfServer(causes(error).last().unwrap_or(error).to_string())
}

/// # Errors
/// The file holds none, or can't be read.
pub(crate) fn roots(ca_file: Option<&Path>) -> Result<RootCertStore, Problem> {
    let mut roots = RootCertStore::empty();
    match ca_file {
        Some(path) => {
            let wrong = |why: String| {
                let message = format!("the certificates in {} can't be used: {why}", path.display());
                Problem::new(Reason::Configuration, message)
            };
            let pem = plain_file::read(path).map_err(|error| wrong(error.to_string()))?;
            for certificate in CertificateDer::pem_slice_iter(&pem) {
                let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
                roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
            }
            if roots.is_empty() {
                return Err(wrong("the file holds none".to_owned()));
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    Ok(roots)
}

#[cfg(test)]
mod tests;
