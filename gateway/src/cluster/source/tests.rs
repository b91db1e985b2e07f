//! Every way in which a kubeconfig or a server can be wrong is one sentence that says what to do:
//! real files, real sockets, real certificates.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{Certificate, CertificateParams, KeyPair};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use super::*;
use crate::cluster::{Ceiling, Cluster};
use crate::metrics::Metrics;

/// A folder with a kubeconfig in it.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    fn script(&self, name: &str, text: &str) -> String {
        let path = self.write(name, &format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).expect("executable");
        path.display().to_string()
    }

    /// A kubeconfig of this text is a problem of this reason, with these words.
    async fn refuses(&self, text: &str, context: Option<&str>, reason: Reason, expected: &[&str]) {
        let path = self.write("config", text);
        check(&problem_of(path, context).await, reason, expected);
    }
}

async fn problem_of(path: PathBuf, context: Option<&str>) -> Problem {
    let source = Source::Kubeconfig { path: Some(path), context: context.map(str::to_owned) };
    match Cluster::connect(source, Ceiling::default(), Metrics::new()).await {
        Ok(_) => panic!("it connected"),
        Err(problem) => problem,
    }
}

/// `expected` are the words that must be in the sentence, besides that it is one.
fn check(problem: &Problem, reason: Reason, expected: &[&str]) {
    assert_eq!(problem.reason, reason, "{problem}");
    for words in expected {
        assert!(problem.message.contains(words), "{words:?} in {:?}", problem.message);
    }
    assert!(!problem.message.contains('\n'), "one line: {problem}");
    assert!(!problem.message.ends_with('.'), "no full stop: {problem}");
}

