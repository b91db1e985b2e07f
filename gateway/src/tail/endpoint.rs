//! Where the gateway is, and a WebSocket to it: over the Unix socket of a gateway on this machine, or over TCP
//! with a bearer token. Never a frame.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use http::{HeaderValue, Uri};
use replica::client::SignIn;
use replica::driver;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Error as WebSocketError;

use crate::address::page_name::is_below_localhost;
use crate::same_user;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// A Unix socket, where the kernel says who connects.
    Local {
        port: u16,
        socket: PathBuf,
    },
    Remote {
        host: String,
        port: u16,
        path: String,
        tls: bool,
        token_file: Option<PathBuf>,
    },
}

pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> ByteStream for T {}

pub(crate) type Stream = Box<dyn ByteStream>;

/// Which gateway is meant.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct GatewayFlags {
    /// Which gateway, if several of yours run on this machine: http://127.0.0.1:PORT
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// The same, by its port on this machine
    #[arg(long, value_name = "PORT", conflicts_with = "server")]
    pub port: Option<u16>,
    /// The file of a token, for a gateway with --auth bearer; it is read again at every connection
    #[arg(long, value_name = "FILE", requires = "server")]
    pub token_file: Option<PathBuf>,
}

impl GatewayFlags {
    /// `gateways`: the Unix sockets of those that run here, by port.
    ///
    /// # Errors
    /// As [`find`].
    pub(crate) fn find(&self, gateways: &[(u16, PathBuf)]) -> Result<Endpoint, String> {
        let server = self.server.clone().or_else(|| Some(format!("http://127.0.0.1:{}", self.port?)));
        find(server.as_deref(), self.token_file.as_deref(), gateways)
    }
}

const HOW_TO_START: &str = "no gateway runs here; start one with `dogwatch serve`, or name one with --server";

/// Fails with one sentence: no gateway runs, several run, or the URL can't be used.
pub(crate) fn find(
    server: Option<&str>,
    token_file: Option<&Path>,
    gateways: &[(u16, PathBuf)],
) -> Result<Endpoint, String> {
    let local = |(port, socket): &(u16, PathBuf)| Endpoint::Local { port: *port, socket: socket.clone() };
    let Some(server) = server else {
        return match gateways {
            [] => Err(HOW_TO_START.to_owned()),
            [one] => Ok(local(one)),
            several => {
                let urls: Vec<String> = several.iter().map(|(port, _)| format!("--port {port}")).collect();
                Err(format!("several gateways run here; choose one: {}", urls.join(", ")))
            }
        };
    };
    let (host, port, path, tls) = parts(server)?;
    let is_here = is_loopback(&host);
    if is_here && token_file.is_none() {
        let found = gateways.iter().find(|(ours, _)| *ours == port);
        return found.map(local).ok_or_else(|| match gateways {
            [] => format!(
                "no gateway of yours runs here on port {port}: start one with `dogwatch serve`, or run this where it runs, \
                 for instance in its container or with ssh"
            ),
            _ => format!("no gateway of yours runs here on port {port}; run this where it runs, for instance with ssh"),
        });
    }
    if token_file.is_some() && !tls && !is_here {
        return Err(format!("a token isn't sent to {host} in the clear; use https"));
    }
    Ok(Endpoint::Remote { host, port, path, tls, token_file: token_file.map(Path::to_owned) })
}

fn parts(server: &str) -> Result<(String, u16, String, bool), String> {
    let unusable =
        || format!("--server {server:?} can't be used; http://127.0.0.1:PORT or https://HOST is expected");
    let uri: Uri = server.parse().map_err(|_| unusable())?;
    let tls = match uri.scheme_str() {
        Some("http") => false,
        Some("https") => true,
        _ => return Err(unusable()),
    };
    let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(unusable)?;
    let port = uri.port_u16().unwrap_or(if tls { 443 } else { 80 });
    let path = format!("{}/api/ws", uri.path().trim_end_matches('/'));
    Ok((host.to_owned(), port, path, tls))
}

