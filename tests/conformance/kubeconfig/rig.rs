//! An API server and three proxies on loopback, which note down who came. The proxies answer in the server's place, so what
//! was asked through them needs no name that can be resolved.

use std::collections::HashMap;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::RootCertStore;
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;

use crate::visit::{Visit, header};

/// The servers of one worker, which asks one question after the other.
pub(crate) struct Rig {
    /// What a case's text may name: `SERVER`, `CA`, …
    pub(crate) words: HashMap<&'static str, String>,
    notes: Arc<Notes>,
    _runtime: Runtime,
}

struct Notes {
    visits: Mutex<Vec<Visit>>,
    acceptor: TlsAcceptor,
    /// The certificates of clients, and the name of each.
    known: Vec<(CertificateDer<'static>, &'static str)>,
}

/// In PEM.
struct Pair {
    certificate: CertificateDer<'static>,
    pem: String,
    key: KeyPair,
}

impl Rig {
    pub(crate) fn start() -> Self {
        let authority = authority();
        let server = pair(&authority, "server", NAMES);
        let (alice, bob) = (pair(&authority, "alice", &[]), pair(&authority, "bob", &[]));
        let notes = Arc::new(Notes {
            visits: Mutex::default(),
            acceptor: acceptor(&authority, &server),
            known: vec![(alice.certificate.clone(), "alice"), (bob.certificate.clone(), "bob")],
        });
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let listen = |kind| runtime.block_on(listen(kind, notes.clone()));
        let port = |address: SocketAddr| address.port().to_string();
        let ca = authority.pem();
        let words = HashMap::from([
            ("PORT", port(listen(Kind::Server))),
            ("PROXY", listen(Kind::Http).to_string()),
            ("TLSPROXY", listen(Kind::Https).to_string()),
            ("SOCKS", listen(Kind::Socks).to_string()),
            ("CA", STANDARD.encode(&ca)),
            ("CAPEM", ca),
            ("CERT", STANDARD.encode(&alice.pem)),
            ("CERTPEM", alice.pem),
            ("KEY", STANDARD.encode(alice.key.serialize_pem())),
            ("KEYPEM", alice.key.serialize_pem()),
            ("OTHERKEY", STANDARD.encode(bob.key.serialize_pem())),
        ]);
        Self { words, notes, _runtime: runtime }
    }

    /// The visits since the last call, the first one first.
    pub(crate) fn take(&self) -> Vec<Visit> {
        std::mem::take(&mut *self.notes.visits.lock().expect("no panic"))
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Server,
    Http,
    Https,
    Socks,
}

async fn listen(kind: Kind, notes: Arc<Notes>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("bound");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let notes = notes.clone();
            tokio::spawn(async move {
                // A client that hangs is the test's failure, not the rig's.
                let _ = tokio::time::timeout(Duration::from_secs(20), serve(kind, stream, notes)).await;
            });
        }
    });
    address
}

async fn serve(kind: Kind, mut stream: TcpStream, notes: Arc<Notes>) -> Option<()> {
    match kind {
        Kind::Server => notes.answer_either(stream, "direct".to_owned(), None).await,
        Kind::Http => {
            let head = head(&mut stream).await?;
            let way = format!("http proxy {}", header(&head, "proxy-authorization").unwrap_or_default());
            match connected(&head) {
                Some(wanted) => {
                    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.ok()?;
                    notes.answer_either(stream, way, Some(wanted)).await
                }
                None => {
                    notes.note(Visit { way, ..Visit::read(&head)? });
                    reply(&mut stream).await
                }
            }
        }
        Kind::Https => {
            let mut stream = notes.acceptor.accept(stream).await.ok()?;
            let head = head(&mut stream).await?;
            let way = format!("https proxy {}", header(&head, "proxy-authorization").unwrap_or_default());
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.ok()?;
            notes.answer_tls(stream, way, connected(&head)).await
        }
        Kind::Socks => {
            let (way, wanted) = socks(&mut stream).await?;
            notes.answer_either(stream, way, Some(wanted)).await
        }
    }
}

/// The target of `CONNECT`.
fn connected(head: &str) -> Option<String> {
    head.strip_prefix("CONNECT ")?.split(' ').next().map(str::to_owned)
}

impl Notes {
    fn note(&self, visit: Visit) {
        self.visits.lock().expect("no panic").push(visit);
    }