fn kubeconfig(server: &str, cluster: &str, user: &str) -> String {
    format!(
        "apiVersion: v1
kind: Config
current-context: here
contexts:
- name: here
  context: {{cluster: there, user: me}}
- name: other
  context: {{cluster: nowhere, user: me}}
- name: third
  context: {{cluster: there, user: nobody}}
clusters:
- name: there
  cluster: {{server: \"{server}\"{cluster}}}
users:
- name: me
  user: {user}
"
    )
}

#[tokio::test]
async fn a_kubeconfig_that_cannot_be_read_says_which_and_why() {
    let home = Home::new();
    let missing = problem_of(home.folder.path().join("nothing"), None).await;
    check(&missing, Reason::Configuration, &["nothing doesn't exist", "--kubeconfig", "--demo"]);
    for (text, expected) in [
        ("", "is empty"),
        (" \n\n", "is empty"),
        ("{a: [", "is not a kubeconfig in YAML"),
        ("just a text", "is not a kubeconfig in YAML"),
        ("apiVersion: v1\nkind: Config\n", "holds no context"),
    ] {
        home.refuses(text, None, Reason::Configuration, &[expected]).await;
    }
    let folder = problem_of(home.folder.path().to_path_buf(), None).await;
    check(&folder, Reason::Configuration, &["can't be read"]);
}

#[tokio::test]
async fn the_context_is_known_as_the_kubeconfig_has_it() {
    let text =
        kubeconfig("https://127.0.0.1:6443", "", "{token: x}").replace("name: other", "name: It's_Prod");
    let home = Home::new();
    let path = home.write("config", &text.replace("nowhere", "there"));
    for (asked, expected) in [(None, "here"), (Some("It's_Prod"), "It's_Prod")] {
        let source = Source::Kubeconfig { path: Some(path.clone()), context: asked.map(str::to_owned) };
        let origin = source.open().await.expect("a kubeconfig");
        assert_eq!(origin.context.as_deref(), Some(expected));
    }
}

#[tokio::test]
async fn a_context_that_leads_nowhere_is_named_with_what_there_is() {
    let home = Home::new();
    let whole = kubeconfig("http://127.0.0.1:1", "", "{}");
    let without_current = whole.replace("current-context: here\n", "");
    for (text, context, expected) in [
        (&whole, Some("prod"), ["no context \"prod\"", "here, other, third"]),
        (&whole, Some("other"), ["\"other\" names the cluster \"nowhere\"", "doesn't define"]),
        (&whole, Some("third"), ["\"third\" names the user \"nobody\"", "doesn't define"]),
        (&without_current, None, ["no current-context", "here, other, third"]),
        (&kubeconfig("", "", "{}"), None, ["\"there\"", "has no `server`"]),
    ] {
        home.refuses(text, context, Reason::Configuration, &expected).await;
    }
}

#[tokio::test]
async fn certificates_and_keys_that_cannot_be_used_are_told_before_any_request() {
    let home = Home::new();
    let server = "https://127.0.0.1:1";
    let (certificate, key) = certificate("localhost", 2021);
    let files = [("old.crt", certificate.pem()), ("old.key", key.serialize_pem())];
    let paths = files.map(|(name, text)| home.write(name, &text).display().to_string());
    let user = format!("{{client-certificate: {}, client-key: {}}}", paths[0], paths[1]);
    let expired = ["user \"me\" expired at 2021-02-03", "log in again"];
    home.refuses(&kubeconfig(server, "", &user), None, Reason::CertificateExpired, &expired).await;
    let user = "{client-certificate: /nowhere/a.crt, client-key: /nowhere/a.key}";
    let unreadable = ["the user \"me\"", "`client-certificate` /nowhere/a.crt can't be read"];
    home.refuses(&kubeconfig(server, "", user), None, Reason::Configuration, &unreadable).await;
    let text = kubeconfig(server, ", certificate-authority: /nowhere/ca", "{}");
    home.refuses(&text, None, Reason::Configuration, &["\"there\"", "/nowhere/ca can't be read"]).await;
}

#[tokio::test]
async fn what_kubectl_refuses_is_one_sentence_that_says_which_field_and_what_to_do() {
    let home = Home::new();
    let server = "https://127.0.0.1:1";
    let authority = certificate("localhost", 2055).0.pem();
    let authority = home.write("ca.crt", &authority).display().to_string();
    let of_cluster = |cluster: &str| kubeconfig(server, &format!(", {cluster}"), "{token: t}");
    let of_user = |user: &str| kubeconfig(server, "", user);
    let v1 = "apiVersion: client.authentication.k8s.io/v1";
    for (text, expected) in [
        (
            of_cluster(&format!("insecure-skip-tls-verify: true, certificate-authority: {authority}")),
            "beside a certificate authority",
        ),
        (
            of_cluster(&format!("certificate-authority-data: eA==, certificate-authority: {authority}")),
            "are both set",
        ),
        (of_cluster("certificate-authority-data: '-'"), "`certificate-authority-data` is no base64"),
        (of_cluster("certificate-authority-data: eA=="), "holds no certificate in PEM"),
        (of_cluster("proxy-url: 'ftp://p'"), "`proxy-url` must be an address that begins with http://"),
        (of_user("{client-certificate-data: eA==}"), "no `client-key`"),
        (of_user("{token: a, username: b}"), "a token and a password"),
        (of_user("{tokenFile: /nowhere/token}"), "the token file /nowhere/token can't be read"),
        (of_user("{token: 12345}"), "`users[0].user.token` must be a text"),
        (of_user("{as-groups: [a], token: t}"), "without `as`"),
        (of_user("{auth-provider: {name: gcp}}"), "the exec plugin that took its place"),
        (of_user(&format!("{{exec: {{{v1}, command: 'true'}}}}")), "no `interactiveMode`"),
        (of_user(&format!("{{exec: {{{v1}, interactiveMode: Never}}}}")), "no `command`"),
        (
            of_user("{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: 'true'}}"),
            "`apiVersion`",
        ),
        (kubeconfig("ftp://h", "", "{}"), "begins with ftp://"),
        (kubeconfig("h:x", "", "{}"), "is no address"),
        (format!("{}\nusers: 1", of_user("{}")), "`users` must be a list"),
        (of_user("{}").replace("kind: Config", "kind: Pod"), "its `kind` is \"Pod\""),
        (of_user("{}").replace("name: other", "name: here"), "has the name \"here\" twice"),
    ] {
        home.refuses(&text, None, Reason::Configuration, &[expected]).await;
    }
}

#[tokio::test]
async fn a_proxy_that_makes_no_connection_is_named_without_its_password() {
    let home = Home::new();
    let refusing = serve(None, "HTTP/1.1 403 Forbidden\r\n\r\n".to_owned()).await;
    let asking = serve(None, "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n".to_owned()).await;
    for (proxy, reason, expected) in [
        (
            format!("127.0.0.1:{refusing}"),
            Reason::ConnectionClosed,
            "refused to connect to api.invalid:443; let it connect there, or remove `proxy-url`",
        ),
        (format!("127.0.0.1:{asking}"), Reason::ConnectionClosed, "wants a user and a password"),
        ("127.0.0.1:1".to_owned(), Reason::ConnectionRefused, "nothing listens at the address of"),
        ("no-such-host.invalid:1".to_owned(), Reason::NameNotFound, "the host name of"),
    ] {
        let cluster = format!(", proxy-url: 'http://me:secret@{proxy}'");
        let text = kubeconfig("https://api.invalid", &cluster, "{token: t}");
        let path = home.write("config", &text);
        let problem = problem_of(path, None).await;
        check(&problem, reason, &[expected, &format!("the proxy http://{proxy} of proxy-url")]);
        assert!(!problem.message.contains("secret"), "{problem}");
    }
}

#[tokio::test]
async fn an_exec_plugin_that_fails_is_quoted_with_its_last_line() {
    let home = Home::new();
    let failing = home.script("failing", "echo first >&2; echo 'session expired, run login' >&2; exit 3");
    let silent = home.script("silent", "echo '{}'");
    for (command, mode, expected) in [
        (
            "/nowhere/plugin",
            "IfAvailable",
            vec!["exec plugin \"/nowhere/plugin\" of the user \"me\" was not found", "PATH"],
        ),
        (
            &failing,
            "IfAvailable",
            vec!["failing\" of the user \"me\" failed", "exit status: 3", "session expired, run login"],
        ),
        (&silent, "IfAvailable", vec!["printed no ExecCredential"]),
    ] {
        let user = format!(
            "{{exec: {{apiVersion: client.authentication.k8s.io/v1, command: {command}, interactiveMode: {mode}}}}}"
        );
        let text = kubeconfig("https://127.0.0.1:1", "", &user);
        home.refuses(&text, None, Reason::Configuration, &expected).await;
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_with_its_address() {
    let home = Home::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let free = listener.local_addr().expect("an address").to_string();
    drop(listener);
    for (server, reason, expected) in [
        (free.as_str(), Reason::ConnectionRefused, "nothing listens"),
        ("no-such-host.invalid:6443", Reason::NameNotFound, "host name is not known"),
    ] {
        let text = kubeconfig(&format!("https://{server}"), "", "{}");
        home.refuses(&text, None, reason, &[expected, server]).await;
    }
}

/// Answers every request alike, once TLS is done where there is a certificate; returns its port.
async fn serve(tls: Option<(Certificate, KeyPair)>, answer: String) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let acceptor = tls.map(|(certificate, key)| acceptor(&certificate, &key));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            match &acceptor {
                None => respond(stream, &answer).await,
                Some(acceptor) => {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        respond(stream, &answer).await;
                    }
                }
            }
        }
    });
    port
}

