//! The files of TLS: what is taken, what is refused with which words, and what happens when they change.

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream as ClientStream;

use super::*;
use crate::address::ProxyCertificate;
use crate::test_log;

struct Authority(Issuer<'static, KeyPair>, String);

/// A certificate and its key, in PEM.
struct Pair(String, String);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("valid");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("signed");
        Self(Issuer::new(params, key), certificate.pem())
    }

    fn sign(&self, common: &str, names: &[&str]) -> Pair {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).expect("valid");
        params.distinguished_name.push(DnType::CommonName, common);
        let key = KeyPair::generate().expect("a key");
        Pair(params.signed_by(&key, &self.0).expect("signed").pem(), key.serialize_pem())
    }
}

struct TlsRig {
    folder: tempfile::TempDir,
    authority: Authority,
}

impl TlsRig {
    fn new() -> Self {
        let rig = Self { folder: tempfile::tempdir().expect("a folder"), authority: Authority::new() };
        rig.write("ca.pem", &rig.authority.1);
        rig.write_pair(&rig.authority.sign("localhost", &["localhost"]));
        rig
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).expect("written");
    }

    fn write_pair(&self, Pair(certificate, key): &Pair) {
        self.write("tls.crt", certificate);
        self.write("tls.key", key);
    }

    fn files(&self, names: Option<&[&str]>) -> TlsFiles {
        let path = |name| self.folder.path().join(name);
        let proxy = names.map(|names| ProxyCertificate {
            authorities: path("ca.pem"),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
        });
        TlsFiles { certificate: path("tls.crt"), key: path("tls.key"), proxy }
    }

    fn refused(&self, names: Option<&[&str]>) -> String {
        Tls::load(self.files(names)).map(drop).expect_err("refused").message.to_string()
    }
}

fn connector(trusted: &str, shown: Option<&Pair>) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(trusted.as_bytes()).expect("PEM")).expect("an authority");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots);
    let config = match shown {
        None => builder.with_no_client_auth(),
        Some(Pair(certificate, key)) => builder
            .with_client_auth_cert(
                vec![CertificateDer::from_pem_slice(certificate.as_bytes()).expect("PEM")],
                PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("PEM"),
            )
            .expect("a pair"),
    };
    TlsConnector::from(Arc::new(config))
}

/// What the gateway takes the client for; `None` where the handshake fails.
async fn met(tls: &Tls, connector: TlsConnector) -> Option<Peer> {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let client = async {
        let tcp = TcpStream::connect(address).await.expect("connected");
        let stream: Result<ClientStream<_>, _> =
            connector.connect("localhost".try_into().expect("a name"), tcp).await;
        // TLS 1.3 tells a client of its refusal after the handshake.
        let mut rest = Vec::new();
        if let Ok(mut stream) = stream {
            drop(stream.read_to_end(&mut rest).await);
        }
    };
    let server = async {
        let (tcp, address) = listener.accept().await.expect("accepted");
        // The stream is dropped here, which ends the client.
        tls.open(tcp, address).await.map(|(_, peer)| peer)
    };
    tokio::join!(client, server).1
}

#[tokio::test]
async fn r_authn_6_a_proxy_is_known_by_a_certificate_of_its_authority_and_by_its_name() {
    let rig = TlsRig::new();
    let (own, front) = (&rig.authority, rig.authority.sign("front", &["front.example"]));
    let stranger = Authority::new().sign("front", &["front.example"]);
    let check = async |names: &[&str], shown: Option<&Pair>, expected: Option<bool>| {
        let tls = Tls::load(rig.files(Some(names))).expect("a pair");
        let peer = met(&tls, connector(&own.1, shown)).await;
        assert_eq!(peer.map(|peer| peer == Peer::Proxy), expected, "{names:?}");
    };
    check(&[], Some(&front), Some(true)).await;
    check(&["front"], Some(&front), Some(true)).await;
    check(&["other", "front.example"], Some(&front), Some(true)).await;
    check(&["fron", "front.example.org", "*.example", "FRONT"], Some(&front), Some(false)).await;
    check(&[], None, Some(false)).await;
    check(&[], Some(&stranger), None).await;
    let tls = Tls::load(rig.files(None)).expect("a pair");
    let peer = met(&tls, connector(&own.1, Some(&front))).await;
    assert!(matches!(peer, Some(Peer::Remote(_))), "nobody is asked for a certificate: {peer:?}");
}