    /// TLS begins with another byte than HTTP.
    fn answer_either(
        &self,
        mut stream: TcpStream,
        way: String,
        wanted: Option<String>,
    ) -> Pin<Box<dyn Future<Output = Option<()>> + Send + '_>> {
        Box::pin(async move {
            let mut first = [0];
            stream.peek(&mut first).await.ok()?;
            if first == [0x16] {
                return self.answer_tls(stream, way, wanted).await;
            }
            while let Some(head) = head(&mut stream).await {
                if let Some(visit) = Visit::read(&head) {
                    self.note(Visit {
                        way: way.clone(),
                        wanted: wanted.clone().or(visit.wanted.clone()),
                        ..visit
                    });
                }
                reply(&mut stream).await?;
            }
            Some(())
        })
    }

    async fn answer_tls(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin,
        way: String,
        wanted: Option<String>,
    ) -> Option<()> {
        let mut stream = self.acceptor.accept(stream).await.ok()?;
        let session = stream.get_ref().1;
        let name = session.server_name().map(str::to_owned);
        let shown = session.peer_certificates().and_then(|chain| chain.first());
        let certificate = shown.and_then(|shown| self.known.iter().find(|(known, _)| known == shown));
        let certificate = certificate.map(|(_, name)| (*name).to_owned());
        while let Some(head) = head(&mut stream).await {
            if let Some(visit) = Visit::read(&head) {
                let (name, certificate) = (name.clone(), certificate.clone());
                self.note(Visit {
                    way: way.clone(),
                    wanted: wanted.clone(),
                    is_tls: true,
                    name,
                    certificate,
                    ..visit
                });
            }
            reply(&mut stream).await?;
        }
        Some(())
    }
}

async fn head(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

async fn reply(stream: &mut (impl AsyncWrite + Unpin)) -> Option<()> {
    let body = r#"{"major":"1","minor":"36","gitVersion":"v1.36.3"}"#;
    let reply = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(reply.as_bytes()).await.ok()?;
    stream.flush().await.ok()
}

/// RFC 1928 and 1929: the credential, if one was offered, and the address.
async fn socks(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut opening = [0; 2];
    stream.read_exact(&mut opening).await.ok()?;
    let mut methods = vec![0; opening[1].into()];
    stream.read_exact(&mut methods).await.ok()?;
    let has_password = methods.contains(&2);
    stream.write_all(&[5, if has_password { 2 } else { 0 }]).await.ok()?;
    let mut way = "socks proxy ".to_owned();
    if has_password {
        stream.read_u8().await.ok()?;
        let (user, password) = (text(stream).await?, text(stream).await?);
        way += &format!("{user}:{password}");
        stream.write_all(&[1, 0]).await.ok()?;
    }
    let mut request = [0; 4];
    stream.read_exact(&mut request).await.ok()?;
    let host = match request[3] {
        1 => std::net::Ipv4Addr::from(stream.read_u32().await.ok()?).to_string(),
        3 => text(stream).await?,
        _ => std::net::Ipv6Addr::from(stream.read_u128().await.ok()?).to_string(),
    };
    let port = stream.read_u16().await.ok()?;
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.ok()?;
    Some((way, format!("{host}:{port}")))
}

async fn text(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = vec![0; stream.read_u8().await.ok()?.into()];
    stream.read_exact(&mut bytes).await.ok()?;
    String::from_utf8(bytes).ok()
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut parameters = CertificateParams::default();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    parameters.distinguished_name.push(DnType::CommonName, "authority of the test");
    CertifiedIssuer::self_signed(parameters, KeyPair::generate().expect("a key")).expect("an authority")
}

fn pair(authority: &CertifiedIssuer<'static, KeyPair>, name: &str, names: &[&str]) -> Pair {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut parameters = CertificateParams::new(names).expect("names");
    parameters.distinguished_name.push(DnType::CommonName, name);
    let key = KeyPair::generate().expect("a key");
    let certificate = parameters.signed_by(&key, authority).expect("signed");
    Pair { certificate: certificate.der().clone(), pem: certificate.pem(), key }
}

fn acceptor(authority: &CertifiedIssuer<'static, KeyPair>, server: &Pair) -> TlsAcceptor {
    // Another test may have chosen it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).expect("an authority");
    let verifier = WebPkiClientVerifier::builder(Arc::new(roots)).allow_unauthenticated().build();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(server.key.serialize_der()));
    let config = ServerConfig::builder()
        .with_client_cert_verifier(verifier.expect("a verifier"))
        .with_single_cert(vec![server.certificate.clone()], key)
        .expect("a certificate with its key");
    TlsAcceptor::from(Arc::new(config))
}

/// What the server's certificate is for.
const NAMES: &[&str] = &["127.0.0.1", "0.0.0.0", "::1", "localhost", "api.test"];
