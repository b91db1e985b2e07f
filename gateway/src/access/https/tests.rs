//! Requests through proxies on loopback, to a server whose name only the proxy knows.

use std::net::SocketAddr;
use std::sync::Mutex;

use rcgen::{CertificateParams, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::*;

/// What a proxy does with a client.
#[derive(Clone, Copy)]
enum Kind {
    Http,
    Https,
    Socks,
    /// Answers with this status line.
    Refusing(&'static str),
    /// Says nothing.
    Silent,
}

/// A server that speaks TLS for `id.test` and an address, with what came to it and to the proxies before it.
struct Rig {
    folder: tempfile::TempDir,
    acceptor: TlsAcceptor,
    server: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Rig {
    async fn start() -> Self {
        let names = ["id.test", "proxy.test", "127.0.0.1", "0.0.0.0"].map(str::to_owned);
        let key = KeyPair::generate().expect("a key");
        let parameters = CertificateParams::new(names.to_vec()).expect("parameters");
        let certificate = parameters.self_signed(&key).expect("a certificate");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let ring = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(ring)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("a certificate with its key");
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("ca.pem"), certificate.pem()).expect("written");
        let (listener, server) = bound().await;
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let rig = Self { folder, acceptor: acceptor.clone(), server, heard: heard.clone() };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                note(&heard, head(&mut stream).await);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").await;
                let _ = stream.shutdown().await;
            }
        });
        rig
    }

    async fn proxy(&self, kind: Kind) -> SocketAddr {
        let (listener, address) = bound().await;
        let (heard, server, acceptor) = (self.heard.clone(), self.server, self.acceptor.clone());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let heard = heard.clone();
                match kind {
                    Kind::Http => drop(tokio::spawn(lead(stream, heard, server))),
                    Kind::Https => match acceptor.accept(stream).await {
                        Ok(stream) => drop(tokio::spawn(lead(stream, heard, server))),
                        Err(_) => continue,
                    },
                    Kind::Socks => drop(tokio::spawn(lead_socks(stream, heard, server))),
                    Kind::Refusing(status) => {
                        note(&heard, head(&mut stream).await);
                        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
                        let _ = stream.write_all(answer.as_bytes()).await;
                    }
                    Kind::Silent => drop(tokio::spawn(async move {
                        head(&mut stream).await;
                        // Held open until the client goes.
                        stream.read_u8().await
                    })),
                }
            }
        });
        address
    }

    fn https(&self, variables: &[(&str, &str)]) -> Https {
        let variables = ProxyVariables::of(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        });
        Https::with(Trusted::Issued(Some(&self.folder.path().join("ca.pem"))), None, variables)
            .expect("usable")
    }

    fn url(&self, host: &str) -> Uri {
        format!("https://{host}:{}/keys", self.server.port()).parse().expect("a URL")
    }

    fn take_heard(&self) -> Vec<String> {
        std::mem::take(&mut *self.heard.lock().expect("no panic"))
    }
}

async fn bound() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    (listener, address)
}

fn note(heard: &Mutex<Vec<String>>, head: String) {
    heard.lock().expect("no panic").push(head);
}

async fn head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut read = Vec::new();
    while !read.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { break };
        read.push(byte);
    }
    String::from_utf8(read).expect("text")
}

/// Whatever host is asked for, it is the server.
async fn lead(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    heard: Arc<Mutex<Vec<String>>>,
    to: SocketAddr,
) {
    note(&heard, head(&mut stream).await);
    let mut server = TcpStream::connect(to).await.expect("connected");
    stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.expect("written");
    let _ = copy_bidirectional(&mut stream, &mut server).await;
}

/// RFC 1928, with the user and password of RFC 1929.
async fn lead_socks(mut stream: TcpStream, heard: Arc<Mutex<Vec<String>>>, to: SocketAddr) {
    let texts = async |stream: &mut TcpStream, count: usize| {
        let mut texts = Vec::new();
        for _ in 0..count {
            let mut text = vec![0; stream.read_u8().await.expect("a length").into()];
            stream.read_exact(&mut text).await.expect("a text");
            texts.push(String::from_utf8_lossy(&text).into_owned());
        }
        texts.join(" ")
    };
    assert_eq!(stream.read_u8().await.expect("a version"), 5);
    texts(&mut stream, 1).await;
    stream.write_all(&[5, 2]).await.expect("written");
    assert_eq!(stream.read_u8().await.expect("a version"), 1);
    let user = texts(&mut stream, 2).await;
    stream.write_all(&[1, 0]).await.expect("written");
    let mut request = [0; 4];
    stream.read_exact(&mut request).await.expect("a request");
    assert_eq!(request, [5, 1, 0, 3], "a connection to a name");
    let host = texts(&mut stream, 1).await;
    let port = stream.read_u16().await.expect("a port");
    note(&heard, format!("{user} {host}:{port}"));
    let mut server = TcpStream::connect(to).await.expect("connected");
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.expect("written");
    let _ = copy_bidirectional(&mut stream, &mut server).await;
}

