//! nginx before a gateway of the playground, with TLS on both ways and a certificate by which the gateway knows it: the
//! gateway takes each person's name from nginx, and a request that goes around nginx has no identity.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use playground::Playground;
use rustls::ClientConfig;
use serde_json::{Value, json};
use shared::state::ViewState;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::identities::{Authority, Pair};
use testkit::nginx::Nginx;
use testkit::teams::{self, Subject};
use testkit::viewer::{Stream, Viewer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::WebSocketStream;

use crate::proxied::{greeted, socket};
use testkit::ports::free_address;

const PUBLIC: &str = "dogwatch.example";

struct Scene {
    playground: Playground,
    gateway: Dogwatch,
    /// Where the gateway itself listens.
    direct: String,
    nginx: Nginx,
    authority: Authority,
}

impl Scene {
    async fn open() -> Self {
        Self::with_rights("shared").await
    }

    async fn with_rights(rights: &str) -> Self {
        let (authority, home) = (Authority::new().expect("a key"), Home::new().expect("a folder"));
        let playground = teams::playground(&[], &["team-a", "team-b", "team-c"]).await.expect("it starts");
        let write = |name: &str, text: &str| -> PathBuf {
            let path = home.path().join(name);
            std::fs::write(&path, text).expect("written");
            path
        };
        let own = authority.sign(&["gateway.internal", "localhost"]).expect("signed");
        let (certificate, key) = (write("tls.crt", &own.certificate), write("tls.key", &own.key));
        let (ca, direct) = (write("ca.pem", &authority.pem), free_address().to_string());
        let kubeconfig = home.kubeconfig_of(&playground).expect("written");
        let file = |path: &Path| path.to_str().expect("text").to_owned();
        let gateway = home.serve(&[
            "--auth",
            "proxy",
            "--rights",
            rights,
            "--listen",
            &direct,
            "--kubeconfig",
            &file(&kubeconfig),
            "--public-url",
            &format!("https://{PUBLIC}"),
            "--tls-cert",
            &file(&certificate),
            "--tls-key",
            &file(&key),
            "--proxy-client-ca",
            &file(&ca),
            "--proxy-client-name",
            "front",
        ]);
        let front = authority.sign(&["front"]).expect("signed");
        let public = authority.sign(&[PUBLIC]).expect("signed");
        let nginx = nginx(&direct, &authority, &public, &front);
        Self { playground, gateway: gateway.expect("it starts"), direct, nginx, authority }
    }

    async fn tls(&self, address: &str, name: &str, config: Arc<ClientConfig>) -> TlsStream<TcpStream> {
        let tcp = TcpStream::connect(address).await.expect("connected");
        let name = name.to_owned().try_into().expect("a name");
        TlsConnector::from(config)
            .connect(name, tcp)
            .await
            .unwrap_or_else(|error| panic!("{address}: {error}"))
    }

    /// Through nginx, as a browser that knows this name's password.
    async fn of(
        &self,
        user: &str,
        more: &[(&'static str, &str)],
    ) -> Result<WebSocketStream<TlsStream<TcpStream>>, u16> {
        let stream = self
            .tls(&self.nginx.address().to_string(), PUBLIC, self.authority.client(None).expect("a client"))
            .await;
        let (origin, password) = (format!("https://{PUBLIC}"), password(user));
        let headers = [&[("origin", origin.as_str()), ("authorization", &password)], more].concat();
        socket(stream, &format!("wss://{PUBLIC}/api/ws"), &headers).await
    }

    /// The same as a page with a table of all config maps.
    fn page_of(&self, user: &str) -> Viewer {
        let mut headers = HeaderMap::new();
        for (name, value) in [("origin", format!("https://{PUBLIC}")), ("authorization", password(user))] {
            headers.insert(name, value.parse().expect("a value"));
        }
        let (address, config) = (self.nginx.address(), self.authority.client(None).expect("a client"));
        let open = move || -> testkit::viewer::Opening {
            let connector = TlsConnector::from(config.clone());
            Box::pin(async move {
                let name = PUBLIC.try_into().expect("a name");
                let stream: Stream =
                    Box::new(connector.connect(name, TcpStream::connect(address).await?).await?);
                Ok(stream)
            })
        };
        let scope = teams::config_maps().expect("a scope");
        Viewer::of_page(&format!("wss://{PUBLIC}/api/ws"), headers, open, scope)
    }

    /// Around nginx, with a certificate or without.
    async fn around(&self, own: Option<&Pair>, headers: &[(&'static str, &str)]) -> Result<(), u16> {
        let stream = self.tls(&self.direct, "localhost", self.authority.client(own).expect("a client")).await;
        let origin = format!("https://{PUBLIC}");
        let headers = [&[("origin", origin.as_str())], headers].concat();
        socket(stream, &format!("wss://{PUBLIC}/api/ws"), &headers).await.map(drop)
    }
}

fn password(user: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:secret-of-{user}")))
}

/// What the document says, with a password file in place of whatever asks people there.
fn nginx(gateway: &str, authority: &Authority, public: &Pair, front: &Pair) -> Nginx {
    let people = ["alice", "bob"].map(|user| format!("{user}:{{PLAIN}}secret-of-{user}\n")).concat();
    let files = [
        ("public.crt", public.certificate.as_str()),
        ("public.key", &public.key),
        ("front.crt", &front.certificate),
        ("front.key", &front.key),
        ("ca.pem", &authority.pem),
        ("people", &people),
    ];
    let started = Nginx::start(&files, |address, folder| {
        let folder = folder.display();
        format!(
            "
    map $remote_user $group {{ default \"\"; alice dev; }}
    map $http_upgrade $connection_upgrade {{ default upgrade; \"\" close; }}
    server {{
        listen {address} ssl;
        ssl_certificate {folder}/public.crt;
        ssl_certificate_key {folder}/public.key;
        auth_basic dogwatch;
        auth_basic_user_file {folder}/people;
        location / {{
            proxy_pass https://{gateway};
            proxy_ssl_certificate {folder}/front.crt;
            proxy_ssl_certificate_key {folder}/front.key;
            proxy_ssl_trusted_certificate {folder}/ca.pem;
            proxy_ssl_verify on;
            proxy_ssl_name gateway.internal;
            proxy_http_version 1.1;
            proxy_set_header Host $host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
            proxy_set_header Authorization \"\";
            proxy_set_header X-Remote-User $remote_user;
            proxy_set_header X-Remote-Group $group;
        }}
    }}"
        )
    });
    started.expect("nginx starts")
}

/// Against: nginx
#[tokio::test(flavor = "multi_thread")]
async fn r_authn_6_nginx_says_who_comes_and_nobody_else_can() {
    let scene = Scene::open().await;
    let mut alice = scene.of("alice", &[]).await.expect("opened");
    let viewer = greeted(&mut alice).await;
    assert_eq!(
        (&viewer["user"], &viewer["groups"], &viewer["rights"]),
        (&json!("alice"), &json!(["dev"]), &json!("viewer"))
    );

    // What bob says of himself is replaced, or never leaves nginx.
    let claims = [
        ("x-remote-user", "alice"),
        ("x-remote-group", "dev"),
        ("x_remote_user", "alice"),
        ("x_remote_group", "dev"),
    ];
    let mut bob = scene.of("bob", &claims).await.expect("opened");
    let viewer = greeted(&mut bob).await;
    assert_eq!((&viewer["user"], &viewer["groups"]), (&json!("bob"), &Value::Null));
    assert_eq!(scene.of("mallory", &claims).await.map(drop), Err(401), "nginx knows no such person");

    let claims = [("x-remote-user", "alice"), ("x-remote-group", "dev")];
    let sign = |name: &str| scene.authority.sign(&[name]).expect("signed");
    assert_eq!(scene.around(None, &claims).await, Err(401));
    assert_eq!(
        scene.around(Some(&sign("another")), &claims).await,
        Err(401),
        "a certificate of another name"
    );
    assert_eq!(scene.around(Some(&sign("front")), &claims).await, Ok(()), "whoever has nginx's is nginx");
    assert_eq!(scene.around(Some(&sign("front")), &[]).await, Err(401), "a proxy that says nobody");
    assert!(!scene.gateway.stderr().contains("secret-of"), "{}", scene.gateway.stderr());
}

/// R-AUTHZ-3, R-AUTHZ-4, R-AUTHZ-13: for each of the ways to ask for rows. Against: nginx
#[tokio::test(flavor = "multi_thread")]
async fn whom_nginx_names_sees_their_own_namespaces_and_a_right_that_ends_takes_its_rows() {
    for (rights, asked_as) in [("shared", vec![""]), ("impersonate", vec!["alice", "bob"])] {
        let scene = Scene::with_rights(rights).await;
        let playground = &scene.playground;
        for (team, subject) in [
            ("team-a", Subject::Group("dev")),
            ("team-b", Subject::User("bob")),
            ("team-c", Subject::User("alice")),
        ] {
            teams::allow(playground, team, subject).expect("a binding");
        }
        let (mut alice, mut bob) = (scene.page_of("alice"), scene.page_of("bob"));
        let (of_alice, of_bob) = (["team-a", "team-c"], ["team-b"]);
        alice.until_names(&of_alice, &["team-a/of-team-a", "team-c/of-team-c"]).await.expect("hers");
        bob.until_names(&of_bob, &["team-b/of-team-b"]).await.expect("his");

        teams::withdraw(playground, "team-a").expect("deleted");
        teams::add_config_map(playground, "team-a", "later").expect("created");
        teams::add_config_map(playground, "team-b", "later").expect("created");
        alice.until_names(&of_alice, &["team-c/of-team-c"]).await.expect("what is left");
        bob.until_names(&of_bob, &["team-b/later", "team-b/of-team-b"]).await.expect("his go on");

        teams::withdraw(playground, "team-b").expect("deleted");
        let has_nothing = |viewer: &Viewer| {
            matches!(viewer.state(), Some(ViewState::Forbidden { .. })) && viewer.names().is_empty()
        };
        bob.until_state("without a row", has_nothing).await.expect("refused");
        let asked: Vec<String> = teams::impersonated(playground).into_iter().collect();
        assert_eq!(asked, asked_as, "--rights {rights}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gateways_own_tls_serves_the_page_and_tells_plain_http_what_to_do() {
    let scene = Scene::open().await;
    let ask = async |host: &str| {
        let config = scene.authority.client(None).expect("a client");
        let mut stream = scene.tls(&scene.direct, "localhost", config).await;
        let request = format!("GET /element.js HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("written");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("ended by close_notify");
        String::from_utf8_lossy(&answer).into_owned()
    };
    let answer = ask(PUBLIC).await;
    assert!(answer.starts_with("HTTP/1.1 "), "{answer}");
    assert!(answer.contains("strict-transport-security: max-age=31536000\r\n"), "{answer}");
    let answer = ask(&scene.direct).await;
    assert!(!answer.contains("strict-transport-security"), "loopback's names are others' as well: {answer}");
    let mut plain = TcpStream::connect(&scene.direct).await.expect("connected");
    plain.write_all(b"GET / HTTP/1.1\r\n\r\n").await.expect("written");
    plain.shutdown().await.expect("shut down");
    let mut answer = String::new();
    plain.read_to_string(&mut answer).await.expect("read");
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("https"), "{answer}");
}
