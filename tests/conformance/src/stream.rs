//! One connection to a server: plain on loopback, or TLS with one certificate as the only authority.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// What a client trusts: the certificates of one file and nothing else.
pub(crate) fn trust(certificates: &Path) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for found in CertificateDer::pem_file_iter(certificates).expect("a file of certificates") {
        roots.add(found.expect("a certificate")).expect("a certificate that can be trusted");
    }
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(ring)
        .with_safe_default_protocol_versions()
        .expect("versions that the provider knows")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
}

pub(crate) async fn connect(address: &str, trust: Option<&Arc<ClientConfig>>) -> Box<dyn Stream> {
    let stream = TcpStream::connect(address).await.expect("a listening server");
    stream.set_nodelay(true).expect("an open socket");
    let Some(config) = trust else {
        return Box::new(stream);
    };
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host).to_owned();
    let name = ServerName::try_from(host).expect("a host");
    Box::new(TlsConnector::from(Arc::clone(config)).connect(name, stream).await.expect("a handshake"))
}