#[tokio::test]
async fn a_server_is_reached_through_each_sort_of_proxy_which_alone_sees_the_credentials() {
    let rig = Rig::start().await;
    let to = format!("id.test:{}", rig.server.port());
    for (kind, scheme, expected) in [
        (Kind::Http, "http", "Basic bWU6c0BjcmV0"),
        (Kind::Https, "https", "Basic bWU6c0BjcmV0"),
        (Kind::Socks, "socks5", "me s@cret id.test:"),
    ] {
        let proxy = rig.proxy(kind).await;
        let https = rig.https(&[("https_proxy", &format!("{scheme}://me:s%40cret@{proxy}"))]);
        let answer = https.get(&rig.url("id.test")).await.expect("answered");
        assert_eq!((answer.status, &*answer.body), (StatusCode::OK, &b"{}"[..]), "{scheme}");
        let heard = rig.take_heard();
        let [at_proxy, at_server] = &*heard else { panic!("{scheme}: {heard:?}") };
        assert!(at_proxy.contains(expected) && at_proxy.contains(&to), "{scheme}: {at_proxy}");
        assert!(
            scheme == "socks5" || at_proxy.starts_with(&format!("CONNECT {to} HTTP/1.1\r\n")),
            "{at_proxy}"
        );
        let at_server = at_server.to_lowercase();
        assert!(at_server.starts_with("get /keys http/1.1\r\n"), "{at_server}");
        assert!(!at_server.contains("proxy-authorization"), "{at_server}");
    }
}

#[tokio::test]
async fn what_no_proxy_names_and_this_machine_are_reached_without_the_proxy() {
    let rig = Rig::start().await;
    let proxy = rig.proxy(Kind::Http).await;
    let proxy = format!("http://{proxy}");
    for (variables, host, heads) in [
        (&[("HTTPS_PROXY", &*proxy)][..], "0.0.0.0", 2),
        (&[("HTTPS_PROXY", &proxy), ("NO_PROXY", "10.0.0.0/8, 0.0.0.0/8")], "0.0.0.0", 1),
        (&[("HTTPS_PROXY", &proxy), ("no_proxy", "0.0.0.0")], "0.0.0.0", 1),
        (&[("HTTPS_PROXY", &proxy), ("NO_PROXY", "id.test")], "0.0.0.0", 2),
        (&[("HTTPS_PROXY", &proxy)], "127.0.0.1", 1),
        (&[("HTTP_PROXY", &proxy)], "0.0.0.0", 1),
    ] {
        rig.https(variables).get(&rig.url(host)).await.expect("answered");
        assert_eq!(rig.take_heard().len(), heads, "{variables:?} {host}");
    }
    let path = rig.folder.path().join("ca.pem");
    Https::direct(Some(&path)).expect("usable").get(&rig.url("0.0.0.0")).await.expect("answered");
    assert_eq!(rig.take_heard().len(), 1);
}

#[tokio::test]
async fn a_proxy_that_makes_no_connection_is_named_without_its_password_and_to_operators_alone() {
    let rig = Rig::start().await;
    let untrusted = Rig::start().await.proxy(Kind::Https).await;
    let refusing = rig.proxy(Kind::Refusing("403 Forbidden")).await;
    let asking = rig.proxy(Kind::Refusing("407 Proxy Authentication Required")).await;
    let (unheard, nothing) = bound().await;
    drop(unheard);
    let to = format!("refused to connect to id.test:{}", rig.server.port());
    for (scheme, proxy, expected) in [
        ("http", refusing, &*to),
        ("http", refusing, "name the server in NO_PROXY"),
        ("http", asking, "wants a user and a password, or others"),
        ("http", nothing, "nothing listens at the address of"),
        ("https", untrusted, "no TLS connection with"),
    ] {
        let https = rig.https(&[("HTTPS_PROXY", &format!("{scheme}://me:s3cret@{proxy}"))]);
        let Err(why) = https.get(&rig.url("id.test")).await else { panic!("{scheme} {proxy} leads there") };
        let text = format!("{why} {why:?}");
        assert!(text.contains(expected), "{expected}: {text}");
        assert!(text.contains(&format!("the proxy {scheme}://{proxy} of HTTPS_PROXY")), "{text}");
        assert!(!text.contains("s3cret"), "{text}");
        let told = why.for_person();
        assert!(told.contains("the proxy before it") && !told.contains(&proxy.to_string()), "{told}");
    }
}

#[tokio::test]
async fn any_certificate_is_taken_where_none_is_to_be_verified_and_nowhere_else() {
    let rig = Rig::start().await;
    let url = rig.url("127.0.0.1");
    let answer = Https::unverified().expect("usable").get(&url).await.expect("answered");
    assert_eq!(&*answer.body, b"{}");
    let Err(why) = Https::new(None).expect("usable").get(&url).await else { panic!("it isn't known") };
    assert!(why.to_string().contains("invalid peer certificate"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn a_proxy_that_says_nothing_is_named_after_the_time_of_an_answer() {
    let rig = Rig::start().await;
    let proxy = rig.proxy(Kind::Silent).await;
    let https = rig.https(&[("HTTPS_PROXY", &format!("http://{proxy}"))]);
    let Err(why) = https.get(&rig.url("id.test")).await else { panic!("it says nothing") };
    let expected = format!("it didn't answer within 10 s through the proxy http://{proxy} of HTTPS_PROXY");
    assert_eq!(why, NoAnswer::OfProxy(expected));
}