pub(crate) fn is_loopback(host: &str) -> bool {
    matches!(host, "localhost" | "[::1]" | "::1")
        || is_below_localhost(host)
        || host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

impl Endpoint {
    /// With the token of its file, where there is one.
    pub(crate) fn sign_in(&self) -> Result<SignIn, String> {
        let Self::Remote { token_file: Some(file), .. } = self else { return Ok(SignIn::Connection) };
        let token = std::fs::read_to_string(file)
            .map_err(|error| format!("the token in {} can't be read: {error}", file.display()))?;
        let token = token.trim();
        if token.is_empty() {
            return Err(format!("the token's file {} is empty", file.display()));
        }
        Ok(SignIn::Bearer(token.into()))
    }

    /// Fails with a fragment that says why.
    pub(crate) async fn open(self) -> Result<WebSocketStream<Stream>, String> {
        let sign_in = self.sign_in()?;
        let (uri, stream): (String, Stream) = match &self {
            Self::Local { socket, .. } => {
                let stream = same_user::connect(socket).await.map_err(|error| error.to_string())?;
                ("ws://localhost/api/ws".to_owned(), Box::new(stream))
            }
            Self::Remote { host, port, path, tls, .. } => {
                let bare = host.trim_start_matches('[').trim_end_matches(']');
                let stream = connect(bare, *port).await.map_err(|error| error.to_string())?;
                // Frames are small and must not wait for each other.
                stream.set_nodelay(true).map_err(|error| error.to_string())?;
                let scheme = if *tls { "wss" } else { "ws" };
                let stream = if *tls { secure(bare, stream).await? } else { Box::new(stream) };
                (format!("{scheme}://{host}:{port}{path}"), stream)
            }
        };
        let authorization = match sign_in {
            SignIn::Bearer(token) => Some(
                HeaderValue::try_from(format!("Bearer {token}"))
                    .map_err(|_| "the token isn't one line of text")?,
            ),
            SignIn::Connection | SignIn::Key => None,
        };
        driver::handshake(&uri, authorization, stream).await.map_err(|error| reason(&error))
    }

    /// The gateway's name in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Local { port, .. } => format!("the gateway of port {port}"),
            Self::Remote { host, port, .. } => format!("the gateway at {host}:{port}"),
        }
    }
}

/// A name below `localhost` is this machine, whatever its resolver knows of it (RFC 6761, 6.3).
async fn connect(host: &str, port: u16) -> std::io::Result<TcpStream> {
    if is_below_localhost(host) {
        let addresses: [SocketAddr; 2] =
            [(Ipv6Addr::LOCALHOST, port).into(), (Ipv4Addr::LOCALHOST, port).into()];
        return TcpStream::connect(&addresses[..]).await;
    }
    TcpStream::connect((host, port)).await
}

fn reason(error: &WebSocketError) -> String {
    match error {
        WebSocketError::Http(response) => format!("it answered {}", response.status()),
        WebSocketError::Protocol(_) => "it isn't a gateway".to_owned(),
        other => other.to_string(),
    }
}

async fn secure(host: &str, stream: TcpStream) -> Result<Stream, String> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name =
        ServerName::try_from(host.to_owned()).map_err(|_| format!("{host:?} is no name of a server"))?;
    let secured = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    Ok(Box::new(secured.map_err(|error| error.to_string())?))
}

/// A random number from 0 to below 1, which spreads reconnects; 0.5 if the system has no randomness.
pub(crate) fn chance() -> f64 {
    let mut bytes = [0; 4];
    match getrandom::fill(&mut bytes) {
        Ok(()) => f64::from(u32::from_ne_bytes(bytes)) / (f64::from(u32::MAX) + 1.0),
        Err(_) => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gateways(ports: &[u16]) -> Vec<(u16, PathBuf)> {
        ports.iter().map(|port| (*port, PathBuf::from(format!("/run/{port}.sock")))).collect()
    }

    #[test]
    fn the_only_gateway_is_taken_and_of_several_one_is_asked_for() {
        let found = |server, ports: &[u16]| match find(server, None, &gateways(ports)) {
            Ok(Endpoint::Local { port, .. }) => format!("local {port}"),
            Ok(Endpoint::Remote { host, port, path, tls, .. }) => format!("{host} {port} {path} {tls}"),
            Err(sentence) => sentence,
        };
        assert_eq!(found(None, &[8484]), "local 8484");
        assert_eq!(found(Some("http://127.0.0.1:9000"), &[8484, 9000]), "local 9000");
        let printed = "http://0a1b2c3d.localhost:9000/open/v/pods#code=x";
        assert_eq!(found(Some(printed), &[8484, 9000]), "local 9000");
        assert!(found(Some("http://localhost.evil.example:9000"), &[9000]).starts_with("localhost.evil"));
        assert_eq!(
            found(Some("https://dogwatch.example/base/"), &[]),
            "dogwatch.example 443 /base/api/ws true"
        );
        assert!(found(None, &[]).contains("dogwatch serve"));
        assert!(found(None, &[1, 2]).contains("--port 2"));
        assert!(found(Some("http://127.0.0.1:7"), &[1]).contains("port 7"));
        assert!(found(Some("ftp://x"), &[]).contains("ftp://x"));
        assert!(found(Some("::"), &[]).contains("--server"));
    }

    #[test]
    fn a_token_is_not_sent_in_the_clear() {
        let file = Path::new("/token");
        assert!(find(Some("http://example.org"), Some(file), &[]).is_err());
        assert!(find(Some("http://localhost:8484"), Some(file), &[]).is_ok());
        assert!(find(Some("https://example.org"), Some(file), &[]).is_ok());
    }
}
