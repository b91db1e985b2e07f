//! Every way in which a kubeconfig or a server can be wrong is one sentence that says what to do:
//! real files, real sockets, real certificates.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use super::*;
use crate::cluster::Cluster;

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
}

async fn problem_of(path: PathBuf, context: Option<&str>) -> Problem {
    let source = Source::Kubeconfig { path: Some(path), context: context.map(str::to_owned) };
    match Cluster::connect(source).await {
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
    let missing = home.folder.path().join("nothing");
    check(
        &problem_of(missing, None).await,
        Reason::Configuration,
        &["nothing doesn't exist", "--kubeconfig", "--demo"],
    );
    for (text, expected) in [
        ("", vec!["is empty"]),
        (" \n\n", vec!["is empty"]),
        ("{a: [", vec!["is not a kubeconfig in YAML"]),
        ("just a text", vec!["is not a kubeconfig in YAML"]),
        ("apiVersion: v1\nkind: Config\n", vec!["holds no context"]),
    ] {
        let path = home.write("config", text);
        check(&problem_of(path, None).await, Reason::Configuration, &expected);
    }
    let folder = home.folder.path().to_path_buf();
    check(&problem_of(folder, None).await, Reason::Configuration, &["can't be read"]);
}

#[tokio::test]
async fn a_context_that_leads_nowhere_is_named_with_what_there_is() {
    let home = Home::new();
    let text = kubeconfig("http://127.0.0.1:1", "", "{}");
    let path = home.write("config", &text);
    let unknown = problem_of(path.clone(), Some("prod")).await;
    check(&unknown, Reason::Configuration, &["no context \"prod\"", "here, other, third"]);
    let cluster = problem_of(path.clone(), Some("other")).await;
    check(&cluster, Reason::Configuration, &["\"other\" names the cluster \"nowhere\"", "doesn't define"]);
    let user = problem_of(path, Some("third")).await;
    check(&user, Reason::Configuration, &["\"third\" names the user \"nobody\"", "doesn't define"]);
    let path = home.write("config", &text.replace("current-context: here\n", ""));
    check(
        &problem_of(path, None).await,
        Reason::Configuration,
        &["no current-context", "here, other, third"],
    );
    let path = home.write("config", &kubeconfig("", "", "{}"));
    check(&problem_of(path, None).await, Reason::Configuration, &["\"there\"", "has no `server`"]);
}

#[tokio::test]
async fn certificates_and_keys_that_cannot_be_used_are_told_before_any_request() {
    let home = Home::new();
    let (certificate, key) = certificate("localhost", 2021);
    let files = [("old.crt", certificate.as_str()), ("old.key", key.as_str())];
    let paths = files.map(|(name, text)| home.write(name, text).display().to_string());
    let user = format!("{{client-certificate: {}, client-key: {}}}", paths[0], paths[1]);
    let path = home.write("config", &kubeconfig("https://127.0.0.1:1", "", &user));
    let expired = problem_of(path, None).await;
    check(&expired, Reason::CertificateExpired, &["user \"me\" expired at 2021-02-03", "log in again"]);

    let user = "{client-certificate: /nowhere/a.crt, client-key: /nowhere/a.key}";
    let path = home.write("config", &kubeconfig("https://127.0.0.1:1", "", user));
    check(&problem_of(path, None).await, Reason::Configuration, &["certificates or keys can't be used"]);

    let path = home
        .write("config", &kubeconfig("https://127.0.0.1:1", ", certificate-authority: /nowhere/ca", "{}"));
    check(&problem_of(path, None).await, Reason::Configuration, &["\"here\"", "/nowhere/ca"]);
}

#[tokio::test]
async fn an_exec_plugin_that_fails_is_quoted_with_its_last_line() {
    let home = Home::new();
    let failing = home.script("failing", "echo first >&2; echo 'session expired, run login' >&2; exit 3");
    let silent = home.script("silent", "echo '{}'");
    for (command, expected) in [
        ("/nowhere/plugin", vec!["exec plugin \"/nowhere/plugin\" was not found", "PATH"]),
        (failing.as_str(), vec!["failing\" failed", "exit status: 3", "session expired, run login"]),
        (silent.as_str(), vec!["printed no credential"]),
    ] {
        let user = format!(
            "{{exec: {{apiVersion: client.authentication.k8s.io/v1, command: {command}, interactiveMode: IfAvailable}}}}"
        );
        let path = home.write("config", &kubeconfig("http://127.0.0.1:1", "", &user));
        check(&problem_of(path, None).await, Reason::Configuration, &expected);
    }
    let user =
        "{exec: {apiVersion: client.authentication.k8s.io/v1, command: true, interactiveMode: Always}}";
    let path = home.write("config", &kubeconfig("http://127.0.0.1:1", "", &user.replace("true", "'true'")));
    check(&problem_of(path, None).await, Reason::Configuration, &["asks for a terminal"]);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_with_its_address() {
    let home = Home::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let free = listener.local_addr().expect("an address");
    drop(listener);
    let path = home.write("config", &kubeconfig(&format!("https://{free}"), "", "{}"));
    let refused = problem_of(path, None).await;
    check(&refused, Reason::ConnectionRefused, &["nothing listens", &free.to_string()]);
    let path = home.write("config", &kubeconfig("https://no-such-host.invalid:6443", "", "{}"));
    check(
        &problem_of(path, None).await,
        Reason::NameNotFound,
        &["host name is not known", "no-such-host.invalid"],
    );
}

/// Answers every request alike, once TLS is done where there is a certificate.
async fn serve(tls: Option<(String, String)>, answer: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let acceptor = tls.map(|(certificate, key)| acceptor(&certificate, &key));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            match &acceptor {
                None => respond(stream, answer).await,
                Some(acceptor) => {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        respond(stream, answer).await;
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

fn certificate(name: &str, ends: i32) -> (String, String) {
    let mut parameters = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
    parameters.not_before = rcgen::date_time_ymd(2020, 1, 1);
    parameters.not_after = rcgen::date_time_ymd(ends, 2, 3);
    let key = KeyPair::generate().expect("a key");
    (parameters.self_signed(&key).expect("a certificate").pem(), key.serialize_pem())
}

fn der(pem: &str) -> Vec<u8> {
    use base64::Engine;
    let body: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    base64::engine::general_purpose::STANDARD.decode(body).expect("base64")
}

fn acceptor(certificate: &str, key: &str) -> TlsAcceptor {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(der(key)));
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![der(certificate).into()], key)
        .expect("a certificate with its key");
    TlsAcceptor::from(Arc::new(config))
}

const OK_HTML: &str = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>";
const OK_OTHER: &str =
    "HTTP/1.1 200 OK\r\nContent-Length: 15\r\nConnection: close\r\n\r\n{\"version\":\"1\"}";
const NOT_FOUND: &str = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
const UNAUTHORIZED: &str = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
const UNAVAILABLE: &str =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

#[tokio::test]
async fn a_server_that_is_no_api_server_or_refuses_us_is_told_so() {
    let home = Home::new();
    for (answer, reason, expected) in [
        (OK_HTML, Reason::NotKubernetes, "is not a Kubernetes API server"),
        (OK_OTHER, Reason::NotKubernetes, "is not a Kubernetes API server"),
        (NOT_FOUND, Reason::NotKubernetes, "is not a Kubernetes API server"),
        (UNAUTHORIZED, Reason::Unauthorized, "doesn't accept the credential"),
        (UNAVAILABLE, Reason::ServiceUnavailable, "HTTP 503"),
        ("", Reason::ConnectionClosed, "closed the connection"),
    ] {
        let port = serve(None, answer).await;
        let path = home.write("config", &kubeconfig(&format!("http://127.0.0.1:{port}"), "", "{}"));
        let problem = problem_of(path, None).await;
        check(&problem, reason, &[expected, &port.to_string()]);
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
        let authority = home.write("ca.crt", if is_known { &own } else { &other }).display().to_string();
        let port = serve(Some((own, key)), OK_HTML).await;
        let cluster = format!(", certificate-authority: {authority}");
        let path = home.write("config", &kubeconfig(&format!("https://127.0.0.1:{port}"), &cluster, "{}"));
        check(&problem_of(path, None).await, reason, &[expected]);
    }
    let port = serve(None, OK_HTML).await;
    let path = home.write("config", &kubeconfig(&format!("https://127.0.0.1:{port}"), "", "{}"));
    check(&problem_of(path, None).await, Reason::TlsFailure, &["doesn't speak TLS", "http://"]);
}

#[tokio::test]
async fn a_url_that_is_none_is_refused() {
    for url in ["", "not a url", "/path"] {
        let source = Source::Url { url: url.to_owned(), token: None, name: "x".to_owned() };
        let problem = Cluster::connect(source).await.err().expect("refused");
        check(&problem, Reason::Configuration, &["is not the address of an API server"]);
    }
}

#[test]
fn several_files_are_merged_and_the_first_one_wins() {
    let home = Home::new();
    let first = home.write("first", "apiVersion: v1\nkind: Config\ncurrent-context: a\n");
    let second = home.write("second", &kubeconfig("http://127.0.0.1:1", "", "{}"));
    let listed = std::env::join_paths([&first, &home.folder.path().join("missing"), &second]).expect("paths");
    let paths = default_paths(Some(&listed), None);
    let (merged, _) = read_all(&paths).expect("merged");
    assert_eq!(merged.current_context.as_deref(), Some("a"));
    assert_eq!(merged.contexts.len(), 3);
    assert_eq!(default_paths(None, Some(Path::new("/home/me"))), [PathBuf::from("/home/me/.kube/config")]);
    assert!(read_all(&[]).is_err());
}
