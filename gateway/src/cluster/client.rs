//! The connection: kube's TLS and credentials over a connector of our own, because a watch must notice a dead
//! peer. It makes no retries, which would hide a 503 for minutes.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, Uri, header};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::rt::TokioExecutor;
use kube::Config;
use kube::client::{Body, ConfigExt};
use kube::config::AuthInfo;
use percent_encoding::percent_decode_str;
use shared::problem::{Problem, Reason};
use tokio::sync::OnceCell;
use tokio::task::JoinError;
use tower::{BoxError, ServiceBuilder};

use super::allow::allow;
use super::failure;
use crate::limits;
use crate::metrics::Metrics;

const USER_AGENT: &str = concat!("dogwatch/", env!("CARGO_PKG_VERSION"));

/// Sends requests to the API server and counts them. Cheap to clone.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) kube: kube::Client,
    pub(super) without_credentials: Arc<WithoutCredentials>,
    /// The kubeconfig itself impersonates a user, in each request over `kube`.
    pub(super) impersonates: bool,
    pub(super) metrics: Metrics,
}

/// Connections to the same server that carry nothing of the gateway's own credentials, for requests that bring
/// another's. Built when the first one is sent.
pub(super) struct WithoutCredentials {
    config: Config,
    built: OnceCell<kube::Client>,
}

impl WithoutCredentials {
    fn of(config: &Config) -> Self {
        let mut config = config.clone();
        (config.auth_info, config.headers) = (AuthInfo::default(), Vec::new());
        Self { config, built: OnceCell::new() }
    }

    pub(super) async fn client(&self) -> Result<kube::Client, Problem> {
        self.built.get_or_try_init(|| build_kube(self.config.clone())).await.cloned()
    }
}

/// kube runs exec plugins and reads files synchronously, so this runs where blocking is allowed.
pub(super) async fn build(config: Config, metrics: Metrics) -> Result<Client, Problem> {
    let without_credentials = Arc::new(WithoutCredentials::of(&config));
    let AuthInfo { impersonate, impersonate_uid, impersonate_groups, impersonate_user_extra, .. } =
        &config.auth_info;
    let impersonates = impersonate.is_some()
        || impersonate_uid.is_some()
        || impersonate_groups.is_some()
        || impersonate_user_extra.is_some();
    Ok(Client { kube: build_kube(config).await?, without_credentials, impersonates, metrics })
}

async fn build_kube(config: Config) -> Result<kube::Client, Problem> {
    let runtime = tokio::runtime::Handle::current();
    let built = tokio::task::spawn_blocking(move || {
        // kube's buffer spawns a task when it is created.
        let _entered = runtime.enter();
        build_blocking(config)
    });
    within_timeout(built).await
}

pub(super) async fn within_timeout(
    built: impl Future<Output = Result<Result<kube::Client, Problem>, JoinError>>,
) -> Result<kube::Client, Problem> {
    match tokio::time::timeout(Duration::from_secs(limits::CREDENTIALS_TIMEOUT_S), built).await {
        Err(_) => Err(Problem::new(
            Reason::TimedOut,
            format!(
                "the kubeconfig's exec plugin did not end within {} s; run it by hand to see what it waits for",
                limits::CREDENTIALS_TIMEOUT_S
            ),
        )),
        Ok(Ok(built)) => built,
        Ok(Err(_)) => {
            Err(Problem::new(Reason::InternalError, "the client for the API server could not be built"))
        }
    }
}

fn build_blocking(mut config: Config) -> Result<kube::Client, Problem> {
    config.headers.push((header::USER_AGENT, HeaderValue::from_static(USER_AGENT)));
    config.default_retry = false;
    let tcp = connector();
    match config.proxy_url.clone() {
        None => over(&config, tcp),
        Some(proxy) => match proxy.scheme_str() {
            Some("socks5") => over(&config, SocksV5::new(proxy, tcp)),
            Some("http") => over(&config, tunnel(&proxy, tcp)),
            Some("https") => {
                let tls = config
                    .rustls_https_connector_with_connector(tcp)
                    .map_err(|e| failure::of_setup(&e, plugin(&config)))?;
                over(&config, tunnel(&proxy, tls))
            }
            _ => Err(Problem::new(
                Reason::Configuration,
                "the proxy URL must begin with http://, https:// or socks5://; correct `proxy-url` or HTTPS_PROXY",
            )),
        },
    }
}

/// The exec plugin's command, for messages.
fn plugin(config: &Config) -> &str {
    config.auth_info.exec.as_ref().and_then(|exec| exec.command.as_deref()).unwrap_or_default()
}

pub(super) fn connector() -> HttpConnector {
    let keepalive = Duration::from_secs(limits::UPSTREAM_KEEPALIVE_S);
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(Duration::from_secs(limits::UPSTREAM_CONNECT_TIMEOUT_S)));
    tcp.set_keepalive(Some(keepalive));
    tcp.set_keepalive_interval(Some(keepalive));
    tcp.set_keepalive_retries(Some(limits::UPSTREAM_KEEPALIVE_PROBES));
    #[cfg(target_os = "linux")]
    tcp.set_tcp_user_timeout(Some(Duration::from_secs(limits::UPSTREAM_USER_TIMEOUT_S)));
    tcp
}

