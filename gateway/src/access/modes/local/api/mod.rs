//! How clients of the Kubernetes API, such as kubectl, get in where one user runs the gateway on their own machine: a
//! listener of its own on loopback, with TLS, because such clients send no token over plain HTTP.
//!
//! Read in this order: [`listen`] (its address), [`authority`] (who signs its certificates), [`certificates`] (the one
//! that is in use), [`token`] (what a client shows), [`ask`] (how `dogwatch credential` and `dogwatch kubeconfig` ask the
//! gateway for both). Never what is served there.

pub mod ask;
mod authority;
mod certificates;
pub(crate) mod listen;
mod token;

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use shared::problem::Problem;
use tokio::net::TcpListener;

pub use certificates::Certificates;
use listen::ApiListen;
pub use token::IssuedToken;
use token::TokenKey;

/// The listener, bound, with the certificates that it shows.
pub struct ApiListener {
    pub tcp: TcpListener,
    pub certificates: Arc<Certificates>,
}

/// What the gateway tells its user of the listener, and the key of its tokens.
pub struct LocalApi {
    address: SocketAddr,
    certificates: Arc<Certificates>,
    tokens: TokenKey,
}

const FOLDER: &str = "api";

impl LocalApi {
    /// `None`: the user wants none. `kept`: a number for which the port of the last start is looked up.
    ///
    /// # Errors
    /// Fails if the listener or its certificate can't be had.
    pub(crate) async fn open(
        listen: ApiListen,
        state: &Path,
        kept: Option<u16>,
    ) -> Result<Option<(Self, ApiListener)>, Problem> {
        let folder = state.join(FOLDER);
        let Some(tcp) = listen::bind(listen, &folder, kept).await? else { return Ok(None) };
        let address = tcp.local_addr().map_err(|error| listen::unusable(listen, &error))?;
        let certificates = Arc::new(Certificates::of_folder(&folder, address.ip(), SystemTime::now())?);
        let tokens = TokenKey::random()?;
        let listener = ApiListener { tcp, certificates: Arc::clone(&certificates) };
        Ok(Some((Self { address, certificates, tokens }, listener)))
    }

    /// Scheme, host and port.
    pub fn server(&self) -> String {
        format!("https://{}", self.address)
    }

    /// The certificate of the authority that clients are to trust, in PEM.
    pub fn authority(&self) -> Arc<str> {
        self.certificates.authority()
    }

    pub fn issue_token(&self, now: SystemTime) -> IssuedToken {
        self.tokens.issue(now)
    }

    /// Whether the gateway issued this token, and it is young enough.
    pub(super) fn knows(&self, token: &str, now: SystemTime) -> bool {
        self.tokens.verify(token, now)
    }
}

/// The names in a certificate of the listener.
fn names(address: IpAddr) -> Vec<String> {
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    let own = address.to_string();
    if !names.contains(&own) {
        names.push(own);
    }
    names
}
