//! A connector that asks the environment's variables for each server: directly, or through the proxy that they name.

use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::Uri;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower::{BoxError, Service, ServiceExt};

use super::connection::{socks, tunnel};
use super::variables::ProxyVariables;

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct Connector {
    tcp: HttpConnector,
    /// For proxies of `https://`.
    tls: HttpsConnector<HttpConnector>,
    variables: Arc<ProxyVariables>,
}

impl Connector {
    pub(crate) fn new(
        tcp: HttpConnector,
        tls: HttpsConnector<HttpConnector>,
        variables: Arc<ProxyVariables>,
    ) -> Self {
        Self { tcp, tls, variables }
    }

    async fn connect(self, server: Uri) -> Result<MaybeHttpsStream<TokioIo<TcpStream>>, BoxError> {
        let proxy = self.variables.proxy_to(&server).map_err(|problem| io::Error::other(problem.message))?;
        let Some(proxy) = proxy else {
            return Ok(self.tcp.oneshot(server).await?.into());
        };
        let unusable =
            || io::Error::other(format!("{proxy} has no address that a connection can be made to"));
        Ok(match proxy.address.scheme.as_str() {
            "socks5" | "socks5h" => {
                socks(&proxy, self.tcp).ok_or_else(unusable)?.oneshot(server).await?.into()
            }
            "https" => tunnel(&proxy, "https", self.tls).ok_or_else(unusable)?.oneshot(server).await?,
            _ => tunnel(&proxy, "http", self.tcp).ok_or_else(unusable)?.oneshot(server).await?.into(),
        })
    }
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, server: Uri) -> Self::Future {
        self.clone().connect(server).boxed()
    }
}