fn tunnel<C>(proxy: &Uri, connector: C) -> Tunnel<C> {
    let tunnel = Tunnel::new(proxy.clone(), connector);
    match proxy_authorization(proxy) {
        Some(value) => tunnel.with_auth(value),
        None => tunnel,
    }
}

/// `http::Uri` never decodes, and an `@` in a password is written as `%40`.
fn proxy_authorization(proxy: &Uri) -> Option<HeaderValue> {
    let (user, _) = proxy.authority()?.as_str().split_once('@')?;
    let decoded: Vec<u8> = percent_decode_str(user).collect();
    HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(decoded))).ok()
}

fn over<C>(config: &Config, connector: C) -> Result<kube::Client, Problem>
where
    C: tower::Service<Uri> + Clone + Send + Sync + 'static,
    C::Response: hyper_util::client::legacy::connect::Connection
        + hyper::rt::Read
        + hyper::rt::Write
        + Send
        + Unpin
        + 'static,
    C::Future: Send + 'static,
    C::Error: Into<BoxError> + Send + Sync + 'static,
{
    let tls = config
        .rustls_https_connector_with_connector(connector)
        .map_err(|e| failure::of_setup(&e, plugin(config)))?;
    let http: HttpClient<_, Body> = HttpClient::builder(TokioExecutor::new()).build(tls);
    let auth = config.auth_layer().map_err(|e| failure::of_setup(&e, plugin(config)))?;
    let headers = config.extra_headers_layer().map_err(|e| failure::of_setup(&e, plugin(config)))?;
    let service = ServiceBuilder::new()
        .filter(allow)
        .layer(config.base_uri_layer())
        .option_layer(auth)
        .layer(headers)
        .map_err(BoxError::from)
        .service(http);
    Ok(kube::Client::new(service, config.default_namespace.clone()))
}

#[cfg(test)]
mod tests {
    use http::Request;
    use tokio::io::AsyncReadExt;
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn a_proxy_password_with_escapes_is_decoded_once() {
        for (written, meant) in
            [("user:pa%40ss", "user:pa@ss"), ("a%2", "a%2"), ("a%+Ab", "a%+Ab"), ("%41%42", "AB")]
        {
            let proxy: Uri = format!("http://{written}@proxy:3128").parse().expect(written);
            let expected = format!("Basic {}", STANDARD.encode(meant));
            assert_eq!(proxy_authorization(&proxy).expect("a header"), expected.as_str(), "{written}");
        }
    }

    #[tokio::test]
    async fn r_ro_2_the_client_as_it_is_built_sends_nothing_that_does_not_only_read() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let server: Uri = format!("http://{}", listener.local_addr().expect("bound")).parse().expect("a URL");
        let mut config = Config::new(server);
        config.auth_info.token = Some("token-of-the-gateway".to_owned().into());
        let client = build(config, Metrics::new()).await.expect("built");
        let bare = client.without_credentials.client().await.expect("built");
        for (kube, is_gateway) in [(&client.kube, true), (&bare, false)] {
            let head = only_reads(kube, &listener).await;
            assert!(head.starts_with("get /version http/1.1"), "{head}");
            assert_eq!(head.contains("token-of-the-gateway"), is_gateway, "{head}");
        }
    }

    /// Tries what it may not send, and returns the head of a request that it may.
    async fn only_reads(kube: &kube::Client, listener: &TcpListener) -> String {
        let request = |method: &str, path: &str| {
            let request = Request::builder().method(method).uri(path).body(Vec::new()).expect("a request");
            kube.request_text(request)
        };
        let pod = "/api/v1/namespaces/shop/pods/web";
        for (method, path) in [
            ("PATCH", pod.to_owned()),
            ("DELETE", pod.to_owned()),
            ("PUT", pod.to_owned()),
            ("POST", "/api/v1/namespaces/shop/pods".to_owned()),
            ("GET", format!("{pod}/exec?command=ls")),
            ("GET", format!("{pod}/log")),
            ("GET", "/api/v1/nodes/n/proxy/pods".to_owned()),
        ] {
            tokio::select! {
                answer = request(method, &path) => assert!(answer.is_err(), "{method} {path}"),
                _ = listener.accept() => panic!("{method} {path} was sent"),
            }
        }
        // The same client reads.
        let heard = async {
            let (mut stream, _) = listener.accept().await.expect("accepted");
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                assert_ne!(stream.read_buf(&mut head).await.expect("sent"), 0);
            }
            String::from_utf8(head).expect("text").to_ascii_lowercase()
        };
        tokio::select! {
            head = heard => head,
            answer = request("GET", "/version") => panic!("nobody answered: {answer:?}"),
        }
    }
}
