//! The connection: kube's TLS over a connector of our own, because a watch must notice a dead peer. It makes no retries, which would hide a 503 for minutes.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderValue, Uri, header};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kube::Config;
use kube::client::{Body, ConfigExt};
use kube::config::AuthInfo;
use shared::problem::{Problem, Reason};
use tokio::sync::OnceCell;
use tokio::task::JoinError;
use tower::{BoxError, ServiceBuilder};

use super::allow::{Shown, allow};
use super::authorization::Authorization;
use super::failure;
use super::kubeconfig::Credential;
use crate::forward_proxy::{self, Proxy};
use crate::limits;
use crate::metrics::Metrics;

const USER_AGENT: &str = concat!("dogwatch/", env!("CARGO_PKG_VERSION"));

/// How an API server is reached, before any request is sent. `config` has no credential but a client certificate, and no
/// proxy.
pub(super) struct Target {
    pub(super) config: Config,
    pub(super) proxy: Option<Proxy>,
    pub(super) credential: Credential,
}

/// Sends requests to the API server and counts them. Cheap to clone.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) kube: kube::Client,
    pub(super) without_credentials: Arc<WithoutCredentials>,
    /// The kubeconfig itself impersonates a user, in each request over `kube`.
    pub(super) impersonates: bool,
    pub(super) authorization: Authorization,
    pub(super) metrics: Metrics,
    /// What may be asked for besides objects.
    pub(super) shown: Shown,
}

/// Connections to the same server that carry nothing of the gateway's own credentials, for requests that bring
/// another's. Built when the first one is sent.
pub(super) struct WithoutCredentials {
    config: Config,
    proxy: Option<Proxy>,
    shown: Shown,
    built: OnceCell<kube::Client>,
}

impl WithoutCredentials {
    fn of(config: &Config, proxy: Option<&Proxy>, shown: Shown) -> Self {
        let mut config = config.clone();
        (config.auth_info, config.headers) = (AuthInfo::default(), Vec::new());
        Self { config, proxy: proxy.cloned(), shown, built: OnceCell::new() }
    }

    pub(super) async fn client(&self) -> Result<kube::Client, Problem> {
        let build =
            || build_kube(self.config.clone(), self.proxy.clone(), (Authorization::Nothing, self.shown));
        self.built.get_or_try_init(build).await.cloned()
    }
}

/// Runs an exec plugin, if there is one, and reads the token's file.
pub(super) async fn build(target: Target, metrics: Metrics, shown: Shown) -> Result<Client, Problem> {
    let Target { mut config, proxy, credential } = target;
    let without_credentials = Arc::new(WithoutCredentials::of(&config, proxy.as_ref(), shown));
    let authorization = Authorization::of(credential, &mut config.auth_info).await?;
    let AuthInfo { impersonate, impersonate_uid, impersonate_groups, impersonate_user_extra, .. } =
        &config.auth_info;
    let impersonates = impersonate.is_some()
        || impersonate_uid.is_some()
        || impersonate_groups.is_some()
        || impersonate_user_extra.is_some();
    let kube = build_kube(config, proxy, (authorization.clone(), shown)).await?;
    Ok(Client { kube, without_credentials, impersonates, authorization, metrics, shown })
}

/// kube reads the system's certificates synchronously, so this runs where blocking is allowed.
async fn build_kube(
    config: Config,
    proxy: Option<Proxy>,
    requests: (Authorization, Shown),
) -> Result<kube::Client, Problem> {
    let runtime = tokio::runtime::Handle::current();
    let built = tokio::task::spawn_blocking(move || {
        // kube's buffer spawns a task when it is created.
        let _entered = runtime.enter();
        build_blocking(config, proxy.as_ref(), requests)
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
                "the certificates of the kubeconfig or of this system could not be read within {} s",
                limits::CREDENTIALS_TIMEOUT_S
            ),
        )),
        Ok(Ok(built)) => built,
        Ok(Err(_)) => {
            Err(Problem::new(Reason::InternalError, "the client for the API server could not be built"))
        }
    }
}

fn build_blocking(
    mut config: Config,
    proxy: Option<&Proxy>,
    requests: (Authorization, Shown),
) -> Result<kube::Client, Problem> {
    config.headers.push((header::USER_AGENT, HeaderValue::from_static(USER_AGENT)));
    config.default_retry = false;
    let tcp = connector();
    let Some(proxy) = proxy else { return over(&config, requests, tcp) };
    let unusable = || {
        Problem::new(
            Reason::Configuration,
            format!("{proxy} has no address that a connection can be made to"),
        )
    };
    match proxy.address.scheme.as_str() {
        "socks5" | "socks5h" => {
            over(&config, requests, forward_proxy::socks(proxy, tcp).ok_or_else(unusable)?)
        }
        "https" => {
            let tls = config.rustls_https_connector_with_connector(tcp).map_err(|e| failure::of_setup(&e))?;
            over(&config, requests, forward_proxy::tunnel(proxy, "https", tls).ok_or_else(unusable)?)
        }
        _ => over(&config, requests, forward_proxy::tunnel(proxy, "http", tcp).ok_or_else(unusable)?),
    }
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

fn over<C>(
    config: &Config,
    (authorization, shown): (Authorization, Shown),
    connector: C,
) -> Result<kube::Client, Problem>
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
    let tls = config.rustls_https_connector_with_connector(connector).map_err(|e| failure::of_setup(&e))?;
    let http: HttpClient<_, Body> = HttpClient::builder(TokioExecutor::new()).build(tls);
    let headers = config.extra_headers_layer().map_err(|e| failure::of_setup(&e))?;
    let service = ServiceBuilder::new()
        .filter(move |request| allow(shown, request))
        .layer(config.base_uri_layer())
        .filter_async(authorization)
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

    #[tokio::test]
    async fn r_ro_2_the_client_as_it_is_built_sends_nothing_that_does_not_only_read() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let server: Uri = format!("http://{}", listener.local_addr().expect("bound")).parse().expect("a URL");
        let credential = Credential::Token("token-of-the-gateway".to_owned());
        let target = Target { config: Config::new(server), proxy: None, credential };
        let client = build(target, Metrics::new(), Shown::default()).await.expect("built");
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
            ("GET", "/api/v1/namespaces/shop/secrets/db".to_owned()),
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
