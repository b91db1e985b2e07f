//! A gateway whose identity provider has a name that only the company's proxy can resolve.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use testkit::gateways::{Gateway, OLD_KEY, PUBLIC, options, start_with};
use testkit::ports::free_address;
use testkit::provider::{Provider, ProviderOptions};

/// `CONNECT` for those that have the password, to any name, which is on this machine. It ends with its owner.
struct Proxy {
    address: SocketAddr,
    /// The hosts that were asked for.
    asked: Arc<Mutex<BTreeSet<String>>>,
    tasks: JoinSet<()>,
}

/// `me:xyzzy@plugh`
const BASIC: &str = "\r\nproxy-authorization: basic bwu6ehl6enlacgx1z2g=\r\n";

impl Proxy {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (mut tasks, asked) = (JoinSet::new(), Arc::<Mutex<BTreeSet<String>>>::default());
        let noted = asked.clone();
        tasks.spawn(async move {
            let mut clients = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                clients.spawn(lead(stream, noted.clone()));
            }
        });
        Self { address, asked, tasks }
    }

    fn asked(&self) -> BTreeSet<String> {
        self.asked.lock().expect("no panic").clone()
    }

    async fn stop(mut self) {
        self.tasks.shutdown().await;
    }
}

async fn lead(mut stream: TcpStream, asked: Arc<Mutex<BTreeSet<String>>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { return };
        head.push(byte);
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    let to = head.strip_prefix("connect ").and_then(|rest| rest.split(' ').next()).expect("CONNECT");
    asked.lock().expect("no panic").insert(to.to_owned());
    if !head.contains(BASIC) {
        let refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(refusal).await.expect("written");
        return;
    }
    let port = to.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    let Ok(mut server) = TcpStream::connect(("127.0.0.1", port)).await else { return };
    stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.expect("written");
    // Either end may go first.
    let _ = copy_bidirectional(&mut stream, &mut server).await;
}

fn until_logged(gateway: &Gateway, text: &str) {
    while !gateway.dogwatch.stderr().contains(text) {
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn a_person_signs_in_at_a_provider_behind_a_proxy_and_is_told_when_that_is_away() {
    let options = ProviderOptions { host: "id.dogwatch.test", ..options() };
    let provider = Provider::start(&options).expect("it starts");
    let proxy = Proxy::start().await;
    let address = proxy.address;
    let at = |password: &str| format!("http://me:{password}@{address}");
    let (right, wrong) = (at("xyzzy%40plugh"), at("otherplugh"));
    let secret = options.client_secret;
    let start = |proxy: &str| {
        let listen = free_address().to_string();
        // The clusters of a demo are on this machine, to which no proxy leads.
        start_with(
            &provider,
            secret,
            (&listen, &[OLD_KEY]),
            &[],
            &[("HTTPS_PROXY", proxy), ("NO_PROXY", "10.0.0.0/8")],
        )
    };

    let gateway = start(&right);
    let browser = gateway.signed_in(&provider).await;
    assert!(gateway.user(&browser).await.is_some(), "signed in");
    assert_eq!(proxy.asked(), BTreeSet::from([provider.issuer().replace("https://", "")]));

    let unknown = start(&wrong);
    let opened =
        async |of: &Gateway| of.browser(&provider).open(&format!("{PUBLIC}/login")).await.expect("answered");
    let refused = opened(&unknown).await;
    assert!(refused.status == 503 && refused.body.contains("the proxy before it"), "{}", refused.body);
    let named = format!("the proxy http://{address} of HTTPS_PROXY");
    until_logged(&unknown, &format!("{named} wants a user and a password"));

    // One that begins without its proxy: the other would still hold what it learnt of the provider.
    proxy.stop().await;
    let late = start(&right);
    let refused = opened(&late).await;
    assert!(refused.status == 503 && !refused.body.contains(&address.to_string()), "{}", refused.body);
    until_logged(&late, &format!("nothing listens at the address of {named}"));
    for gateway in [&gateway, &unknown, &late] {
        let log = gateway.dogwatch.stderr();
        assert!(!log.contains("plugh") && !log.contains("bWU6"), "{log}");
    }
}