#[tokio::test]
async fn a_pair_that_changes_is_taken_and_one_that_is_broken_is_said_once() {
    let rig = TlsRig::new();
    let tls = Tls::load(rig.files(None)).expect("a pair");
    let answers = async |authority: &Authority| met(&tls, connector(&authority.1, None)).await.is_some();
    assert!(answers(&rig.authority).await);
    test_log::listen();
    rig.write("tls.crt", "half a certifi");
    for _ in 0..3 {
        tls.look().await;
    }
    assert!(answers(&rig.authority).await, "the former one stays");
    assert_eq!(test_log::lines_with("the former certificate stays in use").len(), 1);
    let next = Authority::new();
    rig.write_pair(&next.sign("localhost", &["localhost"]));
    assert!(!answers(&next).await, "nobody looked");
    tls.look().await;
    assert!(answers(&next).await && !answers(&rig.authority).await);
    let key = rig.folder.path().join("tls.key");
    std::fs::remove_file(&key).expect("removed");
    tls.look().await;
    assert!(answers(&next).await);
    let made = std::process::Command::new("mkfifo").arg(&key).status();
    assert!(made.expect("started").success());
    tls.look().await;
    assert!(answers(&next).await, "r_rel_11: nothing waits for a FIFO");
    assert_eq!(test_log::lines_with("isn't a regular file").len(), 1);
}

#[test]
fn what_can_not_be_served_with_is_named() {
    let rig = TlsRig::new();
    assert!(Tls::load(rig.files(Some(&[]))).is_ok());
    let other = rig.authority.sign("localhost", &["localhost"]);
    rig.write("tls.key", &other.1);
    assert!(rig.refused(None).contains("isn't the key of --tls-cert"), "{}", rig.refused(None));
    rig.write(
        "tls.key",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
    );
    assert!(rig.refused(None).contains("holds no private key in PEM that isn't encrypted"));
    rig.write("tls.crt", &other.1);
    assert!(rig.refused(None).contains("holds no certificate in PEM"), "{}", rig.refused(None));
    rig.write_pair(&other);
    rig.write("ca.pem", "");
    assert!(rig.refused(Some(&[])).contains("--proxy-client-ca"));
    std::fs::remove_file(rig.folder.path().join("tls.crt")).expect("removed");
    assert!(rig.refused(None).contains("--tls-cert") && rig.refused(None).contains("can't be read"));
}

#[tokio::test]
async fn whoever_speaks_plain_http_is_told_so() {
    let rig = TlsRig::new();
    let tls = Tls::load(rig.files(None)).expect("a pair");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let client = async {
        let mut tcp = TcpStream::connect(address).await.expect("connected");
        tcp.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await.expect("written");
        tcp.shutdown().await.expect("shut down");
        let mut answer = String::new();
        tcp.read_to_string(&mut answer).await.expect("read");
        answer
    };
    let server = async {
        let (tcp, address) = listener.accept().await.expect("accepted");
        tls.open(tcp, address).await.is_none()
    };
    let (answer, is_refused) = tokio::join!(client, server);
    assert!(is_refused && answer.starts_with("HTTP/1.1 400 ") && answer.ends_with("https"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn r_net_1_a_handshake_that_never_ends_has_ten_seconds() {
    let rig = TlsRig::new();
    let tls = Tls::load(rig.files(None)).expect("a pair");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let mut silent = TcpStream::connect(listener.local_addr().expect("bound")).await.expect("connected");
    let (tcp, address) = listener.accept().await.expect("accepted");
    silent.write_all(&[TLS_HANDSHAKE]).await.expect("written");
    let started = tokio::time::Instant::now();
    assert!(tls.open(tcp, address).await.is_none());
    assert_eq!(started.elapsed().as_secs(), HTTP_HEAD_TIMEOUT_S);
}
