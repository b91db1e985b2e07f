//! haproxy and Caddy before two gateways below a path, by the recipes of `docs/REVERSE-PROXIES.md`: a page and a stream
//! through each, and what goes on when a gateway is gone.

use std::net::{SocketAddr, TcpStream as Tried};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use http::HeaderMap;
use playground::Playground;
use serde_json::Value;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::identities::Authority;
use testkit::ports::free_address;
use testkit::stream;
use testkit::teams::{self, add_config_map};
use testkit::viewer::{Opening, Stream, Viewer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

const DOCUMENT: &str = include_str!("../../docs/REVERSE-PROXIES.md");
const HOST: &str = "portal.example";
const PUBLIC: &str = "https://portal.example/dogwatch";
const TOKEN: &str = "Bearer token-of-alice";

/// A program that stands before the gateways, and ends with its owner.
struct Front {
    child: Child,
    address: SocketAddr,
    authority: Authority,
    _folder: tempfile::TempDir,
}

impl Drop for Front {
    fn drop(&mut self) {
        // It may have ended by itself; either way it must be gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The recipe in this language, with these words in place of those that it has.
fn recipe(language: &str, changes: &[(&str, &str)]) -> String {
    let begin = format!("```{language}\n");
    let (_, text) = DOCUMENT.split_once(&begin).expect("a recipe");
    let (text, _) = text.split_once("```").expect("its end");
    assert!(!DOCUMENT.replacen(&begin, "", 1).contains(&begin), "one recipe");
    changes.iter().fold(text.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text.replace(from, to)
    })
}

impl Front {
    /// `command`: from the folder with the recipe. `changes`: of the recipe, from that folder and the address.
    fn start(
        language: &str,
        gateways: &[String; 2],
        changes: impl Fn(&Path, SocketAddr) -> Vec<(&'static str, String)>,
        command: impl Fn(&Path) -> Command,
    ) -> Self {
        let (address, authority) = (free_address(), Authority::new().expect("a key"));
        let folder = tempfile::tempdir().expect("a folder");
        let public = authority.sign(&[HOST]).expect("signed");
        let files = [
            ("portal.pem", format!("{}{}", public.certificate, public.key)),
            ("portal.crt", public.certificate),
            ("portal.key", public.key),
        ];
        let [one, two] = gateways;
        let mut changed = changes(folder.path(), address);
        changed.extend([("10.0.0.11:8484", one.clone()), ("10.0.0.12:8484", two.clone())]);
        let changed: Vec<(&str, &str)> = changed.iter().map(|(from, to)| (*from, to.as_str())).collect();
        let recipe = ("recipe", recipe(language, &changed));
        for (name, text) in files.iter().chain([&recipe]) {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        let mut command = command(folder.path());
        command.env("HOME", folder.path()).env("XDG_DATA_HOME", folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("on Debian: apt-get install haproxy caddy");
        while Tried::connect(address).is_err() {
            assert_eq!(child.try_wait().expect("asked"), None, "it ended: {}", recipe.1);
            std::thread::yield_now();
        }
        Self { child, address, authority, _folder: folder }
    }

    fn haproxy(gateways: &[String; 2]) -> Self {
        let changes = |folder: &Path, address: SocketAddr| {
            vec![
                ("bind :443", format!("bind {address}")),
                ("/etc/haproxy/portal.pem", folder.join("portal.pem").display().to_string()),
            ]
        };
        Self::start("haproxy", gateways, changes, |folder| {
            let mut haproxy = Command::new("haproxy");
            haproxy.arg("-db").arg("-f").arg(folder.join("recipe"));
            haproxy
        })
    }

    fn caddy(gateways: &[String; 2]) -> Self {
        let changes = |folder: &Path, address: SocketAddr| {
            let own = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n";
            let (folder, port, ip) = (folder.display(), address.port(), address.ip());
            let tls = format!("tls {folder}/portal.crt {folder}/portal.key");
            vec![("portal.example {", format!("{own}portal.example:{port} {{\n\tbind {ip}\n\t{tls}"))]
        };
        Self::start("caddy", gateways, changes, |folder| {
            let mut caddy = Command::new("caddy");
            caddy.args(["run", "--adapter", "caddyfile", "--config"]).arg(folder.join("recipe"));
            caddy
        })
    }

    fn open(&self) -> Opening {
        let connector = TlsConnector::from(self.authority.client(None).expect("a client"));
        let address = self.address;
        Box::pin(async move {
            let tcp = TcpStream::connect(address).await?;
            let stream: Stream = Box::new(connector.connect(HOST.try_into().expect("a name"), tcp).await?);
            Ok(stream)
        })
    }

    /// As a browser that sends its token with the upgrade.
    fn page(&self) -> Viewer {
        let mut headers = HeaderMap::new();
        for (name, value) in [("origin", "https://portal.example"), ("authorization", TOKEN)] {
            headers.insert(name, value.parse().expect("a value"));
        }
        let (connector, address) = (self.authority.client(None).expect("a client"), self.address);
        let open = move || -> Opening {
            let connector = TlsConnector::from(connector.clone());
            Box::pin(async move {
                let tcp = TcpStream::connect(address).await?;
                let stream: Stream =
                    Box::new(connector.connect(HOST.try_into().expect("a name"), tcp).await?);
                Ok(stream)
            })
        };
        let scope = teams::config_maps().expect("a scope");
        Viewer::of_page("wss://portal.example/dogwatch/api/ws", headers, open, scope)
    }

    async fn stream(&self) -> stream::Stream {
        let query = "resource=configmaps&namespaces=team&format=ndjson";
        let headers = [("authorization", TOKEN)];
        let stream = self.open().await.expect("connected");
        stream::Stream::open_below("/dogwatch", stream, HOST, query, &headers).await.expect("answered")
    }

    /// The status of a GET.
    async fn get(&self, path: &str) -> String {
        let mut stream = self.open().await.expect("connected");
        let request = format!("GET {path} HTTP/1.1\r\nhost: {HOST}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("written");
        let mut answer = Vec::new();
        // Caddy ends without a close_notify where there is nothing to say.
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
    }
}

/// Two gateways that listen there.
fn gateways(playground: &Playground, addresses: &[String; 2]) -> [Dogwatch; 2] {
    addresses.each_ref().map(|listen| {
        let home = Home::new().expect("a folder");
        let kubeconfig = home.kubeconfig_of(playground).expect("written");
        let kubeconfig = kubeconfig.to_str().expect("text");
        let flags =
            ["--auth", "bearer", "--kubeconfig", kubeconfig, "--listen", listen, "--public-url", PUBLIC];
        home.serve(&flags).expect("it starts")
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_streams_go_through_haproxy_and_caddy_as_the_document_sets_them_up() {
    for (name, start) in [("haproxy", Front::haproxy as fn(&[String; 2]) -> Front), ("caddy", Front::caddy)] {
        let playground =
            teams::playground(&[("alice", &["system:masters"])], &["team"]).await.expect("it starts");
        let addresses = [0, 1].map(|_| free_address().to_string());
        let both = gateways(&playground, &addresses);
        let front = start(&addresses);

        assert_eq!(front.get("/dogwatch/readyz").await, "HTTP/1.1 200 OK", "{name}");
        let elsewhere = front.get("/elsewhere").await;
        assert!(
            !elsewhere.is_empty() && !front.get("/dogwatches").await.contains("403"),
            "{name}: {elsewhere}"
        );

        // Two pages, so that each gateway has one: both go round.
        let (mut page, mut other) = (front.page(), front.page());
        let mut stream = front.stream().await;
        assert_eq!((stream.status, &*stream.media_type), (200, "application/x-ndjson"), "{name}");
        stream.until_sync().await.expect("whole");
        add_config_map(&playground, "team", "second").expect("created");
        let rows = ["team/of-team", "team/second"];
        for page in [&mut page, &mut other] {
            page.until_state("live", |viewed| rows.iter().all(|row| viewed.names().contains(*row)))
                .await
                .expect(name);
        }
        // It doesn't wait in a buffer for what comes after it.
        let is_second = |_: &stream::Stream, event: &Value| event["name"] == "second";
        stream.until(is_second).await.expect("told at once");

        let [one, two] = both;
        drop(one);
        let mut later = front.page();
        later.until_state("live", |viewed| viewed.names().contains("team/second")).await.expect(name);
        assert_eq!(front.get("/dogwatch/readyz").await, "HTTP/1.1 200 OK", "{name}");
        drop(two);
    }
}
