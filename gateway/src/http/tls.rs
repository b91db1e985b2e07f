//! TLS of the gateway's own listener. Its files are read again when they change: a pair that can't be used is said once,
//! and the former one stays. Never a certificate of its own making. How hands are shaken is the same at every listener.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig};
use shared::problem::{Problem, Reason};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use x509_parser::extensions::GeneralName;

use crate::access::Peer;
use crate::address::TlsFiles;
use crate::limits::{HTTP_HEAD_TIMEOUT_S, TLS_LOOK_S};
use crate::pem::{certificates, private_key};
use crate::plain_file;

pub struct Tls {
    files: TlsFiles,
    current: RwLock<Arc<ServerConfig>>,
    /// What the files held when they were read last.
    read: RwLock<Contents>,
}

/// The contents of certificate, key and authorities, or why one can't be read.
type Contents = Result<[Vec<u8>; 3], String>;

impl Tls {
    /// Fails with one sentence that names the flag whose file can't be used.
    pub fn load(files: TlsFiles) -> Result<Arc<Self>, Problem> {
        let wrong = |why: String| Problem::new(Reason::Configuration, why);
        let read = contents(&files);
        let config = config(&files, read.as_ref().map_err(|why| wrong(why.clone()))?).map_err(wrong)?;
        Ok(Arc::new(Self { files, current: RwLock::new(Arc::new(config)), read: RwLock::new(read) }))
    }

    /// Looks at the files again and again. By their content: Kubernetes changes a link above them.
    pub async fn keep_fresh(&self) {
        loop {
            tokio::time::sleep(Duration::from_secs(TLS_LOOK_S)).await;
            self.look().await;
        }
    }

    async fn look(&self) {
        let files = self.files.clone();
        // It fails only if the gateway ends.
        let Ok(found) = tokio::task::spawn_blocking(move || contents(&files)).await else { return };
        if *self.read.read().unwrap_or_else(PoisonError::into_inner) == found {
            return;
        }
        match found.as_ref().map_err(Clone::clone).and_then(|found| config(&self.files, found)) {
            Ok(config) => {
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
                tracing::info!("the certificate was loaded anew");
            }
            Err(why) => tracing::warn!("{why}; the former certificate stays in use"),
        }
        *self.read.write().unwrap_or_else(PoisonError::into_inner) = found;
    }

    /// As [`shake`].
    pub(super) async fn open(
        &self,
        tcp: TcpStream,
        address: SocketAddr,
    ) -> Option<(TlsStream<TcpStream>, Peer)> {
        let current = Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner));
        let stream = shake(tcp, current).await?;
        let is_proxy = self.files.proxy.as_ref().is_some_and(|proxy| {
            let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
            shown.is_some_and(|shown| is_named(shown, &proxy.names))
        });
        Some((stream, if is_proxy { Peer::Proxy } else { Peer::Remote(address) }))
    }
}

/// Shakes hands, within the time for the head of a request. `None`: it isn't TLS, or fails.
pub(super) async fn shake(tcp: TcpStream, config: Arc<ServerConfig>) -> Option<TlsStream<TcpStream>> {
    let shaking = tokio::time::timeout(Duration::from_secs(HTTP_HEAD_TIMEOUT_S), async {
        let tcp = speaks_tls(tcp).await?;
        match TlsAcceptor::from(config).accept(tcp).await {
            Ok(stream) => Some(stream),
            Err(error) => {
                tracing::debug!(%error, "a TLS handshake failed");
                None
            }
        }
    });
    shaking.await.ok().flatten()
}

/// Tells a client that speaks plain HTTP what to do; `None` for it.
async fn speaks_tls(mut tcp: TcpStream) -> Option<TcpStream> {
    let mut first = [0];
    tcp.peek(&mut first).await.ok()?;
    if first.first() == Some(&TLS_HANDSHAKE) {
        return Some(tcp);
    }
    if first.first().is_some_and(u8::is_ascii_uppercase) {
        // The client may be gone; nothing follows either way.
        let _ = tcp.write_all(PLAIN_HTTP.as_bytes()).await;
        super::linger::linger(tcp).await;
    }
    None
}

/// The type of the first record (RFC 8446, section 5.1).
const TLS_HANDSHAKE: u8 = 22;
const PLAIN_HTTP: &str = "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: 46\r\n\
    connection: close\r\n\r\nthis port speaks TLS: begin the URL with https";

/// Whether a verified certificate has one of these names.
fn is_named(certificate: &CertificateDer<'_>, names: &[String]) -> bool {
    if names.is_empty() {
        return true;
    }
    let Ok((_, certificate)) = x509_parser::parse_x509_certificate(certificate) else { return false };
    let is_listed = |name: &str| names.iter().any(|listed| listed == name);
    let mut common = certificate.subject().iter_common_name().filter_map(|name| name.as_str().ok());
    let alternative = certificate.subject_alternative_name().ok().flatten();
    common.any(is_listed)
        || alternative.is_some_and(|found| {
            found.value.general_names.iter().any(|name| match name {
                GeneralName::DNSName(name) | GeneralName::URI(name) => is_listed(name),
                _ => false,
            })
        })
}

fn contents(files: &TlsFiles) -> Contents {
    let authorities = match &files.proxy {
        Some(proxy) => read("--proxy-client-ca", &proxy.authorities)?,
        None => Vec::new(),
    };
    Ok([read("--tls-cert", &files.certificate)?, read("--tls-key", &files.key)?, authorities])
}

fn read(flag: &str, path: &Path) -> Result<Vec<u8>, String> {
    plain_file::read(path).map_err(|error| format!("{flag} {} can't be read: {error}", path.display()))
}

fn config(files: &TlsFiles, [certificate, key, authorities]: &[Vec<u8>; 3]) -> Result<ServerConfig, String> {
    let chain = certificates("--tls-cert", &files.certificate, certificate)?;
    let key = private_key("--tls-key", &files.key, key)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let builder = match &files.proxy {
        None => builder.with_no_client_auth(),
        Some(proxy) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates("--proxy-client-ca", &proxy.authorities, authorities)? {
                roots.add(authority).map_err(|error| {
                    format!("--proxy-client-ca {} holds no authority: {error}", proxy.authorities.display())
                })?;
            }
            // Probes and browsers have no certificate. They are served what needs no identity.
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(
                verifier.allow_unauthenticated().build().map_err(|error| error.to_string())?,
            )
        }
    };
    let mut config = builder.with_single_cert(chain, key).map_err(|error| {
        let (certificate, key) = (files.certificate.display(), files.key.display());
        format!("--tls-key {key} isn't the key of --tls-cert {certificate}: {error}")
    })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    if files.proxy.is_some() {
        // Sessions aren't resumed, because a resumed one would count as the proxy's without another check of its
        // certificate.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
    }
    Ok(config)
}

#[cfg(test)]
#[path = "tests/tls.rs"]
mod tests;