async fn respond(mut stream: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin, answer: &str) {
    let mut request = vec![0; 8192];
    let _ = stream.read(&mut request).await;
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}

fn certificate(name: &str, ends: i32) -> (Certificate, KeyPair) {
    let mut parameters = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
    parameters.not_before = rcgen::date_time_ymd(2020, 1, 1);
    parameters.not_after = rcgen::date_time_ymd(ends, 2, 3);
    let key = KeyPair::generate().expect("a key");
    (parameters.self_signed(&key).expect("a certificate"), key)
}

fn acceptor(certificate: &Certificate, key: &KeyPair) -> TlsAcceptor {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .expect("a certificate with its key");
    TlsAcceptor::from(Arc::new(config))
}

fn answer(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn a_server_that_is_no_api_server_or_refuses_us_is_told_so() {
    let home = Home::new();
    for (answer, reason, expected) in [
        (answer("200 OK", "<html>"), Reason::NotKubernetes, "is not a Kubernetes API server"),
        (answer("200 OK", "{\"version\":\"1\"}"), Reason::NotKubernetes, "is not a Kubernetes API server"),
        (answer("404 Not Found", ""), Reason::NotKubernetes, "is not a Kubernetes API server"),
        (answer("401 Unauthorized", ""), Reason::Unauthorized, "doesn't accept the credential"),
        (answer("503 Service Unavailable", ""), Reason::ServiceUnavailable, "HTTP 503"),
        (String::new(), Reason::ConnectionClosed, "closed the connection"),
    ] {
        let port = serve(None, answer).await;
        let text = kubeconfig(&format!("http://127.0.0.1:{port}"), "", "{}");
        home.refuses(&text, None, reason, &[expected, &port.to_string()]).await;
    }
}

#[tokio::test]
async fn a_certificate_that_cannot_be_trusted_is_told_with_what_to_do() {
    let home = Home::new();
    let other = certificate("localhost", 2055).0;
    for (name, ends, is_known, reason, expected) in [
        ("127.0.0.1", 2021, true, Reason::CertificateExpired, "has expired"),
        ("127.0.0.1", 2055, false, Reason::CertificateUnknown, "unknown authority"),
        ("example.com", 2055, true, Reason::CertificateUnknown, "for another name"),
    ] {
        let (own, key) = certificate(name, ends);
        let authority = home.write("ca.crt", &if is_known { own.pem() } else { other.pem() });
        let port = serve(Some((own, key)), answer("200 OK", "<html>")).await;
        let cluster = format!(", certificate-authority: {}", authority.display());
        let text = kubeconfig(&format!("https://127.0.0.1:{port}"), &cluster, "{}");
        home.refuses(&text, None, reason, &[expected]).await;
    }
    let port = serve(None, answer("200 OK", "<html>")).await;
    let text = kubeconfig(&format!("https://127.0.0.1:{port}"), "", "{}");
    home.refuses(&text, None, Reason::TlsFailure, &["doesn't speak TLS", "http://"]).await;
}

#[tokio::test]
async fn an_invalid_url_is_refused() {
    for url in ["", "not a url", "/path"] {
        let source =
            Source::Url { url: url.to_owned(), token: None, certificate: None, name: "x".to_owned() };
        let problem =
            Cluster::connect(source, Ceiling::default(), Metrics::new()).await.err().expect("refused");
        check(&problem, Reason::Configuration, &["is not the address of an API server"]);
    }
}
